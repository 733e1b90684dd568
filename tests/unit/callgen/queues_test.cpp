// The two queues of a run: moments that arrive almost in order, and steps in any order.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <vector>

#include "callgen/run/earliest_first.hpp"
#include "callgen/statistics/time_queue.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;

std::vector<Duration> emptied(TimeQueue& queue) {
  std::vector<Duration> out;
  for (; !queue.empty(); queue.pop()) out.push_back(queue.front());
  return out;
}

TEST(TimeQueueTest, WithoutAnythingThereIsNothingBeforeTheEndOfTime) {
  EXPECT_TRUE(TimeQueue{}.empty());
  EXPECT_EQ(TimeQueue{}.front(), Duration::max());
}

TEST(TimeQueueTest, WhoIsToldLateStandsWhereHeBelongs) {
  TimeQueue queue;
  for (const Duration when : {1ms, 2ms, 5ms, 3ms, 6ms, 2ms, 0ms}) queue.push(when);
  EXPECT_EQ(queue.size(), 7u);
  EXPECT_EQ(emptied(queue), (std::vector<Duration>{0ms, 1ms, 2ms, 2ms, 3ms, 5ms, 6ms}));
}

TEST(TimeQueueTest, TheRingGoesRoundAndGrows) {
  TimeQueue queue;
  std::int64_t reported = 0;
  std::int64_t taken = 0;
  for (int round = 0; round < 1000; ++round) {
    for (int i = 0; i < 3; ++i) queue.push(Duration{reported++});
    ASSERT_EQ(queue.front(), Duration{taken++});
    queue.pop();
  }
  EXPECT_EQ(queue.size(), 2000u);
  for (; !queue.empty(); queue.pop()) ASSERT_EQ(queue.front(), Duration{taken++});
  EXPECT_EQ(taken, reported);
}

struct Step {
  TimePoint due;
  std::uint64_t number = 0;
  bool before(const Step& other) const {
    return due != other.due ? due < other.due : number < other.number;
  }
  friend bool operator>(const Step& one, const Step& other) { return other.before(one); }
};

// As in a run: a pushed step is due at most `longest` after the last popped one.
void compare_with_priority_queue(std::uint64_t seed, Duration longest, std::size_t most) {
  std::mt19937_64 bits(seed);
  EarliestFirst<Step> queue;
  std::priority_queue<Step, std::vector<Step>, std::greater<>> expected;
  TimePoint now{5s};
  for (std::uint64_t number = 0; number < 40'000; ++number) {
    const bool push = expected.empty() || (expected.size() < most && bits() % 2 == 0);
    if (push) {
      // Delays of every order of magnitude, often zero.
      const auto ahead = static_cast<std::int64_t>(bits() % 4 == 0 ? 0 : bits() >> bits() % 64);
      const Step step{now + Duration{ahead % longest.count()}, number};
      queue.push(step);
      expected.push(step);
    } else {
      now = expected.top().due;
      queue.pop();
      expected.pop();
    }
    ASSERT_EQ(queue.size(), expected.size());
    if (expected.empty()) continue;
    ASSERT_EQ(queue.top().number, expected.top().number)
        << "seed " << seed << ", longest " << longest.count() << " ns, step " << number;
  }
  for (; !expected.empty(); expected.pop(), queue.pop())
    ASSERT_EQ(queue.top().number, expected.top().number);
  EXPECT_TRUE(queue.empty());
}

TEST(EarliestFirstTest, ItIsWhatAPriorityQueueIs) {
  std::uint64_t seed = 21;
  for (const Duration longest : {Duration{100us}, Duration{10ms}, Duration{3s}, Duration{24h}})
    for (const std::size_t most : {2, 30, 5'000})
      compare_with_priority_queue(seed++, longest, most);
}

TEST(EarliestFirstTest, WhatIsPushedLaterMayBeDueFirst) {
  EarliestFirst<Step> queue;
  for (const Duration due : {Duration{10h}, Duration{9h}, Duration{1ns}, Duration{1s}})
    queue.push({TimePoint{due}, 0});
  std::vector<Duration> popped;
  for (; !queue.empty(); queue.pop()) popped.push_back(queue.top().due.time_since_epoch());
  EXPECT_EQ(popped, (std::vector<Duration>{1ns, 1s, 9h, 10h}));
}

TEST(EarliestFirstTest, ClearedItIsEmpty) {
  EarliestFirst<Step> queue;
  queue.push({TimePoint{2s}, 1});
  queue.push({TimePoint{1h}, 2});
  queue.clear();
  EXPECT_TRUE(queue.empty());
  queue.push({TimePoint{3s}, 3});
  EXPECT_EQ(queue.top().number, 3u);
}

}  // namespace
}  // namespace xbind::callgen
