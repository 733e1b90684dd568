#include "switchserver/ledger/label_pools.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace xbind {
namespace {

class LabelPoolsTest : public ::testing::Test {
 protected:
  LabelPoolsTest() {
    pools.set_ranges(*numbers.enter(kLine), {atm_range(0, 0, 32, 39)});
    one = managers.enter("one").value();
    two = managers.enter("two").value();
    managers.open_session(one);
    managers.open_session(two);
  }

  Label granted_to(ManagerIndex manager) {
    std::vector<Label> granted;
    EXPECT_EQ(pools.grant(manager, kAt, 1, granted).free, 0U);
    return granted.at(0);
  }
  LabelHolder holder(Label label) const { return pools.output_label(kLine, label)->holder; }

  static constexpr PortId kLine{5};
  static constexpr PortIndex kAt{0};
  LedgerOptions options;
  PortNumbers numbers;
  ManagerTable managers{9};
  LabelPools pools{numbers, managers, options};
  ManagerIndex one;
  ManagerIndex two;
};

TEST_F(LabelPoolsTest, OnlyItsManagerReturnsALabel) {
  const Label label = granted_to(one);
  EXPECT_EQ(holder(label), LabelHolder::kCached);
  EXPECT_FALSE(pools.give_back(two, kAt, label));
  EXPECT_TRUE(pools.give_back(one, kAt, label));
  EXPECT_EQ(holder(label), LabelHolder::kFree);
  EXPECT_FALSE(pools.give_back(one, kAt, label)) << "it has it no longer";
}

TEST_F(LabelPoolsTest, LabelsOfAnEndedSessionRestUntilTheNext) {
  const Label label = granted_to(one);
  managers.end_session(one);
  pools.lapse(one);
  EXPECT_EQ(holder(label), LabelHolder::kLapsed);
  EXPECT_TRUE(pools.has_labels(one));
  EXPECT_EQ(pools.loose(one, kLine), 0U);
  EXPECT_EQ(pools.output(kAt).count(LabelHolder::kLapsed, one), 1U);
  pools.open_session(one);
  EXPECT_EQ(pools.list(LabelHolder::kQuarantine, one), (std::vector<PortLabels>{{kLine, {label}}}));
  pools.forget(one);
  EXPECT_EQ(holder(label), LabelHolder::kFree);
  EXPECT_FALSE(pools.has_labels(one));
}

TEST_F(LabelPoolsTest, RestedLabelsAreGrantedLast) {
  const Label label = granted_to(one);
  pools.lapse(one);
  std::vector<Label> granted;
  EXPECT_EQ(pools.grant(two, kAt, 8, granted).free, 1U);
  EXPECT_THAT(granted, ::testing::Not(::testing::Contains(label)));
  pools.end_rest(one);
  EXPECT_EQ(granted_to(two), label);
}

TEST_F(LabelPoolsTest, AShareIsInProportionToWhatIsDeclared) {
  options.sharing = LabelSharing::kCooperative;
  EXPECT_EQ(pools.share(one, kLine), std::nullopt) << "without a declaration";
  pools.declare(one, kAt, 30);
  pools.declare(two, kAt, 10);
  EXPECT_EQ(pools.share(one, kLine), 6U);
  EXPECT_EQ(pools.share(two, kLine), 2U);
  pools.add_in_call(kAt, two);
  std::vector<Label> granted;
  const LabelsMissing missing = pools.grant(two, kAt, 4, granted);
  EXPECT_EQ(granted.size(), 1U) << "one is in a call";
  EXPECT_EQ(missing.share, 3U);
  managers.end_session(one);
  pools.lapse(one);
  EXPECT_EQ(pools.share(two, kLine), 8U) << "demands belong to the session";
}

TEST_F(LabelPoolsTest, UnclaimedEntriesBlockFreeLabels) {
  const Label label = granted_to(one);
  const Label free = atm_label(0, 39);
  pools.block({kLine, free, kLine, label});
  EXPECT_TRUE(pools.has_unclaimed(kLine));
  EXPECT_EQ(pools.unclaimed_labels(), 1U);
  EXPECT_EQ(pools.input_label(kLine, free)->holder, LabelHolder::kUnclaimed);
  EXPECT_EQ(holder(label), LabelHolder::kCached);
  pools.unblock_all();
  EXPECT_FALSE(pools.has_unclaimed(kLine));
}

TEST_F(LabelPoolsTest, RangesChangeOnceNoLabelIsHeld) {
  const Label label = granted_to(one);
  const LabelRanges wider{atm_range(0, 0, 32, 63)};
  EXPECT_NE(pools.set_ranges(kAt, wider), wider);
  pools.give_back(one, kAt, label);
  EXPECT_EQ(pools.set_ranges(kAt, wider), wider);
  EXPECT_EQ(pools.output_stock(kLine).all, 32U);
}

TEST_F(LabelPoolsTest, AClaimedLabelGoesToQuarantineUnlessAnotherHasIt) {
  const Label label = granted_to(one);
  pools.claim_resting(two, kAt, label);
  EXPECT_EQ(holder(label), LabelHolder::kCached);
  pools.claim_resting(two, kAt, atm_label(0, 39));
  EXPECT_EQ(holder(atm_label(0, 39)), LabelHolder::kQuarantine);
}

}  // namespace
}  // namespace xbind
