// ConnectionManager, third part: what operators and audits see.
#include "cmgr/connection_manager.hpp"

#include <algorithm>

namespace xbind::cmgr {

std::optional<ConnectionManager::Description> ConnectionManager::describe(ConnectionId id) const {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return std::nullopt;
  return Description{*found->second, clients_.name(found->second->client)};
}

std::vector<ConnectionId> ConnectionManager::list(ConnectionId after, std::size_t limit) const {
  std::vector<ConnectionId> ids;
  for (const auto& [id, connection] : connections_) {
    if (id > after) ids.push_back(id);
  }
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(limit, ids.size()));
  std::partial_sort(ids.begin(), end, ids.end());
  ids.erase(end, ids.end());
  return ids;
}

std::vector<std::string> ConnectionManager::switch_names() const {
  std::vector<std::string> names;
  for (SwitchIndex at = 0; at < switches_.size(); ++at) names.push_back(switches_.name(at));
  return names;
}

ManagerView ConnectionManager::view_of(const std::string& switch_name) const {
  ManagerView view;
  const auto at = switches_.find(switch_name);
  if (!at) return view;
  for (const auto& [id, connection] : connections_) {
    for (const Hop& hop : connection->hops) {
      if (hop.at != *at) continue;
      view.hops.push_back({key_of(*connection, hop),
                           {hop.input_port, hop.input_label, hop.output_port, hop.output_label},
                           connection->demand,
                           connection->state == State::kConnected});
      const bool last = &hop == &connection->hops.back();
      if (!last && hop.output_label.present()) {
        view.labels.emplace_back(hop.output_port, hop.output_label);
      }
    }
  }
  switches_.labels_cached(*at, view.cached);
  view.labels.insert(view.labels.end(), view.cached.begin(), view.cached.end());
  switches_.labels_on_their_way(*at, view.labels);
  view.owed = switches_.debts(*at);
  std::sort(view.hops.begin(), view.hops.end(),
            [](const LedgerHop& a, const LedgerHop& b) { return a.key < b.key; });
  std::sort(view.owed.begin(), view.owed.end());
  std::sort(view.labels.begin(), view.labels.end());
  std::sort(view.cached.begin(), view.cached.end());
  return view;
}

}  // namespace xbind::cmgr
