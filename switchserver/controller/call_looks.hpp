// Looks at one connection: its inputs at the switch are read and compared with its hops in the
// ledger; and repairs of what two looks have found, on inputs that hops of this connection alone
// have. At most SwitchControllerOptions::open_audits_max are open.
//
// One thread. Refusals are values.
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

class CallLooks {
 public:
  explicit CallLooks(Parts& parts) : parts_(parts) {}

  // See SwitchController::look_at_call() and mend_call().
  Result<void> look(std::string_view manager, CallQuestion question, Token token);
  Result<void> mend(std::string_view manager, ConnectionId connection,
                    std::vector<EntryDifference> seen, Token token, TimePoint now);

  bool open() const { return !open_.empty(); }
  // Reports the look that waits for this answer; false: none does.
  bool take(const driver::Table& table);
  void switch_down();  // reports what is open as unreadable

 private:
  struct Look {
    driver::Cookie cookie = 0;
    ManagerIndex manager;
    CallQuestion asked;
    Token token = 0;
    std::uint64_t since = 0;              // the ledger's clock before the switch was asked
    std::vector<driver::Input> inputs{};  // that are read; ascending
    std::vector<EntryDifference> seen{};  // to be repaired if they are found again
  };

  Result<void> begin(Look look);
  TableExpectation expected_on(const std::vector<driver::Input>& inputs, std::uint64_t since) const;
  void report(const Look& look, const std::vector<CrossConnect>* table);

  Parts& parts_;
  std::vector<Look> open_;
};

}  // namespace xbind::controller
