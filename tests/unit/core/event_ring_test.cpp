#include "core/events/event_ring.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/events/event_log.hpp"

namespace xbind {
namespace {

// Writes `count` records, each with its own number.
void write(EventRing<std::uint64_t>& ring, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t& record = ring.next();
    record = ring.newest();
  }
}

TEST(EventRing, AReaderContinuesWhereItWas) {
  EventRing<std::uint64_t> ring(4);
  write(ring, 3);
  auto span = ring.after(0, 10, ring.newest());
  EXPECT_EQ(span.first, 1U);
  EXPECT_EQ(span.count, 3U);
  EXPECT_EQ(span.lost, 0U);
  span = ring.after(3, 10, ring.newest());
  EXPECT_EQ(span.count, 0U);
  write(ring, 1);
  span = ring.after(3, 10, ring.newest());
  EXPECT_EQ(span.first, 4U);
  EXPECT_EQ(span.count, 1U);
  EXPECT_EQ(ring[4], 4U);
}

TEST(EventRing, ASlowReaderLearnsHowManyItHasLost) {
  EventRing<std::uint64_t> ring(4);
  write(ring, 10);
  auto span = ring.after(2, 10, ring.newest());
  EXPECT_EQ(span.lost, 4U);  // 3, 4, 5 and 6
  EXPECT_EQ(span.first, 7U);
  EXPECT_EQ(span.count, 4U);
  for (std::uint64_t number = 7; number <= 10; ++number) EXPECT_EQ(ring[number], number);
  write(ring, 1'000'000);
  span = ring.after(10, 2, ring.newest());
  EXPECT_EQ(span.lost, 999'996U);
  EXPECT_EQ(span.count, 2U);
  EXPECT_EQ(ring[span.first], 1'000'007U);
}

TEST(EventRing, APositionAheadOfTheRingIsItsEnd) {
  EventRing<std::uint64_t> ring(4);
  write(ring, 2);
  const auto span = ring.after(99, 10, ring.newest());
  EXPECT_EQ(span.count, 0U);
  EXPECT_EQ(span.lost, 0U);
}

TEST(EventRing, WhatIsNotReadyWaits) {
  EventRing<std::uint64_t> ring(4);
  write(ring, 3);
  const auto span = ring.after(1, 10, 2);
  EXPECT_EQ(span.first, 2U);
  EXPECT_EQ(span.count, 1U);
  EXPECT_EQ(span.lost, 0U);
}

TEST(EventLog, EventsHaveNumberAndTime) {
  std::uint64_t clock = 5'000;
  EventLog log([&clock] { return clock; });
  log.add(EventKind::kLinkDown, "switch-1 port 2", "as the switch reports");
  clock = 6'000;
  log.add(EventKind::kLinkUp, "switch-1 port 2");
  const EventPage page = log.page(0, 10);
  ASSERT_EQ(page.events.size(), 2U);
  EXPECT_EQ(page.newest, 2U);
  EXPECT_EQ(page.events[0].number, 1U);
  EXPECT_EQ(page.events[0].at_ms, 5'000U);
  EXPECT_EQ(page.events[0].text, "as the switch reports");
  EXPECT_EQ(page.events[1].kind, EventKind::kLinkUp);
  EXPECT_EQ(log.page(1, 10).events.size(), 1U);
}

TEST(EventLog, KeepsTheLastOnes) {
  EventLog log([] { return std::uint64_t{1}; });
  for (std::size_t i = 0; i < EventLog::kEvents + 7; ++i) {
    log.add(EventKind::kSessionEnded, "client " + std::to_string(i));
  }
  const EventPage page = log.page(0, 1);
  EXPECT_EQ(page.lost, 7U);
  ASSERT_EQ(page.events.size(), 1U);
  EXPECT_EQ(page.events[0].object, "client 7");
  EXPECT_EQ(page.newest, EventLog::kEvents + 7);
}

TEST(EventKinds, HaveASubject) {
  EXPECT_EQ(subject_of(EventKind::kMended), EventSubject::kCalls);
  EXPECT_EQ(subject_of(EventKind::kLinkUndrained), EventSubject::kLinks);
  EXPECT_EQ(subject_of(EventKind::kSwitchUp), EventSubject::kSwitches);
  EXPECT_EQ(subject_of(EventKind::kSessionEnded), EventSubject::kSessions);
  EXPECT_EQ(subject_of(EventKind::kAlarmRaised), EventSubject::kAlarms);
}

}  // namespace
}  // namespace xbind
