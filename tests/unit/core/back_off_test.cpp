#include "core/back_off.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

using std::chrono::milliseconds;

TEST(BackOffTest, DoublesFromTheSmallestToTheLargestWait) {
  BackOff back_off({milliseconds{100}, milliseconds{750}});
  for (const int wait_ms : {100, 200, 400, 750, 750}) {
    EXPECT_EQ(back_off.next(), milliseconds{wait_ms});
  }
}

TEST(BackOffTest, BeginsAnewAfterASuccess) {
  BackOff back_off({milliseconds{100}, milliseconds{750}});
  back_off.next();
  back_off.next();
  back_off.reset();
  EXPECT_EQ(back_off.next(), milliseconds{100});
}

TEST(BackOffTest, JitterLeavesOutUpToHalfOfAWaitAndChangesNoLaterOne) {
  BackOff back_off({milliseconds{100}, milliseconds{750}});
  EXPECT_EQ(back_off.next(0.5), milliseconds{75});
  EXPECT_EQ(back_off.next(1), milliseconds{100});
  EXPECT_EQ(back_off.next(), milliseconds{400});
}

TEST(BackOffTest, NoWaitIsTooLongToDouble) {
  BackOff back_off({Duration::max() / 2, Duration::max()});
  back_off.next();
  EXPECT_EQ(back_off.next(), Duration::max() - Duration{1});
  EXPECT_EQ(back_off.next(), Duration::max());
}

}  // namespace
}  // namespace xbind
