// The agent against a controller that the test emulates by hand: its checks and their order,
// paging, several controllers, and the handling of octets that are not GSMP.
#include "switchagent/switch_agent.hpp"
#include "switchagent/table/fabric_table.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/unit/gsmp/hex.hpp"

namespace xbind::switchagent {
namespace {

using namespace std::chrono_literals;
using gsmp::FailureCode;
using gsmp::Message;
using gsmp::MessageType;
using gsmp::ResultField;
using gsmp::test::golden;
using gsmp::test::to_hex;

// The constants of the worked messages.
constexpr std::uint64_t kSwitchName = 0x0200000b0001;
constexpr std::uint32_t kAgentSession1 = 0x5eed0001;
constexpr std::uint32_t kSession2 = 0x5eed0002;

FabricOptions fabric_options() {
  FabricOptions options;
  options.ports = 2;
  // The services of the worked port configuration.
  std::erase_if(options.services, [](const gsmp::ServiceRecord& record) {
    return record.service == gsmp::ServiceId::kRtVbr1 || record.service == gsmp::ServiceId::kGfr1;
  });
  return options;
}
AgentOptions agent_options() {
  AgentOptions options;
  options.name = kSwitchName;
  options.port = 0x10;
  options.controllers_max = 3;
  return options;
}

class AgentTest : public ::testing::Test {
 protected:
  explicit AgentTest(AgentOptions options = agent_options())
      : fabric(fabric_options(), [next = kAgentSession1]() mutable { return next++; }),
        agent(table, options, [] { return 0x3d4e5fU; }) {}

  // SYN and ACK of a controller, by the worked messages; `flag` is the requested adjacency.
  ControllerId connect(std::uint8_t flag = gsmp::kRecoveredAdjacency) {
    const ControllerId id = agent.connected(now).value();
    for (const char* message : {"A1", "A5"}) {
      wire::Buffer frame = golden(message);
      frame[4 + 24] = static_cast<std::byte>(flag);
      agent.receive(id, frame, now);
    }
    return id;
  }
  // As connect(), and discards the messages of the handshake.
  ControllerId established(std::uint8_t flag = gsmp::kRecoveredAdjacency) {
    const ControllerId id = connect(flag);
    for (const ControllerId any : agent.controllers()) output(any);
    agent.take_notices();
    return id;
  }
  wire::Buffer output(ControllerId id) {
    wire::Buffer out;
    agent.take_output(id, out);
    return out;
  }
  std::vector<Message> answers(ControllerId id) { return gsmp::test::messages_of(output(id)); }
  // One request, one answer, as octets.
  std::string ask(ControllerId id, const wire::Buffer& frame) {
    agent.receive(id, frame, now);
    return to_hex(output(id));
  }
  static FailureCode code_of(const std::string& hex_answer) {
    const wire::Buffer frame = gsmp::test::from_hex(hex_answer);
    EXPECT_GE(frame.size(), 16U);
    EXPECT_EQ(frame.at(6), static_cast<std::byte>(ResultField::kFailure));
    return static_cast<FailureCode>(frame.at(7));
  }
  static wire::Buffer with(wire::Buffer frame, std::size_t message_offset,
                           std::initializer_list<int> octets) {
    for (const int octet : octets) {
      frame.at(4 + message_offset++) = static_cast<std::byte>(octet);
    }
    return frame;
  }
  static gsmp::AddBranch add(std::uint32_t in_vci, std::uint32_t out_vci) {
    gsmp::AddBranch request;
    request.header.transaction = 1;
    request.port_session = kAgentSession1;
    request.input_port = PortId(1);
    request.output_port = PortId(2);
    request.input_label = gsmp::label_field(atm_label(0, in_vci));
    request.output_label = gsmp::label_field(atm_label(0, out_vci));
    return request;
  }

