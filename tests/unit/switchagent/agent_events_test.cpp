// Events: their numbers, flags and flow control (RFC 3292 section 9).
#include "tests/unit/switchagent/agent_fixture.hpp"

namespace xbind::switchagent::test {
namespace {

using namespace std::chrono_literals;
using gsmp::MessageType;
using gsmp::PortFunction;

class AgentEventsTest : public AgentFixture {
 protected:
  std::vector<gsmp::Event> events() {
    std::vector<gsmp::Event> found;
    for (const gsmp::Message& message : take(id)) found.push_back(std::get<gsmp::Event>(message));
    return found;
  }
  gsmp::PortManagement reset(std::uint16_t flags, std::uint16_t flow = 0) {
    auto request = manage(1, PortFunction::kResetFlags);
    request.event_flags = flags;
    request.flow_control_flags = flow;
    return answer<gsmp::PortManagement>(id, request);
  }
  ControllerId id = connect();
};

TEST_F(AgentEventsTest, LineDownAndUp) {
  const std::uint32_t before = session(1);
  table.set_line(PortId(1), false);
  table.set_line(PortId(1), false);  // it is down already
  auto met = events();
  ASSERT_EQ(met.size(), 1U);
  EXPECT_EQ(met[0].header.type, MessageType::kPortDown);
  EXPECT_EQ(met[0].port_session, before);
  EXPECT_EQ(met[0].sequence, 1U);
  table.set_line(PortId(1), true);
  met = events();
  ASSERT_EQ(met.size(), 1U);
  EXPECT_EQ(met[0].header.type, MessageType::kPortUp);
  EXPECT_EQ(met[0].port_session, session(1));
  EXPECT_NE(session(1), before);
  EXPECT_EQ(met[0].sequence, 2U);
  // Down again while the flag of the first Port Down is still set: only the
  // sequence number shows it.
  table.set_line(PortId(1), false);
  EXPECT_TRUE(events().empty());
  const auto state = reset(gsmp::kEventPortDown);
  EXPECT_EQ(state.event_sequence, 3U);
  EXPECT_EQ(state.event_flags, gsmp::kEventPortUp);
  EXPECT_EQ(state.flow_control_flags, gsmp::kEventsAll);
}

TEST_F(AgentEventsTest, NothingGrowsWithCellsOnUnknownLabels) {
  for (int i = 0; i < 1000; ++i) cell_in(1, 0, 999);
  auto met = events();
  ASSERT_EQ(met.size(), 1U);
  EXPECT_EQ(met[0].header.type, MessageType::kInvalidLabel);
  EXPECT_EQ(met[0].label, label(0, 999));
  EXPECT_EQ(reset(gsmp::kEventInvalidLabel).event_sequence, 1000U);
  cell_in(1, 0, 998);
  EXPECT_EQ(events().size(), 1U);
  // Without flow control: one event in each kInvalidLabelRest.
  EXPECT_EQ(reset(gsmp::kEventInvalidLabel, gsmp::kEventInvalidLabel).flow_control_flags,
            gsmp::kEventsAll & ~gsmp::kEventInvalidLabel);
  now += kInvalidLabelRest;
  for (int i = 0; i < 1000; ++i) cell_in(1, 0, 999);
  EXPECT_EQ(events().size(), 1U);
  now += kInvalidLabelRest;
  for (int i = 0; i < 1000; ++i) cell_in(1, 0, 999);
  EXPECT_EQ(events().size(), 1U);
}

TEST_F(AgentEventsTest, WhatNobodyHearsIsNumberedAllTheSame) {
  agent.closed(id, now);
  const std::uint64_t held = agent.counters().events_held;
  table.set_line(PortId(1), false);
  table.set_line(PortId(1), true);
  cell_in(1, 0, 999);
  EXPECT_EQ(agent.counters().events_held, held + 3);
  // A controller connects and reads the port, so it cannot mistake the
  // next event for the first one.
  id = connect();
  const auto state = reset(0);
  EXPECT_EQ(state.event_sequence, 3U);
  EXPECT_EQ(state.event_flags, 0) << "nothing was sent";
  table.set_line(PortId(1), false);
  const auto met = events();
  ASSERT_EQ(met.size(), 1U);
  EXPECT_EQ(met[0].sequence, 4U);
}

TEST_F(AgentEventsTest, ADeadPortIsGoneUntilItIsNew) {
  ASSERT_EQ(code(id, add(1, 100, 2, 200)), gsmp::FailureCode::kNone);
  const gsmp::AddBranch again = add(1, 100, 2, 200);
  table.set_installed(PortId(1), false);
  EXPECT_EQ(events().at(0).header.type, MessageType::kDeadPort);
  EXPECT_EQ(fabric.branches(), 0U);
  EXPECT_EQ(code(id, again), gsmp::FailureCode::kNoSuchPort);
  gsmp::AllPortsRequest all;
  all.header.transaction = 1;
  EXPECT_EQ(answer<gsmp::AllPortsPart>(id, all).records.size(), 2U);
  table.set_installed(PortId(1), true);
  const auto met = events();
  ASSERT_EQ(met.size(), 1U);
  EXPECT_EQ(met[0].header.type, MessageType::kNewPort);
  EXPECT_EQ(met[0].sequence, 1U);
  EXPECT_EQ(code(id, again), gsmp::FailureCode::kInvalidPortSession);
}

class ReceiptTest : public AgentFixture {
 protected:
  static AgentOptions options() {
    AgentOptions with = agent_options();
    with.return_receipt = true;
    return with;
  }
  ReceiptTest() : AgentFixture(fabric_options(), options()) {}
};

TEST_F(ReceiptTest, AreAskedForAndCounted) {
  const ControllerId id = connect();
  table.set_line(PortId(1), false);
  const auto met = take(id);
  ASSERT_EQ(met.size(), 1U);
  gsmp::Event event = std::get<gsmp::Event>(met[0]);
  EXPECT_EQ(event.header.result, gsmp::ResultField::kReturnReceipt);
  event.header.result = gsmp::ResultField::kSuccess;
  EXPECT_TRUE(ask(id, event).empty());
  EXPECT_EQ(agent.counters().receipts, 1U);
  EXPECT_EQ(agent.counters().dropped, 0U);
}

}  // namespace
}  // namespace xbind::switchagent::test
