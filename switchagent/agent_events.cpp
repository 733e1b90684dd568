#include "switchagent/agent_events.hpp"

#include <algorithm>

#include "gsmp/framing.hpp"
#include "gsmp/messages/event.hpp"

namespace xbind::switchagent {

using gsmp::MessageType;
using gsmp::ResultField;

void AgentEvents::adjacency_update() {
  gsmp::Event event;
  event.header.type = MessageType::kAdjacencyUpdate;
  event.header.code =
      static_cast<gsmp::FailureCode>(std::min<std::size_t>(established(controllers_), 255));
  send(event);
}

void AgentEvents::send(gsmp::Event event) {
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

void AgentEvents::raise(MessageType type, PortId port, std::uint32_t session, Label label) {
  PortEventState& state = table_.events(port);
  ++state.sequence;
  const std::uint16_t flag = gsmp::event_flag(type);
  if ((state.flags & state.flow_control & flag) != 0 || established(controllers_) == 0) {
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
  send(event);
}

void AgentEvents::invalid_label(PortId port, Label label, TimePoint now) {
  TimePoint& next = next_invalid_label_[port.value() - 1];
  const bool held_by_flag = (table_.events(port).flow_control & gsmp::kEventInvalidLabel) != 0;
  if (!held_by_flag && now < next) {
    ++table_.events(port).sequence;
    ++counters_.events_held;
    return;
  }
  next = now + kInvalidLabelRest;
  raise(MessageType::kInvalidLabel, port, table_.port_session(port).value_or(0), label);
}

}  // namespace xbind::switchagent
