// The table of states and events, whole: docs/call-states.md is made from the code and must be fresh.
//   XBIND_WRITE_DOCS=1 unit_cmgr --gtest_filter='CallFsm*'   makes it anew
#include "cmgr/call_fsm.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace xbind::cmgr {
namespace {

const std::string kDocument = std::string{XBIND_SOURCE_DIR} + "/docs/call-states.md";

template <class Visitor>
void for_each_pair(Visitor&& visit) {
  for (std::size_t s = 0; s < kStates; ++s) {
    for (std::size_t e = 0; e < kEvents; ++e) {
      visit(static_cast<State>(s), static_cast<Event>(e));
    }
  }
}

// What becomes of an event that has no meaning in a state: how it can come at all, and what happens.
std::string_view otherwise(State state, Event event) {
  switch (event) {
    case Event::kRouteKnown:
    case Event::kRouteKnownLabelsAtHand:
    case Event::kRouteUseless:
    case Event::kNoRoute: return "late: kept in the route cache";
    case Event::kCommitAsked:
      if (state == State::kReleasing || state == State::kGone)
        return "refused: hold expired, or unknown";
      return "refused: not connected";
    case Event::kRaiseAsked:
    case Event::kLowerAsked:
      if (state == State::kModifying || state == State::kLowering || state == State::kRestoring) {
        return "refused: change under way";
      }
      [[fallthrough]];
    case Event::kReleaseAsked:
      if (state == State::kReleasing) return "refused: being released";
      if (state == State::kHeld) return "refused: not connected";
      return "refused: unknown connection";
    case Event::kTaken:
    case Event::kReturned: return "never: only a ready one is taken";
    case Event::kTimeout:
    case Event::kTimeoutTryNext:
      return state == State::kConnected || state == State::kGone
                 ? "never: no timer runs"
                 : "never: no other route is planned";
    default:
      return state == State::kGone ? "late: pays a debt, or is counted"
                                   : "late or repeated: the hop has moved on, it is counted";
  }
}

std::string document() {
  std::string text =
      "# States of a call\n\n"
      "Made from `cmgr/call_fsm.hpp` (`XBIND_WRITE_DOCS=1 unit_cmgr --gtest_filter='CallFsm*'`); a "
      "test keeps it\nfresh. The drawing is in that header. Every state with every event: what "
      "means "
      "something leads to the\nnext state and an action; what does not, says how it can come and "
      "what "
      "becomes of it.\n";
  for (std::size_t s = 0; s < kStates; ++s) {
    const auto state = static_cast<State>(s);
    text += fmt::format("\n## {}\n\n| event | next state | action |\n| --- | --- | --- |\n",
                        to_string(state));
    for (std::size_t e = 0; e < kEvents; ++e) {
      const auto event = static_cast<Event>(e);
      if (const auto taken = step(state, event)) {
        text += fmt::format("| {} | **{}** | {} |\n", to_string(event), to_string(taken->next),
                            to_string(taken->action));
      }
    }
    std::map<std::string_view, std::string> rest;
    for (std::size_t e = 0; e < kEvents; ++e) {
      const auto event = static_cast<Event>(e);
      if (step(state, event)) continue;
      std::string& events = rest[otherwise(state, event)];
      events += fmt::format("{}{}", events.empty() ? "" : ", ", to_string(event));
    }
    for (const auto& [what, events] : rest) {
      text += fmt::format("| {} | {} | {} |\n", events, to_string(state), what);
    }
  }
  return text;
}

TEST(CallFsmTest, TheDocumentSaysWhatTheCodeDoes) {
  if (std::getenv("XBIND_WRITE_DOCS") != nullptr) std::ofstream(kDocument) << document();
  std::ifstream file(kDocument);
  std::stringstream there;
  there << file.rdbuf();
  EXPECT_EQ(there.str(), document()) << "make it anew, see the top of this file";
}

TEST(CallFsmTest, EveryStateButTheLastCanBeReachedAndLeft) {
  std::set<State> reached{State::kRouting};
  std::set<State> left;
  for_each_pair([&](State state, Event event) {
    const auto taken = step(state, event);
    if (!taken) return;
    left.insert(state);
    reached.insert(taken->next);
  });
  EXPECT_EQ(reached.size(), kStates);
  EXPECT_EQ(left.size(), kStates - 1);
  EXPECT_FALSE(left.contains(State::kGone));
}

// A state that waits for others must end by itself.
TEST(CallFsmTest, EveryWaitEndsWithATimeout) {
  for (std::size_t s = 0; s < kStates; ++s) {
    const auto state = static_cast<State>(s);
    const bool rests = state == State::kConnected || state == State::kGone;
    EXPECT_EQ(step(state, Event::kTimeout).has_value(), !rests) << to_string(state);
  }
}

TEST(CallFsmTest, EveryWordIsItsOwn) {
  std::set<std::string_view> states;
  std::set<std::string_view> events;
  std::set<std::string_view> actions;
  for_each_pair([&](State state, Event event) {
    states.insert(to_string(state));
    events.insert(to_string(event));
    if (const auto taken = step(state, event)) actions.insert(to_string(taken->action));
  });
  EXPECT_EQ(states.size(), kStates);
  EXPECT_EQ(events.size(), kEvents);
  EXPECT_EQ(actions.size(), static_cast<std::size_t>(Action::kGoOverThenRemoveEveryHop) + 1);
  for (const auto& words : {states, events, actions}) {
    for (const std::string_view word : words) EXPECT_FALSE(word.starts_with("unknown ")) << word;
  }
}

}  // namespace
}  // namespace xbind::cmgr
