#include "core/metrics/octave_counts.hpp"

#include <gtest/gtest.h>

namespace xbind::histogram {
namespace {

TEST(OctaveCounts, ABoundBelongsToItsOctaveAndOneMoreToTheNext) {
  for (std::size_t octave = 0; octave < kOctaveBounds; ++octave) {
    EXPECT_EQ(octave_of(octave_bound(octave)), octave);
    EXPECT_EQ(octave_of(octave_bound(octave) + 1), octave + 1);
  }
}

TEST(OctaveCounts, NoTimeIsInTheFirstAndAnyLongTimeInTheLast) {
  EXPECT_EQ(octave_of(0), 0U);
  EXPECT_EQ(octave_of(1), 0U);
  EXPECT_EQ(octave_of(std::uint64_t{3600} * 1'000'000'000), kOctaveBounds);
  EXPECT_EQ(octave_of(~std::uint64_t{0}), kOctaveBounds);
}

}  // namespace
}  // namespace xbind::histogram
