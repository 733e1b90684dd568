// Messages between a ConnectionManager and a SwitchServer as plain values. idl/switch_server.idl
// defines the wire form; orb/ converts.
//
// A hop is (input port, input label) -> (output port, output label) at one switch. Its output label
// comes from the manager's cache for (switch, output port). Its input label is the upstream hop's
// output label, because the two ports share a link. At commit the first SwitchServer allocates the
// ingress label and the last one the egress label, each from the endpoint's own range.
//
// A leaf of a point-to-multipoint connection is a leg of its own. Its first hop is a branch: it
// shares the input port and label of a hop of the same connection and leads to another output port,
// so that the switch copies every cell to both outputs (GSMP Add Branch on the same input label).
//
// A connection that moves to another path while it is up (make before break) has hops of two
// generations. At a switch where the paths
// - part, the later hop takes over the input port and label of the earlier one. The switch moves
//   the connection to the new output in one step (GSMP Move Output Branch), so that no cell is sent
//   twice. While both hops exist, the earlier one keeps its reservation but is in no switch. If
//   the later one is removed first, the switch moves back;
// - meet again, the later hop joins the earlier one on its output port and label, so that the rest
//   of the path stays. The load of the port is counted once.
// Hops that are equal in both paths are not set up again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cause.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "core/resources.hpp"
#include "core/traffic_contract.hpp"

namespace xbind {

// Unique key of a manager's hop, never reused. A command with a lower generation is stale and
// changes nothing.
struct HopKey {
  ConnectionId connection;
  Generation generation;
  std::uint16_t leg =
      0;  // 0: the caller's direction; further label chains of the connection from 1
  std::uint16_t hop = 0;  // 0: the first switch on the path

  friend auto operator<=>(const HopKey&, const HopKey&) = default;
};

// The owner of the calls that hops serve. A SwitchServer stores it with every hop, so that a
// manager can rebuild its table after a crash. A batch lists each owner once; its setups refer to
// it by number.
struct HopOwner {
  std::string client;  // the name the client attached with
  Epoch epoch;         // that client's newest when the hop was set up; 0 for two-way calls
  std::string from;    // endpoint names
  std::string to;

  friend bool operator==(const HopOwner&, const HopOwner&) = default;
};

// Stands for an owner that the sender has not named.
inline constexpr std::uint32_t kNoOwner = 0xffff'ffff;

enum class HopAction : std::uint8_t {
  kReserve = 0,  // phase one, after a cache miss: take an output label and the resources
  kCommit = 1,   // program the switch; uses the reserved resources, else takes them now
  kRemove = 2,   // undo all of the hop: reservation, cross-connect, resources
  kModify = 3,   // change the contract of a committed hop; labels and cross-connect stay
};

struct HopSetup {
  HopKey key;
  bool commit = true;           // false: reserve
  std::uint16_t hop_count = 0;  // switches on this leg; hop + 1 == hop_count is the last one
  PortId input_port;
  // At the first hop, in a reserve or a commit: none (the SwitchServer allocates it), or this label
  // of the port's range. None in any other reserve.
  Label input_label;
  PortId output_port;
  // At the last hop: none (the SwitchServer allocates it), or this label of the port's range. At
  // any other: a label of the manager's cache; in a reserve also none, as at the last hop.
  Label output_label;
  Resources demand;
  std::uint16_t labels_wanted = 0;  // replacement labels of output_port, sent with the result
  std::uint32_t owner = kNoOwner;   // owner of the call: index into the batch's owners
  RequestId request;                // the client's number for the setup
  bool held = false;                // reserve: outlives the session (hold, then commit)
  std::uint32_t hold_ms = 0;        // of a held one: how long, from when the hop is reserved
  bool branch = false;       // hop 0 of a leaf's leg, see above; its commit has an input label
  bool takes_over = false;   // see above; the commit has the input label, also at the first hop
  bool joins = false;        // see above; has the output label, also at the last hop
  Resources quota_wanted{};  // more quota of output_port, sent with the result
  // The contract that the switch enforces; the SwitchServer admits by `demand`. None: the switch
  // treats the cells by priority alone.
  TrafficContract contract{};
  bool bidirectional = false;  // the connection has a leg 1; stored for a manager that rebuilds

