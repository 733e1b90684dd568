// State and statistics: RFC 3292 section 7. Always answered.
#include <algorithm>

#include "switchagent/agent_request.hpp"

namespace xbind::switchagent {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::PortStatus;
using gsmp::ResultField;

void SwitchAgent::serve(Request& request, gsmp::ConnectionActivity& message) {
  FailureCode code = FailureCode::kNone;
  for (const gsmp::ActivityRecord& record : message.records) {
    if (!table_.port_session(record.input_port)) code = FailureCode::kNoSuchPort;
  }
  if (code == FailureCode::kNone) code = check(request, {});
  if (code == FailureCode::kNone &&
      std::ranges::any_of(message.records, [&](const gsmp::ActivityRecord& record) {
        return table_.port_status(record.input_port) == PortStatus::kUnavailable;
      })) {
    code = FailureCode::kPortDown;
  }
  if (code != FailureCode::kNone) {
    message.records.clear();
    return fail_with(request, message, code);
  }
  const auto count = static_cast<std::uint32_t>(message.records.size());
  ask_table(request, message, count, true, [&] {
    for (std::uint32_t index = 0; index < count; ++index) {
      const gsmp::ActivityRecord& record = message.records[index];
      table_.read_connection(record.input_port, gsmp::label_of(record.input_label),
                             {asking_, index}, request.now);
    }
  });
}

void SwitchAgent::finish(Request& request, gsmp::ConnectionActivity& message,
                         TableOutcome& outcome) {
  for (std::size_t index = 0; index < message.records.size(); ++index) {
    const FailureCode code = outcome.code(index);
    if (code != FailureCode::kNone && code != FailureCode::kNoSuchConnection) {
      message.records.clear();
      return fail_with(request, message, code);
    }
    gsmp::ActivityRecord& record = message.records[index];
    record.valid = code == FailureCode::kNone;
    record.no_counter = record.active = false;
    record.traffic_cells = outcome.reading<ConnectionReading>(index).counters.input_cells;
  }
  message.header.result = ResultField::kSuccess;
  gsmp::append_frame(request.output, message);
}

void SwitchAgent::serve(Request& request, const gsmp::StatisticsRequest& message) {
  if (const auto code = check(request, {message.port}); code != FailureCode::kNone)
    return fail_request(request, code);
  ask_table(request, message, 1, true, [&] {
    if (message.header.type == MessageType::kPortStatistics) {
      table_.read_port(message.port, {asking_, 0}, request.now);
    } else {
      table_.read_connection(message.port, gsmp::label_of(message.label), {asking_, 0},
                             request.now);
    }
  });
}

void SwitchAgent::finish(Request& request, const gsmp::StatisticsRequest& message,
                         TableOutcome& outcome) {
  FailureCode code = outcome.code();
  const bool there = table_.port_session(message.port).has_value();
  if (code == FailureCode::kNone && !there) code = FailureCode::kNoSuchPort;  // removed meanwhile
  if (code == FailureCode::kNone && table_.port_status(message.port) == PortStatus::kUnavailable)
    code = FailureCode::kPortDown;
  if (code != FailureCode::kNone) return fail_request(request, code);
  gsmp::Statistics response;
  response.header = message.header;
  response.header.result = ResultField::kSuccess;
  response.port = message.port;
  response.label = message.label;
  response.counters = message.header.type == MessageType::kPortStatistics
                          ? outcome.reading<PortReading>().counters
                          : outcome.reading<ConnectionReading>().counters;
  gsmp::append_frame(request.output, response);
}

void SwitchAgent::serve(Request& request, const gsmp::ReportRequest& message) {
  if (const auto code = check(request, {message.input_port}); code != FailureCode::kNone)
    return fail_request(request, code);
  const auto scope = message.input_label.has(gsmp::kFlagAll)   ? SwitchTable::Scope::kPort
                     : message.input_label.has(gsmp::kFlagVpi) ? SwitchTable::Scope::kVpi
                                                               : SwitchTable::Scope::kLabel;
  ask_table(request, message, 1, true, [&] {
    table_.report(message.input_port, scope, gsmp::label_of(message.input_label), {asking_, 0},
                  request.now);
  });
}

void SwitchAgent::finish(Request& request, const gsmp::ReportRequest& message,
                         TableOutcome& outcome) {
  if (outcome.code() != FailureCode::kNone) return fail_request(request, outcome.code());
  const TableReport branches = outcome.reading<TableReport>();
  if (branches.empty()) return fail_request(request, FailureCode::kGeneral);
  report(request, message, branches);
}

void SwitchAgent::report(Request& request, const gsmp::ReportRequest& message,
                         const TableReport& branches) {
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
      if (!part.records.empty() && octets + least > options_.response_octets_max) send_part();
      const std::size_t room =
          octets + least > options_.response_octets_max
              ? 1
              : (options_.response_octets_max - octets - gsmp::kReportRecordOctets) /
                    gsmp::kReportBranchOctets;
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

}  // namespace xbind::switchagent
