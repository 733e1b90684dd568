// Every message that can travel. Requests and failures share the request's form; where a success is
// laid out otherwise it has a type of its own.
#pragma once

#include <variant>

#include "switchserver/gsmp/add_branch.hpp"
#include "switchserver/gsmp/adjacency.hpp"
#include "switchserver/gsmp/all_ports_configuration.hpp"
#include "switchserver/gsmp/delete_branches.hpp"
#include "switchserver/gsmp/event.hpp"
#include "switchserver/gsmp/opaque.hpp"
#include "switchserver/gsmp/port_configuration.hpp"
#include "switchserver/gsmp/report_connection_state.hpp"
#include "switchserver/gsmp/switch_configuration.hpp"

namespace xbind::gsmp {

using Message = std::variant<AdjacencyMessage, AddBranch, DeleteBranches, ReportRequest, ReportPart,
                             SwitchConfiguration, PortConfigurationRequest, PortConfiguration,
                             AllPortsRequest, AllPortsPart, Event, Opaque>;

}  // namespace xbind::gsmp
