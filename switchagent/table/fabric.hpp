// The switch of GSMP's model (RFC 3292 sections 4 and 6): ports with session numbers,
// administrative states and label ranges, and cross-connects between them. The data plane (cells())
// owns the cells and the only table of connections. A tag on each branch stores the GSMP-specific
// state: the number of its QoS profile, and whether it is half of a bidirectional pair.
//
//   SwitchAgent ──▶ FabricTable ──▶ Fabric ──▶ dataplane::SwitchFabric (table, queues, lines)
//                                     └─▶ QosProfiles, Reservations, RegionModel
//
// Input port and input label identify a connection. It has one or more branches, each an output
// port and output label. Adding an existing branch changes its QoS and succeeds. Several
// connections may share an output branch (multipoint-to-point). A label with VCI 0 that is no
// channel names the virtual path connection of its VPI.
//
// Memory: 68 octets for a cross-connect whose label has neighbours. Branches with equal QoS share
// one profile. There is no admission control by bandwidth.
//
// No clock; not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "core/port_buffer.hpp"
#include "dataplane/switch_fabric.hpp"
#include "gsmp/messages/add_branch.hpp"
#include "gsmp/messages/failure_code.hpp"
#include "gsmp/messages/label_range.hpp"
#include "gsmp/messages/move_input_branch.hpp"
#include "gsmp/messages/move_output_branch.hpp"
#include "gsmp/messages/port_configuration.hpp"
#include "gsmp/messages/port_management.hpp"
#include "gsmp/messages/report_connection_state.hpp"
#include "gsmp/messages/reservation.hpp"
#include "gsmp/messages/service_configuration.hpp"
#include "switchagent/table/qos_profiles.hpp"
#include "switchagent/table/region_model.hpp"
#include "switchagent/table/reservations.hpp"
#include "switchagent/table/switch_table.hpp"

namespace xbind::switchagent {

// CBR.1, rt-VBR.1, nrt-VBR.1, UBR.1 and GFR.1, each with capability set 1.
std::vector<gsmp::ServiceRecord> default_services();

struct FabricOptions {
  std::uint32_t ports = 2;  // numbered 1..ports; at most 65535
  AtmBounds labels;         // initial input range of every ATM port
  // Ports with their own labels: an ATM port has one range, an MPLS port 1 to kLabelRangesMax, as
  // checked_ranges() returns them. Their kind is the port's kind and never changes.
  std::map<PortId, LabelRanges> port_labels;
  bool one_kind = false;  // no branch may join ports of different kinds
  // The range that Label Range may set at an ATM port.
  AtmBounds labels_grantable{0, 4095, 32, 65535};
  std::uint32_t link_cells_per_s = 353207;           // of every port not listed below
  std::map<PortId, std::uint32_t> port_cells_per_s;  // ports with a rate of their own
  bool rate_settable = true;                         // by Port Management, up to the port's default
  // 0, the highest, to priorities - 1. UBR has a queue below them.
  std::uint8_t priorities = 4;
  std::vector<gsmp::ServiceRecord> services = default_services();
  bool vp_switching = true;
  bool connection_replace = true;  // Port Management may enable it
  std::size_t connections_max = std::size_t{1} << 20;
  std::size_t branches_max = std::size_t{1} << 20;  // in the whole table
  std::size_t branches_per_connection_max = gsmp::kReportBranchesMax;
  std::uint32_t max_reservations = 1024;        // 0: no reservations
  std::size_t buffer_cells = kPortBufferCells;  // of each output port, shared by its queues
};

struct Branch {
  PortId output_port;
  Label output_label;
  Qos input_qos;
  Qos output_qos;

  bool same_place(PortId port, Label label) const {
    return output_port == port && output_label == label;
  }
};

// A copy of the connection at an input label, in GSMP terms.
struct Connection {
  bool bidirectional = false;    // created together with its reverse, which still exists
  bool path = false;             // a virtual path connection
  std::vector<Branch> branches;  // by output port and label; never empty
};

class Fabric {
 public:
  // `random` generates session numbers: one call per port and per new session; 0 is replaced. The
  // fabric keeps it.
  Fabric(FabricOptions options, std::function<std::uint32_t()> random);
  Fabric(const Fabric&) = delete;  // the data plane holds callbacks to this object
  Fabric& operator=(const Fabric&) = delete;

