#include "switchserver/drivers/rate_requests.hpp"

#include <utility>

#include "core/log.hpp"
#include "gsmp/messages/port_management.hpp"

namespace xbind {

void RateRequests::set(const std::vector<PortRate>& rates) {
  rates_.set(rates);
  send();
}

void RateRequests::send() {
  if (!link_.up || rates_.empty()) return;
  bool room = true;
  std::vector<std::pair<PortId, std::uint64_t>> sent;
  rates_.for_each([&](PortId port, std::uint64_t cells_per_s) {
    const PortTable::Port* const known = ports_.table().find(port);
    if (!room || known == nullptr || known->about.cells_per_s == cells_per_s) return;
    if (!rates_.due(port, known->session)) return;
    gsmp::PortManagement set;
    set.port = port;
    set.port_session = known->session;
    set.function = gsmp::PortFunction::kSetTransmitRate;
    set.transmit_cells_per_s = static_cast<std::uint32_t>(cells_per_s);
    room = link_.session.request(set, kCookie | port.value(), link_.now).has_value();
    if (room) sent.emplace_back(port, cells_per_s);
  });
  for (const auto& [port, cells_per_s] : sent) {
    rates_.asked(port, ports_.session(port), cells_per_s);
    log::info("port {}: the operator's rate of {} cells/s is requested", port, cells_per_s);
  }
}

void RateRequests::on_answer(const gsmp::Response& response) {
  const PortId port{static_cast<std::uint32_t>(response.cookie)};
  if (!response.success) {
    log::warn("port {}: the switch refuses the operator's rate: {}; it stays at {} cells/s", port,
              to_string(response.code), ports_.table().at(port).about.cells_per_s);
  }
  ports_.read(port);
}

}  // namespace xbind
