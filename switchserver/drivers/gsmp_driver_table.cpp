// GsmpDriver: reads the switch's table, the whole of it or single inputs (Report Connection State).
#include <utility>

#include "core/planted.hpp"
#include "switchserver/drivers/gsmp_driver.hpp"

namespace xbind {

std::uint64_t GsmpDriver::open_read(driver::Cookie cookie, std::size_t answers) {
  const std::uint64_t read = next_read_++;
  TableRead& entry = table_reads_[read];
  entry.cookie = cookie;
  entry.table.cookie = cookie;
  entry.answers_missing = answers;
  return read;
}

void GsmpDriver::read_table(driver::Cookie cookie) {
  if (reported_ports_.empty()) {
    return end_report(open_read(cookie, 1), Cause::kSwitchUnreachable);
  }
  const std::uint64_t read = open_read(cookie, reported_ports_.size());
  if (!lists_its_table()) return scan(labels_to_scan(), read);
  for (const SwitchPort& port : reported_ports_) {
    if (auto sent = session_.report_connections(port.port, read, now_); !sent) {
      end_report(read, cause_of(sent.error()));
    }
  }
}

void GsmpDriver::read_port(PortId port, driver::Cookie cookie) {
  const std::uint64_t read = open_read(cookie, 1);
  if (lists_its_table()) {
    if (auto sent = session_.report_connections(port, read, now_); !sent) {
      end_report(read, cause_of(sent.error()));
    }
    return;
  }
  const std::vector<gsmp::ActivityRecord> labels = labels_to_scan(port);
  if (labels.empty()) return end_report(read, Cause::kSwitchRefused);  // the port is gone
  scan(labels, read);
}

void GsmpDriver::read_inputs(const std::vector<driver::Input>& inputs, driver::Cookie cookie) {
  const std::uint64_t read = open_read(cookie, inputs.size());
  if (!lists_its_table()) {
    std::vector<gsmp::ActivityRecord> records;
    for (const driver::Input& input : inputs) {
      gsmp::ActivityRecord& record = records.emplace_back();
      record.input_port = input.port;
      record.input_label = gsmp::label_field(input.label);
    }
    return scan(records, read);
  }
  for (const driver::Input& input : inputs) {
    if (auto sent = session_.report_connection(input.port, input.label, read, now_); !sent) {
      end_report(read, cause_of(sent.error()));
    }
  }
}

void GsmpDriver::on_report(const gsmp::Response& response) {
  const auto read = table_reads_.find(response.cookie);
  if (read == table_reads_.end()) return;  // ended by the failure of another request
  if (planted(Bug::kTableReadLost) && response.success)
    return end_report(response.cookie, Cause::kNone);
  if (!response.success) {
    // The code "General" means that nothing enters at this port, or with this label.
    const bool nothing = response.code == gsmp::FailureCode::kGeneral ||
                         response.code == gsmp::FailureCode::kNoSuchConnection;
    end_report(response.cookie, nothing ? Cause::kNone : Cause::kSwitchRefused);
    return;
  }
  const auto* part = response.body ? std::get_if<gsmp::ReportPart>(response.body.get()) : nullptr;
  if (part != nullptr) {
    for (const gsmp::ReportRecord& record : part->records) {
      for (const gsmp::ReportBranch& branch : record.branches) {
        read->second.table.cross_connects.push_back(
            {part->input_port, gsmp::label_of(record.input_label), branch.output_port,
             gsmp::label_of(branch.output_label)});
      }
    }
  }
  if (!response.more) end_report(response.cookie, Cause::kNone);
}

// One request of a read has been answered. The read keeps the first failure.
void GsmpDriver::end_report(std::uint64_t read, Cause cause) {
  const auto entry = table_reads_.find(read);
  if (entry == table_reads_.end()) return;
  if (entry->second.table.cause == Cause::kNone) entry->second.table.cause = cause;
  if (--entry->second.answers_missing != 0) return;
  events_.push_back(std::move(entry->second.table));
  table_reads_.erase(entry);
}

}  // namespace xbind
