// The pairs of endpoints that call each other, made from the topology and the options.
//
//  topology   the demands of the topology by their weights; uniform when it has none
//  uniform    every ordered pair of distinct endpoints equally often
//  gravity    pair (i, j) by the product of the endpoints' weights. An endpoint's weight is the sum
//             of the topology's demands that begin or end there; an endpoint without any gets no
//             calls. In a topology without demands the weights follow Zipf's law, 1, 1/2, 1/3, ...
//             in an order drawn from the seed
//  hotspot    a share of the calls goes to one endpoint, equally from all others; the rest is
//             spread equally over the pairs that do not end there
//  a file     as demand_file.hpp reads it
//  two lists  every pair of a caller and a callee by the product of their weights
//
// Every name is checked against the topology's endpoints before the run.
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

// Gravity and hotspot create a demand for each pair.
inline constexpr std::size_t kMatrixEndpointsMax = 1000;

struct MatrixSpec {
  Matrix matrix = Matrix::kTopology;
  std::string hotspot{};       // kHotspot
  double hotspot_share = 0.5;  // kHotspot: above 0, at most 1
  // not empty: `demands` hold its content and `matrix` is ignored
  std::string demands_file{};
  std::vector<Demand> demands{};
  std::string from{};  // both or neither: one pair, and everything above is ignored
  std::string to{};
  // Two lists, if one is not empty; the empty one stands for all endpoints equally. Everything
  // above is ignored.
  std::vector<WeightedEnd> callers{};
  std::vector<WeightedEnd> callees{};
  std::string lists_place{};         // where they were given: "f.toml class voice"
  double repeat_pair = 0;            // Workload::repeat_pairs()
  bool leaves = false;               // Workload::take_leaves() with the topology's endpoints
  std::string names_file{};          // file that `names` come from
  std::vector<std::string> names{};  // further names that must be endpoints: those of a trace
};

// The endpoints and demands that RouteObject reports.
struct KnownEnds {
  std::vector<Demand> demands{};
  std::vector<std::string> endpoints;
};

// False: workload_of() ignores KnownEnds. The manager checks the two ends of a single pair.
bool needs_topology(const MatrixSpec& spec);

// kBadInput, naming the value: an endpoint that is not in the topology; more than
// kMatrixEndpointsMax endpoints; lists with too many pairs, or with none; input that Workload
// refuses.
Result<Workload> workload_of(const MatrixSpec& spec, const KnownEnds& known, std::uint64_t seed);

}  // namespace xbind::callgen
