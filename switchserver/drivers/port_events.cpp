#include "switchserver/drivers/port_events.hpp"

#include "core/log.hpp"
#include "core/planted.hpp"
#include "gsmp/messages/port_management.hpp"

namespace xbind {

void PortEvents::on(const gsmp::Event& event) {
  switch (event.header.type) {
    case gsmp::MessageType::kPortUp: ++link_.counters.port_up; break;
    case gsmp::MessageType::kPortDown: ++link_.counters.port_down; break;
    case gsmp::MessageType::kNewPort: ++link_.counters.new_port; break;
    case gsmp::MessageType::kDeadPort: ++link_.counters.dead_port; break;
    case gsmp::MessageType::kInvalidLabel: note_invalid_label(event); break;
    case gsmp::MessageType::kAdjacencyUpdate: return on_adjacency_update(event);
    default: return;
  }
  note(event);
}

void PortEvents::on_adjacency_update(const gsmp::Event& event) {
  ++link_.counters.adjacency_update;
  link_.counters.adjacencies = static_cast<std::uint64_t>(event.header.code);
  log::gsmp.info("the switch has {} controllers", link_.counters.adjacencies);
  if (link_.up) link_.events.emplace_back(driver::Others{link_.counters.adjacencies});
  // Also after the last other controller has left: it may have changed ports.
  queries_.read_all();
}

void PortEvents::note(const gsmp::Event& event) {
  const bool of_label = event.header.type == gsmp::MessageType::kInvalidLabel;
  if (!of_label) log::gsmp.info("the switch reports: {}", to_string(event));
  if (PortTable::Port* const port = ports_.find(event.port); port == nullptr) {
    queries_.read(event.port);
  } else {
    const bool missed = event.sequence != port->sequence + 1;
    port->sequence = event.sequence;
    if (missed) ++link_.counters.event_gaps;
    if (missed || !of_label) queries_.read(event.port);
    // Later requests must not be refused because of the old session number.
    if (event.header.type == gsmp::MessageType::kPortUp && !planted(Bug::kPortSessionKept))
      port->session = event.port_session;
  }
  if (planted(Bug::kFlagsNotReset)) return;
  if (of_label) return queries_.reset_invalid_label(event.port);
  queries_.reset(event.port, gsmp::event_flag(event.header.type));
}

void PortEvents::note_invalid_label(const gsmp::Event& event) {
  ++link_.counters.invalid_label;
  if (invalid_logged_ != TimePoint{} && link_.now < invalid_logged_ + kInvalidLabelLogPause) {
    ++invalid_unlogged_;
    return;
  }
  log::gsmp.warn("the switch reports: {}; {} more since the last of these lines", to_string(event),
                 invalid_unlogged_);
  invalid_logged_ = link_.now;
  invalid_unlogged_ = 0;
}

void PortEvents::on_reset(const gsmp::Response& response) {
  const auto* const body = body_of<gsmp::PortManagement>(response);
  if (!response.success || body == nullptr) {
    // The port is gone or has begun a new session: reading it shows which.
    return queries_.read(PortId{static_cast<std::uint32_t>(response.cookie)});
  }
  PortTable::Port* const port = ports_.find(body->port);
  if (port == nullptr || port->sequence == body->event_sequence) return;
  ++link_.counters.event_gaps;
  port->sequence = body->event_sequence;
  queries_.read(body->port);
}

}  // namespace xbind
