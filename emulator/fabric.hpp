// The switch that GSMP's model describes (RFC 3292 sections 4 and 6): ports with their session numbers,
// administrative states and label ranges, and cross-connects between them. The cells themselves, and the
// one table of connections, are the data plane's (cells()); what only GSMP knows of a branch, its QoS and
// whether it is one half of a bidirectional pair, hangs on the branch by a number.
//
//   SwitchAgent ──▶ FabricTable ──▶ Fabric ──▶ dataplane::SwitchFabric (table, queues, lines)
//                                     └─▶ QosProfiles, Reservations, RegionModel
//
// A connection is known by input port and input label and has one branch or more, each an output
// port and output label. Adding a branch that is there already changes its QoS and succeeds;
// several connections may share an output branch (multipoint-to-point). A label whose VCI is 0 and that
// is no channel names the virtual path connection of its VPI.
//
// Memory: 68 octets for a cross-connect whose label has neighbours, and once for all that say the same
// their QoS. There is no admission by bandwidth.
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
#include "dataplane/switch_fabric.hpp"
#include "emulator/qos_profiles.hpp"
#include "emulator/region_model.hpp"
#include "emulator/reservations.hpp"
#include "emulator/switch_table.hpp"
#include "gsmp/add_branch.hpp"
#include "gsmp/failure_code.hpp"
#include "gsmp/label_range.hpp"
#include "gsmp/move_input_branch.hpp"
#include "gsmp/move_output_branch.hpp"
#include "gsmp/port_configuration.hpp"
#include "gsmp/port_management.hpp"
#include "gsmp/report_connection_state.hpp"
#include "gsmp/reservation.hpp"
#include "gsmp/service_configuration.hpp"

namespace xbind::emulator {

// CBR.1, rt-VBR.1, nrt-VBR.1, UBR.1 and GFR.1, each with capability set 1.
std::vector<gsmp::ServiceRecord> default_services();

struct FabricOptions {
  std::uint32_t ports = 2;  // numbered 1..ports; at most 65535
  AtmBounds labels;         // of every ATM port's input, until it is changed
  // Ports with labels of their own: an ATM port has one range, an MPLS port 1 to kLabelRangesMax, as
  // checked_ranges() leaves them. Their kind is the port's for ever.
  std::map<PortId, LabelRanges> port_labels;
  bool one_kind = false;  // no branch leads from a port of one kind to a port of the other
  AtmBounds labels_grantable{0, 4095, 32, 65535};    // what Label Range may ask for at an ATM port
  std::uint32_t link_cells_per_s = 353207;           // of every port that is not named below
  std::map<PortId, std::uint32_t> port_cells_per_s;  // ports with a rate of their own
  bool rate_settable = true;                         // by Port Management, up to the port's own
  std::uint8_t priorities = 4;                       // 0, the best, to priorities - 1
  std::vector<gsmp::ServiceRecord> services = default_services();
  bool vp_switching = true;
  bool connection_replace = true;  // may be asked for by Port Management
  std::size_t connections_max = std::size_t{1} << 20;
  std::size_t branches_max = std::size_t{1} << 20;  // in the whole table
  std::size_t branches_per_connection_max = gsmp::kReportBranchesMax;
  std::uint32_t max_reservations = 1024;  // 0: there are none
  std::size_t queue_cells_max = 1024;     // of each priority of each output port
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

// What is at an input label, as GSMP sees it; a copy.
struct Connection {
  bool bidirectional = false;    // made together with its reverse, and the reverse is still there
  bool path = false;             // a virtual path connection
  std::vector<Branch> branches;  // by output port and label; never empty
};

class Fabric {
 public:
  // `random` gives the ports their session numbers: one call per port, 0 is passed over; and one more
  // for each new session. It is kept.
  Fabric(FabricOptions options, std::function<std::uint32_t()> random);
  Fabric(const Fabric&) = delete;  // the data plane calls back
  Fabric& operator=(const Fabric&) = delete;

  const FabricOptions& options() const { return options_; }
  dataplane::SwitchFabric& cells() { return cells_; }
  const dataplane::SwitchFabric& cells() const { return cells_; }
  // Told of each cell on a label that nobody has: as often as there are such cells. Empty: nobody.
  void set_on_unknown_label(std::function<void(PortId, Label, TimePoint)> told) {
    on_unknown_label_ = std::move(told);
  }

  // ----- ports; `port` exists wherever not said otherwise -----
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
  // By the operator of the switch: Port Configuration tells it from now on. What is connected stays. Of
  // the port's kind, as FabricOptions::port_labels says.
  void set_labels(PortId port, const LabelRanges& labels);
  // As the table has it, in the port's kind.
  Label label_at(PortId port, std::uint16_t vpi, std::uint16_t vci) const {
    return {label_kind(port), atm_label(vpi, vci).value};
  }
  // True: it was the other way round, and up means a new session number.
  bool set_line(PortId port, bool up);
  // A card is put in or pulled: with it go the port's connections. 1..ports. True: a change.
  bool set_installed(PortId port, bool installed);

  using EventState = PortEventState;  // kept here so that it outlives the agent
  EventState& events(PortId port) { return at(port).events; }
  const EventState& events(PortId port) const { return at(port).events; }

