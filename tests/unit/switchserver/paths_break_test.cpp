// Make before break when the switch is lost, has lost its table, or is being read meanwhile.
#include "paths_fixture.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using enum HopAction;

// ----- the switch is lost -----

TEST_F(ControllerPathsTest, AKeptSwitchHasTheLaterOneAndNothingIsToDo) {
  commits(later);
  const int asked = fake.adds + fake.removes + fake.moves;
  comes_back(true);
  EXPECT_EQ(fake.adds + fake.removes + fake.moves, asked);
  EXPECT_TRUE(clean());
}

TEST_F(ControllerPathsTest, AnEmptySwitchGetsTheLaterOneAlone) {
  commits(later);
  comes_back(false);
  EXPECT_THAT(fake.table, ElementsAre(cross(later)));
  EXPECT_TRUE(clean());
  run(removal(later));
  EXPECT_THAT(fake.table, ElementsAre(cross(old)));
}

TEST_F(ControllerPathsTest, ASwitchThatIsBackWithTheOldOneIsMoved) {
  commits(later);
  session_breaks();
  fake.table = {cross(old)};
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  EXPECT_THAT(fake.table, ElementsAre(cross(later)));
  EXPECT_EQ(controller.counters().put_back, 1U);
  EXPECT_TRUE(clean());
}

TEST_F(ControllerPathsTest, ABreakWithTheMoveOpenEndsWithTheOldOneWhateverTheTableShows) {
  for (const bool made : {true, false}) {
    for (const bool kept : {true, false}) {
      fake.refuse_move = [&](const CrossConnect& from) {
        return !made && from == cross(old) ? std::uint8_t{18} : std::uint8_t{0};
      };
      apply(setup(later), 1);
      comes_back(kept);
      EXPECT_EQ(result_of(1), refused(later.key, kCommit, Cause::kSwitchUnreachable));
      EXPECT_THAT(fake.table, ElementsAre(cross(old))) << made << kept;
      EXPECT_EQ(controller.ledger().hops().size(), 1U);
      EXPECT_TRUE(clean());
      results.clear();
      fake.refuse_move = [](const CrossConnect&) { return std::uint8_t{0}; };
      later.output_label = cache_on(kEnd);
    }
  }
}

TEST_F(ControllerPathsTest, ABreakWithTheMoveBackOpenEndsWithTheOldOne) {
  for (const bool kept : {true, false}) {
    commits(later);
    apply(removal(later), 1);
    comes_back(kept);
    EXPECT_EQ(result_of(1), refused(later.key, kRemove, Cause::kSwitchUnreachable));
    EXPECT_THAT(fake.table, ElementsAre(cross(old))) << kept;
    EXPECT_EQ(controller.ledger().hops().size(), 1U);
    EXPECT_TRUE(clean());
    results.clear();
    later.output_label = cache_on(kEnd);
  }
}

TEST_F(ControllerPathsTest, ABreakAnswersWhoWaitsAndBothAreCleanedAway) {
  for (const bool kept : {true, false}) {
    apply(setup(later), 1);
    apply(removal(old), 2);
    session_breaks();
    EXPECT_EQ(result_of(1), refused(later.key, kCommit, Cause::kSwitchUnreachable));
    EXPECT_EQ(result_of(2), refused(old.key, kRemove, Cause::kSwitchUnreachable));
    if (!kept) fake.table.clear();
    controller.on_driver(driver::Up{ports(), kept}, now);
    answer_all();
    EXPECT_THAT(fake.table, IsEmpty());
    EXPECT_EQ(controller.ledger().hops().size(), 0U);
    EXPECT_TRUE(clean());
    (void)controller.take_outputs();
    results.clear();
    old = committed(2 + (kept ? 1 : 0), 40);
    later = take_over(old, kEnd, cache_on(kEnd));
  }
}

TEST_F(ControllerPathsTest, WhileTheSwitchIsAwayASupersededOneGoesAndTheLaterOneWaits) {
  commits(later);
  session_breaks();
  EXPECT_THAT(run(removal(old)).results, ElementsAre(removed(old.key, old.output_label)));
  EXPECT_THAT(run(removal(later)).results,
              ElementsAre(refused(later.key, kRemove, Cause::kSwitchUnreachable)));
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  EXPECT_THAT(fake.table, IsEmpty());
  EXPECT_EQ(controller.ledger().hops().size(), 0U);
}

TEST_F(ControllerPathsTest, AStrangerOnTheInputIsNotBranched) {
  commits(later);
  session_breaks();
  const CrossConnect stranger{kTrunk, old.input_label, kIn, atm_label(0, 60)};
  fake.table = {stranger};
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  EXPECT_THAT(fake.table, ElementsAre(stranger));
}

