// Ledger: calls that want a certain label at an end (docs/decisions/0066). The first hop enters at
// port 1 and the last one leaves at port 2; both ports have the labels 0/32 to 0/39.
#include "ledger_fixture.hpp"

namespace xbind {
namespace {

using ::testing::IsEmpty;

constexpr PortId kEgress{2};
constexpr Label kWanted = atm_label(0, 37);

class LedgerWantedTest : public LedgerTest {
 protected:
  HopSetup wants_ingress(std::uint64_t connection, Label wanted = kWanted) {
    HopSetup setup = first(connection, cache_one(a));
    setup.input_label = wanted;
    return setup;
  }
  static HopSetup wants_egress(HopSetup setup, Label wanted = kWanted) {
    setup.output_label = wanted;
    return setup;
  }
  // A reservation of the first hop, with its ingress label.
  HopSetup reserves_ingress(std::uint64_t connection, bool held) {
    HopSetup setup = hold(first(connection, {}));
    setup.held = held;
    setup.input_label = kWanted;
    return setup;
  }
};

TEST_F(LedgerWantedTest, TheHopsAtTheEndsGetTheLabelsThatTheyWant) {
  const HopRef one = committed(a, wants_ingress(1));
  EXPECT_EQ(ledger.hops().cross_connect(one).input_label, kWanted);
  EXPECT_EQ(input_holder(kWanted, kIn), LabelHolder::kConnection);
  const HopRef three = committed(a, wants_egress(last(1, kInput)));
  EXPECT_EQ(ledger.hops().cross_connect(three).output_label, kWanted);
  EXPECT_EQ(holder(kWanted, kEgress), LabelHolder::kConnection);
  // Whoever wants no label gets another one, also when the wanted one would be next.
  for (std::uint64_t i = 2; i < 9; ++i) {
    EXPECT_NE(ledger.hops().cross_connect(committed(a, first(i, cache_one(a), {}))).input_label,
              kWanted);
  }
  remove(three);
  EXPECT_EQ(holder(kWanted, kEgress), LabelHolder::kFree);
  remove(one);
  EXPECT_EQ(input_holder(kWanted, kIn), LabelHolder::kFree);
}

TEST_F(LedgerWantedTest, InputAndOutputLabelsOfAPortAreSeparate) {
  committed(a, wants_ingress(1));
  HopSetup back = wants_egress(last(1, kInput));
  back.key.leg = 1;
  back.output_port = kIn;
  committed(a, back);
  EXPECT_EQ(input_holder(kWanted, kIn), LabelHolder::kConnection);
  EXPECT_EQ(holder(kWanted, kIn), LabelHolder::kConnection);
}

TEST_F(LedgerWantedTest, ALabelOfAnotherConnectionIsRefused) {
  committed(a, wants_ingress(1));
  committed(a, wants_egress(last(1, kInput)));
  expect_refused(ledger.set_up(a, wants_ingress(2)), Cause::kNoLabel, kIn, kWanted.value);
  expect_refused(ledger.set_up(b, wants_egress(last(2, atm_label(0, 36)))), Cause::kNoLabel,
                 kEgress, kWanted.value);
}

TEST_F(LedgerWantedTest, ALabelInACacheOrInQuarantineIsRefused) {
  const Label cached = cache_one(a, kEgress);
  expect_refused(ledger.set_up(a, wants_egress(last(1, kInput), cached)), Cause::kNoLabel, kEgress,
                 cached.value);
  // A hop in the middle of a path ends at port 2, and its label rests.
  HopSetup through = middle(2, kInput, cached);
  through.output_port = kEgress;
  remove(committed(a, through));
  ASSERT_EQ(holder(cached, kEgress), LabelHolder::kQuarantine);
  expect_refused(ledger.set_up(a, wants_egress(last(1, kInput), cached)), Cause::kNoLabel, kEgress,
                 cached.value);
  // The session ends: the label lapses, and is not to be had until it is returned.
  ledger.open_session(a);
  const Label lapsed = cache_one(a, kEgress);
  ledger.lapse(a);
  expect_refused(ledger.set_up(b, wants_egress(last(3, kInput), lapsed)), Cause::kNoLabel, kEgress,
                 lapsed.value);
}

TEST_F(LedgerWantedTest, ALabelOfAnEntryThatNobodyClaimsIsRefused) {
  ledger.block({kIn, kWanted, kEgress, kWanted});
  expect_refused(ledger.set_up(a, wants_ingress(1)), Cause::kNoLabel, kIn, kWanted.value);
  expect_refused(ledger.set_up(a, wants_egress(last(1, kInput))), Cause::kNoLabel, kEgress,
                 kWanted.value);
}

TEST_F(LedgerWantedTest, ALabelOfAnotherKindOrOutsideTheRangesIsRefused) {
  for (const Label other : {atm_label(0, 40), atm_label(1, 37), Label{LabelKind::kMpls, 4'196},
                            Label{LabelKind::kMpls, 16}}) {
    expect_refused(ledger.set_up(a, wants_ingress(1, other)), Cause::kInvalidRequest, kIn,
                   other.value);
    expect_refused(ledger.set_up(a, wants_egress(last(1, kInput), other)), Cause::kInvalidRequest,
                   kEgress, other.value);
  }
  EXPECT_EQ(ledger.hops().size(), 0U);
}

TEST_F(LedgerWantedTest, ARepeatedCommitIsOneCommit) {
  const HopSetup one = wants_ingress(1);
  const HopRef ref = committed(a, one);
  const Admission again = ledger.set_up(a, one);
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.hop, ref);
  EXPECT_EQ(ledger.extras().setup_of(ref).input_label, kWanted);
}

TEST_F(LedgerWantedTest, ARefusedCommitLeavesTheLabelFree) {
  HopSetup greedy = wants_ingress(1);
  greedy.demand = {2'000, 10};
  EXPECT_EQ(ledger.set_up(a, greedy).cause, Cause::kNoBandwidth);
  EXPECT_EQ(input_holder(kWanted, kIn), LabelHolder::kUnused);
  const Admission undone = ledger.set_up(a, wants_ingress(2));
  ledger.undo(undone.hop);
  EXPECT_EQ(input_holder(kWanted, kIn), LabelHolder::kFree);
}

// ===== holds =====

TEST_F(LedgerWantedTest, AHoldHasItsLabelsUntilTheCommit) {
  const Admission one = ledger.set_up(a, reserves_ingress(1, true));
  ASSERT_TRUE(one.admitted());
  EXPECT_EQ(input_holder(kWanted, kIn), LabelHolder::kConnection);
  const HopSetup egress = wants_egress(hold(last(1, {})));
  const Admission three = ledger.set_up(a, egress);
  ASSERT_TRUE(three.admitted());
  EXPECT_EQ(holder(kWanted, kEgress), LabelHolder::kConnection);
  EXPECT_TRUE(ledger.set_up(a, reserves_ingress(1, true)).repeated);
  EXPECT_TRUE(ledger.set_up(a, egress).repeated);
  EXPECT_EQ(ledger.set_up(b, wants_ingress(9)).cause, Cause::kNoLabel);
  // The holds outlive the session.
  ledger.lapse(a);
  EXPECT_THAT(ledger.self_check("sw"), IsEmpty());
  HopSetup commit = first(1, ledger.hops().cross_connect(one.hop).output_label);
  commit.input_label = kWanted;
  EXPECT_EQ(committed(a, commit), one.hop);
  EXPECT_EQ(ledger.hops().cross_connect(one.hop).input_label, kWanted);
  EXPECT_EQ(committed(a, wants_egress(last(1, kInput))), three.hop);
  remove(one.hop);
  remove(three.hop);
  EXPECT_EQ(input_holder(kWanted, kIn), LabelHolder::kFree);
  EXPECT_EQ(holder(kWanted, kEgress), LabelHolder::kFree);
}

TEST_F(LedgerWantedTest, ACommitThatNamesNoLabelKeepsTheReservedOne) {
  const Admission one = ledger.set_up(a, reserves_ingress(1, true));
  EXPECT_EQ(committed(a, first(1, ledger.hops().cross_connect(one.hop).output_label)), one.hop);
  EXPECT_EQ(ledger.hops().cross_connect(one.hop).input_label, kWanted);
}

TEST_F(LedgerWantedTest, ACommitWithAnotherLabelThanTheReservedOneIsRefused) {
  const Admission one = ledger.set_up(a, reserves_ingress(1, true));
  HopSetup commit = first(1, ledger.hops().cross_connect(one.hop).output_label);
  commit.input_label = atm_label(0, 38);
  expect_refused(ledger.set_up(a, commit), Cause::kInvalidRequest, kIn, atm_label(0, 38).value);
  EXPECT_EQ(input_holder(kWanted, kIn), LabelHolder::kFree) << "nothing of the hold is left";
  const Admission three = ledger.set_up(a, wants_egress(hold(last(2, {}))));
  ASSERT_TRUE(three.admitted());
  const HopSetup other = wants_egress(last(2, kInput), atm_label(0, 38));
  EXPECT_EQ(ledger.set_up(a, other).cause, Cause::kInvalidRequest);
}

TEST_F(LedgerWantedTest, AReservationThatEndsFreesItsIngressLabel) {
  const Admission removed = ledger.set_up(a, reserves_ingress(1, true));
  remove(removed.hop);
  EXPECT_EQ(input_holder(kWanted, kIn), LabelHolder::kFree);
  EXPECT_TRUE(ledger.set_up(a, reserves_ingress(2, false)).admitted());
  ledger.lapse(a);
  EXPECT_EQ(input_holder(kWanted, kIn), LabelHolder::kFree);
  EXPECT_EQ(ledger.hops().size(), 0U);
}

TEST_F(LedgerWantedTest, AClaimedHoldHasItsLabels) {
  LedgerHop claim;
  claim.key = first(1, {}).key;
  claim.cross_connect = {kIn, kWanted, kOut, atm_label(0, 32)};
  claim.demand = {100, 10};
  claim.hop_count = 3;
  claim.stage = HopStage::kReserved;
  claim.held = true;
  claim.request = RequestId{1};
  claim.enters = true;
  const Admission one = ledger.claim(a, claim);
  ASSERT_TRUE(one.admitted());
  EXPECT_EQ(input_holder(kWanted, kIn), LabelHolder::kConnection);
  claim.key.connection = ConnectionId{2};
  claim.cross_connect.output_label = atm_label(0, 33);
  expect_refused(ledger.claim(b, claim), Cause::kForeignInputLabel, kIn, kWanted.value);
  HopSetup commit = first(1, atm_label(0, 32));
  commit.input_label = kWanted;
  EXPECT_EQ(committed(a, commit), one.hop);
}

}  // namespace
}  // namespace xbind
