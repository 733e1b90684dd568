// Make before break in the controller: its requests to the switch where the paths part and where
// they meet, in any order of removal, and when the switch refuses, is lost or has lost its table.
#include "paths_fixture.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using enum HopAction;

// ----- where the paths part -----

TEST_F(ControllerPathsTest, ATakeOverIsAMoveAndTheOldOneGoesWithoutAWord) {
  const int adds = fake.adds;
  EXPECT_THAT(run(setup(later)).results, ElementsAre(done(later.key, kCommit)));
  EXPECT_THAT(fake.table, ElementsAre(cross(later)));
  EXPECT_EQ(fake.adds, adds);
  EXPECT_EQ(fake.moves, 1);
  EXPECT_TRUE(clean());
  const int asked = fake.flushes;
  EXPECT_THAT(run(removal(old)).results, ElementsAre(removed(old.key, old.output_label)));
  EXPECT_EQ(fake.flushes, asked);
  EXPECT_THAT(fake.table, ElementsAre(cross(later)));
  EXPECT_EQ(holder(old.output_label), LabelHolder::kQuarantine);
  EXPECT_TRUE(clean());
  EXPECT_THAT(run(removal(later)).results, ElementsAre(removed(later.key, later.output_label)));
  EXPECT_THAT(fake.table, IsEmpty());
  EXPECT_EQ(controller.counters().taken_over, 1U);
  EXPECT_EQ(controller.counters().moved_back, 0U);
}

TEST_F(ControllerPathsTest, TheContractGoesWithTheMove) {
  later.contract = old.contract;
  HopSetup with_contract = middle(2, 41, cache_one());
  with_contract.contract = {ServiceCategory::kCbr, 70, 0};
  commits(with_contract);
  const HopSetup next = take_over(with_contract, kEnd, cache_on(kEnd));
  commits(next);
  EXPECT_EQ(fake.contracts.at(cross(next)), with_contract.contract);
}

TEST_F(ControllerPathsTest, TheLaterOneIsRemovedByAMoveBack) {
  commits(later);
  EXPECT_THAT(run(removal(later)).results, ElementsAre(removed(later.key, later.output_label)));
  EXPECT_THAT(fake.table, ElementsAre(cross(old)));
  EXPECT_EQ(fake.moves, 2);
  EXPECT_EQ(controller.counters().moved_back, 1U);
  EXPECT_TRUE(clean());
  EXPECT_THAT(run(removal(old)).results, ElementsAre(removed(old.key, old.output_label)));
  EXPECT_THAT(fake.table, IsEmpty());
}

TEST_F(ControllerPathsTest, ARefusedMoveLeavesTheOldOneAsItWas) {
  fake.refuse_move = [](const CrossConnect&) { return std::uint8_t{18}; };
  EXPECT_THAT(run(setup(later)).results,
              ElementsAre(refused(later.key, kCommit, Cause::kSwitchRefused, 18)));
  EXPECT_THAT(fake.table, ElementsAre(cross(old)));
  EXPECT_TRUE(clean());
  EXPECT_EQ(controller.ledger().hops().size(), 1U);
  fake.refuse_move = [](const CrossConnect&) { return std::uint8_t{0}; };
  commits(later);
}

TEST_F(ControllerPathsTest, TheOldOnesRemovalWaitsForTheMoveAndIsThenDone) {
  apply(setup(later), 1);
  apply(removal(old), 2);
  EXPECT_FALSE(answered(2));
  answer();
  EXPECT_EQ(result_of(1).cause, Cause::kNone);
  EXPECT_EQ(result_of(2), removed(old.key, old.output_label));
  EXPECT_THAT(fake.table, ElementsAre(cross(later)));
  EXPECT_EQ(fake.removes, 0);
  EXPECT_TRUE(clean());
}

TEST_F(ControllerPathsTest, TheOldOnesRemovalFollowsARefusedMove) {
  fake.refuse_move = [](const CrossConnect&) { return std::uint8_t{18}; };
  apply(setup(later), 1);
  apply(removal(old), 2);
  answer();
  EXPECT_EQ(result_of(1).cause, Cause::kSwitchRefused);
  EXPECT_FALSE(answered(2));
  answer_all();
  EXPECT_EQ(result_of(2), removed(old.key, old.output_label));
  EXPECT_THAT(fake.table, IsEmpty());
  EXPECT_EQ(controller.ledger().hops().size(), 0U);
}

