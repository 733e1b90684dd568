// Audits: the switch's whole table is read and compared with the ledger; and repairs of what two
// audits have found. At most SwitchControllerOptions::open_audits_max are open.
//
// A hop that changes while the table is read may or may not be in it, which is no finding. One
// thread. Refusals are values.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/audit.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"
#include "switchserver/controller/values.hpp"
#include "switchserver/ledger/ledger_audit.hpp"

namespace xbind::controller {

struct Parts;

class Audits {
 public:
  explicit Audits(Parts& parts) : parts_(parts) {}

  // See SwitchController.
  Result<void> audit(std::string_view manager, Token token);
  Result<void> repair(std::vector<Finding> seen, Token token, TimePoint now);

  bool open() const { return !open_.empty(); }
  // Reports the audit that waits for this table; false: none does.
  bool take(const driver::Table& table);
  void switch_down();  // reports what is open as unreadable

 private:
  struct Audit {
    driver::Cookie cookie = 0;
    ManagerIndex manager;
    Token token = 0;
    std::uint64_t since = 0;  // the ledger's clock before the table was requested
    bool repairs = false;     // what `seen` and this look have in common
    std::vector<Finding> seen{};
  };

  Result<void> begin(Audit audit);
  void report(const Audit& audit, const std::vector<CrossConnect>* table);
  std::vector<TableDifference> compare(const Audit& audit, const std::vector<CrossConnect>& table,
                                       TableExpectation expected, LedgerReport& report);
  std::size_t act(const std::vector<Finding>& seen, const std::vector<Finding>& found,
                  const std::vector<TableDifference>& differences);

  Parts& parts_;
  std::vector<Audit> open_;
};

}  // namespace xbind::controller
