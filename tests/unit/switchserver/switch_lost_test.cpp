// The switch is lost when a commit and the removal behind it are half answered.
#include "controller_fixture.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SwitchLostTest : public SwitchControllerTest {
 protected:
  // manager --> commit, removal;  --> Add Branch, Delete Branches;  <-- the answer to the delete
  void SetUp() override {
    SwitchControllerTest::SetUp();
    setup = middle(1, 40, cache_one());
    apply({{setup}, {}, {}}, 1);
    apply({{}, {{setup.key, 0}}, {}}, 2);
    ASSERT_THAT(fake.answers, SizeIs(2));
    answer(1);
    EXPECT_TRUE(no_results()) << "the add may still be refused";
    EXPECT_THAT(fake.table, IsEmpty());
  }
  // The commit's result is unknown, the removal is done: the delete was behind the add.
  void expect_both_answered() {
    auto outputs = controller.take_outputs();
    ASSERT_THAT(outputs.results, SizeIs(2));
    EXPECT_EQ(outputs.results[0].token, 1U);
    EXPECT_THAT(outputs.results[0].batch.results,
                ElementsAre(refused(setup.key, HopAction::kCommit, Cause::kSwitchUnreachable)));
    EXPECT_EQ(outputs.results[1].token, 2U);
    EXPECT_THAT(outputs.results[1].batch.results,
                ElementsAre(removed(setup.key, setup.output_label)));
    EXPECT_EQ(controller.ledger().hops().size(), 0U);
    EXPECT_EQ(holder(setup.output_label), LabelHolder::kQuarantine);
  }
  HopSetup setup;
};

TEST_F(SwitchLostTest, ADeleteAnsweredAndAnAddOpenEndTheHop) {
  session_breaks();
  expect_both_answered();
  const int removes = fake.removes;
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  EXPECT_EQ(fake.removes, removes) << "nothing is left to be deleted";
  EXPECT_EQ(controller.counters().unexpected_answers, 0U);
}

TEST_F(SwitchLostTest, TheSameWhenTheDriverForgetsToAnswer) {
  fake.answers.clear();
  controller.on_driver(driver::Down{"the session broke"}, now);
  expect_both_answered();
}

TEST_F(SwitchLostTest, TheLabelCanBeUsedAgainAtOnce) {
  session_breaks();
  expect_both_answered();
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  (void)controller.take_outputs();
  const HopSetup next = middle(2, 40, setup.output_label);
  EXPECT_THAT(run({{next}, {}, {}}).results, ElementsAre(done(next.key, HopAction::kCommit)));
  EXPECT_THAT(fake.table, ElementsAre(cross(next)));
}

// A table that could not be read is also read again with the next commands.
using TableUnreadTest = SwitchControllerTest;

TEST_F(TableUnreadTest, CommandsThatComeWhenItIsTimeHaveTheTableReadAgain) {
  session_breaks();
  fake.table_cause = Cause::kTimeout;
  controller.on_driver(driver::Up{ports(), true}, now);
  answer();
  ASSERT_THAT(fake.answers, IsEmpty());
  now = controller.wake_at();
  fake.table_cause = Cause::kNone;
  apply({{middle(1, 40, {})}, {}, {}});
  EXPECT_EQ(result().results.at(0).cause, Cause::kSwitchUnreachable);
  ASSERT_THAT(fake.answers, SizeIs(1));
  answer();
  EXPECT_TRUE(controller.up());
}

}  // namespace
}  // namespace xbind