  Fabric fabric;
  FabricTable table{fabric};
  SwitchAgent agent;
  TimePoint now{};
};

// ----- the worked exchanges -------------------------------------------------------------------

TEST_F(AgentTest, TheHandshake) {
  const auto id = agent.connected(now);
  ASSERT_TRUE(id);
  EXPECT_EQ(to_hex(output(*id)), to_hex(golden("A2")));  // PFlag 1 after a cold start
  agent.receive(*id, golden("A1"), now);
  EXPECT_EQ(to_hex(output(*id)), to_hex(golden("A3")));
  agent.receive(*id, golden("A5"), now);
  // The ACK, followed by the update about one adjacency.
  wire::Buffer expected = golden("A6");
  const wire::Buffer update = with(golden("E4"), 3, {1});
  expected.insert(expected.end(), update.begin(), update.end());
  EXPECT_EQ(to_hex(output(*id)), to_hex(expected));
  EXPECT_EQ(agent.adjacencies(), 1U);
}

TEST_F(AgentTest, Configuration) {
  const ControllerId id = established();
  EXPECT_EQ(ask(id, golden("C1")), to_hex(golden("C2")));
  EXPECT_EQ(ask(id, golden("C3")), to_hex(golden("C4")));
  agent.receive(id, golden("C5"), now);
  const auto all = std::get<gsmp::AllPortsPart>(answers(id).at(0));
  EXPECT_EQ(all.total, 2);
  ASSERT_EQ(all.records.size(), 2U);
  EXPECT_EQ(all.records[1].port, PortId(2));
  EXPECT_EQ(all.records[1].port_session, kSession2);
}

TEST_F(AgentTest, AddReportDelete) {
  const ControllerId id = established();
  EXPECT_EQ(ask(id, golden("B1")), to_hex(golden("B2")));
  EXPECT_EQ(ask(id, golden("B1")), to_hex(golden("B2")));  // safe to repeat
  EXPECT_EQ(ask(id, golden("S2")), to_hex(golden("S3")));
  EXPECT_EQ(ask(id, golden("D1")), to_hex(golden("D2")));
  // Deleted: the report finds nothing, and the delete knows no connection.
  EXPECT_EQ(code_of(ask(id, golden("S2"))), FailureCode::kGeneral);
  agent.receive(id, golden("D1"), now);
  const auto failed = std::get<gsmp::DeleteBranches>(answers(id).at(0));
  EXPECT_EQ(failed.header.code, FailureCode::kGeneral);
  ASSERT_EQ(failed.elements.size(), 1U);
  EXPECT_EQ(failed.elements[0].error, FailureCode::kNoSuchConnection);
}

TEST_F(AgentTest, DeleteOfWhichHalfIsThere) {  // D3
  const ControllerId id = established();
  ask(id, golden("B1"));
  wire::Buffer request = golden("D3");
  request = with(request, 2, {2, 0});   // as requested: AckAll, no code
  request = with(request, 48, {0x00});  // no errors yet
  EXPECT_EQ(ask(id, request), to_hex(golden("D3")));
  EXPECT_EQ(fabric.branches(), 0U);
}

TEST_F(AgentTest, AddWithServiceIsCopiedWithItsTraffic) {  // B4
  const ControllerId id = established();
  EXPECT_EQ(ask(id, golden("B4")), to_hex(with(golden("B4"), 2, {3})));
}

TEST_F(AgentTest, NoSuccessAckIsSilentUnlessItFails) {  // B5
  const ControllerId id = established();
  EXPECT_EQ(ask(id, golden("B5")), "");
  EXPECT_EQ(fabric.branches(), 2U);
  EXPECT_EQ(code_of(ask(id, golden("B5"))), FailureCode::kBidirectionalExists);
  // A delete keeps quiet too; a report and a configuration are always answered.
  EXPECT_EQ(ask(id, with(golden("C1"), 2, {1})).empty(), false);
  EXPECT_EQ(ask(id, with(golden("S2"), 2, {1})).empty(), false);
}

// ----- the order of checks --------------------------------------------------------------------

TEST_F(AgentTest, TypesThatAreNotServedAreFailureThree) {  // F1 and others
  const ControllerId id = established();
  wire::Buffer verify_tree = with(golden("F1"), 2, {2, 0});
  EXPECT_EQ(ask(id, verify_tree), to_hex(golden("F1")));
  // Unassigned message types, and the messages of a model that was not agreed on.
  for (const int other : {0, 13, 25, 51, 73, 199, 220, 221, 222, 223, 224, 225, 226, 227, 255}) {
    EXPECT_EQ(code_of(ask(id, with(golden("R3"), 1, {other}))), FailureCode::kNotImplemented)
        << other;
  }
  EXPECT_EQ(agent.counters().failures_of[199], 1U);
}

TEST_F(AgentTest, EachCheckComesBeforeTheNext) {
  const ControllerId id = established();
  // Every field is wrong and is corrected step by step.
  gsmp::AddBranch request = add(31, 200);
  request.input_port = PortId(9);
  request.port_session = 1;
  request.header.partition = 3;
  wire::Buffer too_short = gsmp::test::framed(request);
  too_short.resize(40);
  too_short[3] = std::byte{36};
  too_short[4 + 11] = std::byte{36};
  const auto asked = [&](const gsmp::AddBranch& message) {
    return code_of(ask(id, gsmp::test::framed(message)));
  };
  EXPECT_EQ(code_of(ask(id, with(too_short, 1, {199}))), FailureCode::kNotImplemented);
  EXPECT_EQ(code_of(ask(id, too_short)), FailureCode::kInvalidMessage);
  EXPECT_EQ(asked(request), FailureCode::kNoSuchPort);
  request.input_port = PortId(1);
  EXPECT_EQ(asked(request), FailureCode::kInvalidPortSession);
  request.port_session = kAgentSession1;
  EXPECT_EQ(asked(request), FailureCode::kInvalidPartition);
  request.header.partition = 0;
  EXPECT_EQ(asked(request), FailureCode::kInvalidInputLabel);
  request.input_label = gsmp::label_field(atm_label(0, 100));
  agent.receive(id, gsmp::test::framed(request), now);
  EXPECT_EQ(std::get<gsmp::AddBranch>(answers(id).at(0)).header.result, ResultField::kSuccess);
}

TEST_F(AgentTest, FailuresCopyTheRequest) {  // B3
  const ControllerId id = established();
  const wire::Buffer request = with(golden("B1"), 12, {0x5e, 0xed, 0x00, 0x02});
  wire::Buffer expected = with(golden("B3"), 12, {0x5e, 0xed, 0x00, 0x02});
  EXPECT_EQ(ask(id, request), to_hex(expected));
}

TEST_F(AgentTest, AWrongPartitionFailsEveryRequest) {
  const ControllerId id = established();
  for (const char* request : {"B1", "B6", "C1", "C3", "C5", "C6", "D1", "D4", "D5", "L1", "P1",
                              "R1", "R2", "R3", "S1", "S2"}) {
    EXPECT_EQ(code_of(ask(id, with(golden(request), 4, {9}))), FailureCode::kInvalidPartition)
        << request;
  }
}

TEST_F(AgentTest, APortThatIsNotThere) {
  const ControllerId id = established();
  EXPECT_EQ(code_of(ask(id, with(golden("C3"), 12, {0, 0, 0, 9}))), FailureCode::kNoSuchPort);
  EXPECT_EQ(code_of(ask(id, with(golden("S2"), 12, {0, 0, 0, 9}))), FailureCode::kNoSuchPort);
  agent.receive(id, with(golden("D1"), 24, {0, 0, 0, 9}), now);
  EXPECT_EQ(std::get<gsmp::DeleteBranches>(answers(id).at(0)).elements.at(0).error,
            FailureCode::kNoSuchPort);
}

TEST_F(AgentTest, MessagesThatContradictThemselves) {
  const ControllerId id = established();
  // Length beyond the frame; a segment; a result that does not exist; too
  // large a number of elements.
  EXPECT_EQ(code_of(ask(id, with(golden("B1"), 10, {0, 57}))), FailureCode::kInvalidMessage);
  EXPECT_EQ(code_of(ask(id, with(golden("B1"), 8, {0, 2}))), FailureCode::kInvalidMessage);
  EXPECT_EQ(code_of(ask(id, with(golden("B1"), 2, {9}))), FailureCode::kInvalidMessage);
  EXPECT_EQ(code_of(ask(id, with(golden("D1"), 14, {0, 2}))), FailureCode::kInvalidMessage);
  EXPECT_EQ(agent.adjacencies(), 1U);
}

TEST_F(AgentTest, AnswersInOrderOfArrival) {
  const ControllerId id = established();
  wire::Buffer stream;
  for (std::uint32_t i = 1; i <= 5; ++i) {
    gsmp::AddBranch request = add(i == 3 ? 1 : 100 + i, 200);
    request.header.transaction = i;
    gsmp::append_frame(stream, request);
  }
  agent.receive(id, stream, now);
  const auto all = answers(id);
  ASSERT_EQ(all.size(), 5U);
  for (std::uint32_t i = 1; i <= 5; ++i) {
    const gsmp::Header& header = std::get<gsmp::AddBranch>(all[i - 1]).header;
    EXPECT_EQ(header.transaction, i);
    EXPECT_EQ(header.result, i == 3 ? ResultField::kFailure : ResultField::kSuccess);
  }
}

TEST_F(AgentTest, RefusesOnDemand) {
  const ControllerId id = established();
  agent.refuse_next(2, FailureCode::kInsufficientResources);
  EXPECT_EQ(ask(id, golden("C1")).empty(), false);  // refuse_next() does not apply to it
  EXPECT_EQ(code_of(ask(id, golden("B1"))), FailureCode::kInsufficientResources);
  EXPECT_EQ(code_of(ask(id, golden("B1"))), FailureCode::kInsufficientResources);
  EXPECT_EQ(ask(id, golden("B1")), to_hex(golden("B2")));
  EXPECT_EQ(fabric.branches(), 1U);
}

TEST_F(AgentTest, ResponsesAndEventsFromAControllerAreDropped) {
  const ControllerId id = established();
  EXPECT_EQ(ask(id, golden("B2")), "");
  EXPECT_EQ(ask(id, golden("E1")), "");
  EXPECT_EQ(ask(id, with(golden("B1"), 0, {2})), "");  // of another version
  EXPECT_EQ(agent.counters().dropped, 3U);
}

// ----- paging ---------------------------------------------------------------------------------

class PagingTest : public AgentTest {
 protected:
  static AgentOptions options() {
    AgentOptions options = agent_options();
    options.response_octets_max = 20 + 3 * 24;  // three connections of one branch
    return options;
  }
  PagingTest() : AgentTest(options()) {}
};

TEST_F(PagingTest, AReportInParts) {
  const ControllerId id = established();
  for (std::uint32_t i = 0; i < 7; ++i) fabric.add_branch(add(100 + i, 200 + i));
  agent.receive(id, golden("S2"), now);
  const auto parts = answers(id);
  ASSERT_EQ(parts.size(), 3U);
  std::uint32_t next = 100;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto& part = std::get<gsmp::ReportPart>(parts[i]);
    EXPECT_EQ(part.header.result, i < 2 ? ResultField::kMore : ResultField::kSuccess);
    EXPECT_EQ(part.header.transaction, 0x602U);
    EXPECT_EQ(part.sequence, i);
    EXPECT_EQ(part.records.size(), i < 2 ? 3U : 1U);
    for (std::size_t r = 0; r < part.records.size(); ++r) {
      EXPECT_EQ(part.records[r].all, r == 0);  // in the first record of each part
      EXPECT_EQ(gsmp::label_of(part.records[r].input_label), atm_label(0, next++));
    }
  }
  EXPECT_EQ(next, 107U);
}

TEST_F(PagingTest, ABigMulticastGoesOnInTheNextPart) {
  const ControllerId id = established();
  fabric.add_branch(add(100, 200));
  for (std::uint32_t i = 0; i < 8; ++i) fabric.add_branch(add(101, 300 + i));
  agent.receive(id, golden("S2"), now);
  std::vector<std::pair<Label, std::size_t>> records;
  const auto parts = answers(id);
  for (const Message& message : parts) {
    for (const auto& record : std::get<gsmp::ReportPart>(message).records) {
      records.emplace_back(gsmp::label_of(record.input_label), record.branches.size());
    }
    EXPECT_LE(gsmp::test::framed(message).size() - 4, options().response_octets_max);
  }
  EXPECT_EQ(records, (std::vector<std::pair<Label, std::size_t>>{
                         {atm_label(0, 100), 1}, {atm_label(0, 101), 5}, {atm_label(0, 101), 3}}));
}

TEST_F(PagingTest, AllPortsInParts) {
  const ControllerId id = established();
  agent.receive(id, golden("C5"), now);
  const auto parts = answers(id);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(std::get<gsmp::AllPortsPart>(parts[0]).header.result, ResultField::kMore);
  EXPECT_EQ(std::get<gsmp::AllPortsPart>(parts[0]).total, 2);
  EXPECT_EQ(std::get<gsmp::AllPortsPart>(parts[1]).header.result, ResultField::kSuccess);
  EXPECT_EQ(std::get<gsmp::AllPortsPart>(parts[1]).total, 2);
}

TEST_F(AgentTest, ReportsOneLabelOrOneVpi) {
  const ControllerId id = established();
  fabric.add_branch(add(100, 200));
  fabric.add_branch(add(101, 201));
  gsmp::ReportRequest request;
  request.header.transaction = 1;
  request.input_port = PortId(1);
  request.input_label = gsmp::label_field(atm_label(0, 101));
  agent.receive(id, gsmp::test::framed(request), now);
  const auto one = std::get<gsmp::ReportPart>(answers(id).at(0));
  ASSERT_EQ(one.records.size(), 1U);
  EXPECT_FALSE(one.records[0].all);
  request.input_label = gsmp::label_field(atm_label(0, 0), gsmp::kFlagVpi);
  agent.receive(id, gsmp::test::framed(request), now);
  const auto vpi = std::get<gsmp::ReportPart>(answers(id).at(0));
  ASSERT_EQ(vpi.records.size(), 2U);
  EXPECT_TRUE(vpi.records[0].whole_vpi);
  request.input_label = gsmp::label_field(atm_label(1, 0), gsmp::kFlagVpi);
  EXPECT_EQ(code_of(ask(id, gsmp::test::framed(request))), FailureCode::kGeneral);
}

// ----- several controllers --------------------------------------------------------------------

std::vector<unsigned> updates_in(const std::vector<Message>& messages) {
  std::vector<unsigned> counts;
  for (const Message& message : messages) {
    const auto* event = std::get_if<gsmp::Event>(&message);
    if (event != nullptr && event->header.type == MessageType::kAdjacencyUpdate) {
      counts.push_back(static_cast<unsigned>(event->header.code));
    }
  }
  return counts;
}

TEST_F(AgentTest, EveryControllerLearnsHowManyThereAre) {
  const ControllerId first = connect();
  EXPECT_EQ(updates_in(answers(first)), std::vector<unsigned>{1});
  const ControllerId second = connect();
  EXPECT_EQ(updates_in(answers(first)), std::vector<unsigned>{2});
  EXPECT_EQ(updates_in(answers(second)), std::vector<unsigned>{2});
  agent.closed(first, now);
  EXPECT_EQ(updates_in(answers(second)), std::vector<unsigned>{1});
  EXPECT_TRUE(output(first).empty());
}

TEST_F(AgentTest, TheyShareTheTable) {
  const ControllerId first = established();
  const ControllerId second = established();
  ask(first, golden("B1"));
  EXPECT_EQ(ask(second, golden("S2")), to_hex(golden("S3")));
}

TEST_F(AgentTest, OneTooMany) {
  for (int i = 0; i < 3; ++i) connect();
  const auto refused = agent.connected(now);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kExhausted);
}

