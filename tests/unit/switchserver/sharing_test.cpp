// Quotas that travel with setups, and labels shared in proportion to declared demands.
#include "controller_fixture.hpp"
#include "ledger_fixture.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Eight labels at every port.
class LedgerSharingTest : public LedgerTest {
 protected:
  void SetUp() override {
    ledger = Ledger({.buffer_cells = 500, .sharing = LabelSharing::kCooperative});
    LedgerTest::SetUp();
    ledger.open_session(a);
    ledger.open_session(b);
  }
  LabelsMissing grant(ManagerIndex manager, std::size_t wanted) {
    std::vector<Label> granted;
    const LabelsMissing missing = ledger.grants().grant_labels(manager, kOut, wanted, granted);
    EXPECT_EQ(granted.size() + missing.free + missing.share, wanted);
    return missing;
  }
};

TEST_F(LedgerSharingTest, WithoutDeclarationsEverybodyMayHaveEverything) {
  EXPECT_EQ(ledger.labels().share(a, kOut), std::nullopt);
  EXPECT_EQ(grant(a, 8).share, 0U);
  EXPECT_EQ(ledger.labels().held(a, kOut), 8U);
}

TEST_F(LedgerSharingTest, SharesFollowTheDemandsDeclared) {
  ledger.grants().declare(a, kOut, 30);
  ledger.grants().declare(b, kOut, 10);
  EXPECT_EQ(ledger.labels().share(a, kOut), 6U);
  EXPECT_EQ(ledger.labels().share(b, kOut), 2U);
  EXPECT_EQ(ledger.labels().share(b, kTrunk), std::nullopt) << "each port by itself";
  const LabelsMissing cut = grant(b, 5);
  EXPECT_EQ(cut.share, 3U);
  EXPECT_EQ(cut.free, 0U);
  ledger.grants().declare(a, kOut, 15);
  EXPECT_EQ(ledger.labels().share(b, kOut), 3U) << "8 x 10 / 25, rounded down";
}

TEST_F(LedgerSharingTest, WhoDeclaresNothingCountsWithWhatItHoldsAndKeepsIt) {
  grant(a, 4);
  ledger.grants().declare(b, kOut, 12);
  EXPECT_EQ(ledger.labels().share(b, kOut), 6U) << "8 x 12 / 16";
  EXPECT_EQ(ledger.labels().share(a, kOut), 4U) << "no less than it has";
}

// Eight labels and the port's bandwidth; a quarter, and half for all.
class GrantRoomTest : public LedgerTest {
 protected:
  void SetUp() override {
    ledger = Ledger({.buffer_cells = 400, .unused_percent = 25});
    LedgerTest::SetUp();
    c = ledger.manager("c").value();
    for (const ManagerIndex manager : {a, b, c}) ledger.open_session(manager);
  }
  GrantRoom room(ManagerIndex manager, PortId port = kOut) const {
    constexpr std::uint64_t kMuch = 1'000'000;
    return ledger.grants().grant_room(manager, port, {kMuch, {kMuch, kMuch}});
  }
  std::uint64_t labels(ManagerIndex manager) const { return room(manager).labels; }
  void grant(ManagerIndex manager, std::size_t wanted) {
    std::vector<Label> granted;
    (void)ledger.grants().grant_labels(manager, kOut, wanted, granted);
  }

  ManagerIndex c;
};

TEST_F(GrantRoomTest, AManagerWithoutCallsMayHaveAQuarterAndAllTogetherHalf) {
  EXPECT_EQ(labels(a), 2U);
  grant(a, 2);
  EXPECT_EQ(labels(a), 0U);
  EXPECT_EQ(labels(b), 2U);
  grant(b, 2);
  EXPECT_EQ(labels(c), 0U) << "half of the port is left for calls";
  ledger.lapse(b);
  EXPECT_EQ(labels(c), 0U) << "until its labels may be used again";
}

TEST_F(GrantRoomTest, QuotaHasTheSameBounds) {
  const Resources capacity = ledger.usage(kOut)->capacity;
  const Resources quarter{(capacity.cells_per_s + 3) / 4, (capacity.buffer_cells + 3) / 4};
  EXPECT_EQ(room(a).quota, quarter);
  for (const ManagerIndex manager : {a, b}) ledger.grants().grant_quota(manager, kOut, quarter);
  EXPECT_EQ(room(a).quota, Resources{});
  EXPECT_EQ(room(c).quota, Resources{});
  ledger.grants().return_quota(a, kOut, quarter);
  EXPECT_EQ(room(c).quota, quarter);
}

