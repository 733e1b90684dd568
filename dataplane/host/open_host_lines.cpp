#include "dataplane/host/open_host_lines.hpp"

#include <vector>

namespace xbind::dataplane {
namespace {

constexpr PortId kLine{1};  // a host has one

}  // namespace

Result<HostLines> open_host_lines(std::span<const NamedLink> hosts,
                                  const HostLineOptions& options) {
  std::vector<LinkPlace> places;
  for (const NamedLink& host : hosts) places.push_back({host.name, kLine, host.link});
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
