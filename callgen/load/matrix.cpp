#include "callgen/load/matrix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>

#include "callgen/load/random.hpp"
#include "core/check.hpp"

namespace xbind::callgen {
namespace {

class Names {
 public:
  explicit Names(const std::vector<std::string>& endpoints) : endpoints_(endpoints) {
    known_.insert(endpoints.begin(), endpoints.end());
  }

  // `source`: where the name was given, "option --hotspot".
  Result<void> check(std::string_view name, std::string_view source) const {
    if (known_.contains(name)) return {};
    constexpr std::size_t kShown = 8;
    const std::vector<std::string> shown(
        endpoints_.begin(),
        endpoints_.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, endpoints_.size())));
    return fail(ErrorCode::kBadInput, "{}: {} is none of the topology's {} endpoints: {}{}", source,
                name, endpoints_.size(), fmt::join(shown, ", "),
                endpoints_.size() > kShown ? ", ..." : "");
  }

 private:
  const std::vector<std::string>& endpoints_;
  std::unordered_set<std::string_view> known_;
};

Result<void> check_pairwise(Matrix matrix, const KnownEnds& known) {
  if (known.endpoints.size() <= kMatrixEndpointsMax) return {};
  return fail(ErrorCode::kBadInput, "{} endpoints, matrix {} takes at most {}",
              known.endpoints.size(), to_string(matrix), kMatrixEndpointsMax);
}

// A permutation of the endpoints that depends on the seed only.
std::vector<std::size_t> shuffled(std::size_t size, std::uint64_t seed) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  RandomBits bits = bits_for(seed, Stream::kGravity);
  for (std::size_t left = size; left > 1; --left)
    std::swap(order[left - 1], order[below(bits, left)]);
  return order;
}

std::vector<double> masses_of(const KnownEnds& known, std::uint64_t seed) {
  std::vector<double> masses(known.endpoints.size());
  if (known.demands.empty()) {
    const auto order = shuffled(masses.size(), seed);
    for (std::size_t rank = 0; rank < order.size(); ++rank)
      masses[order[rank]] = 1 / static_cast<double>(rank + 1);
    return masses;
  }
  std::map<std::string_view, double> volumes;
  for (const Demand& demand : known.demands) {
    volumes[demand.from] += demand.weight;
    volumes[demand.to] += demand.weight;
  }
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const auto found = volumes.find(known.endpoints[i]);
    if (found != volumes.end()) masses[i] = found->second;
  }
  return masses;
}

Result<Workload> gravity(const KnownEnds& known, std::uint64_t seed) {
  const std::vector<double> masses = masses_of(known, seed);
  // Relative to the greatest, so that no product overflows.
  const double greatest = masses.empty() ? 0 : *std::max_element(masses.begin(), masses.end());
  std::vector<Demand> demands;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    for (std::size_t j = 0; j < masses.size(); ++j) {
      const double weight = (masses[i] / greatest) * (masses[j] / greatest);
      if (i != j && weight > 0) demands.push_back({known.endpoints[i], known.endpoints[j], weight});
    }
  }
  return Workload::weighted(std::move(demands), seed);
}

Result<Workload> hotspot(const MatrixSpec& spec, const KnownEnds& known, std::uint64_t seed) {
  const auto others = static_cast<double>(known.endpoints.size()) - 1;
  std::vector<Demand> demands;
  for (const std::string& from : known.endpoints) {
    for (const std::string& to : known.endpoints) {
      if (from == to) continue;
      const double weight = to == spec.hotspot ? spec.hotspot_share / others
                                               : (1 - spec.hotspot_share) / (others * others);
      if (weight > 0) demands.push_back({from, to, weight});
    }
  }
  return Workload::weighted(std::move(demands), seed);
}

std::vector<WeightedEnd> ends_of(const std::vector<WeightedEnd>& list, const KnownEnds& known) {
  if (!list.empty()) return list;
  std::vector<WeightedEnd> every;
  for (const std::string& name : known.endpoints) every.push_back({name, 1});
  return every;
}

