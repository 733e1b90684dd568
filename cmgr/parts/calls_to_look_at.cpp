#include "cmgr/parts/calls_to_look_at.hpp"

#include <algorithm>
#include <utility>

namespace xbind::cmgr {
namespace {

void each_once(std::vector<ConnectionId>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

void CallsToLookAt::index(ConnectionId id, const FoundHop& hop) {
  const CrossConnect& ports = hop.hop.cross_connect;
  for (const PortId port : {ports.input_port, ports.output_port}) {
    std::vector<ConnectionId>& there = by_port_[{hop.at, port}];
    if (there.empty() || there.back() != id) there.push_back(id);
  }
}

std::vector<ConnectionId> CallsToLookAt::take(const Calls& calls, KnownLinks& links, bool complete,
                                              bool done) {
  const bool all = std::exchange(all_, false) || (complete && !complete_);
  complete_ = complete;
  std::vector<ConnectionId> ids = std::exchange(touched_, {});
  each_once(ids);
  std::erase_if(ids, [&](ConnectionId id) { return !calls.contains(id); });
  std::vector<LinkMap::End> changed;
  for (const ConnectionId id : ids) {
    const std::vector<LinkMap::End> by_call = links.learn(calls.at(id));
    changed.insert(changed.end(), by_call.begin(), by_call.end());
  }
  if (all) {
    ids.clear();
    by_port_.clear();
    for (const auto& [id, hops] : calls) {
      ids.push_back(id);
      for (const FoundHop& hop : hops) index(id, hop);
    }
  } else {
    add_affected(changed, links, done, ids);
    std::erase_if(ids, [&](ConnectionId id) { return !calls.contains(id); });
  }
  read_.clear();
  each_once(ids);
  looks_ += ids.size();
  return ids;
}

void CallsToLookAt::add_affected(const std::vector<LinkMap::End>& changed, const KnownLinks& links,
                                 bool done, std::vector<ConnectionId>& ids) const {
  const auto append = [&](const std::vector<ConnectionId>& there) {
    ids.insert(ids.end(), there.begin(), there.end());
  };
  for (const LinkMap::End& end : changed) {
    if (const auto there = by_port_.find(end); there != by_port_.end()) append(there->second);
  }
  // Until then, no call ends because of what is missing behind a port.
  if (!done) return;
  for (const auto& [port, there] : by_port_) {
    const auto far = links.far_end(port.first, port.second);
    if (far && std::ranges::find(read_, far->first) != read_.end()) append(there);
  }
}

}  // namespace xbind::cmgr
