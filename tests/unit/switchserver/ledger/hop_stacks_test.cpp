#include "switchserver/ledger/hop_stacks.hpp"

#include "part_hops.hpp"
#include "switchserver/ledger/label_users.hpp"

namespace xbind {
namespace {

class HopStacksTest : public PartHopsTest {
 protected:
  HopRef committing(std::uint32_t generation, std::uint16_t leg = 0) {
    const HopRef ref = enter(setup(1, generation, leg));
    hops.step(ref, HopFsm::Event::kCommit);
    LabelPool& pool = pools.input(PortIndex{0});
    LabelUsers::enter_input(pool, pool.spot(atm_label(0, 33)), ref, hops.hop(ref));
    return ref;
  }
  HopRef committed(std::uint32_t generation, std::uint16_t leg = 0) {
    const HopRef ref = committing(generation, leg);
    hops.step(ref, HopFsm::Event::kAdded);
    return ref;
  }
  std::uint32_t top() const {
    return stacks.top_on(*pools.input_label(kFrom, atm_label(0, 33)), setup(1, 9).key);
  }

  LabelUsers users{hops, pools};
  HopStacks stacks{hops};
};

TEST_F(HopStacksTest, AHopIsSupersededOnceTheSwitchHasTheOneAbove) {
  const HopRef lower = committed(1);
  const HopRef upper = committing(2);
  stacks.link(lower, upper);
  EXPECT_EQ(stacks.above(lower), upper);
  EXPECT_EQ(stacks.below(upper), lower);
  EXPECT_FALSE(stacks.superseded(lower));
  hops.step(upper, HopFsm::Event::kAdded);
  EXPECT_TRUE(stacks.superseded(lower));
  EXPECT_FALSE(stacks.superseded(upper));
}

TEST_F(HopStacksTest, AMiddleOneThatGoesLeavesNeighbours) {
  const std::size_t octets = stacks.octets();
  const HopRef low = committed(1);
  const HopRef middle = committed(2);
  const HopRef high = committed(3);
  stacks.link(low, middle);
  stacks.link(middle, high);
  EXPECT_TRUE(stacks.stands_on(high.value(), low.value()));
  EXPECT_FALSE(stacks.stands_on(low.value(), high.value()));
  stacks.remove(middle);
  EXPECT_EQ(stacks.above(low), high);
  EXPECT_EQ(stacks.below(high), low);
  EXPECT_EQ(stacks.above(middle), std::nullopt);
  stacks.remove(low);
  EXPECT_EQ(stacks.below(high), std::nullopt);
  EXPECT_LE(stacks.octets(), octets + 32 * sizeof(void*)) << "except for the map's table";
}

TEST_F(HopStacksTest, TheUppermostOfALegIsTakenOver) {
  const HopRef low = committed(1);
  const HopRef high = committed(2);
  committed(5, 1);
  stacks.link(low, high);
  EXPECT_EQ(top(), high.value());
  stacks.remove(high);
  LabelPool& pool = pools.input(PortIndex{0});
  users.leave_input(pool, pool.spot(atm_label(0, 33)), high);
  EXPECT_EQ(top(), low.value());
}

TEST_F(HopStacksTest, OfSeveralASettledOneIsPreferred) {
  const HopRef one = committed(1);
  const HopRef other = committed(2);
  HopTable::set_claimed(hops.hop(other), HopStage::kRemoving, true);
  EXPECT_EQ(top(), one.value());
  hops.step(one, HopFsm::Event::kSendAgain);
  HopTable::set_claimed(hops.hop(other), HopStage::kCommitted, true);
  EXPECT_EQ(top(), other.value());
}

}  // namespace
}  // namespace xbind
