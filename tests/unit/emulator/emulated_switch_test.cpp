// A complete emulated switch, and the effect of its faults on controllers.
#include "emulator/emulated_switch.hpp"

#include <gmock/gmock.h>

#include "dataplane/links/ring.hpp"
#include "tests/unit/emulator/emulated_fixture.hpp"
#include "tests/unit/gsmp/hex.hpp"

namespace xbind::emulator {
namespace {

using namespace std::chrono_literals;
using dataplane::Cell;
using gsmp::FailureCode;
using test::EmulatedTest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// ----- adjacency --------------------------------------------------------------------------------

TEST_F(EmulatedTest, WithoutFaultsItIsASwitch) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  settle();
  EXPECT_TRUE(only<gsmp::Response>(controller).at(0).success);
  EXPECT_EQ(emulated.fabric().branches(), 1U);
  EXPECT_EQ(emulated.allowance(controller.connection), kUnlimited);
  pass(600s);
  EXPECT_TRUE(controller.session->can_send());
  EXPECT_THAT(endings, IsEmpty());
}

TEST_F(EmulatedTest, DroppedAdjacenciesBeginAnewOnTheSameConnection) {
  Controller& one = add_controller();
  Controller& other = add_controller();
  connect(one);
  connect(other);
  one.session->take_events();
  other.session->take_events();

  emulated.drop_adjacencies(now);
  settle();
  for (Controller* controller : {&one, &other}) {
    const auto events = controller->session->take_events();
    std::vector<bool> ups;
    for (const gsmp::SessionEvent& event : events) {
      if (std::holds_alternative<gsmp::SessionDown>(event)) ups.push_back(false);
      if (std::holds_alternative<gsmp::SessionUp>(event)) ups.push_back(true);
    }
    EXPECT_THAT(ups, ElementsAre(false, true));
    EXPECT_TRUE(controller->session->can_send());
  }
  EXPECT_EQ(emulated.agent().adjacencies(), 2U);
  EXPECT_THAT(endings, IsEmpty());
}

TEST_F(EmulatedTest, NoAdjacencyNothingToDrop) {
  emulated.drop_adjacencies(now);
  ASSERT_TRUE(emulated.connected(1, now));
  emulated.drop_adjacencies(now);  // it has sent SYN and received no answer
  EXPECT_EQ(emulated.connections(), 1U);
  wire::Buffer said;
  emulated.take_output(1, said, now);
  EXPECT_EQ(gsmp::test::messages_of(said).size(), 1U) << "the SYN, and nothing about a link";
}

TEST_F(EmulatedTest, SilenceUntilTheControllerGivesUp) {
  Controller& controller = add_controller();
  connect(controller);
  controller.session->take_events();
  emulated.settings().silent = true;
  ASSERT_TRUE(controller.session->switch_configuration(0, 7, now));
  pass(10s);
  EXPECT_FALSE(controller.session->can_send());
  EXPECT_FALSE(only<gsmp::SessionDown>(controller).empty());
  EXPECT_THAT(endings, IsEmpty());  // a switch that hangs closes no connection
  // Any number: the request, and as many messages of the adjacency as the timers send.
  EXPECT_GT(emulated.fault_counters().unheard, 0U);

  close(controller);
  // The switch works again.
  emulated.settings().silent = false;
  connect(controller);
  EXPECT_TRUE(controller.session->can_send());
}

TEST_F(EmulatedTest, ASilenceThatIsShortIsSurvived) {
  Controller& controller = add_controller();
  connect(controller);
  emulated.settings().silent = true;
  pass(1500ms);
  emulated.settings().silent = false;
  pass(5s);
  EXPECT_TRUE(controller.session->can_send());
}

TEST_F(EmulatedTest, FaultsAreTheSameInVersion1) {
  Controller& controller = add_controller({1});
  emulated.settings().partial_octets = 5;
  connect(controller);
  pass(1s);
  ASSERT_TRUE(controller.session->can_send());
  EXPECT_EQ(controller.session->version(), 1);
  emulated.settings().partial_octets = 0;
  emulated.settings().connection_delay = 10ms;
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  pass(9ms);
  EXPECT_EQ(emulated.fabric().branches(), 0U);
  pass(1ms);
  EXPECT_EQ(emulated.fabric().branches(), 1U);

  controller.session->take_events();
  emulated.drop_adjacencies(now);
  pass(100ms);
  EXPECT_EQ(only<gsmp::SessionUp>(controller).size(), 1U);
  EXPECT_EQ(emulated.fabric().branches(), 1U);
}

TEST_F(EmulatedTest, RequestsThatWaitAreNotOvertakenWhenTheDelayEnds) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->switch_configuration(0, 0, now));
  settle();
  controller.session->take_events();
  emulated.settings().connection_delay = 10ms;
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  settle();
  emulated.settings().connection_delay = {};
  ASSERT_TRUE(controller.session->add_branch(add(101, 201), 2, now));
  settle();
  pass(10ms);
  const auto answers = only<gsmp::Response>(controller);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].cookie, 1U);
  EXPECT_EQ(answers[1].cookie, 2U);
}

