#include "core/attaching.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace xbind {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using State = Attaching::State;

class AttachingTest : public ::testing::Test {
 protected:
  static constexpr Attaching::Policy kPolicy{.back_off = {milliseconds{100}, milliseconds{750}},
                                             .answer_within = seconds{5}};

  // Begins the attempt that is due now.
  Attaching::Attempt take() {
    const auto attempt = attaching.take(now);
    EXPECT_TRUE(attempt.has_value()) << to_string(attaching.state());
    return attempt.value_or(0);
  }
  Duration until_next() const { return attaching.next_deadline() - now; }
  void wait(Duration time) { now += time; }

  Attaching attaching{kPolicy};
  TimePoint now{hours{7}};
};

TEST_F(AttachingTest, NothingIsDueBeforeItBegins) {
  EXPECT_EQ(attaching.state(), State::kIdle);
  EXPECT_EQ(attaching.next_deadline(), kNever);
  EXPECT_EQ(attaching.take(now), std::nullopt);
}

TEST_F(AttachingTest, ItAttemptsAtOnceAndStaysAttached) {
  attaching.begin(now);
  EXPECT_EQ(attaching.state(), State::kWaiting);
  EXPECT_EQ(until_next(), Duration::zero());
  const auto attempt = take();
  EXPECT_EQ(attaching.state(), State::kAttempting);
  EXPECT_EQ(attaching.take(now), std::nullopt) << "one attempt at a time";
  EXPECT_TRUE(attaching.attached(attempt, now));
  EXPECT_EQ(attaching.state(), State::kAttached);
  EXPECT_EQ(attaching.next_deadline(), kNever);
}

TEST_F(AttachingTest, FailuresDoubleTheWaitUpToItsBound) {
  attaching.begin(now);
  for (const int wait_ms : {100, 200, 400, 750, 750}) {
    EXPECT_TRUE(attaching.failed(take(), now));
    EXPECT_EQ(attaching.state(), State::kWaiting);
    EXPECT_EQ(until_next(), milliseconds{wait_ms});
    wait(until_next() - Duration{1});
    EXPECT_EQ(attaching.take(now), std::nullopt);
    wait(Duration{1});
  }
}

TEST_F(AttachingTest, JitterLeavesOutUpToHalfOfTheWait) {
  attaching.begin(now);
  attaching.failed(take(), now, 1);
  EXPECT_EQ(until_next(), milliseconds{50});
  wait(until_next());
  attaching.failed(take(), now, 0.5);
  EXPECT_EQ(until_next(), milliseconds{150});
}

TEST_F(AttachingTest, AnAttemptWithoutAnAnswerIsOverdueAndItsLateAnswerChangesNothing) {
  attaching.begin(now);
  const auto first = take();
  EXPECT_EQ(until_next(), seconds{5});
  wait(seconds{5} - Duration{1});
  EXPECT_EQ(attaching.overdue(now), std::nullopt);
  wait(Duration{1});
  EXPECT_EQ(attaching.overdue(now), first);
  attaching.failed(first, now);
  EXPECT_FALSE(attaching.attached(first, now)) << "while it waits";
  wait(until_next());
  const auto second = take();
  EXPECT_NE(second, first);
  EXPECT_FALSE(attaching.awaits(first));
  EXPECT_FALSE(attaching.attached(first, now));
  EXPECT_FALSE(attaching.attached(first, now, seconds{1}));
  EXPECT_FALSE(attaching.failed(first, now));
  EXPECT_EQ(attaching.state(), State::kAttempting);
  EXPECT_EQ(until_next(), seconds{5});
  EXPECT_TRUE(attaching.attached(second, now));
  EXPECT_FALSE(attaching.failed(second, now)) << "one answer to an attempt";
  EXPECT_EQ(attaching.state(), State::kAttached);
}

