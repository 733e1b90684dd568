#include "smds/line_calls.hpp"

#include <algorithm>

#include "dataplane/aal34.hpp"

namespace xbind::smds {
namespace {

constexpr std::uint32_t kStm1CellsPerS = 353'207;

// The latest call of that client between those ends; null: there is none.
const SeenCall* latest(const std::vector<SeenCall>& calls, const std::string& client,
                       const std::string& from, const std::string& to) {
  const SeenCall* found = nullptr;
  for (const SeenCall& call : calls) {
    if (call.client != client || call.from != from || call.to != to) continue;
    if (found == nullptr || found->connection < call.connection) found = &call;
  }
  return found;
}

}  // namespace

ServiceSpec contract_for(std::uint32_t mbit_per_s, std::size_t frame_octets_max) {
  const std::size_t frame_cells = dataplane::aal34_cells(frame_octets_max);
  const std::uint64_t cells_per_s =
      std::uint64_t{mbit_per_s} * 125'000 * frame_cells / frame_octets_max + 1;
  ServiceSpec service;
  service.kind = ServiceKind::kContract;
  service.contract.category = ServiceCategory::kNrtVbr;
  service.contract.guaranteed_cells_per_s = static_cast<std::uint32_t>(cells_per_s);
  service.contract.pcr_cells_per_s =
      std::max(kStm1CellsPerS, service.contract.guaranteed_cells_per_s);
  service.contract.mbs_cells = static_cast<std::uint32_t>(2 * frame_cells);
  return service;
}

std::vector<keeper::Wanted> wanted_calls(const std::vector<Port>& ports,
                                         const std::string& endpoint,
                                         std::size_t frame_octets_max) {
  std::vector<keeper::Wanted> wanted;
  for (const Port& port : ports) {
    if (port.endpoint.empty()) continue;
    keeper::Wanted call;
    call.name = port.name;
    call.request.from = endpoint;
    call.request.to = port.endpoint;
    call.request.service = contract_for(port.mbit_per_s, frame_octets_max);
    if (port.kind == PortKind::kSubscriber) call.request.reverse = call.request.service;
    wanted.push_back(std::move(call));
  }
  return wanted;
}

std::vector<LineLabels> labels_of(const std::vector<Port>& ports, const std::string& server,
                                  const std::string& endpoint, const std::vector<SeenCall>& calls,
                                  const std::vector<LineLabels>& before) {
  std::vector<LineLabels> labels(ports.size());
  for (PortIndex index = 0; index < ports.size(); ++index) {
    const Port& port = ports[index];
    if (port.endpoint.empty()) continue;
    const auto take = [&](const SeenCall* call, Label SeenCall::*of, Label LineLabels::*side) {
      if (call == nullptr) return;
      labels[index].*side = (call->*of).present() ? call->*of : before[index].*side;
    };
    const SeenCall* own = latest(calls, server, endpoint, port.endpoint);
    take(own, &SeenCall::ingress, &LineLabels::send);
    if (port.kind == PortKind::kSubscriber) {
      take(own, &SeenCall::reverse_egress, &LineLabels::receive);
    } else {
      take(latest(calls, port.name, port.endpoint, endpoint), &SeenCall::egress,
           &LineLabels::receive);
    }
  }
  return labels;
}

LineLabels subscriber_labels(const std::string& server, const std::string& server_endpoint,
                             const std::string& endpoint, const std::vector<SeenCall>& calls) {
  const SeenCall* call = latest(calls, server, server_endpoint, endpoint);
  return call == nullptr ? LineLabels{} : LineLabels{call->reverse_ingress, call->egress};
}

}  // namespace xbind::smds
