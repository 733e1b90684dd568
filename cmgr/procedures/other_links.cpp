#include "cmgr/procedures/other_links.hpp"

#include <algorithm>

#include "cmgr/procedures/connection_table.hpp"
#include "core/log.hpp"

namespace xbind::cmgr {

void OtherLinks::note(const End& from, const End& to, ConnectionId connection) {
  // One link, in whatever direction cells pass it.
  const Link link{std::min(from, to), std::max(from, to)};
  if (links_.size() >= kLinksMax || links_.contains(link)) return;
  links_[link].connection = connection;
  log::calls.warn("calls show a link that the topology lacks: {} port {} to {} port {}",
                  context_.switches.name(link.one.first), link.one.second,
                  context_.switches.name(link.other.first), link.other.second);
}

void OtherLinks::compare(const LinkMap& topology) {
  std::erase_if(links_, [&](const auto& entry) {
    const Link& link = entry.first;
    return topology.far_end(link.one.first, link.one.second) == link.other;
  });
}

bool OtherLinks::in_use(const Link& link, Use& use) const {
  const Connection* const known = context_.connections.find(use.connection);
  if (known != nullptr) ++looks_;
  if (known != nullptr && leaves_by(*known, link)) return true;
  use.used = search(link, use);
  return use.used;
}

bool OtherLinks::search(const Link& link, Use& use) const {
  for (std::size_t budget = kLooksMax / links_.size(); budget != 0; --budget) {
    const End& end = use.at_other ? link.other : link.one;
    const auto& passing = context_.connections.passing(end.first);
    use.left = std::min(use.left, passing.size());
    if (use.left == 0) {
      use.left = kWhole;
      use.at_other = !use.at_other;
      if (!use.at_other) return false;
      continue;
    }
    const Connection& connection = *passing[--use.left];
    ++looks_;
    if (!leaves_by(connection, link)) continue;
    use = {connection.id};
    return true;
  }
  return use.used;  // as far as is known
}

bool OtherLinks::leaves_by(const Connection& connection, const Link& link) const {
  return std::ranges::any_of(connection.hops(), [&](const Hop& hop) {
    const End out{hop.at, hop.output_port};
    return out == link.one || out == link.other;
  });
}

}  // namespace xbind::cmgr
