#include "switchserver/ledger/ledger.hpp"

#include "ledger_fixture.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// ===== a label's life =====

TEST_F(LedgerTest, ALabelGoesFromCacheToConnectionToQuarantineToFree) {
  const Label label = cache_one(a);
  EXPECT_EQ(holder(label), LabelHolder::kCached);
  const HopRef hop = committed(a, middle(1, kInput, label));
  EXPECT_EQ(holder(label), LabelHolder::kConnection);
  EXPECT_FALSE(ledger.begin_removal(hop));
  EXPECT_EQ(holder(label), LabelHolder::kConnection) << "the switch has not confirmed yet";
  ledger.removed(hop);
  EXPECT_EQ(holder(label), LabelHolder::kQuarantine);
  EXPECT_THAT(ledger.labels().list(LabelHolder::kQuarantine, a),
              ElementsAre(PortLabels{kOut, {label}}));
  EXPECT_TRUE(ledger.grants().return_label(a, kOut, label));
  EXPECT_EQ(holder(label), LabelHolder::kFree);
}

TEST_F(LedgerTest, AQuarantinedLabelMayBeUsedByItsManagerAlone) {
  const Label label = cache_one(a);
  remove(committed(a, middle(1, kInput, label)));
  expect_refused(ledger.set_up(b, middle(2, kInput, label)), Cause::kLabelNotHeld, kOut,
                 label.value);
  EXPECT_TRUE(ledger.set_up(a, middle(3, kInput, label)).admitted());
}

TEST_F(LedgerTest, RefusesAnOutputLabelThatIsNotHeld) {
  const Label of_b = cache_one(b);
  expect_refused(ledger.set_up(a, middle(1, kInput, of_b)), Cause::kLabelNotHeld, kOut, of_b.value);
  const Label free = atm_label(0, 39);
  expect_refused(ledger.set_up(a, middle(1, kInput, free)), Cause::kLabelNotHeld, kOut, free.value);
  const Label outside = atm_label(9, 39);
  expect_refused(ledger.set_up(a, middle(1, kInput, outside)), Cause::kLabelNotHeld, kOut,
                 outside.value);
  expect_refused(ledger.set_up(a, middle(1, kInput, {})), Cause::kLabelNotHeld, kOut, 0);
  const Label used = cache_one(a);
  committed(a, middle(1, kInput, used));
  expect_refused(ledger.set_up(a, middle(2, atm_label(0, 36), used)), Cause::kLabelNotHeld, kOut,
                 used.value);
}

TEST_F(LedgerTest, OnlyItsManagerReturnsALabel) {
  const Label label = cache_one(a);
  EXPECT_FALSE(ledger.grants().return_label(b, kOut, label));
  EXPECT_FALSE(ledger.grants().return_label(a, kTrunk, label));
  EXPECT_FALSE(ledger.grants().return_label(a, PortId{99}, label));
  EXPECT_FALSE(ledger.grants().return_label(a, kOut, atm_label(0, 39)));
  EXPECT_FALSE(ledger.grants().return_label(a, kOut, atm_label(7, 7)));
  EXPECT_TRUE(ledger.grants().return_label(a, kOut, label));
  EXPECT_FALSE(ledger.grants().return_label(a, kOut, label)) << "once";
}

TEST_F(LedgerTest, GrantsFewerLabelsWhenNoMoreAreFree) {
  std::vector<Label> granted;
  ledger.grants().grant_labels(a, kOut, 6, granted);
  ledger.grants().grant_labels(b, kOut, 6, granted);
  EXPECT_EQ(granted.size(), 8U);
  EXPECT_EQ(ledger.usage(kOut)->free_output_labels, 0U);
  ledger.grants().grant_labels(b, PortId{99}, 6, granted);
  EXPECT_EQ(granted.size(), 8U);
}

// ===== ends of the path =====