  // The connection's cells enter here: this SwitchServer allocates the ingress label.
  bool first() const { return key.hop == 0 && !branch; }
  bool last() const { return key.hop + 1 == hop_count; }
  friend bool operator==(const HopSetup&, const HopSetup&) = default;
};

struct HopRemoval {
  HopKey key;
  std::uint32_t after = 0;  // number of setups of the same batch to apply before it

  friend bool operator==(const HopRemoval&, const HopRemoval&) = default;
};

// A prepared connection goes to another owner: a client that has taken it, or the manager itself
// again.
struct HopHandover {
  HopOwner owner;
  RequestId request;      // the client's number for its setup; 0: none
  ConnectionId shown_id;  // under which the owner knows the connection; 0: its own

  friend bool operator==(const HopHandover&, const HopHandover&) = default;
};

// Changes the contract of a committed hop: its resources and what the switch enforces. Each change
// of the connection's contract raises the revision. A revision that is not above the hop's own is
// stale and changes nothing.
struct HopModify {
  HopKey key;
  std::uint32_t revision = 0;  // 0 for a new hop
  Resources demand;            // a component below its present value is never refused
  TrafficContract contract{};  // in the hop's present category: a switch cannot change that
  std::optional<HopHandover> handover{};  // with the connection's first hop

  friend bool operator==(const HopModify&, const HopModify&) = default;
};

// Labels of one port that change owner without a connection.
struct PortLabels {
  PortId port;
  std::vector<Label> labels;

  friend bool operator==(const PortLabels&, const PortLabels&) = default;
};

// Quota of one output port that changes owner.
struct PortQuota {
  PortId port;
  Resources quota;

  friend bool operator==(const PortQuota&, const PortQuota&) = default;
};

// The number of labels of a port that a manager wants to be able to hold, in calls and cache
// (cooperative partition of the range, decision 0014).
struct PortDemand {
  PortId port;
  std::uint32_t labels = 0;

  friend bool operator==(const PortDemand&, const PortDemand&) = default;
};

// A SwitchServer that runs short asks the manager to return this much, as far as the manager does
// not need it.
struct PortRecall {
  PortId port;
  std::uint32_t labels = 0;
  Resources quota;

  friend bool operator==(const PortRecall&, const PortRecall&) = default;
};

// One message of commands, applied in this order: declared demands, modifies, setups and removals
// (see `after`), returned labels and quotas. `returned` are labels that the manager returns:
// surplus of its cache, or released labels whose delete both ends have confirmed (end of
// quarantine).
struct HopBatch {
  std::vector<HopSetup> setups;
  std::vector<HopRemoval> removals;  // ascending `after`
  std::vector<PortLabels> returned;
  std::vector<HopModify> modifies{};
  std::vector<PortQuota> quota_returned{};
  std::vector<PortDemand> declared{};  // ports whose demand has changed
  std::vector<HopOwner> owners{};      // of the setups
  // Connections whose commands in this batch are recorded (core/trace/); each once or more. A batch
  // without one of them costs no memory for it.
  std::vector<ConnectionId> traced{};

  std::size_t commands() const { return setups.size() + removals.size() + modifies.size(); }
  friend bool operator==(const HopBatch&, const HopBatch&) = default;
};

struct HopResult {
  HopKey key;
  HopAction action = HopAction::kCommit;
  Cause cause = Cause::kNone;
  Label input_label;  // commit of the first hop: the ingress label
  // Reserve: the reserved label. Commit of the last hop: the egress label. Removal: the label that
  // is now in the manager's quarantine (none: the hop did not exist, or its label was not the
  // manager's).
  Label output_label;
  PortId port;              // with a refusal: the refusing port, or none
  std::uint64_t asked = 0;  // with a refusal: see Cause
  std::uint64_t free = 0;
  // Of the modify that it answers. Batches may be answered in another order than they were sent.
  std::uint32_t revision = 0;

  friend bool operator==(const HopResult&, const HopResult&) = default;
};

// One message of results, with replacement labels and quotas for the manager's caches. Results are
// in the order in which the commands were applied.
struct HopResultBatch {
  std::vector<HopResult> results;
  std::vector<PortLabels> granted;
  std::vector<PortQuota> quota_granted{};
  std::vector<PortRecall> recalls{};

  friend bool operator==(const HopResultBatch&, const HopResultBatch&) = default;
};

}  // namespace xbind
