// Add Branch and VPC Add Branch: RFC 3292 section 4.2.
#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;

struct AddBranchHandler {
  using Message = gsmp::AddBranch;

  static void serve(Request& request, const Message& message) {
    if (!request.passes({message.input_port, message.output_port}, message.input_port,
                        message.port_session))
      return;
    request.ask_table<AddBranchHandler>(message, 1, false, [&](Ticket ticket) {
      request.table.add_branch(message, ticket, request.now);
    });
  }

  static void finish(Request& request, const Message&, TableOutcome& outcome) {
    if (outcome.code() == FailureCode::kNone) ++request.agent.counters.branches_added;
    request.conclude(outcome.code());
  }
};

// The most frequent request is not copied into a Message.
void decode_and_serve_add(Request& request) {
  if (request.header().version != gsmp::kVersion)
    return decode_and_serve<AddBranchHandler>(request);
  const auto add = gsmp::decode_add_branch(request.header(), request.decoded.body);
  if (!add) return request.fail_undecodable();
  AddBranchHandler::serve(request, *add);
}

}  // namespace

HandlerRows add_branch_handlers() {
  static constexpr Handler kRows[] = {
      {MessageType::kAddBranch, decode_and_serve_add, decode_and_finish<AddBranchHandler>},
      {MessageType::kVpcAddBranch, decode_and_serve_add, decode_and_finish<AddBranchHandler>},
  };
  return kRows;
}

}  // namespace xbind::switchagent
