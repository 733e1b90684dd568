// Rules for every message: adjacency, versions, unknown types, lengths (RFC 3292 sections 3 and
// 11).
#include "tests/conformance/cases.hpp"

namespace xbind::conformance {
namespace {

using namespace gsmp;
using enum FailureCode;

std::size_t header_octets(const Controller& c) { return c.version() == 1 ? 8 : 12; }

// A message of version 3 carries its own length.
void set_length(const Controller& c, wire::Buffer& message, std::size_t octets) {
  if (c.version() != 3) return;
  message[10] = static_cast<std::byte>(octets >> 8);
  message[11] = static_cast<std::byte>(octets & 0xff);
}

void the_adjacency_is_agreed_on(Controller& c) {
  EXPECT_EQ(c.adjacency().version(), c.version());
  EXPECT_NE(c.adjacency().peer().name, 0U);
  EXPECT_NE(c.adjacency().peer().instance, 0U);
  EXPECT_NE(c.adjacency().peer().name, c.adjacency().self().name);
}

// A controller that has lost its memory starts again over the same connection: SYN, the old ACK in
// return, RSTACK, and the handshake. The switch keeps its connections.
void a_controller_that_forgot_is_back_at_once(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  const std::uint32_t instance = c.adjacency().self().instance;
  c.forget();
  ASSERT_TRUE(c.establish());
  EXPECT_NE(c.adjacency().self().instance, instance);
  EXPECT_EQ(c.adjacency().effective_flag(), kRecoveredAdjacency);
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
}

void a_request_before_the_adjacency_is_not_carried_out(Controller& c) {
  Controller early(c.transport().another(), c.version(), 0x020000000098, c.others());
  early.start();
  SwitchConfiguration request;
  wire::Buffer octets = early.encoded(request);
  // The switch reaches ESTAB only with our answer to its SYN; this request comes earlier.
  wire::Buffer frame;
  wire::Writer out(frame);
  out.u16(kFrameType);
  out.u16(static_cast<std::uint16_t>(octets.size()));
  frame.insert(frame.end(), octets.begin(), octets.end());
  early.transport().send(frame);
  ASSERT_TRUE(early.establish());
  // Transaction 0 has no answer; the next request is answered as usual.
  EXPECT_TRUE(early.succeeds(request).success());
}

// A message whose version was not agreed is dropped.
void another_version_is_dropped(Controller& c) {
  wire::Buffer message = c.encoded(add_branch(c, 0, c.label(0), 1, c.label(7)));
  for (std::uint8_t version = 1; version <= 4; ++version) {
    if (version == c.version()) continue;
    message[0] = static_cast<std::byte>(version);
    c.is_not_answered(message);
  }
  c.table_is({});
}

void unknown_types_are_not_implemented(Controller& c) {
  for (const int type : {0, 9, 11, 15, 24, 34, 47, 53, 63, 68, 73, 99, 199, 255}) {
    SCOPED_TRACE(type);
    wire::Buffer message = c.encoded(SwitchConfiguration{});
    message.resize(header_octets(c) + 20, std::byte{0x5a});
    set_length(c, message, message.size());
    message[1] = static_cast<std::byte>(type);
    const Answer answer = c.ask_octets(message);
    ASSERT_TRUE(answer.came);
    EXPECT_EQ(answer.result, ResultField::kFailure);
    EXPECT_EQ(answer.code, kNotImplemented);
    EXPECT_TRUE(std::equal(answer.octets.begin() + 8, answer.octets.end(), message.begin() + 8,
                           message.end()))
        << "is no copy";
  }
}

// Version 3 has dropped the type, but never reused its number.
void verify_tree_is_gone(Controller& c) {
  Opaque request;
  request.header.type = MessageType::kVerifyTree;
  request.body.resize(44);
  c.fails(request, kNotImplemented);
}

// Without the optional model, its messages are unknown types.
void messages_of_the_optional_model(Controller& c) {
  for (int type = 220; type <= 227; ++type) {
    wire::Buffer message = c.encoded(DeleteAllReservations{});
    message.resize(24);
    set_length(c, message, message.size());
    message[1] = static_cast<std::byte>(type);
    const Answer answer = c.ask_octets(message);
    EXPECT_EQ(answer.result, ResultField::kFailure) << type;
    EXPECT_EQ(answer.code, kNotImplemented) << type;
  }
}

std::vector<Message> requests(const Controller& c) {
  AddBranch add = add_branch(c, 0, c.label(0), 1, c.label(7));
  DeleteTree tree;
  DeleteAll all;
  MoveOutputBranch move;
  PortManagement manage;
  manage.port = c.port(0);
  manage.port_session = c.session(0);
  PortConfigurationRequest port;
  port.port = c.port(0);
  StatisticsRequest statistics;
  statistics.port = c.port(0);
  std::vector<Message> out = {add,  delete_branches({element(c, 0, c.label(0), 1, c.label(7))}),
                              tree, all,
                              move, manage,
                              port, statistics};
  if (c.version() != 3) return out;
  ReportRequest report;
  report.input_port = c.port(0);
  report.input_label.flags = kFlagAll;
  LabelRangeMessage range;
  range.ranges = {{}};
  for (const Message& one : std::initializer_list<Message>{MoveInputBranch{}, DeleteReservation{},
                                                           report, range, SwitchConfiguration{}}) {
    out.push_back(one);
  }
  return out;
}

// Truncated after its header, with the matching length: failure 2, and the switch reads the next
// message.
void messages_that_are_too_short(Controller& c) {
  for (const Message& request : requests(c)) {
    const wire::Buffer whole = c.encoded(request);
    SCOPED_TRACE(fmt::format("type {}", std::to_integer<int>(whole[1])));
    for (std::size_t octets = header_octets(c); octets < whole.size(); octets += 4) {
      wire::Buffer cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(octets));
      if (cut.size() < 12) cut.resize(12);  // the shortest frame
      if (cut.size() >= whole.size()) continue;
      set_length(c, cut, cut.size());
      const Answer answer = c.ask_octets(cut);
      ASSERT_TRUE(answer.came) << cut.size() << " octets";
      EXPECT_EQ(answer.result, ResultField::kFailure) << cut.size() << " octets";
      EXPECT_EQ(answer.code, kInvalidMessage) << cut.size() << " octets";
    }
  }
  c.table_is({});
}

void a_length_beyond_the_frame_is_invalid(Controller& c) {
  wire::Buffer message = c.encoded(add_branch(c, 0, c.label(0), 1, c.label(7)));
  set_length(c, message, message.size() + 4);
  const Answer answer = c.ask_octets(message);
  EXPECT_EQ(answer.result, ResultField::kFailure);
  EXPECT_EQ(answer.code, kInvalidMessage);
  c.table_is({});
}

// Additional data at the end of a message is legal, and so is data after it in the frame.
void messages_that_are_longer(Controller& c) {
  wire::Buffer message = c.encoded(add_branch(c, 0, c.label(0), 1, c.label(7)));
  message.resize(message.size() + 8, std::byte{0xff});
  set_length(c, message, message.size());
  EXPECT_TRUE(c.ask_octets(message).success());
  const wire::Buffer behind(12, std::byte{0xee});
  const Answer answer =
      c.ask_octets(c.encoded(add_branch(c, 0, c.label(1), 1, c.label(8))), behind);
  EXPECT_TRUE(answer.success());
  EXPECT_EQ(answer.octets.size(), 56U) << "octets after the message are not part of the copy";
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7)), branch(c, 0, c.label(1), 1, c.label(8))});
}

