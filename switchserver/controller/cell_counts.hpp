// Readings of the switch's counters that wait for its answer; at most kMax at once.
//
// One thread. Refusals are values.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "core/result.hpp"
#include "switchserver/controller/values.hpp"

namespace xbind::controller {

struct Parts;

class CellCounts {
 public:
  static constexpr std::size_t kMax = 1024;  // open at once

  explicit CellCounts(Parts& parts) : parts_(parts) {}

  // See SwitchController::read_statistics().
  Result<void> read(PortId port, Label label, Token token);
  void on_counted(const driver::Statistics& counted);
  void switch_down();  // refuses what is open

 private:
  Parts& parts_;
  std::unordered_map<driver::Cookie, Token> open_;
};

}  // namespace xbind::controller