TEST_F(ControllerPathsTest, TheOldOnesRemovalFollowsTheMoveBack) {
  commits(later);
  apply(removal(later), 1);
  apply(removal(old), 2);
  EXPECT_FALSE(answered(1));
  answer();
  EXPECT_EQ(result_of(1), removed(later.key, later.output_label));
  EXPECT_FALSE(answered(2));
  EXPECT_THAT(fake.table, IsEmpty());  // deleted already, not answered yet
  answer_all();
  EXPECT_EQ(result_of(2), removed(old.key, old.output_label));
  EXPECT_EQ(controller.ledger().hops().size(), 0U);
}

TEST_F(ControllerPathsTest, ARefusedMoveBackIsAskedForAgainByWhicheverRemovalComes) {
  commits(later);
  fake.refuse_move = [](const CrossConnect&) { return std::uint8_t{3}; };
  apply(removal(later), 1);
  apply(removal(old), 2);
  answer_all();
  EXPECT_EQ(result_of(1), refused(later.key, kRemove, Cause::kSwitchRefused, 3));
  EXPECT_EQ(result_of(2), refused(old.key, kRemove, Cause::kSwitchRefused, 3)) << "it had to wait";
  fake.refuse_move = [](const CrossConnect&) { return std::uint8_t{0}; };
  apply(removal(old), 3);  // the other hop is to be removed as well, so both are deleted
  answer_all();
  EXPECT_EQ(result_of(3), removed(old.key, old.output_label));
  EXPECT_EQ(controller.ledger().hops().size(), 0U);
  EXPECT_THAT(fake.table, IsEmpty());
}

TEST_F(ControllerPathsTest, ACommitThatIsRemovedBeforeItsAnswerMovesThereAndBack) {
  apply(setup(later), 1);
  apply(removal(later), 2);
  EXPECT_EQ(fake.moves, 2);
  answer_all();
  EXPECT_EQ(result_of(1).cause, Cause::kNone);
  EXPECT_EQ(result_of(2), removed(later.key, later.output_label));
  EXPECT_THAT(fake.table, ElementsAre(cross(old)));
  EXPECT_TRUE(clean());
}

TEST_F(ControllerPathsTest, ACommitThatIsRefusedAndRemovedLeavesTheOldOne) {
  fake.refuse_move = [](const CrossConnect&) { return std::uint8_t{18}; };
  for (const bool backwards : {false, true}) {
    apply(setup(later), 1);
    apply(removal(later), 2);
    if (backwards) answer(1);
    answer_all();
    EXPECT_EQ(result_of(1).cause, Cause::kSwitchRefused);
    EXPECT_EQ(result_of(2).cause, Cause::kNone);
    EXPECT_THAT(fake.table, ElementsAre(cross(old)));
    EXPECT_TRUE(clean());
    results.clear();
    later.output_label = cache_on(kEnd);
  }
}

TEST_F(ControllerPathsTest, AMoveThatIsNotAnsweredIsTakenBack) {
  apply(setup(later), 1);
  answer_with(Cause::kTimeout);
  EXPECT_EQ(result_of(1), refused(later.key, kCommit, Cause::kTimeout));
  EXPECT_EQ(fake.moves, 2);
  answer_all();
  EXPECT_THAT(fake.table, ElementsAre(cross(old)));
  EXPECT_EQ(controller.ledger().hops().size(), 1U);
  EXPECT_TRUE(clean());
}

TEST_F(ControllerPathsTest, AMoveThatIsNotAnsweredMayNotHaveBeenMade) {
  fake.refuse_move = [&](const CrossConnect& from) {
    return from == cross(old) ? std::uint8_t{18} : std::uint8_t{0};
  };
  apply(setup(later), 1);
  answer_with(Cause::kTimeout);
  answer_all();  // the move had not been made: the old one is added, which changes nothing
  EXPECT_THAT(fake.table, ElementsAre(cross(old)));
  EXPECT_EQ(controller.ledger().hops().size(), 1U);
  EXPECT_EQ(controller.counters().put_back, 1U);
  EXPECT_TRUE(clean());
}

TEST_F(ControllerPathsTest, WithBothToGoAnUnansweredMoveEndsInTwoDeletes) {
  for (const bool made : {true, false}) {
    fake.refuse_move = [=](const CrossConnect&) {
      return made ? std::uint8_t{0} : std::uint8_t{18};
    };
    apply(setup(later), 1);
    apply(removal(old), 2);
    answer_with(Cause::kTimeout);
    answer_all();
    EXPECT_EQ(result_of(2), removed(old.key, old.output_label));
    EXPECT_THAT(fake.table, IsEmpty());
    EXPECT_EQ(controller.ledger().hops().size(), 0U);
    results.clear();
    old = committed(2, 40);
    later = take_over(old, kEnd, cache_on(kEnd));
  }
}

