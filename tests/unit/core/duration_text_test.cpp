#include "core/duration_text.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

TEST(DurationText, HasTheUnitInWhichItIsNotZero) {
  EXPECT_EQ(duration_text(1'234'567), "1234.6 us");
  EXPECT_EQ(duration_text(1'000), "1.0 us");
  EXPECT_EQ(duration_text(999.5), "1.0 us");
  EXPECT_EQ(duration_text(999.4), "999 ns");
  EXPECT_EQ(duration_text(49), "49 ns");
  EXPECT_EQ(duration_text(1), "1 ns");
  EXPECT_EQ(duration_text(0.2), "<1 ns");
}

TEST(DurationText, IsADashWhereNoTimeWasMeasured) { EXPECT_EQ(duration_text(0), "-"); }

}  // namespace
}  // namespace xbind