TEST_F(AgentTest, ABrokenStreamEndsThatControllerAlone) {
  const ControllerId good = established();
  for (const char* bad : {"0800000c 0310", "880c0003 000000", "880c0014 030a0a81"}) {
    const ControllerId id = established();
    output(good);
    agent.receive(id, gsmp::test::from_hex(bad), now);
    ASSERT_TRUE(agent.to_close(id)) << bad;
    EXPECT_EQ(agent.to_close(id)->rfind("stream broken: frame ", 0), 0U) << *agent.to_close(id);
    const auto notices = agent.take_notices();
    ASSERT_FALSE(notices.empty());
    EXPECT_TRUE(notices[0].trouble);
    // The agent ignores further messages.
    EXPECT_EQ(ask(id, golden("B1")), "");
    EXPECT_EQ(updates_in(answers(good)), std::vector<unsigned>{1});
    agent.closed(id, now);
    EXPECT_TRUE(output(good).empty());  // no second update
  }
  EXPECT_EQ(ask(good, golden("B1")), to_hex(golden("B2")));
}

TEST_F(AgentTest, ASilentControllerIsLeftAndTheTableStays) {
  const ControllerId id = established();
  ask(id, golden("B1"));
  EXPECT_EQ(agent.next_deadline(), now + 1s);
  agent.tick(now + 3s + 1ns);
  EXPECT_TRUE(agent.to_close(id));
  const auto last = answers(id);
  ASSERT_FALSE(last.empty());
  EXPECT_EQ(std::get<gsmp::AdjacencyMessage>(last.back()).code, gsmp::AdjacencyCode::kRstAck);
  agent.closed(id, now + 4s);
  EXPECT_EQ(fabric.branches(), 1U);
}

