// The variant of all messages. Requests and failures share one layout. A success with another
// layout has a type of its own.
#pragma once

#include <variant>

#include "gsmp/add_branch.hpp"
#include "gsmp/adjacency.hpp"
#include "gsmp/all_ports_configuration.hpp"
#include "gsmp/connection_activity.hpp"
#include "gsmp/delete_all.hpp"
#include "gsmp/delete_branches.hpp"
#include "gsmp/delete_tree.hpp"
#include "gsmp/estimation_policy.hpp"
#include "gsmp/event.hpp"
#include "gsmp/label_range.hpp"
#include "gsmp/move_input_branch.hpp"
#include "gsmp/move_output_branch.hpp"
#include "gsmp/opaque.hpp"
#include "gsmp/port_configuration.hpp"
#include "gsmp/port_management.hpp"
#include "gsmp/report_connection_state.hpp"
#include "gsmp/reservation.hpp"
#include "gsmp/schedulable_region_messages.hpp"
#include "gsmp/service_configuration.hpp"
#include "gsmp/statistics.hpp"
#include "gsmp/switch_configuration.hpp"
#include "gsmp/traffic_classes.hpp"
#include "gsmp/v1/verify_tree.hpp"

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
