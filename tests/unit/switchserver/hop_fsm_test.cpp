// The table of a hop at its switch. docs/call-states.md shows it (procedure_fsms_test.cpp); the
// simulator meets every row (tests/sim/sim_test.cpp).
#include "switchserver/ledger/hop_fsm.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace xbind {
namespace {

using HopState = HopFsm::State;
using HopEvent = HopFsm::Event;

template <class Visit>
void for_each_row(Visit&& visit) {
  for (std::size_t s = 0; s < HopFsm::kStates; ++s) {
    for (std::size_t e = 0; e < HopFsm::kEvents; ++e) {
      const auto state = static_cast<HopState>(s);
      const auto event = static_cast<HopEvent>(e);
      if (const auto step = HopFsm::step(state, event)) visit(state, event, *step);
    }
  }
}

bool allows(HopState state, HopEvent event) { return HopFsm::step(state, event).has_value(); }

bool is_answer_to_add(HopEvent event) {
  return event == HopEvent::kAdded || event == HopEvent::kAddRefused ||
         event == HopEvent::kAddUnanswered || event == HopEvent::kAddLost;
}

bool is_answer_to_delete(HopEvent event) {
  return event == HopEvent::kDeleted || event == HopEvent::kDeletedNothing ||
         event == HopEvent::kDeleteFailed;
}

TEST(HopFsmTest, EveryStateButTheFirstIsReachedAndEveryOneButTheLastIsLeft) {
  std::set<HopState> reached{HopState::kReserved};
  std::set<HopState> left;
  for_each_row([&](HopState state, HopEvent, HopFsm::Step step) {
    reached.insert(step.next);
    left.insert(state);
  });
  EXPECT_EQ(reached.size(), HopFsm::kStates);
  EXPECT_EQ(left.size(), HopFsm::kStates - 1);
  EXPECT_FALSE(left.contains(HopState::kGone));
}

TEST(HopFsmTest, AnOpenRequestTakesEveryAnswerAndNothingElseTakesOne) {
  for (std::size_t s = 0; s < HopFsm::kStates; ++s) {
    const auto state = static_cast<HopState>(s);
    for (std::size_t e = 0; e < HopFsm::kEvents; ++e) {
      const auto event = static_cast<HopEvent>(e);
      if (is_answer_to_add(event)) {
        EXPECT_EQ(allows(state, event), HopFsm::add_open(state)) << HopFsm::name(state);
      } else if (is_answer_to_delete(event)) {
        EXPECT_EQ(allows(state, event), HopFsm::delete_open(state)) << HopFsm::name(state);
      }
    }
    EXPECT_EQ(allows(state, HopEvent::kDeleteAgain), HopFsm::delete_open(state));
    EXPECT_EQ(allows(state, HopEvent::kDelete), HopFsm::delete_due(state));
    EXPECT_EQ(allows(state, HopEvent::kMoveBack), HopFsm::delete_due(state));
    EXPECT_EQ(allows(state, HopEvent::kSendAgain), HopFsm::settled(state));
    EXPECT_EQ(allows(state, HopEvent::kChange), HopFsm::settled(state));
  }
}

// An answer closes the request that it answers, and only that.
TEST(HopFsmTest, WhatIsOpenIsWhatWasSentAndNotAnswered) {
  for_each_row([](HopState state, HopEvent event, HopFsm::Step step) {
    if (step.next == HopState::kGone) return;
    const bool sends_add =
        step.action == HopFsm::Action::kSendAdd || step.action == HopFsm::Action::kSendMove;
    const bool sends_delete =
        step.action == HopFsm::Action::kSendDelete || step.action == HopFsm::Action::kSendMoveBack;
    const bool add = sends_add || (HopFsm::add_open(state) && !is_answer_to_add(event) &&
                                   event != HopEvent::kChangeUndone);
    const bool del = sends_delete || (HopFsm::delete_open(state) && !is_answer_to_delete(event));
    EXPECT_EQ(HopFsm::add_open(step.next), add)
        << HopFsm::name(state) << ": " << HopFsm::name(event);
    EXPECT_EQ(HopFsm::delete_open(step.next), del)
        << HopFsm::name(state) << ": " << HopFsm::name(event);
  });
}

TEST(HopFsmTest, AStageNeverGoesBack) {
  for_each_row([](HopState state, HopEvent event, HopFsm::Step step) {
    EXPECT_GE(HopFsm::stage(step.next), HopFsm::stage(state))
        << HopFsm::name(state) << ": " << HopFsm::name(event);
  });
}

// A removal is always taken, and is then never forgotten but by what ends the hop.
TEST(HopFsmTest, WhateverIsCommittedCanBeRemoved) {
  for (std::size_t s = 0; s < HopFsm::kStates; ++s) {
    const auto state = static_cast<HopState>(s);
    const bool lives = state != HopState::kReserved && state != HopState::kGone;
    EXPECT_EQ(allows(state, HopEvent::kRemovalAsked), lives) << HopFsm::name(state);
    if (!lives) continue;
    EXPECT_EQ(HopFsm::stage(HopFsm::step(state, HopEvent::kRemovalAsked)->next),
              HopStage::kRemoving);
    EXPECT_EQ(HopFsm::step(state, HopEvent::kForgotten)->next, HopState::kGone);
  }
}

// Nothing is confirmed by less than the switch's word: a stale hop stays so until an add succeeds
// or the switch refuses a change, which leaves everything as it was.
TEST(HopFsmTest, AStaleHopIsSetOnlyByTheSwitch) {
  for_each_row([](HopState state, HopEvent event, HopFsm::Step step) {
    if (!HopFsm::stale(state) || HopFsm::stage(step.next) == HopStage::kRemoving) return;
    EXPECT_EQ(HopFsm::stale(step.next),
              event != HopEvent::kAdded || state == HopState::kAddingStale)
        << HopFsm::name(state) << ": " << HopFsm::name(event);
  });
}

TEST(HopFsmTest, AClaimBeginsWhereTheManagerSaysThatTheHopIs) {
  EXPECT_EQ(HopFsm::claimed(HopStage::kReserved, true), HopState::kReserved);
  EXPECT_EQ(HopFsm::claimed(HopStage::kCommitted, true), HopState::kSet);
  EXPECT_EQ(HopFsm::claimed(HopStage::kCommitted, false), HopState::kStale);
  EXPECT_EQ(HopFsm::claimed(HopStage::kRemoving, true), HopState::kLeaving);
  EXPECT_EQ(HopFsm::claimed(HopStage::kRemoving, false), HopState::kLeaving);
}

TEST(HopFsmTest, EveryWordIsItsOwnAndEveryActionIsTaken) {
  std::set<std::string_view> states;
  std::set<std::string_view> events;
  std::set<std::string_view> words;
  std::set<HopFsm::Action> actions;
  for (std::size_t s = 0; s < HopFsm::kStates; ++s) {
    states.insert(HopFsm::name(static_cast<HopState>(s)));
  }
  for_each_row([&](HopState, HopEvent event, HopFsm::Step step) {
    events.insert(HopFsm::name(event));
    words.insert(HopFsm::name(step.action));
    actions.insert(step.action);
  });
  EXPECT_EQ(states.size(), HopFsm::kStates);
  EXPECT_EQ(events.size(), HopFsm::kEvents) << "an event without a row, or two with one word";
  EXPECT_EQ(words.size(), actions.size());
  EXPECT_EQ(actions.size(), static_cast<std::size_t>(HopFsm::Action::kRefuseRemoval) + 1);
  for (const auto& all : {states, events, words}) {
    for (const std::string_view word : all) EXPECT_FALSE(word.starts_with("unknown ")) << word;
  }
}

}  // namespace
}  // namespace xbind
