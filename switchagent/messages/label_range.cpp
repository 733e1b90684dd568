// Label Range: RFC 3292 section 6.2.
#include <utility>

#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;

struct LabelRangeHandler {
  using Message = gsmp::LabelRangeMessage;

  static void serve(Request& request, Message& message) {
    if (!request.passes({message.port}, message.port, message.port_session)) return;
    request.ask_table<LabelRangeHandler>(message, 1, true, [&](Ticket ticket) {
      request.table.label_range(message, ticket, request.now);
    });
  }

  static void finish(Request& request, Message& message, TableOutcome& outcome) {
    const FailureCode code = outcome.code();
    const bool tells = code == FailureCode::kNone || code == FailureCode::kOldLabelsInUse ||
                       code == FailureCode::kLabelRangeImpossible;
    if (!tells) return request.fail(code);
    auto label_ranges = outcome.reading<LabelRangesReading>();
    message.ranges = std::move(label_ranges.ranges);
    message.disjoint = label_ranges.disjoint;
    if (code == FailureCode::kLabelRangeImpossible) return request.fail_with(message, code);
    if (!request.wants_success()) return;
    message.header.code = code;  // none, or a warning
    request.succeed_with(message);
  }
};

}  // namespace

HandlerRows label_range_handlers() {
  static constexpr Handler kRows[] = {handler_of<LabelRangeHandler>(MessageType::kLabelRange)};
  return kRows;
}

}  // namespace xbind::switchagent
