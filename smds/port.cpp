#include "smds/port.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace xbind::smds {

Result<std::uint32_t> server_index(const Network& network, const std::string& name) {
  const auto found = std::ranges::find(network.servers, name, &ServerSpec::name);
  if (found != network.servers.end()) {
    return static_cast<std::uint32_t>(found - network.servers.begin());
  }
  std::vector<std::string> names;
  for (const ServerSpec& server : network.servers) names.push_back(server.name);
  return fail(ErrorCode::kNotFound, "there is no server '{}' in the network; it has {}", name,
              fmt::join(names, ", "));
}

std::vector<Port> ports_of(const Network& network, std::uint32_t server) {
  std::vector<Port> ports;
  for (std::uint32_t at = 0; at < network.subscribers.size(); ++at) {
    const SubscriberSpec& spec = network.subscribers[at];
    if (spec.server != server) continue;
    ports.push_back({.kind = PortKind::kSubscriber,
                     .name = spec.name,
                     .at = at,
                     .endpoint = spec.endpoint,
                     .adaptation = spec.adaptation,
                     .mbit_per_s = spec.access_class,
                     .mcdus = spec.mcdus});
  }
  for (const TrunkSpec& trunk : network.trunks) {
    if (trunk.one != server && trunk.other != server) continue;
    const std::uint32_t neighbour = trunk.one == server ? trunk.other : trunk.one;
    ports.push_back({.kind = PortKind::kTrunk,
                     .name = network.servers[neighbour].name,
                     .at = neighbour,
                     .endpoint = network.servers[neighbour].endpoint,
                     .adaptation = trunk.adaptation,
                     .mbit_per_s = trunk.mbit_per_s,
                     .mcdus = 1});
  }
  return ports;
}

}  // namespace xbind::smds
