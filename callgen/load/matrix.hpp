// Who calls whom, made of what the topology knows and what was asked for.
//
//   topology   the demands of the topology by their weights; when it has none, uniform
//   uniform    every ordered pair of distinct endpoints alike
//   gravity    pair (i, j) by the product of the endpoints' weights. An endpoint's weight is the sum of the
//              topology's demands that begin or end there, so that one without any gets no calls. A topology
//              without demands: Zipf's law, 1, 1/2, 1/3, ... in an order drawn from the seed
//   hotspot    a share of the calls goes to one endpoint, from all others alike; the rest are pairs that do not
//              end there, alike
//   a file     as demand_file.hpp reads it
//
// Every name is looked for among the topology's endpoints before the run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "callgen/load/workload.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

enum class Matrix : std::uint8_t { kTopology, kUniform, kGravity, kHotspot };
std::string_view to_string(Matrix matrix);  // "topology", ...

// Gravity and hotspot are made pair by pair.
inline constexpr std::size_t kMatrixEndpointsMax = 1000;

struct MatrixSpec {
  Matrix matrix = Matrix::kTopology;
  std::string hotspot{};       // kHotspot
  double hotspot_share = 0.5;  // kHotspot: above 0, at most 1
  std::string
      demands_file{};  // empty: none; else `demands` are in it and `matrix` is not looked at
  std::vector<Demand> demands{};
  std::string from{};  // both or neither: one pair, and nothing above is looked at
  std::string to{};
  double repeat_pair = 0;            // Workload::repeat_pairs()
  bool leaves = false;               // Workload::take_leaves() with the topology's endpoints
  std::string names_file{};          // of `names`
  std::vector<std::string> names{};  // others that have to be endpoints: of a trace
};

// What RouteObject tells.
struct KnownEnds {
  std::vector<Demand> demands{};
  std::vector<std::string> endpoints;
};

// False: workload_of() does not look at KnownEnds. The two ends of a single pair are for the manager to know.
bool needs_topology(const MatrixSpec& spec);

// kBadInput, naming the value: an endpoint that is none of the topology's; more than kMatrixEndpointsMax
// endpoints; what Workload refuses.
Result<Workload> workload_of(const MatrixSpec& spec, const KnownEnds& known, std::uint64_t seed);

}  // namespace xbind::callgen
