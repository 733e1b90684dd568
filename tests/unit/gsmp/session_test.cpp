// The controller's session against a switch that the test emulates by hand.
#include "gsmp/session.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "gsmp/failure_response.hpp"
#include "tests/unit/gsmp/hex.hpp"

namespace xbind::gsmp {
namespace {

using namespace std::chrono_literals;
using test::golden;

constexpr std::uint64_t kSwitchName = 0x0200000b0001;

class SessionTest : public ::testing::Test {
 protected:
  static SessionOptions options() {
    SessionOptions options;
    options.adjacency.name = 0x0200000a0001;
    options.adjacency.port = 1;
    options.window = 4;
    options.queue_max = 3;
    return options;
  }
  SessionTest() : session(options(), [] { return 0x0a1b2cU; }) {}

  // switch --> SYNACK, which brings the adjacency up
  void bring_up() {
    session.connected(now);
    session.receive(synack(), now);
    ASSERT_TRUE(session.can_send());
    session.take_output();
    session.take_events();
  }
  // ... and Switch Configuration answered with this window
  void configure(std::uint16_t window) {
    ASSERT_TRUE(session.switch_configuration(0, 0, now));
    SwitchConfiguration answer = std::get<SwitchConfiguration>(requests().at(0));
    answer.header.result = ResultField::kSuccess;
    answer.window = window;
    session.receive(test::framed(answer), now);
    ASSERT_EQ(session.take_events().size(), 1U);
  }
  void up_and_configured(std::uint16_t window = 256) {
    bring_up();
    configure(window);
  }

  static wire::Buffer synack() {
    wire::Buffer frame = golden("A3");
    frame[4 + 24] = std::byte{0x02};  // PFlag: the switch has kept its table
    return frame;
  }
  static AddBranch add(std::uint32_t vci) {
    AddBranch message;
    message.port_session = 0x5eed0001;
    message.input_port = PortId(1);
    message.output_port = PortId(2);
    message.input_label = label_field(atm_label(0, vci));
    message.output_label = label_field(atm_label(0, vci + 100));
    return message;
  }
  std::vector<Message> requests() { return test::messages_of(session.take_output()); }
  static std::uint32_t transaction_of(const Message& request) {
    return std::visit(
        [](const auto& one) -> std::uint32_t {
          if constexpr (requires { one.header; }) return one.header.transaction;
          return 0;
        },
        request);
  }
  // Answers that copy the request.
  static wire::Buffer answer(const Message& request, ResultField result = ResultField::kSuccess,
                             FailureCode code = FailureCode::kNone) {
    const wire::Buffer frame = test::framed(request);
    wire::Buffer out;
    append_copy(out, std::span(frame).subspan(kFrameHeaderOctets), result, code);
    return out;
  }
  template <class E>
  static std::vector<E> only(std::vector<SessionEvent> events) {
    std::vector<E> found;
    for (SessionEvent& event : events) {
      if (auto* one = std::get_if<E>(&event)) found.push_back(std::move(*one));
    }
    return found;
  }

  Session session;
  TimePoint now{};
};

TEST_F(SessionTest, SaysSynAndIsUpAfterSynAck) {
  // controller --> SYN
  session.connected(now);
  EXPECT_EQ(test::words_of(session.take_output()).size(), 1U);
  EXPECT_FALSE(session.can_send());
  // switch --> SYNACK; controller --> ACK
  session.receive(synack(), now);
  EXPECT_TRUE(session.can_send());
  const auto sent = requests();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(std::get<AdjacencyMessage>(sent[0]).code, AdjacencyCode::kAck);
  const auto up = only<SessionUp>(session.take_events());
  ASSERT_EQ(up.size(), 1U);
  EXPECT_EQ(up[0].effective_flag, kRecoveredAdjacency);
  EXPECT_EQ(up[0].peer.name, kSwitchName);
}

TEST_F(SessionTest, ASwitchThatForgotLowersTheFlag) {
  session.connected(now);
  session.receive(golden("A3"), now);  // PFlag 1
  EXPECT_EQ(only<SessionUp>(session.take_events()).at(0).effective_flag, kNewAdjacency);
}

TEST_F(SessionTest, RefusesRequestsBeforeItIsUp) {
  EXPECT_EQ(session.add_branch(add(100), 1, now).error().code, ErrorCode::kUnreachable);
  session.connected(now);
  EXPECT_EQ(session.add_branch(add(100), 1, now).error().code, ErrorCode::kUnreachable);
  EXPECT_EQ(session.room(), 0U);
}

TEST_F(SessionTest, AnswersComeBackWithTheirCookies) {
  up_and_configured();
  ASSERT_TRUE(session.add_branch(add(100), 0xfeed, now));
  ASSERT_TRUE(session.add_branch(add(101), 0xbeef, now));
  const auto sent = requests();  // one buffer, one write
  ASSERT_EQ(sent.size(), 2U);
  // switch: answers the second first
  session.receive(answer(sent[1], ResultField::kFailure, FailureCode::kNoSuchPort), now);
  session.receive(answer(sent[0]), now);
  const auto answers = only<Response>(session.take_events());
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].cookie, 0xbeefU);
  EXPECT_FALSE(answers[0].success);
  EXPECT_EQ(answers[0].code, FailureCode::kNoSuchPort);
  EXPECT_EQ(answers[1].cookie, 0xfeedU);
  EXPECT_TRUE(answers[1].success);
  EXPECT_EQ(answers[1].body, nullptr);
  EXPECT_EQ(session.outstanding(), 0U);
}

