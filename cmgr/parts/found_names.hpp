// By which names requests and owners may mean the calls of earlier epochs that are not in the
// connection table: the id that the owner knows, and the request of the setup.
//
// Not thread-safe; owned by Recovery.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "cmgr/parts/found_call.hpp"

namespace xbind::cmgr {

class FoundNames {
 public:
  // A hop of the call has been found, or is forgotten.
  void note(ConnectionId id, const FoundHop& hop);
  void drop(ConnectionId id, const FoundHop& hop);

  // The own id of a call that its owner knows by that id; else the id itself.
  ConnectionId own(ConnectionId id) const {
    const auto own = own_.find(id);
    return own == own_.end() ? id : own->second;
  }
  // Visits calls that a request of that number, of any client, may have set up, until visit(id) is
  // true.
  template <class Visit>
  void find_of(RequestId request, Visit&& visit) const {
    const auto [first, last] = requests_.equal_range(request);
    std::any_of(first, last, [&](const auto& named) { return visit(named.second); });
  }
  // The id that the owner of the call knows.
  static ConnectionId shown(ConnectionId id, const std::vector<FoundHop>& call) {
    const auto shown = std::ranges::find_if(
        call, [](const FoundHop& hop) { return hop.hop.shown_id != ConnectionId{}; });
    return shown == call.end() ? id : shown->hop.shown_id;
  }

 private:
  std::unordered_map<ConnectionId, ConnectionId> own_;  // by the ids that owners know
  std::unordered_multimap<RequestId, ConnectionId> requests_;
};

}  // namespace xbind::cmgr
