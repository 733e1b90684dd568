// Verify Tree, of version 1.1 only: RFC 1987 section 3.4.
#include <cstddef>
#include <cstdint>

#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;

struct VerifyTreeHandler {
  using Message = gsmp::VerifyTree;

  static void serve(Request& request, Message& message) {
    if (!request.passes({message.input_port}, message.input_port, message.port_session)) return;
    request.ask_table<VerifyTreeHandler>(message, 1, true, [&](Ticket ticket) {
      request.table.read_connection(message.input_port, gsmp::label_of(message.input_label), ticket,
                                    request.now);
    });
  }

  static void finish(Request& request, Message& message, TableOutcome& outcome) {
    if (!request.passes(outcome.code())) return;
    const std::size_t branches = outcome.reading<ConnectionReading>().branches;
    if (branches == message.branches) return request.conclude(FailureCode::kNone);
    message.branches = static_cast<std::uint16_t>(branches);
    request.fail_with(message, FailureCode::kGeneral);
  }
};

}  // namespace

HandlerRows verify_tree_handlers() {
  static constexpr Handler kRows[] = {handler_of<VerifyTreeHandler>(MessageType::kVerifyTree)};
  return kRows;
}

}  // namespace xbind::switchagent
