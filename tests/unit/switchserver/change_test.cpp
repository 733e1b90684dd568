// The controller's handling of modifies and branches, with a switch that answers, is lost and comes
// back, and with an audit running concurrently.
#include "controller_fixture.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

using enum HopAction;

class ControllerModifyTest : public SwitchControllerTest {
 protected:
  static HopBatch modify(const HopSetup& setup, std::uint32_t revision, Resources demand) {
    HopBatch batch;
    batch.modifies = {{setup.key, revision, demand}};
    return batch;
  }
};

TEST_F(ControllerModifyTest, NeedsNoSwitch) {
  const HopSetup setup = committed(1, 40);
  const int adds = fake.adds;
  apply(modify(setup, 1, {300, 30}));
  EXPECT_THAT(result().results, ElementsAre(done(setup.key, kModify)));
  EXPECT_EQ(fake.adds, adds);
  EXPECT_EQ(controller.ledger().usage(kOut)->taken, (Resources{300, 30}));
  EXPECT_EQ(controller.counters().modifies, 1U);
  run(modify(setup, 1, {300, 30}));
  EXPECT_EQ(controller.counters().modifies, 1U);
  EXPECT_EQ(controller.counters().repeats, 1U);
}

// Batches are answered when they are complete, which may be in another order.
TEST_F(ControllerModifyTest, AnAnswerNamesTheRevisionAlsoOfARefusal) {
  const HopSetup setup = committed(1, 40);
  apply(modify(setup, 4, {300, 30}), 1);
  apply(modify(setup, 5, {1001, 10}), 2);
  const auto outputs = controller.take_outputs();
  ASSERT_EQ(outputs.results.size(), 2U);
  EXPECT_EQ(outputs.results[0].batch.results.at(0).revision, 4U);
  EXPECT_EQ(outputs.results[1].batch.results.at(0).revision, 5U);
  EXPECT_EQ(outputs.results[1].batch.results.at(0).cause, Cause::kNoBandwidth);
}

TEST_F(ControllerModifyTest, ComesBeforeTheSetupsOfItsBatch) {
  const HopSetup wide = committed(1, 40);
  run(modify(wide, 1, {1000, 10}));
  const HopSetup next = middle(2, 41, cache_one());
  HopBatch batch = modify(wide, 2, {900, 10});
  batch.setups = {next};
  batch.removals = {{wide.key, 0}};
  EXPECT_THAT(run(batch).results,
              ElementsAre(done(wide.key, kModify), removed(wide.key, wide.output_label),
                          done(next.key, HopAction::kCommit)));
}

TEST_F(ControllerModifyTest, ARefusalNamesPortAndNumbers) {
  const HopSetup setup = committed(1, 40);
  HopResult expected = refused(setup.key, kModify, Cause::kNoBandwidth, 1001);
  expected.port = kOut;
  expected.free = 1000;
  EXPECT_THAT(run(modify(setup, 1, {1001, 10})).results, ElementsAre(expected));
}

TEST_F(ControllerModifyTest, WhileTheSwitchIsAwayOnlyLessIsDone) {
  const HopSetup setup = committed(1, 40);
  session_breaks();
  EXPECT_THAT(run(modify(setup, 1, {50, 11})).results,
              ElementsAre(refused(setup.key, kModify, Cause::kSwitchUnreachable)));
  EXPECT_THAT(run(modify(setup, 1, {50, 10})).results, ElementsAre(done(setup.key, kModify)));
  EXPECT_EQ(controller.ledger().usage(kOut)->taken, (Resources{50, 10}));
}

// A refusal would overtake the answers to earlier changes, and might leave a
// contract that was never requested.
TEST_F(ControllerModifyTest, AChangeIsNeverBusy) {
  const HopSetup setup = committed(1, 40);
  SwitchController small({.name = "sw", .open_batches_max = 0}, fake);
  ASSERT_TRUE(small.attach("a", Epoch{1}).has_value());
  ASSERT_TRUE(small.apply("a", modify(setup, 1, {1, 1}), 1, now).has_value());
  EXPECT_EQ(small.take_outputs().results.at(0).batch.results.at(0).cause,
            Cause::kUnknownConnection);
}

TEST_F(ControllerModifyTest, AnAuditListsThePresentDemandAndNothingMoves) {
  const HopSetup setup = committed(1, 40);
  ASSERT_TRUE(controller.audit("a", 9).has_value());
  apply(modify(setup, 1, {300, 30}));
  fake.table.clear();
  answer_all();
  const auto report = controller.take_outputs().audits.at(0).report;
  EXPECT_EQ(report.hops.at(0).demand, (Resources{300, 30}));
  EXPECT_THAT(report.findings, IsEmpty()) << "the table had been read before";
}

