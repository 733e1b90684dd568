// Port Management: RFC 3292 section 6.1.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::PortFunction;

struct PortManagementHandler {
  using Message = gsmp::PortManagement;

  static void serve(Request& request, Message& message) {
    if (!request.passes({message.port}, message.port, message.port_session)) return;
    const bool of_flags = message.function == PortFunction::kResetFlags;
    request.ask_table<PortManagementHandler>(message, 1, true, [&](Ticket ticket) {
      if (of_flags) return request.complete(ticket, FailureCode::kNone);
      request.table.manage(message, ticket, request.now);
    });
  }

  static void finish(Request& request, Message& message, TableOutcome& outcome) {
    if (!request.passes(outcome.code())) return;
    SwitchTable& table = request.table;
    // It may have deleted another controller's connections, and no event reports that.
    if (message.function != PortFunction::kResetFlags) {
      const std::size_t deleted = outcome.reading<BranchesDeleted>().count;
      request.agent.notices.push_back(
          {request.from, deleted > 0,
           fmt::format("controller {}: {} of port {}; {} branches are deleted",
                       gsmp::name_to_string(request.controller.adjacency.peer().name),
                       gsmp::to_string(message.function), message.port, deleted)});
    }
    PortEventState& events = table.events(message.port);
    if (message.function == PortFunction::kResetFlags) {
      events.flags &= static_cast<std::uint16_t>(~message.event_flags);
      // In version 1.1 flow control cannot be changed.
      if (message.header.version != 1)
        events.flow_control ^= message.flow_control_flags & gsmp::kEventsAll;
    }
    if (!request.wants_success()) return;
    message.header.code = FailureCode::kNone;
    // If the port was removed meanwhile, keep the request's session.
    message.port_session = table.port_session(message.port).value_or(message.port_session);
    message.event_sequence = events.sequence;
    message.event_flags = events.flags;
    message.flow_control_flags = events.flow_control;
    request.succeed_with(message);
  }
};

}  // namespace

HandlerRows port_management_handlers() {
  static constexpr Handler kRows[] = {
      handler_of<PortManagementHandler>(MessageType::kPortManagement)};
  return kRows;
}

}  // namespace xbind::switchagent