  const FabricOptions& options() const { return options_; }
  // Limits connections and branches from now on, and the buffer of every port; what is there stays.
  void set_bounds(std::size_t branches_max, std::size_t buffer_cells);
  dataplane::SwitchFabric& cells() { return cells_; }
  const dataplane::SwitchFabric& cells() const { return cells_; }
  // Sets the callback for each cell on an unassigned label. The rate is not limited. Empty: none.
  void set_on_unknown_label(std::function<void(PortId, Label, TimePoint)> observer) {
    on_unknown_label_ = std::move(observer);
  }

  // ----- ports; `port` must exist unless stated otherwise -----
  std::uint32_t ports() const { return options_.ports; }
  bool has(PortId port) const {
    return port.value() >= 1 && port.value() <= options_.ports && at(port).installed;
  }
  std::uint32_t installed_ports() const;
  std::uint32_t port_session(PortId port) const { return at(port).session; }
  gsmp::PortStatus port_status(PortId port) const { return at(port).status; }
  bool line_up(PortId port) const { return at(port).line_up; }
  std::uint32_t rate(PortId port) const { return at(port).rate; }  // cells/s
  gsmp::PortRecord port_record(PortId port) const;
  LabelKind label_kind(PortId port) const { return at(port).kind; }
  const LabelRanges& labels(PortId port) const { return cells_.table().labels(port); }
  // Sets the label ranges, as the switch's operator does. Port Configuration reports them from now
  // on. Existing connections stay. The ranges must follow FabricOptions::port_labels and have the
  // port's kind.
  void set_labels(PortId port, const LabelRanges& labels);
  // Converts a table key to a label of the port's kind.
  Label label_at(PortId port, std::uint16_t vpi, std::uint16_t vci) const {
    return {label_kind(port), atm_label(vpi, vci).value};
  }
  // Returns true if the state changed. Going up assigns a new session number.
  bool set_line(PortId port, bool up);
  // Inserts or removes a card (port in 1..ports). Removal deletes the port's connections. Returns
  // true if the state changed.
  bool set_installed(PortId port, bool installed);

  using EventState = PortEventState;  // kept here so that it outlives the agent
  EventState& events(PortId port) { return at(port).events; }
  const EventState& events(PortId port) const { return at(port).events; }

  // Executes Port Management except kResetFlags; the caller has checked the port. kNone: done.
  // `now` starts the duration of a loopback.
  gsmp::FailureCode manage(const gsmp::PortManagement& request, TimePoint now);
  // Ends expired loopbacks: the port returns to service with a new session number.
  void tick(TimePoint now);
  TimePoint next_deadline() const;
  // Executes Label Range, a query or a change; the caller has checked the port. Fills in the
  // answer. kNone, kOldLabelsInUse (done, a warning), or a failure without any change.
  gsmp::FailureCode label_range(gsmp::LabelRangeMessage& message);

  // ----- connections -----
  // The first check of every request with ports: kNone, kNoSuchPort or kInvalidPortSession.
  gsmp::FailureCode check_ports(PortId input, PortId output, std::uint32_t session) const;
  // Checks the other rules in the precedence of RFC 3292 section 12; the caller has checked the
  // ports. kNone: done. Any other code: no change.
  gsmp::FailureCode add_branch(const gsmp::AddBranch& request);
  gsmp::FailureCode move_output(const gsmp::MoveOutputBranch& request);
  gsmp::FailureCode move_input(const gsmp::MoveInputBranch& request);
  gsmp::FailureCode reserve(const gsmp::ReservationRequest& request);
  // kNone, kNoSuchConnection or kNoSuchBranch. Deleting the last branch deletes the connection.
  gsmp::FailureCode delete_branch(PortId input_port, Label input_label, PortId output_port,
                                  Label output_label);
  gsmp::FailureCode delete_tree(PortId input_port, Label input_label);
  // Return the number of deleted branches.
  std::size_t delete_all_input(PortId port);
  std::size_t delete_all_output(PortId port);
  // Resets connections, reservations and the traffic model to the start state. Ports stay
  // unchanged.
  void clear();

