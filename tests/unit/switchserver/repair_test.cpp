// What an audit has found is repaired after a second look.
#include "paths_fixture.hpp"
#include "switchserver/ledger_tamper.hpp"

namespace xbind {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class RepairTest : public ControllerPathsTest {
 protected:
  // Repairs what is among `seen`; the number of findings that it acts on.
  std::size_t repair(std::vector<Finding> seen) {
    EXPECT_TRUE(controller.repair(std::move(seen), 77, now).has_value());
    answer_all();  // the table
    answer_all();  // removals
    answer_all();  // what is put back
    SwitchController::Outputs outputs = controller.take_outputs();
    EXPECT_THAT(outputs.audits, SizeIs(1));
    return outputs.audits.empty() ? 99 : outputs.audits[0].report.repaired;
  }
  const CrossConnect stray{kTrunk, atm_label(0, 60), kEnd, atm_label(0, 61)};
};

TEST_F(RepairTest, AStrayIsRemovedAndItsLabelsAreFree) {
  fake.table.insert(stray);
  const auto seen = audit();
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(repair(seen), 1U);
  EXPECT_FALSE(fake.table.contains(stray));
  EXPECT_TRUE(fake.table.contains(cross(old)));
  EXPECT_THAT(audit(), IsEmpty());
  EXPECT_EQ(controller.counters().strays_removed, 1U);
}

TEST_F(RepairTest, WhatTheFirstLookHasNotFoundIsLeftAlone) {
  fake.table.insert(stray);
  EXPECT_EQ(repair({}), 0U);
  EXPECT_TRUE(fake.table.contains(stray));
}

TEST_F(RepairTest, WhatTheSecondLookDoesNotFindAnyMoreIsLeftAlone) {
  fake.table.insert(stray);
  const auto seen = audit();
  fake.table.erase(stray);
  EXPECT_EQ(repair(seen), 0U);
  EXPECT_EQ(controller.counters().strays_removed, 0U);
}

TEST_F(RepairTest, ABranchOfALiveInputIsRemovedAlone) {
  const CrossConnect branch{old.input_port, old.input_label, kEnd, atm_label(0, 61)};
  fake.table.insert(branch);
  EXPECT_EQ(repair(audit()), 1U);
  EXPECT_FALSE(fake.table.contains(branch));
  EXPECT_TRUE(fake.table.contains(cross(old)));
}

TEST_F(RepairTest, WhatTheSwitchLacksIsPutBack) {
  fake.table.erase(cross(old));
  EXPECT_EQ(repair(audit()), 1U);
  EXPECT_TRUE(fake.table.contains(cross(old)));
  EXPECT_THAT(audit(), IsEmpty());
}

TEST_F(RepairTest, AChangedEntryIsReplaced) {
  CrossConnect changed = cross(old);
  changed.output_label = atm_label(0, 61);
  fake.table.erase(cross(old));
  fake.table.insert(changed);
  EXPECT_EQ(repair(audit()), 1U);
  EXPECT_TRUE(fake.table.contains(cross(old)));
  EXPECT_FALSE(fake.table.contains(changed));
}

TEST_F(RepairTest, ALostLabelAndWrongAccountsAreMadeAnew) {
  LedgerTamper tamper(controller);
  const Label lost = tamper.withhold_label(kOut);
  tamper.falsify_bandwidth(kOut, {1234, 5});
  tamper.falsify_ingress(kIn, 99);
  const auto usage = controller.ledger().usage(kOut);
  const auto seen = audit();
  EXPECT_THAT(seen, SizeIs(3));
  EXPECT_EQ(repair(seen), 3U);
  EXPECT_THAT(audit(), IsEmpty());
  EXPECT_EQ(holder(lost), LabelHolder::kFree);
  EXPECT_EQ(controller.ledger().usage(kOut)->taken.cells_per_s, usage->taken.cells_per_s - 1234);
  EXPECT_EQ(run(removal(old)).results.at(0).cause, Cause::kNone) << "the hop is as before";
}

TEST_F(RepairTest, SharedLabelsKeepTheirHops) {
  ASSERT_EQ(run({{later}, {}, {}}).results.at(0).cause, Cause::kNone);
  const auto taken = controller.ledger().usage(kOut)->taken;
  LedgerTamper(controller).falsify_bandwidth(kOut, {1, 0});
  EXPECT_EQ(repair(audit()), 1U);
  EXPECT_EQ(controller.ledger().usage(kOut)->taken, taken);
  EXPECT_THAT(audit(), IsEmpty());
  EXPECT_TRUE(clean());
}

}  // namespace
}  // namespace xbind
