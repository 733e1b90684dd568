// Port Management and Label Range: RFC 3292 section 6.
#include <fmt/format.h>

#include "emulator/agent_request.hpp"

namespace xbind::emulator {

using gsmp::FailureCode;
using gsmp::PortFunction;
using gsmp::ResultField;

void SwitchAgent::serve(Request& request, gsmp::PortManagement& message) {
  FailureCode code = check(request, {message.port}, message.port, message.port_session);
  const std::size_t branches = fabric_.branches();
  if (code == FailureCode::kNone) code = fabric_.manage(message, request.now);
  if (code != FailureCode::kNone) return fail_request(request, code);
  // What it has deleted may have been another controller's, which no event tells.
  if (message.function != PortFunction::kResetFlags) {
    notices_.push_back({request.from, fabric_.branches() < branches,
                        fmt::format("controller {}: {} of port {}; {} branches are deleted",
                                    gsmp::name_to_string(request.adjacency.peer().name),
                                    gsmp::to_string(message.function), message.port,
                                    branches - fabric_.branches())});
  }
  Fabric::EventState& events = fabric_.events(message.port);
  if (message.function == PortFunction::kResetFlags) {
    events.flags &= static_cast<std::uint16_t>(~message.event_flags);
    // In version 1.1 flow control cannot be changed.
    if (message.header.version != 1)
      events.flow_control ^= message.flow_control_flags & gsmp::kEventsAll;
  }
  if (!request.wants_success()) return;
  message.header.result = ResultField::kSuccess;
  message.header.code = FailureCode::kNone;
  message.port_session = fabric_.port_session(message.port);
  message.event_sequence = events.sequence;
  message.event_flags = events.flags;
  message.flow_control_flags = events.flow_control;
  gsmp::append_frame(request.output, message);
}

void SwitchAgent::serve(Request& request, gsmp::LabelRangeMessage& message) {
  if (const auto code = check(request, {message.port}, message.port, message.port_session);
      code != FailureCode::kNone) {
    return fail_request(request, code);
  }
  // A port has one range of VPIs and one of VCIs, for all kinds of connections.
  if (!message.query && (message.disjoint || message.ranges.size() > 1))
    return fail_request(request, FailureCode::kLabelRangeDisjoint);
  if (message.multipoint) return fail_request(request, FailureCode::kNoMultipointLabels);
  FailureCode warning = FailureCode::kNone;
  for (gsmp::LabelRangeElement& range : message.ranges) {
    const FailureCode code = message.query ? fabric_.query_labels(message.port, range)
                                           : fabric_.set_labels(message.port, range);
    if (code == FailureCode::kLabelRangeImpossible) return fail_with(request, message, code);
    if (code == FailureCode::kOldLabelsInUse) {
      warning = code;
    } else if (code != FailureCode::kNone) {
      return fail_request(request, code);
    }
  }
  if (!request.wants_success()) return;
  message.header.result = ResultField::kSuccess;
  message.header.code = warning;
  gsmp::append_frame(request.output, message);
}

}  // namespace xbind::emulator
