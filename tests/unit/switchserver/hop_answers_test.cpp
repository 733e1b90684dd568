// Every answer of the switch in every state of a hop: what the table says (hop_fsm.hpp) is what the
// controller does. Chance shows few of these rows in the simulator (tests/sim/sim_test.cpp lists
// them).
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "paths_fixture.hpp"

namespace xbind {
namespace {

struct Row {
  HopFsm::State state;
  HopFsm::Event event;
};

// The rows that answers of the switch take.
std::vector<Row> rows_of_answers() {
  std::vector<Row> rows;
  for (std::size_t s = 0; s < HopFsm::kStates; ++s) {
    for (std::size_t e = static_cast<std::size_t>(HopFsm::Event::kAdded); e < HopFsm::kEvents;
         ++e) {
      const auto state = static_cast<HopFsm::State>(s);
      const auto event = static_cast<HopFsm::Event>(e);
      if (HopFsm::step(state, event)) rows.push_back({state, event});
    }
  }
  return rows;
}

std::string name_of(const Row& row) {
  std::string name = fmt::format("{}_{}", HopFsm::name(row.state), HopFsm::name(row.event));
  std::ranges::replace_if(
      name, [](char c) { return c == ' ' || c == ','; }, '_');
  return name;
}

class HopAnswersTest : public ControllerPathsTest, public ::testing::WithParamInterface<Row> {
 protected:
  // Its batches are never answered twice, and never without need.
  void TearDown() override {
    for (int round = 0; round < 4; ++round) answer_all();
    EXPECT_EQ(controller.open_batches(), 0U);
    EXPECT_THAT(controller.ledger().self_check("sw"), ::testing::IsEmpty());
  }

  std::optional<HopRef> hop() const {
    const auto manager = controller.ledger().managers().find("a");
    return controller.ledger().hops().find(*manager, hop_.key);
  }
  HopFsm::State state() const {
    return hop() ? controller.ledger().hops().hop(*hop()).state() : HopFsm::State::kGone;
  }
  void ask(const HopBatch& batch) { apply(batch, ++token_); }
  void begin_port() { controller.on_driver(driver::Ports{ports(), {hop_.input_port}}, now); }
  // To a contract of more, which the switch may refuse.
  void change_to_more() {
    HopBatch batch;
    const std::uint32_t more = 100 + ++revision_;
    batch.modifies = {{hop_.key, revision_, {more, 10}, {ServiceCategory::kCbr, more, 250}}};
    ask(batch);
  }
  // The switch answers the open add, or the delete behind it. Moves are either.
  void answers(bool add, Cause cause, bool again = false, bool absent = false) {
    ASSERT_FALSE(fake.answers.empty());
    auto done = std::get<driver::Done>((add ? fake.answers.front() : fake.answers.back()).event);
    if (add) {
      fake.answers.pop_front();
    } else {
      fake.answers.pop_back();
    }
    done.cause = cause;
    done.again = again;
    done.absent = absent;
    controller.on_driver(done, now);
  }

  void bring_to(HopFsm::State wanted) {
    using State = HopFsm::State;
    switch (wanted) {
      case State::kAdding: ask(setup(hop_)); break;
      case State::kAddingStale:
        bring_to(State::kAdding);
        change_to_more();
        break;
      case State::kSet:
        bring_to(State::kAdding);
        answers(true, Cause::kNone);
        break;
      case State::kSending:
        bring_to(State::kSet);
        begin_port();
        break;
      case State::kStale:
        bring_to(State::kSending);
        answers(true, Cause::kTimeout);
        break;
      case State::kSendingStale:
        bring_to(State::kStale);
        begin_port();
        break;
      case State::kChanging:
        bring_to(State::kSet);
        change_to_more();
        break;
      case State::kChangingStale:
        bring_to(State::kStale);
        change_to_more();
        break;
      case State::kDeleting:
        bring_to(State::kSet);
        ask(removal(hop_));
        break;
      case State::kDeletingAdding:
        bring_to(State::kAdding);
        ask(removal(hop_));
        break;
      case State::kLeavingAdding:
        bring_to(State::kDeletingAdding);
        answers(false, Cause::kSwitchRefused);
        break;
      case State::kDeletedAdding:
        bring_to(State::kDeletingAdding);
        answers(false, Cause::kNone);
        break;
      case State::kAbsentAdding:
        bring_to(State::kDeletingAdding);
        answers(false, Cause::kSwitchRefused, false, true);
        break;
      case State::kReserved:
      case State::kLeaving:
      case State::kGone: FAIL() << "nothing is open there";
    }
    ASSERT_EQ(state(), wanted);
  }