TEST_F(AgentTest, ConnectionsThatSayNothingDoNotStay) {
  const auto id = agent.connected(now);
  agent.tick(now + 3s + 1ns);
  EXPECT_TRUE(agent.to_close(*id));
}

TEST_F(AgentTest, RequestsBeforeTheHandshakeAreDropped) {
  const auto id = agent.connected(now);
  output(*id);
  agent.receive(*id, golden("B1"), now);
  EXPECT_EQ(fabric.branches(), 0U);
  EXPECT_EQ(to_hex(output(*id)), to_hex(golden("A2")));  // repeats its SYN
}

// ----- keeping and clearing the table -----

TEST_F(AgentTest, KeepsTheTableForAControllerThatComesBack) {
  const ControllerId id = established();
  ask(id, golden("B1"));
  agent.closed(id, now);
  const auto again = agent.connected(now);
  // The switch has kept its table: SYN with PFlag 2.
  EXPECT_EQ(to_hex(output(*again)), to_hex(with(golden("A2"), 24, {0x02})));
  agent.closed(*again, now);
  established(gsmp::kRecoveredAdjacency);
  EXPECT_EQ(fabric.branches(), 1U);
}

TEST_F(AgentTest, ForgetsTheTableWhenAskedTo) {
  const ControllerId id = established();
  ask(id, golden("B1"));
  established(gsmp::kNewAdjacency);
  EXPECT_EQ(fabric.branches(), 0U);
}

