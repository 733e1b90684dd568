// GsmpDriver: the table of a switch that speaks version 1.1, which has no message to list it. The
// driver stores the entries that it has added itself, and requests for every label of every port
// whether anything enters with it (VC Activity). The output of an active label that this driver did
// not add is unknown.
#include <algorithm>

#include "core/log.hpp"
#include "gsmp/v1/traffic.hpp"
#include "switchserver/drivers/gsmp_driver.hpp"

namespace xbind {

bool GsmpDriver::lists_its_table() const {
  return gsmp::exists_in(gsmp::MessageType::kReportConnectionState, session_.version());
}

// The first kScanMax labels of a port, VPI by VPI.
std::vector<gsmp::ActivityRecord> GsmpDriver::labels_to_scan(std::optional<PortId> only) const {
  std::vector<gsmp::ActivityRecord> records;
  for (const SwitchPort& port : reported_ports_) {
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

void GsmpDriver::scan(const std::vector<gsmp::ActivityRecord>& records, std::uint64_t read) {
  const std::size_t step = gsmp::v1::kActivityRecordsMax;
  table_reads_.at(read).answers_missing = (records.size() + step - 1) / step;
  for (std::size_t from = 0; from < records.size(); from += step) {
    gsmp::ConnectionActivity request;
    const auto begin = records.begin() + static_cast<std::ptrdiff_t>(from);
    request.records.assign(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(step, records.size() - from)));
    if (auto sent = session_.request(request, read, now_); !sent) {
      end_report(read, cause_of(sent.error()));
    }
  }
}

void GsmpDriver::on_activity(const gsmp::Response& response) {
  const auto read = table_reads_.find(response.cookie);
  if (read == table_reads_.end()) return;
  const auto* body =
      response.body ? std::get_if<gsmp::ConnectionActivity>(response.body.get()) : nullptr;
  if (!response.success || body == nullptr) {
    end_report(response.cookie, Cause::kSwitchRefused);
    return;
  }
  for (const gsmp::ActivityRecord& record : body->records) {
    on_activity(record, read->second.table);
  }
  if (!response.more) end_report(response.cookie, Cause::kNone);
}

void GsmpDriver::on_activity(const gsmp::ActivityRecord& record, driver::Table& table) {
  const CrossConnect input{record.input_port, gsmp::label_of(record.input_label), {}, {}};
  bool added = false;
  for (auto at = added_.lower_bound(input); at != added_.end() &&
                                            at->first.input_port == input.input_port &&
                                            at->first.input_label == input.input_label;) {
    if (record.valid) {
      table.cross_connects.push_back(at->first);
      at->second = adjacency_;
      added = true;
    } else if (at->second != adjacency_) {  // the switch has restarted without it
      at = added_.erase(at);
      continue;
    }
    ++at;
  }
  if (record.valid && !added) table.cross_connects.push_back(input);
}

void GsmpDriver::note_wanted(driver::Cookie cookie, const CrossConnect& gone,
                             const CrossConnect& there) {
  if (!lists_its_table()) adding_[cookie] = {gone, there};
}

// An add, a move or a delete has been answered, or never will be. After a move with unknown outcome
// either place may be the right one, so both are listed.
void GsmpDriver::note_done(const driver::Done& done) {
  if (const auto wanted = adding_.extract(done.cookie); !wanted.empty()) {
    const CrossConnect& gone = wanted.mapped().gone;
    const CrossConnect& there = wanted.mapped().there;
    const bool moved = gone.input_label.present() && there.input_label.present();
    const bool unknown = done.cause == Cause::kTimeout || done.cause == Cause::kSwitchUnreachable;
    if (done.cause == Cause::kNone || (moved && done.absent)) added_.erase(gone);
    if (there.input_label.present() && (done.cause == Cause::kNone || (moved && unknown))) {
      added_[there] = adjacency_;
    }
  }
}

}  // namespace xbind
