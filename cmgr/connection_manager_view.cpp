// ConnectionManager: what operators and audits see.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cmgr/connection_manager.hpp"

namespace xbind::cmgr {
namespace {

std::uint64_t in_ms(Duration duration) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

}  // namespace

Result<void> ConnectionManager::set_aggregation(const Aggregation& settings, TimePoint now) {
  Aggregation wanted = settings;
  // What is not asked for stays: regions and the bound of batches in flight.
  if (wanted.regions.empty()) wanted.regions = switches_.aggregation().settings().regions;
  if (auto set = switches_.aggregation().set(std::move(wanted)); !set) return set;
  switches_.flush(now);
  return {};
}

std::vector<CacheState> ConnectionManager::caches(std::size_t limit, TimePoint now) const {
  std::vector<CacheState> states;
  const auto keep_most_used = [&](std::size_t from) {
    const auto begin = states.begin() + static_cast<std::ptrdiff_t>(from);
    std::stable_sort(begin, states.end(), [](const CacheState& a, const CacheState& b) {
      return a.hits + a.misses > b.hits + b.misses;
    });
    if (states.size() - from > limit) states.resize(from + limit);
  };
  std::vector<CacheState> quotas;
  switches_.for_each_switch([&](SwitchIndex at) {
    switches_.for_each_port(at, [&](PortId port, const PortCaches& caches) {
      const std::string element = fmt::format("{} port {}", switches_.name(at), port);
      const LabelCache& labels = caches.labels;
      if (labels.hits() + labels.misses() + labels.size() != 0) {
        states.push_back({CacheKind::kLabels, element, labels.hits(), labels.misses(),
                          labels.size(), labels.target(now), in_ms(labels.age(now))});
      }
      const QuotaCache& quota = caches.quota;
      if (config_.quotas) {
        quotas.push_back({CacheKind::kQuota, element, quota.hits(), quota.misses(),
                          quota.quota().cells_per_s, quota.spent().cells_per_s,
                          in_ms(quota.age(now))});
      }
    });
  });
  keep_most_used(0);
  std::size_t from = states.size();
  for (const auto& pair : routes_.pairs(limit, now)) {
    states.push_back({CacheKind::kRoutes, pair.from + " -> " + pair.to, pair.hits, pair.misses,
                      pair.entries, 0, in_ms(pair.age)});
  }
  states.push_back({CacheKind::kQos, config_.remote_qos ? "remote" : "collocated",
                    services_.hits() + counters_.mapped_here, services_.misses(), services_.size(),
                    0, in_ms(services_.age(now))});
  from = states.size();
  states.insert(states.end(), quotas.begin(), quotas.end());
  keep_most_used(from);
  states.push_back({CacheKind::kConnections, "connections", counters_.table_hits,
                    counters_.table_misses, connections_.size(), 0, 0});
  from = states.size();
  for (const PreparedPool& pool : pools_.all()) {
    states.push_back({CacheKind::kPrepared, pool.from + " -> " + pool.to, pool.hits, pool.misses,
                      pool.ready.size(), pool.wanted,
                      pool.ready.empty() ? 0 : in_ms(now - pool.ready.front().since)});
  }
  keep_most_used(from);
  return states;
}

std::optional<ConnectionManager::Description> ConnectionManager::describe(ConnectionId id) const {
  // Audits name a connection by its own id, clients perhaps by another.
  const Connection* found = find_shown(id);
  if (found == nullptr) found = connections_.find(id);
  if (found == nullptr) return std::nullopt;
  const Asker asker = found->asker.value_or(Asker{});
  return Description{*found, clients_.name(asker.client)};
}

std::vector<ConnectionId> ConnectionManager::list(ConnectionId after, std::size_t limit) const {
  std::vector<ConnectionId> ids;
  for (const Connection& connection : connections_) {
    const ConnectionId id = connection.shown_id();
    if (id > after) ids.push_back(id);
  }
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(limit, ids.size()));
  std::partial_sort(ids.begin(), end, ids.end());
  ids.erase(end, ids.end());
  return ids;
}

std::vector<std::string> ConnectionManager::switch_names() const {
  std::vector<std::string> names;
  switches_.for_each_switch([&](SwitchIndex at) { names.push_back(switches_.name(at)); });
  return names;
}

std::size_t ConnectionManager::labels_awaited(const std::string& switch_name, PortId port) const {
  const auto at = switches_.find(switch_name);
  std::size_t awaited = 0;
  if (!at) return awaited;
  switches_.for_each_port(*at, [&](PortId each, const PortCaches& caches) {
    if (each == port) awaited = caches.labels.awaited();
  });
  return awaited;
}

ManagerView ConnectionManager::view_of(const std::string& switch_name) const {
  ManagerView view;
  const auto at = switches_.find(switch_name);
  if (!at) return view;
  const auto add = [&](const Connection& connection) {
    for (const Hop& hop : connection.hops) {
      if (hop.at != *at) continue;
      view.hops.push_back({key_of(connection, hop),
                           {hop.input_port, hop.input_label, hop.output_port, hop.output_label},
                           connection.demand_of_leg(hop.leg),
                           connection.state == State::kConnected,
                           connection.traffic_of_leg(hop.leg)});
      if (!hop.last() && hop.output_label.present()) {
        view.labels.emplace_back(hop.output_port, hop.output_label);
      }
    }
  };
  for (const Connection& connection : connections_) {
    add(connection);
    if (const Connection* const party = connection.party()) add(*party);
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
