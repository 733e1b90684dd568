// What a client has asked for, what it was told, and what it may believe about its calls since.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/requests.hpp"
#include "core/call.hpp"

namespace xbind::sim {

struct Asked {
  cmgr::RequestBody body;
  RequestId call;          // the setup of the call that it is about; 0: of none that is known
  bool contested = false;  // something else about the same call was under way meanwhile
  bool sent = false;       // since it was handed to the Requester
  Label dropped;           // of a leaf that is to be dropped: what arrived there
  std::optional<Outcome> outcome;
};

// A call as its client knows it. What is promised holds while nothing is under way.
struct Call {
  enum class State { kAsked, kHeld, kUp, kGone };

  ConnectRequest setup;
  State state = State::kAsked;
  ConnectionId id;
  Label ingress;
  Label reverse_ingress;
  Label reverse_egress;
  std::map<std::string, Label> ends;      // every destination, with what arrives there
  std::set<std::string> unsure_ends;      // perhaps a destination: requests have crossed
  std::vector<cmgr::Contract> contracts;  // it has one of these
  std::set<RequestId> open;               // requests about it that are under way
  unsigned releases = 0;                  // of them
  bool released = false;
  bool orphan = false;         // its manager has lost its memory: nobody can change it any more
  bool shaken = false;         // a SwitchServer on its path has lost its memory: its cells go on
  bool contract_known = true;  // an orphan's may not be
  std::uint32_t passes = ~0U;  // switches, one bit each, as last seen

  // What has become of its path.
  std::uint32_t cells_pass = 0;  // switches that its cells went through when last looked at
  bool was_cut = false;          // they have come to a line that is down, at least once
  bool had_leaves = false;       // or may have had
  std::optional<Notice> heard;   // the last one
  bool deaf = false;             // and another one may have got lost since

  // The client relies on it.
  bool promised() const { return state == State::kUp && releases == 0; }
  bool quiet() const { return open.empty(); }
};

}  // namespace xbind::sim
