// Make before break: hops of a later generation that take over an input or join an output.
#include "ledger_fixture.hpp"

namespace xbind {
namespace {

using ::testing::IsEmpty;

class LedgerPathsTest : public LedgerTest {
 protected:
  static constexpr PortId kSide{2};

  std::uint64_t ingress(PortId port = kIn) const { return ledger.usage(port)->ingress_cells_per_s; }
  Resources taken(PortId port = kOut) const { return ledger.usage(port)->taken; }
  std::size_t on_input(PortId port, Label label) const {
    std::size_t count = 0;
    ledger.users().for_each_on_input(port, label, [&](HopRef, const HopRecord&) { ++count; });
    return count;
  }
  void clean() { EXPECT_THAT(ledger.self_check("sw"), IsEmpty()); }

  // The later generation's hop where the paths part: it has another output.
  HopSetup taking_over(const HopSetup& earlier, Label input, PortId output_port, Label output) {
    HopSetup setup = earlier;
    setup.key.generation = Generation{earlier.key.generation.value() + 1};
    setup.takes_over = true;
    setup.branch = false;
    setup.input_label = input;
    setup.output_port = output_port;
    setup.output_label = output;
    return setup;
  }
  // The later generation's hop where the paths meet: it has another input.
  HopSetup joining(const HopSetup& earlier, PortId input_port, Label input) {
    HopSetup setup = earlier;
    setup.key.generation = Generation{earlier.key.generation.value() + 1};
    setup.joins = true;
    setup.input_port = input_port;
    setup.input_label = input;
    return setup;
  }
  const HopRecord& at(HopRef ref) { return ledger.hop(ref); }

