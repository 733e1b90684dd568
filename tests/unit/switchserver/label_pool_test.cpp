#include "switchserver/ledger/label_pool.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

constexpr LabelPlace kFreed{LabelHolder::kFree, {}, {}};
constexpr LabelPlace kCachedBy1{LabelHolder::kCached, ManagerIndex{1}, {}};

LabelRanges range(std::uint32_t vpi_max, std::uint32_t vci_min, std::uint32_t vci_max) {
  return {atm_range(0, vpi_max, vci_min, vci_max)};
}

Label take(LabelPool& pool, LabelPlace place = kCachedBy1) {
  const auto label = pool.next_free();
  EXPECT_TRUE(label.has_value());
  pool.move(*label, place);
  return *label;
}

TEST(LabelPool, HandsOutTheLowestNeverUsedFirst) {
  LabelPool pool(range(1, 32, 33));
  EXPECT_EQ(pool.free_count(), 4U);
  EXPECT_EQ(take(pool), atm_label(0, 32));
  EXPECT_EQ(take(pool), atm_label(0, 33));
  pool.move(atm_label(0, 32), kFreed);
  EXPECT_EQ(take(pool), atm_label(1, 32)) << "a new one goes before a freed one";
  EXPECT_EQ(take(pool), atm_label(1, 33));
  EXPECT_EQ(take(pool), atm_label(0, 32));
  EXPECT_EQ(pool.next_free(), std::nullopt);
  EXPECT_EQ(pool.free_count(), 0U);
}

TEST(LabelPool, ThenTheOneFreedLongestAgo) {
  LabelPool pool(range(0, 32, 34));
  for (int i = 0; i < 3; ++i) take(pool);
  for (const std::uint32_t vci : {33U, 32U, 34U}) pool.move(atm_label(0, vci), kFreed);
  EXPECT_EQ(take(pool), atm_label(0, 33));
  EXPECT_EQ(take(pool), atm_label(0, 32));
  EXPECT_EQ(take(pool), atm_label(0, 34));
}

TEST(LabelPool, KeepsEachLabelInOnePlace) {
  LabelPool pool(range(0, 32, 40));
  const Label label = take(pool);
  EXPECT_EQ(pool.place_of(label), kCachedBy1);
  EXPECT_EQ(pool.count(LabelHolder::kCached, ManagerIndex{1}), 1U);

  const LabelPlace connected{LabelHolder::kConnection, ManagerIndex{1}, HopRef{77}};
  pool.move(label, connected);
  EXPECT_EQ(pool.place_of(label), connected);
  EXPECT_EQ(pool.count(LabelHolder::kCached, ManagerIndex{1}), 0U);

  pool.move(label, {LabelHolder::kQuarantine, ManagerIndex{1}, {}});
  EXPECT_EQ(pool.list(LabelHolder::kQuarantine, ManagerIndex{1}), std::vector{label});
  EXPECT_FALSE(pool.is_free(label));

  pool.move(label, kFreed);
  EXPECT_TRUE(pool.is_free(label));
  EXPECT_TRUE(pool.idle());
}

TEST(LabelPool, TakesALabelOutOfTheMiddleOfAList) {
  LabelPool pool(range(0, 32, 40));
  for (int i = 0; i < 3; ++i) take(pool);
  pool.move(atm_label(0, 33), kFreed);
  EXPECT_EQ(pool.list(LabelHolder::kCached, ManagerIndex{1}),
            (std::vector{atm_label(0, 32), atm_label(0, 34)}));
  pool.move(atm_label(0, 32), kFreed);
  pool.move(atm_label(0, 34), kFreed);
  EXPECT_TRUE(pool.list(LabelHolder::kCached, ManagerIndex{1}).empty());
  EXPECT_TRUE(pool.idle());
}

TEST(LabelPool, FreesEverythingOfOneManagerOnly) {
  LabelPool pool(range(0, 32, 40));
  take(pool);
  take(pool, {LabelHolder::kCached, ManagerIndex{2}, {}});
  take(pool);
  pool.free_all(LabelHolder::kCached, ManagerIndex{1});
  EXPECT_EQ(pool.count(LabelHolder::kCached, ManagerIndex{1}), 0U);
  EXPECT_EQ(pool.count(LabelHolder::kCached, ManagerIndex{2}), 1U);
  EXPECT_EQ(pool.free_count(), 8U);
}

