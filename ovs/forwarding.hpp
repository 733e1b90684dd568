// How a cross-connect is written as a flow of the bridge, and read back from it. Values only.
//
//   input        match (priority)                                  the branch's actions, to a
//                                                                  link              edge port
//   ───────────  ────────────────────────────────────────────────  ────────────────  ─────────────
//   link, label  MPLS, label (P)                                   swap, TTL - 1     pop
//   edge, port   IPv4 without a tag (P)                            push              as it is
//   edge, vlan   IPv4 with the tag (P); the tag is popped          push              as it is
//   edge, class  IPv4 without a tag to the class's prefix          push              as it is
//                (P + prefix length)
//
// At an edge port the label says which frames belong to the connection (core/frame_traffic.hpp).
// What leaves there leaves without a tag, or with that of the output label's VLAN. Several branches
// are a group of type ALL with a bucket for each. Before a label is popped it is set to the output
// label, so that every flow names all labels of its branches and can be read back.
//
// Frames travel as push_mpls and pop_mpls leave them: Ethernet header, label, IPv4 packet. Only
// IPv4 is carried, because a popped label does not say what follows it (decision 0065).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/frame_classes.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "ovs/openflow/flow.hpp"
#include "ovs/openflow/group.hpp"
#include "switchagent/table/qos_profiles.hpp"

namespace xbind::ovs {

// One end of a branch.
struct Place {
  PortId port;
  Label label;
  friend auto operator<=>(const Place&, const Place&) = default;
};
std::string to_string(const Place& place);  // "port 2 mpls 17"

// Cookies of our flows: this agent's number above, 0 below. An agent touches no other flow.
inline constexpr std::uint64_t kCookieMask = 0xffff'ffff'0000'0000;

struct Layout {
  std::set<PortId> edges;  // ports with hosts; all others are links between switches
  std::set<PortId> atm;    // links with ATM labels, see below; none of the edges
  FrameClasses classes;    // of every edge port
  std::uint8_t table = 0;
  std::uint16_t priority = 22594;  // P; flows use P to P + 32
  std::uint64_t cookie = 0;        // of this agent's flows, within kCookieMask, not 0
  bool police_links = true;        // contracts are policed at links too, not at the edges alone

  bool edge(PortId port) const { return edges.contains(port); }
  bool polices(PortId input) const { return police_links || edge(input); }
  LabelKind kind(PortId port) const {
    return atm.contains(port) ? LabelKind::kAtm : LabelKind::kMpls;
  }
};

// A link with ATM labels, for a network whose labels are VPI and VCI: on the line VPI v, VCI c is
// the MPLS label 65536 v + c. A label has 20 bits, so v is at most 15.
inline constexpr std::uint32_t kVpiMax = 15;

// Whether the label has a meaning at the port, as an input or an output.
bool has_meaning(const Layout& layout, const Place& place);

struct Input {
  openflow::Match match;
  std::uint16_t priority = 0;
};
// `place` must have a meaning.
Input input_of(const Layout& layout, const Place& place);
// The place whose input_of() is this; nullopt: not one of ours.
std::optional<Place> place_of(const Layout& layout, const openflow::Match& match,
                              std::uint16_t priority);

// The actions for all branches of a connection, from `input` to each of `outputs`. Both have a
// meaning; `outputs` is not empty. More than one need a group.
struct Forwarding {
  openflow::Actions actions;              // of the flow
  std::vector<openflow::Bucket> buckets;  // of the group `group`; empty: no group
};
Forwarding forwarding_of(const Layout& layout, const Place& input, std::span<const Place> outputs,
                         std::uint32_t group);

// The buckets of a group by its number; null: there is no such group.
using BucketsOf = std::map<std::uint32_t, std::vector<openflow::Bucket>>;
// The number of the group in the actions, if they use one.
std::optional<std::uint32_t> group_in(const openflow::Actions& actions);
// The outputs for which forwarding_of() gives these actions, in ascending order. nullopt: the
// actions are not ours.
std::optional<std::vector<Place>> outputs_of(const Layout& layout, const Place& input,
                                             const openflow::Actions& actions,
                                             const BucketsOf& groups);

// Octets of a frame that count as one cell: what a cell carries.
inline constexpr std::uint32_t kFrameOctetsPerCell = 48;
// Cells for an amount of octets, rounded up.
constexpr std::uint64_t cells_of(std::uint64_t octets) {
  return octets / kFrameOctetsPerCell + (octets % kFrameOctetsPerCell != 0 ? 1 : 0);
}

// A policed rate as a meter of the bridge has it.
struct MeterRate {
  std::uint32_t kbps = 0;        // 1000 bits a second
  std::uint32_t burst_kbit = 0;  // 1000 bits
  friend bool operator==(MeterRate, MeterRate) = default;
};
// The meter for a contract that requests policing; nullopt: none is requested, or without a limit.
// One meter has one rate: SCR and MBS of a variable rate, else PCR and CDVT. The burst is at least
// a tenth of a second of the rate, and 48 kbit: the datapath handles frames in batches, and TCP
// sends bursts.
std::optional<MeterRate> meter_of(const switchagent::QosProfile& profile);

}  // namespace xbind::ovs