TEST_F(SessionTest, RequestsAlwaysWantAnAnswer) {
  up_and_configured();
  AddBranch request = add(100);
  request.header.result = ResultField::kNoSuccessAck;
  request.header.transaction = 77;
  ASSERT_TRUE(session.add_branch(request, 1, now));
  const auto sent = std::get<AddBranch>(requests().at(0));
  EXPECT_EQ(sent.header.result, ResultField::kAckAll);
  EXPECT_NE(sent.header.transaction, 77U);
}

TEST_F(SessionTest, OnlyOneRequestUntilTheSwitchIsConfigured) {
  bring_up();
  ASSERT_TRUE(session.switch_configuration(0, 1, now));
  ASSERT_TRUE(session.all_ports_configuration(2, now));
  EXPECT_EQ(requests().size(), 1U);
  EXPECT_EQ(session.queued(), 1U);
}

TEST_F(SessionTest, TheWindowHoldsRequestsBackInOrder) {
  up_and_configured(2);  // lower than the session's own 4
  for (std::uint32_t i = 0; i < 5; ++i) ASSERT_TRUE(session.add_branch(add(100 + i), i, now));
  EXPECT_EQ(session.outstanding(), 2U);
  EXPECT_EQ(session.queued(), 3U);
  EXPECT_EQ(session.room(), 0U);
  // One more than the queue accepts.
  const auto refused = session.add_branch(add(200), 9, now);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kExhausted);

  std::vector<std::uint32_t> order;
  for (int round = 0; round < 5; ++round) {
    for (const Message& request : requests()) {
      order.push_back(std::get<AddBranch>(request).input_label.value);
      session.receive(answer(request), now);
    }
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{100, 101, 102, 103, 104}));
  const auto answers = only<Response>(session.take_events());
  ASSERT_EQ(answers.size(), 5U);
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(answers[i].cookie, i);
  EXPECT_EQ(session.room(), 2U + 3U);
}

TEST_F(SessionTest, OurOwnWindowIsTheCapWhenTheSwitchGivesNoHint) {
  up_and_configured(0);
  for (std::uint32_t i = 0; i < 6; ++i) ASSERT_TRUE(session.add_branch(add(100 + i), i, now));
  EXPECT_EQ(session.outstanding(), 4U);
}

TEST_F(SessionTest, UnansweredRequestsTimeOutAfterTwoSeconds) {
  up_and_configured(2);
  ASSERT_TRUE(session.add_branch(add(100), 1, now));
  now += 500ms;
  ASSERT_TRUE(session.add_branch(add(101), 2, now));
  ASSERT_TRUE(session.add_branch(add(102), 3, now));  // waits for the window
  const auto sent = requests();
  ASSERT_EQ(sent.size(), 2U);

  now = TimePoint{} + 2s - 1ns;
  session.tick(now);
  EXPECT_TRUE(only<RequestTimeout>(session.take_events()).empty());
  now = TimePoint{} + 2s;
  session.tick(now);
  auto late = only<RequestTimeout>(session.take_events());
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].cookie, 1U);
  // The third request has left the queue now, and its two seconds begin.
  EXPECT_EQ(session.outstanding(), 2U);
  now = TimePoint{} + 2500ms;
  session.tick(now);
  EXPECT_EQ(only<RequestTimeout>(session.take_events()).at(0).cookie, 2U);
  // A late answer changes nothing.
  session.receive(answer(sent[0]), now);
  EXPECT_TRUE(session.take_events().empty());
  EXPECT_EQ(session.counters().unmatched, 1U);
}