TEST(LabelPool, SkipsALabelThatWasTakenOutOfTurn) {
  LabelPool pool(range(0, 32, 40));
  pool.move(atm_label(0, 33), {LabelHolder::kUnclaimed, {}, {}});
  EXPECT_EQ(take(pool), atm_label(0, 32));
  EXPECT_EQ(take(pool), atm_label(0, 34));
}

TEST(LabelPool, TheLargestRangeCostsOnlyWhatIsTouched) {
  LabelPool pool(range(4095, 32, 65535));
  EXPECT_EQ(pool.free_count(), 4096U * 65504U);
  const Label far = atm_label(4095, 65535);
  pool.move(far, {LabelHolder::kUnclaimed, {}, {}});
  EXPECT_EQ(pool.place_of(far).holder, LabelHolder::kUnclaimed);
  EXPECT_EQ(take(pool), atm_label(0, 32));
  EXPECT_EQ(pool.free_count(), 4096U * 65504U - 2);
}

TEST(LabelPool, ReusesRestedLabelsInsteadOfGrowingForEver) {
  LabelPool pool(range(4095, 32, 65535));
  Label label;
  for (std::uint32_t i = 0; i < LabelPool::kRestingMax; ++i) pool.move(take(pool), kFreed);
  EXPECT_EQ(take(pool), atm_label(0, 32))
      << "with this many resting labels, the oldest is taken before a new one";
  label = take(pool);
  EXPECT_EQ(vpi_of(label), LabelPool::kRestingMax / 65504U) << "one fewer rests: a new one again";
}

TEST(LabelPool, AnImpossibleRangeIsEmpty) {
  for (const LabelRange bad :
       {atm_range(1, 0, 32, 40), atm_range(0, 0, 40, 32), atm_range(0, 4096, 32, 40),
        mpls_range(40, 32), mpls_range(3, 40), mpls_range(16, 0x100000)}) {
    LabelPool pool({bad});
    EXPECT_EQ(pool.next_free(), std::nullopt);
    EXPECT_EQ(pool.free_count(), 0U);
    EXPECT_FALSE(pool.contains(atm_label(0, 35)));
  }
}

TEST(LabelPool, KnowsOnlyLabelsOfItsRangeAndKind) {
  LabelPool pool(range(0, 32, 40));
  EXPECT_TRUE(pool.contains(atm_label(0, 40)));
  EXPECT_FALSE(pool.contains(atm_label(0, 41)));
  EXPECT_FALSE(pool.contains(atm_label(1, 35)));
  EXPECT_FALSE(pool.contains(Label{LabelKind::kMpls, 35}));
  EXPECT_FALSE(pool.contains(Label{}));
}

TEST(LabelPool, HasRangesOfSeveralKindsOneAfterTheOther) {
  const LabelRanges two{atm_range(1, 2, 32, 33), mpls_range(16, 17)};
  LabelPool pool(two);
  EXPECT_EQ(pool.ranges(), two);
  EXPECT_EQ(pool.size(), 6U);
  std::vector<Label> taken;
  while (pool.next_free()) taken.push_back(take(pool));
  EXPECT_EQ(taken,
            (std::vector{atm_label(1, 32), atm_label(1, 33), atm_label(2, 32), atm_label(2, 33),
                         Label{LabelKind::kMpls, 16}, Label{LabelKind::kMpls, 17}}));
  EXPECT_EQ(pool.list(LabelHolder::kCached, ManagerIndex{1}), taken);
  pool.move(Label{LabelKind::kMpls, 16}, kFreed);
  EXPECT_FALSE(pool.is_free(atm_label(1, 32)));
  EXPECT_EQ(take(pool), (Label{LabelKind::kMpls, 16}));
}

TEST(LabelPool, HasALabelOnceThoughTwoRangesNameIt) {
  LabelPool pool({atm_range(0, 0, 32, 40), atm_range(0, 1, 40, 50), atm_range(1, 1, 32, 40)});
  EXPECT_EQ(pool.ranges(), (LabelRanges{atm_range(0, 0, 32, 40), atm_range(1, 1, 32, 40)}));
  EXPECT_EQ(pool.size(), 18U);
}

}  // namespace
}  // namespace xbind
