#include "smds/forwarder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace xbind::smds {
namespace {

std::string_view words_of(Fate fate) {
  switch (fate) {
    case Fate::kForwarded: return "forwarded";
    case Fate::kMalformed: return "malformed";
    case Fate::kBadEnvelope: return "bad envelope";
    case Fate::kUnassignedSource: return "source not of the line";
    case Fate::kDestinationScreened: return "destination screened";
    case Fate::kSourceScreened: return "source screened";
    case Fate::kClassExceeded: return "access class exceeded";
    case Fate::kUnknownIndividual: return "unknown individual address";
    case Fate::kUnknownGroup: return "unknown group";
    case Fate::kSameLine: return "for its own line";
    case Fate::kNoPath: return "no path to the server";
    case Fate::kNotConnected: return "line not connected";
    case Fate::kHopsExceeded: return "too many hops";
    case Fate::kBufferFull: return "buffer full";
  }
  return "forwarded";
}

}  // namespace

Forwarder::Forwarder(const Network& network, std::uint32_t server, const PduLimits& limits)
    : server_(server),
      id_(network.servers[server].id),
      limits_(limits),
      ports_(ports_of(network, server)),
      connected_(ports_.size()),
      counters_(ports_.size()) {
  for (std::uint32_t index = 0; index < network.servers.size(); ++index) {
    servers_.emplace(network.servers[index].id, index);
  }
  for (const Port& port : ports_) {
    if (port.kind != PortKind::kSubscriber) continue;
    const SubscriberSpec& spec = network.subscribers[port.at];
    lines_.push_back({spec.addresses, spec.individual, spec.group,
                      Credit(spec.access_class, limits.information_max)});
    std::ranges::sort(lines_.back().addresses);
  }
  for (const PrefixSpec& prefix : network.prefixes) {
    places_.add(prefix.prefix, {prefix.server, kNoPort});
  }
  for (std::uint32_t at = 0; at < network.subscribers.size(); ++at) {
    const SubscriberSpec& spec = network.subscribers[at];
    const auto own = std::ranges::find_if(ports_, [at](const Port& port) {
      return port.kind == PortKind::kSubscriber && port.at == at;
    });
    const PortIndex port =
        own == ports_.end() ? kNoPort : static_cast<PortIndex>(own - ports_.begin());
    for (const Address address : spec.addresses) places_.add(address, {spec.server, port});
  }
  const Adjacency adjacency = adjacency_of(network);
  trunk_of_.assign(network.servers.size(), kNoPort);
  const std::vector<std::uint32_t> hops = next_hops(tree_of(adjacency, server), server);
  for (std::uint32_t index = 0; index < hops.size(); ++index) {
    if (hops[index] != kNoServer) trunk_of_[index] = trunk_to(hops[index]);
  }
  add_groups(network, adjacency);
}

PortIndex Forwarder::trunk_to(std::uint32_t server) const {
  for (PortIndex port = 0; port < ports_.size(); ++port) {
    if (ports_[port].kind == PortKind::kTrunk && ports_[port].at == server) return port;
  }
  return kNoPort;
}

void Forwarder::add_groups(const Network& network, const Adjacency& adjacency) {
  if (network.groups.empty()) return;
  std::vector<Tree> trees;
  for (std::uint32_t root = 0; root < network.servers.size(); ++root) {
    trees.push_back(tree_of(adjacency, root));
  }
  for (const GroupSpec& spec : network.groups) {
    Group group;
    std::vector<std::uint32_t> servers;
    for (const Address member : spec.members) {
      const Place* place = places_.find(member);
      if (place == nullptr) continue;
      if (place->server != server_) {
        servers.push_back(place->server);
      } else if (std::ranges::find(group.local, place->port) == group.local.end()) {
        group.local.push_back(place->port);
      }
    }
    std::ranges::sort(group.local);
    for (const Tree& tree : trees) {
      std::vector<PortIndex> trunks;
      for (const std::uint32_t neighbour : branches(tree, server_, servers)) {
        trunks.push_back(trunk_to(neighbour));
      }
      group.trunks.push_back(std::move(trunks));
    }
    groups_.emplace(spec.address.wire(), std::move(group));
  }
}

void Forwarder::decide(PortIndex in, std::span<const std::byte> frame, TimePoint now,
                       Decision& decision) {
  decision.out.clear();
  decision.fault = PduFault::kNone;
  decision.pdu_at = 0;
  decision.fate = enter(in, frame, now, decision);
  PortCounters& counters = counters_[in];
  // passes_source() has counted those of a screen.
  if (decision.fate != Fate::kSourceScreened) {
    ++counters.fates[static_cast<std::size_t>(decision.fate)];
  }
  if (decision.fate == Fate::kMalformed) {
    ++counters.faults[static_cast<std::size_t>(decision.fault)];
  }
  if (observer_) observer_(in, decision);
}