TEST_F(LedgerTest, TheFirstHopIsAllottedAnIngressLabelTheLastAnEgressLabel) {
  const HopRef in = committed(a, first(1, cache_one(a)));
  EXPECT_EQ(ledger.hops().cross_connect(in).input_label, atm_label(0, 32));
  const HopRef out = committed(a, last(1, kInput));
  EXPECT_EQ(ledger.hops().cross_connect(out).output_label, atm_label(0, 32));
  EXPECT_EQ(holder(atm_label(0, 32), PortId{2}), LabelHolder::kConnection);

  remove(in);
  remove(out);
  EXPECT_EQ(ledger.labels().input_label(kIn, atm_label(0, 32))->holder, LabelHolder::kFree);
  EXPECT_EQ(holder(atm_label(0, 32), PortId{2}), LabelHolder::kFree) << "no second end to wait for";
}

TEST_F(LedgerTest, AOneHopPathHasBothEnds) {
  HopSetup setup = first(1, {});
  setup.hop_count = 1;
  setup.output_port = PortId{2};
  const HopRef hop = committed(a, setup);
  EXPECT_TRUE(ledger.hops().cross_connect(hop).input_label.present());
  EXPECT_TRUE(ledger.hops().cross_connect(hop).output_label.present());
  remove(hop);
  EXPECT_EQ(ledger.usage(PortId{2})->free_output_labels, 8U);
}

TEST_F(LedgerTest, RefusesTheInputLabelOfAReserveBehindTheFirstHop) {
  HopSetup held = reserve(middle(1, {}, {}));
  held.input_label = kInput;
  expect_refused(ledger.set_up(a, held), Cause::kInvalidRequest, kTrunk, kInput.value);
}

TEST_F(LedgerTest, RefusesWhenNoLabelIsLeft) {
  std::vector<Label> all;
  ledger.grants().grant_labels(b, kOut, 8, all);
  expect_refused(ledger.set_up(a, reserve(middle(1, {}, {}))), Cause::kNoLabel, kOut, 1);
  ledger.grants().grant_labels(b, PortId{2}, 8, all);
  expect_refused(ledger.set_up(a, last(1, kInput)), Cause::kNoLabel, PortId{2}, 1);
  // Ingress: eight first hops without bandwidth use up the access line's labels.
  for (std::uint64_t i = 0; i < 8; ++i) committed(b, first(10 + i, all[i], {}));
  ledger.grants().grant_labels(a, kTrunk, 1, all);
  HopSetup ninth = first(20, all.back(), {});
  ninth.output_port = kTrunk;
  expect_refused(ledger.set_up(a, ninth), Cause::kNoLabel, kIn, 1);
}

// ===== input labels =====

TEST_F(LedgerTest, AnInputLabelBelongsToOneHop) {
  const HopRef owner = committed(a, middle(1, kInput, cache_one(a)));
  const Label label = cache_one(b);
  expect_refused(ledger.set_up(b, middle(2, kInput, label)), Cause::kForeignInputLabel, kTrunk,
                 kInput.value);
  EXPECT_EQ(holder(label), LabelHolder::kCached) << "a refusal takes nothing";
  EXPECT_FALSE(ledger.begin_removal(owner));
  expect_refused(ledger.set_up(b, middle(2, kInput, label)), Cause::kForeignInputLabel, kTrunk,
                 kInput.value);
  ledger.removed(owner);
  EXPECT_TRUE(ledger.set_up(b, middle(2, kInput, label)).admitted());
}

TEST_F(LedgerTest, TheSameConnectionsNewPathMayNotUseTheOldInputEither) {
  committed(a, middle(1, kInput, cache_one(a)));
  HopSetup newer = middle(1, kInput, cache_one(a));
  newer.key.generation = Generation{2};
  expect_refused(ledger.set_up(a, newer), Cause::kForeignInputLabel, kTrunk, kInput.value);
}

TEST_F(LedgerTest, AnInputLabelMustBeOneThatThePortAccepts) {
  const Label output = cache_one(a);
  expect_refused(ledger.set_up(a, middle(1, atm_label(0, 40), output)), Cause::kInvalidRequest,
                 kTrunk, atm_label(0, 40).value);
  expect_refused(ledger.set_up(a, middle(1, {}, output)), Cause::kInvalidRequest, kTrunk, 0);
}

