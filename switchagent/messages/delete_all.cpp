// Delete All Input Port and Delete All Output Port: RFC 3292 sections 4.5 and 4.6.
#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::MessageType;

struct DeleteAllHandler : ConcludesWithCode {
  using Message = gsmp::DeleteAll;

  static void serve(Request& request, const Message& message) {
    if (!request.passes({message.port}, message.port, message.port_session)) return;
    request.ask_table<DeleteAllHandler>(message, 1, false, [&](Ticket ticket) {
      if (message.header.type == MessageType::kDeleteAllInput) {
        request.table.delete_all_input(message.port, ticket, request.now);
      } else {
        request.table.delete_all_output(message.port, ticket, request.now);
      }
    });
  }
};

}  // namespace

HandlerRows delete_all_handlers() {
  static constexpr Handler kRows[] = {
      handler_of<DeleteAllHandler>(MessageType::kDeleteAllInput),
      handler_of<DeleteAllHandler>(MessageType::kDeleteAllOutput),
  };
  return kRows;
}

}  // namespace xbind::switchagent
