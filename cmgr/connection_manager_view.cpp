// ConnectionManager: what operators and audits see.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "cmgr/connection_manager.hpp"
#include "cmgr/procedures/procedure.hpp"

namespace xbind::cmgr {
namespace {

std::uint64_t in_ms(Duration duration) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

CallView view_of_incomplete(const SwitchDesk& switches, const IncompleteCall& call) {
  CallView view{call.id, false, {}, {}};
  for (const FoundHop* const found : hops_in_order(call)) {
    view.hops.push_back({switches.name(found->at), found->hop.key.hop, found->hop});
    view.hops.back().hop.settled = false;
  }
  return view;
}

}  // namespace

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
    switches_.caches().for_each_port(at, [&](PortId port, const PortCaches& caches) {
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
  for (const auto& pair : routes_.cache().pairs(limit, now)) {
    states.push_back({CacheKind::kRoutes, pair.from + " -> " + pair.to, pair.hits, pair.misses,
                      pair.entries, 0, in_ms(pair.age)});
  }
  states.push_back({CacheKind::kQos, config_.remote_qos ? "remote" : "collocated",
                    requests_.services().hits() + tally_.counters.mapped_here,
                    requests_.services().misses(), requests_.services().size(), 0,
                    in_ms(requests_.services().age(now))});
  from = states.size();
  states.insert(states.end(), quotas.begin(), quotas.end());
  keep_most_used(from);
  states.push_back({CacheKind::kConnections, "connections", tally_.counters.table_hits,
                    tally_.counters.table_misses, connections_.size(), 0, 0});
  from = states.size();
  for (const PreparedPool& pool : prepared_.pools().all()) {
    states.push_back({CacheKind::kPrepared, pool.from + " -> " + pool.to, pool.hits, pool.misses,
                      pool.ready.size(), pool.wanted,
                      pool.ready.empty() ? 0 : in_ms(now - pool.ready.front().since)});
  }
  keep_most_used(from);
  return states;
}

std::optional<ConnectionManager::Description> ConnectionManager::describe(ConnectionId id) const {
  // Audits name a connection by its own id; clients may name it by an alias.
  const Connection* found = connections_.find_shown(id);
  if (found == nullptr) found = connections_.find(id);
  if (found == nullptr) return std::nullopt;
  const Asker asker = found->asker().value_or(Asker{});
  return Description{*found, clients_.name(asker.client)};
}

std::vector<ConnectionManager::ClientView> ConnectionManager::clients(const std::string& after,
                                                                      std::size_t limit) const {
  std::vector<ClientView> views;
  for (ClientDesk::Known& known : clients_.page(after, limit)) {
    const ClientUsage::Usage usage = connections_.usage().of(known.index);
    views.push_back({std::move(known), usage});
  }
  return views;
}

std::vector<std::string> ConnectionManager::switch_names() const {
  std::vector<std::string> names;
  switches_.for_each_switch([&](SwitchIndex at) { names.push_back(switches_.name(at)); });
  return names;
}

bool ConnectionManager::reaches(const std::string& switch_name) const {
  const auto at = switches_.find(switch_name);
  return at && switches_.is_attached(*at);
}

ConnectionManager::Gauges ConnectionManager::gauges() const {
  return {connections_.size(),
          switches_.debts().owed(),
          outcomes_.gate().under_way(),
          switches_.attached_count(),
          routes_.cache().size(),
          routes_.cache().octets(),
          paths_.astray(),
          paths_.under_way(),
          prepared_.pools().ready(),
          network_.refused(),
          recovery_.waiting()};
}

std::vector<ConnectionId> ConnectionManager::list_all(ConnectionId after, std::size_t limit) const {
  std::vector<ConnectionId> ids = list(after, limit);
  if (recovery_.waiting() == 0) return ids;
  const std::vector<ConnectionId> incomplete = recovery_.incomplete_ids(after, limit);
  std::vector<ConnectionId> all;
  all.reserve(ids.size() + incomplete.size());
  std::ranges::set_union(ids, incomplete, std::back_inserter(all));
  if (all.size() > limit) all.resize(limit);
  return all;
}

std::size_t ConnectionManager::labels_awaited(const std::string& switch_name, PortId port) const {
  const auto at = switches_.find(switch_name);
  std::size_t awaited = 0;
  if (!at) return awaited;
  switches_.caches().for_each_port(*at, [&](PortId each, const PortCaches& caches) {
    if (each == port) awaited = caches.labels.awaited();
  });
  return awaited;
}

ManagerView ConnectionManager::view_of(const std::string& switch_name) const {
  ManagerView view;
  const auto at = switches_.find(switch_name);
  if (!at) return view;
  const auto add = [&](const Connection& connection, const Hops& hops, bool settled) {
    for (const Hop& hop : hops) {
      if (hop.at != *at) continue;
      view.hops.push_back({key_of(connection, hop),
                           {hop.input_port, hop.input_label, hop.output_port, hop.output_label},
                           connection.demand_of_leg(hop.leg),
                           settled,
                           connection.traffic_of_leg(hop.leg)});
      if (!hop.last() && hop.output_label.present()) {
        view.labels.emplace_back(hop.output_port, hop.output_label);
      }
    }
  };
  const Connection* last = nullptr;
  // Sorted by id, so that the hops come in order. A connection that passes the switch several times
  // is listed as often.
  std::vector<std::pair<ConnectionId, const Connection*>> passing;
  passing.reserve(connections_.passing(*at).size());
  for (const Connection* const connection : connections_.passing(*at)) {
    passing.emplace_back(connection->id, connection);
  }
  std::sort(passing.begin(), passing.end());
  view.hops.reserve(passing.size());
  for (const auto& entry : passing) {
    const Connection* const connection = entry.second;
    if (std::exchange(last, connection) == connection) continue;
    const Procedure* const procedure = connection->procedure.get();
    const bool aside = procedure != nullptr && procedure->aside();
    add(*connection, connection->hops(), connection->state() == State::kConnected);
    if (aside) add(*connection, connection->procedure->hops(), false);
  }
  switches_.caches().append_labels(*at, view.cached);
  view.labels.insert(view.labels.end(), view.cached.begin(), view.cached.end());
  switches_.labels_on_their_way(*at, view.labels);
  // Hops of incomplete calls, whose ledgers may still change what is known of them.
  recovery_.for_each_at(
      *at,
      [&](const FoundHop& found) {
        // Not settled: it is not known yet whether the hop stands.
        view.hops.push_back(found.hop);
        view.hops.back().settled = false;
        const CrossConnect& ports = found.hop.cross_connect;
        if (!found.last() && ports.output_label.present()) {
          view.labels.emplace_back(ports.output_port, ports.output_label);
        }
      },
      [&](PortId port, Label label) { view.labels.emplace_back(port, label); });
  recovery_.for_each_incomplete([&](const IncompleteCall& call) {
    view.lacks_hops = view.lacks_hops || call.element == switch_name;
  });
  view.owed = switches_.debts().keys(*at);
  const auto by_key = [](const LedgerHop& a, const LedgerHop& b) { return a.key < b.key; };
  // A connection that moves to another path has hops of two generations.
  if (!std::is_sorted(view.hops.begin(), view.hops.end(), by_key)) {
    std::sort(view.hops.begin(), view.hops.end(), by_key);
  }
  std::sort(view.owed.begin(), view.owed.end());
  std::sort(view.labels.begin(), view.labels.end());
  std::sort(view.cached.begin(), view.cached.end());
  return view;
}

std::optional<CallView> ConnectionManager::view_of_call(ConnectionId id) const {
  if (const auto call = incomplete(id)) return view_of_incomplete(switches_, *call);
  const auto found = describe(id);
  if (!found) return std::nullopt;
  const Connection& connection = found->connection;
  const bool held = connection.state() == State::kHeld;
  CallView view{connection.id, held || connection.rests(), {}, {}};
  const Hops& hops = connection.hops();
  const std::vector<std::uint16_t> numbers = hops.shown_numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Hop& hop = *hops.nth(i);
    LedgerHop& entry =
        view.hops.emplace_back(CallView::Place{switches_.name(hop.at), numbers[i], {}}).hop;
    entry.key = key_of(connection, hop);
    entry.cross_connect = {hop.input_port, hop.input_label, hop.output_port, hop.output_label};
    entry.demand = connection.demand_of_leg(hop.leg);
    entry.contract = connection.traffic_of_leg(hop.leg);
    entry.stage = held ? HopStage::kReserved : HopStage::kCommitted;
    entry.settled = view.settled;
    switches_.debts().append_keys(hop.at, connection.id, view.owed);
  }
  std::sort(view.owed.begin(), view.owed.end());
  view.owed.erase(std::unique(view.owed.begin(), view.owed.end()), view.owed.end());
  return view;
}

void ConnectionManager::repair(const std::string& switch_name, const OwnRepairs& repairs,
                               TimePoint now) {
  const auto at = switches_.find(switch_name);
  if (!at) return;
  for (const LedgerHop& hop : repairs.stray_hops) {
    switches_.debts().owe(*at, hop.key, Debt{hop.cross_connect, hop.hop_count, true, false, {}},
                          now);
  }
  for (const auto& [port, label] : repairs.leaked_labels) {
    switches_.caches().return_label(*at, port, label, now);
  }
  switches_.debts().pay_soon(now);
  switches_.queues().flush_all(now);
}

}  // namespace xbind::cmgr