// ===== bandwidth and buffer =====

TEST_F(LedgerTest, RefusesMoreBandwidthThanIsFree) {
  committed(a, middle(1, kInput, cache_one(a), {700, 0}));
  expect_refused(ledger.set_up(a, middle(2, atm_label(0, 36), cache_one(a), {301, 0})),
                 Cause::kNoBandwidth, kOut, 301, 300);
  EXPECT_TRUE(ledger.set_up(a, middle(2, atm_label(0, 36), cache_one(a), {300, 0})).admitted());
  EXPECT_EQ(ledger.usage(kOut)->taken, (Resources{1000, 0}));
}

TEST_F(LedgerTest, RefusesMoreBufferThanIsFree) {
  committed(a, middle(1, kInput, cache_one(a), {0, 450}));
  expect_refused(ledger.set_up(a, middle(2, atm_label(0, 36), cache_one(a), {0, 51})),
                 Cause::kNoBuffer, kOut, 51, 50);
}

TEST_F(LedgerTest, TheAccessLineIsNotOversoldByFirstHops) {
  committed(a, first(1, cache_one(a), {600, 0}));
  HopSetup other = first(2, cache_one(a, kTrunk), {500, 0});
  other.output_port = kTrunk;
  expect_refused(ledger.set_up(a, other), Cause::kNoBandwidth, kIn, 500, 400);
  remove(*ledger.hops().find(a, first(1, {}).key));
  EXPECT_EQ(ledger.usage(kIn)->ingress_cells_per_s, 0U);
  EXPECT_TRUE(ledger.set_up(a, other).admitted());
}

TEST_F(LedgerTest, AnAbsurdDemandIsRefusedNotWrappedAround) {
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  ledger.grants().grant_quota(a, kOut, {100, 100});
  expect_refused(ledger.set_up(a, middle(1, kInput, cache_one(a), {kHuge, 0})), Cause::kNoBandwidth,
                 kOut, kHuge, 1000);
  EXPECT_EQ(ledger.grants().grant_quota(a, kOut, {kHuge, kHuge}), (Resources{900, 400}));
}

TEST_F(LedgerTest, OverbookingWidensThePort) {
  Ledger generous({.overbooking = 1.5, .buffer_cells = 500});
  generous.set_ports(ports(1000));
  EXPECT_EQ(generous.usage(kOut)->capacity, (Resources{1500, 500}));
}

TEST_F(LedgerTest, AQuotaCountsAsTakenAndItsHopsNotTwice) {
  EXPECT_EQ(ledger.grants().grant_quota(a, kOut, {600, 100}), (Resources{600, 100}));
  EXPECT_EQ(ledger.usage(kOut)->taken, (Resources{600, 100}));
  expect_refused(ledger.set_up(b, middle(1, kInput, cache_one(b), {500, 0})), Cause::kNoBandwidth,
                 kOut, 500, 400);
  const HopRef hop = committed(a, middle(1, kInput, cache_one(a), {500, 50}));
  EXPECT_EQ(ledger.usage(kOut)->taken, (Resources{600, 100})) << "within the quota";
  EXPECT_EQ(ledger.usage(kOut)->hops, (Resources{500, 50}));
  const HopRef beyond = committed(a, middle(2, atm_label(0, 36), cache_one(a), {300, 0}));
  EXPECT_EQ(ledger.usage(kOut)->taken, (Resources{800, 100})) << "200 of it beyond";
  remove(hop);
  remove(beyond);
  EXPECT_EQ(ledger.usage(kOut)->taken, (Resources{600, 100})) << "the quota is full again";
}

TEST_F(LedgerTest, AHopWithinTheQuotaIsNeverRefusedForBandwidth) {
  ledger.grants().grant_quota(a, kOut, {600, 100});
  committed(b, middle(1, kInput, cache_one(b), {400, 0}));
  EXPECT_TRUE(ledger.set_up(a, middle(2, atm_label(0, 36), cache_one(a), {600, 100})).admitted());
}