  // Port Management's functions but kResetFlags; the port has been checked. kNone: done. `now` is for
  // the duration of a loopback.
  gsmp::FailureCode manage(const gsmp::PortManagement& request, TimePoint now);
  // Ends loopbacks whose duration is over: back in service, with a new session number.
  void tick(TimePoint now);
  TimePoint next_deadline() const;
  // Label Range, a query or an order; the port has been checked. Fills in what the answer says. kNone,
  // kOldLabelsInUse (done, a warning), or a failure: then nothing has changed.
  gsmp::FailureCode label_range(gsmp::LabelRangeMessage& message);

  // ----- connections -----
  // kNone, or kNoSuchPort, kInvalidPortSession: what every request on ports is asked first.
  gsmp::FailureCode check_ports(PortId input, PortId output, std::uint32_t session) const;
  // The rest of the rules, in the order of precedence of RFC 3292 section 12. The ports have been
  // checked. kNone: done. Anything else: nothing has changed.
  gsmp::FailureCode add_branch(const gsmp::AddBranch& request);
  gsmp::FailureCode move_output(const gsmp::MoveOutputBranch& request);
  gsmp::FailureCode move_input(const gsmp::MoveInputBranch& request);
  gsmp::FailureCode reserve(const gsmp::ReservationRequest& request);
  // kNone, kNoSuchConnection or kNoSuchBranch. The last branch takes its connection along.
  gsmp::FailureCode delete_branch(PortId input_port, Label input_label, PortId output_port,
                                  Label output_label);
  gsmp::FailureCode delete_tree(PortId input_port, Label input_label);
  // Return the number of branches that went.
  std::size_t delete_all_input(PortId port);
  std::size_t delete_all_output(PortId port);
  // Connections, reservations, and the model of traffic: as after a start. Ports stay as they are.
  void clear();

  // Nothing: no such connection.
  std::optional<Connection> find(PortId input_port, Label input_label) const;
  const dataplane::Connection* find_raw(PortId input_port, Label input_label) const;
  // Before a loop of delete_branch: asks the memory for what it will look at. Any port and label.
  void prefetch(PortId input_port, Label input_label) const;
  struct Entry {
    Label input_label;  // of a path with VCI 0
    const dataplane::Connection* connection;
  };
  // In order of labels; good until the table changes. `port` exists.
  std::vector<Entry> connections_of(PortId port) const;
  std::size_t branches() const { return cells_.table().branches(); }
  std::size_t connections() const { return cells_.table().connections(); }
  const QosProfiles& profiles() const { return profiles_; }
  // Of a branch of the table.
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
    bool replace = false;  // Connection Replace is on
    gsmp::PortStatus status = gsmp::PortStatus::kAvailable;
    std::uint32_t rate = 0;          // now
    std::uint32_t rate_default = 0;  // of the line
    LabelKind kind = LabelKind::kAtm;
    LabelRanges labels_default;
    TimePoint loopback_end = kNever;
    EventState events;
  };
  struct Wish;  // an Add Branch or a Move, as far as both are judged alike

  const Port& at(PortId port) const { return ports_[port.value() - 1]; }
  Port& at(PortId port) { return ports_[port.value() - 1]; }
  std::uint32_t new_session(std::uint32_t old);
  void apply_line(PortId port);
  void bring_up(PortId port);

  // ----- labels (fabric_labels.cpp) -----
  // On cells that come in there; of a path its VPI.
  bool accepts(PortId port, Label label, bool path) const;
  // Of the port's kind, and no wider than the kind is.
  bool is_label_of(PortId port, Label label) const;
  // On cells that go out there: of the port's kind, no reserved one, no VPI too wide for the line.
  bool leaves_by(PortId port, Label label) const;
  // Whether there may be a branch from one to the other.
  bool joins(PortId input, PortId output) const;
  bool has_paths(PortId input, PortId output) const;
  AtmBounds atm_labels_most(PortId port) const;
  gsmp::FailureCode query_atm_labels(PortId port, gsmp::LabelRangeElement& range) const;
  gsmp::FailureCode set_atm_labels(PortId port, gsmp::LabelRangeElement& range);
  gsmp::FailureCode query_mpls_labels(gsmp::LabelRangeMessage& message) const;
  gsmp::FailureCode set_mpls_labels(gsmp::LabelRangeMessage& message);
  void tell_mpls_labels(gsmp::LabelRangeMessage& message, const LabelRanges& ranges) const;

  gsmp::FailureCode check_service(const Wish& wish, const QosProfile* existing) const;
  // Whether one call more of its class fits into the region of `output`: kNone, kNoSuchClass or
  // kOutsideRegion. The branch from `from` to `replaced` goes for it and is not counted. Takes time in
  // proportion to the branches of the switch, where the class is one of the region model.
  gsmp::FailureCode check_region(const QosProfile& qos, PortId output,
                                 const dataplane::VirtualLink& from,
                                 const dataplane::Branch& replaced) const;
  bool serves(Qos qos, const std::optional<gsmp::TrafficBlock>& traffic) const;
  // The branch's priority and service category at its output port.
  void set_queue(dataplane::Branch& branch, Qos output) const;
  // `there`: the branch at that place; null: there is none.
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

}  // namespace xbind::emulator
