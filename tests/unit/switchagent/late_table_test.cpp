// The agent over a table that completes its requests later, in another order, or never.
#include <gtest/gtest.h>

#include <algorithm>

#include "asked_table.hpp"
#include "switchagent/switch_agent.hpp"
#include "tests/unit/gsmp/hex.hpp"
#include "tests/unit/switchagent/agent_fixture.hpp"

namespace xbind::switchagent::test {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::ResultField;

class LateTable : public ::testing::Test {
 protected:
  static AgentOptions options() {
    AgentOptions options;
    options.name = 0x0200000b0001;
    options.region_model = true;
    options.window = 4;
    options.open_requests_max = 6;
    options.output_octets_max = 4096;
    return options;
  }

  // The handshake of a controller that begins anew with PFlag 2: the table is kept.
  void establish(ControllerId at, std::uint32_t with_instance) {
    gsmp::AdjacencyOptions with;
    with.name = 0x0200000a0001;
    test::establish(agent, at, with, with_instance, now);
  }
  ControllerId connect() {
    const ControllerId made = agent.connected(now).value();
    establish(made, ++instance);
    return made;
  }
  // The messages for the controller, without the events about other controllers.
  std::vector<gsmp::Message> take(ControllerId from) {
    wire::Buffer out;
    agent.take_output(from, out);
    std::vector<gsmp::Message> heard = gsmp::test::messages_of(out);
    std::erase_if(heard, [](const gsmp::Message& message) {
      const auto* event = std::get_if<gsmp::Event>(&message);
      return event != nullptr && event->header.type == MessageType::kAdjacencyUpdate;
    });
    return heard;
  }
  template <class M>
  M only(ControllerId from) {
    const auto heard = take(from);
    EXPECT_EQ(heard.size(), 1U);
    const M* one = heard.empty() ? nullptr : std::get_if<M>(&heard[0]);
    EXPECT_NE(one, nullptr);
    return one == nullptr ? M{} : *one;
  }
  // "17 ok" or "17 code 19", by transaction, in the order of the answers.
  std::vector<std::string> answers(ControllerId from) {
    std::vector<std::string> words;
    for (const gsmp::Message& message : take(from)) {
      std::visit(
          [&](const auto& one) {
            if constexpr (requires { one.header.transaction; }) {
              const auto code = static_cast<unsigned>(one.header.code);
              words.push_back(one.header.success()
                                  ? fmt::format("{} ok", one.header.transaction)
                                  : fmt::format("{} code {}", one.header.transaction, code));
            }
          },
          message);
    }
    return words;
  }
  template <class M>
  void ask(ControllerId from, M request, std::uint32_t transaction = 1) {
    request.header.transaction = transaction;
    agent.receive(from, gsmp::test::framed(request), now);
  }
  static gsmp::LabelField label(std::uint32_t vci) { return gsmp::label_field(atm_label(0, vci)); }
  static gsmp::AddBranch add(std::uint32_t vci) {
    gsmp::AddBranch request;
    request.port_session = AskedTable::session_of(1);
    request.input_port = PortId(1);
    request.output_port = PortId(2);
    request.input_label = label(vci);
    request.output_label = label(vci);
    return request;
  }
  static gsmp::DeleteElement element(std::uint32_t vci) {
    return {FailureCode::kNone, AskedTable::session_of(1), PortId(1), PortId(2), label(vci),
            label(vci)};
  }
  static ConnectionReading reading(std::size_t branches, std::uint64_t cells) {
    ConnectionReading reported{.branches = branches, .counters = {}};
    reported.counters.input_cells = cells;
    return reported;
  }
  using Words = std::vector<std::string>;

