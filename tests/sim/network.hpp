// The network of the simulated world: a ring of switches with one chord and one doubled link, a
// host at port 1 of each switch, and the state of its lines. This is the true state; route_site.hpp
// holds what the Router believes.
//
//   switch-0 (host)     switch-1 (host)
//      [switch-0]════════[switch-1]
//          ║ ╲____\_______/___║
//      [switch-3]════════[switch-2]
//
// Ports of every switch: 1 to its host, 2 to the switch before, 3 to the one after. Port 4 of
// switch-0 and of the switch opposite: the chord, which is narrower. Port 5 of switch-0 and
// switch-1: the second link between the two, as narrow as the chord.
//
// The hosts of odd switches may have lines with MPLS labels, whose calls want certain frames.
//
// A line is a link or an endpoint's access line, named by either of its ports. A line that is down
// carries no cells.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "routeobject/topology/topology.hpp"
#include "switchserver/drivers/switch_driver.hpp"

namespace xbind::sim {

class Network {
 public:
  static constexpr std::uint64_t kLineRate = 2'000;  // cells/s
  static constexpr std::uint64_t kChordRate = 700;
  static constexpr PortId kHost{1};
  static constexpr const char* kIsland = "island";  // an endpoint that no link leads to
  using Port = std::pair<std::size_t, PortId>;      // switch, port

  // Every link's port has `labels` labels, a host's port twice as many. At least 3 switches.
  // Without `doubled` there is no second link, without `frames` no line that carries frames.
  Network(std::size_t switches, std::uint32_t labels, bool doubled, bool frames)
      : switches_(switches), labels_(labels), doubled_(doubled), frames_(frames) {}

  std::size_t size() const { return switches_; }
  // A host's port has the total rate of all links of its switch.
  std::vector<SwitchPort> ports(std::size_t at) const;
  // Cells/s of one port.
  std::uint64_t rate(std::size_t at, PortId port) const;
  // The other end of the link; nothing where an endpoint is.
  std::optional<Port> far_end(std::size_t at, PortId port) const;
  // The port of an endpoint; nothing when no endpoint has that name.
  std::optional<Port> place(const std::string& endpoint) const;
  static std::string switch_name(std::size_t at);
  static std::string endpoint(std::size_t at) { return switch_name(at); }
  // Whether the line of the switch's host has MPLS labels that stand for frames.
  bool carries_frames(std::size_t at) const { return frames_ && at % 2 == 1; }
  // The topology for RouteObject, including the island.
  Topology topology() const;

  // ---- lines ----

  std::vector<Port> lines() const;  // one port of each line
  // Both ports of the line.
  std::vector<Port> ends_of(const Port& line) const;
  void set_down(const Port& line, bool down) { mark(down_, line, down); }
  void set_drained(const Port& line, bool drained) { mark(drained_, line, drained); }
  bool down(const Port& line) const { return down_.contains(line); }
  bool drained(const Port& line) const { return drained_.contains(line); }

 private:
  void mark(std::set<Port>& those, const Port& line, bool one_of_them);

  std::size_t switches_;
  std::uint32_t labels_;
  bool doubled_;
  bool frames_;
  std::set<Port> down_;
  std::set<Port> drained_;
};

}  // namespace xbind::sim