class ControllerBranchTest : public SwitchControllerTest {
 protected:
  static constexpr PortId kSide{2};

  void SetUp() override {
    SwitchControllerTest::SetUp();
    fake.may_branch = [](const CrossConnect& there, const CrossConnect& added) {
      return there.output_port != added.output_port;
    };
    root = committed(1, 40);
    leaf = root;
    leaf.key = {root.key.connection, Generation{1}, 1, 0};
    leaf.branch = true;
    leaf.output_port = kSide;
    leaf.output_label = controller.grant("a", kSide, 1, {}, now)->labels.at(0);
    EXPECT_THAT(run({{leaf}, {}, {}}).results, ElementsAre(done(leaf.key, HopAction::kCommit)));
  }
  std::vector<Finding> audit() {
    EXPECT_TRUE(controller.audit("a", 9).has_value());
    answer_all();
    return controller.take_outputs().audits.at(0).report.findings;
  }
  void comes_back(bool kept) {
    session_breaks();
    controller.on_driver(driver::Up{ports(), kept}, now);
    answer_all();
  }
  HopSetup root;
  HopSetup leaf;
};

TEST_F(ControllerBranchTest, BothAreInTheSwitchAndTheAuditIsClean) {
  EXPECT_THAT(fake.table, UnorderedElementsAre(cross(root), cross(leaf)));
  EXPECT_THAT(audit(), IsEmpty());
}

TEST_F(ControllerBranchTest, RemovingOneLeavesTheOther) {
  EXPECT_THAT(run({{}, {{root.key, 0}}, {}}).results,
              ElementsAre(removed(root.key, root.output_label)));
  EXPECT_THAT(fake.table, ElementsAre(cross(leaf)));
  EXPECT_THAT(audit(), IsEmpty());
  run({{}, {{leaf.key, 0}}, {}});
  EXPECT_THAT(fake.table, IsEmpty());
  EXPECT_EQ(controller.ledger().labels().input_label(kTrunk, atm_label(0, 40))->holder,
            LabelHolder::kFree);
}

TEST_F(ControllerBranchTest, AnEmptySwitchGetsEveryBranchBack) {
  fake.table.clear();
  comes_back(false);
  EXPECT_THAT(fake.table, UnorderedElementsAre(cross(root), cross(leaf)));
  EXPECT_EQ(controller.counters().put_back, 2U);
}

TEST_F(ControllerBranchTest, OneLostBranchIsPutBackBesideTheOther) {
  fake.table.erase(cross(root));
  comes_back(true);
  EXPECT_THAT(fake.table, UnorderedElementsAre(cross(root), cross(leaf)));
  EXPECT_EQ(controller.counters().put_back, 1U);
  EXPECT_THAT(audit(), IsEmpty());
}

TEST_F(ControllerBranchTest, BesideAStrangerNothingIsPutBack) {
  CrossConnect stranger = cross(root);
  stranger.output_port = kIn;
  fake.table.erase(cross(root));
  fake.table.insert(stranger);
  comes_back(true);
  EXPECT_EQ(controller.counters().put_back, 0U);
  const auto findings = audit();
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kind, FindingKind::kChangedCrossConnect);
}

TEST_F(ControllerBranchTest, ABranchOnItsWayDownIsCleanedAwayTheOtherStays) {
  session_breaks();
  run({{}, {{leaf.key, 0}}, {}});
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  EXPECT_THAT(fake.table, ElementsAre(cross(root)));
  EXPECT_EQ(controller.ledger().hops().size(), 1U);
}

TEST_F(ControllerBranchTest, AnAuditMissesALostBranchAlsoWhileAnotherMoves) {
  fake.table.erase(cross(root));
  ASSERT_TRUE(controller.audit("a", 9).has_value());
  apply({{}, {{leaf.key, 0}}, {}});
  answer_all();
  const auto findings = controller.take_outputs().audits.at(0).report.findings;
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kind, FindingKind::kMissingCrossConnect);
}

TEST_F(ControllerBranchTest, AnAuditNamesABranchTooManyAndTheOneThatIsMissing) {
  CrossConnect extra = cross(leaf);
  extra.output_port = kIn;
  fake.table.insert(extra);
  auto findings = audit();
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kind, FindingKind::kStrayCrossConnect);
  fake.table.erase(extra);
  fake.table.erase(cross(leaf));
  findings = audit();
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kind, FindingKind::kMissingCrossConnect);
}

}  // namespace
}  // namespace xbind
