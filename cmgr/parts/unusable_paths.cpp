#include "cmgr/parts/unusable_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace xbind::cmgr {
namespace {

// The state of a port: usable, drained, part of an unknown switch, or down.
enum class Use : std::uint8_t { kFree, kDrained, kUnknown, kDown };

// Connections leave the lines of an unknown switch as they leave drained ones; a path through the
// switch itself is in doubt.
Use use_of(PortId element, Unusable why) {
  if (why == Unusable::kDown) return Use::kDown;
  return element == PortId{} && why == Unusable::kUnknown ? Use::kUnknown : Use::kDrained;
}

Use use_of(const std::map<PortId, Unusable>& unusable, PortId port) {
  Use use = Use::kFree;
  for (const PortId it : {port, PortId{}}) {
    const auto found = unusable.find(it);
    if (found != unusable.end()) use = std::max(use, use_of(it, found->second));
  }
  return use;
}

}  // namespace

void UnusablePaths::set(const TopologyState& state) {
  state_ = state;
  ++news_;
  resolve();
}

void UnusablePaths::resolve() {
  by_switch_.clear();
  resolved_ = switches_.size();
  for (const UnusableElement& it : state_.unusable) {
    const auto at = switches_.find(it.element.switch_name);
    if (!at) continue;
    const auto [port, fresh] = by_switch_[*at].try_emplace(it.element.output_port, it.why);
    if (!fresh && it.why == Unusable::kDown) port->second = it.why;
  }
  note_lately();
}

void UnusablePaths::note_lately() {
  if (lately_size_ > kLately) {
    lately_.clear();
    lately_size_ = 0;
    lately_begins_ = news_ - 1;
  }
  for (const auto& [at, ports] : by_switch_) {
    for (const auto& [port, why] : ports) {
      const auto [known, fresh] = lately_[at].insert_or_assign(port, Lately{why, news_});
      lately_size_ += fresh ? 1 : 0;
    }
  }
}

bool UnusablePaths::touched_since(SwitchIndex at, PortId port, bool at_an_end,
                                  std::uint64_t news) const {
  const auto ports = lately_.find(at);
  if (ports == lately_.end()) return false;
  for (const PortId it : {port, PortId{}}) {
    const auto found = ports->second.find(it);
    if (found == ports->second.end() || found->second.news <= news) continue;
    if (!at_an_end || use_of(it, found->second.why) != Use::kDrained) return true;
  }
  return false;
}

std::vector<SwitchIndex> UnusablePaths::switches() const {
  std::vector<SwitchIndex> all;
  for (const auto& [at, ports] : by_switch_) all.push_back(at);
  std::sort(all.begin(), all.end());
  return all;
}

void UnusablePaths::judge(SwitchIndex at, PortId port, bool at_an_end,
                          std::optional<Blocked>& worst) const {
  const auto unusable = by_switch_.find(at);
  if (unusable == by_switch_.end()) return;
  const Use use = use_of(unusable->second, port);
  if (use == Use::kFree || (at_an_end && use == Use::kDrained)) return;
  const bool unknown = use == Use::kUnknown;
  const auto rank = [](const Blocked& it) {
    return std::tuple{it.down(), !it.drained, it.at_an_end};
  };
  Blocked found{at, unknown ? PortId{} : port, use == Use::kDrained, unknown, at_an_end, {}};
  if (worst && rank(*worst) >= rank(found)) return;
  found.words = unknown ? switches_.name(at) : fmt::format("{} port {}", switches_.name(at), port);
  worst = std::move(found);
}

std::optional<Blocked> UnusablePaths::worst_of(const Hops& hops) const {
  std::optional<Blocked> worst;
  if (by_switch_.empty()) return worst;
  for (const Hop& hop : hops) {
    judge(hop.at, hop.input_port, hop.starts(), worst);
    judge(hop.at, hop.output_port, hop.last(), worst);
  }
  return worst;
}

std::optional<Blocked> UnusablePaths::worst_of(const RouteReply& route) const {
  std::optional<Blocked> worst;
  if (by_switch_.empty()) return worst;
  const std::vector<PathHop>& hops = route.path.hops;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    judge(route.at[i], hops[i].input_port, i == 0, worst);
    judge(route.at[i], hops[i].output_port, i + 1 == hops.size(), worst);
  }
  return worst;
}

bool UnusablePaths::touched_since(const RouteReply& route, std::uint64_t news) const {
  if (news < lately_begins_) return true;
  const std::vector<PathHop>& hops = route.path.hops;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (touched_since(route.at[i], hops[i].input_port, i == 0, news) ||
        touched_since(route.at[i], hops[i].output_port, i + 1 == hops.size(), news)) {
      return true;
    }
  }
  return false;
}

}  // namespace xbind::cmgr
