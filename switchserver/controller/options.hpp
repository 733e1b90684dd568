// How a SwitchController behaves, and how much it admits at once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "switchserver/controller/settling.hpp"
#include "switchserver/controller/timers.hpp"
#include "switchserver/ledger/ledger.hpp"

namespace xbind {

struct SwitchControllerOptions {
  std::string name;  // the switch's, as bound under xbind/switchserver/; used in findings
  LedgerOptions ledger = {};
  // With more open batches, setups are refused kBusy. Changes and removals, which restore or
  // release, are still carried out: the credit of the managers' sessions bounds their batches.
  std::size_t open_batches_max = 1U << 16;
  std::size_t open_audits_max = 64;                             // more are refused kExhausted
  std::size_t labels_per_grant_max = 1U << 16;                  // of one batch or one grant()
  Duration reread_after = kSwitchServerTimers["table-reread"];  // after a failed table read
  // Managers that may have hops in the switch, with the highest epoch of each; nullopt: it is not
  // known which there are.
  std::optional<std::vector<KnownManager>> known = std::vector<KnownManager>{};
  Duration claims_wait = kSwitchServerTimers["claims-wait"];  // for their claims
  Duration table_round{};  // a round of comparisons (table_rounds.hpp); 0: none
  Duration trace_slow{};   // HopTraces; 0: none is slow
  Duration labels_rest = kSwitchServerTimers["labels-rest"];  // see Ledger::end_rest()
};

}  // namespace xbind
