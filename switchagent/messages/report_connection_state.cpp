// Report Connection State: RFC 3292 section 7.3. Always answered.
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::ResultField;

// Answers in one or more parts. `branches` must not be empty.
void send_report(Request& request, const gsmp::ReportRequest& message,
                 const TableReport& branches) {
  const std::size_t octets_max = request.agent.options.response_octets_max;
  gsmp::ReportPart part;
  part.header = message.header;
  part.header.result = ResultField::kMore;
  part.input_port = message.input_port;
  std::size_t octets = gsmp::kReportFixedOctets;
  const auto send_part = [&] {
    gsmp::append_frame(request.output, part);
    part.records.clear();
    ++part.sequence;
    octets = gsmp::kReportFixedOctets;
  };
  for (std::span<const ReportedBranch> left(branches); !left.empty();) {
    const ReportedBranch& first = left.front();
    const auto end = std::ranges::find_if(left, [&](const ReportedBranch& one) {
      return one.input_label != first.input_label || one.path != first.path;
    });
    std::span<const ReportedBranch> rest = left.first(static_cast<std::size_t>(end - left.begin()));
    left = left.subspan(rest.size());
    while (!rest.empty()) {
      // A record is never split. A large multicast continues in a new record of the next part.
      const std::size_t least = gsmp::kReportRecordOctets + gsmp::kReportBranchOctets;
      if (!part.records.empty() && octets + least > octets_max) send_part();
      const std::size_t room =
          octets + least > octets_max
              ? 1
              : (octets_max - octets - gsmp::kReportRecordOctets) / gsmp::kReportBranchOctets;
      if (rest.size() > room && !part.records.empty()) {
        send_part();
        continue;
      }
      const std::size_t taken = std::min({rest.size(), room, gsmp::kReportBranchesMax});
      gsmp::ReportRecord record;
      record.all = part.records.empty() && message.input_label.has(gsmp::kFlagAll);
      record.whole_vpi = part.records.empty() && message.input_label.has(gsmp::kFlagVpi);
      record.vpc = first.path;
      record.input_label = gsmp::label_field(first.input_label);
      for (const ReportedBranch& one : rest.first(taken))
        record.branches.push_back({one.output_port, gsmp::label_field(one.output_label)});
      part.records.push_back(std::move(record));
      octets += gsmp::kReportRecordOctets + taken * gsmp::kReportBranchOctets;
      rest = rest.subspan(taken);
    }
  }
  part.header.result = ResultField::kSuccess;
  send_part();
}

struct ReportConnectionStateHandler {
  using Message = gsmp::ReportRequest;

  static void serve(Request& request, const Message& message) {
    if (!request.passes({message.input_port})) return;
    const auto scope = message.input_label.has(gsmp::kFlagAll)   ? SwitchTable::Scope::kPort
                       : message.input_label.has(gsmp::kFlagVpi) ? SwitchTable::Scope::kVpi
                                                                 : SwitchTable::Scope::kLabel;
    request.ask_table<ReportConnectionStateHandler>(message, 1, true, [&](Ticket ticket) {
      request.table.report(message.input_port, scope, gsmp::label_of(message.input_label), ticket,
                           request.now);
    });
  }

  static void finish(Request& request, const Message& message, TableOutcome& outcome) {
    if (!request.passes(outcome.code())) return;
    const TableReport branches = outcome.reading<TableReport>();
    if (branches.empty()) return request.fail(FailureCode::kGeneral);
    send_report(request, message, branches);
  }
};

}  // namespace

HandlerRows report_connection_state_handlers() {
  static constexpr Handler kRows[] = {
      handler_of<ReportConnectionStateHandler>(MessageType::kReportConnectionState),
  };
  return kRows;
}

}  // namespace xbind::switchagent
