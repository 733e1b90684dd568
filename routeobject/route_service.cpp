#include "routeobject/route_service.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/name.hpp"
#include "routeobject/alternates.hpp"

namespace xbind {
namespace {

// The changes that differ from the graph's present state.
std::vector<LinkChange> news(const RouteGraph& graph, const std::vector<LinkChange>& changes) {
  std::vector<LinkChange> fresh;
  for (const LinkChange& change : changes) {
    if (graph.link_state(change.link) != change.state) fresh.push_back(change);
  }
  return fresh;
}

// Unwraps a result that cannot fail, since the Router has checked links and rates.
template <class Value>
Value certain(Result<Value> made) {
  XB_CHECK(made.has_value(), made.error().text);
  return *std::move(made);
}

std::shared_ptr<const RouteTable> shared(RouteTable table) {
  return std::make_shared<const RouteTable>(std::move(table));
}

// The table's own graph; the pointer keeps the table alive.
std::shared_ptr<const RouteGraph> lines_of(const std::shared_ptr<const RouteTable>& table) {
  return {table, &table->graph()};
}

Result<void> check_names(const PathQuery& query) {
  for (const std::string* const end : {&query.from, &query.to}) {
    if (auto named = check_name("endpoint", *end); !named) return named;
  }
  for (const auto* const elements : {&query.avoid, &query.require}) {
    for (const PathElement& element : *elements) {
      if (auto named = check_name("switch", element.switch_name); !named) return named;
    }
  }
  for (const PathHop& hop : query.disjoint_from) {
    if (auto named = check_name("switch", hop.switch_name); !named) return named;
  }
  return {};
}

Result<void> check(const PathQuery& query) {
  for (const auto& [what, size, most] :
       {std::tuple{"elements to avoid", query.avoid.size(), kRouteAvoidMax},
        {"elements to require", query.require.size(), kPathRequiredMax},
        {"hops to be disjoint from", query.disjoint_from.size(), kRouteDisjointHopsMax}}) {
    if (size <= most) continue;
    return fail(ErrorCode::kBadInput, "{} {} from '{}' to '{}', the most is {}", size, what,
                printable(query.from), printable(query.to), most);
  }
  return check_names(query);
}

// The lines with the unknown links as if they were up, to find queries that fail only because of
// them. Null when nothing is unknown.
std::shared_ptr<const RouteGraph> with_unknown_lines(const RouteGraph& lines,
                                                     const NetworkCondition& condition) {
  std::vector<LinkChange> changes;
  for (std::size_t link = 0; link < condition.links.size(); ++link) {
    const LineCondition& line = condition.links[link];
    if (!line.unknown || !line.up || line.drained) continue;
    LinkState state = lines.link_state(link);
    state.up = true;
    changes.push_back({link, state});
  }
  if (changes.empty()) return nullptr;
  return std::make_shared<const RouteGraph>(certain(lines.with(changes)));
}

// The view of a network that is new, with all its rows computed.
NetworkView whole_view(const Router& router) {
  NetworkView view;
  view.condition = router.condition();
  const RouterChange all = router.whole_state();
  const RouteGraph graph(router.topology_pointer());
  view.room = std::make_shared<const RouteGraph>(certain(graph.with(all.room)));
  view.lines = std::make_shared<const RouteGraph>(certain(view.room->with(all.promised)));
  if (view.room->switches() <= kRouteTableSwitchesMax) {
    view.table = shared(certain(RouteTable::compute(*view.lines, PathMetric::kHops, 0)));
    view.lines = lines_of(view.table);
  }
  view.with_unknown = with_unknown_lines(*view.lines, *view.condition);
  return view;
}

}  // namespace

RouteService::RouteService(Topology topology, std::uint32_t validity_ms,
                           std::uint64_t first_version, SwitchTrustOptions trust)
    : validity_ms_(validity_ms),
      router_(std::make_shared<const Topology>(std::move(topology)), first_version, trust) {
  XB_CHECK(validity_ms >= 1 && validity_ms <= kRouteValidityMsMax, validity_ms);
  publish(whole_view(router_));
}

std::shared_ptr<const NetworkView> RouteService::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void RouteService::publish(NetworkView view) {
  auto next = std::make_shared<const NetworkView>(std::move(view));
  const std::lock_guard lock(mutex_);
  current_.swap(next);  // the old view ends without the lock
}

std::shared_ptr<const Topology> RouteService::topology() const {
  const std::shared_ptr<const NetworkView> view = current();
  return {view, &view->room->topology()};
}

RouteService::Snapshot RouteService::snapshot() const {
  const std::shared_ptr<const NetworkView> view = current();
  return {{view, &view->room->topology()}, view->condition};
}

void RouteService::replace_network(Topology topology, TimePoint now) {
  const std::lock_guard lock(changing_);
  router_.replace_network(std::make_shared<const Topology>(std::move(topology)),
                          now + 2 * std::chrono::milliseconds{validity_ms_});
  std::erase_if(reported_at_,
                [&](const auto& entry) { return !router_.topology().find(entry.first); });
  publish(whole_view(router_));
}

Result<RouteAnswers> RouteService::answer(std::span<const PathQuery> queries) const {
  if (queries.size() > kRouteQueriesMax) {
    return fail(ErrorCode::kBadInput, "{} queries in one batch, the most is {}", queries.size(),
                kRouteQueriesMax);
  }
  for (const PathQuery& query : queries) {
    if (const auto good = check(query); !good) return tl::make_unexpected(good.error());
  }
  const std::shared_ptr<const NetworkView> view = current();
  RouteAnswers answers{{}, view->condition->state.version, validity_ms_};
  answers.answers.reserve(queries.size());
  SearchBudget budget{kRouteBatchLabelsMax};
  for (const PathQuery& query : queries) {
    answers.answers.push_back(find_route(*view, query, budget));
  }
  return answers;
}

Result<RouteAnswers> RouteService::alternates(const PathQuery& query, std::size_t count) const {
  if (count == 0 || count > kAlternatesMax) {
    return fail(ErrorCode::kBadInput, "{} alternates from '{}' to '{}' are not in 1 to {}", count,
                query.from, query.to, kAlternatesMax);
  }
  if (const auto good = check(query); !good) return tl::make_unexpected(good.error());
  const std::shared_ptr<const NetworkView> view = current();
  RouteAnswers answers{{}, view->condition->state.version, validity_ms_};
  auto routes = find_alternate_routes(*view, query, count);
  if (!routes) {
    answers.answers.push_back(tl::make_unexpected(std::move(routes.error())));
    return answers;
  }
  for (FoundRoute& route : *routes) answers.answers.push_back(std::move(route));
  return answers;
}

Result<bool> RouteService::report(std::string_view switch_name, Epoch incarnation,
                                  std::uint64_t number, std::span<const PortReport> ports,
                                  TimePoint now, ReportAnswer* answer) {
  if (const auto named = check_name("switch", switch_name); !named) {
    return tl::make_unexpected(named.error());
  }
  const std::lock_guard lock(changing_);
  const std::uint64_t late = router_.stale_reports();
  const auto change = router_.report(switch_name, incarnation, number, ports, now, answer);
  // A report without ports does not update the free rates.
  if (change && !ports.empty() && router_.stale_reports() == late) {
    reported_at_.insert_or_assign(std::string{switch_name}, now);
  }
  return take(change);
}

bool RouteService::tick(TimePoint now) {
  const std::lock_guard lock(changing_);
  return take(router_.tick(now)).value();
}

std::vector<UnknownSwitch> RouteService::unknown_switches(TimePoint now) const {
  const std::lock_guard lock(changing_);
  return router_.unknown_switches(now);
}

Result<bool> RouteService::drain(const PathElement& element, bool drained) {
  if (const auto named = check_name("switch", element.switch_name); !named) {
    return tl::make_unexpected(named.error());
  }
  const std::lock_guard lock(changing_);
  return take(router_.drain(element, drained));
}

std::vector<PathElement> RouteService::drains() const {
  const std::lock_guard lock(changing_);
  return router_.drains();
}

std::vector<PortId> RouteService::reported_ports(std::string_view switch_name) const {
  const std::lock_guard lock(changing_);
  return router_.reported_ports(switch_name);
}

std::vector<RouteService::ReportAge> RouteService::report_ages(TimePoint now) const {
  const std::lock_guard lock(changing_);
  std::vector<ReportAge> ages;
  for (const TopologySwitch& at : router_.topology().switches()) {
    const auto reported = reported_at_.find(at.name);
    if (reported != reported_at_.end()) ages.push_back({at.name, now - reported->second});
  }
  return ages;
}

Result<bool> RouteService::take(const Result<RouterChange>& change) {
  if (!change) return tl::make_unexpected(change.error());
  if (change->empty()) return false;
  NetworkView next = *current();
  next.condition = router_.condition();
  if (const auto room = news(*next.room, change->room); !room.empty()) {
    next.room = std::make_shared<const RouteGraph>(certain(next.room->with(room)));
  }
  const auto promised = news(*next.lines, change->promised);
  if (!promised.empty()) {
    if (next.table) {
      next.table = shared(certain(next.table->after(promised)));
      next.lines = lines_of(next.table);
    } else {
      next.lines = std::make_shared<const RouteGraph>(certain(next.lines->with(promised)));
    }
  }
  if (!promised.empty() || change->condition) {
    next.with_unknown = with_unknown_lines(*next.lines, *next.condition);
  }
  const std::shared_ptr<const NetworkCondition> before = condition();
  publish(std::move(next));
  if (change->condition && on_condition_) on_condition_(*before, *condition());
  return change->condition;
}

std::shared_ptr<const NetworkCondition> RouteService::condition() const {
  return current()->condition;
}

Result<std::vector<LinkReport>> RouteService::links(std::size_t first, std::size_t limit) const {
  if (limit == 0 || limit > kRouteLinksMax) {
    return fail(ErrorCode::kBadInput, "{} links at a time are not in 1 to {}", limit,
                kRouteLinksMax);
  }
  const std::shared_ptr<const NetworkView> view = current();
  const Topology& topology = view->room->topology();
  const auto& all = topology.links();
  const auto element = [&](LinkEnd end) {
    return PathElement{topology.switches()[end.at].name, end.port};
  };
  std::vector<LinkReport> reports;
  for (std::size_t link = first; link < all.size() && reports.size() < limit; ++link) {
    const LinkState room = view->room->link_state(link);
    const LinkState lines = view->lines->link_state(link);
    reports.push_back({element(all[link].a), element(all[link].b), view->condition->links[link],
                       all[link].cells_per_s, lines.free_a_to_b, lines.free_b_to_a,
                       room.free_a_to_b, room.free_b_to_a, all[link].delay_us});
  }
  return reports;
}

RouteService::Counters RouteService::counters() const {
  Counters counters;
  {
    const std::lock_guard lock(changing_);
    counters.reports = router_.reports();
    counters.stale_reports = router_.stale_reports();
  }
  const std::shared_ptr<const NetworkCondition> now = condition();
  for (const auto* lines : {&now->links, &now->access_lines}) {
    for (const LineCondition& line : *lines) {
      counters.links_down += line.up ? 0 : 1;
      counters.links_drained += line.drained ? 1 : 0;
      counters.links_unknown += line.unknown ? 1 : 0;
    }
  }
  for (const std::uint8_t unknown : now->unknown_switches) {
    counters.switches_unknown += unknown != 0 ? 1 : 0;
  }
  return counters;
}

}  // namespace xbind