TEST_F(LedgerTest, AQuotaIsReturnedInPartAndNeverBelowNought) {
  ledger.grants().grant_quota(a, kOut, {600, 100});
  EXPECT_TRUE(ledger.grants().return_quota(a, kOut, {200, 100}));
  EXPECT_EQ(ledger.ports().quota(a, kOut), (Resources{400, 0}));
  EXPECT_FALSE(ledger.grants().return_quota(a, kOut, {500, 0}));
  EXPECT_EQ(ledger.ports().quota(a, kOut), (Resources{0, 0}));
  EXPECT_EQ(ledger.usage(kOut)->taken, (Resources{0, 0}));
  EXPECT_FALSE(ledger.grants().return_quota(a, PortId{99}, {1, 0}));
}

TEST_F(LedgerTest, AShrunkLineKeepsItsPromisesAndMakesNoNewOnes) {
  committed(a, middle(1, kInput, cache_one(a), {700, 0}));
  ledger.set_ports(ports(500));
  expect_refused(ledger.set_up(a, middle(2, atm_label(0, 36), cache_one(a), {1, 0})),
                 Cause::kNoBandwidth, kOut, 1, 0);
}

// ===== two phases =====

TEST_F(LedgerTest, AReservationBecomesACommitWithItsLabelAndResources) {
  const Admission held = ledger.set_up(a, reserve(middle(1, {}, {}, {1000, 500})));
  ASSERT_TRUE(held.admitted());
  const Label label = ledger.hops().cross_connect(held.hop).output_label;
  EXPECT_EQ(holder(label), LabelHolder::kConnection);
  EXPECT_EQ(ledger.usage(kOut)->taken, (Resources{1000, 500}));

  const Admission commit = ledger.set_up(a, middle(1, kInput, label, {1000, 500}));
  EXPECT_EQ(commit.hop, held.hop);
  EXPECT_FALSE(commit.repeated);
  EXPECT_EQ(ledger.hop(commit.hop).stage(), HopStage::kCommitting);
  EXPECT_EQ(ledger.usage(kOut)->taken, (Resources{1000, 500})) << "taken once";
}

TEST_F(LedgerTest, ARemovedReservationLeavesItsLabelInQuarantine) {
  const Admission held = ledger.set_up(a, reserve(middle(1, {}, {})));
  const Label label = ledger.hops().cross_connect(held.hop).output_label;
  EXPECT_TRUE(ledger.begin_removal(held.hop)) << "no switch needed";
  EXPECT_EQ(holder(label), LabelHolder::kQuarantine);
  EXPECT_EQ(ledger.usage(kOut)->taken, Resources{});
}

TEST_F(LedgerTest, TheLastHopCommitsItsReservationWithOrWithoutNamingTheLabel) {
  for (const bool name_it : {false, true}) {
    const std::uint64_t connection = name_it ? 2 : 1;
    const Label input = atm_label(0, name_it ? 36 : 35);
    const Admission held = ledger.set_up(a, reserve(last(connection, {})));
    HopSetup commit = last(connection, input);
    if (name_it) commit.output_label = ledger.hops().cross_connect(held.hop).output_label;
    EXPECT_TRUE(ledger.set_up(a, commit).admitted());
  }
}

TEST_F(LedgerTest, ARefusedCommitEndsItsReservation) {
  committed(a, middle(9, kInput, cache_one(a)));
  const Admission held = ledger.set_up(a, reserve(middle(1, {}, {})));
  const Label label = ledger.hops().cross_connect(held.hop).output_label;
  expect_refused(ledger.set_up(a, middle(1, kInput, label)), Cause::kForeignInputLabel, kTrunk,
                 kInput.value);
  EXPECT_EQ(ledger.hops().find(a, middle(1, {}, {}).key), std::nullopt);
  EXPECT_EQ(holder(label), LabelHolder::kCached) << "the manager knows it";
}

