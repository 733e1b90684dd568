#include "cmgr/call_fsm.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace xbind::cmgr {
namespace {

// Everything that means something; what is not here means nothing.
const std::map<std::pair<State, Event>, std::pair<State, Action>> kTable = {
    {{State::kRouting, Event::kRouteKnown}, {State::kReserving, Action::kReserveMissing}},
    {{State::kRouting, Event::kRouteKnownLabelsAtHand},
     {State::kCommitting, Action::kCommitEveryHop}},
    {{State::kRouting, Event::kNoRoute}, {State::kGone, Action::kAnswerRefused}},
    {{State::kRouting, Event::kTimeout}, {State::kGone, Action::kAnswerRefused}},
    {{State::kReserving, Event::kAllReserved}, {State::kCommitting, Action::kCommitEveryHop}},
    {{State::kReserving, Event::kHopRefused}, {State::kUndoing, Action::kRemoveEveryHop}},
    {{State::kReserving, Event::kTimeout}, {State::kUndoing, Action::kRemoveEveryHop}},
    {{State::kCommitting, Event::kAllCommitted}, {State::kConnected, Action::kAnswerConnected}},
    {{State::kCommitting, Event::kHopRefused}, {State::kUndoing, Action::kRemoveEveryHop}},
    {{State::kCommitting, Event::kTimeout}, {State::kUndoing, Action::kRemoveEveryHop}},
    {{State::kConnected, Event::kReleaseAsked}, {State::kReleasing, Action::kRemoveEveryHop}},
    {{State::kUndoing, Event::kAllRemoved}, {State::kGone, Action::kAnswerRefused}},
    {{State::kUndoing, Event::kTimeout}, {State::kGone, Action::kOweThenAnswerRefused}},
    {{State::kReleasing, Event::kAllRemoved}, {State::kGone, Action::kAnswerReleased}},
    {{State::kReleasing, Event::kTimeout}, {State::kGone, Action::kOweThenAnswerReleased}},
};

constexpr int kStates = static_cast<int>(State::kGone) + 1;
constexpr int kEvents = static_cast<int>(Event::kTimeout) + 1;

TEST(CallFsmTest, EveryEventInEveryStateDoesWhatTheTableSays) {
  for (int s = 0; s < kStates; ++s) {
    for (int e = 0; e < kEvents; ++e) {
      const auto state = static_cast<State>(s);
      const auto event = static_cast<Event>(e);
      SCOPED_TRACE(::testing::Message() << to_string(state) << ", event " << e);
      const auto row = kTable.find({state, event});
      const auto taken = step(state, event);
      ASSERT_EQ(taken.has_value(), row != kTable.end());
      if (!taken) continue;
      EXPECT_EQ(taken->next, row->second.first);
      EXPECT_EQ(taken->action, row->second.second);
    }
  }
}

TEST(CallFsmTest, EveryStateHasAWordOfItsOwn) {
  std::map<std::string_view, int> words;
  for (int s = 0; s < kStates; ++s) ++words[to_string(static_cast<State>(s))];
  EXPECT_EQ(words.size(), std::size_t{kStates});
  EXPECT_FALSE(words.contains("unknown state"));
}

}  // namespace
}  // namespace xbind::cmgr
