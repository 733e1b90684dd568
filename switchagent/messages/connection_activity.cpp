// Connection Activity: RFC 3292 section 7.1. Always answered.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::PortStatus;

FailureCode check_records(Request& request, const gsmp::ConnectionActivity& message) {
  const SwitchTable& table = request.table;
  for (const gsmp::ActivityRecord& record : message.records) {
    if (!table.port_session(record.input_port)) return FailureCode::kNoSuchPort;
  }
  if (const auto code = request.check(); code != FailureCode::kNone) return code;
  const bool down = std::ranges::any_of(message.records, [&](const gsmp::ActivityRecord& record) {
    return table.port_status(record.input_port) == PortStatus::kUnavailable;
  });
  return down ? FailureCode::kPortDown : FailureCode::kNone;
}

struct ConnectionActivityHandler {
  using Message = gsmp::ConnectionActivity;

  static void serve(Request& request, Message& message) {
    if (const auto code = check_records(request, message); code != FailureCode::kNone)
      return fail_without_records(request, message, code);
    const auto count = static_cast<std::uint32_t>(message.records.size());
    request.ask_table<ConnectionActivityHandler>(message, count, true, [&](Ticket ticket) {
      for (; ticket.part < count; ++ticket.part) {
        const gsmp::ActivityRecord& record = message.records[ticket.part];
        request.table.read_connection(record.input_port, gsmp::label_of(record.input_label), ticket,
                                      request.now);
      }
    });
  }

  static void finish(Request& request, Message& message, TableOutcome& outcome) {
    for (std::size_t index = 0; index < message.records.size(); ++index) {
      const FailureCode code = outcome.code(index);
      if (code != FailureCode::kNone && code != FailureCode::kNoSuchConnection)
        return fail_without_records(request, message, code);
      gsmp::ActivityRecord& record = message.records[index];
      record.valid = code == FailureCode::kNone;
      record.no_counter = record.active = false;
      record.traffic_cells = outcome.reading<ConnectionReading>(index).counters.input_cells;
    }
    request.succeed_with(message);
  }

  static void fail_without_records(Request& request, Message& message, FailureCode code) {
    message.records.clear();
    request.fail_with(message, code);
  }
};

}  // namespace

HandlerRows connection_activity_handlers() {
  static constexpr Handler kRows[] = {
      handler_of<ConnectionActivityHandler>(MessageType::kConnectionActivity)};
  return kRows;
}

}  // namespace xbind::switchagent
