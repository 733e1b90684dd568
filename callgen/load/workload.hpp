// The endpoints of each call: by weighted demands (load/matrix.hpp creates them), or every ordered
// pair of distinct endpoints equally often. The pair of call k depends on the seed only; so does
// the third endpoint that becomes a leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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

// An endpoint, and its share relative to the others of its list.
struct WeightedEnd {
  std::string name;
  double weight = 1;

  friend bool operator==(const WeightedEnd&, const WeightedEnd&) = default;
};

// The ends of one call; the views are valid as long as the Workload they came from.
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
  // or a weight that is not a positive number.
  static Result<Workload> weighted(std::vector<Demand> demands, std::uint64_t seed);
  // kBadInput: fewer than two or more than kMostEndpoints endpoints, one without a name, or a
  // repeated name.
  static Result<Workload> uniform(std::vector<std::string> endpoints, std::uint64_t seed);

  // From now on a call repeats the ends of the previous one with this probability, 0 to 1;
  // otherwise the draws are as before.
  void repeat_pairs(double chance);
  // From now on leaves can be drawn, all of these endpoints equally likely. kBadInput: as
  // uniform(), or fewer than three endpoints, because a leaf is neither end of its call.
  Result<void> take_leaves(std::vector<std::string> endpoints);
  bool has_leaves() const { return !leaves_.empty(); }

  // Workloads of single phases of a run, by their numbers; each takes the place of this one there.
  void add_phase(std::size_t phase, Workload workload);
  Workload& of_phase(std::size_t phase);
  // The same for single classes of calls, which go before those of phases. nullptr: there is none.
  void add_class(std::size_t call_class, Workload workload);
  Workload* of_class(std::size_t call_class);
  // From now on the draws are those of a new workload with this seed.
  void restart(std::uint64_t seed);

  Ends next();
  // A random endpoint of take_leaves() that is neither end.
  std::string_view next_leaf(Ends ends);
  // Every endpoint that a call may have, by name, once each.
  std::vector<std::string> every_end() const;

 private:
  explicit Workload(std::uint64_t seed)
      : bits_(bits_for(seed, Stream::kWorkload)),
        repeat_bits_(bits_for(seed, Stream::kRepeat)),
        leaf_bits_(bits_for(seed, Stream::kLeaves)) {}
  // Indices into endpoints_, or (`from`) into demands_.
  struct Drawn {
    std::size_t from = 0;
    std::size_t to = 0;
  };
  Drawn draw();
  Ends ends_of(Drawn drawn) const;

  // Either demands_ or endpoints_ is empty.
  std::vector<Demand> demands_;
  std::vector<double> weight_up_to_;  // running sum of the weights, including each demand's own
  std::vector<std::string> endpoints_;
  RandomBits bits_;

  double repeat_chance_ = 0;
  std::optional<Drawn> former_;
  RandomBits repeat_bits_;
  std::map<std::size_t, Workload> phases_;
  std::map<std::size_t, Workload> classes_;
  std::vector<std::string> leaves_;
  RandomBits leaf_bits_;
};

}  // namespace xbind::callgen