TEST_F(LedgerTest, ACommitMustFitItsReservation) {
  const auto held = [&] { return ledger.set_up(a, reserve(middle(1, {}, {}))); };
  Label label = ledger.hops().cross_connect(held().hop).output_label;
  expect_refused(ledger.set_up(a, middle(1, kInput, label, {999, 10})), Cause::kInvalidRequest, {},
                 1);
  held();
  const Label other = cache_one(a);
  expect_refused(ledger.set_up(a, middle(1, kInput, other)), Cause::kInvalidRequest, kOut,
                 other.value);
}

// ===== repeats and generations =====

TEST_F(LedgerTest, TheSameSetupAgainTakesNothingMore) {
  const HopSetup setup = middle(1, kInput, cache_one(a));
  const HopRef hop = committed(a, setup);
  HopSetup again = setup;
  again.labels_wanted = 7;  // not part of the content
  const Admission repeated = ledger.set_up(a, again);
  EXPECT_TRUE(repeated.admitted());
  EXPECT_TRUE(repeated.repeated);
  EXPECT_EQ(repeated.hop, hop);
  EXPECT_EQ(ledger.usage(kOut)->taken, setup.demand);
}

TEST_F(LedgerTest, TheSameKeyWithOtherContentIsRefusedAndChangesNothing) {
  const HopSetup setup = middle(1, kInput, cache_one(a));
  const HopRef hop = committed(a, setup);
  HopSetup other = setup;
  other.demand.cells_per_s += 1;
  expect_refused(ledger.set_up(a, other), Cause::kInvalidRequest, {}, 1);
  expect_refused(ledger.set_up(a, reserve(setup)), Cause::kInvalidRequest, {}, 1);
  EXPECT_EQ(ledger.extras().setup_of(hop), setup);
}

TEST_F(LedgerTest, AReserveRepeatedWithOtherContentKeepsTheReservation) {
  const Admission held = ledger.set_up(a, reserve(middle(1, {}, {})));
  expect_refused(ledger.set_up(a, reserve(middle(1, {}, {}, {1, 1}))), Cause::kInvalidRequest, {},
                 1);
  EXPECT_EQ(ledger.hop(held.hop).stage(), HopStage::kReserved);
  EXPECT_TRUE(ledger.set_up(a, reserve(middle(1, {}, {}))).repeated);
}

TEST_F(LedgerTest, ALowerGenerationIsStaleWhileANewerLives) {
  HopSetup newer = middle(1, kInput, cache_one(a));
  newer.key.generation = Generation{5};
  const HopRef hop = committed(a, newer);
  HopSetup older = middle(1, atm_label(0, 36), cache_one(a));
  older.key.generation = Generation{4};
  expect_refused(ledger.set_up(a, older), Cause::kStale, {}, 4, 5);
  EXPECT_TRUE(ledger
                  .set_up(b,
                          [&] {
                            HopSetup foreign = older;
                            foreign.output_label = cache_one(b);
                            return foreign;
                          }())
                  .admitted())
      << "another manager's connection of that number is another connection";
  remove(hop);
  older.input_label = atm_label(0, 37);
  EXPECT_TRUE(ledger.set_up(a, older).admitted()) << "the newer one lives no more";
}

TEST_F(LedgerTest, GenerationsLiveSideBySideOnOtherLabels) {
  const HopRef old_hop = committed(a, middle(1, kInput, cache_one(a)));
  HopSetup newer = middle(1, atm_label(0, 36), cache_one(a));
  newer.key.generation = Generation{2};
  committed(a, newer);
  remove(old_hop);
  EXPECT_TRUE(ledger.hops().find(a, newer.key).has_value());
  EXPECT_EQ(ledger.managers().hops(a), 1U);
}

TEST_F(LedgerTest, ASetupOfAHopOnItsWayDownIsRefused) {
  const HopSetup setup = middle(1, kInput, cache_one(a));
  ledger.begin_removal(committed(a, setup));
  expect_refused(ledger.set_up(a, setup), Cause::kBeingReleased, {}, 1);
  ledger.removed(*ledger.hops().find(a, setup.key));
}

