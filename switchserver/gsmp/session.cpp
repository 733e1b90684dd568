#include "switchserver/gsmp/session.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/check.hpp"
#include "switchserver/gsmp/codec.hpp"

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

}  // namespace

std::string_view to_string(DownReason reason) {
  switch (reason) {
    case DownReason::kClosed: return "connection closed";
    case DownReason::kPeerLost: return "nothing heard from the switch";
    case DownReason::kPeerReset: return "the switch has begun anew";
    case DownReason::kStreamBroken: return "stream broken";
  }
  return "unknown reason";
}

Session::Session(const SessionOptions& options, std::function<std::uint32_t()> random)
    : options_(options),
      random_(std::move(random)),
      adjacency_(as_master(options.adjacency), random_) {
  options_.adjacency.master = true;
  options_.first_transaction = std::clamp(options_.first_transaction, 1U, kTransactionMax);
  options_.window = std::clamp(options_.window, 1U, kWindowMax);
  slots_.resize(std::bit_ceil(options_.window * 2));
  mask_ = static_cast<std::uint32_t>(slots_.size() - 1);
}

// ----- the connection -------------------------------------------------------------------------

void Session::connected(TimePoint now) {
  XB_CHECK(!connected_, connected_);
  connected_ = true;
  given_up_ = false;
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
    give_up(DownReason::kPeerLost, std::string(to_string(DownReason::kPeerLost)));
    return;
  }
  while (head_ != kNoSlot && slots_[head_].deadline <= now) {
    const Slot& expired = slots_[head_];
    events_.emplace_back(RequestTimeout{expired.cookie, expired.type});
    ++counters_.timeouts;
    close_slot(head_);
  }
  send_queued(now);
}

TimePoint Session::next_deadline() const {
  if (!connected_ || given_up_) return kNever;
  const TimePoint adjacency = adjacency_.next_deadline();
  return head_ == kNoSlot ? adjacency : std::min(adjacency, slots_[head_].deadline);
}

bool Session::can_send() const { return up_; }

// ----- messages in ----------------------------------------------------------------------------

// Whether to go on with the rest of the chunk.
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
  if (!adjacency_.admit(now, output_)) {
    ++counters_.too_early;
    return true;
  }
  const Header& header = decoded->header;
  if (header.success() || header.result == ResultField::kFailure) {
    on_response(*decoded, now);
  } else if (is_event(header.type)) {
    on_event(*decoded);
  } else {
    ++counters_.unmatched;  // a request: a switch asks for nothing
  }
  return true;
}

void Session::on_adjacency(std::span<const std::byte> message, TimePoint now) {
  const Decoded<AdjacencyMessage> decoded = decode_adjacency(message);
  if (!decoded) return refused(decoded.error());
  switch (adjacency_.receive(*decoded, now, output_)) {
    case AdjacencyChange::kNone:
    case AdjacencyChange::kLost: return;
    case AdjacencyChange::kUp:
      up_ = true;
      next_id_ = options_.first_transaction;
      configured_ = false;
      peer_window_ = 0;
      events_.emplace_back(
          SessionUp{adjacency_.effective_flag(), adjacency_.peer(), adjacency_.partition()});
      return;
    case AdjacencyChange::kReset: return go_down(DownReason::kPeerReset);
  }
}

void Session::on_response(const HeaderAndBody& message, TimePoint now) {
  const Header& header = message.header;
  const std::uint32_t index = header.transaction & mask_;
  if (header.transaction == 0 || slots_[index].id != header.transaction ||
      slots_[index].type != header.type) {
    ++counters_.unmatched;
    return;
  }
  Response response;
  response.cookie = slots_[index].cookie;
  response.type = header.type;
  response.success = header.success();
  response.more = header.result == ResultField::kMore;
  response.code = header.code;
  const bool says_all = header.type == MessageType::kAddBranch ||
                        header.type == MessageType::kVpcAddBranch ||
                        (header.type == MessageType::kDeleteBranches && response.success);
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
    response.body = std::make_unique<Message>(*std::move(body));
  }
  ++(response.success ? counters_.successes : counters_.failures);
  if (response.more) {
    unlink(index);
    slots_[index].deadline = now + options_.transaction_timeout;
    link_last(index);
  } else {
    close_slot(index);
  }
  events_.emplace_back(std::move(response));
  send_queued(now);
}

void Session::on_event(const HeaderAndBody& message) {
  Decoded<Event> event = decode_event(message.header, message.body);
  if (!event) return refused(event.error());
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
  counters_.last_refusal = to_string(error);
}

// ----- requests out ---------------------------------------------------------------------------

std::uint32_t Session::window() const {
  if (!configured_) return std::min(options_.window, std::max(1U, options_.window_unconfigured));
  return peer_window_ == 0 ? options_.window : std::min(options_.window, peer_window_);
}

std::size_t Session::room() const {
  if (!up_) return 0;
  const std::size_t now = window() > outstanding_ ? window() - outstanding_ : 0;
  return now + options_.queue_max - std::min(queued_.size(), options_.queue_max);
}

