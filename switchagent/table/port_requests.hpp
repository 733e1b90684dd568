// Executes what changes a port and its connections together: Port Management (RFC 3292 section
// 6.1), cards that come and go, and the end of a loopback.
//
// The clock is the caller's. Not thread-safe. Every port must exist unless stated otherwise.
#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "gsmp/messages/failure_code.hpp"
#include "gsmp/messages/port_management.hpp"
#include "switchagent/table/branch_table.hpp"
#include "switchagent/table/fabric_options.hpp"
#include "switchagent/table/port_labels.hpp"
#include "switchagent/table/port_states.hpp"
#include "switchagent/table/region_model.hpp"

namespace xbind::switchagent {

class PortRequests {
 public:
  // All of them must outlive this object.
  PortRequests(const FabricOptions& options, PortStates& ports, PortLabels& labels,
               BranchTable& branches, RegionModel& region)
      : options_(options), ports_(ports), labels_(labels), branches_(branches), region_(region) {}

  // Port Management except kResetFlags; the caller has checked the port. kNone: done. `now` starts
  // the duration of a loopback.
  gsmp::FailureCode manage(const gsmp::PortManagement& request, TimePoint now);
  // Inserts or removes a card. Removal deletes the port's connections. Returns true if the state
  // changed.
  bool set_installed(PortId port, bool installed);
  // An expired loopback returns its port to service, as after Bring Up.
  void tick(TimePoint now);

 private:
  void bring_up(PortId port);
  void reset_input(PortId port);
  gsmp::FailureCode set_transmit_rate(const gsmp::PortManagement& request);

  const FabricOptions& options_;
  PortStates& ports_;
  PortLabels& labels_;
  BranchTable& branches_;
  RegionModel& region_;
};

}  // namespace xbind::switchagent