  void happens(HopFsm::Event event) {
    using Event = HopFsm::Event;
    switch (event) {
      case Event::kAdded: return answers(true, Cause::kNone);
      case Event::kAddRefused:
      case Event::kChangeUndone: return answers(true, Cause::kSwitchRefused);
      case Event::kAddUnanswered: return answers(true, Cause::kTimeout);
      case Event::kAddLost: return answers(true, Cause::kSwitchUnreachable);
      case Event::kAddAgain: return answers(true, Cause::kSwitchRefused, true);
      case Event::kDeleted: return answers(false, Cause::kNone);
      case Event::kDeletedNothing: return answers(false, Cause::kSwitchRefused, false, true);
      case Event::kDeleteFailed: return answers(false, Cause::kTimeout);
      case Event::kDeleteAgain: return answers(false, Cause::kSwitchRefused, true);
      default: FAIL() << HopFsm::name(event) << " is no answer";
    }
  }

  // One that has taken over, unless its contract is to change: only one that stands alone changes.
  void choose(HopFsm::State state) {
    const bool changes = state == HopFsm::State::kAddingStale ||
                         state == HopFsm::State::kChanging ||
                         state == HopFsm::State::kChangingStale;
    hop_ = later;
    if (!changes) return;
    run(removal(old));
    hop_ = middle(2, 41, cache_one());
    hop_.contract = {ServiceCategory::kCbr, 100, 250};
  }

  HopSetup hop_;

 private:
  SwitchController::Token token_ = 20;
  std::uint32_t revision_ = 0;
};

// Where the controller goes on by itself.
HopFsm::State then(const HopFsm::Step& step) {
  if (step.action == HopFsm::Action::kCleanUp) return HopFsm::State::kDeleting;
  if (step.action == HopFsm::Action::kConnectAndSend) return HopFsm::State::kSendingStale;
  return step.next;
}

TEST_P(HopAnswersTest, IsPerformed) {
  const auto [from, event] = GetParam();
  choose(from);
  ASSERT_NO_FATAL_FAILURE(bring_to(from));
  // A refused change to more is undone.
  const bool changing = from == HopFsm::State::kChanging || from == HopFsm::State::kChangingStale;
  const auto counted =
      changing && event == HopFsm::Event::kAddRefused ? HopFsm::Event::kChangeUndone : event;
  const std::uint64_t before = controller.ledger().hops().occurrences().at(from, counted);
  const std::uint64_t put_back = controller.counters().put_back;
  happens(event);
  EXPECT_EQ(controller.ledger().hops().occurrences().at(from, counted), before + 1);
  const auto step = HopFsm::step(from, counted);
  ASSERT_TRUE(step.has_value());
  EXPECT_EQ(state(), then(*step)) << HopFsm::name(state());
  EXPECT_EQ(
      controller.counters().put_back - put_back,
      step->action == HopFsm::Action::kEndAndRestore && event != HopFsm::Event::kAddLost ? 1U : 0U)
      << "the hop below is put back, unless the switch has gone away";
}

INSTANTIATE_TEST_SUITE_P(Rows, HopAnswersTest, ::testing::ValuesIn(rows_of_answers()),
                         [](const auto& row) { return name_of(row.param); });

class HopCommandsTest : public HopAnswersTest {};

// A removal, which may be repeated, and a modify; neither is answered before its time.
TEST_P(HopCommandsTest, MayComeInEveryState) {
  const auto [from, event] = GetParam();
  choose(event == HopFsm::Event::kRemovalAsked ? from : HopFsm::State::kAddingStale);
  ASSERT_NO_FATAL_FAILURE(bring_to(from));
  const std::uint64_t before = controller.ledger().hops().occurrences().at(from, event);
  if (event == HopFsm::Event::kRemovalAsked) {
    ask(removal(hop_));
  } else {
    change_to_more();
  }
  EXPECT_EQ(controller.ledger().hops().occurrences().at(from, event), before + 1);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, HopCommandsTest,
    ::testing::Values(Row{HopFsm::State::kAdding, HopFsm::Event::kNotSent},
                      Row{HopFsm::State::kAddingStale, HopFsm::Event::kNotSent},
                      Row{HopFsm::State::kSending, HopFsm::Event::kQueued},
                      Row{HopFsm::State::kSendingStale, HopFsm::Event::kQueued},
                      Row{HopFsm::State::kAdding, HopFsm::Event::kRemovalAsked},
                      Row{HopFsm::State::kAddingStale, HopFsm::Event::kRemovalAsked},
                      Row{HopFsm::State::kSendingStale, HopFsm::Event::kRemovalAsked},
                      Row{HopFsm::State::kChangingStale, HopFsm::Event::kRemovalAsked},
                      Row{HopFsm::State::kLeavingAdding, HopFsm::Event::kRemovalAsked},
                      Row{HopFsm::State::kDeletingAdding, HopFsm::Event::kRemovalAsked},
                      Row{HopFsm::State::kDeletedAdding, HopFsm::Event::kRemovalAsked},
                      Row{HopFsm::State::kAbsentAdding, HopFsm::Event::kRemovalAsked}),
    [](const auto& row) { return name_of(row.param); });

}  // namespace
}  // namespace xbind
