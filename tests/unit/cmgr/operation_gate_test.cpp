#include "cmgr/parts/operation_gate.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "now.hpp"

namespace xbind::cmgr {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr unsigned kRelease = 8;

using Gate = OperationGate<std::string, int>;

constexpr int kOne = 1;
constexpr int kOther = 2;

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

TEST(OperationGateTest, AChangedBoundAndPatienceCountForThoseThatWait) {
  Gate gate(1, 10, seconds{1});
  gate.started();
  EXPECT_FALSE(gate.open());
  (void)gate.push(3, kOne, "waits", kNow);
  EXPECT_EQ(gate.next_deadline(), kNow + seconds{1});
  gate.change(2, seconds{5});
  EXPECT_TRUE(gate.open());
  EXPECT_EQ(gate.next_deadline(), kNow + seconds{5});
  EXPECT_EQ(gate.expired(kNow + seconds{4}), std::nullopt);
  gate.change(1, milliseconds{500});
  EXPECT_FALSE(gate.open());
  EXPECT_EQ(gate.expired(kNow + milliseconds{500}), "waits");
}

TEST(OperationGateTest, ReleasesGoFirstThenByPriorityTheOldestOfEachFirst) {
  Gate gate(1, 10, seconds{1});
  (void)gate.push(0, kOne, "low", kNow);
  (void)gate.push(7, kOne, "high", kNow);
  (void)gate.push(3, kOne, "middle", kNow);
  (void)gate.push(kRelease, kOne, "release", kNow);
  (void)gate.push(7, kOne, "high2", kNow + milliseconds{1});
  EXPECT_EQ(gate.waiting(), 5U);
  EXPECT_EQ(all_of(gate), "release high high2 middle low ");
  EXPECT_EQ(gate.waiting(), 0U);
}

TEST(OperationGateTest, WhenFullTheNewestOfTheLowestClassGivesUpItsPlace) {
  Gate gate(1, 4, seconds{1});
  (void)gate.push(1, kOne, "low1", kNow);
  (void)gate.push(1, kOne, "low2", kNow);
  (void)gate.push(5, kOne, "high1", kNow);
  EXPECT_EQ(gate.push(5, kOne, "high2", kNow), std::nullopt);
  EXPECT_EQ(gate.push(3, kOne, "middle", kNow), "low2");
  EXPECT_EQ(gate.push(kRelease, kOne, "release", kNow), "low1");
  EXPECT_EQ(gate.push(kRelease, kOne, "release2", kNow), "middle");
  EXPECT_EQ(gate.waiting(), 4U);
  EXPECT_EQ(all_of(gate), "release release2 high1 high2 ");
}

TEST(OperationGateTest, WithNothingLessUrgentTheNewcomerGoes) {
  Gate gate(1, 2, seconds{1});
  (void)gate.push(5, kOne, "first", kNow);
  (void)gate.push(5, kOne, "second", kNow);
  EXPECT_EQ(gate.push(5, kOne, "as urgent", kNow), "as urgent");
  EXPECT_EQ(gate.push(4, kOne, "less urgent", kNow), "less urgent");
  EXPECT_EQ(all_of(gate), "first second ");
}

TEST(OperationGateTest, WithNoRoomToWaitEveryNewcomerGoes) {
  Gate gate(1, 0, seconds{1});
  EXPECT_EQ(gate.push(kRelease, kOne, "release", kNow), "release");
  EXPECT_EQ(gate.waiting(), 0U);
}

TEST(OperationGateTest, PatienceEndsTheLongestWaitingFirst) {
  Gate gate(1, 10, seconds{3});
  EXPECT_EQ(gate.next_deadline(), kNever);
  (void)gate.push(7, kOne, "first", kNow);
  (void)gate.push(kRelease, kOne, "third", kNow + milliseconds{2});
  (void)gate.push(0, kOne, "second", kNow + milliseconds{1});
  (void)gate.push(0, kOne, "fourth", kNow + milliseconds{3});
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

TEST(OperationGateTest, OwnersOfAClassTakeTurns) {
  Gate gate(1, 10, seconds{1});
  for (const char* item : {"a1", "a2", "a3", "a4"}) (void)gate.push(7, kOne, item, kNow);
  for (const char* item : {"b1", "b2"}) (void)gate.push(7, kOther, item, kNow);
  (void)gate.push(3, kOther, "later", kNow);
  EXPECT_EQ(all_of(gate), "a1 b1 a2 b2 a3 a4 later ");
  (void)gate.push(7, kOther, "b3", kNow);
  EXPECT_EQ(all_of(gate), "b3 ") << "an owner that waited before has its turn again";
}

TEST(OperationGateTest, WhenFullTheOwnerThatHasMostWaitingGivesUpItsNewest) {
  Gate gate(1, 4, seconds{1});
  for (const char* item : {"a1", "a2", "a3", "a4"}) (void)gate.push(7, kOne, item, kNow);
  EXPECT_EQ(gate.push(7, kOne, "a5", kNow), "a5");
  EXPECT_EQ(gate.push(7, kOther, "b1", kNow), "a4");
  EXPECT_EQ(gate.push(7, kOther, "b2", kNow), "a3");
  EXPECT_EQ(gate.push(7, kOther, "b3", kNow), "b3") << "it would have more than the other";
  EXPECT_EQ(gate.push(7, kOne, "a6", kNow), "a6");
  EXPECT_EQ(all_of(gate), "a1 b1 a2 b2 ");
}

TEST(OperationGateTest, WhoseItemsHaveAllGoneHasNoTurnLeft) {
  Gate gate(1, 2, seconds{3});
  (void)gate.push(7, kOne, "a1", kNow);
  (void)gate.push(7, kOther, "b1", kNow + seconds{1});
  EXPECT_EQ(gate.expired(kNow + seconds{3}), "a1");
  (void)gate.push(7, kOne, "a2", kNow + seconds{3});
  EXPECT_EQ(all_of(gate), "b1 a2 ");
}

// One client offers ten times as much as another; the gate serves half of what both offer.
TEST(OperationGateTest, TheModestOneIsServedWholeAndWaitsForAtMostOneOfTheOther) {
  Gate gate(1, 100, seconds{60});
  std::map<std::string, int> served;
  std::map<std::string, int> turned_away;
  for (int round = 0; round < 1'000; ++round) {
    for (int i = 0; i < 10; ++i) {
      if (const auto gone = gate.push(7, kOne, "greedy", kNow)) ++turned_away[*gone];
    }
    if (const auto gone = gate.push(7, kOther, "modest", kNow)) ++turned_away[*gone];
    for (int i = 0; i < 2; ++i) ++served[*gate.pop()];
  }
  EXPECT_EQ(served["modest"], 1'000);
  EXPECT_EQ(turned_away["modest"], 0);
  EXPECT_EQ(served["greedy"], 1'000);
}

TEST(OperationGateTest, ItemsNeedOnlyMove) {
  OperationGate<std::unique_ptr<int>, int> gate(1, 1, seconds{1});
  (void)gate.push(0, kOne, std::make_unique<int>(1), kNow);
  const auto gone = gate.push(1, kOne, std::make_unique<int>(2), kNow);
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
