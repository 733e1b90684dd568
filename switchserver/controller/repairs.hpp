// Makes the switch agree with the ledger where an audit or a look at a call has found a difference
// twice: removes what only the switch has, and puts back what only the ledger has.
//
// One thread; no errors. What the switch refuses is named again by the next audit.
#pragma once

#include <optional>
#include <unordered_map>

#include "core/audit.hpp"
#include "switchserver/drivers/switch_driver.hpp"

namespace xbind::controller {

struct Parts;

class Repairs {
 public:
  explicit Repairs(Parts& parts) : parts_(parts) {}

  // Removes what only the switch has; what the ledger has there is put back after that. Else puts
  // back what only the ledger has. False: neither is possible.
  bool repair(const std::optional<CrossConnect>& extra, const std::optional<CrossConnect>& missing);
  void remove_stray(const CrossConnect& entry);
  void on_removed(const driver::Done& done);
  void switch_down() { strays_.clear(); }

 private:
  void put_back_on(const CrossConnect& at);

  Parts& parts_;
  std::unordered_map<driver::Cookie, CrossConnect> strays_;  // being removed
};

}  // namespace xbind::controller