// ===== requests that cannot be right =====

TEST_F(LedgerTest, RefusesAHopBeyondItsPath) {
  HopSetup setup = middle(1, kInput, cache_one(a));
  setup.key.hop = 3;
  expect_refused(ledger.set_up(a, setup), Cause::kInvalidRequest, {}, 3, 3);
  setup.hop_count = 0;
  setup.key.hop = 0;
  expect_refused(ledger.set_up(a, setup), Cause::kInvalidRequest, {}, 0, 0);
}

TEST_F(LedgerTest, RefusesUnknownPorts) {
  HopSetup setup = middle(1, kInput, cache_one(a));
  setup.input_port = PortId{77};
  expect_refused(ledger.set_up(a, setup), Cause::kUnknownPort, PortId{77}, 77);
  setup = middle(1, kInput, cache_one(a));
  setup.output_port = PortId{78};
  expect_refused(ledger.set_up(a, setup), Cause::kUnknownPort, PortId{78}, 78);
}

TEST_F(LedgerTest, APortThatWentAwayKeepsItsHopsAndTakesNoMore) {
  const HopRef hop = committed(a, middle(1, kInput, cache_one(a)));
  const Label label = cache_one(a);
  auto fewer = ports(1000);
  fewer.pop_back();
  ledger.set_ports(fewer);
  EXPECT_FALSE(ledger.ports().has(kOut));
  expect_refused(ledger.set_up(a, middle(2, atm_label(0, 36), label)), Cause::kUnknownPort, kOut,
                 4);
  std::vector<Label> none;
  ledger.grants().grant_labels(a, kOut, 1, none);
  EXPECT_THAT(none, IsEmpty());
  EXPECT_EQ(ledger.grants().grant_quota(a, kOut, {1, 1}), Resources{});
  remove(hop);
  ledger.set_ports(ports(1000));
  EXPECT_TRUE(ledger.ports().has(kOut));
}

TEST_F(LedgerTest, AChangedLabelRangeWaitsUntilThePortIsIdle) {
  const Label label = cache_one(a);
  ledger.set_ports(ports(1000, {atm_range(0, 0, 100, 109)}));
  EXPECT_EQ(ledger.usage(kOut)->free_output_labels, 7U) << "one label is out";
  EXPECT_EQ(ledger.usage(kTrunk)->free_output_labels, 10U);
  ledger.grants().return_label(a, kOut, label);
  ledger.set_ports(ports(1000, {atm_range(0, 0, 100, 109)}));
  EXPECT_EQ(ledger.usage(kOut)->free_output_labels, 10U);
}

TEST_F(LedgerTest, IsBoundedInHopsAndManagers) {
  Ledger small({.managers_max = 2, .hops_max = 1});
  small.set_ports(ports(1000));
  const ManagerIndex only = small.manager("a").value();
  EXPECT_EQ(small.manager("b").value(), ManagerIndex{1});
  EXPECT_EQ(small.manager("c").error().code, ErrorCode::kExhausted);
  EXPECT_EQ(small.manager("").error().code, ErrorCode::kBadInput);
  EXPECT_TRUE(small.set_up(only, reserve(middle(1, {}, {}))).admitted());
  expect_refused(small.set_up(only, reserve(middle(2, {}, {}))), Cause::kBusy, {}, 2);
  EXPECT_EQ(small.forget_manager(ManagerIndex{1}), 0U);
  EXPECT_EQ(small.manager("c").value(), ManagerIndex{1});
}

// ===== the end of a session =====

