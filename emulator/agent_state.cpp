// State and statistics: RFC 3292 section 7. Always answered.
#include <algorithm>
#include <tuple>

#include "emulator/agent_request.hpp"

namespace xbind::emulator {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::PortStatus;
using gsmp::ResultField;

void SwitchAgent::serve(Request& request, gsmp::ConnectionActivity& message) {
  FailureCode code = FailureCode::kNone;
  for (const gsmp::ActivityRecord& record : message.records) {
    if (!fabric_.has(record.input_port)) code = FailureCode::kNoSuchPort;
  }
  if (code == FailureCode::kNone) code = check(request, {});
  if (code == FailureCode::kNone &&
      std::ranges::any_of(message.records, [&](const gsmp::ActivityRecord& record) {
        return fabric_.port_status(record.input_port) == PortStatus::kUnavailable;
      })) {
    code = FailureCode::kPortDown;
  }
  if (code != FailureCode::kNone) {
    message.records.clear();
    return fail_with(request, message, code);
  }
  for (gsmp::ActivityRecord& record : message.records) {
    const auto* found = fabric_.find_raw(record.input_port, gsmp::label_of(record.input_label));
    record.valid = found != nullptr;
    record.no_counter = record.active = false;
    record.traffic_cells = found == nullptr ? 0 : found->counters.input_cells;
  }
  message.header.result = ResultField::kSuccess;
  gsmp::append_frame(request.output, message);
}

void SwitchAgent::serve(Request& request, const gsmp::StatisticsRequest& message) {
  FailureCode code = check(request, {message.port});
  const bool of_port = message.header.type == MessageType::kPortStatistics;
  const auto* connection = code != FailureCode::kNone || of_port
                               ? nullptr
                               : fabric_.find_raw(message.port, gsmp::label_of(message.label));
  if (code == FailureCode::kNone && !of_port && connection == nullptr)
    code = FailureCode::kNoSuchConnection;
  if (code == FailureCode::kNone && fabric_.port_status(message.port) == PortStatus::kUnavailable)
    code = FailureCode::kPortDown;
  if (code != FailureCode::kNone) return fail_request(request, code);
  gsmp::Statistics response;
  response.header = message.header;
  response.header.result = ResultField::kSuccess;
  response.port = message.port;
  response.label = message.label;
  if (of_port) {
    const dataplane::PortCounters met = fabric_.cells().counters(message.port);
    response.counters = {.input_cells = met.input_cells,
                         .input_cell_discards = met.input_discards,
                         .hec_errors = met.hec_errors,
                         .invalid_labels = met.invalid_label,
                         .output_cells = met.output_cells,
                         .output_cell_discards = met.output_discards};
  } else {
    const dataplane::ConnectionCounters& met = connection->counters;
    response.counters = {.input_cells = met.input_cells,
                         .output_cells = met.output_cells,
                         .output_cell_discards = met.output_discards};
  }
  gsmp::append_frame(request.output, response);
}

void SwitchAgent::serve(Request& request, const gsmp::ReportRequest& message) {
  if (const auto code = check(request, {message.input_port}); code != FailureCode::kNone)
    return fail_request(request, code);
  const Label wanted = gsmp::label_of(message.input_label);
  std::vector<Fabric::Entry> entries;
  if (message.input_label.has(gsmp::kFlagAll)) {
    entries = fabric_.connections_of(message.input_port);
  } else if (message.input_label.has(gsmp::kFlagVpi)) {
    entries = fabric_.connections_of(message.input_port);
    std::erase_if(entries, [&](const Fabric::Entry& entry) {
      return vpi_of(entry.input_label) != vpi_of(wanted);
    });
  } else if (const auto* found = fabric_.find_raw(message.input_port, wanted)) {
    entries.push_back({wanted, found});
  }
  if (entries.empty()) return fail_request(request, FailureCode::kGeneral);
  report(request, message, entries);
}

namespace {

std::vector<gsmp::ReportBranch> branches_of(const dataplane::Connection& connection) {
  std::vector<gsmp::ReportBranch> branches;
  for (const dataplane::Branch& branch : connection.branches)
    branches.push_back({branch.port, gsmp::label_field(atm_label(branch.vpi, branch.vci))});
  std::ranges::sort(branches, {}, [](const gsmp::ReportBranch& branch) {
    return std::tuple(branch.output_port, branch.output_label.value);
  });
  return branches;
}

}  // namespace

void SwitchAgent::report(Request& request, const gsmp::ReportRequest& message,
                         const std::vector<Fabric::Entry>& entries) {
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
  for (const Fabric::Entry& entry : entries) {
    const std::vector<gsmp::ReportBranch> branches = branches_of(*entry.connection);
    std::span<const gsmp::ReportBranch> rest(branches);
    while (!rest.empty()) {
      // A record is never split; a big multicast goes on in a new record of the next part.
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
      record.vpc = entry.connection->input.path;
      record.input_label = gsmp::label_field(entry.input_label);
      record.branches.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(taken));
      part.records.push_back(std::move(record));
      octets += gsmp::kReportRecordOctets + taken * gsmp::kReportBranchOctets;
      rest = rest.subspan(taken);
    }
  }
  part.header.result = ResultField::kSuccess;
  send_part();
}

}  // namespace xbind::emulator
