// The network of the simulated world: a ring of switches with one chord and one doubled link, what is
// the matter with its lines, and RouteObject's answers about it.
//
//   h0-1 h0-2           h1-1 h1-2         ports of every switch: 1 and 2 for endpoints, 3 to the
//      [switch-0]═════════[switch-1]      switch before, 4 to the one after; 5 of switch-0 and of
//          ║ ╲_____\_______/___║          the one opposite: the chord, which is narrower; 6 of switch-0
//      [switch-3]═════════[switch-2]      and switch-1: a second link between the two, as narrow
//
// A line is a link or an endpoint's access line; it is named by either of its ports. One that is down
// carries no cells. A switch that is unknown, its SwitchServer having lost it, carries them as
// before. What the Router knows of it all, and RouteObject with it, is what was last published.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cmgr/route_cache.hpp"
#include "switchserver/switch_driver.hpp"

namespace xbind::sim {

class Network {
 public:
  static constexpr std::uint64_t kLineRate = 2'000;  // cells/s
  static constexpr std::uint64_t kChordRate = 700;
  static constexpr std::uint32_t kEndpointPorts = 2;
  static constexpr const char* kIsland = "island";  // an endpoint that no link leads to
  using Port = std::pair<std::size_t, PortId>;      // switch, port

  // `labels` of every port; at least 3 switches. Not `doubled`: the second link is not there.
  Network(std::size_t switches, std::uint32_t labels, bool doubled)
      : switches_(switches), labels_(labels), doubled_(doubled) {}

  std::size_t size() const { return switches_; }
  std::vector<SwitchPort> ports(std::size_t at) const;
  // The other end of the link; nothing: an endpoint is there.
  std::optional<Port> far_end(std::size_t at, PortId port) const;
  // Where an endpoint is; nothing: there is none of that name.
  std::optional<Port> place(const std::string& endpoint) const;
  static std::string switch_name(std::size_t at);
  static std::string endpoint(std::size_t at, std::uint32_t port);

  // ---- lines ----

  std::vector<Port> lines() const;  // one port of each
  // The same, with the port at its other end.
  std::vector<Port> ends_of(const Port& line) const;
  void set_down(const Port& line, bool down) { mark(down_, line, down); }
  void set_drained(const Port& line, bool drained) { mark(drained_, line, drained); }
  bool down(const Port& line) const { return down_.contains(line); }
  bool drained(const Port& line) const { return drained_.contains(line); }
  void set_unknown(std::size_t at, bool unknown);
  bool unknown(std::size_t at) const { return unknown_.contains(at); }
  // The Router takes notice of what lines are unusable now.
  void publish();
  const TopologyState& published() const { return published_; }
  // The same state has a new version, as if something had come and gone.
  void raise_version() { ++published_.version; }

  // The shortest path that has the rate, uses nothing that the query avoids, and nothing that was
  // unusable when last published.
  cmgr::RouteReply route(const cmgr::RouteQuery& query) const;

 private:
  void mark(std::set<Port>& those, const Port& line, bool one_of_them);
  bool unusable(const Port& line) const { return known_.contains(line); }
  std::vector<PathHop> search(const Port& from, const Port& to, std::uint64_t cells_per_s,
                              const std::vector<PathElement>& avoid, bool whatever_is_up) const;

  std::size_t switches_;
  std::uint32_t labels_;
  bool doubled_;
  std::set<Port> down_;
  std::set<Port> drained_;
  std::set<std::size_t> unknown_;  // switches
  std::set<Port> known_;           // as published
  TopologyState published_{1, {}};
};

}  // namespace xbind::sim