template <class Encode>
Result<void> Session::submit(MessageType type, std::uint64_t cookie, TimePoint now,
                             Encode&& encode) {
  if (!up_) return fail(ErrorCode::kUnreachable, "no GSMP adjacency for a request {}", cookie);
  if (outstanding_ < window() && queued_.empty()) {
    const std::size_t start = output_.size();
    encode(output_);
    stamp_request(output_, start, adjacency_.partition(), open_slot(type, cookie, now));
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
  while (!queued_.empty() && outstanding_ < window()) {
    const Queued first = queued_.front();
    queued_.pop_front();
    const std::size_t start = output_.size();
    const auto from = queued_octets_.begin() + static_cast<std::ptrdiff_t>(queued_begin_);
    output_.insert(output_.end(), from, from + first.octets);
    queued_begin_ += first.octets;
    stamp_request(output_, start, adjacency_.partition(), open_slot(first.type, first.cookie, now));
  }
  if (queued_.empty()) {
    queued_octets_.clear();
    queued_begin_ = 0;
  } else if (queued_begin_ > options_.queue_octets_max) {
    // A queue that never runs dry: move the rest to the front, once per so many octets sent.
    queued_octets_.erase(queued_octets_.begin(),
                         queued_octets_.begin() + static_cast<std::ptrdiff_t>(queued_begin_));
    queued_begin_ = 0;
  }
}

// Returns the new transaction's id. The table is at most half full, so that a free slot is near.
std::uint32_t Session::open_slot(MessageType type, std::uint64_t cookie, TimePoint now) {
  XB_CHECK(outstanding_ < slots_.size() / 2 + 1, outstanding_, slots_.size());
  while (slots_[next_id_ & mask_].id != 0)
    next_id_ = next_id_ == kTransactionMax ? 1 : next_id_ + 1;
  const std::uint32_t id = next_id_;
  next_id_ = next_id_ == kTransactionMax ? 1 : next_id_ + 1;
  Slot& slot = slots_[id & mask_];
  slot.id = id;
  slot.type = type;
  slot.cookie = cookie;
  slot.deadline = now + options_.transaction_timeout;
  link_last(id & mask_);
  ++outstanding_;
  ++counters_.requests_sent;
  return id;
}

void Session::close_slot(std::uint32_t index) {
  unlink(index);
  slots_[index].id = 0;
  --outstanding_;
}

void Session::link_last(std::uint32_t index) {
  slots_[index].previous = tail_;
  slots_[index].next = kNoSlot;
  (tail_ == kNoSlot ? head_ : slots_[tail_].next) = index;
  tail_ = index;
}

void Session::unlink(std::uint32_t index) {
  const Slot& slot = slots_[index];
  (slot.previous == kNoSlot ? head_ : slots_[slot.previous].next) = slot.next;
  (slot.next == kNoSlot ? tail_ : slots_[slot.next].previous) = slot.previous;
}

Result<void> Session::add_branch(const AddBranch& message, std::uint64_t cookie, TimePoint now) {
  return submit(message.header.type, cookie, now,
                [&](wire::Buffer& out) { append_frame(out, message); });
}

Result<void> Session::delete_branches(std::span<const DeleteElement> elements, std::uint64_t cookie,
                                      TimePoint now) {
  if (elements.empty() || elements.size() > kDeleteElementsMax) {
    return fail(ErrorCode::kBadInput, "{} elements to delete, not 1 to {}", elements.size(),
                kDeleteElementsMax);
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
  return submit(request.header.type, cookie, now,
                [&](wire::Buffer& out) { append_frame(out, request); });
}

Result<void> Session::port_configuration(PortId port, std::uint64_t cookie, TimePoint now) {
  PortConfigurationRequest request;
  request.port = port;
  return submit(request.header.type, cookie, now,
                [&](wire::Buffer& out) { append_frame(out, request); });
}

Result<void> Session::all_ports_configuration(std::uint64_t cookie, TimePoint now) {
  const AllPortsRequest request;
  return submit(request.header.type, cookie, now,
                [&](wire::Buffer& out) { append_frame(out, request); });
}

Result<void> Session::report_connections(PortId port, std::uint64_t cookie, TimePoint now) {
  ReportRequest request;
  request.input_port = port;
  request.input_label = label_field(atm_label(0, 0), kFlagAll);
  return submit(request.header.type, cookie, now,
                [&](wire::Buffer& out) { append_frame(out, request); });
}

Result<void> Session::report_connection(PortId port, Label label, std::uint64_t cookie,
                                        TimePoint now) {
  ReportRequest request;
  request.input_port = port;
  request.input_label = label_field(label);
  return submit(request.header.type, cookie, now,
                [&](wire::Buffer& out) { append_frame(out, request); });
}

// ----- the end of an adjacency ----------------------------------------------------------------

void Session::go_down(DownReason reason) {
  if (!up_) return;
  up_ = false;
  events_.emplace_back(SessionDown{reason});
  while (head_ != kNoSlot) {
    events_.emplace_back(RequestLost{slots_[head_].cookie, slots_[head_].type, true});
    close_slot(head_);
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

// ----- to the owner ---------------------------------------------------------------------------

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