TEST_F(LedgerTest, ALapseTakesCacheQuotaAndReservationsAndLeavesTheRest) {
  const Label cached = cache_one(a);
  const Label of_b = cache_one(b);
  ledger.grants().grant_quota(a, kOut, {500, 50});
  const Label quarantined = cache_one(a);
  remove(committed(a, middle(1, kInput, quarantined)));
  const HopRef lives = committed(a, middle(2, kInput, cache_one(a)));
  const Admission held = ledger.set_up(a, reserve(middle(3, {}, {})));
  const Label reserved = ledger.hops().cross_connect(held.hop).output_label;

  ledger.lapse(a);
  EXPECT_EQ(holder(cached), LabelHolder::kLapsed);
  EXPECT_EQ(holder(reserved), LabelHolder::kLapsed);
  EXPECT_EQ(holder(quarantined), LabelHolder::kQuarantine);
  EXPECT_EQ(holder(of_b), LabelHolder::kCached);
  EXPECT_EQ(ledger.hop(lives).stage(), HopStage::kCommitted);
  EXPECT_EQ(ledger.managers().hops(a), 1U);
  EXPECT_EQ(ledger.usage(kOut)->taken, (Resources{100, 10}));
}

TEST_F(LedgerTest, AnUndoneCommitGivesTheLabelBackToTheCache) {
  const Label label = cache_one(a);
  const Admission commit = ledger.set_up(a, middle(1, kInput, label));
  ledger.undo(commit.hop);
  EXPECT_EQ(holder(label), LabelHolder::kCached);
  EXPECT_EQ(ledger.usage(kOut)->taken, Resources{});
  EXPECT_EQ(ledger.labels().input_label(kTrunk, kInput)->holder, LabelHolder::kFree);
}

TEST_F(LedgerTest, ButNotToTheCacheOfALaterSession) {
  const Label label = cache_one(a);
  const Admission commit = ledger.set_up(a, middle(1, kInput, label));
  ledger.lapse(a);
  ledger.undo(commit.hop);
  EXPECT_EQ(holder(label), LabelHolder::kQuarantine);
}

// ===== unclaimed labels =====

TEST_F(LedgerTest, UnclaimedLabelsAreNeitherGrantedNorUsed) {
  ledger.block({kTrunk, kInput, kOut, atm_label(0, 32)});
  EXPECT_EQ(ledger.labels().unclaimed_labels(), 2U);
  const Label label = cache_one(a);
  EXPECT_EQ(label, atm_label(0, 33));
  expect_refused(ledger.set_up(a, middle(1, kInput, label)), Cause::kForeignInputLabel, kTrunk,
                 kInput.value);
  ledger.unblock_all();
  EXPECT_EQ(ledger.labels().unclaimed_labels(), 0U);
  EXPECT_TRUE(ledger.set_up(a, middle(1, kInput, label)).admitted());
}

TEST_F(LedgerTest, WhatSomebodyHoldsIsNotBlocked) {
  const Label label = cache_one(a);
  ledger.block({kTrunk, kInput, kOut, label});
  EXPECT_EQ(holder(label), LabelHolder::kCached);
  ledger.block({PortId{99}, kInput, PortId{98}, label});
  ledger.block({kTrunk, atm_label(9, 9), kOut, Label{LabelKind::kMpls, 40}});
  EXPECT_EQ(ledger.labels().unclaimed_labels(), 1U);
}

// ===== size =====

TEST_F(LedgerTest, FindsEveryHopAmongMany) {
  Ledger large({});
  large.set_ports(ports(1'000'000, {atm_range(0, 0, 32, 9999)}));
  const ManagerIndex only = large.manager("a").value();
  for (std::uint64_t i = 0; i < 2000; ++i) {
    ASSERT_TRUE(large.set_up(only, reserve(middle(i, {}, {}))).admitted());
  }
  for (std::uint64_t i = 0; i < 2000; i += 2) {
    ASSERT_TRUE(large.begin_removal(*large.hops().find(only, middle(i, {}, {}).key)));
  }
  for (std::uint64_t i = 0; i < 2000; ++i) {
    ASSERT_EQ(large.hops().find(only, middle(i, {}, {}).key).has_value(), i % 2 == 1) << i;
  }
  EXPECT_THAT(large.self_check("sw"), IsEmpty());
}

}  // namespace
}  // namespace xbind
