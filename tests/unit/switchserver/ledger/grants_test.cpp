#include "switchserver/ledger/grants.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace xbind {
namespace {

class GrantsTest : public ::testing::Test {
 protected:
  GrantsTest() {
    const LabelRanges ranges{atm_range(0, 0, 32, 39)};
    const PortIndex at = numbers.enter(kLine).value();
    labels.set_ranges(at, ranges);
    ports.set(at, {kLine, ranges, 1000, true});
    one = managers.enter("one").value();
    two = managers.enter("two").value();
  }

  static constexpr PortId kLine{5};
  static constexpr PortId kUnknown{6};
  LedgerOptions options{.buffer_cells = 400, .unused_percent = 25};
  PortNumbers numbers;
  ManagerTable managers{9};
  PortAccounts ports{numbers, options};
  LabelPools labels{numbers, managers, options};
  Grants grants{numbers, managers, ports, labels, options};
  ManagerIndex one;
  ManagerIndex two;
};

TEST_F(GrantsTest, NothingOfAnUnknownOrMissingPort) {
  std::vector<Label> granted;
  grants.grant_labels(one, kUnknown, 1, granted);
  EXPECT_EQ(grants.grant_quota(one, kUnknown, {1, 1}), Resources{});
  EXPECT_TRUE(grants.return_quota(one, kUnknown, {}));
  EXPECT_FALSE(grants.return_quota(one, kUnknown, {1, 0}));
  EXPECT_FALSE(grants.return_label(one, kUnknown, atm_label(0, 32)));
  ports.miss_all();
  grants.grant_labels(one, kLine, 1, granted);
  EXPECT_TRUE(granted.empty());
}

TEST_F(GrantsTest, AManagerHasAPartBeforeCallsNeedIt) {
  EXPECT_EQ(grants.grant_room(one, kLine, {8, {1000, 400}}).labels, 2U);
  EXPECT_EQ(grants.grant_room(one, kLine, {8, {1000, 400}}).quota, (Resources{250, 100}));
  std::vector<Label> granted;
  EXPECT_EQ(grants.grant_labels(one, kLine, 2, granted).free, 0U);
  EXPECT_EQ(grants.holding(one, kLine).labels_unused, 2U);
  EXPECT_EQ(grants.grant_room(one, kLine, {1, {}}).labels, 0U);
  labels.add_in_call(PortIndex{0}, one);
  labels.add_in_call(PortIndex{0}, one);
  labels.add_in_call(PortIndex{0}, one);
  EXPECT_EQ(grants.grant_room(one, kLine, {5, {}}).labels, 1U) << "its calls have three";
}

TEST_F(GrantsTest, WhatOthersDoNotUseCounts) {
  grants.grant_quota(two, kLine, {400, 0});
  EXPECT_EQ(grants.holding(two, kLine).unused, (Resources{400, 0}));
  EXPECT_EQ(grants.grant_room(one, kLine, {0, {1000, 1000}}).quota, (Resources{100, 100}));
  options.unused_percent = 100;
  EXPECT_EQ(grants.grant_room(one, kLine, {0, {1000, 1000}}).quota, (Resources{1000, 1000}));
}

}  // namespace
}  // namespace xbind
