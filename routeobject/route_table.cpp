#include "routeobject/route_table.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "routeobject/constrained_path.hpp"
#include "routeobject/resolved_query.hpp"

namespace xbind {

Result<RouteTable> RouteTable::compute(RouteGraph graph, PathMetric metric,
                                       std::uint64_t cells_per_s) {
  if (graph.switches() > kRouteTableSwitchesMax) {
    return fail(ErrorCode::kExhausted,
                "{} switches are too many for a table of all pairs, the most is {}",
                graph.switches(), kRouteTableSwitchesMax);
  }
  RouteTable table(std::move(graph), metric, cells_per_s);
  table.rows_.reserve(table.graph_.switches());
  for (SwitchIndex to = 0; to < table.graph_.switches(); ++to) {
    table.rows_.push_back(table.row_to(to));
  }
  table.rows_computed_ = table.rows_.size();
  return table;
}

Result<RouteTable> RouteTable::after(std::span<const LinkChange> changes) const {
  Result<RouteGraph> graph = graph_.with(changes);
  if (!graph) return tl::make_unexpected(graph.error());
  RouteTable next(*std::move(graph), metric_, cells_per_s_);
  std::vector<ArcIndex> changed;
  for (const LinkChange& change : changes) {
    const ArcIndex from_a = graph_.arc_from_a(change.link);
    for (const ArcIndex arc : {from_a, graph_.twin(from_a)}) {
      const bool was = graph_.usable(arc, cells_per_s_);
      const bool is = next.graph_.usable(arc, cells_per_s_);
      if (was != is || (is && arc_cost(graph_, arc, metric_, cells_per_s_) !=
                                  arc_cost(next.graph_, arc, metric_, cells_per_s_))) {
        changed.push_back(arc);
      }
    }
  }
  next.rows_ = rows_;
  for (SwitchIndex to = 0; to < next.rows_.size(); ++to) {
    const Row& row = *rows_[to];
    if (std::ranges::none_of(changed, [&](ArcIndex arc) { return next.disturbs(row, arc); })) {
      continue;
    }
    next.rows_[to] = next.row_to(to);
    ++next.rows_computed_;
  }
  return next;
}

// Whether a changed arc makes the row wrong. If none does, the row stays right: its distances hold
// along its own arcs, no arc offers less, and no equal arc precedes the chosen one.
bool RouteTable::disturbs(const Row& row, ArcIndex arc) const {
  const SwitchIndex from = graph_.from(arc);
  if (row.next[from] == arc) return true;
  const PathLength rest = row.distance[graph_.to(arc)];
  if (!rest.reached() || !graph_.usable(arc, cells_per_s_)) return false;
  const PathLength offered = rest.longer(arc_cost(graph_, arc, metric_, cells_per_s_));
  return offered < row.distance[from] || (offered == row.distance[from] && arc < row.next[from]);
}

std::shared_ptr<const RouteTable::Row> RouteTable::row_to(SwitchIndex to) const {
  const auto usable = [this](ArcIndex arc) { return graph_.usable(arc, cells_per_s_); };
  const auto cost = [this](ArcIndex arc) { return arc_cost(graph_, arc, metric_, cells_per_s_); };
  auto row = std::make_shared<Row>();
  row->distance = distances_to(graph_, to, usable, cost);
  row->next.reserve(graph_.switches());
  for (SwitchIndex at = 0; at < graph_.switches(); ++at) {
    row->next.push_back(best_arc(graph_, at, row->distance, usable, cost));
  }
  return row;
}

std::vector<ArcIndex> RouteTable::arcs(SwitchIndex from, SwitchIndex to) const {
  XB_CHECK(from < rows_.size() && to < rows_.size(), from, to, rows_.size());
  const Row& row = *rows_[to];
  std::vector<ArcIndex> arcs;
  if (!row.distance[from].reached()) return arcs;
  arcs.reserve(row.distance[from].links);
  for (SwitchIndex at = from; at != to; at = graph_.to(arcs.back())) {
    arcs.push_back(row.next[at]);
  }
  return arcs;
}

PathLength RouteTable::distance(SwitchIndex from, SwitchIndex to) const {
  XB_CHECK(from < rows_.size() && to < rows_.size(), from, to, rows_.size());
  return rows_[to]->distance[from];
}

PathAnswer RouteTable::find(const PairQuery& query) const {
  const Topology& topology = graph_.topology();
  const auto from = topology.find(query.from);
  const auto to = topology.find(query.to);
  const bool rate_fits = query.cells_per_s == cells_per_s_ ||
                         (query.cells_per_s > cells_per_s_ && metric_ != PathMetric::kLoad);
  if (from && to && rate_fits && topology.switches()[*from].endpoint &&
      topology.switches()[*to].endpoint) {
    std::vector<ArcIndex> way = arcs(*from, *to);
    const bool wide = std::ranges::all_of(
        way, [&](ArcIndex arc) { return graph_.free(arc) >= query.cells_per_s; });
    if (!way.empty() && wide) {
      return found_path(graph_, metric_, query.cells_per_s, std::move(way));
    }
  }
  PathQuery full;
  full.from = query.from;
  full.to = query.to;
  full.cells_per_s = query.cells_per_s;
  full.metric = metric_;
  return find_path(graph_, full);
}

Result<std::vector<PathAnswer>> RouteTable::answer(std::span<const PairQuery> queries) const {
  if (queries.size() > kPairQueriesMax) {
    return fail(ErrorCode::kBadInput, "{} pairs in one batch, the most is {}", queries.size(),
                kPairQueriesMax);
  }
  std::vector<PathAnswer> answers;
  answers.reserve(queries.size());
  for (const PairQuery& query : queries) answers.push_back(find(query));
  return answers;
}

}  // namespace xbind
