// The sending half of Session: requests, the queue before the window and the transaction table.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/check.hpp"
#include "gsmp/codec.hpp"
#include "gsmp/print.hpp"
#include "gsmp/session.hpp"

namespace xbind::gsmp {
namespace {

// nullopt for messages that no controller requests: adjacency messages, events, answer-only
// layouts.
std::optional<MessageType> request_type(const Message& message) {
  return std::visit(
      [](const auto& one) -> std::optional<MessageType> {
        using M = std::decay_t<decltype(one)>;
        constexpr bool kNever = std::is_same_v<M, AdjacencyMessage> || std::is_same_v<M, Event> ||
                                std::is_same_v<M, Statistics> || std::is_same_v<M, ReportPart> ||
                                std::is_same_v<M, PortConfiguration> ||
                                std::is_same_v<M, AllPortsPart> ||
                                std::is_same_v<M, ServiceConfiguration>;
        if constexpr (kNever) {
          return std::nullopt;
        } else {
          return one.header.type;
        }
      },
      message);
}

}  // namespace

std::uint32_t Session::window() const {
  if (!configured_) return std::min(options_.window, std::max(1U, options_.window_unconfigured));
  return peer_window_ == 0 ? options_.window : std::min(options_.window, peer_window_);
}

std::size_t Session::room() const {
  if (!up_) return 0;
  const std::size_t now = window() > outstanding() ? window() - outstanding() : 0;
  return now + options_.queue_max - std::min(queued_.size(), options_.queue_max);
}

template <class Encode>
Result<void> Session::submit(MessageType type, std::uint64_t cookie, TimePoint now,
                             Encode&& encode) {
  if (!up_) return fail(ErrorCode::kUnreachable, "no GSMP adjacency for a request {}", cookie);
  if (outstanding() < window() && queued_.empty()) {
    const std::size_t start = output_.size();
    encode(output_);
    stamp_request(output_, start, adjacency_.partition(), begin_transaction(type, cookie, now));
    return {};
  }
  if (queued_.size() >= options_.queue_max ||
      queued_octets_.size() - queued_begin_ >= options_.queue_octets_max) {
    return fail(ErrorCode::kExhausted, "{} requests wait for the switch already", queued_.size());
  }
  const std::size_t start = queued_octets_.size();
  encode(queued_octets_);
  queued_.push_back({cookie, type, static_cast<std::uint32_t>(queued_octets_.size() - start)});
  return {};
}

void Session::send_queued(TimePoint now) {
  while (!queued_.empty() && outstanding() < window()) {
    const Queued first = queued_.front();
    queued_.pop_front();
    const std::size_t start = output_.size();
    const auto from = queued_octets_.begin() + static_cast<std::ptrdiff_t>(queued_begin_);
    output_.insert(output_.end(), from, from + first.octets);
    queued_begin_ += first.octets;
    stamp_request(output_, start, adjacency_.partition(),
                  begin_transaction(first.type, first.cookie, now));
  }
  if (queued_.empty()) {
    queued_octets_.clear();
    queued_begin_ = 0;
  } else if (queued_begin_ > options_.queue_octets_max) {
    // The queue never empties: move the rest to the front, at most once per this many sent octets.
    queued_octets_.erase(queued_octets_.begin(),
                         queued_octets_.begin() + static_cast<std::ptrdiff_t>(queued_begin_));
    queued_begin_ = 0;
  }
}

// Returns the new transaction's id.
std::uint32_t Session::begin_transaction(MessageType type, std::uint64_t cookie, TimePoint now) {
  ++counters_.requests_sent;
  return transactions_.begin(type, cookie, now + options_.transaction_timeout);
}

// Sends in the agreed version, if it has such a message. Copies the message in version 1.1 only.
template <class M>
Result<void> Session::submit_message(const M& message, std::uint64_t cookie, TimePoint now) {
  const MessageType type = message.header.type;
  if (!up_) return fail(ErrorCode::kUnreachable, "no GSMP adjacency for a request {}", cookie);
  const std::uint8_t version = adjacency_.version();
  if (version == v1::kVersion || std::is_same_v<M, VerifyTree>) {
    std::optional<std::string> lack;
    if constexpr (v1::Exists<M>) lack = v1::lacks(message);
    if (!exists_in(type, version)) lack = to_string(type);
    if (lack) return fail(ErrorCode::kVersion, "GSMP version {} lacks {}", version, *lack);
  }
  if (message.header.version != version) {
    M copy = message;
    copy.header.version = version;
    return submit(type, cookie, now, [&](wire::Buffer& out) { append_frame(out, copy); });
  }
  return submit(type, cookie, now, [&](wire::Buffer& out) { append_frame(out, message); });
}

Result<void> Session::add_branch(const AddBranch& message, std::uint64_t cookie, TimePoint now) {
  return submit_message(message, cookie, now);
}

std::size_t Session::delete_elements_max() const {
  return adjacency_.version() == kVersion ? kDeleteElementsMax : 1;
}

Result<void> Session::delete_branches(std::span<const DeleteElement> elements, std::uint64_t cookie,
                                      TimePoint now) {
  if (elements.empty() || elements.size() > delete_elements_max()) {
    return fail(ErrorCode::kBadInput, "{} elements to delete, not 1 to {}", elements.size(),
                delete_elements_max());
  }
  if (adjacency_.version() != kVersion) {
    DeleteBranches message;
    message.elements.assign(elements.begin(), elements.end());
    return submit_message(message, cookie, now);
  }
  return submit(MessageType::kDeleteBranches, cookie, now, [&](wire::Buffer& out) {
    wire::Writer frame(out);
    frame.u16(kFrameType);
    frame.u16(0);
    encode_delete_branches({.type = MessageType::kDeleteBranches}, elements, frame);
    frame.patch_u16(2, static_cast<std::uint16_t>(frame.size() - kFrameHeaderOctets));
  });
}

Result<void> Session::switch_configuration(std::uint8_t model_type, std::uint64_t cookie,
                                           TimePoint now) {
  SwitchConfiguration request;
  request.model_types[0] = model_type;
  return submit_message(request, cookie, now);
}

Result<void> Session::port_configuration(PortId port, std::uint64_t cookie, TimePoint now) {
  PortConfigurationRequest request;
  request.port = port;
  return submit_message(request, cookie, now);
}

Result<void> Session::all_ports_configuration(std::uint64_t cookie, TimePoint now) {
  return submit_message(AllPortsRequest{}, cookie, now);
}

Result<void> Session::report_connections(PortId port, std::uint64_t cookie, TimePoint now) {
  ReportRequest request;
  request.input_port = port;
  request.input_label = label_field(atm_label(0, 0), kFlagAll);
  return submit_message(request, cookie, now);
}

Result<void> Session::report_connection(PortId port, Label label, std::uint64_t cookie,
                                        TimePoint now) {
  ReportRequest request;
  request.input_port = port;
  request.input_label = label_field(label);
  return submit_message(request, cookie, now);
}

Result<void> Session::request(const Message& message, std::uint64_t cookie, TimePoint now) {
  if (!request_type(message)) {
    return fail(ErrorCode::kBadInput, "a controller requests no {}", to_string(message));
  }
  wire::Buffer frame;
  append_frame(frame, message);
  if (frame.size() > kFrameHeaderOctets + kSentOctetsMax) {
    return fail(ErrorCode::kBadInput, "a request of {} octets, the most is {}",
                frame.size() - kFrameHeaderOctets, kSentOctetsMax);
  }
  return std::visit(
      [&](const auto& one) -> Result<void> {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, AdjacencyMessage>) {
          return fail(ErrorCode::kBadInput, "a controller requests no {}", to_string(one));
        } else {
          return submit_message(one, cookie, now);
        }
      },
      message);
}

}  // namespace xbind::gsmp
