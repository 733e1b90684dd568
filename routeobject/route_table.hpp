// The best paths of all pairs of one version of the graph, for one metric and one rate, ready to be
// read: a row for every destination holds each switch's distance and the arc to take.
//
// Answers are those of find_path(), to the last tie. Queries for another rate are answered from the
// table where that is certain: at a higher rate, in hops or delay, when the table's path has that
// rate free; else by a search.
//
// A change makes a new table that shares the rows it leaves right: a row is computed again when its
// tree takes a changed arc, or a changed arc has become as good as the tree or better. A table never
// changes: any number of threads may ask it. 20 octets a pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "core/result.hpp"
#include "routeobject/distances.hpp"
#include "routeobject/path_query.hpp"

namespace xbind {

inline constexpr std::size_t kRouteTableSwitchesMax = 2048;  // 84 MB
inline constexpr std::size_t kPairQueriesMax = 65'536;       // of one batch

struct PairQuery {
  std::string from;  // endpoint names
  std::string to;
  std::uint64_t cells_per_s = 0;

  friend bool operator==(const PairQuery&, const PairQuery&) = default;
};

class RouteTable {
 public:
  // kExhausted: more than kRouteTableSwitchesMax switches.
  static Result<RouteTable> compute(RouteGraph graph, PathMetric metric, std::uint64_t cells_per_s);

  // The table after the changes; errors are those of RouteGraph::with().
  Result<RouteTable> after(std::span<const LinkChange> changes) const;

  PathAnswer find(const PairQuery& query) const;
  // One answer for each query, in their order. kBadInput: more than kPairQueriesMax.
  Result<std::vector<PathAnswer>> answer(std::span<const PairQuery> queries) const;

  // The path's arcs; empty: there is none, or the ends are the same. Both are switches of the graph.
  std::vector<ArcIndex> arcs(SwitchIndex from, SwitchIndex to) const;
  PathLength distance(SwitchIndex from, SwitchIndex to) const;

  const RouteGraph& graph() const { return graph_; }
  PathMetric metric() const { return metric_; }
  std::uint64_t cells_per_s() const { return cells_per_s_; }
  // Rows that were computed when this table was made; the others are its predecessor's.
  std::size_t rows_computed() const { return rows_computed_; }

 private:
  struct Row {  // of one destination, by switch
    std::vector<PathLength> distance;
    std::vector<ArcIndex> next;
  };

  RouteTable(RouteGraph graph, PathMetric metric, std::uint64_t cells_per_s)
      : graph_(std::move(graph)), metric_(metric), cells_per_s_(cells_per_s) {}
  std::shared_ptr<const Row> row_to(SwitchIndex to) const;
  bool disturbs(const Row& row, ArcIndex arc) const;

  RouteGraph graph_;
  PathMetric metric_;
  std::uint64_t cells_per_s_;
  std::vector<std::shared_ptr<const Row>> rows_;  // by destination
  std::size_t rows_computed_ = 0;
};

}  // namespace xbind
