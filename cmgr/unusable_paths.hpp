// What is unusable in the network now, as RouteObject tells it, and which paths touch it. A value: it
// knows no connection's state.
//
// Not thread-safe; owned by PathWatch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cmgr/hop_tree.hpp"
#include "cmgr/route_cache.hpp"
#include "cmgr/switch_desk.hpp"
#include "core/path.hpp"

namespace xbind::cmgr {

// The worst of what a path touches.
struct Blocked {
  SwitchIndex at{};
  PortId port;
  bool drained = false;    // and neither down nor unknown
  bool unknown = false;    // the whole switch is, and this is not down (decision 0035)
  bool at_an_end = false;  // an access line, or an end's unknown switch: every path passes there
  std::string words;       // "switch-1 port 2", "switch-1 unknown"

  bool down() const { return !drained && !unknown; }
};

class UnusablePaths {
 public:
  explicit UnusablePaths(const SwitchDesk& switches) : switches_(switches) {}

  void set(const TopologyState& state);
  // Switches have become known meanwhile.
  void resolve_new_switches() {
    if (switches_.size() != resolved_) resolve();
  }
  std::uint64_t version() const { return state_.version; }
  std::size_t ports() const { return state_.unusable.size(); }
  bool empty() const { return by_switch_.empty(); }
  // The switches with anything unusable.
  std::vector<SwitchIndex> switches() const;

  // Nothing: the path is usable, or a drained access line is all that it touches: no path could leave it.
  std::optional<Blocked> worst_of(const Hops& hops) const;
  std::optional<Blocked> worst_of(const RouteReply& route) const;

 private:
  // Of one switch: port (none: all of them).
  using Ports = std::map<PortId, Unusable>;

  void resolve();
  void judge(SwitchIndex at, PortId port, bool at_an_end, std::optional<Blocked>& worst) const;

  const SwitchDesk& switches_;
  TopologyState state_;
  std::unordered_map<SwitchIndex, Ports> by_switch_;  // of switches that are not known yet, nothing
  std::size_t resolved_ = 0;                          // how many switches were known then
};

}  // namespace xbind::cmgr
