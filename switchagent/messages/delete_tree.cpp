// Delete Tree: RFC 3292 section 4.3.
#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::MessageType;

struct DeleteTreeHandler : ConcludesWithCode {
  using Message = gsmp::DeleteTree;

  static void serve(Request& request, const Message& message) {
    if (!request.passes({message.input_port}, message.input_port, message.port_session)) return;
    request.ask_table<DeleteTreeHandler>(message, 1, false, [&](Ticket ticket) {
      request.table.delete_tree(message.input_port, gsmp::label_of(message.input_label), ticket,
                                request.now);
    });
  }
};

}  // namespace

HandlerRows delete_tree_handlers() {
  static constexpr Handler kRows[] = {handler_of<DeleteTreeHandler>(MessageType::kDeleteTree)};
  return kRows;
}

}  // namespace xbind::switchagent