TEST_F(ControllerPathsTest, ANewPortSessionAssertsTheLaterOneAndTheOldOneWhenItIsBack) {
  commits(later);
  const int adds = fake.adds;
  controller.on_driver(driver::Ports{ports(), {kTrunk}}, now);
  answer_all();
  EXPECT_EQ(fake.adds, adds + 1);
  EXPECT_THAT(fake.table, ElementsAre(cross(later)));
  run(removal(later));
  EXPECT_THAT(fake.table, ElementsAre(cross(old)));
  EXPECT_EQ(fake.adds, adds + 2) << "once more: the new port session did not have it";
  EXPECT_TRUE(clean());
}

TEST_F(ControllerPathsTest, APortRenewedWhileATakeOverIsRefusedHasTheOldOneAssertedAgain) {
  const int adds = fake.adds;
  fake.refuse_move = [](const CrossConnect&) { return std::uint8_t{18}; };
  // --> Move Output Branch;  <-- the port has a new session;  <-- failure 18;  --> Add Branch
  apply(setup(later), 1);
  controller.on_driver(driver::Ports{ports(), {kTrunk}}, now);
  EXPECT_EQ(fake.adds, adds) << "the move is still open";
  answer();
  EXPECT_EQ(result_of(1), refused(later.key, kCommit, Cause::kSwitchRefused, 18));
  EXPECT_EQ(fake.adds, adds + 1) << "the new port session did not have the old cross-connect";
  answer_all();
  EXPECT_THAT(fake.table, ElementsAre(cross(old)));
  EXPECT_TRUE(clean());
}

TEST_F(ControllerPathsTest, AMoveRefusedForAnOldPortSessionIsAskedForAgain) {
  fake.refuse_move = [](const CrossConnect&) { return std::uint8_t{5}; };
  apply(setup(later), 1);
  fake.refuse_move = [](const CrossConnect&) { return std::uint8_t{0}; };
  auto refused_once = std::get<driver::Done>(fake.answers.front().event);
  fake.answers.pop_front();
  refused_once.again = true;
  controller.on_driver(refused_once, now);
  answer_all();
  EXPECT_EQ(result_of(1), done(later.key, kCommit));
  EXPECT_THAT(fake.table, ElementsAre(cross(later)));
}

// The switch is lost while one removal waits for the hop that has taken over: no request is sent
// before the switch is back.
TEST_F(ControllerPathsTest, NothingIsAskedBetweenTheLastAnswersAndTheBreak) {
  apply(setup(later), 1);
  apply(removal(later), 2);
  apply(removal(old), 3);
  answer(1);  // moved back; the answer to the first move is still missing
  const int removes = fake.removes;
  session_breaks();
  EXPECT_EQ(fake.removes, removes);
  EXPECT_EQ(result_of(3), refused(old.key, HopAction::kRemove, Cause::kSwitchUnreachable));
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  EXPECT_THAT(fake.table, IsEmpty());
  EXPECT_EQ(controller.ledger().hops().size(), 0U);
  EXPECT_EQ(controller.counters().unexpected_answers, 0U);
}

// ----- audits meanwhile -----

TEST_F(ControllerPathsTest, AnAuditDoesNotJudgeWhatIsBeingMoved) {
  ASSERT_TRUE(controller.audit("a", 9).has_value());  // reads the old cross-connect
  apply(setup(later), 1);
  answer(1);
  apply(removal(old), 2);
  answer_all();
  auto audits = controller.take_outputs().audits;
  ASSERT_EQ(audits.size(), 1U);
  EXPECT_THAT(audits[0].report.findings, IsEmpty());
}

TEST_F(ControllerPathsTest, AnAuditBegunWithTheMoveOpenDoesNotExpectTheOldOne) {
  apply(setup(later), 1);
  ASSERT_TRUE(controller.audit("a", 9).has_value());
  answer(1);
  const auto audits = controller.take_outputs().audits;
  ASSERT_EQ(audits.size(), 1U);
  EXPECT_THAT(audits[0].report.findings, IsEmpty());
  EXPECT_EQ(audits[0].report.hops.size(), 2U);
  answer_all();
}

TEST_F(ControllerPathsTest, AnAuditFindsASwitchThatHasTheOldOneInstead) {
  commits(later);
  fake.table = {cross(old)};
  const auto findings = audit();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::kChangedCrossConnect);
}

}  // namespace
}  // namespace xbind