TEST_F(SessionTest, TheNextDeadlineIsTheFirstThatIsDue) {
  up_and_configured();
  EXPECT_EQ(session.next_deadline(), TimePoint{} + 1s);  // the adjacency's timer
  ASSERT_TRUE(session.add_branch(add(100), 1, now));
  now += 1s + 500ms;
  session.receive(golden("A6"), now);
  session.tick(now);                                     // the timer is due next at 2.5 s
  EXPECT_EQ(session.next_deadline(), TimePoint{} + 2s);  // the request's
}

TEST_F(SessionTest, TransactionsAreNeverZeroAndNeverReusedWhileOutstanding) {
  SessionOptions far = options();
  far.first_transaction = kTransactionMax - 20;
  session = Session(far, [] { return 0x0a1b2cU; });
  up_and_configured();
  // One request is never answered. Others come and go until the numbers have wrapped and
  // its slot was passed many times.
  ASSERT_TRUE(session.add_branch(add(100), 1, now));
  const std::uint32_t kept = transaction_of(requests().at(0));
  std::uint32_t last = kept;
  int wraps = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(session.add_branch(add(101), 2, now));
    const auto sent = requests();
    ASSERT_EQ(sent.size(), 1U);
    const std::uint32_t transaction = transaction_of(sent[0]);
    EXPECT_NE(transaction, 0U);
    EXPECT_NE(transaction & 7, kept & 7) << "a slot in use";  // a window of 4 has 8 slots
    if (transaction < last) ++wraps;
    last = transaction;
    session.receive(answer(sent[0]), now);
    EXPECT_EQ(only<Response>(session.take_events()).at(0).cookie, 2U);
  }
  EXPECT_EQ(wraps, 1);
  EXPECT_EQ(session.outstanding(), 1U);
}

TEST_F(SessionTest, DeleteBranchesGoesAsOneMessage) {
  up_and_configured();
  std::vector<DeleteElement> elements(kDeleteElementsMax);
  for (auto& element : elements) {
    element = {FailureCode::kNone,
               0x5eed0001,
               PortId(1),
               PortId(2),
               label_field(atm_label(0, 100)),
               label_field(atm_label(0, 200))};
  }
  ASSERT_TRUE(session.delete_branches(elements, 5, now));
  const auto sent = requests();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(std::get<DeleteBranches>(sent[0]).elements, elements);

  DeleteBranches failed = std::get<DeleteBranches>(sent[0]);
  failed.header.result = ResultField::kFailure;
  failed.header.code = FailureCode::kGeneral;
  failed.elements[3].error = FailureCode::kNoSuchBranch;
  session.receive(test::framed(failed), now);
  const auto answers = only<Response>(session.take_events());
  ASSERT_EQ(answers.size(), 1U);
  ASSERT_NE(answers[0].body, nullptr);
  EXPECT_EQ(std::get<DeleteBranches>(*answers[0].body).elements[3].error,
            FailureCode::kNoSuchBranch);
}

TEST_F(SessionTest, DeleteBranchesOfNothingOrTooMuchIsRefused) {
  up_and_configured();
  const std::vector<DeleteElement> elements(kDeleteElementsMax + 1);
  EXPECT_EQ(session.delete_branches({}, 1, now).error().code, ErrorCode::kBadInput);
  const auto refused = session.delete_branches(elements, 1, now);
  EXPECT_EQ(refused.error().code, ErrorCode::kBadInput);
  EXPECT_NE(refused.error().text.find("512"), std::string::npos);
}

TEST_F(SessionTest, AnAnswerInPartsKeepsItsTransaction) {
  up_and_configured();
  ASSERT_TRUE(session.report_connections(PortId(1), 8, now));
  ReportPart part;
  part.header.transaction = transaction_of(requests().at(0));
  part.header.result = ResultField::kMore;
  part.input_port = PortId(1);
  now += 1900ms;
  session.receive(test::framed(part), now);
  session.tick(TimePoint{} + 2s);  // would time out without the part
  auto answers = only<Response>(session.take_events());
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(answers[0].more);
  EXPECT_EQ(answers[0].cookie, 8U);
  part.header.result = ResultField::kSuccess;
  part.sequence = 1;
  session.receive(test::framed(part), now);
  answers = only<Response>(session.take_events());
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_FALSE(answers[0].more);
  EXPECT_EQ(session.outstanding(), 0U);
}