TEST_F(AttachingTest, WithoutABoundAnAnswerIsNeverOverdue) {
  attaching = Attaching{{.back_off = kPolicy.back_off}};
  attaching.begin(now);
  take();
  EXPECT_EQ(attaching.next_deadline(), kNever);
  EXPECT_EQ(attaching.overdue(now + hours{1'000}), std::nullopt);
}

TEST_F(AttachingTest, AShortSessionCountsAsAFailure) {
  attaching.begin(now);
  for (const int wait_ms : {100, 200, 400}) {
    attaching.attached(take(), now);
    wait(milliseconds{749});
    attaching.lost(now);
    EXPECT_EQ(until_next(), milliseconds{wait_ms});
    wait(until_next());
  }
}

TEST_F(AttachingTest, ASessionThatLastedMakesTheNextWaitTheSmallest) {
  attaching.begin(now);
  attaching.failed(take(), now);
  wait(until_next());
  attaching.attached(take(), now);
  wait(milliseconds{750});
  attaching.lost(now, 1);
  EXPECT_EQ(attaching.state(), State::kWaiting);
  EXPECT_EQ(until_next(), milliseconds{50});
}

TEST_F(AttachingTest, ItMayAttemptAtOnceAfterASessionThatLasted) {
  attaching = Attaching{{.back_off = kPolicy.back_off, .at_once_after_loss = true}};
  attaching.begin(now);
  attaching.attached(take(), now);
  wait(milliseconds{749});
  attaching.lost(now);
  EXPECT_EQ(until_next(), milliseconds{100}) << "not after one that did not";
  wait(until_next());
  attaching.attached(take(), now);
  wait(milliseconds{750});
  attaching.lost(now);
  EXPECT_EQ(until_next(), Duration::zero());
  attaching.failed(take(), now);
  EXPECT_EQ(until_next(), milliseconds{100});
}

TEST_F(AttachingTest, WhatIsNotAttachedCannotBeLost) {
  attaching.lost(now);
  EXPECT_EQ(attaching.state(), State::kIdle);
  attaching.begin(now);
  const auto attempt = take();
  attaching.lost(now);
  EXPECT_TRUE(attaching.awaits(attempt));
  attaching.failed(attempt, now);
  wait(milliseconds{30});
  attaching.lost(now);
  EXPECT_EQ(until_next(), milliseconds{70});
}

TEST_F(AttachingTest, AWatchIsRefreshedAndItsFailuresAreForgotten) {
  attaching.begin(now);
  attaching.failed(take(), now);
  wait(until_next());
  attaching.attached(take(), now, seconds{3});
  EXPECT_EQ(attaching.state(), State::kAttached);
  EXPECT_EQ(until_next(), seconds{3});
  wait(seconds{3} - Duration{1});
  EXPECT_EQ(attaching.take(now), std::nullopt);
  wait(Duration{1});
  attaching.failed(take(), now);
  EXPECT_EQ(until_next(), milliseconds{100});
}

TEST_F(AttachingTest, BeginningAnewCutsAnyWaitShort) {
  attaching.begin(now);
  attaching.failed(take(), now);
  attaching.begin(now);
  EXPECT_EQ(until_next(), Duration::zero());
  attaching.attached(take(), now, seconds{3});
  attaching.begin(now);
  attaching.failed(take(), now);
  EXPECT_EQ(until_next(), milliseconds{100});
}

TEST_F(AttachingTest, BeginningAnewDuringAnAttemptFollowsItsSuccess) {
  attaching.begin(now);
  auto attempt = take();
  attaching.begin(now);
  EXPECT_TRUE(attaching.awaits(attempt));
  attaching.attached(attempt, now, seconds{3});
  EXPECT_EQ(until_next(), Duration::zero());
  attempt = take();
  attaching.attached(attempt, now, seconds{3});
  EXPECT_EQ(until_next(), seconds{3}) << "once";
}

TEST_F(AttachingTest, BeginningAnewDuringAnAttemptThatFailsWaits) {
  attaching.begin(now);
  const auto attempt = take();
  attaching.begin(now);
  attaching.failed(attempt, now);
  EXPECT_EQ(until_next(), milliseconds{100});
  wait(until_next());
  attaching.attached(take(), now, seconds{3});
  EXPECT_EQ(until_next(), seconds{3});
}

TEST_F(AttachingTest, StoppedItAttemptsNothingAndForgets) {
  attaching.begin(now);
  attaching.failed(take(), now);
  wait(until_next());
  const auto attempt = take();
  attaching.stop();
  EXPECT_EQ(attaching.state(), State::kIdle);
  EXPECT_EQ(attaching.next_deadline(), kNever);
  EXPECT_FALSE(attaching.attached(attempt, now));
  attaching.begin(now);
  EXPECT_GT(take(), attempt);
  EXPECT_FALSE(attaching.failed(attempt, now));
  attaching.failed(attempt + 1, now);
  EXPECT_EQ(until_next(), milliseconds{100});
}

}  // namespace
}  // namespace xbind