TEST_F(GrantRoomTest, AnUnknownPortHasNone) { EXPECT_EQ(room(a, PortId{99}).labels, 0U); }

TEST_F(LedgerSharingTest, OnlyManagersInSessionCount) {
  ledger.grants().declare(a, kOut, 30);
  ledger.grants().declare(b, kOut, 10);
  ledger.lapse(a);
  EXPECT_EQ(ledger.labels().share(b, kOut), 8U);
  ledger.open_session(a);
  EXPECT_EQ(ledger.labels().share(b, kOut), 8U) << "a demand belongs to its session";
}

TEST_F(LedgerSharingTest, WhoIsGoneDoesNotCountWithTheHopsThatItLeft) {
  const HopRef hop = committed(a, middle(1, kInput, cache_one(a)));
  committed(a, middle(2, atm_label(0, 36), cache_one(a)));
  remove(hop);
  ledger.grants().declare(b, kOut, 2);
  EXPECT_EQ(ledger.labels().share(b, kOut), 4U) << "8 x 2 / 4: a holds one and rests one";
  ledger.lapse(a);
  EXPECT_EQ(ledger.labels().held(a, kOut), 2U) << "still in its name";
  EXPECT_EQ(ledger.labels().share(b, kOut), 8U);
}

TEST_F(LedgerSharingTest, AReserveThatReachesTheShareExactlyIsAdmitted) {
  ledger.grants().declare(a, kOut, 2);
  ledger.grants().declare(b, kOut, 6);
  cache_one(a);
  EXPECT_TRUE(ledger.set_up(a, reserve(middle(1, {}, {}))).admitted());
  EXPECT_EQ(ledger.labels().held(a, kOut), 2U);
  expect_refused(ledger.set_up(a, reserve(middle(2, {}, {}))), Cause::kOverShare, kOut, 3, 2);
}

TEST_F(LedgerSharingTest, CachedConnectedAndRestingLabelsCount) {
  ledger.grants().declare(a, kOut, 10);
  ledger.grants().declare(b, kOut, 10);
  const HopRef gone = committed(a, middle(1, kInput, cache_one(a)));
  committed(a, middle(2, atm_label(0, 36), cache_one(a)));
  remove(gone);
  cache_one(a);
  EXPECT_EQ(ledger.labels().held(a, kOut), 3U);
  EXPECT_EQ(grant(a, 3).share, 2U);
}

TEST_F(LedgerSharingTest, AReserveBeyondTheShareIsRefusedACommitNever) {
  ledger.grants().declare(a, kOut, 2);
  ledger.grants().declare(b, kOut, 6);
  const Label one = cache_one(a);
  const Label two = cache_one(a);
  expect_refused(ledger.set_up(a, reserve(middle(1, {}, {}))), Cause::kOverShare, kOut, 3, 2);
  HopSetup named = reserve(middle(2, {}, {}));
  named.output_label = one;
  EXPECT_TRUE(ledger.set_up(a, named).admitted()) << "it holds that label already";
  ledger.grants().declare(b, kOut, 600);
  EXPECT_EQ(ledger.labels().share(a, kOut), 0U);
  EXPECT_TRUE(ledger.set_up(a, middle(3, kInput, two)).admitted());
}

TEST_F(LedgerSharingTest, EgressLabelsAreNotSharedOut) {
  ledger.grants().declare(a, PortId{2}, 0);
  ledger.grants().declare(b, PortId{2}, 8);
  EXPECT_TRUE(ledger.set_up(a, last(1, kInput)).admitted());
  EXPECT_EQ(ledger.labels().held(a, PortId{2}), 0U);
}

// ===== with the results =====

class ControllerSharingTest : public SwitchControllerTest {
 protected:
  static HopSetup wanting(HopSetup setup, Resources quota) {
    setup.quota_wanted = quota;
    return setup;
  }
};

TEST_F(ControllerSharingTest, QuotaComesWithTheResultsMergedByPort) {
  const HopSetup one = wanting(middle(1, 40, cache_one()), {200, 5});
  const HopSetup two = wanting(middle(2, 41, cache_one()), {100, 0});
  const HopSetup end = wanting(whole_path(3), {50, 0});
  const HopResultBatch out = run({{one, two, end}, {}, {}});
  EXPECT_THAT(out.quota_granted, ElementsAre(PortQuota{kOut, {300, 5}}, PortQuota{kEnd, {50, 0}}));
  EXPECT_EQ(controller.ledger().ports().quota(ManagerIndex{0}, kOut), (Resources{300, 5}));
}

