// The best paths of all pairs in one version of the graph, for one metric and one rate: a row for
// every destination stores each switch's distance and the next arc.
//
// Answers equal those of find_path(), including ties. A query for another rate is answered from the
// table where that is certain: at a higher rate, in hops or delay, if the table's path has that
// rate free. Otherwise it is searched for.
//
// A change makes a new table that shares the unaffected rows. A row is recomputed if its tree uses
// a changed arc, or if a changed arc now is as good as the tree or better. A table is immutable:
// any number of threads may query it. 20 octets per pair.
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

  // Returns the table after the changes; errors are those of RouteGraph::with().
  Result<RouteTable> after(std::span<const LinkChange> changes) const;

  PathAnswer find(const PairQuery& query) const;
  // One answer for each query, in their order. kBadInput: more than kPairQueriesMax.
  Result<std::vector<PathAnswer>> answer(std::span<const PairQuery> queries) const;

  // The path's arcs; empty if there is none, or if the ends are equal. Both must be switches of the
  // graph.
  std::vector<ArcIndex> arcs(SwitchIndex from, SwitchIndex to) const;
  PathLength distance(SwitchIndex from, SwitchIndex to) const;

  const RouteGraph& graph() const { return graph_; }
  PathMetric metric() const { return metric_; }
  std::uint64_t cells_per_s() const { return cells_per_s_; }
  // Rows that were computed for this table; the others are shared with its predecessor.
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