  // Connection 1 in the middle of its path, generation 1.
  HopSetup old = middle(1, kInput, {});
  HopRef old_hop;
  void SetUp() override {
    LedgerTest::SetUp();
    old.output_label = cache_one(a);
    old_hop = committed(a, old);
  }
};

// ----- where the paths part -----

TEST_F(LedgerPathsTest, WhoTakesOverSharesTheInputAndSupersedesWhenItIsCommitted) {
  const HopSetup later = taking_over(old, kInput, kSide, cache_one(a, kSide));
  const Admission admitted = ledger.set_up(a, later);
  ASSERT_TRUE(admitted.admitted());
  clean();
  EXPECT_FALSE(ledger.stacks().superseded(old_hop));
  EXPECT_EQ(ledger.stacks().below(admitted.hop), old_hop);
  ledger.step(admitted.hop, HopFsm::Event::kAdded);
  EXPECT_TRUE(ledger.stacks().superseded(old_hop));
  EXPECT_EQ(taken(kOut), (Resources{100, 10})) << "the old hop keeps its reservation";
  EXPECT_EQ(taken(kSide), (Resources{100, 10}));
  EXPECT_EQ(holder(old.output_label), LabelHolder::kConnection);
  EXPECT_TRUE(ledger.set_up(a, later).repeated);
}

TEST_F(LedgerPathsTest, TheOldOneGoesAtOnceAndItsLabelIntoQuarantine) {
  const HopRef later = committed(a, taking_over(old, kInput, kSide, cache_one(a, kSide)));
  EXPECT_TRUE(ledger.begin_removal(old_hop));
  clean();
  EXPECT_EQ(holder(old.output_label), LabelHolder::kQuarantine);
  EXPECT_EQ(taken(kOut), Resources{});
  EXPECT_EQ(ledger.stacks().below(later), std::nullopt);
  EXPECT_EQ(input_holder(kInput), LabelHolder::kConnection);
  remove(later);
  EXPECT_EQ(input_holder(kInput), LabelHolder::kFree);
}

TEST_F(LedgerPathsTest, WithTheLaterOneGoneTheOldOneIsLiveAgain) {
  const HopSetup later = taking_over(old, kInput, kSide, cache_one(a, kSide));
  const HopRef later_hop = committed(a, later);
  EXPECT_FALSE(ledger.begin_removal(later_hop));
  EXPECT_FALSE(ledger.stacks().superseded(old_hop)) << "unknown until the switch has answered";
  clean();
  ledger.removed(later_hop);
  clean();
  EXPECT_FALSE(ledger.stacks().above(old_hop));
  EXPECT_EQ(holder(later.output_label, kSide), LabelHolder::kQuarantine);
  EXPECT_EQ(taken(kSide), Resources{});
  EXPECT_FALSE(ledger.begin_removal(old_hop)) << "the switch has it";
  ledger.removed(old_hop);
  EXPECT_EQ(input_holder(kInput), LabelHolder::kFree);
}

TEST_F(LedgerPathsTest, WhatTheSwitchRefusesLeavesTheOldOneAsItWas) {
  const HopSetup later = taking_over(old, kInput, kSide, cache_one(a, kSide));
  ledger.undo(ledger.set_up(a, later).hop);
  clean();
  EXPECT_FALSE(ledger.stacks().above(old_hop));
  EXPECT_EQ(on_input(kTrunk, kInput), 1U);
  EXPECT_EQ(holder(later.output_label, kSide), LabelHolder::kCached);
  EXPECT_TRUE(ledger.set_up(a, later).admitted()) << "and may be tried again";
}

TEST_F(LedgerPathsTest, NobodyElseTakesOver) {
  expect_refused(ledger.set_up(b, taking_over(old, kInput, kSide, cache_one(b, kSide))),
                 Cause::kForeignInputLabel, kTrunk, kInput.value);
  HopSetup other = taking_over(old, kInput, kSide, cache_one(a, kSide));
  other.key.connection = ConnectionId{2};
  expect_refused(ledger.set_up(a, other), Cause::kForeignInputLabel, kTrunk, kInput.value);
  other.takes_over = false;
  expect_refused(ledger.set_up(a, other), Cause::kForeignInputLabel, kTrunk, kInput.value);
}

TEST_F(LedgerPathsTest, WithNobodyToTakeOverFromItIsUnknown) {
  const Label label = cache_one(a, kSide);
  const Label nobodys = atm_label(0, 36);
  expect_refused(ledger.set_up(a, taking_over(old, nobodys, kSide, label)),
                 Cause::kUnknownConnection, kTrunk, nobodys.value);
  HopSetup of_another_leg = taking_over(old, kInput, kSide, label);
  of_another_leg.key.leg = 1;
  expect_refused(ledger.set_up(a, of_another_leg), Cause::kUnknownConnection, kTrunk, kInput.value);
  ledger.begin_removal(old_hop);
  expect_refused(ledger.set_up(a, taking_over(old, kInput, kSide, label)),
                 Cause::kUnknownConnection, kTrunk, kInput.value);
  EXPECT_EQ(holder(label, kSide), LabelHolder::kCached);
}

TEST_F(LedgerPathsTest, ItLeadsElsewhere) {
  expect_refused(ledger.set_up(a, taking_over(old, kInput, kOut, old.output_label)),
                 Cause::kInvalidRequest, kOut, old.output_label.value);
  EXPECT_TRUE(ledger.set_up(a, taking_over(old, kInput, kOut, cache_one(a))).admitted());
}

TEST_F(LedgerPathsTest, OneIsUnderWayAtATime) {
  const HopSetup later = taking_over(old, kInput, kSide, cache_one(a, kSide));
  const Admission first_try = ledger.set_up(a, later);
  HopSetup third = taking_over(later, kInput, kIn, cache_one(a, kIn));
  expect_refused(ledger.set_up(a, third), Cause::kChangeUnderWay, kTrunk, kInput.value);
  ledger.step(first_try.hop, HopFsm::Event::kAdded);
  expect_refused(ledger.set_up(a,
                               [&] {
                                 HopSetup same_generation = third;
                                 same_generation.key.generation = later.key.generation;
                                 same_generation.key.hop = 0;
                                 return same_generation;
                               }()),
                 Cause::kStale, {}, 2, 2);
  EXPECT_TRUE(ledger.set_up(a, third).admitted());
}

TEST_F(LedgerPathsTest, FlagsExcludeEachOtherAndHolds) {
  const auto refused = [&](auto&& change) {
    HopSetup setup = taking_over(old, kInput, kSide, cache_one(a, kSide));
    change(setup);
    const Admission admission = ledger.set_up(a, setup);
    EXPECT_TRUE(ledger.grants().return_label(a, kSide, setup.output_label));
    return admission.cause == Cause::kInvalidRequest;
  };
  EXPECT_TRUE(refused([](HopSetup& s) { s.joins = true; }));
  EXPECT_TRUE(refused([](HopSetup& s) { s.held = true; }));
  EXPECT_TRUE(refused([](HopSetup& s) {
    s.branch = true;
    s.key.leg = 1;
    s.key.hop = 0;
  }));
  EXPECT_TRUE(refused([](HopSetup& s) {
    s.takes_over = false;
    s.joins = true;
    s.commit = false;
  })) << "there is nothing to reserve";
}

TEST_F(LedgerPathsTest, TheSameWordsIncludeTheFlags) {
  HopSetup later = taking_over(old, kInput, kSide, cache_one(a, kSide));
  committed(a, later);
  EXPECT_TRUE(ledger.set_up(a, later).repeated);
  later.takes_over = false;
  expect_refused(ledger.set_up(a, later), Cause::kInvalidRequest, {}, 2);
}

TEST_F(LedgerPathsTest, InTwoPhasesTheInputIsTakenWithTheCommit) {
  HopSetup later = taking_over(old, {}, kSide, {});
  later.commit = false;
  const Admission reserved = ledger.set_up(a, later);
  ASSERT_TRUE(reserved.admitted());
  EXPECT_EQ(on_input(kTrunk, kInput), 1U);
  EXPECT_EQ(taken(kSide), (Resources{100, 10}));
  clean();
  later = taking_over(old, kInput, kSide, ledger.hops().cross_connect(reserved.hop).output_label);
  const Admission commit = ledger.set_up(a, later);
  ASSERT_TRUE(commit.admitted());
  EXPECT_EQ(commit.hop, reserved.hop);
  EXPECT_EQ(ledger.stacks().below(commit.hop), old_hop);
  clean();
  ledger.step(commit.hop, HopFsm::Event::kAdded);
  EXPECT_TRUE(ledger.stacks().superseded(old_hop));
}

TEST_F(LedgerPathsTest, AReservationWhoseOldOneIsGoneEnds) {
  HopSetup later = taking_over(old, {}, kSide, {});
  later.commit = false;
  const Label label = ledger.hops().cross_connect(ledger.set_up(a, later).hop).output_label;
  remove(old_hop);
  expect_refused(ledger.set_up(a, taking_over(old, kInput, kSide, label)),
                 Cause::kUnknownConnection, kTrunk, kInput.value);
  EXPECT_EQ(holder(label, kSide), LabelHolder::kCached);
  EXPECT_EQ(ledger.hops().size(), 0U);
}

TEST_F(LedgerPathsTest, AtTheFirstSwitchTheReceiveSideIsTakenOnce) {
  const HopSetup caller = first(5, cache_one(a), {200, 0});
  const HopRef caller_hop = committed(a, caller);
  const Label in = ledger.hops().cross_connect(caller_hop).input_label;
  const HopSetup later = taking_over(caller, in, kSide, cache_one(a, kSide));
  const HopRef later_hop = committed(a, later);
  EXPECT_EQ(ingress(), 200U);
  EXPECT_EQ(ledger.hops().cross_connect(later_hop).input_label, in);
  clean();
  EXPECT_TRUE(ledger.begin_removal(caller_hop));
  EXPECT_EQ(ingress(), 200U) << "its cells still come in";
  clean();
  remove(later_hop);
  EXPECT_EQ(ingress(), 0U);
  EXPECT_EQ(input_holder(in, kIn), LabelHolder::kFree);
}

TEST_F(LedgerPathsTest, ALaterOneThatDemandsMoreTakesTheRestOfTheReceiveSideAndGivesItBack) {
  const HopSetup caller = first(5, cache_one(a), {200, 0});
  const HopRef caller_hop = committed(a, caller);
  committed(a, first(6, cache_one(a, kOut), {300, 0}));
  const Label in = ledger.hops().cross_connect(caller_hop).input_label;
  HopSetup later = taking_over(caller, in, kSide, cache_one(a, kSide));
  later.demand = {701, 0};
  expect_refused(ledger.set_up(a, later), Cause::kNoBandwidth, kIn, 701, 700);
  later.demand = {700, 0};
  const HopRef later_hop = committed(a, later);
  EXPECT_EQ(ingress(), 1000U);
  clean();
  remove(later_hop);
  EXPECT_EQ(ingress(), 500U);
  EXPECT_EQ(ledger.extras().ingress(caller_hop), 200U);
  clean();
}

TEST_F(LedgerPathsTest, TheFirstSwitchNamesTheInputLabelThatItKnows) {
  const HopSetup caller = first(5, cache_one(a), {200, 0});
  committed(a, caller);
  HopSetup later = taking_over(caller, {}, kSide, cache_one(a, kSide));
  expect_refused(ledger.set_up(a, later), Cause::kInvalidRequest, kIn, 0);
}

TEST_F(LedgerPathsTest, GenerationsStandOnEachOtherAndTheMiddleOneGoesUnnoticed) {
  const HopSetup second = taking_over(old, kInput, kSide, cache_one(a, kSide));
  const HopRef second_hop = committed(a, second);
  const HopSetup third = taking_over(second, kInput, kOut, cache_one(a));
  const HopRef third_hop = committed(a, third);
  clean();
  EXPECT_TRUE(ledger.stacks().superseded(old_hop));
  EXPECT_TRUE(ledger.begin_removal(second_hop));
  clean();
  EXPECT_EQ(ledger.stacks().below(third_hop), old_hop);
  remove(third_hop);
  EXPECT_FALSE(ledger.stacks().superseded(old_hop));
  clean();
}

TEST_F(LedgerPathsTest, TheLowestOfThreeGoesWhileTheUppermostIsOnItsWayDown) {
  const HopSetup second = taking_over(old, kInput, kSide, cache_one(a, kSide));
  const HopRef second_hop = committed(a, second);
  const HopRef third_hop = committed(a, taking_over(second, kInput, kIn, cache_one(a, kIn)));
  EXPECT_FALSE(ledger.begin_removal(third_hop));
  EXPECT_TRUE(ledger.begin_removal(old_hop)) << "the second one is above it for certain";
  EXPECT_FALSE(ledger.begin_removal(second_hop)) << "it may be in the switch by now";
  clean();
  ledger.removed(third_hop);
  ledger.removed(second_hop);
  EXPECT_EQ(input_holder(kInput), LabelHolder::kFree);
}

TEST_F(LedgerPathsTest, OfAConnectionWithLeavesEachLegIsTakenOverForItself) {
  const HopSetup leaf = branch(old, 1, kInput, kSide, cache_one(a, kSide));
  const HopRef leaf_hop = committed(a, leaf);
  HopSetup later = taking_over(leaf, kInput, kOut, cache_one(a));
  expect_refused(ledger.set_up(a, later), Cause::kInvalidRequest, kOut, kOut.value());
  later.output_port = kIn;
  later.output_label = cache_one(a, kIn);
  const HopRef later_hop = committed(a, later);
  clean();
  EXPECT_TRUE(ledger.stacks().superseded(leaf_hop));
  EXPECT_FALSE(ledger.stacks().superseded(old_hop));
  EXPECT_EQ(on_input(kTrunk, kInput), 3U);
  EXPECT_TRUE(ledger.begin_removal(leaf_hop));
  remove(later_hop);
  clean();
  EXPECT_EQ(on_input(kTrunk, kInput), 1U);
}

TEST_F(LedgerPathsTest, AContractDoesNotChangeWhileTwoGenerationsAreThere) {
  const HopSetup later = taking_over(old, kInput, kSide, cache_one(a, kSide));
  const HopRef later_hop = committed(a, later);
  expect_refused(ledger.modify(a, {old.key, 1, {50, 5}}), Cause::kChangeUnderWay, {}, 1);
  expect_refused(ledger.modify(a, {later.key, 1, {50, 5}}), Cause::kChangeUnderWay, {}, 1);
  EXPECT_TRUE(ledger.modify(a, {old.key, 0, {100, 10}}).repeated)
      << "its own resources are no change";
  EXPECT_TRUE(ledger.begin_removal(old_hop));
  EXPECT_TRUE(ledger.modify(a, {later.key, 1, {50, 5}}).admitted());
  EXPECT_EQ(taken(kSide), (Resources{50, 5}));
  remove(later_hop);
}

TEST_F(LedgerPathsTest, AnotherOwnerComesAlsoWhileTwoGenerationsAreThere) {
  committed(a, taking_over(old, kInput, kSide, cache_one(a, kSide)));
  HopModify handover{old.key, 1, old.demand, old.contract};
  handover.handover = {{"mia", Epoch{3}, "host-a", "host-b"}, RequestId{8}, ConnectionId{99}};
  EXPECT_TRUE(ledger.modify(a, handover).admitted());
  EXPECT_EQ(ledger.hops().owner_of(ledger.hop(old_hop)), handover.handover->owner);
}

// ----- where they meet again -----

TEST_F(LedgerPathsTest, WhoJoinsIsCountedOnceOnAPortThatIsFull) {
  committed(a, middle(2, atm_label(0, 36), cache_one(a), {900, 0}));
  EXPECT_EQ(taken().cells_per_s, 1000U);
  const HopSetup later = joining(old, kSide, kInput);
  const HopRef later_hop = committed(a, later);
  clean();
  EXPECT_EQ(taken(), (Resources{1000, 10}));
  EXPECT_EQ(ledger.labels().held(a, kOut), 2U);
  EXPECT_TRUE(ledger.set_up(a, later).repeated);
  // The old hop is removed: the rest of the path stays, with its label and bandwidth.
  EXPECT_FALSE(ledger.begin_removal(old_hop));
  EXPECT_TRUE(ledger.users().shares_output(old_hop));
  ledger.removed(old_hop);
  clean();
  EXPECT_EQ(taken(), (Resources{1000, 10}));
  EXPECT_EQ(holder(old.output_label), LabelHolder::kConnection);
  EXPECT_FALSE(ledger.users().shares_output(later_hop));
  remove(later_hop);
  clean();
  EXPECT_EQ(taken(), (Resources{900, 0}));
  EXPECT_EQ(holder(old.output_label), LabelHolder::kQuarantine);
}

TEST_F(LedgerPathsTest, TheJoinerMayGoFirst) {
  const HopRef later_hop = committed(a, joining(old, kSide, kInput));
  remove(later_hop);
  clean();
  EXPECT_EQ(input_holder(kInput, kSide), LabelHolder::kFree);
  EXPECT_EQ(holder(old.output_label), LabelHolder::kConnection);
  EXPECT_EQ(taken(), (Resources{100, 10}));
  remove(old_hop);
  EXPECT_EQ(holder(old.output_label), LabelHolder::kQuarantine);
}

TEST_F(LedgerPathsTest, WhatIsRefusedToAJoinerLeavesTheOldOne) {
  ledger.undo(ledger.set_up(a, joining(old, kSide, kInput)).hop);
  clean();
  EXPECT_EQ(holder(old.output_label), LabelHolder::kConnection);
  EXPECT_EQ(taken(), (Resources{100, 10}));
  EXPECT_EQ(ledger.labels().held(a, kOut), 1U);
}

TEST_F(LedgerPathsTest, AJoinerIsChargedWhatItNeedsBeyondAndTheHeirWhatIsLeft) {
  HopSetup later = joining(old, kSide, kInput);
  later.demand = {1001, 5};
  expect_refused(ledger.set_up(a, later), Cause::kNoBandwidth, kOut, 901, 900);
  later.demand = {250, 5};
  const HopRef later_hop = committed(a, later);
  EXPECT_EQ(taken(), (Resources{250, 10}));
  clean();
  HopSetup third = joining(later, kIn, kInput);
  third.demand = {200, 30};
  const HopRef third_hop = committed(a, third);
  EXPECT_EQ(taken(), (Resources{250, 30}));
  clean();
  remove(later_hop);
  EXPECT_EQ(taken(), (Resources{200, 30}));
  clean();
  remove(third_hop);
  EXPECT_EQ(taken(), (Resources{100, 10}));
  EXPECT_EQ(at(old_hop).charge, (Resources{100, 10}));
}

TEST_F(LedgerPathsTest, OnlyTheLabelOfAnEarlierLivingHopIsJoined) {
  HopSetup later = joining(old, kSide, kInput);
  later.output_label = cache_one(a);
  expect_refused(ledger.set_up(a, later), Cause::kLabelNotHeld, kOut, later.output_label.value);
  later = joining(old, kSide, kInput);
  later.key.connection = ConnectionId{2};
  expect_refused(ledger.set_up(a, later), Cause::kLabelNotHeld, kOut, old.output_label.value);
  later = joining(old, kSide, kInput);
  expect_refused(ledger.set_up(b, later), Cause::kLabelNotHeld, kOut, old.output_label.value);
  later.key.generation = old.key.generation;
  later.key.hop = 2;
  later.hop_count = 4;
  expect_refused(ledger.set_up(a, later), Cause::kLabelNotHeld, kOut, old.output_label.value);
  later = joining(old, kSide, kInput);
  later.output_label = {};
  expect_refused(ledger.set_up(a, later), Cause::kLabelNotHeld, kOut, 0);
  ledger.begin_removal(old_hop);
  expect_refused(ledger.set_up(a, joining(old, kSide, kInput)), Cause::kLabelNotHeld, kOut,
                 old.output_label.value);
  EXPECT_EQ(on_input(kSide, kInput), 0U);
}

TEST_F(LedgerPathsTest, AnInputOfItsOwn) {
  expect_refused(ledger.set_up(a, joining(old, kTrunk, kInput)), Cause::kForeignInputLabel, kTrunk,
                 kInput.value);
}

TEST_F(LedgerPathsTest, TheEgressLabelIsNamedAndFreeWhenTheLastOfThemIsGone) {
  const HopSetup end = last(7, atm_label(0, 37));
  const HopRef end_hop = committed(a, end);
  HopSetup later = joining(end, kOut, kInput);
  later.output_label = ledger.hops().cross_connect(end_hop).output_label;
  HopSetup not_last = later;
  not_last.hop_count = 4;
  expect_refused(ledger.set_up(a, not_last), Cause::kInvalidRequest, kSide, 4);
  const HopRef later_hop = committed(a, later);
  clean();
  remove(end_hop);
  clean();
  EXPECT_EQ(holder(later.output_label, kSide), LabelHolder::kConnection);
  remove(later_hop);
  EXPECT_EQ(holder(later.output_label, kSide), LabelHolder::kFree);
  EXPECT_EQ(taken(kSide), Resources{});
}

TEST_F(LedgerPathsTest, WhatCameOfAnEarlierModifyCountsOnceInTheGroup) {
  ASSERT_TRUE(ledger.modify(a, {old.key, 1, {300, 10}}).admitted());
  HopSetup later = joining(old, kSide, kInput);
  later.demand = {200, 10};
  const HopRef later_hop = committed(a, later);
  EXPECT_EQ(taken(), (Resources{300, 10}));
  ledger.settle(old_hop, 0, {100, 10}, {});  // the switch refuses the change
  EXPECT_EQ(taken(), (Resources{200, 10}));
  clean();
  expect_refused(ledger.modify(a, {later.key, 1, {10, 0}}), Cause::kChangeUnderWay, {}, 1);
  remove(old_hop);
  EXPECT_TRUE(ledger.modify(a, {later.key, 1, {10, 0}}).admitted());
  EXPECT_EQ(taken(), (Resources{10, 0}));
  remove(later_hop);
}

TEST_F(LedgerPathsTest, ASharedLabelOutlivesTheSessionWithItsHops) {
  ledger.open_session(a);
  const HopRef later_hop = ledger.set_up(a, joining(old, kSide, kInput)).hop;
  ledger.lapse(a);
  ledger.undo(later_hop);
  clean();
  EXPECT_EQ(holder(old.output_label), LabelHolder::kConnection);
  EXPECT_EQ(ledger.forget_manager(a), 1U);
  remove(old_hop);
  EXPECT_EQ(holder(old.output_label), LabelHolder::kFree);
}

// ----- both at once, as when a connection moves to another path -----

TEST_F(LedgerPathsTest, OldGenerationsAreStaleFromThenOn) {
  committed(a, taking_over(old, kInput, kSide, cache_one(a, kSide)));
  expect_refused(ledger.set_up(a, old), Cause::kStale, {}, 1, 2);
}

TEST_F(LedgerPathsTest, TheSelfCheckFindsWhatIsNotInOrder) {
  const HopRef later = committed(a, taking_over(old, kInput, kSide, cache_one(a, kSide)));
  const HopRef joiner = committed(a, [&] {
    HopSetup setup = joining(old, kSide, kInput);
    setup.key.hop = 2;
    setup.hop_count = 4;
    return setup;
  }());
  clean();
  const Resources charge = at(joiner).charge;
  ledger.hop(joiner).charge = {7, 0};
  EXPECT_THAT(ledger.self_check("sw"),
              ::testing::Contains(::testing::Field(&Finding::kind, FindingKind::kLeakedBandwidth)));
  ledger.hop(joiner).charge = charge;
  ledger.hop(later).key.generation = Generation{1};
  EXPECT_THAT(ledger.self_check("sw"),
              ::testing::Contains(::testing::Field(&Finding::kind, FindingKind::kDoubleLabel)));
  ledger.hop(later).key.generation = Generation{2};
}

TEST_F(LedgerPathsTest, WhoDemandsLessLeavesTheReceiveSideUntilTheOldOneHasGone) {
  const HopSetup start = first(2, cache_one(a), {300, 10});
  const HopRef earlier = committed(a, start);
  const Label input = at(earlier).input_label();
  HopSetup later = taking_over(start, input, kSide, cache_one(a, kSide));
  later.demand = {100, 10};
  committed(a, later);
  EXPECT_EQ(ingress(), 300U) << "the old one may get the cells back";
}

}  // namespace
}  // namespace xbind
