#include "tests/conformance/controller.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

#include "gsmp/codec.hpp"
#include "gsmp/print.hpp"

namespace xbind::conformance {
namespace {

using namespace gsmp;

constexpr std::size_t kRoundsMax = 10000;  // of the transport, for one answer
constexpr int kPeriodsMax = 3;             // of the switch's timer, for an adjacency
constexpr std::uint8_t kTimer = 255;       // long: the suite may take its time

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

LabelKind kind_of(const PortRecord& record) {
  const LabelRanges ranges = label_ranges(record);
  return ranges.empty() ? LabelKind::kNone : ranges.front().kind;
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
    // A switch answers so many messages of this kind in a period of its timer, and no more.
    if (!adjacency_->established()) transport_->let_a_period_pass();
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

// Takes what has come: adjacency is answered, events and answers are put by.
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

// ----- the switch as it is found -----

bool Controller::prepare() {
  SwitchConfiguration request;
  const Answer answer = succeeds(request);
  if (!answer.success()) return false;
  configuration_ = answer.as<SwitchConfiguration>();
  refresh();
  if (!others_->known && version_ == 3) others_->table = whole_table();
  others_->known = true;
  refresh();
  const bool enough = ports() >= 3 && kind_of(records_[0]) == kind_of(records_[1]) &&
                      kind_of(records_[0]) == kind_of(records_[2]);
  EXPECT_TRUE(enough) << "the suite needs three ports of one kind of label";
  return enough && clean();
}

bool Controller::alone(PortId port) const {
  return std::ranges::none_of(others_->table, [&](const TableBranch& one) {
    return one.input_port == port || one.output_port == port;
  });
}

bool Controller::ports_are_ours() const {
  return alone(port(0)) && alone(port(1)) && alone(port(2));
}

void Controller::refresh() {
  records_.clear();
  labels_.clear();
  next_place_ = 0;
  const Answer answer = succeeds(AllPortsRequest{});
  for (const Message& part : answer.parts) {
    const auto* const ports = std::get_if<AllPortsPart>(&part);
    if (ports == nullptr) continue;
    records_.insert(records_.end(), ports->records.begin(), ports->records.end());
  }
  // ATM ports first, unless there are too few of them.
  const auto atm = std::ranges::count(records_, LabelKind::kAtm, kind_of);
  const LabelKind first = atm >= 3 ? LabelKind::kAtm : LabelKind::kMpls;
  std::ranges::sort(records_, {}, [&](const PortRecord& one) {
    return std::tuple(kind_of(one) != first, !alone(one.port), one.port);
  });
}

// Every port that is ours Available, without connections, its flags clear; elsewhere no connection of
// ours.
bool Controller::clean() {
  if (version_ == 3 && switch_is_ours()) ask(DeleteAllReservations{});
  if (!switch_is_ours()) {
    for (const TableBranch& one : whole_table()) {
      if (others_->table.contains(one)) continue;
      const auto input = std::ranges::find(records_, one.input_port, &PortRecord::port);
      DeleteElement ours;
      ours.port_session = input->port_session;
      ours.input_port = one.input_port;
      ours.input_label = label_field(one.input_label);
      ours.output_port = one.output_port;
      ours.output_label = label_field(one.output_label);
      succeeds(delete_branches({ours}));
    }
  }
  for (const PortRecord& record : records_) {
    PortManagement request;
    request.port = record.port;
    request.port_session = record.port_session;
    if (alone(record.port)) {
      request.function = PortFunction::kBringUp;
      const Answer up = succeeds(request);
      if (!up.success()) return false;
      request.port_session = up.as<PortManagement>().port_session;
    }
    request.function = PortFunction::kResetFlags;
    request.event_flags = kEventsAll;
    succeeds(request);
  }
  refresh();
  events_.clear();
  return true;
}

PortId Controller::no_port() const {
  std::uint32_t highest = 0;
  for (const PortRecord& one : records_) highest = std::max(highest, one.port.value());
  return PortId{highest + 1};
}

LabelKind Controller::kind() const { return kind_of(records_.at(0)); }

LabelType Controller::label_type() const { return label_field({kind(), 0}).type; }

LabelRange Controller::label_range() const {
  LabelRange common = label_ranges(record(0)).at(0);
  for (const std::size_t place : {std::size_t{1}, std::size_t{2}}) {
    const LabelRange other = label_ranges(record(place)).at(0);
    if (kind() == LabelKind::kAtm) {
      const AtmBounds a = atm_bounds(common);
      const AtmBounds b = atm_bounds(other);
      common = atm_range(std::max(a.vpi_min, b.vpi_min), std::min(a.vpi_max, b.vpi_max),
                         std::max(a.vci_min, b.vci_min), std::min(a.vci_max, b.vci_max));
    } else {
      common = mpls_range(std::max(common.first, other.first), std::min(common.last, other.last));
    }
  }
  return common;
}

// Label after label of the common range, but those that others use anywhere.
void Controller::find_labels(std::size_t count) const {
  const LabelRange range = label_range();
  while (labels_.size() < count && next_place_ < range.size()) {
    const Label next = range.at(next_place_++);
    const bool used = std::ranges::any_of(others_->table, [&](const TableBranch& one) {
      return one.input_label == next || one.output_label == next;
    });
    if (!used) labels_.push_back(next);
  }
}

Label Controller::label(std::uint32_t k) const {
  find_labels(k + 1);
  EXPECT_LT(k, labels_.size()) << "the suite needs more labels than " << to_string(label_range());
  return k < labels_.size() ? labels_[k] : Label{};
}

std::uint32_t Controller::labels(std::uint32_t most) const {
  find_labels(most);
  return static_cast<std::uint32_t>(std::min<std::size_t>(most, labels_.size()));
}

Label Controller::label_beyond(std::size_t place) const {
  const LabelRanges ranges = label_ranges(record(place));
  const LabelRange last = ranges.back();
  if (last.kind == LabelKind::kMpls) {
    const Label next{LabelKind::kMpls, last.last + 1};
    // 15 is reserved: nobody has it.
    return next.value <= kMplsLabelMax && !contains(ranges, next) ? next
                                                                  : Label{LabelKind::kMpls, 15};
  }
  const AtmBounds bounds = atm_bounds(last);
  return atm_label(bounds.vpi_min,
                   bounds.vci_max < 65535 ? bounds.vci_max + 1 : bounds.vci_min - 1);
}

// ----- asking -----

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

// What version 1.1 will be asked about.
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
      // The copy of a request that was too short cannot be read any better than the request.
      auto decoded = decode(answer.octets);
      EXPECT_TRUE(decoded || header.result == ResultField::kFailure)
          << gsmp::to_string(decoded.error());
      answer.result = header.result;
      answer.code = header.code;
      if (decoded) {
        // Version 1.1 tells the reason of one branch in the header; decoded, it is the branch's.
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
  // Answered in order: what has not come when the next answer is there will not come.
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

// ----- the table -----

Table Controller::whole_table() {
  Table table;
  for (const PortRecord& one : records_) {
    ReportRequest request;
    request.input_port = one.port;
    request.input_label = {kFlagAll, label_field({kind_of(one), 0}).type, 0};
    const Answer answer = ask(request);
    EXPECT_TRUE(answer.came) << "no report of port " << one.port.value();
    if (answer.came && answer.result == ResultField::kFailure) {
      EXPECT_EQ(answer.code, FailureCode::kGeneral) << "a port without connections";
      continue;
    }
    for (const Message& part : answer.parts) {
      const auto* const report = std::get_if<ReportPart>(&part);
      if (report == nullptr) continue;
      EXPECT_EQ(report->input_port, one.port);
      for (const ReportRecord& record : report->records) {
        for (const ReportBranch& out : record.branches) {
          const bool fresh = table
                                 .insert({one.port, label_of(record.input_label), out.output_port,
                                          label_of(out.output_label)})
                                 .second;
          EXPECT_TRUE(fresh) << "reported twice";
        }
      }
    }
  }
  return table;
}

void Controller::table_is(const Table& expected) {
  if (version_ == 3) {
    Table found;
    std::size_t theirs = 0;
    for (const TableBranch& one : whole_table()) {
      if (others_->table.contains(one)) {
        ++theirs;
      } else {
        found.insert(one);
      }
    }
    EXPECT_EQ(theirs, others_->table.size()) << "connections of others are gone";
    EXPECT_EQ(found, expected) << "the switch has " << conformance::to_string(found)
                               << "and should have " << conformance::to_string(expected);
    return;
  }
  std::map<std::pair<PortId, Label>, std::uint16_t> branches;
  for (const TableBranch& one : expected) ++branches[{one.input_port, one.input_label}];
  for (const auto& key : named_) branches.emplace(key, std::uint16_t{0});
  for (const auto& [key, count] : branches) {
    const auto port = std::find_if(records_.begin(), records_.end(),
                                   [&](const PortRecord& one) { return one.port == key.first; });
    if (port == records_.end()) continue;
    VerifyTree verify;
    verify.port_session = port->port_session;
    verify.input_port = key.first;
    verify.input_label = label_field(key.second);
    verify.branches = count;
    if (count > 0) {
      succeeds(verify);
    } else {
      fails(verify, FailureCode::kNoSuchConnection);
    }
  }
}

// ----- requests -----

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
