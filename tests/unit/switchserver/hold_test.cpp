// Held reservations, reservations that name their label, and managers that never come back.
#include "controller_fixture.hpp"
#include "ledger_fixture.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LedgerHoldTest : public LedgerTest {};

TEST_F(LedgerHoldTest, AHeldReservationOutlivesTheSessionAnotherDoesNot) {
  const Admission held = ledger.set_up(a, hold(middle(1, {}, {})));
  const Admission plain = ledger.set_up(a, reserve(middle(2, {}, {})));
  const Label label = ledger.hops().cross_connect(held.hop).output_label;
  const Label lost = ledger.hops().cross_connect(plain.hop).output_label;
  ledger.lapse(a);
  EXPECT_EQ(holder(label), LabelHolder::kConnection);
  EXPECT_EQ(holder(lost), LabelHolder::kLapsed);
  EXPECT_EQ(ledger.usage(kOut)->taken, (Resources{100, 10}));
  EXPECT_TRUE(ledger.set_up(a, hold(middle(1, {}, {}))).repeated);
  EXPECT_TRUE(ledger.set_up(a, middle(1, kInput, label)).admitted()) << "the newer session commits";
  EXPECT_EQ(ledger.usage(kOut)->taken, (Resources{100, 10})) << "taken once";
}

TEST_F(LedgerHoldTest, ALaterSessionsRefusedCommitLeavesTheLabelInItsCache) {
  committed(b, middle(9, kInput, cache_one(b)));
  const Admission held = ledger.set_up(a, hold(middle(1, {}, {})));
  const Label label = ledger.hops().cross_connect(held.hop).output_label;
  ledger.lapse(a);
  expect_refused(ledger.set_up(a, middle(1, kInput, label)), Cause::kForeignInputLabel, kTrunk,
                 kInput.value);
  EXPECT_EQ(holder(label), LabelHolder::kCached);
  EXPECT_EQ(ledger.hops().find(a, middle(1, {}, {}).key), std::nullopt);
}

TEST_F(LedgerHoldTest, AndSoDoesOneThatTheSwitchRefuses) {
  const Admission held = ledger.set_up(a, hold(middle(1, {}, {})));
  const Label label = ledger.hops().cross_connect(held.hop).output_label;
  ledger.lapse(a);
  ledger.undo(ledger.set_up(a, middle(1, kInput, label)).hop);
  EXPECT_EQ(holder(label), LabelHolder::kCached);
}

TEST_F(LedgerHoldTest, ARemovalEndsIt) {
  const Admission held = ledger.set_up(a, hold(middle(1, {}, {})));
  const Label label = ledger.hops().cross_connect(held.hop).output_label;
  ledger.lapse(a);
  EXPECT_TRUE(ledger.begin_removal(held.hop));
  EXPECT_EQ(holder(label), LabelHolder::kQuarantine);
}

TEST_F(LedgerHoldTest, AReserveRepeatedIsHeldAsBefore) {
  ASSERT_TRUE(ledger.set_up(a, reserve(middle(1, {}, {}))).admitted());
  expect_refused(ledger.set_up(a, hold(middle(1, {}, {}))), Cause::kInvalidRequest, {}, 1);
}

TEST_F(LedgerHoldTest, AReserveMayNameALabelOfTheCacheOrOfQuarantine) {
  for (const bool rested : {false, true}) {
    const std::uint64_t connection = rested ? 3 : 1;
    const Label label = cache_one(a);
    if (rested) remove(committed(a, middle(2, kInput, label)));
    HopSetup setup = hold(middle(connection, {}, {}));
    setup.output_label = label;
    const Admission held = ledger.set_up(a, setup);
    ASSERT_TRUE(held.admitted());
    EXPECT_EQ(ledger.hops().cross_connect(held.hop).output_label, label);
    EXPECT_TRUE(ledger.set_up(a, setup).repeated);
    EXPECT_TRUE(ledger.begin_removal(held.hop));
    EXPECT_EQ(holder(label), LabelHolder::kQuarantine);
  }
}

TEST_F(LedgerHoldTest, ANamedLabelMustBeTheManagersOwnAndLapsesWithItsSession) {
  const Label of_b = cache_one(b);
  HopSetup setup = reserve(middle(1, {}, {}));
  setup.output_label = of_b;
  expect_refused(ledger.set_up(a, setup), Cause::kLabelNotHeld, kOut, of_b.value);
  setup.output_label = cache_one(a);
  ASSERT_TRUE(ledger.set_up(a, setup).admitted());
  ledger.lapse(a);
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kLapsed);
}

TEST_F(LedgerHoldTest, AnEgressLabelIsHeldAndFreeAtOnceAfterwards) {
  const Admission held = ledger.set_up(a, hold(last(1, {})));
  const Label label = ledger.hops().cross_connect(held.hop).output_label;
  ledger.lapse(a);
  EXPECT_EQ(holder(label, PortId{2}), LabelHolder::kConnection);
  EXPECT_TRUE(ledger.begin_removal(held.hop));
  EXPECT_EQ(holder(label, PortId{2}), LabelHolder::kFree);
}

