// Delete Branches: RFC 3292 section 4.7.
#include <cstddef>
#include <cstdint>
#include <optional>

#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;

FailureCode check_ports(const SwitchTable& table, const gsmp::DeleteElement& element) {
  const std::optional<std::uint32_t> session = table.port_session(element.input_port);
  if (!session || !table.port_session(element.output_port)) return FailureCode::kNoSuchPort;
  return *session == element.port_session ? FailureCode::kNone : FailureCode::kInvalidPortSession;
}

struct DeleteBranchesHandler {
  using Message = gsmp::DeleteBranches;

  // Each element has its own port and session. The other checks apply to the message.
  static void serve(Request& request, Message& message) {
    if (!request.passes()) return;
    const auto count = static_cast<std::uint32_t>(message.elements.size());
    request.ask_table<DeleteBranchesHandler>(message, count, false, [&](Ticket ticket) {
      for (; ticket.part < count; ++ticket.part) {
        const gsmp::DeleteElement& element = message.elements[ticket.part];
        if (const auto code = check_ports(request.table, element); code != FailureCode::kNone) {
          request.complete(ticket, code);
          continue;
        }
        request.table.delete_branch(element.input_port, gsmp::label_of(element.input_label),
                                    element.output_port, gsmp::label_of(element.output_label),
                                    ticket, request.now);
      }
    });
  }

  static void finish(Request& request, Message& message, TableOutcome& outcome) {
    bool all = true;
    for (std::size_t index = 0; index < message.elements.size(); ++index) {
      const FailureCode code = outcome.code(index);
      message.elements[index].error = code;
      all = all && code == FailureCode::kNone;
      if (code == FailureCode::kNone) ++request.agent.counters.branches_deleted;
    }
    if (!all) return request.fail_with(message, FailureCode::kGeneral);
    if (request.wants_success()) request.succeed_with(message);
  }
};

}  // namespace

HandlerRows delete_branches_handlers() {
  static constexpr Handler kRows[] = {
      handler_of<DeleteBranchesHandler>(MessageType::kDeleteBranches)};
  return kRows;
}

}  // namespace xbind::switchagent
