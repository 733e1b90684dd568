// The controller's session over version 1.1: the same requests and answers, and the named refusals.
#include <gtest/gtest.h>

#include <chrono>

#include "gsmp/failure_response.hpp"
#include "gsmp/session.hpp"
#include "tests/unit/gsmp/hex.hpp"

namespace xbind::gsmp {
namespace {

using namespace std::chrono_literals;
using test::from_hex;
using test::to_hex;

class V1SessionTest : public ::testing::Test {
 protected:
  static SessionOptions options() {
    SessionOptions options;
    options.adjacency.name = 0x0200000a0001;
    options.adjacency.port = 1;
    options.window = 4;
    options.queue_max = 100;
    return options;
  }
  V1SessionTest() : session(options(), [] { return 0x0a1b2cU; }) {}

  // switch --> SYN of version 1.1; controller --> SYNACK; switch --> ACK
  void bring_up() {
    session.connected(now);
    session.receive(
        from_hex(
            "880c0020 010a0001 0200000b 00010000 00000000 00000010 00000000 3d4e5f60 00000000"),
        now);
    session.receive(
        from_hex(
            "880c0020 010a0003 0200000b 00010200 000a0001 00000010 00000001 3d4e5f60 000a1b2c"),
        now);
    ASSERT_TRUE(session.can_send());
    session.take_output();
  }
  void up_and_configured() {
    bring_up();
    session.take_events();
    ASSERT_TRUE(session.switch_configuration(0, 0, now));
    EXPECT_EQ(to_hex(session.take_output()), "880c000c 01400200 00000001 00000000");
    session.receive(from_hex("880c0014 01400300 00000001 01000000 58420200 000b0001"), now);
    ASSERT_EQ(session.take_events().size(), 1U);
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
  static DeleteElement element(std::uint32_t vci) {
    return {FailureCode::kNone,
            0x5eed0001,
            PortId(1),
            PortId(2),
            label_field(atm_label(0, vci)),
            label_field(atm_label(0, vci + 100))};
  }
  static wire::Buffer framed(const std::string& hex) {
    wire::Buffer out;
    wire::Writer frame(out);
    const wire::Buffer message = from_hex(hex);
    frame.u16(kFrameType);
    frame.u16(static_cast<std::uint16_t>(message.size()));
    frame.bytes(message);
    return out;
  }
  template <class E>
  E only() {
    auto events = session.take_events();
    EXPECT_EQ(events.size(), 1U);
    if (events.size() != 1 || !std::holds_alternative<E>(events[0])) return E{};
    return std::get<E>(std::move(events[0]));
  }

  TimePoint now{};
  Session session;
};

TEST_F(V1SessionTest, TellsItsVersion) {
  bring_up();
  const auto up = only<SessionUp>();
  EXPECT_EQ(up.version, 1);
  EXPECT_EQ(up.effective_flag, kRecoveredAdjacency);
  EXPECT_EQ(up.peer, (Endpoint{0x0200000b0001, 0x10, 0x3d4e5f60}));
  EXPECT_EQ(session.version(), 1);
}

TEST_F(V1SessionTest, AddsABranch) {
  up_and_configured();
  ASSERT_TRUE(session.add_branch(add(100), 7, now));
  EXPECT_EQ(to_hex(session.take_output()),
            "880c0020 01100200 00000002 5eed0001 00000001 00000064 00000002 000000c8 00000000");
  session.receive(framed("01100300 00000002 5eed0001 00000001 00000064 00000002 000000c8 00000000"),
                  now);
  const auto done = only<Response>();
  EXPECT_EQ(done.cookie, 7U);
  EXPECT_TRUE(done.success);
}

TEST_F(V1SessionTest, FailuresComeWithTheNumbersOfVersion3) {
  up_and_configured();
  ASSERT_TRUE(session.add_branch(add(100), 7, now));
  session.receive(framed("01100404 00000002 5eed0001 00000001 00000064 00000002 000000c8 00000000"),
                  now);
  EXPECT_EQ(only<Response>().code, FailureCode::kInvalidPortSession);
}

TEST_F(V1SessionTest, DeletesOneBranchAMessage) {
  up_and_configured();
  EXPECT_EQ(session.delete_elements_max(), 1U);
  const DeleteElement two[] = {element(100), element(101)};
  EXPECT_EQ(session.delete_branches(two, 7, now).error().code, ErrorCode::kBadInput);
  ASSERT_TRUE(session.delete_branches(std::span(two).first(1), 8, now));
  EXPECT_EQ(to_hex(session.take_output()),
            "880c0020 01110200 00000002 5eed0001 00000001 00000064 00000002 000000c8 00000000");
  // The connection does not exist any more: code 9 in version 1.1.
  session.receive(framed("01110409 00000002 5eed0001 00000001 00000064 00000002 000000c8 00000000"),
                  now);
  const auto failed = only<Response>();
  EXPECT_FALSE(failed.success);
  EXPECT_EQ(failed.code, FailureCode::kGeneral);
  ASSERT_TRUE(failed.body);
  EXPECT_EQ(std::get<DeleteBranches>(*failed.body).elements.at(0).error,
            FailureCode::kNoSuchBranch);
}

// The switch gives no hint: the window is that of the options, once the switch has answered.
TEST_F(V1SessionTest, TheWindowIsThatOfTheOptions) {
  bring_up();
  session.take_events();
  ASSERT_TRUE(session.switch_configuration(0, 0, now));
  ASSERT_TRUE(session.add_branch(add(1), 1, now));
  EXPECT_EQ(session.outstanding(), 1U);
  EXPECT_EQ(session.queued(), 1U);
  session.receive(from_hex("880c0014 01400300 00000001 01000000 58420200 000b0001"), now);
  for (std::uint64_t cookie = 2; cookie <= 6; ++cookie) {
    ASSERT_TRUE(session.add_branch(add(static_cast<std::uint32_t>(cookie)), cookie, now));
  }
  EXPECT_EQ(session.outstanding(), 4U);
  EXPECT_EQ(session.queued(), 2U);
}

TEST_F(V1SessionTest, AllPortsComeInPartsThatAreCounted) {
  up_and_configured();
  ASSERT_TRUE(session.all_ports_configuration(9, now));
  EXPECT_EQ(to_hex(session.take_output()), "880c000c 01420200 00000002 00000000");
  const std::string head = "01420300 00000002 00030018 ";
  const std::string first = "00000001 5eed0001 00000000 002003ff 000563b7 01000104 ";
  const std::string second = "00000002 5eed0002 00000000 002003ff 000563b7 01000104 ";
  const std::string third = "00000003 5eed0003 00000000 002003ff 000563b7 01000104 ";
  session.receive(framed(head + first + second), now);
  auto part = only<Response>();
  EXPECT_TRUE(part.success);
  EXPECT_TRUE(part.more);
  EXPECT_EQ(std::get<AllPortsPart>(*part.body).records.size(), 2U);
  EXPECT_EQ(session.outstanding(), 1U);
  session.receive(framed(head + third), now);
  part = only<Response>();
  EXPECT_FALSE(part.more);
  EXPECT_EQ(session.outstanding(), 0U);
  // The next request counts from zero.
  ASSERT_TRUE(session.all_ports_configuration(10, now));
  session.receive(framed("01420300 00000003 00010018 " + first), now);
  EXPECT_FALSE(only<Response>().more);
}

// Octets beyond the announced number of ports are no record.
TEST_F(V1SessionTest, NoMorePortsAreReadThanTheSwitchHas) {
  up_and_configured();
  ASSERT_TRUE(session.all_ports_configuration(9, now));
  session.receive(framed("01420300 00000002 00010018 "
                         "00000001 5eed0001 00000000 002003ff 000563b7 01000104 "
                         "00000002 5eed0002 00000000 002003ff 000563b7 01000104"),
                  now);
  const auto part = only<Response>();
  EXPECT_FALSE(part.more);
  EXPECT_EQ(std::get<AllPortsPart>(*part.body).records.size(), 1U);
}

// Parts without records would never reach the announced number.
TEST_F(V1SessionTest, APartWithoutRecordsIsRefused) {
  up_and_configured();
  ASSERT_TRUE(session.all_ports_configuration(9, now));
  session.receive(framed("01420300 00000002 00030018"), now);
  EXPECT_TRUE(session.take_events().empty());
  EXPECT_EQ(session.counters().last_refusal, "element count 3 does not fit the message");
  session.tick(now + 1s);
  session.receive(framed("01420300 00000002 00000018"), now);  // a switch without ports
  EXPECT_FALSE(only<Response>().more);
}

TEST_F(V1SessionTest, OtherRequestsGoTheSameWay) {
  up_and_configured();
  VerifyTree verify;
  verify.port_session = 0x5eed0001;
  verify.input_port = PortId(1);
  verify.input_label = label_field(atm_label(0, 100));
  verify.branches = 2;
  ASSERT_TRUE(session.request(verify, 11, now));
  EXPECT_EQ(to_hex(session.take_output()),
            "880c0020 01130200 00000002 5eed0001 00000001 00000064 00000000 00000000 00020000");
  session.receive(framed("01130410 00000002 5eed0001 00000001 00000064 00000000 00000000 00030000"),
                  now);
  const auto answer = only<Response>();
  EXPECT_EQ(answer.code, FailureCode::kGeneral);
  EXPECT_EQ(std::get<VerifyTree>(*answer.body).branches, 3);
}

TEST_F(V1SessionTest, WhatVersion1LacksIsRefusedByName) {
  up_and_configured();
  const auto words = [](const Result<void>& result) {
    return result ? "sent"
                  : fmt::format("{}: {}", to_string(result.error().code), result.error().text);
  };
  EXPECT_EQ(words(session.report_connections(PortId(1), 1, now)),
            fmt::format("{}: GSMP version 1 lacks report connection state",
                        to_string(ErrorCode::kVersion)));
  AddBranch service = add(100);
  set_service(service, ServiceId::kCbr1, 1, {kTcPolicing, CellRate{4528, 250}});
  EXPECT_EQ(
      words(session.add_branch(service, 2, now)),
      fmt::format("{}: GSMP version 1 lacks CBR.1 capset 1 to CBR.1 capset 1 (version 1.1 has "
                  "priorities only)",
                  to_string(ErrorCode::kVersion)));
  EXPECT_EQ(session.request(DeleteAllReservations{}, 3, now).error().code, ErrorCode::kVersion);
  EXPECT_EQ(session.request(LabelRangeMessage{}, 4, now).error().code, ErrorCode::kVersion);
  EXPECT_FALSE(session.has_output());
  EXPECT_EQ(session.outstanding(), 0U);
}

TEST_F(V1SessionTest, EventsAreReadInItsForm) {
  up_and_configured();
  session.receive(framed("01510000 00000000 00000002 5eed0002 00000001 00000000"), now);  // V3
  const auto down = only<SwitchEvent>();
  EXPECT_EQ(down.event.header.type, MessageType::kPortDown);
  EXPECT_EQ(down.event.port, PortId(2));
  EXPECT_EQ(down.event.port_session, 0x5eed0002U);
  EXPECT_FALSE(session.has_output());
  // Adjacency Update belongs to version 3.
  session.receive(framed("01550002 00000000 00000000 00000000 00000000 00000000"), now);
  EXPECT_TRUE(session.take_events().empty());
  EXPECT_EQ(session.counters().unmatched, 1U);
}

TEST_F(V1SessionTest, MessagesOfAnotherVersionAreDroppedAndCounted) {
  up_and_configured();
  ASSERT_TRUE(session.add_branch(add(100), 7, now));
  wire::Buffer answer = test::golden("B2");
  answer[4 + 7] = std::byte{2};  // the pending transaction, but in version 3
  answer[4 + 6] = std::byte{0};
  session.receive(answer, now);
  EXPECT_TRUE(session.take_events().empty());
  EXPECT_EQ(session.counters().other_version, 1U);
  EXPECT_EQ(session.outstanding(), 1U);
  // Version 2, which is not supported.
  session.receive(framed(test::read_text(test::golden_path("v2/V4.hex"))), now);
  EXPECT_EQ(session.counters().other_version, 2U);
  EXPECT_EQ(session.counters().refused, 1U);
}

TEST_F(V1SessionTest, NothingOfVersion1PassesWhenOnlyVersion3IsAllowed) {
  SessionOptions only_3 = options();
  only_3.adjacency.versions = {3};
  Session strict(only_3, [] { return 0x0a1b2cU; });
  strict.connected(now);
  strict.take_output();
  strict.receive(framed(test::read_text(test::golden_path("v1/V1.hex"))), now);
  EXPECT_FALSE(strict.has_output());
  EXPECT_EQ(strict.counters().other_version, 1U);
  EXPECT_FALSE(strict.can_send());
  now += 1min;
  strict.tick(now);
  const auto events = strict.take_events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<DropTransport>(events[0]).reason,
            "nothing heard from the switch in GSMP version 3: it speaks version 1");
  // The next connection is judged by its own messages.
  strict.closed(now);
  strict.connected(now);
  now += 1min;
  strict.tick(now);
  EXPECT_EQ(std::get<DropTransport>(strict.take_events().at(0)).reason,
            "nothing heard from the switch");
}

TEST_F(V1SessionTest, VerifyTreeIsRefusedInVersion3) {
  session.connected(now);
  session.receive(test::golden("A3"), now);
  ASSERT_EQ(session.version(), 3);
  EXPECT_EQ(session.request(VerifyTree{}, 1, now).error().code, ErrorCode::kVersion);
}

TEST_F(V1SessionTest, ASwitchThatNeverAnswersIsGivenUpToo) {
  session.connected(now);
  // Three seconds in version 3, then three in version 1.1.
  for (int second = 1; second <= 6; ++second) session.tick(now + second * 1s);
  EXPECT_TRUE(session.take_events().empty());
  session.tick(now + 6s + 1ns);
  const auto events = session.take_events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<DropTransport>(events[0]));
}

// The next connection begins with version 3 again.
TEST_F(V1SessionTest, AnUpgradedSwitchIsSpokenToInVersion3) {
  up_and_configured();
  session.closed(now);
  session.take_events();
  session.connected(now);
  session.receive(test::golden("A3"), now);
  EXPECT_EQ(only<SessionUp>().version, 3);
  ASSERT_TRUE(session.switch_configuration(0, 0, now));
  const auto requests = test::messages_of(session.take_output());
  EXPECT_EQ(std::get<SwitchConfiguration>(requests.back()).header.version, 3);
}

}  // namespace
}  // namespace xbind::gsmp
