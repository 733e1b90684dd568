// The variant of all messages. Requests and failures share one layout. A success with another
// layout has a type of its own.
#pragma once

#include <variant>

#include "gsmp/messages/add_branch.hpp"
#include "gsmp/messages/adjacency.hpp"
#include "gsmp/messages/all_ports_configuration.hpp"
#include "gsmp/messages/connection_activity.hpp"
#include "gsmp/messages/delete_all.hpp"
#include "gsmp/messages/delete_branches.hpp"
#include "gsmp/messages/delete_tree.hpp"
#include "gsmp/messages/estimation_policy.hpp"
#include "gsmp/messages/event.hpp"
#include "gsmp/messages/label_range.hpp"
#include "gsmp/messages/move_input_branch.hpp"
#include "gsmp/messages/move_output_branch.hpp"
#include "gsmp/messages/opaque.hpp"
#include "gsmp/messages/port_configuration.hpp"
#include "gsmp/messages/port_management.hpp"
#include "gsmp/messages/report_connection_state.hpp"
#include "gsmp/messages/reservation.hpp"
#include "gsmp/messages/schedulable_region_messages.hpp"
#include "gsmp/messages/service_configuration.hpp"
#include "gsmp/messages/statistics.hpp"
#include "gsmp/messages/switch_configuration.hpp"
#include "gsmp/messages/traffic_classes.hpp"
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
