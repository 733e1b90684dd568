// The calls of earlier epochs about which something new is known since they were looked at, so that
// the work of a recovery is in proportion to what it reads.
//
// A page of a ledger brings news of three kinds of calls: those with hops in it, those that pass a
// link which its hops show, and those that have waited for its switch. A new topology may bring
// news of every call. So does the page after which no switch is left to read.
//
// Not thread-safe; owned by Recovery.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "cmgr/parts/found_call.hpp"

namespace xbind::cmgr {

class CallsToLookAt {
 public:
  using Calls = std::unordered_map<ConnectionId, std::vector<FoundHop>>;

  void add_hop(ConnectionId id, const FoundHop& hop) {
    touched_.push_back(id);
    index(id, hop);
  }
  void add_read(SwitchIndex at) { read_.push_back(at); }
  void add_all() { all_ = true; }
  // Those of `calls` about which something is new, each once, in ascending order; nothing is new
  // afterwards. Learns the links that the new hops show. `complete`: every switch has been read;
  // `done`: every switch has been read at some time.
  std::vector<ConnectionId> take(const Calls& calls, KnownLinks& links, bool complete, bool done);
  // Calls that have been taken.
  std::uint64_t looks() const { return looks_; }

 private:
  void index(ConnectionId id, const FoundHop& hop);
  void add_affected(const std::vector<LinkMap::End>& changed, const KnownLinks& links, bool done,
                    std::vector<ConnectionId>& ids) const;

  std::vector<ConnectionId> touched_;  // a call with several new hops is there several times
  std::vector<SwitchIndex> read_;
  bool all_ = false;
  bool complete_ = false;  // at the last take()
  // The calls with a hop at a port. Those that are gone stay until every call is looked at.
  std::map<LinkMap::End, std::vector<ConnectionId>> by_port_;
  std::uint64_t looks_ = 0;
};

}  // namespace xbind::cmgr
