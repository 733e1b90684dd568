#include "gsmp/messages/schedulable_region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/check.hpp"

namespace xbind::gsmp {
namespace {

// An unsigned integer of 17 digits of 32 bits, lowest first. Holds the product of 15 intercepts,
// times 15.
class Big {
 public:
  explicit Big(std::uint32_t value) { digits_[0] = value; }

  void multiply(std::uint32_t factor) {
    std::uint64_t carry = 0;
    for (std::uint32_t& digit : digits_) {
      carry += std::uint64_t{digit} * factor;
      digit = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  void add(const Big& other) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      carry += std::uint64_t{digits_[i]} + other.digits_[i];
      digits_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  bool above(const Big& other) const {
    return std::lexicographical_compare(other.digits_.rbegin(), other.digits_.rend(),
                                        digits_.rbegin(), digits_.rend());
  }

 private:
  std::array<std::uint32_t, kTrafficClassesMax + 2> digits_{};
};

// Sums the fractions over a common denominator. Rounding could refuse the last call that fits
// exactly, or admit one too many.
bool below(const Plane& plane, OperatingPoint calls) {
  Big numerator(0);
  Big denominator(1);
  for (std::size_t j = 0; j < calls.size(); ++j) {
    if (calls[j] == 0) continue;
    if (calls[j] > plane[j]) return false;  // also where the intercept is 0
    Big term = denominator;
    term.multiply(calls[j]);
    numerator.multiply(plane[j]);
    numerator.add(term);
    denominator.multiply(plane[j]);
  }
  return !numerator.above(denominator);
}

std::string words(const Plane& plane, std::size_t classes) {
  std::string text;
  for (std::size_t j = 0; j < classes; ++j) {
    text += fmt::format("{}{}", j == 0 ? "" : " ", plane[j]);
  }
  return " (" + text + ")";
}

}  // namespace

bool contains(const SchedulableRegion& region, OperatingPoint calls) {
  XB_CHECK(region.classes <= kTrafficClassesMax && calls.size() == region.classes, region.classes,
           calls.size());
  const auto holds = [calls](const Plane& plane) { return below(plane, calls); };
  if (std::any_of(region.any_of.begin(), region.any_of.end(), holds)) return true;
  return !region.all_of.empty() && std::all_of(region.all_of.begin(), region.all_of.end(), holds);
}

FailureCode refusal(const SchedulableRegion& region, OperatingPoint calls, std::size_t index) {
  XB_CHECK(region.classes <= kTrafficClassesMax && calls.size() == region.classes, region.classes,
           calls.size());
  if (index >= region.classes) return FailureCode::kNoSuchClass;
  Plane next{};
  std::copy(calls.begin(), calls.end(), next.begin());
  if (next[index] == std::numeric_limits<std::uint32_t>::max()) return FailureCode::kOutsideRegion;
  ++next[index];
  return contains(region, OperatingPoint(next).first(calls.size())) ? FailureCode::kNone
                                                                    : FailureCode::kOutsideRegion;
}

bool admits(const SchedulableRegion& region, OperatingPoint calls, std::size_t index) {
  return refusal(region, calls, index) == FailureCode::kNone;
}

SchedulableRegion peak_rate_region(std::uint32_t capacity_cells_per_s,
                                   std::span<const std::uint32_t> peak_cells_per_s) {
  XB_CHECK(!peak_cells_per_s.empty() && peak_cells_per_s.size() <= kTrafficClassesMax,
           peak_cells_per_s.size());
  Plane plane{};
  for (std::size_t j = 0; j < peak_cells_per_s.size(); ++j) {
    XB_CHECK(peak_cells_per_s[j] != 0, j);
    plane[j] = capacity_cells_per_s / peak_cells_per_s[j];
  }
  SchedulableRegion region;
  region.classes = static_cast<std::uint8_t>(peak_cells_per_s.size());
  region.any_of.push_back(plane);
  return region;
}

std::uint32_t most_alone(const SchedulableRegion& region, std::size_t index) {
  XB_CHECK(index < region.classes && region.classes <= kTrafficClassesMax, index, region.classes);
  std::uint32_t most = 0;
  for (const Plane& plane : region.any_of) most = std::max(most, plane[index]);
  if (region.all_of.empty()) return most;
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (const Plane& plane : region.all_of) least = std::min(least, plane[index]);
  return std::max(most, least);
}

namespace {

// Calls the visitor with t and |t - t'| of each class.
template <class Visit>
void for_each_change(const SchedulableRegion& before, const SchedulableRegion& now,
                     const Visit& visit) {
  for (std::size_t j = 0; j < before.classes; ++j) {
    const std::uint64_t was = most_alone(before, j);
    const std::uint64_t is = most_alone(now, j);
    visit(was, was > is ? was - is : is - was);
  }
}

}  // namespace

double change(const SchedulableRegion& before, const SchedulableRegion& now) {
  if (before.classes != now.classes) return std::numeric_limits<double>::infinity();
  double greatest = 0;
  for_each_change(before, now, [&greatest](std::uint64_t was, std::uint64_t by) {
    if (by == 0) return;
    greatest = std::max(greatest, was == 0 ? std::numeric_limits<double>::infinity()
                                           : static_cast<double>(by) / static_cast<double>(was));
  });
  return greatest;
}

bool changed_beyond(const SchedulableRegion& before, const SchedulableRegion& now,
                    std::uint32_t threshold_hundredths_of_percent) {
  if (before.classes != now.classes) return true;
  const std::uint64_t threshold = threshold_hundredths_of_percent;
  bool beyond = false;
  for_each_change(before, now, [&](std::uint64_t was, std::uint64_t by) {
    beyond = beyond || by * 10000 > was * threshold;
  });
  return beyond;
}

std::string to_string(const SchedulableRegion& region) {
  std::string text = fmt::format("{} classes", region.classes);
  if (!region.any_of.empty()) text += ", any of";
  for (const Plane& plane : region.any_of) text += words(plane, region.classes);
  if (!region.all_of.empty()) text += ", all of";
  for (const Plane& plane : region.all_of) text += words(plane, region.classes);
  return text;
}

}  // namespace xbind::gsmp
