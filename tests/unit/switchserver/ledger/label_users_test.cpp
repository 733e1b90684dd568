#include "switchserver/ledger/label_users.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "part_hops.hpp"

namespace xbind {
namespace {

class LabelUsersTest : public PartHopsTest {
 protected:
  HopRef use_both(const HopSetup& setup) {
    const HopRef ref = enter(setup);
    LabelUsers::enter_input(inputs(), input(), ref, hops.hop(ref));
    LabelUsers::enter_output(outputs(), output(), ref, hops.hop(ref));
    return ref;
  }
  LabelPool& inputs() { return pools.input(PortIndex{0}); }
  LabelPool& outputs() { return pools.output(PortIndex{1}); }
  LabelPool::Spot input() { return inputs().spot(atm_label(0, 33)); }
  LabelPool::Spot output() { return outputs().spot(atm_label(0, 34)); }
  std::vector<HopRef> on_input() const {
    std::vector<HopRef> found;
    users.for_each_on_input(kFrom, atm_label(0, 33),
                            [&](HopRef ref, const HopRecord&) { found.push_back(ref); });
    return found;
  }

  LabelUsers users{hops, pools};
};

TEST_F(LabelUsersTest, ALabelIsInAConnectionFromItsFirstUserOn) {
  EXPECT_THAT(on_input(), ::testing::IsEmpty());
  const HopRef one = use_both(setup(1, 1));
  EXPECT_EQ(pools.input_label(kFrom, atm_label(0, 33)),
            (LabelPlace{LabelHolder::kConnection, kManager, one}));
  EXPECT_FALSE(users.shares_output(one));
  const HopRef two = use_both(setup(1, 2));
  EXPECT_THAT(on_input(), ::testing::UnorderedElementsAre(one, two));
  EXPECT_TRUE(users.shares_output(one));
  EXPECT_TRUE(users.shares_output(two));
}

TEST_F(LabelUsersTest, AnyUserMayLeaveFirst) {
  const HopRef one = use_both(setup(1, 1));
  const HopRef two = use_both(setup(1, 2));
  const HopRef three = use_both(setup(1, 3));
  EXPECT_EQ(users.leave_input(inputs(), input(), two), three.value()) << "from the middle";
  EXPECT_THAT(on_input(), ::testing::UnorderedElementsAre(one, three));
  EXPECT_EQ(users.leave_input(inputs(), input(), three), one.value()) << "the head";
  EXPECT_THAT(on_input(), ::testing::ElementsAre(one));
  EXPECT_EQ(users.leave_input(inputs(), input(), one), LabelUsers::kNil);
  EXPECT_EQ(users.leave_output(outputs(), output(), three), two.value());
  EXPECT_EQ(users.head_on_output(hops.hop(one)), two.value());
}

}  // namespace
}  // namespace xbind
