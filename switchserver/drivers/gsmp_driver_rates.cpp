// GsmpDriver: gives ports the rates that the operator has set.
#include "core/log.hpp"
#include "gsmp/messages/port_management.hpp"
#include "switchserver/drivers/gsmp_driver.hpp"

namespace xbind {

void GsmpDriver::set_rates(const std::vector<PortRate>& rates) {
  rates_.set(rates);
  send_rates();
}

// Sends as many as the session accepts; the rest waits for the next call.
void GsmpDriver::send_rates() {
  if (!up_ || rates_.empty()) return;
  bool room = true;
  std::vector<std::pair<PortId, std::uint64_t>> sent;
  rates_.for_each([&](PortId port, std::uint64_t cells_per_s) {
    const auto known = ports_.find(port);
    if (!room || known == ports_.end() || known->second.about.cells_per_s == cells_per_s) return;
    if (!rates_.due(port, known->second.session)) return;
    gsmp::PortManagement set;
    set.port = port;
    set.port_session = known->second.session;
    set.function = gsmp::PortFunction::kSetTransmitRate;
    set.transmit_cells_per_s = static_cast<std::uint32_t>(cells_per_s);
    room = session_.request(set, kRateCookie | port.value(), now_).has_value();
    if (room) sent.emplace_back(port, cells_per_s);
  });
  for (const auto& [port, cells_per_s] : sent) {
    rates_.asked(port, port_session(port), cells_per_s);
    log::info("port {}: the operator's rate of {} cells/s is requested", port, cells_per_s);
  }
}

void GsmpDriver::on_rate(const gsmp::Response& response) {
  const PortId port{static_cast<std::uint32_t>(response.cookie)};
  if (!response.success) {
    log::warn("port {}: the switch refuses the operator's rate: {}; it stays at {} cells/s", port,
              to_string(response.code), port_at(port).about.cells_per_s);
  }
  want_port(port);
}

}  // namespace xbind
