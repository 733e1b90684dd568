#include "switchserver/ledger/hop_table.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "part_hops.hpp"

namespace xbind {
namespace {

using HopTableTest = PartHopsTest;

TEST_F(HopTableTest, FindsAHopByItsKeyAndItsManager) {
  const HopRef ref = enter(setup(1));
  EXPECT_EQ(hops.find(kManager, setup(1).key), ref);
  EXPECT_EQ(hops.find(ManagerIndex{1}, setup(1).key), std::nullopt);
  EXPECT_EQ(hops.find(kManager, setup(1, 2).key), std::nullopt);
  EXPECT_EQ(hops.cross_connect(ref),
            (CrossConnect{kFrom, atm_label(0, 33), kTo, atm_label(0, 34)}));
  EXPECT_EQ(hops.size(), 1U);
}

TEST_F(HopTableTest, OneWalkFindsTheNewestGeneration) {
  const HopRef second = enter(setup(1, 2));
  const HopRef fifth = enter(setup(1, 5));
  enter(setup(2, 9));
  const HopKey key = setup(1, 2).key;
  const auto found = hops.generations(kManager, key, HopTable::hash(kManager, key));
  EXPECT_EQ(found.same, second.value());
  EXPECT_EQ(found.newest, Generation{5});
  std::vector<HopRef> all;
  hops.find_all(kManager, key, all);
  EXPECT_THAT(all, ::testing::UnorderedElementsAre(second, fifth));
}

TEST_F(HopTableTest, APlaceIsUsedAgainWithAnotherTicket) {
  const HopRef ref = enter(setup(1));
  const std::uint32_t ticket = hops.hop(ref).ticket;
  HopTable::set_claimed(hops.hop(ref), HopStage::kCommitted, false);
  ASSERT_TRUE(HopFsm::stale(hops.hop(ref).state()));
  hops.erase(ref);
  EXPECT_EQ(hops.find_hop(ref), nullptr);
  EXPECT_EQ(hops.find(kManager, setup(1).key), std::nullopt);
  ASSERT_EQ(enter(setup(2)), ref);
  EXPECT_NE(hops.hop(ref).ticket, ticket);
  EXPECT_FALSE(HopFsm::stale(hops.hop(ref).state()));
}

TEST_F(HopTableTest, AHopHoldsItsOwner) {
  const HopOwner ann{"client", Epoch{1}, "ann", "bob"};
  const std::uint32_t number = hops.owners().take(ann);
  const HopRef ref = enter(setup(1), number);
  hops.owners().release(number);
  EXPECT_EQ(hops.owner_of(hops.hop(ref)), ann);
  const HopOwner eve{"client", Epoch{2}, "eve", "bob"};
  hops.set_owner(hops.hop(ref), eve);
  EXPECT_EQ(hops.owner_of(hops.hop(ref)), eve);
  EXPECT_EQ(hops.owners().owners(), 1U);
  hops.erase(ref);
  EXPECT_EQ(hops.owners().owners(), 0U);
}

TEST_F(HopTableTest, TheClockAdvancesWithEachChange) {
  const HopRef ref = enter(setup(1));
  const std::uint64_t entered = hops.clock();
  EXPECT_EQ(hops.hop(ref).version, entered);
  hops.touch(hops.hop(ref));
  EXPECT_EQ(hops.hop(ref).version, entered + 1);
  hops.erase(ref);
  EXPECT_EQ(hops.clock(), entered + 2);
}

TEST_F(HopTableTest, AVisitContinuesWhereItStopped) {
  for (std::uint64_t i = 1; i <= 3; ++i) enter(setup(i));
  std::vector<ConnectionId> seen;
  const auto one = [&](HopRef, const HopRecord& record) {
    seen.push_back(record.key.connection);
    return false;
  };
  std::uint64_t from = hops.visit(0, one);
  from = hops.visit(from, one);
  EXPECT_NE(from, 0U);
  EXPECT_EQ(hops.visit(from, one), 0U) << "it was the last";
  EXPECT_THAT(seen, ::testing::ElementsAre(ConnectionId{1}, ConnectionId{2}, ConnectionId{3}));
}

}  // namespace
}  // namespace xbind