TEST_F(ControllerPathsTest, ThreeGenerationsAndTheMiddleOneGoes) {
  commits(later);
  const HopSetup third = take_over(later, kIn, cache_on(kIn));
  commits(third);
  EXPECT_THAT(fake.table, ElementsAre(cross(third)));
  EXPECT_TRUE(clean());
  EXPECT_THAT(run(removal(later)).results, ElementsAre(removed(later.key, later.output_label)));
  EXPECT_TRUE(clean());
  EXPECT_THAT(run(removal(third)).results, ElementsAre(removed(third.key, third.output_label)));
  EXPECT_THAT(fake.table, ElementsAre(cross(old)));
  EXPECT_TRUE(clean());
}

TEST_F(ControllerPathsTest, AllThreeGoAtOnceFromAbove) {
  commits(later);
  const HopSetup third = take_over(later, kIn, cache_on(kIn));
  commits(third);
  apply(removal(third), 1);
  apply(removal(later), 2);
  apply(removal(old), 3);
  answer_all();
  EXPECT_EQ(result_of(1), removed(third.key, third.output_label));
  EXPECT_EQ(result_of(2), removed(later.key, later.output_label));
  EXPECT_EQ(result_of(3), removed(old.key, old.output_label));
  EXPECT_THAT(fake.table, IsEmpty());
  EXPECT_EQ(controller.ledger().hops().size(), 0U);
}

TEST_F(ControllerPathsTest, BothGoWhileTheThirdIsOnItsWay) {
  commits(later);
  const HopSetup third = take_over(later, kIn, cache_on(kIn));
  apply(setup(third), 1);
  apply(removal(later), 2);
  apply(removal(old), 3);
  answer_all();
  EXPECT_EQ(result_of(1).cause, Cause::kNone);
  EXPECT_EQ(result_of(2), removed(later.key, later.output_label));
  EXPECT_EQ(result_of(3), removed(old.key, old.output_label));
  EXPECT_THAT(fake.table, ElementsAre(cross(third)));
  EXPECT_TRUE(clean());
}

TEST_F(ControllerPathsTest, AModifyMeanwhileIsRefusedByName) {
  commits(later);
  HopBatch batch;
  batch.modifies = {{old.key, 1, {50, 5}}, {later.key, 1, {50, 5}}};
  EXPECT_THAT(run(batch).results,
              ElementsAre(refused(old.key, HopAction::kModify, Cause::kChangeUnderWay, 1),
                          refused(later.key, HopAction::kModify, Cause::kChangeUnderWay, 1)));
  run(removal(old));
  EXPECT_THAT(run([&] {
                HopBatch again;
                again.modifies = {{later.key, 1, {50, 5}}};
                return again;
              }())
                  .results,
              ElementsAre(done(later.key, HopAction::kModify)));
}

TEST_F(ControllerPathsTest, TheFirstSwitchNamesTheIngressLabelAgain) {
  const HopSetup caller = [&] {
    HopSetup first = middle(5, 0, cache_one());
    first.key.hop = 0;
    first.input_port = kIn;
    first.input_label = {};
    return first;
  }();
  const Label ingress = run(setup(caller)).results.at(0).input_label;
  HopSetup next = take_over(caller, kEnd, cache_on(kEnd));
  next.input_label = ingress;
  HopResult expected = done(next.key, kCommit);
  expected.input_label = ingress;
  EXPECT_THAT(run(setup(next)).results, ElementsAre(expected));
  EXPECT_EQ(controller.ledger().usage(kIn)->ingress_cells_per_s, 100U);
  run(removal(caller));
  EXPECT_EQ(controller.ledger().usage(kIn)->ingress_cells_per_s, 100U);
  EXPECT_TRUE(clean());
}

// ----- where they meet again -----

TEST_F(ControllerPathsTest, AJoinerIsAddedTheOldOneDeletedAndTheLabelStays) {
  const HopSetup meets = join(old, kEnd, 50);
  EXPECT_THAT(run(setup(meets)).results, ElementsAre(done(meets.key, kCommit)));
  EXPECT_THAT(fake.table, UnorderedElementsAre(cross(old), cross(meets)));
  EXPECT_TRUE(clean());
  EXPECT_EQ(controller.ledger().usage(kOut)->taken, (Resources{100, 10}));
  EXPECT_THAT(run(removal(old)).results, ElementsAre(done(old.key, kRemove))) << "no label rests";
  EXPECT_THAT(fake.table, ElementsAre(cross(meets)));
  EXPECT_EQ(holder(old.output_label), LabelHolder::kConnection);
  EXPECT_TRUE(clean());
  EXPECT_THAT(run(removal(meets)).results, ElementsAre(removed(meets.key, old.output_label)));
  EXPECT_EQ(holder(old.output_label), LabelHolder::kQuarantine);
}