  // nullopt: no such connection.
  std::optional<Connection> find(PortId input_port, Label input_label) const;
  const dataplane::Connection* find_raw(PortId input_port, Label input_label) const;
  struct Entry {
    Label input_label;  // of a path with VCI 0
    const dataplane::Connection* connection;
  };
  // In label order; valid until the table changes. `port` must exist.
  std::vector<Entry> connections_of(PortId port) const;
  std::size_t branches() const { return cells_.table().branches(); }
  std::size_t connections() const { return cells_.table().connections(); }
  const QosProfiles& profiles() const { return profiles_; }
  // `branch` must be in the table.
  const QosProfile& profile_at(const dataplane::Branch& branch) const;

  Reservations& reservations() { return reservations_; }
  const Reservations& reservations() const { return reservations_; }
  RegionModel& region() { return region_; }
  const RegionModel& region() const { return region_; }

 private:
  struct Port {
    std::uint32_t session = 0;
    bool installed = true;
    bool line_up = true;
    bool replace = false;  // Connection Replace is enabled
    gsmp::PortStatus status = gsmp::PortStatus::kAvailable;
    std::uint32_t rate = 0;          // now
    std::uint32_t rate_default = 0;  // rate of the line
    LabelKind kind = LabelKind::kAtm;
    LabelRanges labels_default;
    TimePoint loopback_end = kNever;
    EventState events;
  };
  struct Wish;  // the parts of an Add Branch or a Move that are checked alike

  const Port& at(PortId port) const { return ports_[port.value() - 1]; }
  Port& at(PortId port) { return ports_[port.value() - 1]; }
  std::uint32_t new_session(std::uint32_t old);
  void apply_line(PortId port);
  void bring_up(PortId port);

  // ----- labels (fabric_labels.cpp) -----
  // Whether the port's input ranges contain the label (of a path: its VPI).
  bool accepts(PortId port, Label label, bool path) const;
  // Whether the label has the port's kind and fits its width.
  bool is_label_of(PortId port, Label label) const;
  // Whether cells may leave there with the label: it has the port's kind, is not reserved, and its
  // VPI fits the line.
  bool leaves_by(PortId port, Label label) const;
  // Whether a branch between the two ports is allowed.
  bool joins(PortId input, PortId output) const;
  bool has_paths(PortId input, PortId output) const;
  AtmBounds atm_labels_most(PortId port) const;
  gsmp::FailureCode query_atm_labels(PortId port, gsmp::LabelRangeElement& range) const;
  gsmp::FailureCode set_atm_labels(PortId port, gsmp::LabelRangeElement& range);
  gsmp::FailureCode query_mpls_labels(gsmp::LabelRangeMessage& message) const;
  gsmp::FailureCode set_mpls_labels(gsmp::LabelRangeMessage& message);
  void fill_mpls_labels(gsmp::LabelRangeMessage& message, const LabelRanges& ranges) const;

  gsmp::FailureCode check_service(const Wish& wish, const QosProfile* existing) const;
  // Checks that one more call of the profile's class fits into the region of `output`: kNone,
  // kNoSuchClass or kOutsideRegion. Does not count the branch from `from` to `replaced`, which the
  // new one replaces. For a class of the region model it takes time proportional to the branches of
  // the switch.
  gsmp::FailureCode check_region(const QosProfile& qos, PortId output,
                                 const dataplane::VirtualLink& from,
                                 const dataplane::Branch& replaced) const;
  bool serves(Qos qos, const std::optional<gsmp::TrafficBlock>& traffic) const;
  // Sets the branch's priority and service category for its output port.
  void set_queue(dataplane::Branch& branch, Qos output) const;
  // `there`: the existing branch at that output; null: none.
  void put(const dataplane::VirtualLink& input, dataplane::Branch branch,
           const dataplane::Branch* there, const QosProfile& profile, bool both_ways);
  void drop(const dataplane::Connection& connection, const dataplane::Branch& branch);
  void drop_branch(const dataplane::VirtualLink& input, const dataplane::Branch& branch);
  void drop_connection(const dataplane::VirtualLink& input);
  void unpair(const dataplane::Connection& connection);
  void drop_others_at(const dataplane::VirtualLink& keep, const dataplane::Branch& place);

  FabricOptions options_;
  std::function<std::uint32_t()> random_;
  std::function<void(PortId, Label, TimePoint)> on_unknown_label_;
  std::vector<Port> ports_;
  dataplane::SwitchFabric cells_;
  QosProfiles profiles_;
  Reservations reservations_;
  RegionModel region_;
};

}  // namespace xbind::switchagent
