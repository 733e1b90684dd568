// Events (RFC 3292 section 9): Port Up and Down, Invalid Label, New and Dead Port,
// Adjacency Update.
#include <algorithm>

#include "switchagent/agent_request.hpp"

namespace xbind::switchagent {

using gsmp::MessageType;
using gsmp::ResultField;

void SwitchAgent::send_adjacency_update() {
  gsmp::Event event;
  event.header.type = MessageType::kAdjacencyUpdate;
  event.header.code = static_cast<gsmp::FailureCode>(std::min<std::size_t>(adjacencies(), 255));
  send_event(event);
}

// Sends to each controller whose version has the event.
void SwitchAgent::send_event(gsmp::Event event) {
  const bool wants_receipt =
      options_.return_receipt && event.header.type != MessageType::kAdjacencyUpdate;
  for (auto& [id, controller] : controllers_) {
    const std::uint8_t version = controller.adjacency.version();
    if (!controller.heard() || !gsmp::exists_in(event.header.type, version)) continue;
    event.header.version = version;
    event.header.partition = controller.adjacency.partition();
    event.header.result =
        wants_receipt && version != 1 ? ResultField::kReturnReceipt : ResultField::kEvent;
    gsmp::append_frame(controller.output, event);
    ++counters_.events_sent;
  }
}

// Counts a detected event. Sends it unless flow control holds it back or no controller is
// connected.
void SwitchAgent::raise(MessageType type, PortId port, std::uint32_t session, Label label) {
  PortEventState& state = table_.events(port);
  ++state.sequence;
  const std::uint16_t flag = gsmp::event_flag(type);
  if ((state.flags & state.flow_control & flag) != 0 || adjacencies() == 0) {
    ++counters_.events_held;
    return;
  }
  state.flags |= flag;
  gsmp::Event event;
  event.header.type = type;
  event.port = port;
  event.port_session = session;
  event.sequence = state.sequence;
  event.label = gsmp::label_field(label);
  send_event(event);
}

void SwitchAgent::invalid_label(PortId port, Label label, TimePoint now) {
  TimePoint& next = invalid_label_next_[port.value() - 1];
  const bool held_by_flag = (table_.events(port).flow_control & gsmp::kEventInvalidLabel) != 0;
  if (!held_by_flag && now < next) {
    ++table_.events(port).sequence;
    ++counters_.events_held;
    return;
  }
  next = now + kInvalidLabelRest;
  raise(MessageType::kInvalidLabel, port, table_.port_session(port).value_or(0), label);
}

void SwitchAgent::port_changed(MessageType event, PortId port, std::uint32_t session) {
  raise(event, port, session);
}

}  // namespace xbind::switchagent
