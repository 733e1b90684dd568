#include "switchserver/ledger/port_accounts.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

class PortAccountsTest : public ::testing::Test {
 protected:
  PortAccountsTest() { accounts.set(*numbers.enter(kLine), line()); }

  static SwitchPort line() { return {kLine, {atm_range(0, 0, 32, 39)}, 1000, true}; }
  Resources taken() const { return accounts.usage(kAt).taken; }

  static constexpr PortId kLine{5};
  static constexpr PortIndex kAt{0};
  static constexpr ManagerIndex kOne{0};
  static constexpr ManagerIndex kTwo{1};
  LedgerOptions options{.buffer_cells = 500};
  PortNumbers numbers;
  PortAccounts accounts{numbers, options};
};

TEST_F(PortAccountsTest, AManagersPartIsTheGreaterOfQuotaAndHops) {
  EXPECT_EQ(accounts.grant_quota(kOne, kAt, {300, 10}), (Resources{300, 10}));
  accounts.change_hops(kAt, kOne, {}, {200, 30});
  EXPECT_EQ(taken(), (Resources{300, 30}));
  EXPECT_EQ(accounts.unused_quota(kOne, kAt), (Resources{100, 0}));
  EXPECT_EQ(accounts.room_for(kAt, kOne), (Resources{800, 470}));
  EXPECT_EQ(accounts.room_for(kAt, kTwo), (Resources{700, 470}));
  accounts.change_hops(kAt, kOne, {200, 30}, {400, 5});
  EXPECT_EQ(taken(), (Resources{400, 10}));
  accounts.change_hops(kAt, kOne, {400, 5}, {});
  EXPECT_EQ(taken(), (Resources{300, 10})) << "the quota is full again";
}

TEST_F(PortAccountsTest, GrantsNoMoreThanThePortHas) {
  accounts.change_hops(kAt, kTwo, {}, {900, 500});
  EXPECT_EQ(accounts.grant_quota(kOne, kAt, {300, 10}), (Resources{100, 0}));
  EXPECT_EQ(taken(), accounts.capacity(kAt));
  EXPECT_FALSE(accounts.return_quota(kOne, kAt, {101, 0})) << "it was less";
  EXPECT_EQ(taken(), (Resources{900, 500}));
}

TEST_F(PortAccountsTest, AMissingPortKeepsItsAccountAndGrantsNothing) {
  accounts.grant_quota(kOne, kAt, {300, 10});
  accounts.miss_all();
  EXPECT_FALSE(accounts.has(kLine));
  EXPECT_EQ(accounts.grant_quota(kOne, kAt, {1, 1}), Resources{});
  EXPECT_EQ(accounts.quota(kOne, kLine), (Resources{300, 10}));
  EXPECT_TRUE(accounts.present().empty());
  accounts.set(kAt, line());
  EXPECT_TRUE(accounts.has(kLine));
  EXPECT_EQ(taken(), (Resources{300, 10}));
}

TEST_F(PortAccountsTest, ChangedFactorsLeavePromisesIntact) {
  accounts.change_hops(kAt, kOne, {}, {900, 1});
  options.port_overbooking[kLine] = 0.5;
  accounts.apply_options();
  EXPECT_EQ(accounts.capacity(kAt).cells_per_s, 500U);
  EXPECT_EQ(taken(), (Resources{900, 1}));
  EXPECT_EQ(accounts.room_for(kAt, kTwo), (Resources{0, 499}));
}

TEST_F(PortAccountsTest, TheReceiveSideHasAnAccountOfItsOwn) {
  accounts.change_ingress(kAt, 0, 600);
  EXPECT_EQ(accounts.ingress_room(kAt), 400U);
  EXPECT_EQ(taken(), Resources{});
  accounts.change_ingress(kAt, 600, 1200);
  EXPECT_EQ(accounts.ingress_room(kAt), 0U);
  EXPECT_EQ(accounts.usage(kAt).ingress_cells_per_s, 1200U);
}

TEST_F(PortAccountsTest, ARepairClearsHopsAndKeepsQuotas) {
  accounts.grant_quota(kOne, kAt, {300, 10});
  accounts.change_hops(kAt, kOne, {}, {400, 20});
  accounts.change_ingress(kAt, 0, 5);
  accounts.clear_hops();
  EXPECT_EQ(taken(), (Resources{300, 10}));
  EXPECT_EQ(accounts.hops(kOne, kAt), Resources{});
  EXPECT_EQ(accounts.usage(kAt).ingress_cells_per_s, 0U);
  accounts.drop_quotas(kOne);
  EXPECT_EQ(taken(), Resources{});
}

}  // namespace
}  // namespace xbind
