#include "tests/sim/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace xbind::sim {
namespace {

constexpr PortId kBefore{3};
constexpr PortId kAfter{4};
constexpr PortId kChord{5};
constexpr PortId kSecond{6};

bool avoided(const std::vector<PathElement>& avoid, const std::string& at, PortId port) {
  return std::find(avoid.begin(), avoid.end(), PathElement{at, port}) != avoid.end();
}

}  // namespace

std::string Network::switch_name(std::size_t at) { return fmt::format("switch-{}", at); }

std::string Network::endpoint(std::size_t at, std::uint32_t port) {
  return fmt::format("h{}-{}", at, port);
}

std::vector<SwitchPort> Network::ports(std::size_t at) const {
  const LabelRanges atm{atm_range(0, 0, 32, 31 + labels_)};
  const LabelRanges mpls{mpls_range(kMplsLabelMin, kMplsLabelMin + labels_ - 1)};
  // Every other line of the ring is one of MPLS: calls change the kind of their labels on the way.
  const auto labels = [&](PortId port) -> const LabelRanges& {
    const std::size_t from = port == kBefore ? far_end(at, port)->first : at;
    return (port == kBefore || port == kAfter) && from % 2 == 1 ? mpls : atm;
  };
  std::vector<SwitchPort> ports;
  for (std::uint32_t port = 1; port <= 4; ++port) {
    ports.push_back({PortId{port}, labels(PortId{port}), kLineRate, true});
  }
  for (const PortId narrow : {kChord, kSecond}) {
    if (far_end(at, narrow)) ports.push_back({narrow, atm, kChordRate, true});
  }
  return ports;
}

std::optional<Network::Port> Network::far_end(std::size_t at, PortId port) const {
  if (port == kBefore) return Port{(at + switches_ - 1) % switches_, kAfter};
  if (port == kAfter) return Port{(at + 1) % switches_, kBefore};
  const std::size_t opposite = switches_ / 2;
  if (port == kChord && switches_ > 3 && at == 0) return Port{opposite, kChord};
  if (port == kChord && switches_ > 3 && at == opposite) return Port{0, kChord};
  if (port == kSecond && doubled_ && at < 2) return Port{1 - at, kSecond};
  return std::nullopt;
}

std::optional<Network::Port> Network::place(const std::string& name) const {
  const std::size_t dash = name.find('-');
  if (name.empty() || name[0] != 'h' || dash == std::string::npos) return std::nullopt;
  return Port{std::stoul(name.substr(1, dash - 1)),
              PortId{static_cast<std::uint32_t>(std::stoul(name.substr(dash + 1)))}};
}

// ===== lines =====

std::vector<Network::Port> Network::lines() const {
  std::vector<Port> all;
  for (std::size_t at = 0; at < switches_; ++at) {
    for (const SwitchPort& port : ports(at)) {
      const auto far = far_end(at, port.port);
      if (!far || Port{at, port.port} < *far) all.emplace_back(at, port.port);
    }
  }
  return all;
}

std::vector<Network::Port> Network::ends_of(const Port& line) const {
  std::vector<Port> ends{line};
  if (const auto far = far_end(line.first, line.second)) ends.push_back(*far);
  return ends;
}

void Network::mark(std::set<Port>& those, const Port& line, bool one_of_them) {
  for (const Port& end : ends_of(line)) {
    if (one_of_them) {
      those.insert(end);
    } else {
      those.erase(end);
    }
  }
}

void Network::set_unknown(std::size_t at, bool unknown) {
  if (unknown) {
    unknown_.insert(at);
  } else {
    unknown_.erase(at);
  }
}

void Network::publish() {
  std::vector<UnusableElement> unusable;
  std::set<Port> both = down_;
  both.insert(drained_.begin(), drained_.end());
  for (const std::size_t at : unknown_) {
    for (const SwitchPort& port : ports(at)) {
      for (const Port& end : ends_of({at, port.port})) both.insert(end);
    }
  }
  for (const Port& end : both) {
    const Unusable why = down_.contains(end)      ? Unusable::kDown
                         : drained_.contains(end) ? Unusable::kDrained
                                                  : Unusable::kUnknown;
    unusable.push_back({{switch_name(end.first), end.second}, why});
  }
  for (const std::size_t at : unknown_) {
    unusable.push_back({{switch_name(at), PortId{}}, Unusable::kUnknown});
  }
  if (unusable == published_.unusable) return;
  published_ = {published_.version + 1, std::move(unusable)};
  known_ = std::move(both);
}

// ===== routes =====

std::vector<PathHop> Network::search(const Port& from, const Port& to, std::uint64_t cells_per_s,
                                     const std::vector<PathElement>& avoid,
                                     bool whatever_is_up) const {
  struct Step {
    std::size_t from = 0;
    PortId out;
    bool known = false;
  };
  std::vector<Step> came(switches_);
  std::deque<std::size_t> open{from.first};
  came[from.first].known = true;
  while (!open.empty() && !came[to.first].known) {
    const std::size_t at = open.front();
    open.pop_front();
    for (const SwitchPort& port : ports(at)) {
      const auto next = far_end(at, port.port);
      if (!next || came[next->first].known || port.cells_per_s < cells_per_s) continue;
      if (!whatever_is_up && unusable({at, port.port})) continue;
      if (avoided(avoid, switch_name(at), port.port)) continue;
      if (avoided(avoid, switch_name(next->first), PortId{})) continue;
      came[next->first] = {at, port.port, true};
      open.push_back(next->first);
    }
  }
  if (!came[to.first].known) return {};
  std::vector<PathHop> hops;
  PortId out = to.second;
  for (std::size_t at = to.first; at != from.first; at = came[at].from) {
    hops.push_back({switch_name(at), far_end(came[at].from, came[at].out)->second, out});
    out = came[at].out;
  }
  hops.push_back({switch_name(from.first), from.second, out});
  std::reverse(hops.begin(), hops.end());
  return hops;
}

cmgr::RouteReply Network::route(const cmgr::RouteQuery& query) const {
  cmgr::RouteReply reply;
  reply.query = query;
  const auto from = place(query.from);
  const auto to = place(query.to);
  if (query.to == kIsland) {
    reply.cause = Cause::kNoRoute;
    reply.element = query.from + " -> " + query.to;
  } else if (!from || !to) {
    reply.cause = Cause::kUnknownEndpoint;
    reply.element = from ? query.to : query.from;
  } else if (query.cells_per_s > kLineRate) {
    reply.cause = Cause::kNoBandwidth;
    reply.element = query.from + " -> " + query.to;
    reply.free = kLineRate;
  } else {
    if (!unusable(*from) && !unusable(*to)) {
      reply.path = {search(*from, *to, query.cells_per_s, query.avoid, false), kLineRate};
    }
    if (reply.path.hops.empty()) {
      const bool once = !search(*from, *to, query.cells_per_s, query.avoid, true).empty();
      reply.cause = once ? Cause::kLinkDown : Cause::kNoRoute;
      reply.element = query.from + " -> " + query.to;
    }
  }
  return reply;
}

}  // namespace xbind::sim