// ----- connections ------------------------------------------------------------------------------

TEST_F(EmulatedTest, ResetConnectionsEndOnce) {
  Controller& one = add_controller();
  Controller& other = add_controller();
  connect(one);
  connect(other);
  const ConnectionKey first = one.connection;
  emulated.reset_connections();
  emulated.reset_connections();
  settle();
  ASSERT_EQ(endings.size(), 2U);
  EXPECT_EQ(endings[0].connection, first);
  EXPECT_TRUE(endings[0].reset);
  EXPECT_EQ(emulated.connections(), 0U);
  connect(one);
  EXPECT_TRUE(one.session->can_send());
}

TEST_F(EmulatedTest, HotRestartKeepsTheTableAndSaysSo) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  settle();
  const std::uint32_t session = emulated.fabric().port_session(PortId(1));

  emulated.restart(Restart::kHot, now);
  settle();
  ASSERT_EQ(endings.size(), 1U);
  EXPECT_FALSE(endings[0].reset);
  EXPECT_EQ(emulated.fabric().branches(), 1U);
  EXPECT_EQ(emulated.fabric().port_session(PortId(1)), session);

  controller.session->take_events();
  connect(controller);
  EXPECT_EQ(only<gsmp::SessionUp>(controller).at(0).effective_flag, gsmp::kRecoveredAdjacency);
  EXPECT_EQ(emulated.fabric().branches(), 1U);
}

TEST_F(EmulatedTest, ColdRestartForgetsEverything) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  settle();
  emulated.set_line(PortId(2), false);
  const std::uint32_t session = emulated.fabric().port_session(PortId(1));

  emulated.restart(Restart::kCold, now);
  settle();
  ASSERT_EQ(endings.size(), 1U);
  EXPECT_TRUE(endings[0].reset);
  EXPECT_EQ(emulated.fabric().branches(), 0U);
  EXPECT_NE(emulated.fabric().port_session(PortId(1)), session);
  EXPECT_TRUE(emulated.fabric().cells().line_up(PortId(2)));

  controller.session->take_events();
  connect(controller);
  EXPECT_EQ(only<gsmp::SessionUp>(controller).at(0).effective_flag, gsmp::kNewAdjacency);
}

TEST_F(EmulatedTest, TheSameSeedGivesTheSamePortSessions) {
  EmulatedSwitch same(options());
  EXPECT_EQ(same.fabric().port_session(PortId(1)), emulated.fabric().port_session(PortId(1)));
  EmulatedSwitchOptions another = options();
  another.seed = 43;
  EXPECT_NE(EmulatedSwitch(another).fabric().port_session(PortId(1)),
            emulated.fabric().port_session(PortId(1)));
}

// ----- reading and writing octets -----

TEST_F(EmulatedTest, ASlowReaderGrantsItsRate) {
  emulated.settings().slow_reader_octets_per_s = 1000;
  ASSERT_TRUE(emulated.connected(1, now));
  EXPECT_EQ(emulated.allowance(1), 100U);
  emulated.receive(1, wire::Buffer(36), now);
  EXPECT_EQ(emulated.allowance(1), 64U);
  now += 100ms;
  emulated.tick(now);
  EXPECT_EQ(emulated.allowance(1), 100U);
  EXPECT_EQ(emulated.allowance(2), 0U);  // no such connection
}

