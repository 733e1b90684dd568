// Port Management and Label Range: RFC 3292 section 6.
#include <fmt/format.h>

#include "switchagent/agent_request.hpp"

namespace xbind::switchagent {

using gsmp::FailureCode;
using gsmp::PortFunction;
using gsmp::ResultField;

void SwitchAgent::serve(Request& request, gsmp::PortManagement& message) {
  const FailureCode code = check(request, {message.port}, message.port, message.port_session);
  if (code != FailureCode::kNone) return fail_request(request, code);
  const bool of_flags = message.function == PortFunction::kResetFlags;
  ask_table(request, message, 1, true, [&] {
    if (of_flags) return completed(Ticket{asking_, 0}, FailureCode::kNone);
    table_.manage(message, {asking_, 0}, request.now);
  });
}

void SwitchAgent::finish(Request& request, gsmp::PortManagement& message, TableOutcome& outcome) {
  if (outcome.code() != FailureCode::kNone) return fail_request(request, outcome.code());
  // It may have deleted another controller's connections, and no event reports that.
  if (message.function != PortFunction::kResetFlags) {
    const std::size_t deleted = outcome.reading<BranchesDeleted>().count;
    notices_.push_back({request.from, deleted > 0,
                        fmt::format("controller {}: {} of port {}; {} branches are deleted",
                                    gsmp::name_to_string(request.adjacency.peer().name),
                                    gsmp::to_string(message.function), message.port, deleted)});
  }
  PortEventState& events = table_.events(message.port);
  if (message.function == PortFunction::kResetFlags) {
    events.flags &= static_cast<std::uint16_t>(~message.event_flags);
    // In version 1.1 flow control cannot be changed.
    if (message.header.version != 1)
      events.flow_control ^= message.flow_control_flags & gsmp::kEventsAll;
  }
  if (!request.wants_success()) return;
  message.header.result = ResultField::kSuccess;
  message.header.code = FailureCode::kNone;
  // If the port was removed meanwhile, keep the request's session.
  message.port_session = table_.port_session(message.port).value_or(message.port_session);
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
  ask_table(request, message, 1, true, [&] {
    table_.label_range(message, {asking_, 0}, request.now);
  });
}

void SwitchAgent::finish(Request& request, gsmp::LabelRangeMessage& message,
                         TableOutcome& outcome) {
  const FailureCode code = outcome.code();
  const bool tells = code == FailureCode::kNone || code == FailureCode::kOldLabelsInUse ||
                     code == FailureCode::kLabelRangeImpossible;
  if (!tells) return fail_request(request, code);
  auto label_ranges = outcome.reading<LabelRangesReading>();
  message.ranges = std::move(label_ranges.ranges);
  message.disjoint = label_ranges.disjoint;
  if (code == FailureCode::kLabelRangeImpossible) return fail_with(request, message, code);
  if (!request.wants_success()) return;
  message.header.result = ResultField::kSuccess;
  message.header.code = code;  // none, or a warning
  gsmp::append_frame(request.output, message);
}

}  // namespace xbind::switchagent
