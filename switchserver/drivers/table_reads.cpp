#include "switchserver/drivers/table_reads.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/log.hpp"
#include "core/planted.hpp"
#include "gsmp/v1/traffic.hpp"

namespace xbind {

std::uint64_t TableReads::open(driver::Cookie cookie, std::size_t answers) {
  const std::uint64_t read = next_++;
  Read& entry = reads_[read];
  entry.cookie = cookie;
  entry.table.cookie = cookie;
  entry.answers_missing = answers;
  return read;
}

void TableReads::read_table(driver::Cookie cookie) {
  if (ports_.reported().empty()) {
    return end(open(cookie, 1), Cause::kSwitchUnreachable);
  }
  const std::uint64_t read = open(cookie, ports_.reported().size());
  if (!link_.lists_its_table()) return scan(labels_to_scan(), read);
  for (const SwitchPort& port : ports_.reported()) {
    if (auto sent = link_.session.report_connections(port.port, read, link_.now); !sent) {
      end(read, cause_of(sent.error()));
    }
  }
}

void TableReads::read_port(PortId port, driver::Cookie cookie) {
  const std::uint64_t read = open(cookie, 1);
  if (link_.lists_its_table()) {
    if (auto sent = link_.session.report_connections(port, read, link_.now); !sent) {
      end(read, cause_of(sent.error()));
    }
    return;
  }
  const std::vector<gsmp::ActivityRecord> labels = labels_to_scan(port);
  if (labels.empty()) return end(read, Cause::kSwitchRefused);  // the port is gone
  scan(labels, read);
}

void TableReads::read_inputs(const std::vector<driver::Input>& inputs, driver::Cookie cookie) {
  const std::uint64_t read = open(cookie, inputs.size());
  if (!link_.lists_its_table()) {
    std::vector<gsmp::ActivityRecord> records;
    for (const driver::Input& input : inputs) {
      gsmp::ActivityRecord& record = records.emplace_back();
      record.input_port = input.port;
      record.input_label = gsmp::label_field(input.label);
    }
    return scan(records, read);
  }
  for (const driver::Input& input : inputs) {
    if (auto sent = link_.session.report_connection(input.port, input.label, read, link_.now);
        !sent) {
      end(read, cause_of(sent.error()));
    }
  }
}

void TableReads::on_report(const gsmp::Response& response) {
  const auto read = reads_.find(response.cookie);
  if (read == reads_.end()) return;  // ended by the failure of another request
  if (planted(Bug::kTableReadLost) && response.success) return end(response.cookie, Cause::kNone);
  if (!response.success) {
    // The code "General" means that nothing enters at this port, or with this label.
    const bool nothing = response.code == gsmp::FailureCode::kGeneral ||
                         response.code == gsmp::FailureCode::kNoSuchConnection;
    end(response.cookie, nothing ? Cause::kNone : Cause::kSwitchRefused);
    return;
  }
  const auto* const part = body_of<gsmp::ReportPart>(response);
  if (part != nullptr) {
    for (const gsmp::ReportRecord& record : part->records) {
      for (const gsmp::ReportBranch& branch : record.branches) {
        read->second.table.cross_connects.push_back(
            {part->input_port, gsmp::label_of(record.input_label), branch.output_port,
             gsmp::label_of(branch.output_label)});
      }
    }
  }
  if (!response.more) end(response.cookie, Cause::kNone);
}

// One request of a read has been answered. The read keeps the first failure.
void TableReads::end(std::uint64_t read, Cause cause) {
  const auto entry = reads_.find(read);
  if (entry == reads_.end()) return;
  if (entry->second.table.cause == Cause::kNone) entry->second.table.cause = cause;
  if (--entry->second.answers_missing != 0) return;
  link_.events.push_back(std::move(entry->second.table));
  reads_.erase(entry);
}

// ----- a switch that cannot list its table ------------------------------------------------------

// The first kScanMax labels of a port, VPI by VPI.
std::vector<gsmp::ActivityRecord> TableReads::labels_to_scan(std::optional<PortId> only) const {
  std::vector<gsmp::ActivityRecord> records;
  for (const SwitchPort& port : ports_.reported()) {
    if (only && port.port != *only) continue;
    std::size_t left = kScanMax;
    for (const LabelRange& range : port.labels) {
      for (std::uint32_t place = 0; place < range.size() && left != 0; ++place, --left) {
        gsmp::ActivityRecord record;
        record.input_port = port.port;
        record.input_label = gsmp::label_field(range.at(place));
        records.push_back(record);
      }
    }
    if (left == 0) {
      log::gsmp.warn("port {}: only its first {} labels are searched for connections", port.port,
                     kScanMax);
    }
  }
  return records;
}

void TableReads::scan(const std::vector<gsmp::ActivityRecord>& records, std::uint64_t read) {
  const std::size_t step = gsmp::v1::kActivityRecordsMax;
  reads_.at(read).answers_missing = (records.size() + step - 1) / step;
  for (std::size_t from = 0; from < records.size(); from += step) {
    gsmp::ConnectionActivity request;
    const auto begin = records.begin() + static_cast<std::ptrdiff_t>(from);
    request.records.assign(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(step, records.size() - from)));
    if (auto sent = link_.session.request(request, read, link_.now); !sent) {
      end(read, cause_of(sent.error()));
    }
  }
}

void TableReads::on_activity(const gsmp::Response& response) {
  const auto read = reads_.find(response.cookie);
  if (read == reads_.end()) return;
  const auto* const body = body_of<gsmp::ConnectionActivity>(response);
  if (!response.success || body == nullptr) {
    end(response.cookie, Cause::kSwitchRefused);
    return;
  }
  for (const gsmp::ActivityRecord& record : body->records) {
    link_.added.seen(record.input_port, gsmp::label_of(record.input_label), record.valid,
                     read->second.table.cross_connects);
  }
  if (!response.more) end(response.cookie, Cause::kNone);
}

}  // namespace xbind
