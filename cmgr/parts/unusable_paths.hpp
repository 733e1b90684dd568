// The elements that are unusable in the network now, as RouteObject reports them, and the paths
// that use them. A value: it stores no state of any connection.
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

// The worst element on a path.
struct Blocked {
  SwitchIndex at{};
  PortId port;
  bool drained = false;  // drained, and neither down nor unknown
  // the whole switch is unknown, and this element is not down (decision 0035)
  bool unknown = false;
  bool at_an_end = false;  // an access line, or an endpoint's unknown switch: every path uses it
  std::string words;       // "switch-1 port 2", "switch-1 unknown"

  bool down() const { return !drained && !unknown; }
};

class UnusablePaths {
 public:
  explicit UnusablePaths(const SwitchDesk& switches) : switches_(switches) {}

  void set(const TopologyState& state);
  // Call after new switches have become known.
  void resolve_new_switches() {
    if (switches_.size() != resolved_) resolve();
  }
  std::uint64_t version() const { return state_.version; }
  std::size_t ports() const { return state_.unusable.size(); }
  bool empty() const { return by_switch_.empty(); }
  // The switches with unusable elements.
  std::vector<SwitchIndex> switches() const;

  // nullopt: the path is usable, or its only unusable element is a drained access line, which no
  // path could avoid.
  std::optional<Blocked> worst_of(const Hops& hops) const;
  std::optional<Blocked> worst_of(const RouteReply& route) const;
  // How often set() was called.
  std::uint64_t news() const { return news_; }
  // Whether the route has used an unusable element since those news, for however short a time.
  bool touched_since(const RouteReply& route, std::uint64_t news) const;

 private:
  // Of one switch, by port; PortId{} stands for all of its ports.
  using Ports = std::map<PortId, Unusable>;
  struct Lately {
    Unusable why{};
    std::uint64_t news = 0;  // the last news in which it was unusable
  };
  // Elements in lately_. Beyond that, queries about earlier news return "touched".
  static constexpr std::size_t kLately = 65'536;

  void resolve();
  void note_lately();
  bool touched_since(SwitchIndex at, PortId port, bool at_an_end, std::uint64_t news) const;
  void judge(SwitchIndex at, PortId port, bool at_an_end, std::optional<Blocked>& worst) const;

  const SwitchDesk& switches_;
  TopologyState state_;
  std::unordered_map<SwitchIndex, Ports> by_switch_;  // empty for switches that are not known yet
  std::size_t resolved_ = 0;                          // number of switches known at that time
  std::uint64_t news_ = 0;
  std::unordered_map<SwitchIndex, std::map<PortId, Lately>> lately_;
  std::size_t lately_size_ = 0;
  std::uint64_t lately_begins_ = 0;  // the news before the first that lately_ covers
};

}  // namespace xbind::cmgr
