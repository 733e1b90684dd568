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

#include "cmgr/parts/hop_tree.hpp"
#include "cmgr/parts/route_cache.hpp"
#include "cmgr/parts/switch_desk.hpp"
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
  // How many times set() was called.
  std::uint64_t news() const { return news_; }
  // Whether the route has touched anything unusable after those news, for however short a time.
  bool touched_since(const RouteReply& route, std::uint64_t news) const;

 private:
  // Of one switch: port (none: all of them).
  using Ports = std::map<PortId, Unusable>;
  struct Lately {
    Unusable why{};
    std::uint64_t news = 0;  // the last that had it unusable
  };
  // Elements in lately_. One more, and whoever asks about news before that is told "touched".
  static constexpr std::size_t kLately = 65'536;

  void resolve();
  void note_lately();
  bool touched_since(SwitchIndex at, PortId port, bool at_an_end, std::uint64_t news) const;
  void judge(SwitchIndex at, PortId port, bool at_an_end, std::optional<Blocked>& worst) const;

  const SwitchDesk& switches_;
  TopologyState state_;
  std::unordered_map<SwitchIndex, Ports> by_switch_;  // of switches that are not known yet, nothing
  std::size_t resolved_ = 0;                          // how many switches were known then
  std::uint64_t news_ = 0;
  std::unordered_map<SwitchIndex, std::map<PortId, Lately>> lately_;
  std::size_t lately_size_ = 0;
  std::uint64_t lately_begins_ = 0;  // the news before those of lately_
};

}  // namespace xbind::cmgr
