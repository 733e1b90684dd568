// The initial state of the controller's session after the connection has been lost.
#include <gtest/gtest.h>

#include "gsmp/failure_response.hpp"
#include "gsmp/session.hpp"
#include "tests/unit/gsmp/hex.hpp"

namespace xbind::gsmp {
namespace {

class SessionAnewTest : public ::testing::Test {
 protected:
  static SessionOptions options() {
    SessionOptions options;
    options.adjacency.name = 0x0200000a0001;
    options.adjacency.port = 1;
    options.window = 4;
    options.queue_max = 3;
    options.queue_octets_max = 200;  // three Add Branch are 180 octets
    return options;
  }
  SessionAnewTest() : session(options(), [] { return 0x0a1b2cU; }) {}

  // switch --> SYNACK, which brings the adjacency up
  void bring_up() {
    session.connected(now);
    session.receive(test::golden("A3"), now);
    ASSERT_TRUE(session.can_send());
    session.take_output();
  }
  void add(std::uint32_t vci) {
    AddBranch message;
    message.input_port = PortId(1);
    message.output_port = PortId(2);
    message.input_label = label_field(atm_label(0, vci));
    message.output_label = label_field(atm_label(0, vci));
    EXPECT_TRUE(session.add_branch(message, vci, now)) << vci;
  }
  // The requests that it has sent since the last call.
  std::vector<AddBranch> asked() {
    std::vector<AddBranch> found;
    for (const Message& message : test::messages_of(session.take_output())) {
      found.push_back(std::get<AddBranch>(message));
    }
    return found;
  }
  // Answers the only request with success; returns its VCI.
  std::uint32_t served() {
    const auto requests = asked();
    EXPECT_EQ(requests.size(), 1U);
    if (requests.empty()) return 0;
    const wire::Buffer frame = test::framed(requests[0]);
    wire::Buffer answer;
    append_copy(answer, std::span(frame).subspan(kFrameHeaderOctets), ResultField::kSuccess,
                FailureCode::kNone);
    session.receive(answer, now);
    return vci_of(label_of(requests[0].input_label));
  }

  Session session;
  TimePoint now{};
};

// Until the switch has reported its configuration, one request is under way at a time.
TEST_F(SessionAnewTest, ItDoesNotKnowTheSwitchsConfiguration) {
  bring_up();
  ASSERT_TRUE(session.switch_configuration(0, 0, now));
  auto configuration =
      std::get<SwitchConfiguration>(test::messages_of(session.take_output()).at(0));
  configuration.header.result = ResultField::kSuccess;
  configuration.window = 256;
  session.receive(test::framed(configuration), now);
  add(100);
  add(101);
  EXPECT_EQ(asked().size(), 2U);
  session.closed(now);
  bring_up();
  add(102);
  add(103);
  EXPECT_EQ(asked().size(), 1U);
}

TEST_F(SessionAnewTest, HalfAMessageOfTheOldConnectionIsForgotten) {
  bring_up();
  const wire::Buffer event = test::golden("E1");
  session.receive(std::span(event).first(10), now);
  session.closed(now);
  bring_up();
}

TEST_F(SessionAnewTest, OfRequestsThatWaitedNothingIsSentInTheNextConnection) {
  bring_up();
  for (const std::uint32_t vci : {100U, 101U, 102U}) add(vci);
  EXPECT_EQ(served(), 100U);
  EXPECT_EQ(asked().size(), 1U) << "101; 102 waits";
  session.closed(now);
  bring_up();
  for (const std::uint32_t vci : {110U, 111U, 112U}) add(vci);
  for (const std::uint32_t vci : {110U, 111U, 112U}) EXPECT_EQ(served(), vci);
  EXPECT_TRUE(session.take_output().empty());
}

TEST_F(SessionAnewTest, AQueueThatNeverRunsDryTakesAsMuchAsOneThatDoes) {
  bring_up();
  for (std::uint32_t vci = 100; vci < 103; ++vci) add(vci);
  for (std::uint32_t vci = 103; vci < 150; ++vci) {
    EXPECT_EQ(served(), vci - 3);
    add(vci);
  }
}

}  // namespace
}  // namespace xbind::gsmp
