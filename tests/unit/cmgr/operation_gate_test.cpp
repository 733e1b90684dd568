#include "cmgr/parts/operation_gate.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace xbind::cmgr {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TimePoint kNow{seconds{100}};
constexpr unsigned kRelease = 8;

using Gate = OperationGate<std::string>;

std::string all_of(Gate& gate) {
  std::string order;
  while (const auto next = gate.pop()) order += *next + ' ';
  return order;
}

TEST(OperationGateTest, IsOpenForSoManyAtATime) {
  Gate gate(2, 10, seconds{1});
  gate.started();
  EXPECT_TRUE(gate.open());
  gate.started();
  EXPECT_FALSE(gate.open());
  EXPECT_EQ(gate.under_way(), 2U);
  gate.ended();
  EXPECT_TRUE(gate.open());
}

TEST(OperationGateTest, ReleasesGoFirstThenByPriorityTheOldestOfEachFirst) {
  Gate gate(1, 10, seconds{1});
  (void)gate.push(0, "low", kNow);
  (void)gate.push(7, "high", kNow);
  (void)gate.push(3, "middle", kNow);
  (void)gate.push(kRelease, "release", kNow);
  (void)gate.push(7, "high2", kNow + milliseconds{1});
  EXPECT_EQ(gate.waiting(), 5U);
  EXPECT_EQ(all_of(gate), "release high high2 middle low ");
  EXPECT_EQ(gate.waiting(), 0U);
}

TEST(OperationGateTest, WhenFullTheNewestOfTheLowestClassGivesUpItsPlace) {
  Gate gate(1, 4, seconds{1});
  (void)gate.push(1, "low1", kNow);
  (void)gate.push(1, "low2", kNow);
  (void)gate.push(5, "high1", kNow);
  EXPECT_EQ(gate.push(5, "high2", kNow), std::nullopt);
  EXPECT_EQ(gate.push(3, "middle", kNow), "low2");
  EXPECT_EQ(gate.push(kRelease, "release", kNow), "low1");
  EXPECT_EQ(gate.push(kRelease, "release2", kNow), "middle");
  EXPECT_EQ(gate.waiting(), 4U);
  EXPECT_EQ(all_of(gate), "release release2 high1 high2 ");
}

TEST(OperationGateTest, WithNothingLessUrgentTheNewcomerGoes) {
  Gate gate(1, 2, seconds{1});
  (void)gate.push(5, "first", kNow);
  (void)gate.push(5, "second", kNow);
  EXPECT_EQ(gate.push(5, "as urgent", kNow), "as urgent");
  EXPECT_EQ(gate.push(4, "less urgent", kNow), "less urgent");
  EXPECT_EQ(all_of(gate), "first second ");
}

TEST(OperationGateTest, WithNoRoomToWaitEveryNewcomerGoes) {
  Gate gate(1, 0, seconds{1});
  EXPECT_EQ(gate.push(kRelease, "release", kNow), "release");
  EXPECT_EQ(gate.waiting(), 0U);
}

TEST(OperationGateTest, PatienceEndsTheLongestWaitingFirst) {
  Gate gate(1, 10, seconds{3});
  EXPECT_EQ(gate.next_deadline(), kNever);
  (void)gate.push(7, "first", kNow);
  (void)gate.push(kRelease, "third", kNow + milliseconds{2});
  (void)gate.push(0, "second", kNow + milliseconds{1});
  (void)gate.push(0, "fourth", kNow + milliseconds{3});
  EXPECT_EQ(gate.next_deadline(), kNow + seconds{3});
  EXPECT_EQ(gate.expired(kNow + seconds{3} - Duration{1}), std::nullopt);
  const TimePoint late = kNow + seconds{3} + milliseconds{2};
  EXPECT_EQ(gate.expired(late), "first");
  EXPECT_EQ(gate.expired(late), "second");
  EXPECT_EQ(gate.expired(late), "third");
  EXPECT_EQ(gate.expired(late), std::nullopt);
  EXPECT_EQ(gate.next_deadline(), late + milliseconds{1});
  EXPECT_EQ(all_of(gate), "fourth ");
}

TEST(OperationGateTest, ItemsNeedOnlyMove) {
  OperationGate<std::unique_ptr<int>> gate(1, 1, seconds{1});
  (void)gate.push(0, std::make_unique<int>(1), kNow);
  const auto gone = gate.push(1, std::make_unique<int>(2), kNow);
  ASSERT_TRUE(gone);
  EXPECT_EQ(**gone, 1);
  const auto next = gate.pop();
  ASSERT_TRUE(next);
  EXPECT_EQ(**next, 2);
}

TEST(OperationGateDeathTest, WhatHasNotBegunCannotEnd) {
  Gate gate(1, 1, seconds{1});
  EXPECT_DEATH(gate.ended(), "under_way");
}

}  // namespace
}  // namespace xbind::cmgr
