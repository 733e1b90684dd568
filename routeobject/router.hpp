// The Router: keeps the state of the network current, outside any call.
//
// SwitchServers report all their ports: whether each is up, the rate it may promise, and how much
// of that is free. A SwitchServer that starts reports with incarnation 0 and is given one; no other
// one counts then, and within it the highest number counts. Other reports are ignored and counted.
// No clock orders them. A port that is not reported counts as in the topology: up, with all of the
// line's rate free. A report holds until the next report of that switch. A report without ports
// means that the SwitchServer has lost its switch; the latest state of its ports then stays.
//
// - Such a switch, and one whose SwitchServer has fallen silent, becomes unknown after a while, and
//   trusted again after another (switch_trust.hpp). While it is unknown, so are its links and its
//   access line.
// - A SwitchServer's silence counts only while others are heard. If none is heard, the Router
//   itself probably cannot hear, so it concludes nothing. Nor does it conclude anything from a time
//   in which it was stopped itself.
// - A link is down if the port at either end is. An access line (port 1 of an endpoint) is down if
//   its port is.
// - The operator drains a link, an access line or a whole switch. A link is drained if it or a
//   switch at either end is. Draining a switch does not drain its access line: connections that end
//   there have no other way.
// - No new path uses an element that is down, unknown or drained, at any rate. A line is reported
//   to watchers with one reason: down, else drained, else unknown. An unknown switch is reported
//   itself, too.
//
// The version rises by one with each report, order or tick that changes what is up, down, unknown
// or drained. Changes of rates alone do not raise it: managers learn them when an answer's validity
// ends.
//
// The operator may replace the network. What is known of the switches and links that stay remains:
// the latest report of each switch (also of ports that have had no link), drains, and trust. Ports
// of removed links, and removed access lines, are reported as drained for a while, because managers
// may still have cached routes over them.
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

// One port as its SwitchServer reports it. Rates above kLinkCellsPerSMax count as that bound; the
// free rate counts at most as the promised one.
struct PortReport {
  PortId port;
  bool up = true;
  std::uint64_t cells_per_s = 0;  // line rate x overbooking factor
  std::uint64_t free_cells_per_s = 0;

  friend bool operator==(const PortReport&, const PortReport&) = default;
};

// The condition of a link or an access line.
struct LineCondition {
  bool up = true;
  bool drained = false;
  bool unknown = false;  // a switch at an end is unknown; `up` is as last reported

  bool usable() const { return up && !drained && !unknown; }
  friend bool operator==(const LineCondition&, const LineCondition&) = default;
};

// The elements that are up, down, unknown and drained in one version. Immutable once published.
struct NetworkCondition {
  TopologyState state;  // links in their order, then access lines by switch, then unknown switches
  std::vector<LineCondition> links;            // by link
  std::vector<LineCondition> access_lines;     // by switch; default where there is none
  std::vector<std::uint8_t> drained_switches;  // by switch: not 0 is drained as a whole
  std::vector<std::uint8_t> unknown_switches;  // by switch: not 0 is unknown
};

inline constexpr std::size_t kRemovedPortsMax = 16'384;  // that are reported; beyond: the latest

// The changes by a report or an order, for RouteGraph::with().
struct RouterChange {
  std::vector<LinkChange> promised;  // for the graph of the rates that lines may carry
  std::vector<LinkChange> room;      // for the graph of the free rates
  bool condition = false;            // there is a new NetworkCondition, with the next version

  bool empty() const { return promised.empty() && room.empty() && !condition; }
};

// The answer to a report of a switch's ports.
struct ReportAnswer {
  bool taken = false;   // false: it was stale and has changed nothing
  Epoch incarnation{};  // that counts from now on
};

struct UnknownSwitch {
  std::string name;
  Duration in_doubt = Duration::zero();  // time since a SwitchServer last had it under control
  bool silent = false;  // true: its SwitchServer is silent; false: it has lost the switch

  friend bool operator==(const UnknownSwitch&, const UnknownSwitch&) = default;
};

inline constexpr Duration kTrustTick = kRouteObjectTimers["trust-tick"];
// If the Router was not called for this long, the process was stopped and has received nothing.
inline constexpr Duration kTrustAsleep = kRouteObjectTimers["trust-asleep"];