TEST_F(ControllerSharingTest, LessIsGrantedThanIsWantedWhenNoMoreIsFree) {
  const HopSetup setup = wanting(middle(1, 40, cache_one()), {5000, 0});
  EXPECT_THAT(run({{setup}, {}, {}}).quota_granted, ElementsAre(PortQuota{kOut, {1000, 0}}));
  const HopSetup again = wanting(middle(2, 41, cache_one()), {1, 0});
  EXPECT_THAT(run({{again}, {}, {}}).quota_granted, IsEmpty());
}

TEST_F(ControllerSharingTest, ARefusedSetupGetsNoQuota) {
  const HopSetup setup = wanting(middle(1, 40, atm_label(0, 63)), {100, 0});
  EXPECT_THAT(run({{setup}, {}, {}}).quota_granted, IsEmpty());
}

TEST_F(ControllerSharingTest, QuotaIsReturnedWithABatch) {
  controller.grant("a", kOut, 0, {500, 50}, now);
  HopBatch batch;
  batch.quota_returned = {{kOut, {200, 50}}};
  run(batch);
  EXPECT_EQ(controller.ledger().ports().quota(ManagerIndex{0}, kOut), (Resources{300, 0}));
  run(batch);
  run(batch);
  EXPECT_EQ(controller.counters().quota_not_held, 2U);
}

TEST_F(ControllerSharingTest, OneBatchGetsNoMoreLabelsThanOneGrantOverAllItsPorts) {
  SwitchController small({.name = "sw", .labels_per_grant_max = 5}, fake);
  small.on_driver(driver::Up{ports(), false}, now);
  ASSERT_TRUE(small.attach("a", Epoch{1}).has_value());
  HopBatch batch;
  for (const PortId port : {kIn, kEnd, kOut}) {
    HopSetup setup = reserve(middle(port.value(), 0, {}));
    setup.output_port = port;
    setup.labels_wanted = 3;
    batch.setups.push_back(setup);
  }
  // m --> three reserves, with three labels more for each port;  m <-- three labels, two, none
  ASSERT_TRUE(small.apply("a", batch, 1, now).has_value());
  const auto granted = small.take_outputs().results.at(0).batch.granted;
  ASSERT_THAT(granted, SizeIs(2));
  EXPECT_EQ(granted[0].port, kIn);
  EXPECT_THAT(granted[0].labels, SizeIs(3));
  EXPECT_EQ(granted[1].port, kEnd);
  EXPECT_THAT(granted[1].labels, SizeIs(2));
  EXPECT_EQ(small.counters().labels_granted, 5U);
}

TEST_F(ControllerSharingTest, GrantsAreCutToTheShareAndReservesBeyondItAreCounted) {
  SwitchController shared({.name = "sw", .ledger = {.sharing = LabelSharing::kCooperative}}, fake);
  shared.on_driver(driver::Up{ports(), false}, now);
  HopBatch declares;
  declares.declared = {{kOut, 8}};
  ASSERT_TRUE(shared.attach("a", Epoch{1}).has_value());
  ASSERT_TRUE(shared.attach("b", Epoch{1}).has_value());
  ASSERT_TRUE(shared.apply("a", declares, 1, now).has_value());
  declares.declared = {{kOut, 56}};
  ASSERT_TRUE(shared.apply("b", declares, 2, now).has_value());
  // 32 labels, a's share is 32 x 8 / 64
  EXPECT_THAT(shared.grant("a", kOut, 10, {}, now)->labels, SizeIs(4));
  shared.take_outputs();
  ASSERT_TRUE(shared.apply("a", {{reserve(middle(1, 0, {}))}, {}, {}}, 3, now).has_value());
  HopResult refusal = refused(middle(1, 0, {}).key, HopAction::kReserve, Cause::kOverShare, 5);
  refusal.port = kOut;
  refusal.free = 4;
  EXPECT_THAT(shared.take_outputs().results.at(0).batch.results, ElementsAre(refusal));
  EXPECT_EQ(shared.counters().over_share, 2U);
}

}  // namespace
}  // namespace xbind
