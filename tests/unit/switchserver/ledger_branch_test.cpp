// Point-to-multipoint: hops of one connection that share an input label.
#include "ledger_fixture.hpp"

namespace xbind {
namespace {

class LedgerBranchTest : public LedgerTest {
 protected:
  static constexpr PortId kSide{2};

  std::uint64_t ingress() const { return ledger.usage(kIn)->ingress_cells_per_s; }
  std::size_t sharers(PortId port, Label label) const {
    std::size_t count = 0;
    ledger.users().for_each_on_input(port, label, [&](HopRef, const HopRecord&) { ++count; });
    return count;
  }
  // Connection 1 in the middle of its path; a leaf's leg leaves the switch by kSide.
  HopSetup root = middle(1, kInput, {});
  HopRef root_hop;
  void SetUp() override {
    LedgerTest::SetUp();
    root.output_label = cache_one(a);
    root_hop = committed(a, root);
  }
};

TEST_F(LedgerBranchTest, ABranchSharesTheInputLabelUntilTheLastHasGone) {
  const HopRef leaf = committed(a, branch(root, 1, kInput, kSide, cache_one(a, kSide)));
  const HopRef other = committed(a, branch(root, 2, kInput, kIn, cache_one(a, kIn)));
  EXPECT_EQ(sharers(kTrunk, kInput), 3U);
  EXPECT_EQ(ledger.usage(kSide)->taken, (Resources{100, 10}));
  for (const HopRef gone : {leaf, root_hop, other}) {
    EXPECT_EQ(input_holder(kInput), LabelHolder::kConnection);
    remove(gone);
    EXPECT_THAT(ledger.self_check("sw"), ::testing::IsEmpty());
  }
  EXPECT_EQ(input_holder(kInput), LabelHolder::kFree);
  EXPECT_EQ(sharers(kTrunk, kInput), 0U);
}

TEST_F(LedgerBranchTest, NobodyElseMayShareIt) {
  const Label of_b = cache_one(b, kSide);
  expect_refused(ledger.set_up(b, branch(root, 1, kInput, kSide, of_b)), Cause::kForeignInputLabel,
                 kTrunk, kInput.value);
  const HopSetup other = middle(2, {}, {});
  expect_refused(ledger.set_up(a, branch(other, 1, kInput, kSide, cache_one(a, kSide))),
                 Cause::kForeignInputLabel, kTrunk, kInput.value);
  HopSetup unsaid = branch(root, 1, kInput, kSide, cache_one(a, kSide));
  unsaid.branch = false;
  unsaid.key.hop = 1;
  expect_refused(ledger.set_up(a, unsaid), Cause::kForeignInputLabel, kTrunk, kInput.value);
}

TEST_F(LedgerBranchTest, AnUnclaimedInputLabelIsForeign) {
  const Label stray = atm_label(0, 38);
  ledger.block({kTrunk, stray, kSide, atm_label(0, 39)});
  expect_refused(ledger.set_up(a, branch(root, 1, stray, kSide, cache_one(a, kSide))),
                 Cause::kForeignInputLabel, kTrunk, stray.value);
}

TEST_F(LedgerBranchTest, ABranchLeavesByAPortOfItsOwn) {
  expect_refused(ledger.set_up(a, branch(root, 1, kInput, kOut, cache_one(a))),
                 Cause::kInvalidRequest, kOut, kOut.value());
  committed(a, branch(root, 1, kInput, kSide, cache_one(a, kSide)));
  expect_refused(ledger.set_up(a, branch(root, 2, kInput, kSide, cache_one(a, kSide))),
                 Cause::kInvalidRequest, kSide, kSide.value());
}

TEST_F(LedgerBranchTest, WithNothingToBranchOffItIsUnknown) {
  const Label label = cache_one(a, kSide);
  const Label nobodys = atm_label(0, 36);
  expect_refused(ledger.set_up(a, branch(root, 1, nobodys, kSide, label)),
                 Cause::kUnknownConnection, kTrunk, nobodys.value);
  ledger.begin_removal(root_hop);
  expect_refused(ledger.set_up(a, branch(root, 1, kInput, kSide, label)), Cause::kUnknownConnection,
                 kTrunk, kInput.value);
  ledger.removed(root_hop);
  expect_refused(ledger.set_up(a, branch(root, 1, kInput, kSide, label)), Cause::kUnknownConnection,
                 kTrunk, kInput.value);
  EXPECT_EQ(holder(label, kSide), LabelHolder::kCached);
}

TEST_F(LedgerBranchTest, ALeafMayStayWhenTheFirstOneGoesAndBeBranchedOffItself) {
  committed(a, branch(root, 1, kInput, kSide, cache_one(a, kSide)));
  remove(root_hop);
  EXPECT_TRUE(ledger.set_up(a, branch(root, 2, kInput, kOut, cache_one(a))).admitted());
  EXPECT_EQ(sharers(kTrunk, kInput), 2U);
}

TEST_F(LedgerBranchTest, ABranchIsHopNoughtOfALaterLegAndNamesItsInput) {
  HopSetup wrong = branch(root, 0, kInput, kSide, cache_one(a, kSide));
  expect_refused(ledger.set_up(a, wrong), Cause::kInvalidRequest, {}, 0);
  wrong = branch(root, 1, kInput, kSide, wrong.output_label);
  wrong.key.hop = 1;
  expect_refused(ledger.set_up(a, wrong), Cause::kInvalidRequest, {}, 1);
  wrong = branch(root, 1, {}, kSide, wrong.output_label);
  expect_refused(ledger.set_up(a, wrong), Cause::kInvalidRequest, kTrunk, 0);
}

TEST_F(LedgerBranchTest, ABranchInTwoPhasesSharesFromItsCommitOn) {
  const HopSetup asked = branch(root, 1, {}, kSide, {});
  const Admission held = ledger.set_up(a, reserve(asked));
  ASSERT_TRUE(held.admitted());
  EXPECT_EQ(sharers(kTrunk, kInput), 1U);
  const Label label = ledger.hops().cross_connect(held.hop).output_label;
  EXPECT_TRUE(ledger.set_up(a, branch(root, 1, kInput, kSide, label)).admitted());
  EXPECT_EQ(sharers(kTrunk, kInput), 2U);
  EXPECT_TRUE(ledger.set_up(a, branch(root, 1, kInput, kSide, label)).repeated);
}

TEST_F(LedgerBranchTest, ACommittedReservationWhoseRootIsGoneEnds) {
  const Admission held = ledger.set_up(a, reserve(branch(root, 1, {}, kSide, {})));
  const Label label = ledger.hops().cross_connect(held.hop).output_label;
  remove(root_hop);
  expect_refused(ledger.set_up(a, branch(root, 1, kInput, kSide, label)), Cause::kUnknownConnection,
                 kTrunk, kInput.value);
  EXPECT_EQ(holder(label, kSide), LabelHolder::kCached);
}

TEST_F(LedgerBranchTest, WhatTheSwitchRefusesLeavesTheOthers) {
  const Admission leaf = ledger.set_up(a, branch(root, 1, kInput, kSide, cache_one(a, kSide)));
  ledger.undo(leaf.hop);
  EXPECT_EQ(sharers(kTrunk, kInput), 1U);
  EXPECT_EQ(input_holder(kInput), LabelHolder::kConnection);
}

TEST_F(LedgerBranchTest, TheReceiveSideIsTakenOnceAndPassesOnWithTheLabel) {
  const HopSetup caller = first(5, cache_one(a), {200, 0});
  const HopRef first_hop = committed(a, caller);
  const Label in = ledger.hops().cross_connect(first_hop).input_label;
  const HopSetup leaf = branch(caller, 1, in, kSide, cache_one(a, kSide));
  const HopRef leaf_hop = committed(a, leaf);
  const HopRef third = committed(a, branch(caller, 2, in, kTrunk, cache_one(a, kTrunk)));
  EXPECT_EQ(ingress(), 200U);
  remove(first_hop);
  EXPECT_EQ(ingress(), 200U) << "its cells still come in";
  EXPECT_EQ(
      ledger.extras().ingress(leaf_hop).has_value() + ledger.extras().ingress(third).has_value(),
      1);
  EXPECT_THAT(ledger.self_check("sw"), ::testing::IsEmpty());
  remove(leaf_hop);
  EXPECT_EQ(ingress(), 200U);
  remove(third);
  EXPECT_EQ(ingress(), 0U);
  EXPECT_EQ(input_holder(in, kIn), LabelHolder::kFree);
}

TEST_F(LedgerBranchTest, TheHeirChangesTheReceiveSide) {
  const HopSetup caller = first(5, cache_one(a), {200, 0});
  const HopRef first_hop = committed(a, caller);
  const Label in = ledger.hops().cross_connect(first_hop).input_label;
  const HopSetup leaf = branch(caller, 1, in, kSide, cache_one(a, kSide));
  const HopRef leaf_hop = committed(a, leaf);
  EXPECT_TRUE(ledger.modify(a, {leaf.key, 1, {400, 0}}).admitted());
  EXPECT_EQ(ingress(), 200U) << "the first hop's, as long as it is there";
  remove(first_hop);
  EXPECT_TRUE(ledger.modify(a, {leaf.key, 2, {300, 0}}).admitted());
  EXPECT_EQ(ingress(), 200U) << "lowering a demand takes no more";
  EXPECT_TRUE(ledger.modify(a, {leaf.key, 3, {500, 0}}).admitted());
  EXPECT_EQ(ingress(), 500U);
  expect_refused(ledger.modify(a, {leaf.key, 4, {1001, 0}}), Cause::kNoBandwidth, kSide, 1001,
                 1000);
  EXPECT_TRUE(ledger.modify(a, {leaf.key, 4, {50, 0}}).admitted());
  EXPECT_EQ(ingress(), 50U);
  remove(leaf_hop);
  EXPECT_EQ(ingress(), 0U);
}

}  // namespace
}  // namespace xbind
