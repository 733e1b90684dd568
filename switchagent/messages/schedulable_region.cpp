// The traffic model "xbind-sr": draft-adam-gsmp-sr-00 under the header of RFC 3292. Served only
// while the table has this model and the model is active.
#include <cstdint>
#include <vector>

#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;

bool is_active(SwitchTable& table) {
  const RegionModel* const model = table.region();
  return model != nullptr && model->active();
}

// The checked ports that a message addresses; empty: already answered.
std::vector<PortId> checked_ports(Request& request, PortId port, std::uint32_t session,
                                  bool all_ports) {
  const bool passes = all_ports ? request.passes() : request.passes({port}, port, session);
  if (!passes) return {};
  if (!all_ports) return {port};
  std::vector<PortId> ports;
  for (std::uint32_t number = 1; number <= request.table.ports(); ++number) {
    if (request.table.port_session(PortId(number))) ports.emplace_back(number);
  }
  if (ports.empty()) request.fail(FailureCode::kNoSuchPort);
  return ports;
}

struct EstimationSupportHandler {
  using Message = gsmp::EstimationSupport;

  static void serve(Request& request, Message& message) {
    if (!request.passes()) return;
    message.estimators = RegionModel::estimators();
    request.succeed_with(message);
  }
};

struct ParameterSupportHandler {
  using Message = gsmp::ParameterSupport;

  static void serve(Request& request, Message& message) {
    FailureCode code = request.check();
    if (code == FailureCode::kNone && !RegionModel::knows(message.estimator))
      code = FailureCode::kNoSuchEstimator;
    if (!request.passes(code)) return;
    message.kinds = RegionModel::kinds();
    message.traffic_parameters = RegionModel::traffic_parameters();
    message.qos_parameters = RegionModel::qos_parameters();
    request.succeed_with(message);
  }
};

struct TrafficClassesHandler {
  using Message = gsmp::TrafficClasses;

  static void serve(Request& request, Message& message) {
    const auto ports =
        checked_ports(request, message.port, message.port_session, message.all_ports);
    if (ports.empty()) return;
    RegionModel& region = *request.table.region();
    if (message.header.type == MessageType::kSetTrafficClasses) {
      const FailureCode code = RegionModel::check(message.classes);
      if (code == FailureCode::kNone) {
        for (const PortId port : ports)
          region.set_classes(port, message.classes, request.table.rate(port));
      }
      return request.conclude(code);
    }
    // There is only one answer, so only one port can be requested.
    if (message.all_ports) return request.fail(FailureCode::kInvalidMessage);
    message.classes = region.classes(message.port);
    request.succeed_with(message);
  }
};

struct EstimationPolicyHandler {
  using Message = gsmp::EstimationPolicy;

  static void serve(Request& request, Message& message) {
    const auto ports =
        checked_ports(request, message.port, message.port_session, message.all_ports);
    if (ports.empty()) return;
    RegionModel& region = *request.table.region();
    if (message.header.type == MessageType::kSetEstimationPolicy) {
      const FailureCode code = RegionModel::check(message);
      if (code == FailureCode::kNone) {
        for (const PortId port : ports)
          region.set_policy(port, message.estimator, message.update_threshold);
      }
      return request.conclude(code);
    }
    if (message.all_ports) return request.fail(FailureCode::kInvalidMessage);
    message.estimator = region.estimator(message.port);
    message.update_threshold = region.update_threshold(message.port);
    message.parameters.clear();
    request.succeed_with(message);
  }
};

struct SchedulableRegionHandler {
  using Message = gsmp::SchedulableRegionMessage;

  static void serve(Request& request, Message& message) {
    if (checked_ports(request, message.port, message.port_session, false).empty()) return;
    RegionModel& region = *request.table.region();
    if (message.header.type == MessageType::kSetSchedulableRegion)
      return request.conclude(region.set_region(message.port, message.region));
    message.region = region.region(message.port);
    request.succeed_with(message);
  }
};

}  // namespace

HandlerRows schedulable_region_handlers() {
  static constexpr Handler kRows[] = {
      handler_of<ParameterSupportHandler>(MessageType::kGetParameterSupport, is_active),
      handler_of<TrafficClassesHandler>(MessageType::kSetTrafficClasses, is_active),
      handler_of<TrafficClassesHandler>(MessageType::kGetTrafficClasses, is_active),
      handler_of<EstimationSupportHandler>(MessageType::kGetEstimationSupport, is_active),
      handler_of<EstimationPolicyHandler>(MessageType::kSetEstimationPolicy, is_active),
      handler_of<EstimationPolicyHandler>(MessageType::kGetEstimationPolicy, is_active),
      handler_of<SchedulableRegionHandler>(MessageType::kSetSchedulableRegion, is_active),
      handler_of<SchedulableRegionHandler>(MessageType::kGetSchedulableRegion, is_active),
  };
  return kRows;
}

}  // namespace xbind::switchagent
