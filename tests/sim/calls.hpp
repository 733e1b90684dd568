// A client's requests with their outcomes, and what the client may believe about its calls.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/requests.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"

namespace xbind::sim {

struct Asked {
  cmgr::RequestBody body;
  RequestId call;                // the setup request of the call; 0: no call that the client has
  bool contested = false;        // another request about the same call was open meanwhile
  bool open_at_restart = false;  // when its manager was killed and came back
  bool open_at_end = false;      // of a life, or when somebody else used the program's name
  bool sent = false;             // since it was passed to the Requester
  Label dropped;                 // of a leaf to drop: the label that arrived there
  std::optional<Outcome> outcome;
};

// Appends what is not there yet. Of a call that is changed again and again while its managers are
// killed the same few contracts come out every time: with their repeats the lists took 12 GiB (seed
// 100076).
inline void add_new(const std::vector<cmgr::Contract>& contracts, std::vector<cmgr::Contract>& to) {
  for (const cmgr::Contract& contract : contracts) {
    if (std::ranges::find(to, contract) == to.end()) to.push_back(contract);
  }
}

// A call as its client sees it. Its promises hold while no request about it is open.
struct Call {
  enum class State { kAsked, kHeld, kUp, kGone };

  ConnectRequest setup;
  State state = State::kAsked;
  ConnectionId id;
  Label ingress;
  Label reverse_ingress;
  Label reverse_egress;
  std::map<std::string, Label> ends;      // every destination and the label that arrives there
  std::set<std::string> uncertain_ends;   // perhaps destinations: requests have crossed
  std::vector<cmgr::Contract> contracts;  // its contract is one of these
  // What hops may still have to which the last change is owed.
  std::vector<cmgr::Contract> earlier_contracts;
  std::set<RequestId> open;  // requests about it that have no outcome yet
  unsigned releases = 0;     // how many of `open` are releases
  bool released = false;
  bool orphan = false;     // its manager has lost its memory: nobody can change the call any more
  bool of_nobody = false;  // all its ledgers were lost together with its manager; cells still flow
  // When its manager was killed, it had open requests, or was moving to another path.
  bool unsettled = false;
  bool contract_known = true;  // false: perhaps for an orphan
  TimePoint asked_at{};        // when the client made the setup
  TimePoint told_held{};       // when it was first told that its hold is held
  std::uint32_t passes = ~0U;  // switches on its path, one bit each, as of the last check

  // State of its path.
  std::uint32_t cells_pass = 0;  // switches that its cells passed at the last check
  bool was_cut = false;          // its cells have reached a line that was down at least once
  bool had_leaves = false;       // has or may have had leaves
  std::optional<Notice> heard;   // the last notice
  bool deaf = false;             // a later notice may have been lost

  // The client relies on it.
  bool promised() const { return state == State::kUp && releases == 0; }
  bool quiet() const { return open.empty(); }
};

}  // namespace xbind::sim
