#include "dataplane/host/open_host_lines.hpp"

#include <vector>

namespace xbind::dataplane {
namespace {

constexpr PortId kLine{1};  // a host has one

}  // namespace

Result<HostLines> open_host_lines(std::span<const NamedLink> hosts,
                                  const HostLineOptions& options) {
  std::vector<LinkPlace> places;
  for (const NamedLink& host : hosts) {
    const bool frames = host.link.kind == LinkKind::kFrames;
    if (frames || host.link.kind == LinkKind::kCfr) {
      return fail(ErrorCode::kBadInput, "{}: {} carries {}, and a host line cells of ATM or MPLS",
                  host.name, to_string(host.link), frames ? "frames" : "cells of a ring");
    }
    places.push_back({.node = host.name, .port = kLine, .link = host.link});
  }
  auto links = LinkSet::open(places);
  if (!links) return tl::make_unexpected(links.error());
  HostLines opened{.lines = {}, .links = std::move(*links)};
  for (const NamedLink& host : hosts) {
    opened.lines.emplace(host.name,
                         std::make_unique<HostLine>(opened.links.take(host.name, kLine), options));
  }
  return opened;
}

}  // namespace xbind::dataplane
