#include "tests/conformance/controller.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "gsmp/codec.hpp"
#include "gsmp/print.hpp"

namespace xbind::conformance {
namespace {

using namespace gsmp;

constexpr std::size_t kRoundsMax = 10000;  // transport rounds for one answer
constexpr int kPeriodsMax = 3;             // periods of the switch's timer for an adjacency
constexpr std::uint8_t kTimer = 255;       // long, so that the suite is never too slow

std::size_t header_octets(std::uint8_t version) { return version == 1 ? 8 : 12; }

std::uint32_t transaction_of(std::span<const std::byte> message, std::uint8_t version) {
  wire::Reader in(message);
  in.skip(version == 1 ? 4 : 5);
  return version == 1 ? in.u32() : in.u24();
}

void set_transaction(wire::Buffer& message, std::uint8_t version, std::uint32_t transaction) {
  for (std::size_t i = version == 1 ? 4 : 5; i < 8; ++i) {
    message.at(i) = static_cast<std::byte>(transaction >> 8 * (7 - i) & 0xff);
  }
}

bool is_event(MessageType type) {
  return type >= MessageType::kPortUp && type <= MessageType::kAdjacencyUpdate;
}

}  // namespace

std::string Answer::words() const {
  return parts.empty() ? "an answer that cannot be read" : gsmp::to_string(parts.back());
}

std::string to_string(const Table& table) {
  std::string text;
  for (const TableBranch& one : table) {
    text +=
        fmt::format("{}:{} -> {}:{}; ", one.input_port.value(), xbind::to_string(one.input_label),
                    one.output_port.value(), xbind::to_string(one.output_label));
  }
  return text.empty() ? "empty" : text;
}

Controller::Controller(std::unique_ptr<Transport> transport, std::uint8_t version,
                       std::uint64_t name, std::shared_ptr<Others> others)
    : transport_(std::move(transport)),
      version_(version),
      instances_(static_cast<std::uint32_t>(name & 0xffff) * 1000 + 1),
      others_(std::move(others)) {
  options_.name = name;
  options_.timer = kTimer;
  options_.versions = {version};
}

// ----- adjacency -----

void Controller::start() {
  adjacency_ = std::make_unique<Adjacency>(options_, [this] { return ++instances_; });
  wire::Buffer out;
  adjacency_->start(transport_->now(), out);
  flush(out);
}

bool Controller::establish() {
  if (!adjacency_) start();
  for (int period = 0; period < kPeriodsMax && !adjacency_->established(); ++period) {
    for (std::size_t round = 0; round < kRoundsMax && !adjacency_->established(); ++round) {
      if (!pump()) break;
      tick();
    }
    // A switch limits the number of adjacency messages it answers in a period of its timer.
    if (!adjacency_->established()) transport_->advance_one_period();
    tick();
  }
  return adjacency_->established();
}

void Controller::forget() { start(); }

void Controller::tick() {
  wire::Buffer out;
  adjacency_->tick(transport_->now(), out);
  flush(out);
}

void Controller::flush(wire::Buffer& out) {
  if (!out.empty()) transport_->send(out);
  out.clear();
}

// Handles what has arrived: answers adjacency messages, stores events and answers.
bool Controller::pump() {
  wire::Buffer came;
  if (!transport_->receive(came)) return false;
  const auto broken = frames_.feed(came, [this](std::span<const std::byte> message) {
    if (message[1] != static_cast<std::byte>(MessageType::kAdjacency)) {
      inbox_.emplace_back(message.begin(), message.end());
      return true;
    }
    const auto decoded = decode(message);
    EXPECT_TRUE(decoded) << gsmp::to_string(decoded.error());
    if (!decoded || !adjacency_) return true;
    wire::Buffer out;
    adjacency_->receive(std::get<AdjacencyMessage>(*decoded), transport_->now(), out);
    flush(out);
    return true;
  });
  EXPECT_FALSE(broken) << gsmp::to_string(*broken);
  for (auto message = inbox_.begin(); message != inbox_.end();) {
    if (!is_event(static_cast<MessageType>(message->at(1)))) {
      ++message;
      continue;
    }
    const auto decoded = decode(*message);
    EXPECT_TRUE(decoded) << gsmp::to_string(decoded.error());
    if (decoded) events_.push_back(std::get<Event>(*decoded));
    message = inbox_.erase(message);
  }
  return true;
}

// ----- requests and answers -----

void Controller::stamp(Message& message) {
  std::visit(
      [this](auto& one) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(one)>, AdjacencyMessage>) {
          one.header.version = version_;
          if (one.header.result != ResultField::kNoSuccessAck) {
            one.header.result = ResultField::kAckAll;
          }
          one.header.partition = adjacency_->partition();
        }
      },
      message);
}

// Remembers the connections that a version 1.1 table check will verify.
void Controller::note_labels(const Message& message) {
  if (const auto* add = std::get_if<AddBranch>(&message)) {
    named_.emplace(add->input_port, label_of(add->input_label));
  } else if (const auto* move = std::get_if<MoveOutputBranch>(&message)) {
    named_.emplace(move->input_port, label_of(move->input_label));
  }
}

wire::Buffer Controller::encoded(Message message) {
  stamp(message);
  wire::Buffer frame;
  std::visit([&frame](const auto& one) { append_frame(frame, one); }, message);
  frame.erase(frame.begin(), frame.begin() + kFrameHeaderOctets);
  return frame;
}

Answer Controller::ask(Message message) {
  note_labels(message);
  return ask_octets(encoded(std::move(message)));
}

