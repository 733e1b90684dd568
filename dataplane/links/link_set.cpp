#include "dataplane/links/link_set.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "dataplane/links/packet_line.hpp"
#include "dataplane/links/ring.hpp"
#include "dataplane/links/udp_cfr.hpp"
#include "dataplane/links/udp_lsp.hpp"
#include "dataplane/links/udp_plain.hpp"

namespace xbind::dataplane {
namespace {

std::string words(const LinkPlace& place) {
  return fmt::format("'{}' port {}: {}", place.node, place.port, to_string(place.link));
}

struct RingEnds {
  const LinkPlace* first = nullptr;
  std::unique_ptr<Link> second;  // for the other end; null: taken by it
};

}  // namespace

Result<LinkSet> LinkSet::open(std::span<const LinkPlace> places, const LinkSetOptions& options) {
  if (places.size() > options.links_max)
    return fail(ErrorCode::kExhausted, "{} links, may be {}", places.size(), options.links_max);
  if (options.ring_cells_max == 0)
    return fail(ErrorCode::kBadInput, "a ring of 0 cells, must be 1 or more");
  LinkSet set;
  std::map<std::string, RingEnds> rings;
  std::set<std::string> interfaces;
  for (const LinkPlace& place : places) {
    if (set.find(place.node, place.port) != nullptr)
      return fail(ErrorCode::kBadInput, "{}: this port has a link already", words(place));
    End end;
    if (place.link.kind == LinkKind::kRing) {
      const auto [ring, first] = rings.try_emplace(place.link.ring);
      if (first) {
        auto [here, there] = make_ring(options.ring_cells_max);
        ring->second = {.first = &place, .second = std::move(there)};
        end.link = std::move(here);
      } else if (ring->second.second) {
        end.link = std::move(ring->second.second);
      } else {
        return fail(ErrorCode::kBadInput, "{}: this ring has two ends already", words(place));
      }
    } else if (place.link.kind == LinkKind::kFrames) {
      if (!interfaces.insert(place.link.interface).second) {
        return fail(ErrorCode::kBadInput, "{}: another line has the frames of this interface",
                    words(place));
      }
      auto line = open_packet_line({.interface = place.link.interface,
                                    .classes = place.classes,
                                    .labels = place.link.labels,
                                    .socket_buffer_octets = options.trunk.socket_buffer_octets});
      if (!line) return fail(line.error().code, "{}: {}", words(place), line.error().text);
      set.own_sockets_.push_back((*line)->pollable());
      end.link = std::move(*line);
    } else {
      auto link = set.open_udp(place.link, options);
      if (!link) return fail(link.error().code, "{}: {}", words(place), link.error().text);
      end.udp = link->get();
      end.link = std::move(*link);
    }
    set.ends_.emplace(std::pair(place.node, place.port), std::move(end));
  }
  for (const auto& [name, ends] : rings) {
    if (ends.second)
      return fail(ErrorCode::kBadInput, "{}: this ring has one end only", words(*ends.first));
  }
  return set;
}

Result<std::unique_ptr<UdpEnd>> LinkSet::open_udp(const LinkSpec& link,
                                                  const LinkSetOptions& options) {
  if (link.kind == LinkKind::kPlain) {
    auto plain = open_udp_plain({.local = link.local,
                                 .peer = link.peer,
                                 .form = link.form,
                                 .socket_buffer_octets = options.trunk.socket_buffer_octets});
    if (plain) own_sockets_.push_back((*plain)->pollable());
    return plain;
  }
  if (link.kind == LinkKind::kCfr) {
    if (!options.clock) return fail(ErrorCode::kBadInput, "such a line needs a clock");
    auto cfr = open_udp_cfr({.local = link.local,
                             .peer = link.peer,
                             .clock = options.clock,
                             .socket_buffer_octets = options.trunk.socket_buffer_octets});
    if (cfr) own_sockets_.push_back((*cfr)->pollable());
    return cfr;
  }
  if (link.kind == LinkKind::kLsp) {
    auto lsp = open_udp_lsp({.local = link.local,
                             .peer = link.peer,
                             .socket_buffer_octets = options.trunk.socket_buffer_octets});
    if (lsp) own_sockets_.push_back((*lsp)->pollable());
    return lsp;
  }
  auto found = std::find_if(trunks_.begin(), trunks_.end(),
                            [&](const Opened& opened) { return opened.local == link.local; });
  if (found == trunks_.end()) {
    UdpTrunkOptions trunk_options = options.trunk;
    trunk_options.local = link.local;
    auto trunk = UdpTrunk::open(trunk_options);
    if (!trunk) return tl::make_unexpected(trunk.error());
    found = trunks_.insert(trunks_.end(), Opened{link.local, std::move(*trunk)});
  }
  return found->trunk.add(link.peer, link.label);
}

const LinkSet::End* LinkSet::find(std::string_view node, PortId port) const {
  const auto found = ends_.find(std::pair(std::string(node), port));
  return found == ends_.end() ? nullptr : &found->second;
}

std::unique_ptr<Link> LinkSet::take(std::string_view node, PortId port) {
  const auto found = ends_.find(std::pair(std::string(node), port));
  if (found == ends_.end()) return nullptr;
  found->second.udp = nullptr;
  return std::move(found->second.link);
}

std::vector<int> LinkSet::descriptors() const {
  std::vector<int> numbers;
  for (const Opened& opened : trunks_) {
    if (opened.trunk.links() > 0) numbers.push_back(opened.trunk.pollable()->number());
  }
  for (const auto& own : own_sockets_) {
    if (const auto pollable = own.lock()) numbers.push_back(pollable->number());
  }
  return numbers;
}

std::uint16_t LinkSet::local_port(std::string_view node, PortId port) const {
  const End* end = find(node, port);
  return end != nullptr && end->udp != nullptr ? end->udp->local_port() : 0;
}

bool LinkSet::set_peer_port(std::string_view node, PortId port, std::uint16_t udp_port) {
  const End* end = find(node, port);
  if (end == nullptr || end->udp == nullptr) return false;
  end->udp->set_peer_port(udp_port);
  return true;
}

std::vector<LinkSet::Trunk> LinkSet::trunks() const {
  std::vector<Trunk> trunks;
  for (const Opened& opened : trunks_) {
    trunks.push_back({.local = {opened.local.host, opened.trunk.local_port()},
                      .counters = opened.trunk.counters()});
  }
  return trunks;
}

}  // namespace xbind::dataplane
