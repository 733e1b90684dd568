// The switch of GSMP's model (RFC 3292 sections 4 and 6): ports with session numbers,
// administrative states and label ranges, and cross-connects between them. The data plane (cells())
// owns the cells and the only table of connections.
//
//   SwitchAgent ──▶ FabricTable ──▶ Fabric ──▶ dataplane::SwitchFabric (table, queues, lines)
//                                     ├─▶ data:  PortStates, PortLabels, BranchTable, Reservations,
//                                     │          RegionModel
//                                     ├─▶ rules: ServiceRules, region_admission
//                                     └─▶ requests: ConnectionRequests, PortRequests,
//                                                LabelRangeRequests
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

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "dataplane/switch_fabric.hpp"
#include "gsmp/messages/add_branch.hpp"
#include "gsmp/messages/failure_code.hpp"
#include "gsmp/messages/label_range.hpp"
#include "gsmp/messages/move_input_branch.hpp"
#include "gsmp/messages/move_output_branch.hpp"
#include "gsmp/messages/port_configuration.hpp"
#include "gsmp/messages/port_management.hpp"
#include "gsmp/messages/reservation.hpp"
#include "switchagent/table/branch_table.hpp"
#include "switchagent/table/connection_requests.hpp"
#include "switchagent/table/fabric_options.hpp"
#include "switchagent/table/label_range_requests.hpp"
#include "switchagent/table/port_labels.hpp"
#include "switchagent/table/port_requests.hpp"
#include "switchagent/table/port_states.hpp"
#include "switchagent/table/region_model.hpp"
#include "switchagent/table/reservations.hpp"
#include "switchagent/table/service_rules.hpp"
#include "switchagent/table/switch_table.hpp"

namespace xbind::switchagent {

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
  bool has(PortId port) const { return ports_.has(port); }
  std::uint32_t port_session(PortId port) const { return ports_.session(port); }
  gsmp::PortStatus port_status(PortId port) const { return ports_.status(port); }
  gsmp::PortRecord port_record(PortId port) const;
  PortEventState& events(PortId port) { return ports_.events(port); }  // outlives the agent
  const PortStates& port_states() const { return ports_; }
  // Sets the label ranges, as the switch's operator does. Port Configuration reports them from now
  // on. Existing connections stay. The ranges must follow FabricOptions::port_labels and have the
  // port's kind.
  void set_labels(PortId port, const LabelRanges& labels) { labels_.set(port, labels); }
  const LabelRanges& labels(PortId port) const { return labels_.ranges(port); }
  // Converts a table key to a label of the port's kind.
  Label label_at(PortId port, std::uint16_t vpi, std::uint16_t vci) const {
    return labels_.label_at(port, vpi, vci);
  }
  const PortLabels& port_labels() const { return labels_; }
  // Returns true if the state changed. Going up assigns a new session number.
  bool set_line(PortId port, bool up) { return ports_.set_line(port, up); }
  // As PortRequests; port in 1..ports.
  bool set_installed(PortId port, bool installed) {
    return port_requests_.set_installed(port, installed);
  }
  gsmp::FailureCode manage(const gsmp::PortManagement& request, TimePoint now) {
    return port_requests_.manage(request, now);
  }
  // Ends expired loopbacks: the port returns to service with a new session number.
  void tick(TimePoint now) { port_requests_.tick(now); }
  TimePoint next_deadline() const { return ports_.next_deadline(); }
  // As LabelRangeRequests.
  gsmp::FailureCode label_range(gsmp::LabelRangeMessage& message) {
    return label_requests_.execute(message);
  }

  // ----- connections -----
  // As ConnectionRequests; the caller has checked the ports.
  gsmp::FailureCode add_branch(const gsmp::AddBranch& request) {
    return connection_requests_.add_branch(request);
  }
  gsmp::FailureCode move_output(const gsmp::MoveOutputBranch& request) {
    return connection_requests_.move_output(request);
  }
  gsmp::FailureCode move_input(const gsmp::MoveInputBranch& request) {
    return connection_requests_.move_input(request);
  }
  gsmp::FailureCode reserve(const gsmp::ReservationRequest& request) {
    return connection_requests_.reserve(request);
  }
  // As BranchTable.
  gsmp::FailureCode delete_branch(PortId input_port, Label input_label, PortId output_port,
                                  Label output_label) {
    return branches_.delete_branch(input_port, input_label, output_port, output_label);
  }
  gsmp::FailureCode delete_tree(PortId input_port, Label input_label) {
    return branches_.delete_tree(input_port, input_label);
  }
  std::size_t delete_all_input(PortId port) { return branches_.delete_all_input(port); }
  std::size_t delete_all_output(PortId port) { return branches_.delete_all_output(port); }
  // Resets connections, reservations and the traffic model to the start state. Ports stay
  // unchanged.
  void clear();

  // nullopt, null: no such connection.
  std::optional<Connection> find(PortId input_port, Label input_label) const {
    return branches_.copy(input_port, input_label);
  }
  const dataplane::Connection* find_raw(PortId input_port, Label input_label) const {
    return branches_.find(input_port, input_label);
  }
  using Entry = BranchTable::Entry;
  // In label order; valid until the table changes. `port` must exist.
  std::vector<Entry> connections_of(PortId port) const { return branches_.connections_of(port); }
  std::size_t branches() const { return branches_.branches(); }
  const BranchTable& branch_table() const { return branches_; }

  Reservations& reservations() { return reservations_; }
  RegionModel& region() { return region_; }

 private:
  FabricOptions options_;
  std::function<void(PortId, Label, TimePoint)> on_unknown_label_;
  dataplane::SwitchFabric cells_;
  Reservations reservations_;
  RegionModel region_;
  PortStates ports_;
  PortLabels labels_;
  ServiceRules services_;
  BranchTable branches_;
  ConnectionRequests connection_requests_;
  PortRequests port_requests_;
  LabelRangeRequests label_requests_;
};

}  // namespace xbind::switchagent
