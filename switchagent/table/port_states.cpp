#include "switchagent/table/port_states.hpp"

#include <algorithm>
#include <utility>

namespace xbind::switchagent {

using dataplane::Loopback;
using gsmp::PortStatus;

PortStates::PortStates(const FabricOptions& options, dataplane::SwitchFabric& cells,
                       std::function<std::uint32_t()> random)
    : cells_(cells), random_(std::move(random)), count_(options.ports), ports_(options.ports) {
  for (std::uint32_t number = 1; number <= options.ports; ++number) {
    const PortId id(number);
    Port& port = at(id);
    begin_session(port);
    const auto own_rate = options.port_cells_per_s.find(id);
    port.rate_default =
        own_rate == options.port_cells_per_s.end() ? options.link_cells_per_s : own_rate->second;
    set_rate(id, port.rate_default);
  }
}

// Never 0 or the old number. Terminates even if the random source repeats itself.
void PortStates::begin_session(Port& port) {
  std::uint32_t session = std::max(random_(), std::uint32_t{1});
  if (session == port.session) session = session == 0xffffffff ? 1 : session + 1;
  port.session = session;
}

std::uint32_t PortStates::cards() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(ports_, &Port::installed));
}

void PortStates::describe(PortId id, gsmp::PortRecord& record) const {
  const Port& port = at(id);
  record.port = id;
  record.port_session = port.session;
  record.event_sequence = port.events.sequence;
  record.event_flags = port.events.flags;
  record.attribute_flags = port.replace ? 0x8000 : 0;
  record.transmit_cells_per_s = port.rate;
  record.receive_cells_per_s = port.rate_default;
  record.port_status = port.status;
  record.line_status = port.line_up ? gsmp::LineStatus::kUp : gsmp::LineStatus::kDown;
  record.physical_slot = 0;
  record.physical_port = static_cast<std::uint16_t>(id.value());
}

gsmp::FailureCode PortStates::check(PortId input, PortId output, std::uint32_t of_session) const {
  if (!has(input) || !has(output)) return gsmp::FailureCode::kNoSuchPort;
  return of_session == session(input) ? gsmp::FailureCode::kNone
                                      : gsmp::FailureCode::kInvalidPortSession;
}

void PortStates::apply_line(PortId id) {
  const Port& port = at(id);
  cells_.set_line(id, port.installed && port.line_up && port.status != PortStatus::kUnavailable);
}

bool PortStates::set_line(PortId id, bool up) {
  Port& port = at(id);
  if (port.line_up == up) return false;
  port.line_up = up;
  if (up) begin_session(port);
  apply_line(id);
  return true;
}

void PortStates::insert(PortId id) {
  Port& port = at(id);
  port.installed = true;
  begin_session(port);
  port.line_up = true;
  port.replace = false;
  port.events = {};
  set_rate(id, port.rate_default);
  enter(id, PortStatus::kAvailable, Loopback::kNone, kNever);
}

void PortStates::remove(PortId id) {
  at(id).installed = false;
  enter(id, at(id).status, Loopback::kNone, kNever);
}

void PortStates::bring_up(PortId id) {
  begin_session(at(id));
  enter(id, PortStatus::kAvailable, Loopback::kNone, kNever);
}

void PortStates::enter(PortId id, PortStatus status, Loopback loopback, TimePoint until) {
  Port& port = at(id);
  port.status = status;
  port.loopback_end = until;
  cells_.set_loopback(id, loopback);
  apply_line(id);
}

void PortStates::set_rate(PortId id, std::uint32_t cells_per_s) {
  at(id).rate = cells_per_s;
  cells_.set_rate(id, cells_per_s);
}

TimePoint PortStates::next_deadline() const {
  TimePoint due = kNever;
  for (const Port& port : ports_) due = std::min(due, port.loopback_end);
  return due;
}

}  // namespace xbind::switchagent