class Router {
 public:
  // `first_version` is the version of the state before any report. `topology` must not be null.
  Router(std::shared_ptr<const Topology> topology, std::uint64_t first_version,
         SwitchTrustOptions trust = {});

  // Ignores ports without a link or host in the topology. A stale report changes nothing. Sets
  // `answer`, unless null. kNotFound: no such switch; kBadInput: port 0, a repeated port, or more
  // than kPortsMax ports.
  Result<RouterChange> report(std::string_view switch_name, Epoch incarnation, std::uint64_t number,
                              std::span<const PortReport> ports, TimePoint now,
                              ReportAnswer* answer = nullptr);
  // Updates which switches are unknown or trusted; call it about every kTrustTick.
  RouterChange tick(TimePoint now);
  // Replaces the network; raises both versions. `topology` must not be null. What it removes is
  // reported as drained until `until`.
  void replace_network(std::shared_ptr<const Topology> topology, TimePoint until);
  // Drains or undrains a link, by the port at either of its ends; an access line, by its port; or
  // every link of a switch, without a port. kNotFound: the topology has no such element.
  Result<RouterChange> drain(const PathElement& element, bool drained);

  // The elements with a drain order: links by their first end, access lines, and whole switches
  // with port 0. Links in their order, then switches in theirs.
  std::vector<PathElement> drains() const;
  // The unknown switches, in the topology's order.
  std::vector<UnknownSwitch> unknown_switches(TimePoint now) const;
  // All ports of the switch in its latest report that had any, ascending; empty: it has not
  // reported, or the topology has no such switch.
  std::vector<PortId> reported_ports(std::string_view switch_name) const;

  const Topology& topology() const { return *topology_; }
  const std::shared_ptr<const Topology>& topology_pointer() const { return topology_; }
  // The rates of all links, for the graphs of a network that is new.
  RouterChange whole_state() const;
  std::shared_ptr<const NetworkCondition> condition() const { return condition_; }
  std::uint64_t reports() const { return reports_; }  // all valid ones, stale ones included
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
    Epoch incarnation;  // the only one that counts
    std::uint64_t number = 0;
    std::vector<LinkPort> ports;
    bool drained = false;
    bool access_up = true;
    bool access_drained = false;
    std::vector<PortReport> ports_reported;  // the latest report that had ports, in their order
    SwitchTrust trust;
  };
  struct Removed {
    PathElement port;
    TimePoint until;
  };

  bool trust_changed(SwitchIndex at) const {
    return switches_[at].trust.unknown() != (condition_->unknown_switches[at] != 0);
  }
  static Epoch next_incarnation(Epoch present);
  // Fills links_ and switches_ for topology_: nothing is reported, drained or unknown.
  void lay_out();
  // Takes the state of the switch's ports from its latest report. Appends the links that it changes
  // to `touched`, unless null.
  void take_ports(SwitchIndex at, std::vector<std::uint32_t>* touched);
  void carry_over(const Topology& old, std::vector<SwitchState>& switches,
                  const std::vector<LinkPorts>& links);
  void note_removed(const Topology& old, TimePoint until);
  LineCondition condition_of(std::size_t link) const;
  LineCondition access_of(SwitchIndex at) const;
  bool has_access_line(SwitchIndex at) const { return topology_->switches()[at].endpoint; }
  // Updates the condition of these switches and links, and records the differences in `change`.
  void settle(std::span<const SwitchIndex> at, const std::vector<std::uint32_t>& links,
              RouterChange& change);
  TopologyState state_of(const NetworkCondition& condition) const;

  std::shared_ptr<const Topology> topology_;
  SwitchTrustOptions trust_;
  TimePoint last_tick_{};
  TimePoint awake_since_{};
  TimePoint last_heard_{};  // from any SwitchServer
  std::vector<LinkPorts> links_;
  std::vector<SwitchState> switches_;
  std::vector<Removed> removed_;  // at most kRemovedPortsMax, the oldest first
  std::uint64_t network_version_ = 0;
  std::shared_ptr<const NetworkCondition> condition_;
  std::uint64_t reports_ = 0;
  std::uint64_t stale_reports_ = 0;
};

}  // namespace xbind
