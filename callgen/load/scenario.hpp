// The kinds of calls by the requests they make, their relative frequency and their priorities. The
// kind of call k depends on the seed only.
//
//   setup    setup ── held ── release
//   modify   setup ── half of it ── modify ── the rest ── release
//   leaf     setup ── a third ── add-leaf ── a third ── drop-leaf ── the rest ── release
//   hold     hold ── waits ── commit ── held ── release
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "callgen/load/random.hpp"
#include "core/call.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

enum class Scenario : std::uint8_t { kSetup, kModify, kLeaf, kHold };
inline constexpr std::size_t kScenarios = 4;
std::string_view to_string(Scenario scenario);  // "setup", ...

inline constexpr std::size_t kPriorities = std::size_t{kPriorityMax} + 1;
inline constexpr double kWeightMax = 1e9;

// Relative frequencies; none negative, at least one positive.
struct ScenarioMix {
  std::array<double, kScenarios> weights{1, 0, 0, 0};

  bool has(Scenario scenario) const { return weights[static_cast<std::size_t>(scenario)] > 0; }
  bool only_setups() const {
    return !has(Scenario::kModify) && !has(Scenario::kLeaf) && !has(Scenario::kHold);
  }
  friend bool operator==(const ScenarioMix&, const ScenarioMix&) = default;
};
struct PriorityMix {
  std::array<double, kPriorities> weights{1};

  bool only_zero() const {
    for (std::size_t priority = 1; priority < kPriorities; ++priority)
      if (weights[priority] > 0) return false;
    return true;
  }
  friend bool operator==(const PriorityMix&, const PriorityMix&) = default;
};

// Parse the parts of "setup=90,modify=5" and "0=9,7=1". A part without a number has weight 1; no
// parts give the default. kBadInput, naming the part: an unknown or repeated name, or a weight that
// is not a number above 0 up to kWeightMax.
Result<ScenarioMix> parse_mix(const std::vector<std::string>& parts);
Result<PriorityMix> parse_priorities(const std::vector<std::string>& parts);
std::string to_string(const ScenarioMix& mix);  // "setup=90,modify=5"
std::string to_string(const PriorityMix& mix);

// Draws numbers below N by their weights.
template <std::size_t N>
class WeightedDraw {
 public:
  WeightedDraw(const std::array<double, N>& weights, RandomBits bits) : bits_(std::move(bits)) {
    double sum = 0;
    for (std::size_t i = 0; i < N; ++i) {
      sum += weights[i];
      up_to_[i] = sum;
      if (weights[i] > 0) last_ = i;
    }
    XB_CHECK(sum > 0 && std::isfinite(sum), sum);
    certain_ = up_to_[last_] == weights[last_];
  }

  std::size_t next() {
    if (certain_) return last_;
    const double drawn = unit_interval(bits_) * up_to_[last_];
    std::size_t i = 0;
    while (up_to_[i] < drawn) ++i;
    return i;
  }

 private:
  std::array<double, N> up_to_{};
  std::size_t last_ = 0;  // the last number that can be drawn
  bool certain_ = false;  // only that number can be drawn
  RandomBits bits_;
};

}  // namespace xbind::callgen
