#include "switchagent/table/fabric_state.hpp"

namespace xbind::switchagent {

using gsmp::MessageType;

std::optional<std::uint32_t> FabricState::port_session(PortId port) const {
  if (!fabric_.has(port)) return std::nullopt;
  return fabric_.port_session(port);
}

void FabricState::set_line(PortId port, bool up) {
  const std::uint32_t before = fabric_.port_session(port);
  if (!fabric_.set_line(port, up) || client_ == nullptr) return;
  client_->port_changed(up ? MessageType::kPortUp : MessageType::kPortDown, port,
                        up ? fabric_.port_session(port) : before);
}

void FabricState::set_installed(PortId port, bool installed) {
  if (!fabric_.set_installed(port, installed) || client_ == nullptr) return;
  client_->port_changed(installed ? MessageType::kNewPort : MessageType::kDeadPort, port,
                        fabric_.port_session(port));
}

}  // namespace xbind::switchagent
