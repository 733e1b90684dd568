#include "bench/search/overload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/bench/queue_system.hpp"

namespace xbind::callgen {
namespace {

using testing::HasSubstr;

const StopFunction kNeverEnd = [] { return false; };
const auto kNoWord = [](const OverloadPoint&) {};

TEST(Overload, ABoundedQueueKeepsItsGoodput) {
  QueueSystem system(1);
  system.room = 20;  // 10 ms at capacity: every accepted call is answered in time
  const OverloadPlan plan{.rate = 1800, .bound_us = 50'000};
  const auto seen = overload(plan, default_options(), system.function(), kNeverEnd, kNoWord);
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->holds) << to_text(*seen, plan);
  EXPECT_TRUE(seen->recovers);
  EXPECT_EQ(seen->exit_code(), 0);
  ASSERT_EQ(seen->points.size(), 6u);  // five factors, and 1x again
  EXPECT_NEAR(seen->points[4].goodput_per_s, 2000, 100);
  const auto& setups = seen->points[4].report.setups;
  EXPECT_EQ(setups.busy, setups.attempted - setups.connected);
  EXPECT_LT(setups.connected, setups.attempted);
}

TEST(Overload, AnUnboundedQueueCollapses) {
  QueueSystem system(2);
  const OverloadPlan plan{.rate = 1500, .bound_us = 50'000};
  const auto seen = overload(plan, default_options(), system.function(), kNeverEnd, kNoWord);
  ASSERT_TRUE(seen);
  EXPECT_FALSE(seen->holds);
  EXPECT_EQ(seen->exit_code(), 1);
  EXPECT_DOUBLE_EQ(seen->worst_factor, 5);
  EXPECT_THAT(to_text(*seen, plan), HasSubstr("collapses"));
}

TEST(Overload, TheWorstFactorDecidesAlsoIfAHigherOneGoesWell) {
  QueueSystem system(7);
  system.room = 20;
  const double before = system.capacity;
  const RunFunction dip = [&](const RunOptions& options) {
    // Between 1.3 and 1.7 times the rate almost nothing is connected.
    system.capacity = options.rate > 2300 && options.rate < 3100 ? 100 : before;
    return system.run(options);
  };
  const OverloadPlan plan{.rate = 1800, .factors = {1, 1.5, 2}, .bound_us = 50'000};
  const auto seen = overload(plan, default_options(), dip, kNeverEnd, kNoWord);
  ASSERT_TRUE(seen);
  EXPECT_DOUBLE_EQ(seen->worst_factor, 1.5) << to_text(*seen, plan);
  EXPECT_FALSE(seen->holds);
  EXPECT_TRUE(seen->recovers);
  EXPECT_EQ(seen->exit_code(), 1);
}

TEST(Overload, ALowestLoadThatIsTooMuchAlreadyIsNamed) {
  QueueSystem system(1);
  system.room = 20;
  const OverloadPlan plan{.rate = 4000, .bound_us = 50'000};
  const auto seen = overload(plan, default_options(), system.function(), kNeverEnd, kNoWord);
  ASSERT_TRUE(seen);
  EXPECT_THAT(
      to_text(*seen, plan),
      testing::ContainsRegex("Even at 1x only (49|50|51)\\.[0-9] % of the calls were "
                             "connected within 50 ms \\([0-9.]+ % were refused or busy\\)"));
}

TEST(Overload, WhatIsAllDoneInTimeWasNoOverload) {
  QueueSystem system(6);
  const OverloadPlan plan{.rate = 100, .bound_us = 50'000};
  const auto seen = overload(plan, default_options(), system.function(), kNeverEnd, kNoWord);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->exit_code(), 0);
  EXPECT_FALSE(seen->overloaded);
  EXPECT_THAT(to_text(*seen, plan), HasSubstr("was no overload"));
}

TEST(Overload, WhatNeverComesBackIsNoRecovery) {
  QueueSystem system(3);
  system.room = 20;
  const RunFunction hurt = [&system](const RunOptions& options) {
    if (options.rate > 5000) system.capacity = 500;  // and stays low
    return system.run(options);
  };
  const OverloadPlan plan{.rate = 1800, .bound_us = 100'000, .keep = 0.1};
  const auto seen = overload(plan, default_options(), hurt, kNeverEnd, kNoWord);
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->holds);
  EXPECT_FALSE(seen->recovers);
  EXPECT_EQ(seen->exit_code(), 1);
  EXPECT_EQ(seen->points.size(), 10u);  // 1x is tried five times
  EXPECT_THAT(to_text(*seen, plan), HasSubstr("does not recover"));
}

TEST(Overload, AGeneratorThatIsTooSlowJudgesNothing) {
  QueueSystem system(4);
  system.generator_per_s = 1200;
  const OverloadPlan plan{.rate = 1000, .bound_us = 50'000};
  const auto seen = overload(plan, default_options(), system.function(), kNeverEnd, kNoWord);
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->points[4].generator_limited);
  EXPECT_EQ(seen->exit_code(), 3);
  EXPECT_THAT(to_text(*seen, plan), HasSubstr("generator is the limit"));
}

TEST(Overload, EndsInOrderWhenStoppedOrLost) {
  QueueSystem system(5);
  const auto stopped = overload(
      {.rate = 100}, default_options(), system.function(), [&system] { return system.runs >= 2; },
      kNoWord);
  ASSERT_TRUE(stopped);
  EXPECT_TRUE(stopped->stopped);
  EXPECT_EQ(stopped->points.size(), 2u);

  bool enough = false;
  const RunFunction ended = [&](const RunOptions& options) -> Result<RunReport> {
    enough = options.rate > 250;
    if (enough) return fail(ErrorCode::kUnreachable, "the run was ended before its time");
    return system.run(options);
  };
  const auto in_hand = overload(
      {.rate = 100}, default_options(), ended, [&enough] { return enough; }, kNoWord);
  ASSERT_TRUE(in_hand);
  EXPECT_TRUE(in_hand->stopped);
  EXPECT_EQ(in_hand->lost, "");

  const RunFunction dying = [&](const RunOptions& options) -> Result<RunReport> {
    if (options.rate > 250) return fail(ErrorCode::kUnreachable, "manager default is gone");
    return system.run(options);
  };
  const auto lost = overload({.rate = 100}, default_options(), dying, kNeverEnd, kNoWord);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->exit_code(), 1);
  EXPECT_THAT(to_text(*lost, {}), HasSubstr("manager default is gone"));
}

}  // namespace
}  // namespace xbind::callgen
