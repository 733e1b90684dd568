// The Router: keeps what is known of the network current, outside any call.
//
// SwitchServers report their ports, whole: whether each is up, what it may promise and what of that is
// free. Of one incarnation the highest number counts, and a higher incarnation before any lower one;
// what is older is ignored and counted. Of ports that nobody has reported the topology's word holds: up,
// and all of the line's rate free. What was reported holds until the next report of that switch. A
// report without any port says that the SwitchServer has lost its switch: then the last word on its
// ports stands.
//
// - Such a switch, and one whose SwitchServer has fallen silent, is unknown after a while, and
// trusted
//   again after another (switch_trust.hpp). While it is unknown so are its links and its access
// line.
// - Silence of one counts only while others are heard: when nobody is, it is more likely the Router
// that
//   cannot hear, and it concludes nothing. Nor does it from a time in which it was stopped itself.
// - A link is down when either end's port is, an access line (port 1 of an endpoint) when its port is.
// - The operator drains a link, an access line or a whole switch. A link is drained while it is itself
//   or a switch at its end is. Draining a switch leaves its access line alone: connections that end there
//   have no other way.
// - What is down, unknown or drained is used by no new path, at any rate. Who is told of it hears
// "down"
//   before "unknown" before "drained".
//
// The version rises with every change of up, down, unknown or drained, by one for each report,
// order or tick that makes any. Changes of rates alone leave it: they are learnt when an answer's
// time is over.
//
// Pure: no clock, no CORBA, no lock. Not thread-safe; RouteService owns it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/path.hpp"
#include "core/result.hpp"
#include "routeobject/route_graph.hpp"
#include "routeobject/switch_trust.hpp"
#include "routeobject/timers.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {

// One port as its SwitchServer sees it. Rates above kLinkCellsPerSMax count as that, and no more is
// free than may be promised.
struct PortReport {
  PortId port;
  bool up = true;
  std::uint64_t cells_per_s = 0;  // what the port may promise: line rate x overbooking factor
  std::uint64_t free_cells_per_s = 0;

  friend bool operator==(const PortReport&, const PortReport&) = default;
};

// Of a link or an access line.
struct LineCondition {
  bool up = true;
  bool drained = false;
  bool unknown = false;  // a switch at an end is: `up` is the last that was heard of it

  bool usable() const { return up && !drained && !unknown; }
  friend bool operator==(const LineCondition&, const LineCondition&) = default;
};

// What is up, down, unknown and drained under one version. Never changes once it is out.
struct NetworkCondition {
  TopologyState state;  // links in their order, then access lines by switch, then unknown switches
  std::vector<LineCondition> links;            // by link
  std::vector<LineCondition> access_lines;     // by switch; as new where there is none
  std::vector<std::uint8_t> drained_switches;  // by switch: not 0 is drained as a whole
  std::vector<std::uint8_t> unknown_switches;  // by switch: not 0 is unknown
};

// What a report or an order has changed, ready for RouteGraph::with().
struct RouterChange {
  std::vector<LinkChange> promised;  // for the graph of what lines may carry
  std::vector<LinkChange> room;      // for the graph of what is free
  bool condition = false;            // there is another NetworkCondition, under the next version

  bool empty() const { return promised.empty() && room.empty() && !condition; }
};

struct UnknownSwitch {
  std::string name;
  Duration in_doubt = Duration::zero();  // how long nobody has had it under control
  bool silent = false;  // nor has its SwitchServer spoken; else it has lost its switch

  friend bool operator==(const UnknownSwitch&, const UnknownSwitch&) = default;
};

inline constexpr Duration kTrustTick = kRouteObjectTimers["trust-tick"];
// A Router that has not been called for so long was stopped, and has heard nobody meanwhile.
inline constexpr Duration kTrustAsleep = kRouteObjectTimers["trust-asleep"];

class Router {
 public:
  // The state before anybody has spoken has `first_version`. Never null.
  Router(std::shared_ptr<const Topology> topology, std::uint64_t first_version,
         SwitchTrustOptions trust = {});

  // Ports that nothing of the topology is plugged into are passed over. A late report changes nothing.
  // kNotFound: no such switch; kBadInput: port 0, a port twice, or more than kPortsMax ports.
  Result<RouterChange> report(std::string_view switch_name, Epoch incarnation, std::uint64_t number,
                              std::span<const PortReport> ports, TimePoint now);
  // Takes up which switches have become unknown or trusted; to be called every kTrustTick or so.
  RouterChange tick(TimePoint now);
  // A link, by the port at either of its ends; an access line, by its port; every link of a switch, with
  // no port. kNotFound: nothing of that kind in the topology.
  Result<RouterChange> drain(const PathElement& element, bool drained);

  // What is drained by an order of its own: links by their first end, access lines, and switches as
  // a whole with port 0. Links in their order, then switches in theirs.
  std::vector<PathElement> drains() const;
  // Of the switches that are unknown, in the topology's order.
  std::vector<UnknownSwitch> unknown_switches(TimePoint now) const;

  std::shared_ptr<const NetworkCondition> condition() const { return condition_; }
  std::uint64_t reports() const { return reports_; }  // all that were understood, late ones too
  std::uint64_t stale_reports() const { return stale_reports_; }

 private:
  struct PortState {
    bool up = true;
    std::uint64_t promised = 0;
    std::uint64_t free = 0;

    friend bool operator==(const PortState&, const PortState&) = default;
  };
  struct LinkPorts {
    PortState a;
    PortState b;
    bool drained = false;
  };
  struct LinkPort {  // of a switch
    PortId port;
    std::uint32_t link = 0;
    bool is_a = false;
  };
  struct SwitchState {
    bool reported = false;
    Epoch incarnation;
    std::uint64_t number = 0;
    std::vector<LinkPort> ports;
    bool drained = false;
    bool access_up = true;
    bool access_drained = false;
    SwitchTrust trust;
  };

  bool trust_changed(SwitchIndex at) const {
    return switches_[at].trust.unknown() != (condition_->unknown_switches[at] != 0);
  }
  LineCondition condition_of(std::size_t link) const;
  bool has_access_line(SwitchIndex at) const { return topology_->switches()[at].endpoint; }
  // Takes up what has become of these switches and these links.
  void settle(std::span<const SwitchIndex> at, const std::vector<std::uint32_t>& links,
              RouterChange& change);
  TopologyState state_of(const NetworkCondition& condition) const;

  std::shared_ptr<const Topology> topology_;
  SwitchTrustOptions trust_;
  TimePoint last_tick_{};
  TimePoint awake_since_{};
  TimePoint last_heard_{};  // of anybody
  std::vector<LinkPorts> links_;
  std::vector<SwitchState> switches_;
  std::shared_ptr<const NetworkCondition> condition_;
  std::uint64_t reports_ = 0;
  std::uint64_t stale_reports_ = 0;
};

}  // namespace xbind
