// A controller's session and a switch's agent, joined in memory: complete conversations.
#include <gtest/gtest.h>

#include <chrono>

#include "gsmp/session.hpp"
#include "switchagent/switch_agent.hpp"
#include "switchagent/table/fabric_table.hpp"

namespace xbind::switchagent {
namespace {

using namespace std::chrono_literals;
using gsmp::FailureCode;

constexpr std::uint32_t kSession1 = 0x5eed0001;

class Exchange : public ::testing::Test {
 protected:
  static FabricOptions fabric_options() {
    FabricOptions options;
    options.ports = 3;
    return options;
  }
  static AgentOptions agent_options() {
    AgentOptions options;
    options.name = name_from("sw1");
    options.response_octets_max = 200;
    options.window = 8;
    return options;
  }
  static gsmp::SessionOptions session_options() {
    gsmp::SessionOptions options;
    options.adjacency.name = 0x0200000a0001;
    return options;
  }
  Exchange()
      : fabric(fabric_options(), [next = kSession1]() mutable { return next++; }),
        agent(table, agent_options(), [this] { return ++drawn; }),
        session(session_options(), [this] { return ++drawn; }) {}

  // The TCP connection is established.
  void connect() {
    controller = *agent.connected(now);
    session.connected(now);
    settle();
  }
  void disconnect() {
    agent.closed(controller, now);
    session.closed(now);
  }
  // Carries octets in both directions until no end has output.
  void settle() {
    wire::Buffer octets;
    for (int turn = 0; turn < 1000; ++turn) {
      const bool quiet = !session.has_output();
      session.take_output(octets);
      agent.receive(controller, octets, now);
      agent.take_output(controller, octets);
      if (quiet && octets.empty()) return;
      session.receive(octets, now);
    }
    FAIL() << "the two never stop talking";
  }
  // Advances both ends' timers in steps, with all their messages.
  void pass(Duration time) {
    const TimePoint end = now + time;
    while (now < end) {
      now = std::min({end, agent.next_deadline(), session.next_deadline()});
      agent.tick(now);
      session.tick(now);
      settle();
    }
  }
  template <class E>
  std::vector<E> only() {
    std::vector<E> found;
    for (gsmp::SessionEvent& event : session.take_events()) {
      if (auto* one = std::get_if<E>(&event)) found.push_back(std::move(*one));
    }
    return found;
  }
  static gsmp::AddBranch add(std::uint32_t in_vci, std::uint32_t out_vci) {
    gsmp::AddBranch request;
    request.port_session = kSession1;
    request.input_port = PortId(1);
    request.output_port = PortId(2);
    request.input_label = gsmp::label_field(atm_label(0, in_vci));
    request.output_label = gsmp::label_field(atm_label(0, out_vci));
    return request;
  }
  static gsmp::DeleteElement element(std::uint32_t in_vci, std::uint32_t out_vci) {
    return {FailureCode::kNone,
            kSession1,
            PortId(1),
            PortId(2),
            gsmp::label_field(atm_label(0, in_vci)),
            gsmp::label_field(atm_label(0, out_vci))};
  }