TEST_F(EmulatedTest, FramesInPiecesArePutTogetherAgain) {
  Controller& controller = add_controller();
  emulated.settings().partial_octets = 3;
  connect(controller);
  pass(1s);
  EXPECT_TRUE(controller.session->can_send());
  pieces = 0;
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  settle();
  pass(100ms);
  EXPECT_TRUE(only<gsmp::Response>(controller).at(0).success);
  EXPECT_GE(pieces, 20U);  // 60 octets
}

TEST_F(EmulatedTest, ReorderedAnswersAllArriveAndFindTheirRequests) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->switch_configuration(0, 0, now));
  settle();
  controller.session->take_events();
  emulated.settings().reorder = 0.5;
  for (std::uint32_t index = 0; index < 500; ++index) {
    ASSERT_TRUE(controller.session->add_branch(add(100 + index, 200), index, now));
  }
  settle();
  pass(1s);
  std::vector<std::uint64_t> cookies;
  for (const gsmp::Response& response : only<gsmp::Response>(controller)) {
    EXPECT_TRUE(response.success);
    cookies.push_back(response.cookie);
  }
  EXPECT_EQ(cookies.size(), 500U);
  EXPECT_FALSE(std::ranges::is_sorted(cookies));
  EXPECT_GT(emulated.fault_counters().reordered, 50U);
  EXPECT_EQ(emulated.fabric().branches(), 500U);
}

// ----- delays -----------------------------------------------------------------------------------

TEST_F(EmulatedTest, ConnectionOperationsTakeTheirTimeOneAfterAnother) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->switch_configuration(0, 0, now));
  settle();
  controller.session->take_events();
  emulated.settings().message_delay = 1ms;
  emulated.settings().connection_delay = 9ms;
  for (std::uint32_t index = 0; index < 10; ++index) {
    ASSERT_TRUE(controller.session->add_branch(add(100 + index, 200), index, now));
  }
  settle();
  EXPECT_EQ(emulated.fabric().branches(), 0U);
  pass(50ms);
  EXPECT_EQ(emulated.fabric().branches(), 5U);
  EXPECT_EQ(only<gsmp::Response>(controller).size(), 5U);
  pass(50ms);
  EXPECT_EQ(emulated.fabric().branches(), 10U);
  EXPECT_EQ(emulated.fault_counters().delayed, 10U);
}

TEST_F(EmulatedTest, ALateTableAnswersSideBySideAndHasDoneItAtOnce) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->switch_configuration(0, 0, now));
  settle();
  controller.session->take_events();
  emulated.settings().table_delay = 20ms;
  for (std::uint32_t index = 0; index < 10; ++index) {
    ASSERT_TRUE(controller.session->add_branch(add(100 + index, 200), index, now));
  }
  settle();
  EXPECT_EQ(emulated.fabric().branches(), 10U);
  EXPECT_EQ(emulated.agent().open_requests(), 10U);
  pass(19ms);
  EXPECT_EQ(only<gsmp::Response>(controller).size(), 0U);
  pass(1ms);
  EXPECT_EQ(only<gsmp::Response>(controller).size(), 10U);
  EXPECT_EQ(emulated.agent().open_requests(), 0U);
}

TEST_F(EmulatedTest, ALateAnswerIsVoidWhenTheAdjacencyGoes) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->switch_configuration(0, 0, now));
  settle();
  emulated.settings().table_delay = 1s;
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  settle();
  emulated.drop_adjacencies(now);
  pass(5s);
  EXPECT_TRUE(controller.session->can_send());
  EXPECT_EQ(emulated.agent().counters().answers_void, 1U);
  EXPECT_EQ(emulated.agent().open_requests(), 0U);
}

TEST_F(EmulatedTest, ASlowSwitchKeepsItsAdjacency) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->switch_configuration(0, 0, now));
  settle();
  emulated.settings().message_delay = 1500ms;
  for (std::uint32_t index = 0; index < 20; ++index) {
    ASSERT_TRUE(controller.session->add_branch(add(100 + index, 200), index, now));
  }
  pass(31s);
  EXPECT_TRUE(controller.session->can_send());
  EXPECT_EQ(emulated.fabric().branches(), 20U);
}

