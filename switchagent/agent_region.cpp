// The traffic model "xbind-sr": draft-adam-gsmp-sr-00 under the header of RFC 3292. Served only
// while the table has this model and the model is active.
#include "switchagent/agent_request.hpp"

namespace xbind::switchagent {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::ResultField;

bool SwitchAgent::region_active() const {
  const RegionModel* const model = table_.region();
  return model != nullptr && model->active();
}

void SwitchAgent::serve(Request& request, gsmp::EstimationSupport& message) {
  if (const auto code = check(request, {}); code != FailureCode::kNone)
    return fail_request(request, code);
  message.header.result = ResultField::kSuccess;
  message.estimators = RegionModel::estimators();
  gsmp::append_frame(request.output, message);
}

void SwitchAgent::serve(Request& request, gsmp::ParameterSupport& message) {
  FailureCode code = check(request, {});
  if (code == FailureCode::kNone && !RegionModel::knows(message.estimator))
    code = FailureCode::kNoSuchEstimator;
  if (code != FailureCode::kNone) return fail_request(request, code);
  message.header.result = ResultField::kSuccess;
  message.kinds = RegionModel::kinds();
  message.traffic_parameters = RegionModel::traffic_parameters();
  message.qos_parameters = RegionModel::qos_parameters();
  gsmp::append_frame(request.output, message);
}

std::vector<PortId> SwitchAgent::region_ports(Request& request, PortId port, std::uint32_t session,
                                              bool all_ports) {
  const FailureCode code = all_ports ? check(request, {}) : check(request, {port}, port, session);
  if (code != FailureCode::kNone) {
    fail_request(request, code);
    return {};
  }
  if (!all_ports) return {port};
  std::vector<PortId> ports;
  for (std::uint32_t number = 1; number <= table_.ports(); ++number) {
    if (table_.port_session(PortId(number))) ports.emplace_back(number);
  }
  if (ports.empty()) fail_request(request, FailureCode::kNoSuchPort);
  return ports;
}

void SwitchAgent::serve(Request& request, gsmp::TrafficClasses& message) {
  const auto ports = region_ports(request, message.port, message.port_session, message.all_ports);
  if (ports.empty()) return;
  if (message.header.type == MessageType::kSetTrafficClasses) {
    const FailureCode code = RegionModel::check(message.classes);
    if (code == FailureCode::kNone) {
      for (const PortId port : ports)
        table_.region()->set_classes(port, message.classes, table_.rate(port));
    }
    return conclude(request, code);
  }
  // There is only one answer, so only one port can be requested.
  if (message.all_ports) return fail_request(request, FailureCode::kInvalidMessage);
  message.header.result = ResultField::kSuccess;
  message.classes = table_.region()->classes(message.port);
  gsmp::append_frame(request.output, message);
}

void SwitchAgent::serve(Request& request, gsmp::EstimationPolicy& message) {
  const auto ports = region_ports(request, message.port, message.port_session, message.all_ports);
  if (ports.empty()) return;
  if (message.header.type == MessageType::kSetEstimationPolicy) {
    const FailureCode code = RegionModel::check(message);
    if (code == FailureCode::kNone) {
      for (const PortId port : ports)
        table_.region()->set_policy(port, message.estimator, message.update_threshold);
    }
    return conclude(request, code);
  }
  if (message.all_ports) return fail_request(request, FailureCode::kInvalidMessage);
  message.header.result = ResultField::kSuccess;
  message.estimator = table_.region()->estimator(message.port);
  message.update_threshold = table_.region()->update_threshold(message.port);
  message.parameters.clear();
  gsmp::append_frame(request.output, message);
}

void SwitchAgent::serve(Request& request, gsmp::SchedulableRegionMessage& message) {
  if (region_ports(request, message.port, message.port_session, false).empty()) return;
  if (message.header.type == MessageType::kSetSchedulableRegion)
    return conclude(request, table_.region()->set_region(message.port, message.region));
  message.header.result = ResultField::kSuccess;
  message.region = table_.region()->region(message.port);
  gsmp::append_frame(request.output, message);
}

}  // namespace xbind::switchagent
