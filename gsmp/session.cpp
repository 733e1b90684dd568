#include "gsmp/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "gsmp/codec.hpp"
#include "gsmp/print.hpp"

namespace xbind::gsmp {
namespace {

constexpr std::uint32_t kWindowMax = 32768;

AdjacencyOptions as_master(AdjacencyOptions options) {
  options.master = true;
  return options;
}

bool is_event(MessageType type) {
  return type >= MessageType::kPortUp && type <= MessageType::kAdjacencyUpdate;
}

// In version 1.1 every part is a Success: only the record count identifies the last one.
bool more_ports_to_come(AllPortsPart& part, std::uint16_t& records) {
  if (part.header.version == kVersion) return part.header.result == ResultField::kMore;
  records = static_cast<std::uint16_t>(records + part.records.size());
  if (records >= part.total) return false;
  part.header.result = ResultField::kMore;
  return true;
}

}  // namespace

std::string_view to_string(DownReason reason) {
  switch (reason) {
    case DownReason::kClosed: return "connection closed";
    case DownReason::kPeerLost: return "nothing heard from the switch";
    case DownReason::kPeerReset: return "the switch has restarted the adjacency";
    case DownReason::kStreamBroken: return "stream broken";
  }
  return "unknown reason";
}

Session::Session(const SessionOptions& options, std::function<std::uint32_t()> random)
    : options_(options),
      random_(std::move(random)),
      adjacency_(as_master(options.adjacency), random_),
      transactions_(std::clamp(options.window, 1U, kWindowMax)) {
  options_.adjacency.master = true;
  options_.first_transaction = std::clamp(options_.first_transaction, 1U, kTransactionMax);
  options_.window = std::clamp(options_.window, 1U, kWindowMax);
}

// ----- the connection -------------------------------------------------------------------------

void Session::connected(TimePoint now) {
  XB_CHECK(!connected_, connected_);
  connected_ = true;
  given_up_ = false;
  heard_version_ = 0;
  frames_.reset();
  output_.clear();
  adjacency_ = Adjacency(options_.adjacency, random_);
  adjacency_.start(now, output_);
}

void Session::closed(TimePoint) {
  if (!connected_) return;
  connected_ = false;
  output_.clear();
  go_down(DownReason::kClosed);
}

void Session::receive(std::span<const std::byte> octets, TimePoint now) {
  if (!connected_ || given_up_) return;
  const auto broken = frames_.feed(
      octets, [&](std::span<const std::byte> message) { return on_message(message, now); });
  if (broken && !given_up_) {
    refused(*broken);
    give_up(DownReason::kStreamBroken, to_string(*broken));
  }
}

void Session::tick(TimePoint now) {
  if (!connected_ || given_up_) return;
  if (adjacency_.tick(now, output_) == AdjacencyChange::kLost) {
    give_up(DownReason::kPeerLost, why_lost());
    return;
  }
  for (const Transaction* first = nullptr;
       (first = transactions_.first()) != nullptr && first->deadline <= now;) {
    events_.emplace_back(RequestTimeout{first->cookie, first->type});
    ++counters_.timeouts;
    transactions_.end(first->id);
  }
  send_queued(now);
}

TimePoint Session::next_deadline() const {
  if (!connected_ || given_up_) return kNever;
  const TimePoint adjacency = adjacency_.next_deadline();
  const Transaction* const first = transactions_.first();
  return first == nullptr ? adjacency : std::min(adjacency, first->deadline);
}

bool Session::can_send() const { return up_; }

// ----- received messages
// ----------------------------------------------------------------------------

// Returns whether to continue with the rest of the chunk.
bool Session::on_message(std::span<const std::byte> message, TimePoint now) {
  if (message[1] == static_cast<std::byte>(MessageType::kAdjacency)) {
    on_adjacency(message, now);
    return !given_up_;
  }
  const Decoded<HeaderAndBody> decoded = decode_header(message);
  if (!decoded) {
    refused(decoded.error());
    return true;
  }
  if (!adjacency_.admit(decoded->header.version, now, output_)) {
    ++(decoded->header.version == adjacency_.version() ? counters_.too_early
                                                       : counters_.other_version);
    return true;
  }
  const Header& header = decoded->header;
  if (header.success() || header.result == ResultField::kFailure) {
    on_response(*decoded, now);
  } else if (is_event(header.type)) {
    on_event(*decoded);
  } else {
    ++counters_.unmatched;  // a request: a switch never sends requests
  }
  return true;
}

void Session::on_adjacency(std::span<const std::byte> message, TimePoint now) {
  const Decoded<AdjacencyMessage> decoded = decode_adjacency(message);
  if (!decoded) {
    if (decoded.error().refusal == Refusal::kVersion) {
      heard_version_ = std::to_integer<std::uint8_t>(message[0]);
    }
    return refused(decoded.error());
  }
  const std::uint64_t dropped = adjacency_.other_version();
  const AdjacencyChange change = adjacency_.receive(*decoded, now, output_);
  if (adjacency_.other_version() != dropped) {
    ++counters_.other_version;
    heard_version_ = decoded->version;
  }
  switch (change) {
    case AdjacencyChange::kNone:
      // A retry on this connection would get the same answer. A new connection has a back-off.
      if (adjacency_.partition_denied()) {
        give_up(DownReason::kPeerReset, fmt::format("the switch does not give us partition {}",
                                                    options_.adjacency.partition));
      }
      return;
    case AdjacencyChange::kLost: return;
    case AdjacencyChange::kUp:
      up_ = true;
      transactions_.count_from(options_.first_transaction);
      configured_ = false;
      peer_window_ = 0;
      events_.emplace_back(SessionUp{adjacency_.effective_flag(), adjacency_.peer(),
                                     adjacency_.partition(), adjacency_.version()});
      return;
    case AdjacencyChange::kReset: return go_down(DownReason::kPeerReset);
  }
}

void Session::on_response(const HeaderAndBody& message, TimePoint now) {
  const Header& header = message.header;
  Transaction* const asked = transactions_.find(header.transaction, header.type);
  if (asked == nullptr) {
    ++counters_.unmatched;
    return;
  }
  Response response;
  response.cookie = asked->cookie;
  response.type = header.type;
  response.success = header.success();
  response.more = header.result == ResultField::kMore;
  response.code = header.code;
  const bool says_all = response.success && (header.type == MessageType::kAddBranch ||
                                             header.type == MessageType::kVpcAddBranch ||
                                             header.type == MessageType::kDeleteBranches);
  if (!says_all) {
    Decoded<Message> body = decode_body(message);
    if (!body) {
      // The outcome stays unknown: the transaction will time out.
      refused(body.error());
      return;
    }
    if (const auto* configuration = std::get_if<SwitchConfiguration>(&*body);
        configuration != nullptr && response.success) {
      configured_ = true;
      peer_window_ = configuration->window;
    }
    if (auto* ports = std::get_if<AllPortsPart>(&*body)) {
      response.more = more_ports_to_come(*ports, asked->records);
    }
    // The decoder of version 1.1 moves the Code to the element and sets the message's code to
    // kGeneral.
    if (const auto* deleted = std::get_if<DeleteBranches>(&*body)) {
      response.code = deleted->header.code;
    }
    response.body = std::make_unique<Message>(*std::move(body));
  }
  ++(response.success ? counters_.successes : counters_.failures);
  if (response.more) {
    transactions_.renew(*asked, now + options_.transaction_timeout);
  } else {
    transactions_.end(asked->id);
  }
  events_.emplace_back(std::move(response));
  send_queued(now);
}

void Session::on_event(const HeaderAndBody& message) {
  Decoded<Message> body = decode_body(message);
  if (!body) return refused(body.error());
  auto* event = std::get_if<Event>(&*body);
  if (event == nullptr) {
    ++counters_.unmatched;  // Adjacency Update does not exist in version 1.1
    return;
  }
  ++counters_.events;
  if (event->header.result == ResultField::kReturnReceipt) {
    Event receipt = *event;
    receipt.header.result = ResultField::kSuccess;
    append_frame(output_, receipt);
  }
  events_.emplace_back(SwitchEvent{*std::move(event)});
}

void Session::refused(DecodeError error) {
  ++counters_.refused;
  if (error.refusal == Refusal::kVersion) ++counters_.other_version;
  counters_.last_refusal = to_string(error);
}

// ----- the end of an adjacency ----------------------------------------------------------------

// Distinguishes a switch that speaks an unsupported version from a silent one.
std::string Session::why_lost() const {
  const std::string silence{to_string(DownReason::kPeerLost)};
  if (up_ || heard_version_ == 0) return silence;
  return fmt::format("{} in GSMP version {}: it speaks version {}", silence,
                     fmt::join(options_.adjacency.versions, " or "), heard_version_);
}

void Session::go_down(DownReason reason) {
  if (!up_) return;
  up_ = false;
  events_.emplace_back(SessionDown{reason});
  while (const Transaction* const first = transactions_.first()) {
    events_.emplace_back(RequestLost{first->cookie, first->type, true});
    transactions_.end(first->id);
  }
  for (const Queued& request : queued_) {
    events_.emplace_back(RequestLost{request.cookie, request.type, false});
  }
  queued_.clear();
  queued_octets_.clear();
  queued_begin_ = 0;
}

void Session::give_up(DownReason reason, std::string text) {
  given_up_ = true;
  go_down(reason);
  events_.emplace_back(DropTransport{std::move(text)});
}

// ----- events for the owner
// ---------------------------------------------------------------------------

void Session::take_output(wire::Buffer& into) {
  into.clear();
  std::swap(into, output_);
}

wire::Buffer Session::take_output() {
  wire::Buffer taken;
  take_output(taken);
  return taken;
}

void Session::take_events(std::vector<SessionEvent>& into) {
  into.clear();
  std::swap(into, events_);
}

std::vector<SessionEvent> Session::take_events() {
  std::vector<SessionEvent> taken;
  take_events(taken);
  return taken;
}

}  // namespace xbind::gsmp
