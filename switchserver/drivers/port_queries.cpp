#include "switchserver/drivers/port_queries.hpp"

#include <algorithm>

#include "gsmp/messages/event.hpp"
#include "gsmp/messages/port_management.hpp"

namespace xbind {

void PortQueries::reset(PortId port, std::uint16_t flags, TimePoint due) {
  const auto [entry, fresh] = resets_.try_emplace(port, Reset{flags, due});
  if (fresh) return;
  entry->second.flags |= flags;
  entry->second.due = std::min(entry->second.due, due);
}

void PortQueries::reset_invalid_label(PortId port) {
  const auto waits = resets_.find(port);
  if (waits != resets_.end() && (waits->second.flags & gsmp::kEventInvalidLabel) != 0) return;
  TimePoint& rested = next_label_reset_[port];
  const TimePoint due = std::max(link_.now, rested);
  rested = due + kInvalidLabelPause;
  reset(port, gsmp::kEventInvalidLabel, due);
}

bool PortQueries::was_read(PortId port) {
  const auto reading = reading_.find(port);
  if (reading == reading_.end()) return false;
  const bool again = reading->second;
  reading_.erase(reading);
  if (again) read(port);
  return true;
}

bool PortQueries::send() {
  send_read_all();
  return send_resets() && send_reads();
}

void PortQueries::send_read_all() {
  if (read_all_at_ > link_.now || !link_.session.all_ports_configuration(0, link_.now)) return;
  read_all_at_ = link_.counters.adjacencies > 1 ? link_.now + kOthersPause : kNever;
}

bool PortQueries::send_resets() {
  for (auto at = resets_.begin(); at != resets_.end();) {
    if (at->second.due > link_.now) {
      ++at;
      continue;
    }
    gsmp::PortManagement reset;
    reset.port = at->first;
    reset.port_session = ports_.session(at->first);
    reset.function = gsmp::PortFunction::kResetFlags;
    reset.event_flags = at->second.flags;
    if (!link_.session.request(reset, at->first.value(), link_.now)) return false;
    at = resets_.erase(at);
  }
  return true;
}

bool PortQueries::send_reads() {
  for (auto at = wanted_.begin(); at != wanted_.end();) {
    const PortId port = *at;
    if (const auto reading = reading_.find(port); reading != reading_.end()) {
      reading->second = true;
    } else if (link_.session.port_configuration(port, port.value(), link_.now)) {
      reading_.emplace(port, false);
    } else {
      return false;
    }
    at = wanted_.erase(at);
  }
  return true;
}

TimePoint PortQueries::next_deadline() const {
  TimePoint due = read_all_at_ > link_.now ? read_all_at_ : kNever;
  for (const auto& [port, reset] : resets_) {
    if (reset.due > link_.now) due = std::min(due, reset.due);
  }
  return due;
}

void PortQueries::clear() {
  wanted_.clear();
  reading_.clear();
  resets_.clear();
  next_label_reset_.clear();
}

}  // namespace xbind