TEST_F(EmulatedTest, WhatWaitsForTheProcessorIsBounded) {
  Controller& controller = add_controller();
  connect(controller);
  emulated.settings().message_delay = 10s;
  // A peer that sends without end is not read any more when enough requests wait.
  wire::Buffer request;
  gsmp::append_frame(request, add(100, 200));
  std::size_t sent = 0;
  while (emulated.allowance(controller.connection) > 0) {
    emulated.receive(controller.connection, request, now);
    sent += request.size();
    ASSERT_LT(sent, 2 * kWaitingOctetsMax);
  }
  EXPECT_GT(sent, kWaitingOctetsMax);
  emulated.settings().message_delay = {};
  emulated.tick(now);
  EXPECT_EQ(emulated.allowance(controller.connection), kUnlimited);
}

TEST_F(EmulatedTest, WhatWaitsIsVoidWhenTheAdjacencyGoes) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->switch_configuration(0, 0, now));
  settle();
  emulated.settings().message_delay = 1s;
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  settle();
  emulated.drop_adjacencies(now);
  pass(5s);
  EXPECT_TRUE(controller.session->can_send());
  EXPECT_EQ(emulated.fabric().branches(), 0U);
  EXPECT_EQ(emulated.fault_counters().dropped_stale, 1U);
}

// ----- events and cells -------------------------------------------------------------------------

TEST_F(EmulatedTest, ALineGoesDownAndComesUp) {
  Controller& controller = add_controller();
  connect(controller);
  controller.session->take_events();
  emulated.set_line(PortId(2), false);
  settle();
  const auto down = only<gsmp::SwitchEvent>(controller);
  ASSERT_EQ(down.size(), 1U);
  EXPECT_EQ(down[0].event.header.type, gsmp::MessageType::kPortDown);
  EXPECT_EQ(down[0].event.port, PortId(2));
  EXPECT_FALSE(emulated.fabric().cells().line_up(PortId(2)));
}

TEST_F(EmulatedTest, WhatLeavesAPortWithoutALinkIsGone) {
  auto [line, end] = dataplane::make_ring();
  emulated.attach(PortId(1), std::move(line));
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  settle();
  const Cell cell{.header = dataplane::cell_header(0, 100), .payload = {}};
  ASSERT_EQ(end->send(std::span(&cell, 1)), 1U);
  for (int turn = 0; turn < 10; ++turn, now += 1ms) emulated.pump(now);
  EXPECT_EQ(emulated.fabric().cells().counters(PortId(2)).output_cells, 1U);
  EXPECT_EQ(emulated.cells_deadline(), kNever);  // nothing waits for a line that does not exist
}

TEST_F(EmulatedTest, CellsGoOnAfterRestartsOverTheSameLinks) {
  auto [left, left_end] = dataplane::make_ring();
  auto [right, right_end] = dataplane::make_ring();
  emulated.attach(PortId(1), std::move(left));
  emulated.attach(PortId(2), std::move(right));
  std::size_t tapped = 0;
  emulated.set_tap(
      [&](PortId, dataplane::Direction, std::span<const Cell> cells) { tapped += cells.size(); });
  Controller& controller = add_controller();
  connect(controller);

  const auto carries = [&, &from = left_end, &to = right_end] {
    const Cell cell{.header = dataplane::cell_header(0, 100), .payload = {}};
    EXPECT_EQ(from->send(std::span(&cell, 1)), 1U);
    for (int turn = 0; turn < 10; ++turn, now += 1ms) emulated.pump(now);
    Cell got;
    const std::size_t count = to->receive(std::span(&got, 1));
    EXPECT_EQ(got.vci(), count == 1 ? 200 : 0);
    return count == 1;
  };
  EXPECT_FALSE(carries());
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  settle();
  EXPECT_TRUE(carries());
  emulated.restart(Restart::kHot, now);
  settle();
  EXPECT_TRUE(carries());
  emulated.restart(Restart::kCold, now);
  settle();
  EXPECT_FALSE(carries());
  connect(controller);
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  settle();
  EXPECT_TRUE(carries());
  EXPECT_EQ(tapped, 5U + 3U);  // five received, three sent
}

}  // namespace
}  // namespace xbind::emulator
