// GsmpDriver: the switch's ports, services and events.
#include <algorithm>
#include <utility>

#include "core/log.hpp"
#include "core/planted.hpp"
#include "gsmp/messages/port_management.hpp"
#include "switchserver/drivers/gsmp_driver.hpp"

namespace xbind {

// ----- coming up ------------------------------------------------------------------------------

void GsmpDriver::read_all_ports() {
  if (auto sent = session_.all_ports_configuration(0, now_); !sent) {
    drop_reason_ = sent.error().text;
  }
}

void GsmpDriver::on_all_ports(const gsmp::Response& response) {
  const auto* part = response.body ? std::get_if<gsmp::AllPortsPart>(response.body.get()) : nullptr;
  if (!response.success || part == nullptr) {
    const std::string why =
        "the switch refused All Ports Configuration: " + to_string(response.code);
    if (up_) {
      log::gsmp.warn("{}", why);
    } else {
      drop_reason_ = why;
    }
    return;
  }
  for (const gsmp::PortRecord& record : part->records) know(record);
  if (response.more) return;
  if (up_) return tell_ports();
  tc_flags_ = {};
  const bool services = std::any_of(ports_.begin(), ports_.end(),
                                    [](const auto& entry) { return entry.second.services != 0; });
  if (!services || !session_.request(gsmp::ServiceConfigurationRequest{}, 0, now_)) come_up();
}

// A switch that does not report its services may still have them; then connections carry no TC
// flags.
void GsmpDriver::on_services(const gsmp::Response& response) {
  const auto* body =
      response.body ? std::get_if<gsmp::ServiceConfiguration>(response.body.get()) : nullptr;
  if (response.success && body != nullptr) tc_flags_ = tc_flags_of(*body);
  come_up();
}

void GsmpDriver::come_up() {
  up_ = true;
  rates_.forget_asked();
  for (auto& [id, port] : ports_) port.reported_session = port.session;
  reported_ports_ = ports_now();
  events_.push_back(driver::Up{reported_ports_, std::exchange(kept_, true)});
}

std::vector<SwitchPort> GsmpDriver::ports_now() const {
  std::vector<SwitchPort> ports;
  for (const auto& [id, port] : ports_) {
    if (port.has_labels) ports.push_back(port.about);
  }
  return ports;
}

std::uint32_t GsmpDriver::port_session(PortId port) const { return port_at(port).session; }

// ----- one port -------------------------------------------------------------------------------

void GsmpDriver::know(const gsmp::PortRecord& record) {
  const auto [known, fresh] = ports_.try_emplace(record.port);
  Port& port = known->second;
  if (up_ && !fresh && port.session != record.port_session) {
    ++counters_.ports_taken;
    log::gsmp.warn(
        "port {} began session {} (was {}) without an event: another controller has brought it up; "
        "its cross-connects are put back",
        record.port, record.port_session, port.session);
  }
  CheckedRanges labels = checked_ranges(gsmp::label_ranges(record));
  if (!labels.left_out.empty() && labels.left_out != port.left_out) {
    log::gsmp.warn(
        "port {}: label ranges {} are ignored: unknown kind, invalid, overlapping, or more than {} "
        "ranges",
        record.port, to_string(labels.left_out), kLabelRangesMax);
  }
  port.left_out = std::move(labels.left_out);
  if (labels.taken.empty() && port.has_labels) {
    log::gsmp.warn("port {} has no label range and is ignored", record.port);
  }
  port.has_labels = !labels.taken.empty();
  port.about = {record.port, std::move(labels.taken), record.transmit_cells_per_s,
                record.line_status == gsmp::LineStatus::kUp &&
                    record.port_status == gsmp::PortStatus::kAvailable};
  if (fresh || !planted(Bug::kPortSessionKept)) port.session = record.port_session;
  port.sequence = record.event_sequence;
  port.priorities = record.priorities;
  port.services = services_of(record);
  // A flag that nobody resets holds back every later event of its type. An earlier reset may have
  // timed out, or was lost with an earlier adjacency.
  if (planted(Bug::kFlagsNotReset)) return;
  if (const std::uint16_t flags = record.event_flags & ~gsmp::kEventInvalidLabel; flags != 0) {
    want_reset(record.port, flags, now_);
  }
  if ((record.event_flags & gsmp::kEventInvalidLabel) != 0) want_label_reset(record.port);
}

void GsmpDriver::want_port(PortId port) { wanted_ports_.insert(port); }

void GsmpDriver::on_port(const gsmp::Response& response) {
  const PortId id{static_cast<std::uint32_t>(response.cookie)};
  const auto* body =
      response.body ? std::get_if<gsmp::PortConfiguration>(response.body.get()) : nullptr;
  if (response.success && body != nullptr) {
    know(body->record);
  } else if (response.code == gsmp::FailureCode::kNoSuchPort) {
    ports_.erase(id);
  } else {
    log::gsmp.warn("port {}: the switch refused to report its configuration: {}", id,
                   to_string(response.code));
  }
  port_read(id);
}

// The port has been read, or reading it failed.
void GsmpDriver::port_read(PortId id) {
  const auto reading = reading_.find(id);
  if (reading == reading_.end()) return;  // the port was forgotten meanwhile
  const bool again = reading->second;
  reading_.erase(reading);
  if (again) want_port(id);
  std::erase_if(stale_, [&](Stale& stale) {
    if (stale.port != id) return false;
    stale.done.again = port_session(id) != stale.session;
    finish(stale.done);
    return true;
  });
  tell_ports();
}

void GsmpDriver::tell_ports() {
  if (!up_) return;
  driver::Ports news;
  for (auto& [id, port] : ports_) {
    if (port.reported_session == port.session) continue;
    port.reported_session = port.session;
    if (port.has_labels) news.renewed.push_back(id);
  }
  news.ports = ports_now();
  if (news.ports == reported_ports_ && news.renewed.empty()) return;
  reported_ports_ = news.ports;
  events_.push_back(std::move(news));
}

// ----- events ---------------------------------------------------------------------------------

void GsmpDriver::on(const gsmp::SwitchEvent& of) {
  const gsmp::Event& event = of.event;
  switch (event.header.type) {
    case gsmp::MessageType::kPortUp: ++counters_.port_up; break;
    case gsmp::MessageType::kPortDown: ++counters_.port_down; break;
    case gsmp::MessageType::kNewPort: ++counters_.new_port; break;
    case gsmp::MessageType::kDeadPort: ++counters_.dead_port; break;
    case gsmp::MessageType::kInvalidLabel: note_invalid_label(event); break;
    case gsmp::MessageType::kAdjacencyUpdate:
      ++counters_.adjacency_update;
      counters_.adjacencies = static_cast<std::uint64_t>(event.header.code);
      log::gsmp.info("the switch has {} controllers", counters_.adjacencies);
      if (up_) events_.emplace_back(driver::Others{counters_.adjacencies});
      look_at_ = now_;  // also after the last other controller has left: it may have changed ports
      return;
    default: return;
  }
  note_event(event);
}

void GsmpDriver::note_event(const gsmp::Event& event) {
  const bool of_label = event.header.type == gsmp::MessageType::kInvalidLabel;
  if (!of_label) log::gsmp.info("the switch reports: {}", to_string(event));
  const auto known = ports_.find(event.port);
  if (known == ports_.end()) {
    want_port(event.port);
  } else {
    Port& port = known->second;
    const bool missed = event.sequence != port.sequence + 1;
    port.sequence = event.sequence;
    if (missed) ++counters_.event_gaps;
    if (missed || !of_label) want_port(event.port);
    // Later requests must not be refused because of the old session number.
    if (event.header.type == gsmp::MessageType::kPortUp && !planted(Bug::kPortSessionKept)) {
      port.session = event.port_session;
    }
  }
  if (planted(Bug::kFlagsNotReset)) return;
  if (of_label) return want_label_reset(event.port);
  want_reset(event.port, gsmp::event_flag(event.header.type), now_);
}

void GsmpDriver::note_invalid_label(const gsmp::Event& event) {
  ++counters_.invalid_label;
  if (invalid_logged_ != TimePoint{} && now_ < invalid_logged_ + kInvalidLabelLogPause) {
    ++invalid_unlogged_;
    return;
  }
  log::gsmp.warn("the switch reports: {}; {} more since the last of these lines", to_string(event),
                 invalid_unlogged_);
  invalid_logged_ = now_;
  invalid_unlogged_ = 0;
}

void GsmpDriver::want_reset(PortId port, std::uint16_t flag, TimePoint due) {
  const auto [entry, fresh] = resets_.try_emplace(port, Reset{flag, due});
  if (fresh) return;
  entry->second.flags |= flag;
  entry->second.due = std::min(entry->second.due, due);
}

void GsmpDriver::want_label_reset(PortId port) {
  const auto waits = resets_.find(port);
  if (waits != resets_.end() && (waits->second.flags & gsmp::kEventInvalidLabel) != 0) return;
  TimePoint& rested = next_label_reset_[port];
  const TimePoint due = std::max(now_, rested);
  rested = due + kInvalidLabelPause;
  want_reset(port, gsmp::kEventInvalidLabel, due);
}

void GsmpDriver::on_reset(const gsmp::Response& response) {
  const auto* body =
      response.body ? std::get_if<gsmp::PortManagement>(response.body.get()) : nullptr;
  if (!response.success || body == nullptr) {
    // The port is gone or has begun a new session: reading it shows which.
    want_port(PortId{static_cast<std::uint32_t>(response.cookie)});
    return;
  }
  const auto known = ports_.find(body->port);
  if (known == ports_.end() || known->second.sequence == body->event_sequence) return;
  ++counters_.event_gaps;
  known->second.sequence = body->event_sequence;
  want_port(body->port);
}

void GsmpDriver::look_at_ports() {
  if (look_at_ > now_ || !session_.all_ports_configuration(0, now_)) return;
  look_at_ = counters_.adjacencies > 1 ? now_ + kOthersPause : kNever;
}

// Sends the resets and port reads that are due, as many as the session accepts; the rest waits for
// the next call. Resets are sent before port reads, so a flag that is still set when its port is
// read was not reset.
void GsmpDriver::send_wanted() {
  if (!up_) return;
  look_at_ports();
  for (auto at = resets_.begin(); at != resets_.end();) {
    if (at->second.due > now_) {
      ++at;
      continue;
    }
    gsmp::PortManagement reset;
    reset.port = at->first;
    reset.port_session = port_session(at->first);
    reset.function = gsmp::PortFunction::kResetFlags;
    reset.event_flags = at->second.flags;
    if (!session_.request(reset, at->first.value(), now_)) return;
    at = resets_.erase(at);
  }
  for (auto at = wanted_ports_.begin(); at != wanted_ports_.end();) {
    const PortId port = *at;
    if (const auto reading = reading_.find(port); reading != reading_.end()) {
      reading->second = true;
    } else if (session_.port_configuration(port, port.value(), now_)) {
      reading_.emplace(port, false);
    } else {
      return;
    }
    at = wanted_ports_.erase(at);
  }
  send_rates();
}

}  // namespace xbind
