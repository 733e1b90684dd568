// Port Statistics and Connection Statistics: RFC 3292 section 7.2. Always answered.
#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::PortStatus;

struct StatisticsHandler {
  using Message = gsmp::StatisticsRequest;

  static void serve(Request& request, const Message& message) {
    if (!request.passes({message.port})) return;
    request.ask_table<StatisticsHandler>(message, 1, true, [&](Ticket ticket) {
      if (message.header.type == MessageType::kPortStatistics) {
        request.table.read_port(message.port, ticket, request.now);
      } else {
        request.table.read_connection(message.port, gsmp::label_of(message.label), ticket,
                                      request.now);
      }
    });
  }

  static void finish(Request& request, const Message& message, TableOutcome& outcome) {
    const SwitchTable& table = request.table;
    FailureCode code = outcome.code();
    const bool there = table.port_session(message.port).has_value();
    if (code == FailureCode::kNone && !there) code = FailureCode::kNoSuchPort;  // removed meanwhile
    if (code == FailureCode::kNone && table.port_status(message.port) == PortStatus::kUnavailable)
      code = FailureCode::kPortDown;
    if (!request.passes(code)) return;
    gsmp::Statistics response;
    response.header = message.header;
    response.port = message.port;
    response.label = message.label;
    response.counters = message.header.type == MessageType::kPortStatistics
                            ? outcome.reading<PortReading>().counters
                            : outcome.reading<ConnectionReading>().counters;
    request.succeed_with(response);
  }
};

}  // namespace

HandlerRows statistics_handlers() {
  static constexpr Handler kRows[] = {
      handler_of<StatisticsHandler>(MessageType::kPortStatistics),
      handler_of<StatisticsHandler>(MessageType::kConnectionStatistics),
  };
  return kRows;
}

}  // namespace xbind::switchagent
