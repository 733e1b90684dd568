// Every message that can travel. Requests and failures share the request's form; where a success is
// laid out otherwise it has a type of its own.
#pragma once

#include <variant>

#include "switchserver/gsmp/add_branch.hpp"
#include "switchserver/gsmp/adjacency.hpp"
#include "switchserver/gsmp/all_ports_configuration.hpp"
#include "switchserver/gsmp/connection_activity.hpp"
#include "switchserver/gsmp/delete_all.hpp"
#include "switchserver/gsmp/delete_branches.hpp"
#include "switchserver/gsmp/delete_tree.hpp"
#include "switchserver/gsmp/estimation_policy.hpp"
#include "switchserver/gsmp/event.hpp"
#include "switchserver/gsmp/label_range.hpp"
#include "switchserver/gsmp/move_input_branch.hpp"
#include "switchserver/gsmp/move_output_branch.hpp"
#include "switchserver/gsmp/opaque.hpp"
#include "switchserver/gsmp/port_configuration.hpp"
#include "switchserver/gsmp/port_management.hpp"
#include "switchserver/gsmp/report_connection_state.hpp"
#include "switchserver/gsmp/reservation.hpp"
#include "switchserver/gsmp/schedulable_region_messages.hpp"
#include "switchserver/gsmp/service_configuration.hpp"
#include "switchserver/gsmp/statistics.hpp"
#include "switchserver/gsmp/switch_configuration.hpp"
#include "switchserver/gsmp/traffic_classes.hpp"
#include "switchserver/gsmp/v1/verify_tree.hpp"

namespace xbind::gsmp {

using Message =
    std::variant<AdjacencyMessage, AddBranch, DeleteBranches, DeleteTree, VerifyTree, DeleteAll,
                 MoveOutputBranch, MoveInputBranch, ReservationRequest, DeleteReservation,
                 DeleteAllReservations, PortManagement, LabelRangeMessage, ConnectionActivity,
                 StatisticsRequest, Statistics, ReportRequest, ReportPart, SwitchConfiguration,
                 PortConfigurationRequest, PortConfiguration, AllPortsRequest, AllPortsPart,
                 ServiceConfigurationRequest, ServiceConfiguration, Event, ParameterSupport,
                 TrafficClasses, EstimationSupport, EstimationPolicy, SchedulableRegionMessage,
                 Opaque>;

}  // namespace xbind::gsmp
