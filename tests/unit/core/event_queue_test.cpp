#include "core/event_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace xbind {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr TimePoint kBegin{seconds{1}};

template <class Event>
std::vector<Event> all_of(EventQueue<Event>& queue) {
  std::vector<Event> taken;
  while (!queue.empty()) taken.push_back(queue.take());
  return taken;
}

TEST(EventQueueTest, AnEmptyQueueHasNoNextEvent) {
  EventQueue<int> queue(kBegin);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next(), kNever);
  EXPECT_EQ(queue.now(), kBegin);
  EXPECT_EQ(queue.take_due(), std::nullopt);
  EXPECT_DEATH(queue.take(), "expected !heap_.empty");
}

TEST(EventQueueTest, EventsAreTakenByTime) {
  EventQueue<int> queue;
  for (const int at : {5, 1, 4, 2, 3}) queue.schedule(TimePoint{milliseconds{at}}, at);
  EXPECT_EQ(queue.size(), 5U);
  EXPECT_EQ(queue.next(), TimePoint{milliseconds{1}});
  EXPECT_THAT(all_of(queue), ElementsAre(1, 2, 3, 4, 5));
}

TEST(EventQueueTest, EventsOfEqualTimeAreTakenInTheOrderOfScheduling) {
  EventQueue<int> queue;
  std::vector<int> expected;
  for (int i = 0; i < 1'000; ++i) {
    queue.schedule(kBegin, i);
    expected.push_back(i);
  }
  EXPECT_EQ(all_of(queue), expected);
}

TEST(EventQueueTest, EachEventMovesTheClockToItsTime) {
  EventQueue<int> queue(kBegin);
  const TimePoint& now = queue.now();
  queue.schedule(kBegin + milliseconds{5}, 1);
  queue.schedule(kBegin + milliseconds{7}, 2);
  EXPECT_EQ(now, kBegin);
  queue.take();
  EXPECT_EQ(now, kBegin + milliseconds{5});
  queue.take();
  EXPECT_EQ(now, kBegin + milliseconds{7});
}

TEST(EventQueueTest, TimeNeverGoesBack) {
  EventQueue<int> queue(kBegin);
  queue.advance_to(kBegin - milliseconds{1});
  EXPECT_EQ(queue.now(), kBegin);
  queue.advance_to(kBegin + seconds{1});
  queue.schedule(kBegin + seconds{1}, 2);
  queue.schedule(kBegin, 1);  // in the past: next, and the clock stays
  EXPECT_EQ(queue.take(), 1);
  EXPECT_EQ(queue.now(), kBegin + seconds{1});
  EXPECT_EQ(queue.take(), 2);
}

TEST(EventQueueTest, OnlyWhatIsDueIsTakenDue) {
  EventQueue<int> queue(kBegin);
  queue.schedule(kBegin, 1);
  queue.schedule(kBegin + milliseconds{1}, 2);
  EXPECT_EQ(queue.take_due(), 1);
  EXPECT_EQ(queue.take_due(), std::nullopt);
  queue.advance_to(queue.next());
  EXPECT_EQ(queue.take_due(), 2);
  EXPECT_EQ(queue.take_due(), std::nullopt);
}

TEST(EventQueueTest, AJobMaySchedule) {
  EventQueue<std::function<void()>> queue(kBegin);
  int left = 3;
  std::function<void()> again = [&] {
    if (--left > 0) queue.schedule(queue.now() + milliseconds{1}, again);
  };
  queue.schedule(kBegin, again);
  while (!queue.empty()) queue.take()();
  EXPECT_EQ(left, 0);
  EXPECT_EQ(queue.now(), kBegin + milliseconds{2});
}

TEST(EventQueueTest, AnEventNeedNotBeCopied) {
  EventQueue<std::unique_ptr<int>> queue;
  queue.schedule(kBegin, std::make_unique<int>(2));
  queue.schedule(kBegin - seconds{1}, std::make_unique<int>(1));
  EXPECT_EQ(*queue.take(), 1);
  EXPECT_EQ(*queue.take(), 2);
}

TEST(EventQueueTest, TheNumberOfPendingEventsHasABound) {
  EventQueue<int> queue({}, 2);
  queue.schedule(kBegin, 1);
  queue.schedule(kBegin, 2);
  EXPECT_DEATH(queue.schedule(kBegin, 3), "2; 2");
  queue.take();
  queue.schedule(kBegin, 3);
  EXPECT_THAT(all_of(queue), ElementsAre(2, 3));
}

TEST(EventQueueTest, AClearedQueueKeepsItsClockAndItsOrder) {
  EventQueue<int> queue;
  queue.schedule(kBegin, 1);
  queue.schedule(kBegin + seconds{1}, 2);
  queue.take();
  queue.clear();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.now(), kBegin);
  queue.schedule(kBegin, 3);
  queue.schedule(kBegin, 4);
  EXPECT_THAT(all_of(queue), ElementsAre(3, 4));
}

// Against a sorted list, with many equal times.
TEST(EventQueueTest, ItIsAStableSort) {
  std::mt19937_64 bits(7);
  EventQueue<std::size_t> queue;
  std::vector<std::pair<TimePoint, std::size_t>> expected;
  for (std::size_t i = 0; i < 5'000; ++i) {
    const TimePoint at{milliseconds{static_cast<std::int64_t>(bits() % 100)}};
    queue.schedule(at, i);
    expected.emplace_back(at, i);
  }
  std::ranges::stable_sort(expected, {}, &std::pair<TimePoint, std::size_t>::first);
  for (const auto& [at, event] : expected) {
    ASSERT_EQ(queue.next(), at);
    ASSERT_EQ(queue.take(), event);
  }
}

}  // namespace
}  // namespace xbind
