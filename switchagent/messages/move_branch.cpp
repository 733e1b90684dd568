// Move Output Branch and Move Input Branch, of a VCC or VPC: RFC 3292 sections 4.8 and 4.9.
#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::MessageType;

struct MoveOutputBranchHandler : ConcludesWithCode {
  using Message = gsmp::MoveOutputBranch;

  static void serve(Request& request, const Message& message) {
    if (!request.passes({message.input_port, message.old_output_port, message.new_output_port},
                        message.input_port, message.port_session))
      return;
    request.ask_table<MoveOutputBranchHandler>(message, 1, false, [&](Ticket ticket) {
      request.table.move_output(message, ticket, request.now);
    });
  }
};

struct MoveInputBranchHandler : ConcludesWithCode {
  using Message = gsmp::MoveInputBranch;

  static void serve(Request& request, const Message& message) {
    if (!request.passes({message.output_port, message.old_input_port, message.new_input_port},
                        message.output_port, message.port_session))
      return;
    request.ask_table<MoveInputBranchHandler>(message, 1, false, [&](Ticket ticket) {
      request.table.move_input(message, ticket, request.now);
    });
  }
};

}  // namespace

HandlerRows move_branch_handlers() {
  static constexpr Handler kRows[] = {
      handler_of<MoveOutputBranchHandler>(MessageType::kMoveOutputBranch),
      handler_of<MoveOutputBranchHandler>(MessageType::kVpcMoveOutputBranch),
      handler_of<MoveInputBranchHandler>(MessageType::kMoveInputBranch),
      handler_of<MoveInputBranchHandler>(MessageType::kVpcMoveInputBranch),
  };
  return kRows;
}

}  // namespace xbind::switchagent