Result<Workload> crossed(const MatrixSpec& spec, const KnownEnds& known, const Names& names,
                         std::uint64_t seed) {
  for (const auto* const list : {&spec.callers, &spec.callees}) {
    for (const WeightedEnd& end : *list) {
      if (const auto right = names.check(end.name, spec.lists_place); !right)
        return tl::make_unexpected(right.error());
    }
  }
  const std::vector<WeightedEnd> callers = ends_of(spec.callers, known);
  const std::vector<WeightedEnd> callees = ends_of(spec.callees, known);
  if (callers.size() * callees.size() > Workload::kMostDemands)
    return fail(ErrorCode::kBadInput, "{}: {} callers and {} callees make more than {} pairs",
                spec.lists_place, callers.size(), callees.size(), Workload::kMostDemands);
  std::vector<Demand> demands;
  for (const WeightedEnd& from : callers) {
    for (const WeightedEnd& to : callees) {
      if (from.name != to.name) demands.push_back({from.name, to.name, from.weight * to.weight});
    }
  }
  if (demands.empty())
    return fail(ErrorCode::kBadInput, "{}: {} could only call itself", spec.lists_place,
                callers.empty() ? "no endpoint" : callers.front().name);
  return Workload::weighted(std::move(demands), seed);
}

Result<Workload> pairs_of(const MatrixSpec& spec, const KnownEnds& known, const Names& names,
                          std::uint64_t seed) {
  if (!spec.callers.empty() || !spec.callees.empty()) return crossed(spec, known, names, seed);
  if (!spec.from.empty()) return Workload::weighted({{spec.from, spec.to, 1.0}}, seed);
  if (!spec.demands_file.empty()) {
    for (const Demand& demand : spec.demands) {
      for (const std::string& end : {demand.from, demand.to})
        if (const auto right = names.check(end, spec.demands_file); !right)
          return tl::make_unexpected(right.error());
    }
    return Workload::weighted(spec.demands, seed);
  }
  switch (spec.matrix) {
    case Matrix::kTopology:
      if (!known.demands.empty()) return Workload::weighted(known.demands, seed);
      return Workload::uniform(known.endpoints, seed);
    case Matrix::kUniform: return Workload::uniform(known.endpoints, seed);
    case Matrix::kGravity:
      if (const auto right = check_pairwise(spec.matrix, known); !right)
        return tl::make_unexpected(right.error());
      return gravity(known, seed);
    case Matrix::kHotspot:
      if (const auto right = check_pairwise(spec.matrix, known); !right)
        return tl::make_unexpected(right.error());
      if (const auto right = names.check(spec.hotspot, "option --hotspot"); !right)
        return tl::make_unexpected(right.error());
      return hotspot(spec, known, seed);
  }
  XB_CHECK(false);
}

}  // namespace

std::string_view to_string(Matrix matrix) {
  switch (matrix) {
    case Matrix::kTopology: return "topology";
    case Matrix::kUniform: return "uniform";
    case Matrix::kGravity: return "gravity";
    case Matrix::kHotspot: return "hotspot";
  }
  XB_CHECK(false);
}

bool needs_topology(const MatrixSpec& spec) {
  return spec.from.empty() || spec.leaves || !spec.names.empty();
}

Result<Workload> workload_of(const MatrixSpec& spec, const KnownEnds& known, std::uint64_t seed) {
  const Names names(known.endpoints);
  for (const std::string& name : spec.names)
    if (const auto right = names.check(name, spec.names_file); !right)
      return tl::make_unexpected(right.error());
  Result<Workload> workload = pairs_of(spec, known, names, seed);
  if (!workload) return workload;
  workload->repeat_pairs(spec.repeat_pair);
  if (spec.leaves) {
    if (const auto taken = workload->take_leaves(known.endpoints); !taken)
      return tl::make_unexpected(taken.error());
  }
  return workload;
}

}  // namespace xbind::callgen