Answer Controller::ask_octets(wire::Buffer message, std::span<const std::byte> behind) {
  set_transaction(message, version_, ++transaction_);
  wire::Buffer frame;
  wire::Writer out(frame);
  out.u16(kFrameType);
  out.u16(static_cast<std::uint16_t>(message.size() + behind.size()));
  frame.insert(frame.end(), message.begin(), message.end());
  frame.insert(frame.end(), behind.begin(), behind.end());
  transport_->send(frame);
  return await(transaction_, message);
}

Answer Controller::await(std::uint32_t transaction, std::span<const std::byte> sent) {
  Answer answer;
  for (std::size_t round = 0; round < kRoundsMax; ++round) {
    for (auto message = inbox_.begin(); message != inbox_.end();) {
      if (message->size() < header_octets(version_) ||
          transaction_of(*message, version_) != transaction) {
        ++message;
        continue;
      }
      answer.octets = *message;
      message = inbox_.erase(message);
      EXPECT_EQ(answer.octets[0], sent[0]) << "version of the answer";
      EXPECT_EQ(answer.octets[1], sent[1]) << "type of the answer";
      const auto cut = decode_header(answer.octets);
      EXPECT_TRUE(cut) << gsmp::to_string(cut.error());
      if (!cut) continue;
      const Header& header = cut->header;
      // The copy of a truncated request cannot be decoded either.
      auto decoded = decode(answer.octets);
      EXPECT_TRUE(decoded || header.result == ResultField::kFailure)
          << gsmp::to_string(decoded.error());
      answer.result = header.result;
      answer.code = header.code;
      if (decoded) {
        // Version 1.1 reports the failure of a single branch in the header; decode() moves it to
        // the branch.
        if (const auto* one = std::get_if<DeleteBranches>(&*decoded)) {
          answer.code = one->header.code;
        }
        answer.parts.push_back(*std::move(decoded));
      }
      answer.came = header.result != ResultField::kMore;
    }
    if (answer.came || !pump()) break;
  }
  return answer;
}

Answer Controller::succeeds(const Message& message) {
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, gsmp::to_string(message));
  Answer answer = ask(message);
  EXPECT_TRUE(answer.came) << "no answer";
  if (answer.came) {
    EXPECT_EQ(answer.result, ResultField::kSuccess) << answer.words();
  }
  return answer;
}

Answer Controller::succeeds_with_copy(const Message& message) {
  Answer answer = succeeds(message);
  if (!answer.success()) return answer;
  wire::Buffer copy = encoded(message);
  set_transaction(copy, version_, transaction_);
  copy[2] = static_cast<std::byte>(ResultField::kSuccess);
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, gsmp::to_string(message));
  EXPECT_EQ(answer.octets, copy) << "is no copy: " << answer.words();
  return answer;
}

void Controller::fails(const Message& message, FailureCode code) {
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, gsmp::to_string(message));
  const Answer answer = ask(message);
  EXPECT_TRUE(answer.came) << "no answer";
  if (!answer.came) return;
  EXPECT_EQ(answer.result, ResultField::kFailure) << answer.words();
  EXPECT_EQ(answer.code, code) << answer.words();
  wire::Buffer copy = encoded(message);
  set_transaction(copy, version_, transaction_);
  EXPECT_EQ(answer.octets.size(), copy.size()) << "is no copy";
  if (answer.octets.size() != copy.size()) return;
  copy[2] = answer.octets[2];
  copy[3] = answer.octets[3];
  EXPECT_EQ(answer.octets, copy) << "is no copy: " << answer.words();
}

void Controller::is_not_answered(wire::Buffer message) {
  set_transaction(message, version_, ++transaction_);
  const std::uint32_t unanswered = transaction_;
  wire::Buffer frame;
  wire::Writer out(frame);
  out.u16(kFrameType);
  out.u16(static_cast<std::uint16_t>(message.size()));
  frame.insert(frame.end(), message.begin(), message.end());
  transport_->send(frame);
  // Answers come in order: once the next one is here, the first will not come.
  EXPECT_TRUE(ask(SwitchConfiguration{}).came) << "the connection is gone";
  std::erase_if(inbox_, [&](const wire::Buffer& one) {
    const bool answers = transaction_of(one, version_) == unanswered;
    EXPECT_FALSE(answers) << "was answered";
    return answers;
  });
}

void Controller::sent_with_no_success_ack(Message message) {
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, gsmp::to_string(message));
  note_labels(message);
  std::visit(
      [](auto& one) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(one)>, AdjacencyMessage>) {
          one.header.result = ResultField::kNoSuccessAck;
        }
      },
      message);
  is_not_answered(encoded(message));
}

std::vector<Event> Controller::events(std::size_t wanted) {
  for (std::size_t round = 0; round < kRoundsMax && events_.size() < wanted; ++round) {
    if (!pump()) break;
  }
  return std::exchange(events_, {});
}

// ----- constructing requests -----

AddBranch add_branch(const Controller& c, std::size_t in, Label in_label, std::size_t out,
                     Label out_label) {
  AddBranch request;
  request.port_session = c.session(in);
  request.input_port = c.port(in);
  request.output_port = c.port(out);
  request.input_label = label_field(in_label);
  request.output_label = label_field(out_label);
  return request;
}

DeleteElement element(const Controller& c, std::size_t in, Label in_label, std::size_t out,
                      Label out_label) {
  DeleteElement one;
  one.port_session = c.session(in);
  one.input_port = c.port(in);
  one.output_port = c.port(out);
  one.input_label = label_field(in_label);
  one.output_label = label_field(out_label);
  return one;
}

DeleteBranches delete_branches(std::vector<DeleteElement> elements) {
  DeleteBranches request;
  request.elements = std::move(elements);
  return request;
}

TableBranch branch(const Controller& c, std::size_t in, Label in_label, std::size_t out,
                   Label out_label) {
  return {c.port(in), in_label, c.port(out), out_label};
}

}  // namespace xbind::conformance