TEST_F(ControllerPathsTest, AJoinerThatIsRefusedOrTakenBackLeavesTheOldOne) {
  const HopSetup meets = join(old, kEnd, 50);
  fake.refuse_add = [](const CrossConnect&) { return std::uint8_t{18}; };
  EXPECT_THAT(run(setup(meets)).results,
              ElementsAre(refused(meets.key, kCommit, Cause::kSwitchRefused, 18)));
  fake.refuse_add = [](const CrossConnect&) { return std::uint8_t{0}; };
  EXPECT_TRUE(clean());
  commits(meets);
  EXPECT_THAT(run(removal(meets)).results, ElementsAre(done(meets.key, kRemove)));
  EXPECT_THAT(fake.table, ElementsAre(cross(old)));
  EXPECT_TRUE(clean());
}

TEST_F(ControllerPathsTest, AuditsAreOpenUpToABound) {
  const std::size_t most = SwitchControllerOptions{}.open_audits_max;
  for (std::size_t token = 1; token <= most; ++token) {
    ASSERT_TRUE(controller.audit("a", token).has_value()) << token;
  }
  EXPECT_EQ(controller.audit("a", most + 1).error().code, ErrorCode::kExhausted);
  answer();
  EXPECT_TRUE(controller.audit("a", most + 1).has_value());
  answer_all();
  EXPECT_EQ(controller.take_outputs().audits.size(), most + 1);
}

// Whichever of the two entries the table shows, it was right when it was read.
TEST_F(ControllerPathsTest, AnAuditDuringATakeOverFindsNothing) {
  for (const bool read_before : {true, false}) {
    for (const bool answered_before : {true, false}) {
      SCOPED_TRACE(testing::Message() << read_before << answered_before);
      if (!read_before) apply(setup(later), 2);
      EXPECT_TRUE(controller.audit("a", 9).has_value());
      if (read_before) apply(setup(later), 2);
      ASSERT_EQ(fake.answers.size(), 2U);
      answer(read_before == answered_before ? 1 : 0);
      answer();
      const auto outputs = controller.take_outputs();
      ASSERT_EQ(outputs.audits.size(), 1U);
      EXPECT_THAT(outputs.audits[0].report.findings, IsEmpty());
      EXPECT_EQ(run(removal(later)).results.at(0).cause, Cause::kNone);
      ASSERT_TRUE(controller.give_back("a", {kEnd, {later.output_label}}, {}).has_value());
      later = take_over(old, kEnd, cache_on(kEnd));
      later.key.generation = Generation{later.key.generation.value() + 1};
    }
  }
}

TEST_F(ControllerPathsTest, BothInputsAreBackAfterARestart) {
  const HopSetup meets = join(old, kEnd, 50);
  commits(meets);
  comes_back(false);
  EXPECT_THAT(fake.table, UnorderedElementsAre(cross(old), cross(meets)));
  EXPECT_TRUE(clean());
}

TEST_F(ControllerPathsTest, AtTheLastSwitchTheEgressLabelStays) {
  HopSetup end = whole_path(3);
  end.key.hop = 1;
  end.hop_count = 2;
  end.input_port = kTrunk;
  end.input_label = atm_label(0, 45);
  const Label egress = run(setup(end)).results.at(0).output_label;
  HopSetup meets = join(end, kOut, 51);
  meets.output_label = egress;
  HopResult expected = done(meets.key, kCommit);
  expected.output_label = egress;
  EXPECT_THAT(run(setup(meets)).results, ElementsAre(expected));
  run(removal(end));
  EXPECT_TRUE(clean());
  run(removal(meets));
  EXPECT_EQ(controller.ledger().labels().output_label(kEnd, egress)->holder, LabelHolder::kFree);
}

// A complete change of path at a switch where the paths part and at one where they meet, then
// undone after the take-over has succeeded.
TEST_F(ControllerPathsTest, TheUndoingComesInAnyOrder) {
  const HopSetup end = committed(1 + 100, 46);
  const HopSetup meets = join(end, kEnd, 50);
  commits(meets);
  commits(later);
  apply(removal(meets), 1);
  apply(removal(later), 2);
  answer(1);
  answer_all();
  EXPECT_EQ(result_of(1), done(meets.key, kRemove));
  EXPECT_EQ(result_of(2), removed(later.key, later.output_label));
  EXPECT_THAT(fake.table, UnorderedElementsAre(cross(old), cross(end)));
  EXPECT_TRUE(clean());
}

}  // namespace
}  // namespace xbind