TEST_F(SessionTest, AnAnswerOfAnotherTypeIsNoAnswer) {
  up_and_configured();
  ASSERT_TRUE(session.add_branch(add(100), 1, now));
  DeleteBranches other;
  other.header.transaction = transaction_of(requests().at(0));
  other.header.result = ResultField::kSuccess;
  session.receive(test::framed(other), now);
  EXPECT_TRUE(session.take_events().empty());
  EXPECT_EQ(session.outstanding(), 1U);
  EXPECT_EQ(session.counters().unmatched, 1U);
}

TEST_F(SessionTest, AnAnswerThatDoesNotDecodeLeavesTheOutcomeUnknown) {
  up_and_configured();
  ASSERT_TRUE(session.port_configuration(PortId(1), 1, now));
  wire::Buffer bad = golden("C4");
  bad[4 + 7] = static_cast<std::byte>(transaction_of(requests().at(0)));
  bad[4 + 28] = std::byte{2};  // a frame relay port
  session.receive(bad, now);
  EXPECT_TRUE(session.take_events().empty());
  EXPECT_EQ(session.counters().last_refusal, "port type 2, not 1 (ATM) or 3 (MPLS)");
  session.tick(now + 2s);
  EXPECT_EQ(only<RequestTimeout>(session.take_events()).size(), 1U);
}

TEST_F(SessionTest, EventsArePassedOn) {
  bring_up();
  session.receive(golden("E1"), now);
  const auto events = only<SwitchEvent>(session.take_events());
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].event.header.type, MessageType::kPortDown);
  EXPECT_EQ(events[0].event.port, PortId(2));
  EXPECT_FALSE(session.has_output());
}

TEST_F(SessionTest, AnEventThatWantsAReceiptGetsIt) {
  bring_up();
  session.receive(golden("E3"), now);
  Event receipt = std::get<Event>(requests().at(0));
  EXPECT_EQ(receipt.header.result, ResultField::kSuccess);
  receipt.header.result = ResultField::kReturnReceipt;
  EXPECT_EQ(test::framed(receipt), golden("E3"));
}

// ----- any other request ----------------------------------------------------------------------

TEST_F(SessionTest, AnyRequestIsSentAndItsAnswerComesWithItsBody) {
  up_and_configured();
  StatisticsRequest request;
  request.header.type = MessageType::kPortStatistics;
  request.port = PortId(2);
  // controller --> Port Statistics; switch --> success
  ASSERT_TRUE(session.request(request, 0xfeed, now));
  const auto sent = requests();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(std::get<StatisticsRequest>(sent[0]).port, PortId(2));
  Statistics answer;
  answer.header.type = MessageType::kPortStatistics;
  answer.header.result = ResultField::kSuccess;
  answer.header.transaction = transaction_of(sent[0]);
  answer.port = PortId(2);
  answer.counters.output_cells = 99;
  session.receive(test::framed(answer), now);
  const auto answers = only<Response>(session.take_events());
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].cookie, 0xfeedU);
  ASSERT_NE(answers[0].body, nullptr);
  EXPECT_EQ(std::get<Statistics>(*answers[0].body).counters.output_cells, 99U);
}