  std::uint32_t drawn = 0;
  Fabric fabric;
  FabricTable table{fabric};
  SwitchAgent agent;
  gsmp::Session session;
  ControllerId controller;
  TimePoint now{};
};

TEST_F(Exchange, FromNothingToAConnectionAndBack) {
  connect();
  const auto up = only<gsmp::SessionUp>();
  ASSERT_EQ(up.size(), 1U);
  EXPECT_EQ(up[0].effective_flag, gsmp::kNewAdjacency);  // the switch has just been started
  EXPECT_EQ(up[0].peer.name, name_from("sw1"));

  // controller --> switch configuration; all ports
  ASSERT_TRUE(session.switch_configuration(0, 1, now));
  ASSERT_TRUE(session.all_ports_configuration(2, now));
  settle();
  const auto configured = only<gsmp::Response>();
  ASSERT_EQ(configured.size(), 3U);  // 16 + 3 x 72 octets are more than 200
  EXPECT_EQ(std::get<gsmp::SwitchConfiguration>(*configured[0].body).window, 8);
  EXPECT_TRUE(configured[1].more);
  EXPECT_FALSE(configured[2].more);

  // controller --> add branch, add branch with an invalid label
  ASSERT_TRUE(session.add_branch(add(100, 200), 3, now));
  ASSERT_TRUE(session.add_branch(add(1, 200), 4, now));
  settle();
  const auto added = only<gsmp::Response>();
  ASSERT_EQ(added.size(), 2U);
  EXPECT_TRUE(added[0].success);
  EXPECT_EQ(added[1].code, FailureCode::kInvalidInputLabel);
  EXPECT_EQ(fabric.branches(), 1U);

  // controller --> delete branches
  const auto gone = element(100, 200);
  ASSERT_TRUE(session.delete_branches(std::span(&gone, 1), 5, now));
  settle();
  EXPECT_TRUE(only<gsmp::Response>().at(0).success);
  EXPECT_EQ(fabric.branches(), 0U);
}

TEST_F(Exchange, MoreRequestsThanTheWindowTakes) {
  connect();
  ASSERT_TRUE(session.switch_configuration(0, 0, now));
  settle();
  session.take_events();
  for (std::uint32_t i = 0; i < 500; ++i) {
    ASSERT_TRUE(session.add_branch(add(100 + i, 200), 1000 + i, now));
  }
  EXPECT_EQ(session.outstanding(), 8U);
  settle();
  const auto answers = only<gsmp::Response>();
  ASSERT_EQ(answers.size(), 500U);
  for (std::uint32_t i = 0; i < 500; ++i) EXPECT_EQ(answers[i].cookie, 1000 + i);
  EXPECT_EQ(fabric.branches(), 500U);
}

TEST_F(Exchange, TheTableIsReadBackInParts) {
  connect();
  for (std::uint32_t i = 0; i < 30; ++i) fabric.add_branch(add(100 + i, 200 + i));
  session.take_events();
  ASSERT_TRUE(session.report_connections(PortId(1), 7, now));
  settle();
  std::size_t records = 0;
  const auto parts = only<gsmp::Response>();
  for (const auto& part : parts) {
    EXPECT_EQ(part.cookie, 7U);
    EXPECT_EQ(part.more, &part != &parts.back());
    records += std::get<gsmp::ReportPart>(*part.body).records.size();
  }
  EXPECT_GT(parts.size(), 1U);
  EXPECT_EQ(records, 30U);
  // A port without connections: failure 10.
  ASSERT_TRUE(session.report_connections(PortId(3), 8, now));
  settle();
  EXPECT_EQ(only<gsmp::Response>().at(0).code, FailureCode::kGeneral);
}

TEST_F(Exchange, AnHourOfNothingKeepsTheAdjacency) {
  connect();
  session.take_events();
  pass(3600s);
  EXPECT_TRUE(session.can_send());
  EXPECT_EQ(agent.adjacencies(), 1U);
  EXPECT_TRUE(session.take_events().empty());
}

TEST_F(Exchange, TheLineIsCutAndComesBack) {
  connect();
  ASSERT_TRUE(session.add_branch(add(100, 200), 1, now));
  settle();
  ASSERT_TRUE(session.switch_configuration(0, 2, now));
  session.take_events();
  disconnect();  // before the request was carried
  auto events = session.take_events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<gsmp::RequestLost>(events[1]).cookie, 2U);
  connect();
  EXPECT_EQ(only<gsmp::SessionUp>().at(0).effective_flag, gsmp::kRecoveredAdjacency);
  EXPECT_EQ(fabric.branches(), 1U);  // the switch has kept the branch
}

TEST_F(Exchange, TheControllerRestartsOverTheSameLine) {
  connect();
  // A new session without state on the old connection: both ends are up again after a few messages,
  // without waiting for a timer.
  session = gsmp::Session(session_options(), [this] { return ++drawn; });
  session.connected(now);
  settle();
  EXPECT_TRUE(session.can_send());
  EXPECT_EQ(agent.adjacencies(), 1U);
}

TEST_F(Exchange, AStreamCutIntoSingleOctets) {
  controller = *agent.connected(now);
  session.connected(now);
  for (int turn = 0; turn < 20; ++turn) {
    for (const std::byte octet : session.take_output()) {
      agent.receive(controller, std::span(&octet, 1), now);
    }
    wire::Buffer octets;
    agent.take_output(controller, octets);
    for (const std::byte octet : octets) session.receive(std::span(&octet, 1), now);
  }
  EXPECT_TRUE(session.can_send());
}

}  // namespace
}  // namespace xbind::switchagent