  TimePoint now = TimePoint{} + std::chrono::seconds{1000};
  std::uint32_t instance = 0x0a0000;
  AskedTable table;
  SwitchAgent agent{table, options(), [] { return 0x3d4e5fU; }};
  ControllerId id = connect();
};

TEST_F(LateTable, AnswersGoOutInTheOrderInWhichTheTableCompletes) {
  ask(id, add(40), 17);
  ask(id, add(41), 18);
  ask(id, add(42), 19);
  EXPECT_EQ(answers(id), Words{});
  EXPECT_EQ(agent.open_requests(), 3U);
  table.complete(2);
  table.complete(0, FailureCode::kInvalidInputLabel);
  EXPECT_EQ(answers(id), (Words{"19 ok", "17 code 13"}));
  table.complete(1);
  EXPECT_EQ(answers(id), Words{"18 ok"});
  EXPECT_EQ(agent.open_requests(), 0U);
  EXPECT_EQ(agent.counters().branches_added, 2U);
}

TEST_F(LateTable, ALateAnswerIsTheRequestCopied) {
  ask(id, add(40), 17);
  table.complete(0);
  const auto answer = only<gsmp::AddBranch>(id);
  EXPECT_EQ(answer.header.result, ResultField::kSuccess);
  EXPECT_EQ(answer.header.transaction, 17U);
  EXPECT_EQ(answer.input_label, label(40));
  EXPECT_EQ(answer.port_session, AskedTable::session_of(1));
}

TEST_F(LateTable, ASuccessThatNobodyWantsToHearIsNotAnswered) {
  auto request = add(40);
  request.header.result = ResultField::kNoSuccessAck;
  ask(id, request, 17);
  ask(id, request, 18);
  table.complete(0);
  EXPECT_EQ(answers(id), Words{});
  table.complete(1, FailureCode::kOutOfResources);
  EXPECT_EQ(answers(id), Words{"18 code 19"});
}

TEST_F(LateTable, ADeleteIsAnsweredOnceWhenAllItsElementsAreDone) {
  gsmp::DeleteBranches request;
  request.elements = {element(40), element(41), element(42)};
  request.elements[1].port_session = 7;  // detected as wrong without querying the table
  ask(id, request, 17);
  ASSERT_EQ(table.asked.size(), 2U);
  table.complete(1);  // of VCI 42
  EXPECT_EQ(answers(id), Words{});
  table.complete(0, FailureCode::kNoSuchBranch);
  const auto answer = only<gsmp::DeleteBranches>(id);
  EXPECT_EQ(answer.header.code, FailureCode::kGeneral);
  ASSERT_EQ(answer.elements.size(), 3U);
  EXPECT_EQ(answer.elements[0].error, FailureCode::kNoSuchBranch);
  EXPECT_EQ(answer.elements[1].error, FailureCode::kInvalidPortSession);
  EXPECT_EQ(answer.elements[2].error, FailureCode::kNone);
}

TEST_F(LateTable, ATicketThatIsCompletedTwiceCountsOnce) {
  gsmp::DeleteBranches request;
  request.elements = {element(40), element(41)};
  ask(id, request, 17);
  table.complete(0);
  table.complete(0);  // the other part is still pending
  EXPECT_EQ(answers(id), Words{});
  table.complete(1);
  EXPECT_EQ(answers(id), Words{"17 ok"});
  table.complete(1);
  EXPECT_EQ(answers(id), Words{});
  EXPECT_EQ(agent.counters().answers_unknown, 2U);
}

TEST_F(LateTable, EveryRequestBehindADeleteAllReachesTheTableAfterIt) {
  gsmp::DeleteAll all;
  all.port = PortId(1);
  all.port_session = AskedTable::session_of(1);
  ask(id, all, 17);
  ask(id, add(40), 18);
  ASSERT_EQ(table.asked.size(), 2U);
  EXPECT_EQ(table.asked[0].what, "delete all input");
  EXPECT_EQ(table.asked[1].what, fmt::format("add {}", atm_label(0, 40).value));
  table.complete(1);
  table.complete(0);
  EXPECT_EQ(answers(id), (Words{"18 ok", "17 ok"}));
}

TEST_F(LateTable, WhatTheTableReadsIsAnsweredLateToo) {
  gsmp::StatisticsRequest statistics;
  statistics.header.type = MessageType::kConnectionStatistics;
  statistics.port = PortId(1);
  statistics.label = label(40);
  ask(id, statistics);
  table.complete(0, reading(1, 1234));
  EXPECT_EQ(only<gsmp::Statistics>(id).counters.input_cells, 1234U);

  gsmp::ConnectionActivity activity;
  activity.records.resize(2);
  activity.records[0].input_port = activity.records[1].input_port = PortId(1);
  activity.records[0].input_label = label(40);
  activity.records[1].input_label = label(41);
  ask(id, activity);
  table.complete(2, reading(1, 7));
  table.complete(1, FailureCode::kNoSuchConnection);
  const auto reported = only<gsmp::ConnectionActivity>(id);
  ASSERT_EQ(reported.records.size(), 2U);
  EXPECT_FALSE(reported.records[0].valid);
  EXPECT_TRUE(reported.records[1].valid);
  EXPECT_EQ(reported.records[1].traffic_cells, 7U);
}

TEST_F(LateTable, ThePartsOfAReportStandTogether) {
  gsmp::ReportRequest request;
  request.input_port = PortId(1);
  request.input_label = gsmp::label_field(Label{}, gsmp::kFlagAll);
  ask(id, request, 17);
  ask(id, add(40), 18);
  table.complete(0, TableReport{{atm_label(0, 40), false, PortId(2), atm_label(0, 50)},
                                {atm_label(0, 40), false, PortId(3), atm_label(0, 51)},
                                {atm_label(0, 41), false, PortId(2), atm_label(0, 52)}});
  const auto part = only<gsmp::ReportPart>(id);
  ASSERT_EQ(part.records.size(), 2U);
  EXPECT_EQ(part.records[0].input_label, label(40));
  ASSERT_EQ(part.records[0].branches.size(), 2U);
  EXPECT_EQ(part.records[0].branches[1].output_port, PortId(3));
  EXPECT_EQ(part.records[1].input_label, label(41));
}

TEST_F(LateTable, PortsAreManagedLate) {
  gsmp::PortManagement bring_up;
  bring_up.port = PortId(2);
  bring_up.port_session = AskedTable::session_of(2);
  bring_up.function = gsmp::PortFunction::kBringUp;
  ask(id, bring_up, 17);
  EXPECT_EQ(answers(id), Words{});
  agent.take_notices();
  table.complete(0, BranchesDeleted{3});
  EXPECT_EQ(answers(id), Words{"17 ok"});
  const auto notices = agent.take_notices();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_NE(notices[0].text.find("3 branches are deleted"), std::string::npos) << notices[0].text;
}

TEST_F(LateTable, ARequestBeyondTheWindowIsRefusedAndTheTableIsNotAsked) {
  for (std::uint32_t one = 0; one < 4; ++one) ask(id, add(40 + one), one);
  ask(id, add(50), 17);  // the table has completed no request
  EXPECT_EQ(answers(id), Words{"17 code 19"});
  EXPECT_EQ(table.asked.size(), 4U);
  EXPECT_EQ(agent.counters().refused_open, 1U);
  table.complete(2);
  ask(id, add(51), 18);
  table.complete(4);
  EXPECT_EQ(answers(id), (Words{"2 ok", "18 ok"}));
}

TEST_F(LateTable, WhatTheAgentKnowsIsAnsweredWhileTheWindowIsFull) {
  for (std::uint32_t one = 0; one < 4; ++one) ask(id, add(40 + one), one);
  gsmp::PortConfigurationRequest request;
  request.port = PortId(2);
  ask(id, request, 17);
  EXPECT_EQ(answers(id), Words{"17 ok"});
}

// A request that the table never completes keeps its place. The total bound also counts requests
// whose controller has gone.
TEST_F(LateTable, ControllersThatComeAndGoCannotFillTheTable) {
  for (std::uint32_t one = 0; one < 4; ++one) ask(id, add(40 + one), one);
  agent.closed(id, now);
  id = connect();
  ask(id, add(50), 17);
  ask(id, add(51), 18);
  ask(id, add(52), 19);  // 4 pending of the earlier controller, 2 of this one
  EXPECT_EQ(answers(id), Words{"19 code 19"});
  table.complete(0);
  ask(id, add(53), 20);
  table.complete(6);
  EXPECT_EQ(answers(id), Words{"20 ok"});
}

TEST_F(LateTable, TheAnswerForAControllerThatHasGoneReachesNobodyElse) {
  const ControllerId other = connect();
  ask(id, add(40), 17);
  ask(other, add(41), 17);
  agent.closed(id, now);
  const ControllerId next = connect();
  take(other);
  take(next);
  table.complete(0);
  EXPECT_EQ(answers(other), Words{});
  EXPECT_EQ(answers(next), Words{});
  EXPECT_EQ(agent.counters().answers_void, 1U);
  table.complete(1);
  EXPECT_EQ(answers(other), Words{"17 ok"});
  EXPECT_EQ(agent.open_requests(), 0U);
}

TEST_F(LateTable, AnOldAnswerDoesNotGoToANewAdjacency) {
  ask(id, add(40), 17);
  // The controller loses contact and begins anew on the same connection, again with transaction 17.
  establish(id, ++instance);
  take(id);
  ask(id, add(41), 17);
  table.complete(0, FailureCode::kOutOfResources);
  EXPECT_EQ(answers(id), Words{});
  table.complete(1);
  EXPECT_EQ(answers(id), Words{"17 ok"});
  EXPECT_EQ(agent.counters().answers_void, 1U);
}

TEST_F(LateTable, AnAdjacencyThatIsLostTakesItsOpenRequestsAlong) {
  for (std::uint32_t one = 0; one < 4; ++one) ask(id, add(40 + one), one);
  while (!agent.to_close(id)) {
    now = agent.next_deadline();
    agent.tick(now);
  }
  take(id);
  table.complete(0);
  EXPECT_EQ(answers(id), Words{});
  EXPECT_EQ(agent.counters().answers_void, 1U);
}

TEST_F(LateTable, EventsOvertakeWhatIsOpen) {
  ask(id, add(40), 17);
  table.line(PortId(2), false);
  EXPECT_EQ(only<gsmp::Event>(id).header.type, MessageType::kPortDown);
  table.complete(0);
  EXPECT_EQ(answers(id), Words{"17 ok"});
}

TEST_F(LateTable, LateAnswersThatNobodyTakesCutTheControllerOff) {
  for (std::uint32_t one = 0; one < 200 && !agent.to_close(id); ++one) {
    ask(id, add(40), one);
    table.complete(table.asked.size() - 1);
  }
  ASSERT_TRUE(agent.to_close(id));
  EXPECT_NE(agent.to_close(id)->find("octets of answers wait"), std::string::npos);
  EXPECT_LT(table.asked.size(), 100U);
}

TEST_F(LateTable, WhatTheTableLacksIsNotImplemented) {
  gsmp::ReservationRequest reserve;
  reserve.reservation = 1;
  reserve.port_session = AskedTable::session_of(1);
  reserve.input_port = PortId(1);
  reserve.output_port = PortId(2);
  reserve.input_label = reserve.output_label = label(40);
  ask(id, reserve, 17);
  gsmp::DeleteReservation release;
  release.reservation = 1;
  ask(id, release, 18);
  ask(id, gsmp::DeleteAllReservations{}, 19);
  gsmp::EstimationSupport support;
  ask(id, support, 20);
  EXPECT_EQ(answers(id), (Words{"17 code 3", "18 code 3", "19 code 3", "20 code 3"}));
  EXPECT_TRUE(table.asked.empty());

  auto path = add(0);
  path.header.type = MessageType::kVpcAddBranch;
  ask(id, path, 21);
  EXPECT_EQ(answers(id), Words{"21 code 24"});

  // The configuration reports no reservations, and only the default model although xbind-sr is on.
  gsmp::SwitchConfiguration ask_for;
  ask_for.header.result = ResultField::kAckAll;
  ask_for.model_types[0] = kModelRegion;
  ask(id, ask_for, 22);
  const auto configuration = only<gsmp::SwitchConfiguration>(id);
  EXPECT_EQ(configuration.max_reservations, 0U);
  EXPECT_EQ(configuration.model_types[0], kModelDefault);
}

}  // namespace
}  // namespace xbind::switchagent::test
