#include "core/token_bucket.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class TokenBucketTest : public ::testing::Test {
 protected:
  int take_all(double per_s) {
    int taken = 0;
    while (bucket.take(per_s, now)) ++taken;
    return taken;
  }

  TokenBucket bucket;
  TimePoint now{hours{7}};
};

TEST_F(TokenBucketTest, ABurstOfOneSecondPassesAndThenTheRate) {
  EXPECT_EQ(take_all(100), 100);
  now += milliseconds{50};
  EXPECT_EQ(take_all(100), 5);
  now += hours{1};
  EXPECT_EQ(take_all(100), 100) << "no more is saved up";
}

TEST_F(TokenBucketTest, BelowOneASecondOnePassesAtATime) {
  EXPECT_EQ(take_all(0.5), 1);
  now += seconds{1};
  EXPECT_EQ(take_all(0.5), 0);
  now += seconds{1};
  EXPECT_EQ(take_all(0.5), 1);
}

TEST_F(TokenBucketTest, ALowerRateTakesEffectAtOnce) {
  EXPECT_EQ(take_all(1'000), 1'000);
  now += seconds{10};
  EXPECT_EQ(take_all(10), 10);
}

}  // namespace
}  // namespace xbind