// ===== forgotten for good =====

TEST_F(LedgerHoldTest, AForgottenManagersQuarantineAndHoldsAreFreeAndItsHopsStay) {
  const Label resting = cache_one(a);
  remove(committed(a, middle(1, kInput, resting)));
  const Label live = cache_one(a);
  const HopRef stays = committed(a, middle(2, kInput, live));
  const Admission held = ledger.set_up(a, hold(middle(3, {}, {})));
  const Label promised = ledger.hops().cross_connect(held.hop).output_label;
  ledger.lapse(a);
  EXPECT_EQ(ledger.forget_manager(a), 1U);
  EXPECT_EQ(holder(resting), LabelHolder::kFree);
  EXPECT_EQ(holder(promised), LabelHolder::kFree);
  EXPECT_EQ(holder(live), LabelHolder::kConnection);
  EXPECT_EQ(ledger.managers().find("a"), a) << "known until its last hop has gone";
  remove(stays);
  EXPECT_EQ(holder(live), LabelHolder::kFree) << "no manager would return the label";
  EXPECT_EQ(ledger.managers().find("a"), std::nullopt);
  EXPECT_EQ(ledger.manager("c").value(), a) << "its place is free";
}

TEST_F(LedgerHoldTest, ANewSessionOfTheNameIsNotForgottenAnyMore) {
  const HopRef stays = committed(a, middle(2, kInput, cache_one(a)));
  const Label live = ledger.hops().cross_connect(stays).output_label;
  ledger.lapse(a);
  EXPECT_EQ(ledger.forget_manager(a), 1U);
  ledger.open_session(a);
  remove(stays);
  EXPECT_EQ(holder(live), LabelHolder::kQuarantine);
  EXPECT_EQ(ledger.managers().find("a"), a);
}

class ControllerHoldTest : public SwitchControllerTest {};

TEST_F(ControllerHoldTest, AHoldIsCommittedByTheNextSession) {
  HopSetup held = reserve(middle(1, 0, {}));
  held.held = true;
  const Label label = run({{held}, {}, {}}).results.at(0).output_label;
  ASSERT_TRUE(controller.attach("a", Epoch{2}).has_value());
  // a --> sw: commit(3 0/40 -> 4, the label from the reservation);  sw --> a: committed
  const HopSetup commit = middle(1, 40, label);
  EXPECT_THAT(run({{commit}, {}, {}}).results, ElementsAre(done(commit.key, HopAction::kCommit)));
  EXPECT_THAT(fake.table, ElementsAre(cross(commit)));
}

TEST_F(ControllerHoldTest, ItsManagerReadsWhatIsLeftOfItsTime) {
  HopSetup held = reserve(middle(1, 0, {}));
  held.held = true;
  held.hold_ms = 600'000;
  const Label label = run({{held}, {}, {}}).results.at(0).output_label;
  const auto left = [&](Duration later) {
    return controller.held_hops("a", 0, 10, now + later).hops.at(0).hold_left;
  };
  EXPECT_EQ(left({}), std::chrono::minutes{10});
  EXPECT_EQ(run({{held}, {}, {}}).results.at(0).cause, Cause::kNone) << "repeated";
  controller.detach("a");
  EXPECT_EQ(left(std::chrono::minutes{9}), std::chrono::minutes{1})
      << "it passes while no manager is there";
  EXPECT_EQ(left(std::chrono::minutes{11}), Duration::zero())
      << "the manager ends it, not the ledger";
  ASSERT_TRUE(controller.attach("a", Epoch{2}).has_value());
  run({{middle(1, 40, label)}, {}, {}});
  EXPECT_EQ(left({}), Duration::zero()) << "it is committed";
}

TEST_F(ControllerHoldTest, OnlyAKnownNameWithoutSessionIsForgotten) {
  const HopSetup setup = committed(1, 40);
  HopSetup held = reserve(middle(2, 0, {}));
  held.held = true;
  const Label label = run({{held}, {}, {}}).results.at(0).output_label;
  EXPECT_EQ(controller.forget("nobody").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(controller.forget("a").error().code, ErrorCode::kBadInput);
  controller.detach("a");
  EXPECT_EQ(controller.forget("a"), 1U);
  EXPECT_EQ(holder(label), LabelHolder::kFree);
  EXPECT_THAT(fake.table, ElementsAre(cross(setup))) << "it carries a call";
  EXPECT_EQ(controller.attach("a", Epoch{0}).error().code, ErrorCode::kFenced)
      << "the epoch goes with the last hop";
}

TEST_F(ControllerHoldTest, WithTheLastHopTheEpochIsForgotten) {
  const HopSetup setup = committed(1, 40);
  apply({{}, {{setup.key, 0}}, {}});
  controller.detach("a");
  EXPECT_EQ(controller.forget("a"), 1U) << "the switch has not confirmed the delete yet";
  answer_all();
  EXPECT_EQ(controller.forget("a").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kFree);
  EXPECT_THAT(controller.attach("a", Epoch{0})->quarantined, IsEmpty());
}

}  // namespace
}  // namespace xbind
