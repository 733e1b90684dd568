// The schedulable region of an output multiplexer: the numbers of calls of each traffic class that
// it can carry at once without violating any QoS bound. Pure arithmetic; messages 226 and 227
// (schedulable_region_messages.hpp) carry it (draft-adam-gsmp-sr-00).
//
// A traffic class is a statistical model with its QoS bounds; an operating point x is the number of
// calls of each class. A plane with intercepts a is the half-space
//
//   H(a) = { x : sum over j of x_j / a_j <= 1 }
//
// and the region is the union of the half-spaces of A together with the intersection of those of B:
//
//   S = H(A_1) or ... or H(A_n) or (H(B_1) and ... and H(B_m))
//
// Our choices: without planes in B the second part is the empty set; intercepts are whole calls; an
// intercept of 0 forbids the class on that plane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gsmp/messages/failure_code.hpp"

namespace xbind::gsmp {

// Limits of the message fields.
inline constexpr std::size_t kTrafficClassesMax = 15;  // 4 bits
inline constexpr std::size_t kPlanesMax = 255;         // 8 bits, of A and of B each

// The intercepts: the number of calls of each class that the plane allows without other calls. Zero
// beyond the region's classes.
using Plane = std::array<std::uint32_t, kTrafficClassesMax>;

struct SchedulableRegion {
  std::uint8_t classes = 0;   // at most kTrafficClassesMax
  std::vector<Plane> any_of;  // A, at most kPlanesMax
  std::vector<Plane> all_of;  // B, at most kPlanesMax

  friend bool operator==(const SchedulableRegion&, const SchedulableRegion&) = default;
};

// Calls of each class, one number for each of the region's classes.
using OperatingPoint = std::span<const std::uint32_t>;

// Exact, whatever the intercepts. `calls` has `region.classes` numbers.
bool contains(const SchedulableRegion& region, OperatingPoint calls);

// Why one more call of class `index` (from 0) is refused: kNoSuchClass, kOutsideRegion, or kNone.
FailureCode refusal(const SchedulableRegion& region, OperatingPoint calls, std::size_t index);
// Whether one more call of class `index` fits.
bool admits(const SchedulableRegion& region, OperatingPoint calls, std::size_t index);

// The region of an estimator that uses peak rates only: one plane in A, floor(capacity / peak).
// Takes 1 to kTrafficClassesMax peak rates, none of them 0, in cells per second.
SchedulableRegion peak_rate_region(std::uint32_t capacity_cells_per_s,
                                   std::span<const std::uint32_t> peak_cells_per_s);

// The most calls of class `index` (below `region.classes`) that fit without calls of other classes.
std::uint32_t most_alone(const SchedulableRegion& region, std::size_t index);

// The relative change from `before` to `now`: the greatest |t - t'| / t over the classes, where t
// is the most calls of one class alone. 0.1 means a tenth more or fewer. Infinite if a class
// without room gains some, or if the number of classes differs.
double change(const SchedulableRegion& before, const SchedulableRegion& now);
// Whether change() exceeds a threshold in units of 0.01 %. Exact.
bool changed_beyond(const SchedulableRegion& before, const SchedulableRegion& now,
                    std::uint32_t threshold_hundredths_of_percent);

std::string to_string(const SchedulableRegion& region);  // "2 classes, any of (78 31)"

}  // namespace xbind::gsmp
