// The rows of HopFsm that chance does not show in every shard, with the tests that show them.
#pragma once

#include "switchserver/ledger/hop_fsm.hpp"

namespace xbind::sim {

// Rows of a hop at its switch that chance does not show in every shard, and what shows them.
inline constexpr const char* kAnswers = "HopAnswersTest.IsPerformed";
inline constexpr const char* kAskedAgain = "HopCommandsTest.MayComeInEveryState";
inline constexpr const char* kClaimedAbove =
    "LedgerForgottenTest.AHopIsForgottenInEveryStateOnceALaterGenerationIsClaimed";
struct ElsewhereShown {
  HopFsm::State state;
  HopFsm::Event event;
  const char* by;
};
inline constexpr ElsewhereShown kElsewhereShown[] = {
    {HopFsm::State::kAbsentAdding, HopFsm::Event::kAddLost, kAnswers},
    {HopFsm::State::kAbsentAdding, HopFsm::Event::kAddRefused, kAnswers},
    {HopFsm::State::kAbsentAdding, HopFsm::Event::kAddUnanswered, kAnswers},
    {HopFsm::State::kAbsentAdding, HopFsm::Event::kAdded, kAnswers},
    {HopFsm::State::kAbsentAdding, HopFsm::Event::kForgotten, kClaimedAbove},
    {HopFsm::State::kAbsentAdding, HopFsm::Event::kRemovalAsked, kAskedAgain},
    {HopFsm::State::kAdding, HopFsm::Event::kForgotten, kClaimedAbove},
    {HopFsm::State::kAdding, HopFsm::Event::kNotSent, kAskedAgain},
    {HopFsm::State::kAddingStale, HopFsm::Event::kAddAgain, kAnswers},
    {HopFsm::State::kAddingStale, HopFsm::Event::kAddLost, kAnswers},
    {HopFsm::State::kAddingStale, HopFsm::Event::kAddRefused, kAnswers},
    {HopFsm::State::kAddingStale, HopFsm::Event::kAddUnanswered, kAnswers},
    {HopFsm::State::kAddingStale, HopFsm::Event::kAdded, kAnswers},
    {HopFsm::State::kAddingStale, HopFsm::Event::kForgotten, kClaimedAbove},
    {HopFsm::State::kAddingStale, HopFsm::Event::kNotSent, kAskedAgain},
    {HopFsm::State::kAddingStale, HopFsm::Event::kRemovalAsked, kAskedAgain},
    {HopFsm::State::kChanging, HopFsm::Event::kForgotten, kClaimedAbove},
    {HopFsm::State::kChangingStale, HopFsm::Event::kAddAgain, kAnswers},
    {HopFsm::State::kChangingStale, HopFsm::Event::kAddLost, kAnswers},
    {HopFsm::State::kChangingStale, HopFsm::Event::kAddRefused, kAnswers},
    {HopFsm::State::kChangingStale, HopFsm::Event::kAddUnanswered, kAnswers},
    {HopFsm::State::kChangingStale, HopFsm::Event::kAdded, kAnswers},
    {HopFsm::State::kChangingStale, HopFsm::Event::kChangeUndone, kAnswers},
    {HopFsm::State::kChangingStale, HopFsm::Event::kForgotten, kClaimedAbove},
    {HopFsm::State::kChangingStale, HopFsm::Event::kRemovalAsked, kAskedAgain},
    {HopFsm::State::kDeletedAdding, HopFsm::Event::kAddRefused, kAnswers},
    {HopFsm::State::kDeletedAdding, HopFsm::Event::kForgotten, kClaimedAbove},
    {HopFsm::State::kDeleting, HopFsm::Event::kDeletedNothing, kAnswers},
    {HopFsm::State::kDeleting, HopFsm::Event::kForgotten, kClaimedAbove},
    {HopFsm::State::kDeletingAdding, HopFsm::Event::kDeleteAgain, kAnswers},
    {HopFsm::State::kDeletingAdding, HopFsm::Event::kDeletedNothing, kAnswers},
    {HopFsm::State::kDeletingAdding, HopFsm::Event::kForgotten, kClaimedAbove},
    {HopFsm::State::kLeavingAdding, HopFsm::Event::kAddLost, kAnswers},
    {HopFsm::State::kLeavingAdding, HopFsm::Event::kAddRefused, kAnswers},
    {HopFsm::State::kLeavingAdding, HopFsm::Event::kForgotten, kClaimedAbove},
    {HopFsm::State::kSending, HopFsm::Event::kForgotten, kClaimedAbove},
    {HopFsm::State::kSendingStale, HopFsm::Event::kAddAgain, kAnswers},
    {HopFsm::State::kSendingStale, HopFsm::Event::kAddLost, kAnswers},
    {HopFsm::State::kSendingStale, HopFsm::Event::kAddRefused, kAnswers},
    {HopFsm::State::kSendingStale, HopFsm::Event::kAddUnanswered, kAnswers},
    {HopFsm::State::kSendingStale, HopFsm::Event::kAdded, kAnswers},
    {HopFsm::State::kSendingStale, HopFsm::Event::kForgotten, kClaimedAbove},
    {HopFsm::State::kSendingStale, HopFsm::Event::kQueued, kAskedAgain},
    {HopFsm::State::kSendingStale, HopFsm::Event::kRemovalAsked, kAskedAgain},
};

}  // namespace xbind::sim
