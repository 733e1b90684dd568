// The network as RouteObject and the lab see it: switches, the links between their ports, and how
// likely each pair calls. A value: it may be copied, compared and passed to another thread.
//
// An endpoint is a switch at which calls start and end (a host). Its port 1 belongs to the attached
// host; links use ports from 2 on. Links are bidirectional with the same rate each way. Two
// switches may have several links, and the network need not be connected.
//
// add_*() preserve this and refuse the rest without a change (kBadInput; kNotFound: no such switch;
// kExhausted: more than the bounds below). A Topology never has a duplicate name, a port with two
// links or a link without rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/path.hpp"
#include "core/result.hpp"
#include "routeobject/topology/media_line.hpp"

namespace xbind {

inline constexpr PortId kEndpointPort{1};
inline constexpr std::uint64_t kLinkCellsPerSMax = 4'294'967'295;  // GSMP's rate fields: 32 bits
inline constexpr std::uint32_t kLinkDelayUsMax = 10'000'000;       // 10 s
inline constexpr std::uint32_t kPortsMax = 4096;                   // of one switch
inline constexpr std::size_t kSwitchesMax = 16384;
inline constexpr std::size_t kLinksMax = 262'144;
inline constexpr std::size_t kDemandsMax = 262'144;

using SwitchIndex = std::uint32_t;  // position in Topology::switches()

// The program in front of a switch, which the builder of a lab starts. Routes do not depend on it.
enum class SwitchKind : std::uint8_t {
  kEmulated,  // xbind-switch
  kOvs,       // xbind-gsmp-ovs and a bridge of Open vSwitch: frames in MPLS, no cells
};

std::string_view to_string(SwitchKind kind);
// "emulated", "ovs"
std::optional<SwitchKind> switch_kind_of(std::string_view word);

struct TopologySwitch {
  std::string name;  // [a-z0-9][a-z0-9.-]{0,62}: as bound under xbind/switchserver/
  bool endpoint = false;
  std::uint32_t ports = 1;  // the highest port in use, at least 1; ports are numbered from 1
  MediaLine media{};        // of an endpoint: between port 1 and the host
  SwitchKind kind = SwitchKind::kEmulated;
  // Of all its lines, as --port-controller of xbind-switch takes it; empty: none.
  std::string port_controller{};

  friend bool operator==(const TopologySwitch&, const TopologySwitch&) = default;
};

struct LinkEnd {
  SwitchIndex at = 0;
  PortId port;

  friend auto operator<=>(const LinkEnd&, const LinkEnd&) = default;
};

struct TopologyLink {
  LinkEnd a;
  LinkEnd b;
  std::uint64_t cells_per_s = 0;  // in each direction
  MediaLine media{};
  std::uint32_t delay_us = 0;  // propagation, each way, to kLinkDelayUsMax
  // The operator has set the rate: SwitchServers give it to the switches' lines. Otherwise these
  // have a rate of their own.
  bool rate_is_set = false;

  friend bool operator==(const TopologyLink&, const TopologyLink&) = default;
};

// How often `from` calls `to`, relative to the other demands; several demands of one pair add up.
struct TopologyDemand {
  SwitchIndex from = 0;
  SwitchIndex to = 0;
  double weight = 1.0;

  friend bool operator==(const TopologyDemand&, const TopologyDemand&) = default;
};

// A sentence about the fault in a name of a switch or a topology, or nullopt.
std::optional<std::string> name_fault(std::string_view name);

class Topology {
 public:
  Topology() = default;
  explicit Topology(std::string name) : name_(std::move(name)) {}

  Result<SwitchIndex> add_switch(std::string name, bool endpoint,
                                 SwitchKind kind = SwitchKind::kEmulated);
  // Returns the new link's index. Links never change their order (path_query.hpp breaks ties by
  // it).
  Result<std::size_t> add_link(LinkEnd a, LinkEnd b, std::uint64_t cells_per_s);
  Result<void> add_demand(SwitchIndex from, SwitchIndex to, double weight);
  // Sets how cells travel there; by default as MediaLine's defaults, at a switch of kind kOvs as
  // frames_line(). kBadInput also for a switch that is not an endpoint: it has no host; and for
  // any other line of a kOvs switch.
  Result<void> set_host_media(SwitchIndex at, MediaLine line);
  // Sets the port controllers of its lines. kBadInput: a text that xbind-switch refuses
  // (dataplane/port_controller_profile.hpp), or a switch of kind kOvs.
  Result<void> set_port_controller(SwitchIndex at, std::string profile);
  Result<void> set_link_media(std::size_t link, MediaLine line);
  // Sets the delay; the default is 0.
  Result<void> set_link_delay(std::size_t link, std::uint32_t delay_us);
  // Whether the operator has set the link's rate; the default is false. The link must exist.
  void mark_rate_set(std::size_t link, bool is_set) { links_.at(link).rate_is_set = is_set; }

  const std::string& name() const { return name_; }
  const std::vector<TopologySwitch>& switches() const { return switches_; }
  const std::vector<TopologyLink>& links() const { return links_; }
  const std::vector<TopologyDemand>& demands() const { return demands_; }

  std::optional<SwitchIndex> find(std::string_view switch_name) const;
  bool port_is_free(LinkEnd end) const;
  // The index in links() of the link at that end; nullopt: no such end, or no link at it.
  std::optional<std::size_t> link_at(LinkEnd end) const;
  // "host-a:2"
  std::string end_text(LinkEnd end) const;
  // The rates of a switch's ports, port 1 first: a link's rate; at an endpoint's port 1 the sum of
  // the switch's links, so that it never refuses a call; 0 for an unused port.
  std::vector<std::uint64_t> port_cells_per_s(SwitchIndex at) const;
  // The ports of a switch whose rate the operator has set, ascending; none for an unknown switch.
  std::vector<PortRate> rates_set(std::string_view switch_name) const;

  friend bool operator==(const Topology&, const Topology&) = default;

 private:
  Result<void> check_end(LinkEnd end) const;
  bool carries_frames(const TopologyLink& link) const;

  std::string name_;
  std::vector<TopologySwitch> switches_;
  std::vector<TopologyLink> links_;
  std::vector<TopologyDemand> demands_;
  std::map<std::string, SwitchIndex, std::less<>> index_of_;
  std::map<LinkEnd, std::size_t> link_at_;
};

// The topology for scripts, one JSON object (xbind-routeobject --describe-topology prints it):
//   {"name": "paper",
//    "switches": [{"name": "host-a", "endpoint": true, "ports": 2, "port_cells_per_s": [353207,
//    353207], "media": {"cells": "mpls"}}],
//    "links": [{"a": {"switch": "host-a", "port": 2}, "b": {"switch": "switch-1", "port": 1},
//               "cells_per_s": 353207, "media": {"cells": "mpls",
//               "addresses": ["127.0.0.1:6001", "127.0.0.2:6001"], "label": 1001},
//               "delay_us": 250}],
//    "demands": [{"from": "host-a", "to": "host-b", "weight": 1.0}]}
// port_cells_per_s[i] is that of port i + 1. A switch has "kind" if it is "ovs", "media" if it is
// an endpoint, and "port_controller" if the file has it. "labels" is "mpls" for a line with MPLS
// labels, otherwise missing. "addresses" and "label" are present if the file has them, "delay_us"
// if it is above 0, "rate_is_set" if it is true. The order is the topology's; the text ends with a
// newline.
std::string describe_as_json(const Topology& topology);

}  // namespace xbind