Fate Forwarder::enter(PortIndex in, std::span<const std::byte> frame, TimePoint now,
                      Decision& decision) {
  const bool by_trunk = ports_[in].kind == PortKind::kTrunk;
  if (by_trunk) {
    const Fate fate = enter_by_trunk(frame, decision);
    if (fate != Fate::kForwarded) return fate;
  } else {
    decision.envelope = {.hops = kHopsFirst, .ingress = id_};
  }
  Pdu pdu;
  decision.fault = read_pdu(frame.subspan(decision.pdu_at), limits_, pdu);
  if (decision.fault != PduFault::kNone) return Fate::kMalformed;
  decision.destination = pdu.destination;
  decision.source = pdu.source;
  decision.information = pdu.information.size();
  PortCounters& counters = counters_[in];
  ++(pdu.destination.group() ? counters.received_group : counters.received_individual);
  counters.received_octets += decision.information;
  if (!by_trunk) {
    const Fate fate = admit(in, now, decision);
    if (fate != Fate::kForwarded) return fate;
  }
  return route(in, decision);
}

Fate Forwarder::enter_by_trunk(std::span<const std::byte> frame, Decision& decision) {
  const auto envelope = read_envelope(frame);
  if (!envelope || !servers_.contains(envelope->ingress)) return Fate::kBadEnvelope;
  if (envelope->hops == 0) return Fate::kHopsExceeded;
  decision.envelope = *envelope;
  --decision.envelope.hops;
  decision.pdu_at = kEnvelopeOctets;
  return Fate::kForwarded;
}

Fate Forwarder::admit(PortIndex in, TimePoint now, const Decision& decision) {
  Line& line = lines_[in];
  if (!std::ranges::binary_search(line.addresses, decision.source)) {
    return Fate::kUnassignedSource;
  }
  const Screen& screen = decision.destination.group() ? line.group : line.individual;
  if (!screen.passes(decision.destination)) return Fate::kDestinationScreened;
  if (!line.credit.take(decision.information, now)) return Fate::kClassExceeded;
  return Fate::kForwarded;
}

Fate Forwarder::route(PortIndex in, Decision& decision) {
  if (decision.destination.group()) return route_to_group(in, decision);
  const Place* place = places_.find(decision.destination);
  if (place == nullptr) return Fate::kUnknownIndividual;
  const bool here = place->server == server_;
  const PortIndex out = here ? place->port : trunk_of_[place->server];
  if (out == kNoPort) return here ? Fate::kUnknownIndividual : Fate::kNoPath;
  if (out == in) return Fate::kSameLine;
  if (here && !passes_source(out, decision)) return Fate::kSourceScreened;
  if (!connected_[out]) return Fate::kNotConnected;
  decision.out.push_back(out);
  return Fate::kForwarded;
}

Fate Forwarder::route_to_group(PortIndex in, Decision& decision) {
  const auto found = groups_.find(decision.destination.wire());
  if (found == groups_.end()) return Fate::kUnknownGroup;
  bool disconnected = false;  // a copy could not leave
  for (const PortIndex out : found->second.local) {
    if (out == in || !passes_source(out, decision)) continue;
    if (connected_[out]) decision.out.push_back(out);
    disconnected = disconnected || !connected_[out];
  }
  for (const PortIndex out : found->second.trunks[servers_.at(decision.envelope.ingress)]) {
    if (out == in) continue;
    if (connected_[out]) decision.out.push_back(out);
    disconnected = disconnected || !connected_[out];
  }
  if (!decision.out.empty()) return Fate::kForwarded;
  return disconnected ? Fate::kNotConnected : Fate::kUnknownGroup;
}

// A violation is counted at the port of the receiver, whose screen it is.
bool Forwarder::passes_source(PortIndex out, const Decision& decision) {
  if (lines_[out].individual.passes(decision.source)) return true;
  ++counters_[out].fates[static_cast<std::size_t>(Fate::kSourceScreened)];
  return false;
}

std::string Forwarder::line_of(PortIndex in, const Decision& decision) const {
  std::string line = ports_[in].name;
  const bool read = decision.fate != Fate::kMalformed && decision.fate != Fate::kBadEnvelope &&
                    decision.fate != Fate::kHopsExceeded;
  if (read) {
    line += fmt::format(" {} -> {} {} octets", to_string(decision.source),
                        to_string(decision.destination), decision.information);
  }
  line += fmt::format(": {}", words_of(decision.fate));
  if (decision.fate == Fate::kMalformed) line += fmt::format(", {}", to_string(decision.fault));
  std::vector<std::string_view> names;
  for (const PortIndex out : decision.out) names.push_back(ports_[out].name);
  if (!names.empty()) line += fmt::format(" to {}", fmt::join(names, ", "));
  return line;
}

}  // namespace xbind::smds
