#include "core/impairments/pace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace xbind {
namespace {

using std::chrono::microseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A clock that advances only when a thread sleeps or the test advances it.
class PaceTest : public ::testing::Test {
 protected:
  Pace::Clock clock() {
    return {[this] {
              ++asked_;
              return now_;
            },
            [this](TimePoint when) {
              waited_until_.push_back(when - TimePoint{});
              now_ = std::max(now_, when);
            }};
  }

  TimePoint now_{};
  int asked_ = 0;
  std::vector<Duration> waited_until_;
};

TEST_F(PaceTest, SwitchedOffItNeitherWaitsNorLooksAtTheClock) {
  Pace pace({.before_leaving = 0.5, .pause_chance = 1}, "cmgr", clock());
  pace.take(0);
  pace.send(1'000);
  EXPECT_FALSE(pace.on());
  EXPECT_EQ(asked_, 0);
  EXPECT_THAT(waited_until_, IsEmpty());
}

TEST_F(PaceTest, AMessageCostsItsOwnAndThatOfItsItems) {
  Pace pace({.message_us = 1'000, .item_us = 50}, "cmgr", clock());
  pace.take(0);
  pace.send(10);
  EXPECT_THAT(waited_until_, ElementsAre(microseconds{1'000}, microseconds{2'500}));
}

TEST_F(PaceTest, ItemsAloneMayCost) {
  Pace pace({.item_us = 0.5}, "switch", clock());
  pace.take(0);
  EXPECT_THAT(waited_until_, IsEmpty());
  pace.take(3);
  EXPECT_THAT(waited_until_, ElementsAre(Duration{1'500}));
}

TEST_F(PaceTest, AnIdleServerBeginsAtOnce) {
  Pace pace({.message_us = 100}, "cmgr", clock());
  pace.take(1);
  now_ += microseconds{5'000};
  pace.take(1);
  EXPECT_THAT(waited_until_, ElementsAre(microseconds{100}, microseconds{5'200}));
}

// Three threads at the same moment: each message waits for the earlier ones.
TEST_F(PaceTest, ABusyServerBeginsWhenTheOneBeforeIsPaid) {
  std::vector<Duration> paid;
  const Pace::Clock stands_still{[] { return TimePoint{}; },
                                 [&](TimePoint when) { paid.push_back(when - TimePoint{}); }};
  Pace pace({.message_us = 100, .item_us = 10}, "cmgr", stands_still);
  pace.take(1);
  pace.send(2);
  pace.take(0);
  EXPECT_THAT(paid, ElementsAre(microseconds{110}, microseconds{230}, microseconds{330}));
}

TEST_F(PaceTest, AMessageMayLeaveBeforeAllOfItIsPaid) {
  Pace pace({.message_us = 100, .before_leaving = 0.25}, "cmgr", clock());
  pace.send(0);
  pace.send(0);
  pace.take(0);
  EXPECT_THAT(waited_until_, ElementsAre(microseconds{25}, microseconds{125}, microseconds{300}));
}

TEST_F(PaceTest, AMessageMayLeaveAtOnceAndBePaidAfterwards) {
  Pace pace({.message_us = 100, .before_leaving = 0}, "cmgr", clock());
  pace.send(0);
  EXPECT_THAT(waited_until_, IsEmpty());
  pace.take(0);
  EXPECT_THAT(waited_until_, ElementsAre(microseconds{200}));
}

// A sleeper that the kernel wakes too late has lost that time; the delay is not made up.
TEST_F(PaceTest, ALateSleeperIsNotHurried) {
  Pace pace({.message_us = 100}, "cmgr", clock());
  pace.take(0);
  now_ += microseconds{30};
  pace.take(0);
  EXPECT_THAT(waited_until_, ElementsAre(microseconds{100}, microseconds{230}));
}

TEST_F(PaceTest, PausesComeWithMessagesTakenAndNeverWithThoseSent) {
  constexpr int kMessages = 20'000;
  Pace pace({.message_us = 100, .pause_chance = 0.25, .pause_mean_us = 1'000, .seed = 7}, "cmgr",
            clock());
  double paused_us = 0;
  int pauses = 0;
  for (int i = 0; i < kMessages; ++i) {
    TimePoint before = now_;
    pace.take(0);
    const Duration pause = now_ - before - microseconds{100};
    ASSERT_GE(pause, Duration::zero());
    pauses += pause > Duration::zero() ? 1 : 0;
    paused_us += std::chrono::duration<double, std::micro>(pause).count();
    before = now_;
    pace.send(0);
    ASSERT_EQ(now_ - before, microseconds{100});
  }
  EXPECT_NEAR(static_cast<double>(pauses) / kMessages, 0.25, 0.02);
  EXPECT_NEAR(paused_us / pauses, 1'000, 60);
}

TEST_F(PaceTest, TheSameSeedAndNamePauseAlikeAndAnotherNameDoesNot) {
  const PaceOptions options{.pause_chance = 1, .pause_mean_us = 100, .seed = 42};
  const auto pauses_of = [&](const char* name) {
    now_ = TimePoint{};
    waited_until_.clear();
    Pace pace(options, name, clock());
    for (int i = 0; i < 5; ++i) pace.take(1);
    return waited_until_;
  };
  const auto first = pauses_of("xbind-switch a");
  EXPECT_EQ(first.size(), 5U);
  EXPECT_EQ(pauses_of("xbind-switch a"), first);
  EXPECT_NE(pauses_of("xbind-switch b"), first);
}

}  // namespace
}  // namespace xbind
