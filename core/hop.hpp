// What a ConnectionManager and a SwitchServer say to each other, as plain values (idl/switch_server.idl
// is the same on the wire; orb/ converts).
//
// A hop is (input port, input label) -> (output port, output label) at one switch. Its output label
// comes from the manager's cache for (switch, output port); its input label is the upstream hop's
// output label, since the two ports share a link. The first SwitchServer allots the ingress label and
// the last one the egress label, at commit, from the endpoint's own range.
//
// A leaf of a point-to-multipoint connection is a leg of its own. Its first hop is a branch: it
// shares the input port and label of a hop of the same connection and leads to another output port,
// so that the switch sends every cell both ways (GSMP Add Branch on the same input label).
//
// A connection that goes over to another path while it is up (make before break) has hops of two
// generations. Of the later one, at a switch where the paths
// - part, the hop takes over the input port and label of the earlier one: the switch moves the
//   connection to the new output in one step (GSMP Move Output Branch), so that no cell goes twice. While
//   both are there the earlier one holds what it had but is in no switch; when the later one is removed
//   first, the switch moves back;
// - meet again, the hop joins the earlier one on its output port and label, so that the rest of the path
//   stays; what the port carries is counted once.
// Hops that both paths have alike are not set up again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cause.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "core/resources.hpp"
#include "core/traffic_contract.hpp"

namespace xbind {

// Names one hop of one manager for ever: a lower generation is stale and changes nothing.
struct HopKey {
  ConnectionId connection;
  Generation generation;
  std::uint16_t leg =
      0;  // 0: the caller's direction; further label chains of the connection from 1
  std::uint16_t hop = 0;  // 0: the first switch on the path

  friend auto operator<=>(const HopKey&, const HopKey&) = default;
};

// Whose calls hops serve. A SwitchServer keeps it with every hop, so that a manager can rebuild its table
// after a crash; a batch says it once and its setups name it by number.
struct HopOwner {
  std::string client;  // the name the client attached with
  Epoch epoch;         // that client's newest when the hop was set up; 0 of two-way calls
  std::string from;    // endpoint names
  std::string to;

  friend bool operator==(const HopOwner&, const HopOwner&) = default;
};

// The number of an owner where the sender has named none.
inline constexpr std::uint32_t kNoOwner = 0xffff'ffff;

enum class HopAction : std::uint8_t {
  kReserve = 0,  // phase one, after a cache miss: take an output label and the resources
  kCommit = 1,   // program the switch; resources are those reserved, else taken now
  kRemove = 2,   // undo whatever there is of the hop: reservation, cross-connect, resources
  kModify = 3,   // another contract for a committed hop; its labels and cross-connect stay
};

struct HopSetup {
  HopKey key;
  bool commit = true;           // false: reserve
  std::uint16_t hop_count = 0;  // switches on this leg; hop + 1 == hop_count is the last one
  PortId input_port;
  Label input_label;  // none at the first hop (to be allotted) and in a reserve
  PortId output_port;
  Label output_label;  // none at the last hop (to be allotted); in a reserve: one of the manager's
                       // cache, or none (to be allotted from the port's range)
  Resources demand;
  std::uint16_t labels_wanted = 0;  // replacement labels of output_port, to come back piggybacked
  std::uint32_t owner = kNoOwner;   // whose call it serves: a position in the batch's owners
  RequestId request;                // the client's number for the setup
  bool held = false;                // reserve: outlives the session (hold, then commit)
  bool branch = false;       // hop 0 of a leaf's leg: see above; its commit has an input label
  bool takes_over = false;   // see above; the commit names the input label, also at the first hop
  bool joins = false;        // see above; names the output label, also at the last hop
  Resources quota_wanted{};  // more quota of output_port, to come back piggybacked
  // What the switch is told of the cells, beside `demand`, by which the SwitchServer admits. None: by
  // priority alone.
  TrafficContract contract{};

  // The connection's cells come in here: the ingress label is allotted by this SwitchServer.
  bool first() const { return key.hop == 0 && !branch; }
  bool last() const { return key.hop + 1 == hop_count; }
  friend bool operator==(const HopSetup&, const HopSetup&) = default;
};

struct HopRemoval {
  HopKey key;
  std::uint32_t after = 0;  // how many setups of the same batch are to be applied before it

  friend bool operator==(const HopRemoval&, const HopRemoval&) = default;
};

// Another contract for a committed hop: other resources, and what the switch is told. The revision
// rises with each change of the connection's contract: one that is not above the hop's own is stale and
// changes nothing.
struct HopModify {
  HopKey key;
  std::uint32_t revision = 0;  // a hop is set up with revision 0
  Resources demand;            // less than before in whatever component is never refused
  TrafficContract contract{};  // of the category that the hop has: a switch cannot change that

  friend bool operator==(const HopModify&, const HopModify&) = default;
};

// Labels of one port that change hands without a connection.
struct PortLabels {
  PortId port;
  std::vector<Label> labels;

  friend bool operator==(const PortLabels&, const PortLabels&) = default;
};

// Quota of one output port that changes hands.
struct PortQuota {
  PortId port;
  Resources quota;

  friend bool operator==(const PortQuota&, const PortQuota&) = default;
};

// How many labels of a port a manager wants to be able to hold, in calls and cache (cooperative
// partition of the range, paper item C5).
struct PortDemand {
  PortId port;
  std::uint32_t labels = 0;

  friend bool operator==(const PortDemand&, const PortDemand&) = default;
};

// The SwitchServer runs short: it asks for as much of this as the manager does not need itself.
struct PortRecall {
  PortId port;
  std::uint32_t labels = 0;
  Resources quota;

  friend bool operator==(const PortRecall&, const PortRecall&) = default;
};

// One message of commands, applied in this order: declared demands, modifies, setups and removals (see
// `after`), returned labels and quotas. `returned` are labels that the manager gives back: surplus of
// its cache, or released ones whose two ends have both confirmed the delete (end of quarantine).
struct HopBatch {
  std::vector<HopSetup> setups;
  std::vector<HopRemoval> removals;  // ascending `after`
  std::vector<PortLabels> returned;
  std::vector<HopModify> modifies{};
  std::vector<PortQuota> quota_returned{};
  std::vector<PortDemand> declared{};  // ports whose demand has changed
  std::vector<HopOwner> owners{};      // of its setups

  std::size_t commands() const { return setups.size() + removals.size() + modifies.size(); }
  friend bool operator==(const HopBatch&, const HopBatch&) = default;
};

struct HopResult {
  HopKey key;
  HopAction action = HopAction::kCommit;
  Cause cause = Cause::kNone;
  Label input_label;  // commit of the first hop: the ingress label
  // Reserve: the label taken. Commit of the last hop: the egress label. Removal: the label that rests
  // in the manager's quarantine since (none: there was no such hop, or its label was not the manager's).
  Label output_label;
  PortId port;              // with a refusal: the port that refused, or none
  std::uint64_t asked = 0;  // with a refusal: see Cause
  std::uint64_t free = 0;

  friend bool operator==(const HopResult&, const HopResult&) = default;
};

// One message of results, with the replacement labels and quotas for the manager's caches. Results
// stand in the order in which the commands were applied.
struct HopResultBatch {
  std::vector<HopResult> results;
  std::vector<PortLabels> granted;
  std::vector<PortQuota> quota_granted{};
  std::vector<PortRecall> recalls{};

  friend bool operator==(const HopResultBatch&, const HopResultBatch&) = default;
};

}  // namespace xbind
