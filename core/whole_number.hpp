// Converts a decimal number, already multiplied by its unit, to a whole number. 0.1 has no exact
// binary form: a value within a billionth of a whole number becomes that number; any other is
// rounded up or down. Pure; any thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace xbind {

enum class Round { kUp, kDown };

// `value`: 0 to below 2^64.
inline std::uint64_t whole_number(double value, Round round) {
  const double nearest = std::round(value);
  if (std::abs(value - nearest) <= 1e-9 * std::max(1.0, std::abs(value))) {
    return static_cast<std::uint64_t>(nearest);
  }
  return static_cast<std::uint64_t>(round == Round::kUp ? std::ceil(value) : std::floor(value));
}

}  // namespace xbind
