// What a SwitchController takes and gives, and what its parts hand to one another. Values only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/audit.hpp"
#include "core/clock.hpp"
#include "core/hop.hpp"
#include "switchserver/controller/hop_traces.hpp"
#include "switchserver/controller/settling.hpp"
#include "switchserver/drivers/switch_driver.hpp"

namespace xbind::controller {

using Token = std::uint64_t;  // the caller's identifier of a batch or an audit

inline constexpr ManagerIndex kNoManager{0xffff};  // of a repair; of a name that is not known

struct Attachment {
  std::vector<SwitchPort> ports;        // as last seen; empty if the switch was never up
  std::vector<PortLabels> quarantined;  // by earlier sessions of this manager
  std::uint64_t hops = 0;               // this manager's records
  bool claims_awaited = false;          // hops of its name may be lost (idl/switch_server.idl)
  bool table_kept = false;              // see Settling
  std::uint64_t unclaimed = kEntriesUnknown;  // SwitchController::entries_of_nobody()
};
struct Grant {
  std::vector<Label> labels;  // fewer than wanted if no more are free
  Resources quota;            // less than wanted if no more is free
};
// The times of a batch of commands. A step has the time at which it begins, and ends with
// take_outputs().
struct BatchTimes {
  TimePoint applied;
  TimePoint asked;     // end of the step that applied it: the driver's requests are sent
  TimePoint answered;  // step of the last answer; equals `asked` if one step answered it all
};
struct Results {
  std::string manager;
  Token token = 0;
  HopResultBatch batch;  // results in the order in which the commands were applied
  BatchTimes times{};
  std::vector<HopTrace> traces{};  // of recorded commands; without asked and sent
};
struct Audited {
  std::string manager;
  Token token = 0;
  LedgerReport report;
};
// A hop is gone whose removal the manager's present session did not request: an earlier session
// did, or the controller cleaned up. Reports to the manager the label that now rests in its
// quarantine.
struct Unasked {
  std::string manager;
  HopResult result;
};
// Asks the manager to return labels or quota that it can spare.
struct Recalled {
  std::string manager;
  PortRecall recall;
};
// The answer to read_statistics().
struct Counted {
  Token token = 0;
  Cause cause = Cause::kNone;
  std::uint8_t failure_code = 0;  // the driver's, with kSwitchRefused
  bool absent = false;            // refused because nothing enters there with that label
  CellCounters counters;
};
struct CallLooked {  // the answer to look_at_call() or mend_call()
  Token token = 0;
  CallAtSwitch there;
};
struct Outputs {
  std::vector<Results> results;  // in the order in which batches were completed
  std::vector<Unasked> unasked;
  std::vector<Audited> audits;
  std::vector<CallLooked> looks;
  std::vector<Recalled> recalls;
  std::vector<Counted> statistics;

  void clear();  // keeps the memory
};

struct ClearedCall {
  ConnectionId connection;  // as its client knows it
  RequestId request;
  HopOwner owner;
};
// What is known of each manager, and what it has here.
struct ManagerHoldings {
  KnownManager manager;
  bool attached = false;
  bool forgotten = false;  // the name goes with its last hop
  std::uint64_t hops = 0;
};

struct Place {  // of a command's result
  std::uint32_t batch = 0;
  std::uint32_t position = 0;
};

// The owners of the hops described so far: the ledger's number, and the place in a list.
using OwnerPlaces = std::unordered_map<std::uint32_t, std::uint32_t>;

inline void Outputs::clear() {
  results.clear();
  unasked.clear();
  audits.clear();
  looks.clear();
  recalls.clear();
  statistics.clear();
}

}  // namespace xbind::controller