TEST_F(AgentTest, ASecondHandshakeOfTheColdStartDoesNotForgetTheFirstOnesWork) {
  const auto slow = agent.connected(now);  // was offered a new adjacency
  const ControllerId quick = established();
  ask(quick, golden("B1"));
  for (const char* message : {"A1", "A5"}) {
    agent.receive(*slow, with(golden(message), 24, {0x02}), now);
  }
  EXPECT_EQ(agent.adjacencies(), 2U);
  EXPECT_EQ(fabric.branches(), 1U);
}

class SmallOutputTest : public AgentTest {
 protected:
  static AgentOptions options() {
    AgentOptions options = agent_options();
    options.output_octets_max = 1000;
    return options;
  }
  SmallOutputTest() : AgentTest(options()) {}
};

TEST_F(SmallOutputTest, AControllerThatAsksForTooMuchAtOnceIsCutOff) {
  const ControllerId id = established();
  wire::Buffer stream;
  for (int i = 0; i < 100; ++i)
    gsmp::append_frame(stream, std::get<gsmp::SwitchConfiguration>(
                                   *gsmp::decode(gsmp::test::golden_message("C1"))));
  agent.receive(id, stream, now);
  EXPECT_LT(output(id).size(), 1100U);
  ASSERT_TRUE(agent.to_close(id));
  EXPECT_NE(agent.to_close(id)->find("octets of answers"), std::string::npos);
}

TEST(NameFrom, IsStableLocalAndDistinct) {
  EXPECT_EQ(name_from("sw1"), 0x2195d887864U) << "of every build: controllers know a switch by it";
  EXPECT_NE(name_from("sw1"), name_from("sw2"));
  EXPECT_EQ(name_from("sw1") >> 40, 0x02U);
}

}  // namespace
}  // namespace xbind::switchagent
