// Who calls whom. Either demands with weights (load/matrix.hpp makes them), or every ordered pair of
// distinct endpoints alike. Which pair call k gets depends on the seed alone; so does which third endpoint
// becomes a leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "callgen/load/random.hpp"
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

  // From now on a call has the ends of the one before with this chance, 0 to 1; all else is drawn as without.
  void repeat_pairs(double chance);
  // From now on leaves can be drawn, each of these endpoints alike. kBadInput: as uniform(), or fewer than
  // three: a leaf is neither end of its call.
  Result<void> take_leaves(std::vector<std::string> endpoints);
  bool has_leaves() const { return !leaves_.empty(); }

  Ends next();
  // One of the endpoints of take_leaves() that is neither end.
  std::string_view next_leaf(Ends ends);
  // Every endpoint that a call may have, by name, each once.
  std::vector<std::string> every_end() const;

 private:
  explicit Workload(std::uint64_t seed)
      : bits_(bits_for(seed, Stream::kWorkload)),
        repeat_bits_(bits_for(seed, Stream::kRepeat)),
        leaf_bits_(bits_for(seed, Stream::kLeaves)) {}
  // Positions in endpoints_, or one in demands_.
  struct Drawn {
    std::size_t from = 0;
    std::size_t to = 0;
  };
  Drawn draw();
  Ends ends_of(Drawn drawn) const;

  // One of the two is empty.
  std::vector<Demand> demands_;
  std::vector<double> weight_up_to_;  // running sum of the weights, up to and with each demand
  std::vector<std::string> endpoints_;
  RandomBits bits_;

  double repeat_chance_ = 0;
  std::optional<Drawn> former_;
  RandomBits repeat_bits_;
  std::vector<std::string> leaves_;
  RandomBits leaf_bits_;
};

}  // namespace xbind::callgen
