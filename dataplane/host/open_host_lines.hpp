// Opens the host ends of lines over UDP, for callgen's --endpoints. Part of xbind_dataplane_udp.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "dataplane/host/host_line.hpp"
#include "dataplane/links/link_set.hpp"
#include "dataplane/links/link_spec.hpp"

namespace xbind::dataplane {

struct HostLines {
  std::map<std::string, std::unique_ptr<HostLine>, std::less<>> lines;  // by name
  LinkSet links;  // descriptors() to poll, trunks() for undelivered datagrams
};

// Opens all or none; hosts with the same LOCAL share a socket. Each `link` is given from the host's
// point of view. Errors: those of LinkSet::open; two ends of one ring may be among the hosts.
Result<HostLines> open_host_lines(std::span<const NamedLink> hosts,
                                  const HostLineOptions& options = {});

}  // namespace xbind::dataplane
