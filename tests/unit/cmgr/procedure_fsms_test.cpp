// The complete tables of the procedures. docs/call-states.md is generated from the code and must be
// up to date; this command regenerates it:
//   XBIND_WRITE_DOCS=1 unit_cmgr --gtest_filter='ProcedureFsms*'
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "cmgr/procedures/occurrences.hpp"
#include "switchserver/ledger/hop_fsm.hpp"
#include "tests/unit/source_dir.hpp"

namespace xbind::cmgr {
namespace {

const std::string kDocument = test::source_path("docs/call-states.md");

// Visits every procedure's table as an object of its type.
template <class Visit>
void for_each_procedure(Visit&& visit) {
  Occurrences{}.for_each([&]<class Fsm>(const OccurrencesOf<Fsm>&) { visit(Fsm{}); });
}

template <class Fsm, class Visit>
void for_each_pair(Visit&& visit) {
  for (std::size_t s = 0; s < Fsm::kStates; ++s) {
    for (std::size_t e = 0; e < kEvents; ++e) {
      visit(static_cast<typename Fsm::State>(s), static_cast<Event>(e));
    }
  }
}

// Whether the procedure handles the event in any state.
template <class Fsm>
bool knows(Event event) {
  for (std::size_t s = 0; s < Fsm::kStates; ++s) {
    if (Fsm::step(static_cast<typename Fsm::State>(s), event)) return true;
  }
  return false;
}

template <class Fsm>
std::string table() {
  using State = typename Fsm::State;
  std::string text = fmt::format("\n## {}\n", Fsm::kName);
  for (std::size_t s = 0; s < Fsm::kStates; ++s) {
    const auto state = static_cast<State>(s);
    if (state == State::kOver) continue;
    const Timer timer = Fsm::timer(state);
    text += fmt::format(
        "\n### {}: {}\n\n{}| event | next state | action |\n| --- | --- | --- |\n", Fsm::kName,
        Fsm::name(state),
        timer == Timer::kNone ? "" : fmt::format("Guarded by the {}.\n\n", to_string(timer)));
    std::string rest;
    for (std::size_t e = 0; e < kEvents; ++e) {
      const auto event = static_cast<Event>(e);
      if (const auto taken = Fsm::step(state, event)) {
        text += fmt::format("| {} | **{}** | {} |\n", to_string(event), Fsm::name(taken->next),
                            Fsm::name(taken->action));
      } else if (knows<Fsm>(event)) {
        rest += fmt::format("{}{}", rest.empty() ? "" : ", ", to_string(event));
      }
    }
    if (!rest.empty()) text += fmt::format("| {} | {} | counted |\n", rest, Fsm::name(state));
  }
  return text;
}

// Not a state of the table of connections, and without a procedure (cmgr/call_requests.cpp).
constexpr const char* kIncompleteCalls =
    "\n## incomplete\n\n"
    "A call of an earlier epoch of which the manager does not know all hops "
    "(`cmgr/procedures/recovery.hpp`). No procedure\n"
    "changes it: its cells, labels and, where its contract is known, its bandwidth stay as they "
    "are. It becomes *connected*\n"
    "or *held* when its hops are known. What is known of it is removed when the ledgers show that "
    "it was on its way up or\n"
    "down.\n\n"
    "| request | answer |\n| --- | --- |\n"
    "| describe, list | the hops that are known, and what is missing, where and why |\n"
    "| release, clear | *released*; hops that are found later are removed |\n"
    "| modify, commit, add-leaf, drop-leaf, sync | refused: incomplete, with the switch |\n"
    "| the repeated request of its setup | busy, with its id: a later repeat gets its outcome |\n";

std::string_view word_of(HopStage stage) {
  switch (stage) {
    case HopStage::kReserved: return "reserved";
    case HopStage::kCommitting: return "committing";
    case HopStage::kCommitted: return "committed";
    case HopStage::kRemoving: return "removing";
  }
  return "unknown";
}

// The machine of a SwitchServer (tests/unit/switchserver/hop_fsm_test.cpp).
std::string hop_table() {
  std::string text =
      "\n## hop at its switch\n\n"
      "Each hop of a call is also in the ledger of its SwitchServer, which asks the switch for it "
      "(`switchserver/ledger/hop_fsm.hpp`).\n"
      "The stage is what managers see of the state. A pair that is not here cannot occur.\n";
  for (std::size_t s = 0; s < HopFsm::kStates; ++s) {
    const auto state = static_cast<HopFsm::State>(s);
    if (state == HopFsm::State::kGone) continue;
    text += fmt::format(
        "\n### hop: {}\n\nStage: {}.\n\n| event | next state | action |\n"
        "| --- | --- | --- |\n",
        HopFsm::name(state), word_of(HopFsm::stage(state)));
    for (std::size_t e = 0; e < HopFsm::kEvents; ++e) {
      const auto event = static_cast<HopFsm::Event>(e);
      const auto taken = HopFsm::step(state, event);
      if (!taken) continue;
      text += fmt::format("| {} | **{}** | {} |\n", HopFsm::name(event), HopFsm::name(taken->next),
                          HopFsm::name(taken->action));
    }
  }
  return text;
}

std::string document() {
  std::string text =
      "# States of a call\n\n"
      "Generated from `cmgr/procedures/*_fsm.hpp` and `switchserver/ledger/hop_fsm.hpp` "
      "(`XBIND_WRITE_DOCS=1 unit_cmgr\n"
      "--gtest_filter='ProcedureFsms*'`); a test compares it with the code. The drawings are in "
      "these headers.\n"
      "\n"
      "A connection is being set up, held, up or being released. A procedure changes it: at most "
      "one at a time, each\n"
      "with its own table. A procedure that is *over* no longer exists. A client's request that "
      "the current procedure\n"
      "does not allow is refused before any event: being released, change under way, not "
      "connected, unknown connection.\n"
      "An event without meaning in a state is late or repeated: it changes nothing and is counted "
      "(`meaningless_events`).\n";
  for_each_procedure([&]<class Fsm>(Fsm) { text += table<Fsm>(); });
  return text + kIncompleteCalls + hop_table();
}

TEST(ProcedureFsmsTest, TheDocumentSaysWhatTheCodeDoes) {
  if (std::getenv("XBIND_WRITE_DOCS") != nullptr) std::ofstream(kDocument) << document();
  std::ifstream file(kDocument);
  std::stringstream there;
  there << file.rdbuf();
  EXPECT_EQ(there.str(), document()) << "regenerate it, see the top of this file";
}

TEST(ProcedureFsmsTest, EveryStateCanBeReachedAndAllButTheLastLeft) {
  for_each_procedure([]<class Fsm>(Fsm) {
    using State = typename Fsm::State;
    // A leaf begins in one of two states.
    std::set<State> reached{State{}};
    if constexpr (std::is_same_v<Fsm, LeafFsm>) reached.insert(State::kRouting);
    std::set<State> left;
    for_each_pair<Fsm>([&](State state, Event event) {
      const auto taken = Fsm::step(state, event);
      if (!taken) return;
      left.insert(state);
      reached.insert(taken->next);
    });
    EXPECT_EQ(reached.size(), Fsm::kStates) << Fsm::kName;
    EXPECT_EQ(left.size(), Fsm::kStates - 1) << Fsm::kName;
    EXPECT_FALSE(left.contains(State::kOver)) << Fsm::kName;
  });
}

// Each state that waits for an answer also ends by its timer.
TEST(ProcedureFsmsTest, EveryTimerThatRunsHasAnEnd) {
  for_each_procedure([]<class Fsm>(Fsm) {
    for (std::size_t s = 0; s < Fsm::kStates; ++s) {
      const auto state = static_cast<typename Fsm::State>(s);
      EXPECT_EQ(Fsm::step(state, Event::kTimeout).has_value(), Fsm::timer(state) != Timer::kNone)
          << Fsm::kName << ", " << Fsm::name(state);
    }
  });
}

// Once the connection is up or held, a client's release takes effect at once.
TEST(ProcedureFsmsTest, AProcedureOfAConnectionThatIsUpEndsWhenItIsReleased) {
  const auto ends = []<class Fsm>(Fsm, auto first) {
    for (std::size_t s = static_cast<std::size_t>(first); s < Fsm::kStates - 1; ++s) {
      const auto state = static_cast<typename Fsm::State>(s);
      const auto taken = Fsm::step(state, Event::kReleaseAsked);
      ASSERT_TRUE(taken.has_value()) << Fsm::kName << ", " << Fsm::name(state);
      EXPECT_EQ(taken->next, Fsm::State::kOver) << Fsm::kName << ", " << Fsm::name(state);
    }
  };
  ends(ModifyFsm{}, ModifyFsm::State::kRaising);
  ends(LeafFsm{}, LeafFsm::State::kRouting);
  ends(RerouteFsm{}, RerouteFsm::State::kRouting);
  EXPECT_EQ(HoldFsm::step(HoldFsm::State::kHeld, Event::kReleaseAsked)->next,
            HoldFsm::State::kOver);
}

TEST(ProcedureFsmsTest, EveryWordIsItsOwn) {
  std::set<std::string_view> events;
  for (std::size_t e = 0; e < kEvents; ++e) events.insert(to_string(static_cast<Event>(e)));
  EXPECT_EQ(events.size(), kEvents);
  for_each_procedure([&]<class Fsm>(Fsm) {
    std::set<std::string_view> states;
    std::set<std::string_view> actions;
    std::set<typename Fsm::Action> taken_actions;
    for_each_pair<Fsm>([&](typename Fsm::State state, Event event) {
      states.insert(Fsm::name(state));
      const auto taken = Fsm::step(state, event);
      if (!taken) return;
      actions.insert(Fsm::name(taken->action));
      taken_actions.insert(taken->action);
    });
    EXPECT_EQ(states.size(), Fsm::kStates) << Fsm::kName;
    EXPECT_EQ(actions.size(), taken_actions.size()) << Fsm::kName;
    // Every action is used by a step: the last action has the highest number.
    EXPECT_EQ(static_cast<std::size_t>(*taken_actions.rbegin()) + 1, taken_actions.size())
        << Fsm::kName;
    for (const auto& words : {states, actions, events}) {
      for (const std::string_view word : words) EXPECT_FALSE(word.starts_with("unknown ")) << word;
    }
  });
}

}  // namespace
}  // namespace xbind::cmgr
