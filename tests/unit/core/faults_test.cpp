// Faults on purpose: as many as asked for, the same for the same seed, and nothing lost but what
// was dropped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "core/faults/fault_plan.hpp"

namespace xbind::faults {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimePoint kStart{std::chrono::hours{1}};
constexpr std::uint64_t kInvocations = 100'000;

TimePoint at_ms(int ms) { return kStart + milliseconds{ms}; }

// Six standard deviations of a binomial count: one run in 500 million is outside by chance.
void expect_near(std::uint64_t count, double probability, std::uint64_t trials, const char* what) {
  const double mean = probability * static_cast<double>(trials);
  const double sigma = std::sqrt(mean * (1 - probability));
  EXPECT_NEAR(static_cast<double>(count), mean, 6 * sigma) << what;
  EXPECT_GT(count, 0u) << what;
}

FaultyPipe<int> pipe_of(const FaultOptions& options) { return {options, "leg"}; }

std::vector<int> pass(FaultyPipe<int>& pipe, std::vector<int> items, TimePoint now) {
  pipe.pass(
      items, [](int) { return 1; }, now);
  return items;
}

TEST(Faults, AreAsFrequentAsAskedForFromAnySeed) {
  for (const std::uint64_t seed : {1, 2, 77, 123'456'789}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    FaultInjector injector(
        {.loss = 0.05, .duplicate = 0.03, .reorder = 0.02, .delay = 0.1, .seed = seed}, "leg");
    std::uint64_t behind_next = 0;
    std::uint64_t late = 0;
    for (std::uint64_t i = 0; i < kInvocations; ++i) {
      const Decision decision = injector.decide(kStart);
      behind_next += decision.hold == Hold::kNextOne;
      late += decision.hold == Hold::kUntil;
      if (decision.hold == Hold::kUntil) {
        EXPECT_GT(decision.until, kStart);
        EXPECT_LE(decision.until, kStart + milliseconds{50});
      }
    }
    const FaultCounters& counters = injector.counters();
    EXPECT_EQ(counters.invocations, kInvocations);
    expect_near(counters.dropped, 0.05, kInvocations, "dropped");
    expect_near(counters.repeated, 0.95 * 0.03, kInvocations, "repeated");
    expect_near(behind_next, 0.95 * 0.02, kInvocations, "to be overtaken");
    expect_near(late, 0.95 * 0.98 * 0.1, kInvocations, "delayed");
    expect_near(counters.passed, 0.95 * 0.97 * 0.98 * 0.9, kInvocations, "passed");
  }
}

std::vector<Decision> decisions(std::uint64_t seed, const char* leg) {
  FaultInjector injector(
      {.loss = 0.2, .duplicate = 0.2, .reorder = 0.2, .delay = 0.2, .seed = seed}, leg);
  std::vector<Decision> made;
  for (int i = 0; i < 100; ++i) made.push_back(injector.decide(at_ms(i)));
  return made;
}

TEST(Faults, AreTheSameForTheSameSeedAndLeg) {
  EXPECT_EQ(decisions(7, "a"), decisions(7, "a"));
  EXPECT_NE(decisions(7, "a"), decisions(8, "a"));
  EXPECT_NE(decisions(7, "a"), decisions(7, "b"));
}

TEST(Faults, SwitchedOffNothingIsTouchedAndNothingCounted) {
  FaultyPipe<int> pipe = pipe_of({.seed = 9});
  EXPECT_FALSE(pipe.on());
  for (int i = 0; i < 1000; ++i) EXPECT_THAT(pass(pipe, {i, i + 1}, kStart), ElementsAre(i, i + 1));
  EXPECT_EQ(pipe.counters(), FaultCounters{});
  EXPECT_EQ(pipe.next_deadline(), kNever);
}

TEST(FaultyPipe, LosesOnlyWhatItSaysItDropped) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    FaultyPipe<int> pipe =
        pipe_of({.loss = 0.1, .duplicate = 0.1, .reorder = 0.1, .delay = 0.1, .seed = seed});
    std::map<int, int> came;
    constexpr int kItems = 20'000;
    for (int i = 0; i < kItems; ++i) {
      for (const int item : pass(pipe, {i}, at_ms(i))) ++came[item];
    }
    while (pipe.next_deadline() != kNever) {
      for (const int item : pass(pipe, {}, pipe.next_deadline())) ++came[item];
    }
    const FaultCounters& counters = pipe.counters();
    EXPECT_EQ(came.size() + counters.dropped, static_cast<std::size_t>(kItems));
    const auto copies = std::accumulate(
        came.begin(), came.end(), std::uint64_t{0},
        [](auto sum, const auto& item) { return sum + static_cast<std::uint64_t>(item.second); });
    EXPECT_EQ(copies, came.size() + counters.repeated);
    EXPECT_GT(counters.reordered, 0u);
    EXPECT_GT(counters.delayed, 0u);
  }
}

// A pipe whose chance holds the first item back and no second one.
FaultyPipe<int> pipe_that_holds_the_first_only() {
  for (std::uint64_t seed = 1;; ++seed) {
    FaultInjector trial({.reorder = 0.5, .seed = seed}, "leg");
    if (trial.decide(kStart).hold == Hold::kNextOne && trial.decide(kStart).hold == Hold::kNone) {
      return pipe_of({.reorder = 0.5, .seed = seed});
    }
  }
}

TEST(FaultyPipe, OneHeldBackGoesBehindTheNext) {
  FaultyPipe<int> pipe = pipe_that_holds_the_first_only();
  EXPECT_THAT(pass(pipe, {1, 2}, kStart), ElementsAre(2, 1));
  EXPECT_EQ(pipe.counters().reordered, 1u);
  EXPECT_EQ(pipe.counters().delayed, 0u);
  EXPECT_EQ(pipe.held(), 0u);
}

TEST(FaultyPipe, OneHeldBackThatNobodyOvertakesGoesAfterAShortTimeAndCountsAsDelayed) {
  FaultyPipe<int> pipe = pipe_that_holds_the_first_only();
  EXPECT_THAT(pass(pipe, {1}, kStart), IsEmpty());
  EXPECT_EQ(pipe.next_deadline(), kStart + kOvertakeWithin);
  EXPECT_THAT(pass(pipe, {}, kStart + kOvertakeWithin - Duration{1}), IsEmpty());
  // The next one comes too late to overtake.
  EXPECT_THAT(pass(pipe, {2}, kStart + kOvertakeWithin), ElementsAre(1, 2));
  EXPECT_EQ(pipe.counters().reordered, 0u);
  EXPECT_EQ(pipe.counters().delayed, 1u);
}

TEST(FaultyPipe, OnlyWhatGoesToTheSamePeerOvertakes) {
  FaultyPipe<int> pipe = pipe_that_holds_the_first_only();
  std::vector<int> items{10, 20};
  pipe.pass(
      items, [](int item) { return static_cast<std::uint64_t>(item / 10); }, kStart);
  EXPECT_THAT(items, ElementsAre(20));
  EXPECT_EQ(pipe.held(), 1u);
}

TEST(FaultyPipe, HoldsABoundedNumber) {
  FaultyPipe<int> pipe = pipe_of({.delay = 0.9, .seed = 5});
  std::vector<int> items(3 * kHeldMax, 1);
  const std::size_t sent = pass(pipe, std::move(items), kStart).size();
  EXPECT_EQ(pipe.held(), kHeldMax);
  EXPECT_EQ(sent, 2 * kHeldMax);
}

}  // namespace
}  // namespace xbind::faults
