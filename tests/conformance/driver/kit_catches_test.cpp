// Checks that the kit can fail: each mistake of a driver has stories that catch it, and each story
// catches at least one mistake.
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include <map>
#include <set>
#include <string>

#include "tests/conformance/driver/faulty_driver.hpp"
#include "tests/conformance/driver/stories.hpp"

namespace xbind::driver_kit {
namespace {

using testing::Contains;
using testing::IsEmpty;

// How often the story fails with a driver that has the mistake. GoogleTest does not report these
// failures.
int failures(const Story& story, MakeRig make, const Wrap& wrap) {
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter silent(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    const std::unique_ptr<Rig> rig = make();
    Stage stage(*rig, wrap);
    story.run(stage);
    stage.expect_all_answered();
  }
  return results.size();
}

std::set<std::string> caught_by(Mistake mistake, MakeRig make) {
  const Wrap wrap = [mistake](std::unique_ptr<RunningDriver> good) {
    return with_mistake(mistake, std::move(good));
  };
  std::set<std::string> stories;
  for (const Story& story : all_stories()) {
    if (failures(story, make, wrap) > 0) stories.insert(story.name);
  }
  return stories;
}

// The story meant to catch each mistake. Others may fail as well.
const std::map<Mistake, std::string> kCatches{
    {Mistake::kAnswersTwice, "an_add_a_move_and_a_remove_are_done"},
    {Mistake::kForgetsAnAnswer, "a_thousand_adds_of_one_flush_are_all_answered"},
    {Mistake::kWrongCookie, "an_add_a_move_and_a_remove_are_done"},
    {Mistake::kAddsBeforeRemoves, "requests_of_one_flush_take_effect_in_their_order"},
    {Mistake::kWritesEachRequest, "a_thousand_adds_of_one_flush_are_all_answered"},
    {Mistake::kRefusesRepeatedAdd, "adding_what_is_there_is_done"},
    {Mistake::kRefusesAbsentRemove, "removing_what_is_not_there_is_done"},
    {Mistake::kMovesByAdding, "an_add_a_move_and_a_remove_are_done"},
    {Mistake::kHidesAbsence, "moving_what_is_not_there_is_refused_as_absent"},
    {Mistake::kSaysAbsentAlways, "a_refused_move_leaves_everything"},
    {Mistake::kHidesRefusals, "refusals_carry_their_code_and_are_of_those_that_were_refused"},
    {Mistake::kLosesCodes, "refusals_carry_their_code_and_are_of_those_that_were_refused"},
    {Mistake::kRemovesWholeInputs, "branches_come_and_go_one_by_one"},
    {Mistake::kOneInputAnOutput, "two_inputs_may_lead_to_one_output"},
    {Mistake::kAnyLabelWillDo, "a_label_of_another_kind_is_refused"},
    {Mistake::kDropsContracts, "a_contract_is_kept_to_where_the_switch_serves_it"},
    {Mistake::kHidesAPort, "the_switch_comes_up_with_its_ports"},
    {Mistake::kDownFirst, "a_lost_channel_answers_all_open_requests_before_down"},
    {Mistake::kLosesWhatWasQueued, "a_lost_channel_answers_all_open_requests_before_down"},
    {Mistake::kSilentWhileDown, "requests_while_the_switch_is_away_are_unreachable"},
    {Mistake::kKeepsRequestsForLater, "requests_while_the_switch_is_away_are_unreachable"},
    {Mistake::kNeverKept, "a_switch_that_kept_its_table_says_so"},
    {Mistake::kAlwaysKept, "a_switch_that_starts_empty_says_so"},
    {Mistake::kNeverTimesOut, "a_request_that_the_switch_never_answers_times_out"},
    {Mistake::kTimesOutEarly, "a_request_that_the_switch_never_answers_times_out"},
    {Mistake::kAnswersAfterTimeout, "an_answer_after_its_timeout_changes_nothing"},
    {Mistake::kNoReason, "a_lost_channel_answers_all_open_requests_before_down"},
    {Mistake::kShortTable, "the_table_is_what_was_added"},
    {Mistake::kOwnTable, "what_a_stranger_has_added_is_listed_too"},
    {Mistake::kTableOfOldPlaces, "a_moved_one_is_listed_where_it_is"},
    {Mistake::kInventsEntries, "an_empty_table_is_read_as_empty"},
    {Mistake::kCountsThePort, "counters_of_a_port_and_of_a_connection"},
    {Mistake::kNothingRenewed, "a_port_that_another_brings_up_is_renewed"},
    {Mistake::kLinesStayUp, "a_line_that_goes_down_and_comes_up_is_reported_and_renewed"},
    {Mistake::kWakesAfterItsEnd, "nothing_comes_of_a_driver_that_has_ended"},
};

TEST(KitCatches, EveryMistakeByTheStoryThatIsThereForIt) {
  for (const NamedMistake& mistake : mistakes()) {
    const auto wanted = kCatches.find(mistake.mistake);
    ASSERT_NE(wanted, kCatches.end()) << mistake.name;
    EXPECT_THAT(caught_by(mistake.mistake, make_mpls_rig), Contains(wanted->second))
        << mistake.name;
  }
}

TEST(KitCatches, TheSameMistakesInFrontOfAnotherSwitch) {
  for (const NamedMistake& mistake : mistakes()) {
    EXPECT_THAT(caught_by(mistake.mistake, make_gsmp_v3_rig),
                Contains(kCatches.at(mistake.mistake)))
        << mistake.name;
  }
}

TEST(KitCatches, EveryStoryCatchesSomething) {
  std::set<std::string> idle;
  for (const Story& story : all_stories()) idle.insert(story.name);
  for (const NamedMistake& mistake : mistakes()) {
    for (const std::string& story : caught_by(mistake.mistake, make_mpls_rig)) idle.erase(story);
  }
  EXPECT_THAT(idle, IsEmpty());
}

TEST(KitCatches, NothingWhereNothingIsWrong) {
  const Wrap wrap = [](std::unique_ptr<RunningDriver> good) { return good; };
  for (const Story& story : all_stories()) {
    EXPECT_EQ(failures(story, make_mpls_rig, wrap), 0) << story.name;
  }
}

}  // namespace
}  // namespace xbind::driver_kit
