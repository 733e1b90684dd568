#include "switchserver/gsmp_driver.hpp"

#include <utility>

#include "core/check.hpp"
#include "core/log.hpp"

namespace xbind {
namespace {

constexpr std::uint64_t kConfiguration =
    0;  // cookie of configuration requests: their type tells all

std::uint64_t label_key(PortId port, Label label, bool output) {
  // 28 bits of label, 31 of port, one for the direction: GSMP's port numbers of one switch are small.
  return std::uint64_t{label.value & 0xfff'ffff} | std::uint64_t{port.value()} << 28 |
         std::uint64_t{output} << 63;
}

}  // namespace

GsmpDriver::GsmpDriver(const gsmp::SessionOptions& options, std::function<std::uint32_t()> random)
    : session_(options, std::move(random)) {}

// --- requests ---------------------------------------------------------------------------------------

void GsmpDriver::add(const CrossConnect& cross_connect, driver::Cookie cookie) {
  if (!deletes_.empty() && (delete_labels_.contains(label_key(cross_connect.input_port,
                                                              cross_connect.input_label, false)) ||
                            delete_labels_.contains(label_key(cross_connect.output_port,
                                                              cross_connect.output_label, true)))) {
    send_deletes();
  }
  gsmp::AddBranch message;
  message.port_session = port_session(cross_connect.input_port);
  message.input_port = cross_connect.input_port;
  message.output_port = cross_connect.output_port;
  message.input_label = gsmp::label_field(cross_connect.input_label);
  message.output_label = gsmp::label_field(cross_connect.output_label);
  if (auto sent = session_.add_branch(message, cookie, now_); !sent) {
    events_.push_back(driver::Done{cookie, cause_of(sent.error()), 0});
  }
}

void GsmpDriver::remove(const CrossConnect& cross_connect, driver::Cookie cookie) {
  gsmp::DeleteElement element;
  element.port_session = port_session(cross_connect.input_port);
  element.input_port = cross_connect.input_port;
  element.output_port = cross_connect.output_port;
  element.input_label = gsmp::label_field(cross_connect.input_label);
  element.output_label = gsmp::label_field(cross_connect.output_label);
  deletes_.push_back(element);
  delete_cookies_.push_back(cookie);
  delete_labels_.insert(label_key(cross_connect.input_port, cross_connect.input_label, false));
  delete_labels_.insert(label_key(cross_connect.output_port, cross_connect.output_label, true));
  if (deletes_.size() == gsmp::kDeleteElementsMax) send_deletes();
}

void GsmpDriver::read_table(driver::Cookie cookie) {
  const std::uint64_t read = next_read_++;
  TableRead& entry = table_reads_[read];
  entry.cookie = cookie;
  entry.table.cookie = cookie;
  entry.ports_missing = ports_.size();
  if (ports_.empty()) {
    entry.ports_missing = 1;
    end_report(read, Cause::kSwitchUnreachable);
    return;
  }
  for (const SwitchPort& port : ports_) {
    if (auto sent = session_.report_connections(port.port, read, now_); !sent) {
      end_report(read, cause_of(sent.error()));
    }
  }
}

void GsmpDriver::flush() { send_deletes(); }

void GsmpDriver::send_deletes() {
  if (deletes_.empty()) return;
  const std::uint64_t group = next_group_++;
  delete_groups_.emplace(group, std::exchange(delete_cookies_, {}));
  const auto sent = session_.delete_branches(deletes_, group, now_);
  deletes_.clear();
  delete_labels_.clear();
  if (!sent) end_deletes(group, cause_of(sent.error()));
}

// --- transport --------------------------------------------------------------------------------------

void GsmpDriver::connected(TimePoint now) {
  now_ = now;
  session_.connected(now);
  drain();
}

void GsmpDriver::closed(TimePoint now) {
  now_ = now;
  session_.closed(now);
  drain();
}

void GsmpDriver::receive(std::span<const std::byte> octets, TimePoint now) {
  now_ = now;
  session_.receive(octets, now);
  drain();
}

void GsmpDriver::tick(TimePoint now) {
  now_ = now;
  session_.tick(now);
  drain();
}

std::vector<driver::Event> GsmpDriver::take_events() { return std::exchange(events_, {}); }

std::string GsmpDriver::take_drop_reason() { return std::exchange(drop_reason_, {}); }

// --- news of the session ----------------------------------------------------------------------------

void GsmpDriver::drain() {
  const driver::Down* down = nullptr;
  driver::Down reason;
  // Handling an event may make a request whose refusal is the next event: bounded, since a refused
  // request is not repeated.
  for (;;) {
    session_.take_events(session_events_);
    if (session_events_.empty()) break;
    for (const gsmp::SessionEvent& event : session_events_) {
      if (const auto* lost = std::get_if<gsmp::SessionDown>(&event)) {
        on(*lost);
        reason.reason = std::string{to_string(lost->reason)};
        down = &reason;
        continue;
      }
      std::visit([this](const auto& news) { on(news); }, event);
    }
  }
  // Requests that were open have been answered above: Down comes last.
  if (down != nullptr) events_.push_back(reason);
}

void GsmpDriver::on(const gsmp::SessionUp& up) {
  kept_ = up.effective_flag == gsmp::kRecoveredAdjacency;
  reading_ports_ = false;
  reread_ports_ = false;
  log::info("adjacency with the switch is up, its connections are {}", kept_ ? "kept" : "gone");
  if (auto sent = session_.switch_configuration(0, kConfiguration, now_); !sent) {
    drop_reason_ = sent.error().text;
  }
}

void GsmpDriver::on(const gsmp::SessionDown& down) {
  log::warn("adjacency with the switch is lost: {}", to_string(down.reason));
  ports_.clear();
  port_sessions_.clear();
  // Deletes that were never sent: the adjacency went before flush().
  const std::uint64_t group = next_group_++;
  delete_groups_.emplace(group, std::exchange(delete_cookies_, {}));
  deletes_.clear();
  delete_labels_.clear();
  end_deletes(group, Cause::kSwitchUnreachable);
}

void GsmpDriver::on(const gsmp::DropTransport& drop) { drop_reason_ = drop.reason; }

void GsmpDriver::on(const gsmp::Response& response) {
  switch (response.type) {
    case gsmp::MessageType::kAddBranch:
      events_.push_back(driver::Done{
          response.cookie, response.success ? Cause::kNone : Cause::kSwitchRefused,
          response.success ? std::uint8_t{0} : static_cast<std::uint8_t>(response.code)});
      return;
    case gsmp::MessageType::kDeleteBranches: on_deleted(response); return;
    case gsmp::MessageType::kReportConnectionState: on_report(response); return;
    case gsmp::MessageType::kAllPortsConfiguration: on_ports(response); return;
    case gsmp::MessageType::kSwitchConfiguration:
      if (response.success) {
        read_ports();
      } else {
        drop_reason_ = "the switch refuses its configuration: " + to_string(response.code);
      }
      return;
    default: log::warn("an answer of a type that was not asked for is ignored"); return;
  }
}

void GsmpDriver::on_deleted(const gsmp::Response& response) {
  const auto group = delete_groups_.find(response.cookie);
  XB_CHECK(group != delete_groups_.end(), response.cookie);
  const auto* body =
      response.body ? std::get_if<gsmp::DeleteBranches>(response.body.get()) : nullptr;
  if (response.success || body == nullptr || body->elements.size() != group->second.size()) {
    for (const driver::Cookie cookie : group->second) {
      events_.push_back(driver::Done{
          cookie, response.success ? Cause::kNone : Cause::kSwitchRefused,
          response.success ? std::uint8_t{0} : static_cast<std::uint8_t>(response.code)});
    }
  } else {
    for (std::size_t i = 0; i < group->second.size(); ++i) {
      const gsmp::FailureCode error = body->elements[i].error;
      // What is not there is deleted: a repeated delete has done its work the first time.
      const bool gone = error == gsmp::FailureCode::kNone ||
                        error == gsmp::FailureCode::kNoSuchConnection ||
                        error == gsmp::FailureCode::kNoSuchBranch;
      events_.push_back(driver::Done{group->second[i], gone ? Cause::kNone : Cause::kSwitchRefused,
                                     gone ? std::uint8_t{0} : static_cast<std::uint8_t>(error)});
    }
  }
  delete_groups_.erase(group);
}

void GsmpDriver::read_ports() {
  if (reading_ports_) {
    reread_ports_ = true;
    return;
  }
  reading_ports_ = true;
  reread_ports_ = false;
  ports_coming_.clear();
  if (auto sent = session_.all_ports_configuration(kConfiguration, now_); !sent) {
    drop_reason_ = sent.error().text;
  }
}

void GsmpDriver::on_ports(const gsmp::Response& response) {
  const auto* part = response.body ? std::get_if<gsmp::AllPortsPart>(response.body.get()) : nullptr;
  if (!response.success || part == nullptr) {
    drop_reason_ = "the switch does not tell its ports: " + to_string(response.code);
    return;
  }
  for (const gsmp::PortRecord& record : part->records) {
    port_sessions_[record.port] = record.port_session;
    const auto labels = gsmp::atm_label_range(record);
    if (!labels) {
      log::warn("port {} has no ATM label range and is left out", record.port);
      continue;
    }
    ports_coming_.push_back({record.port, *labels, record.transmit_cells_per_s,
                             record.line_status == gsmp::LineStatus::kUp &&
                                 record.port_status == gsmp::PortStatus::kAvailable});
  }
  if (response.more) return;
  reading_ports_ = false;
  if (reread_ports_) {
    read_ports();
    return;
  }
  ports_ = std::exchange(ports_coming_, {});
  events_.push_back(driver::Up{ports_, std::exchange(kept_, true)});
}

void GsmpDriver::on_report(const gsmp::Response& response) {
  const auto read = table_reads_.find(response.cookie);
  if (read == table_reads_.end()) return;  // ended by the failure of another port
  if (!response.success) {
    // "General" says: nothing enters at this port.
    end_report(response.cookie,
               response.code == gsmp::FailureCode::kGeneral ? Cause::kNone : Cause::kSwitchRefused);
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

// One port of a table read has ended; the first failure stays.
void GsmpDriver::end_report(std::uint64_t read, Cause cause) {
  const auto entry = table_reads_.find(read);
  if (entry == table_reads_.end()) return;
  if (entry->second.table.cause == Cause::kNone) entry->second.table.cause = cause;
  if (--entry->second.ports_missing != 0) return;
  events_.push_back(std::move(entry->second.table));
  table_reads_.erase(entry);
}

void GsmpDriver::on(const gsmp::RequestTimeout& timeout) {
  fail_request(timeout.type, timeout.cookie, Cause::kTimeout);
}

void GsmpDriver::on(const gsmp::RequestLost& lost) {
  fail_request(lost.type, lost.cookie, Cause::kSwitchUnreachable);
}

void GsmpDriver::fail_request(gsmp::MessageType type, std::uint64_t cookie, Cause cause) {
  switch (type) {
    case gsmp::MessageType::kAddBranch: events_.push_back(driver::Done{cookie, cause, 0}); return;
    case gsmp::MessageType::kDeleteBranches: end_deletes(cookie, cause); return;
    case gsmp::MessageType::kReportConnectionState: end_report(cookie, cause); return;
    default:
      if (cause == Cause::kTimeout) drop_reason_ = "the switch does not tell its configuration";
      return;
  }
}

void GsmpDriver::end_deletes(std::uint64_t group, Cause cause) {
  const auto found = delete_groups_.find(group);
  XB_CHECK(found != delete_groups_.end(), group);
  for (const driver::Cookie cookie : found->second) {
    events_.push_back(driver::Done{cookie, cause, 0});
  }
  delete_groups_.erase(found);
}

void GsmpDriver::on(const gsmp::SwitchEvent& event) {
  log::info("the switch reports: {}", to_string(event.event));
  switch (event.event.header.type) {
    case gsmp::MessageType::kPortUp:
    case gsmp::MessageType::kPortDown:
    case gsmp::MessageType::kNewPort:
    case gsmp::MessageType::kDeadPort: read_ports(); return;
    default: return;
  }
}

std::uint32_t GsmpDriver::port_session(PortId port) const {
  const auto found = port_sessions_.find(port);
  return found == port_sessions_.end() ? 0 : found->second;
}

Cause GsmpDriver::cause_of(const Error& error) {
  return error.code == ErrorCode::kExhausted ? Cause::kBusy : Cause::kSwitchUnreachable;
}

}  // namespace xbind