void every_way_to_say_one_segment(Controller& c) {
  for (const int sub_message : {0x8001, 0x0001, 0x0000}) {
    wire::Buffer message = c.encoded(SwitchConfiguration{});
    message[8] = static_cast<std::byte>(sub_message >> 8);
    message[9] = static_cast<std::byte>(sub_message & 0xff);
    const Answer answer = c.ask_octets(message);
    EXPECT_TRUE(answer.success()) << sub_message;
    if (answer.came) {
      EXPECT_EQ(answer.octets[8], std::byte{0x80});
      EXPECT_EQ(answer.octets[9], std::byte{0x01});
    }
  }
}

// A message with the result Success is no request.
void an_answer_is_no_request(Controller& c) {
  wire::Buffer message = c.encoded(add_branch(c, 0, c.label(0), 1, c.label(7)));
  message[2] = static_cast<std::byte>(ResultField::kSuccess);
  c.is_not_answered(message);
  c.table_is({});
}

}  // namespace

const std::vector<Case>& message_cases() {
  static const std::vector<Case> cases = {
      {"the_adjacency_is_agreed_on", true, the_adjacency_is_agreed_on},
      {"a_controller_that_forgot_is_back_at_once", true, a_controller_that_forgot_is_back_at_once},
      {"a_request_before_the_adjacency_is_not_carried_out", true,
       a_request_before_the_adjacency_is_not_carried_out},
      {"another_version_is_dropped", true, another_version_is_dropped},
      {"unknown_types_are_not_implemented", true, unknown_types_are_not_implemented},
      {"verify_tree_is_gone", false, verify_tree_is_gone},
      {"messages_of_the_optional_model", false, messages_of_the_optional_model},
      {"messages_that_are_too_short", true, messages_that_are_too_short},
      {"a_length_beyond_the_frame_is_invalid", false, a_length_beyond_the_frame_is_invalid},
      {"messages_that_are_longer", false, messages_that_are_longer},
      {"every_way_to_say_one_segment", false, every_way_to_say_one_segment},
      {"an_answer_is_no_request", true, an_answer_is_no_request},
  };
  return cases;
}

}  // namespace xbind::conformance
