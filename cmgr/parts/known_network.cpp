#include "cmgr/parts/known_network.hpp"

#include <algorithm>
#include <deque>

namespace xbind::cmgr {

KnownNetwork::Place KnownNetwork::place_of(const std::string& name) {
  const auto [place, fresh] = places_.try_emplace(name, static_cast<Place>(switches_.size()));
  if (fresh) {
    switches_.push_back(name);
    edges_.emplace_back();
  }
  return place->second;
}

void KnownNetwork::set(const std::vector<NetworkLink>& links, const std::vector<NetworkEnd>& ends) {
  switches_.clear();
  edges_.clear();
  places_.clear();
  ends_.clear();
  for (const NetworkLink& link : links) {
    const Place one = place_of(link.switch_name);
    const Place other = place_of(link.other_switch_name);
    edges_[one].push_back({link.port, other, link.other_port, link.cells_per_s});
    edges_[other].push_back({link.other_port, one, link.port, link.cells_per_s});
  }
  for (const NetworkEnd& end : ends) {
    if (ends_.size() >= kEndsMax) break;
    ends_.insert_or_assign(end.name, End{place_of(end.switch_name), end.port});
  }
  resolve_unusable();
}

void KnownNetwork::set_unusable(const TopologyState& state) {
  state_ = state;
  resolve_unusable();
}

void KnownNetwork::resolve_unusable() {
  unusable_.clear();
  for (const UnusableElement& it : state_.unusable) {
    const auto at = places_.find(it.element.switch_name);
    if (at != places_.end()) unusable_.insert(key(at->second, it.element.output_port));
  }
}

void KnownNetwork::learn(const RouteReply& route) {
  if (ends_.empty() || route.path.hops.empty()) return;
  const auto note = [&](const std::string& name, const std::string& switch_name, PortId port) {
    const auto at = places_.find(switch_name);
    if (at == places_.end()) return;
    if (ends_.size() < kEndsMax || ends_.contains(name)) {
      ends_.insert_or_assign(name, End{at->second, port});
    }
  };
  const PathHop& first = route.path.hops.front();
  const PathHop& last = route.path.hops.back();
  note(route.query.from, first.switch_name, first.input_port);
  note(route.query.to, last.switch_name, last.output_port);
}

bool KnownNetwork::has(const RouteReply& route) const {
  if (places_.empty()) return true;
  const std::vector<PathHop>& hops = route.path.hops;
  const auto elsewhere = [&](const std::string& name, const std::string& switch_name, PortId port) {
    const auto end = ends_.find(name);
    return end != ends_.end() &&
           (switches_[end->second.at] != switch_name || end->second.port != port);
  };
  if (elsewhere(route.query.from, hops.front().switch_name, hops.front().input_port) ||
      elsewhere(route.query.to, hops.back().switch_name, hops.back().output_port)) {
    return false;
  }
  for (std::size_t i = 0; i + 1 < hops.size(); ++i) {
    const PathHop& hop = hops[i];
    const PathHop& next = hops[i + 1];
    const auto at = places_.find(hop.switch_name);
    const auto to = places_.find(next.switch_name);
    if (at == places_.end() || to == places_.end()) return false;
    const bool linked = std::ranges::any_of(edges_[at->second], [&](const Edge& edge) {
      return edge.output == hop.output_port && edge.to == to->second &&
             edge.input == next.input_port;
    });
    if (!linked) return false;
  }
  return true;
}

std::optional<NetworkEnd> KnownNetwork::end(const std::string& name) const {
  const auto found = ends_.find(name);
  if (found == ends_.end()) return std::nullopt;
  return NetworkEnd{name, switches_[found->second.at], found->second.port};
}

KnownNetwork::Elements KnownNetwork::elements_to_avoid(const RouteNeed& need) const {
  Elements elements = unusable_;
  for (const PathElement& avoided : need.avoid) {
    const auto at = places_.find(avoided.switch_name);
    if (at != places_.end()) elements.insert(key(at->second, avoided.output_port));
  }
  return elements;
}

std::optional<Path> KnownNetwork::path(const RouteNeed& need) const {
  const auto from = ends_.find(need.from);
  const auto to = ends_.find(need.to);
  if (from == ends_.end() || to == ends_.end() || from == to) return std::nullopt;
  const Elements avoided = elements_to_avoid(need);
  const auto may_use = [&](Place at, PortId port) {
    return !avoided.contains(key(at, port)) && !avoided.contains(key(at, PortId{}));
  };
  const End& begin = from->second;
  const End& end = to->second;
  if (!may_use(begin.at, begin.port) || !may_use(end.at, end.port)) return std::nullopt;
  std::unordered_map<Place, Step> reached{{begin.at, {begin.at, nullptr}}};
  std::deque<Place> next{begin.at};
  while (!next.empty() && !reached.contains(end.at)) {
    const Place at = next.front();
    next.pop_front();
    for (const Edge& edge : edges_[at]) {
      const bool usable = edge.cells_per_s >= need.cells_per_s && may_use(at, edge.output) &&
                          may_use(edge.to, edge.input);
      if (usable && reached.try_emplace(edge.to, Step{at, &edge}).second) next.push_back(edge.to);
    }
  }
  if (!reached.contains(end.at)) return std::nullopt;
  return path_of(begin, end, reached);
}

Path KnownNetwork::path_of(const End& from, const End& to,
                           const std::unordered_map<Place, Step>& reached) const {
  Path path;
  path.free_cells_per_s = std::numeric_limits<std::uint64_t>::max();
  PortId output = to.port;
  for (Place at = to.at;;) {
    const Step& step = reached.at(at);
    const bool first = step.edge == nullptr;
    path.hops.push_back({switches_[at], first ? from.port : step.edge->input, output});
    if (first) break;
    path.free_cells_per_s = std::min(path.free_cells_per_s, step.edge->cells_per_s);
    output = step.edge->output;
    at = step.from;
  }
  std::ranges::reverse(path.hops);
  return path;
}

}  // namespace xbind::cmgr
