// Executes the requests that add or move a branch, and reservations: the rules of RFC 3292 in the
// precedence of its section 12, then the change. The caller has checked the ports.
//
// Every function returns kNone: done; or the code of the first rule that is broken, without any
// change. There is no admission control by bandwidth.
//
// Not thread-safe.
#pragma once

#include <cstdint>

#include "core/ids.hpp"
#include "core/label.hpp"
#include "dataplane/forwarding_table.hpp"
#include "gsmp/messages/add_branch.hpp"
#include "gsmp/messages/failure_code.hpp"
#include "gsmp/messages/move_input_branch.hpp"
#include "gsmp/messages/move_output_branch.hpp"
#include "gsmp/messages/reservation.hpp"
#include "switchagent/table/branch_table.hpp"
#include "switchagent/table/fabric_options.hpp"
#include "switchagent/table/port_labels.hpp"
#include "switchagent/table/port_states.hpp"
#include "switchagent/table/qos_profiles.hpp"
#include "switchagent/table/region_model.hpp"
#include "switchagent/table/reservations.hpp"
#include "switchagent/table/service_rules.hpp"

namespace xbind::switchagent {

// What the requests read and change. All of it outlives them.
struct ConnectionParts {
  const FabricOptions& options;
  const PortStates& ports;
  const PortLabels& labels;
  const ServiceRules& services;
  const RegionModel& region;
  const dataplane::ForwardingTable& table;  // that of `branches`
  BranchTable& branches;
  Reservations& reservations;
};

class ConnectionRequests {
 public:
  explicit ConnectionRequests(const ConnectionParts& parts)
      : options_(parts.options),
        ports_(parts.ports),
        labels_(parts.labels),
        services_(parts.services),
        region_(parts.region),
        table_(parts.table),
        branches_(parts.branches),
        reservations_(parts.reservations) {}

  gsmp::FailureCode add_branch(const gsmp::AddBranch& request);
  gsmp::FailureCode move_output(const gsmp::MoveOutputBranch& request);
  gsmp::FailureCode move_input(const gsmp::MoveInputBranch& request);
  gsmp::FailureCode reserve(const gsmp::ReservationRequest& request);

 private:
  struct Wish;  // the parts of an Add Branch or a Move that are checked alike

  // Whether the reservation may be used; takes over its quality of service if the request has none.
  gsmp::FailureCode use_reservation(std::uint32_t number, Label input_label, Wish& wish) const;
  gsmp::FailureCode check_replace(const gsmp::AddBranch& request) const;
  // Whether channels and paths at this input allow one of the other kind.
  gsmp::FailureCode check_paths(const dataplane::VirtualLink& input) const;
  // Whether the connection may have one more branch.
  gsmp::FailureCode check_tree(const dataplane::Connection& connection) const;
  gsmp::FailureCode region_code(const QosProfile& qos, PortId output,
                                const dataplane::VirtualLink& from,
                                const dataplane::Branch& replaced) const;

  const FabricOptions& options_;
  const PortStates& ports_;
  const PortLabels& labels_;
  const ServiceRules& services_;
  const RegionModel& region_;
  const dataplane::ForwardingTable& table_;
  BranchTable& branches_;
  Reservations& reservations_;
};

}  // namespace xbind::switchagent