TEST_F(SessionTest, WhatNoControllerAsksIsNoRequest) {
  up_and_configured();
  EXPECT_EQ(session.request(AdjacencyMessage{}, 1, now).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(session.request(Event{}, 1, now).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(session.request(Statistics{}, 1, now).error().code, ErrorCode::kBadInput);
  // Longer than the limit for sent messages.
  DeleteBranches long_one;
  long_one.elements.resize(kDeleteElementsMax + 1);
  EXPECT_EQ(session.request(long_one, 1, now).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(session.outstanding(), 0U);
  EXPECT_FALSE(session.has_output());
}

// ----- the end --------------------------------------------------------------------------------

TEST_F(SessionTest, AClosedConnectionLosesWhatWasSentAndWhatWaited) {
  up_and_configured(1);
  ASSERT_TRUE(session.add_branch(add(100), 1, now));
  ASSERT_TRUE(session.add_branch(add(101), 2, now));
  session.closed(now);
  EXPECT_FALSE(session.can_send());
  auto events = session.take_events();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(std::get<SessionDown>(events[0]).reason, DownReason::kClosed);
  EXPECT_EQ(std::get<RequestLost>(events[1]).cookie, 1U);
  EXPECT_TRUE(std::get<RequestLost>(events[1]).sent);  // unknown whether the switch executed it
  EXPECT_EQ(std::get<RequestLost>(events[2]).cookie, 2U);
  EXPECT_FALSE(std::get<RequestLost>(events[2]).sent);  // certainly not executed
  EXPECT_EQ(session.next_deadline(), kNever);
  session.closed(now);
  EXPECT_TRUE(session.take_events().empty());
  // The next connection begins with an empty state.
  up_and_configured();
  ASSERT_TRUE(session.add_branch(add(100), 3, now));
  EXPECT_EQ(requests().size(), 1U);
}

TEST_F(SessionTest, ASilentSwitchIsGivenUp) {
  up_and_configured();
  ASSERT_TRUE(session.add_branch(add(100), 1, now));
  session.take_output();
  session.tick(now + 3s + 1ns);
  auto events = session.take_events();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(std::get<SessionDown>(events[0]).reason, DownReason::kPeerLost);
  EXPECT_EQ(std::get<RequestLost>(events[1]).cookie, 1U);
  EXPECT_TRUE(std::holds_alternative<DropTransport>(events[2]));
  EXPECT_EQ(std::get<AdjacencyMessage>(requests().at(0)).code, AdjacencyCode::kRstAck);
  // The session ignores everything until the next connection.
  session.receive(synack(), now + 4s);
  EXPECT_TRUE(session.take_events().empty());
}

TEST_F(SessionTest, ABrokenStreamIsGivenUpByName) {
  up_and_configured();
  ASSERT_TRUE(session.add_branch(add(100), 1, now));
  session.receive(test::from_hex("0800000c 00000000"), now);
  auto events = session.take_events();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(std::get<SessionDown>(events[0]).reason, DownReason::kStreamBroken);
  EXPECT_EQ(std::get<DropTransport>(events[2]).reason, "frame type 0x0800, not 0x880c");
}

TEST_F(SessionTest, ASwitchThatBeginsAnewKeepsTheConnection) {
  session.connected(now);
  session.receive(synack(), now);
  session.take_events();
  session.take_output();
  ASSERT_TRUE(session.switch_configuration(0, 1, now));
  // switch --> RSTACK about this link; controller --> SYN with a new instance
  AdjacencyMessage rstack;
  rstack.code = AdjacencyCode::kRstAck;
  rstack.sender = {kSwitchName, 0x10, 0x3d4e5f};
  rstack.receiver = {0x0200000a0001, 1, 0x0a1b2c};
  session.receive(test::framed(rstack), now);
  auto events = session.take_events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<SessionDown>(events[0]).reason, DownReason::kPeerReset);
  EXPECT_EQ(std::get<RequestLost>(events[1]).cookie, 1U);
  const auto sent = requests();
  const auto& syn = std::get<AdjacencyMessage>(sent.back());
  EXPECT_EQ(syn.code, AdjacencyCode::kSyn);
  EXPECT_NE(syn.sender.instance, 0x0a1b2cU);
}

TEST_F(SessionTest, MessagesBeforeItIsUpAreDropped) {
  session.connected(now);
  session.take_output();
  session.receive(golden("E1"), now);
  EXPECT_TRUE(session.take_events().empty());
  EXPECT_EQ(session.counters().too_early, 1U);
  // SYN again, in case the switch has missed the first.
  EXPECT_EQ(std::get<AdjacencyMessage>(requests().at(0)).code, AdjacencyCode::kSyn);
}

TEST_F(SessionTest, AMessageOfAnotherVersionIsDroppedAndCounted) {
  up_and_configured();
  wire::Buffer old = golden("E1");
  old[4] = std::byte{2};
  session.receive(old, now);
  EXPECT_TRUE(session.take_events().empty());
  EXPECT_EQ(session.counters().refused, 1U);
  EXPECT_EQ(session.counters().last_refusal, "version 2, not 3 or 1");
}

}  // namespace
}  // namespace xbind::gsmp
