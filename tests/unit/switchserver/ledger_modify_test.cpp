// Changing the resources of an existing hop.
#include "ledger_fixture.hpp"

namespace xbind {
namespace {

class LedgerModifyTest : public LedgerTest {
 protected:
  Admission change(const HopSetup& setup, std::uint32_t revision, Resources demand,
                   std::optional<ManagerIndex> manager = std::nullopt) {
    return ledger.modify(manager.value_or(a), {setup.key, revision, demand});
  }
  Resources taken(PortId port = kOut) const { return ledger.usage(port)->taken; }
  std::uint64_t ingress() const { return ledger.usage(kIn)->ingress_cells_per_s; }
};

TEST_F(LedgerModifyTest, ChangesDemandAccountAndRevisionAndNothingElse) {
  const HopSetup setup = middle(1, kInput, cache_one(a), {100, 10});
  const HopRef hop = committed(a, setup);
  const CrossConnect before = ledger.hops().cross_connect(hop);
  const Admission more = change(setup, 1, {300, 30});
  EXPECT_TRUE(more.admitted());
  EXPECT_EQ(more.hop, hop);
  EXPECT_FALSE(more.repeated);
  EXPECT_EQ(ledger.hop(hop).demand, (Resources{300, 30}));
  EXPECT_EQ(ledger.extras().revision(hop), 1U);
  EXPECT_EQ(ledger.hops().cross_connect(hop), before);
  EXPECT_TRUE(ledger.hop(hop).settled());
  EXPECT_EQ(taken(), (Resources{300, 30}));
  EXPECT_TRUE(change(setup, 5, {50, 40}).admitted()) << "less of one and more of the other";
  EXPECT_EQ(taken(), (Resources{50, 40}));
  remove(hop);
  EXPECT_EQ(taken(), Resources{});
}

TEST_F(LedgerModifyTest, ARevisionThatIsNotAboveIsStaleUnlessItSaysTheSame) {
  const HopSetup setup = middle(1, kInput, cache_one(a), {100, 10});
  committed(a, setup);
  expect_refused(change(setup, 0, {50, 5}), Cause::kStale, {}, 0, 0);
  EXPECT_TRUE(change(setup, 0, {100, 10}).repeated);
  ASSERT_TRUE(change(setup, 4, {200, 20}).admitted());
  expect_refused(change(setup, 4, {50, 5}), Cause::kStale, {}, 4, 4);
  expect_refused(change(setup, 3, {200, 20}), Cause::kStale, {}, 3, 4);
  EXPECT_TRUE(change(setup, 4, {200, 20}).repeated) << "the answer may have been lost";
  ledger.lapse(a);
  EXPECT_TRUE(change(setup, 4, {200, 20}).repeated) << "with a session";
  EXPECT_EQ(taken(), (Resources{200, 20}));
}

TEST_F(LedgerModifyTest, OnlyAHopOfTheManagerThatStaysCanBeChanged) {
  const HopSetup setup = middle(1, kInput, cache_one(a));
  expect_refused(change(setup, 1, {50, 5}), Cause::kUnknownConnection, {}, 1);
  const HopRef hop = committed(a, setup);
  expect_refused(change(setup, 1, {50, 5}, b), Cause::kUnknownConnection, {}, 1);
  HopSetup other = setup;
  other.key.generation = Generation{2};
  expect_refused(change(other, 1, {50, 5}), Cause::kUnknownConnection, {}, 1);
  ledger.begin_removal(hop);
  expect_refused(change(setup, 1, {50, 5}), Cause::kBeingReleased, {}, 1);
  ledger.removed(hop);
}

TEST_F(LedgerModifyTest, RefusesMoreThanFitsAndSaysWhatTheHopCouldHave) {
  committed(b, middle(9, atm_label(0, 39), cache_one(b), {600, 100}));
  const HopSetup setup = middle(1, kInput, cache_one(a), {100, 10});
  const HopRef hop = committed(a, setup);
  expect_refused(change(setup, 1, {401, 10}), Cause::kNoBandwidth, kOut, 401, 400);
  expect_refused(change(setup, 1, {100, 401}), Cause::kNoBuffer, kOut, 401, 400);
  EXPECT_EQ(ledger.hop(hop).demand, (Resources{100, 10})) << "a refusal changes nothing";
  EXPECT_EQ(ledger.extras().revision(hop), 0U);
  EXPECT_EQ(taken(), (Resources{700, 110}));
  EXPECT_TRUE(change(setup, 1, {400, 400}).admitted()) << "exactly that is to be had";
  EXPECT_EQ(taken(), (Resources{1000, 500}));
}

TEST_F(LedgerModifyTest, WhatIsFreeCountsTheUnusedPartOfTheQuota) {
  EXPECT_EQ(ledger.grants().grant_quota(a, kOut, {500, 0}), (Resources{500, 0}));
  EXPECT_EQ(ledger.grants().grant_quota(b, kOut, {400, 0}), (Resources{400, 0}));
  const HopSetup setup = middle(1, kInput, cache_one(a), {100, 0});
  committed(a, setup);
  expect_refused(change(setup, 1, {601, 0}), Cause::kNoBandwidth, kOut, 601, 600);
  EXPECT_EQ(ledger.modify(a, {setup.key, 1, {601, 0}}).quota_missing, (Resources{1, 0}));
  EXPECT_TRUE(change(setup, 1, {600, 0}).admitted());
  EXPECT_EQ(taken(), (Resources{1000, 0}));
}

TEST_F(LedgerModifyTest, LessIsNeverRefusedOnAShrunkLineOrAPortThatIsGone) {
  const HopSetup setup = middle(1, kInput, cache_one(a), {800, 10});
  committed(a, setup);
  ledger.set_ports(ports(100));
  expect_refused(change(setup, 1, {801, 10}), Cause::kNoBandwidth, kOut, 801, 800);
  EXPECT_TRUE(change(setup, 1, {700, 10}).admitted()) << "still more than the line has";
  ledger.set_ports({});
  expect_refused(change(setup, 2, {701, 10}), Cause::kUnknownPort, kOut, kOut.value());
  EXPECT_TRUE(change(setup, 2, {10, 10}).admitted());
  ledger.set_ports(ports(1000));
}

TEST_F(LedgerModifyTest, TheFirstHopChangesTheReceiveSideToo) {
  const HopSetup setup = first(1, cache_one(a), {300, 0});
  const HopRef hop = committed(a, setup);
  HopSetup other = first(2, cache_one(a, PortId{2}), {500, 0});
  other.output_port = PortId{2};
  committed(a, other);
  EXPECT_EQ(ingress(), 800U);
  expect_refused(change(setup, 1, {501, 0}), Cause::kNoBandwidth, kIn, 501, 500);
  EXPECT_EQ(taken(), (Resources{300, 0})) << "nor is the output port changed then";
  EXPECT_TRUE(change(setup, 1, {500, 0}).admitted());
  EXPECT_EQ(ingress(), 1000U);
  EXPECT_TRUE(change(setup, 2, {100, 0}).admitted());
  EXPECT_EQ(ingress(), 600U);
  remove(hop);
  EXPECT_EQ(ingress(), 500U);
}

TEST_F(LedgerModifyTest, ACommittingHopIsChangedAndUndoneWhole) {
  const HopSetup setup = middle(1, kInput, cache_one(a), {100, 10});
  const HopRef hop = ledger.set_up(a, setup).hop;
  ASSERT_TRUE(change(setup, 1, {300, 30}).admitted());
  ledger.undo(hop);
  EXPECT_EQ(taken(), Resources{});
}

TEST_F(LedgerModifyTest, ASetupMayBeSaidAgainWithTheOldDemandOrTheNew) {
  HopSetup setup = middle(1, kInput, cache_one(a), {100, 10});
  committed(a, setup);
  ASSERT_TRUE(change(setup, 1, {300, 30}).admitted());
  EXPECT_TRUE(ledger.set_up(a, setup).repeated);
  setup.demand = {300, 30};
  EXPECT_TRUE(ledger.set_up(a, setup).repeated);
  setup.demand = {200, 20};
  expect_refused(ledger.set_up(a, setup), Cause::kInvalidRequest, {}, 1);
  EXPECT_EQ(taken(), (Resources{300, 30}));
}

TEST_F(LedgerModifyTest, AChangedReservationIsCommittedWithWhatItHasNow) {
  for (const Resources demand : {Resources{100, 10}, Resources{300, 30}}) {
    const std::uint64_t connection = demand.cells_per_s;
    const HopSetup asked = middle(connection, {}, {}, {100, 10});
    const Admission held = ledger.set_up(a, reserve(asked));
    ASSERT_TRUE(change(asked, 1, {300, 30}).admitted());
    HopSetup commit =
        middle(connection, kInput, ledger.hops().cross_connect(held.hop).output_label, demand);
    ASSERT_TRUE(ledger.set_up(a, commit).admitted());
    EXPECT_EQ(ledger.hop(held.hop).demand, (Resources{300, 30}));
    EXPECT_EQ(ledger.extras().revision(held.hop), 1U);
    EXPECT_EQ(taken(), (Resources{300, 30}));
    ledger.step(held.hop, HopFsm::Event::kAdded);
    remove(held.hop);
  }
}

TEST_F(LedgerModifyTest, TheTrafficContractGoesWithTheDemand) {
  HopSetup setup = middle(1, kInput, cache_one(a), {100, 10});
  setup.contract = {ServiceCategory::kCbr, 100, 250};
  const HopRef hop = committed(a, setup);
  EXPECT_EQ(ledger.hop(hop).contract(), setup.contract);
  const TrafficContract faster{ServiceCategory::kCbr, 300, 250};
  ASSERT_TRUE(ledger.modify(a, {setup.key, 1, {300, 10}, faster}).admitted());
  EXPECT_EQ(ledger.hop(hop).contract(), faster);
  EXPECT_EQ(ledger.extras().setup_of(hop).contract, setup.contract)
      << "the contract of the setup, not of the modify";
  EXPECT_TRUE(ledger.modify(a, {setup.key, 1, {300, 10}, faster}).repeated);
  EXPECT_TRUE(ledger.set_up(a, setup).repeated)
      << "a repeat by a manager without the answer to the modify";
  ledger.settle(hop, 0, {100, 10}, setup.contract);
  EXPECT_EQ(ledger.hop(hop).contract(), setup.contract);
  EXPECT_EQ(taken(), (Resources{100, 10}));
  remove(hop);
}

TEST_F(LedgerModifyTest, AContractThatCannotBeAndAnotherCategoryAreRefused) {
  HopSetup setup = middle(1, kInput, cache_one(a), {100, 10});
  setup.contract = {ServiceCategory::kNrtVbr, 100, 250, 101, 5};
  expect_refused(ledger.set_up(a, setup), Cause::kInvalidRequest, {}, 101, 100);
  setup.contract = {ServiceCategory::kCbr, 100, 250};
  const HopRef hop = committed(a, setup);
  const TrafficContract other{ServiceCategory::kUbr, 100, 250};
  expect_refused(ledger.modify(a, {setup.key, 1, {100, 10}, other}), Cause::kInvalidRequest, {},
                 static_cast<std::uint64_t>(ServiceCategory::kUbr),
                 static_cast<std::uint64_t>(ServiceCategory::kCbr));
  EXPECT_EQ(ledger.extras().revision(hop), 0U);
  remove(hop);
}

}  // namespace
}  // namespace xbind
