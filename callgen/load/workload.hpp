// Who calls whom. Either demands with weights (from a topology file), or every ordered pair of
// distinct endpoints alike. Which pair call k gets depends on the seed alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "callgen/random.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

struct Demand {
  std::string from;
  std::string to;
  double weight = 1;  // share of the calls, relative to the other demands
};

// The ends of one call; the views live as long as the Workload they came from.
struct Ends {
  std::string_view from;
  std::string_view to;

  friend bool operator==(const Ends&, const Ends&) = default;
};

class Workload {
 public:
  static constexpr std::size_t kMostDemands = 1'000'000;
  static constexpr std::size_t kMostEndpoints = 1'000'000;

  // kBadInput: no demand, more than kMostDemands, an end without a name, an end that calls itself,
  // a weight that is not a positive number.
  static Result<Workload> weighted(std::vector<Demand> demands, std::uint64_t seed);
  // kBadInput: fewer than two endpoints or more than kMostEndpoints, one without a name, one named
  // twice.
  static Result<Workload> uniform(std::vector<std::string> endpoints, std::uint64_t seed);

  Ends next();
  // Every endpoint that a call may have, by name, each once.
  std::vector<std::string> every_end() const;

 private:
  explicit Workload(std::uint64_t seed) : bits_(bits_for(seed, Stream::kWorkload)) {}

  // One of the two is empty.
  std::vector<Demand> demands_;
  std::vector<double> weight_up_to_;  // running sum of the weights, up to and with each demand
  std::vector<std::string> endpoints_;
  RandomBits bits_;
};

}  // namespace xbind::callgen
