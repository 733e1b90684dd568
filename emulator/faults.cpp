#include "emulator/faults.hpp"

#include <algorithm>
#include <utility>

#include "gsmp/codec.hpp"
#include "gsmp/framing.hpp"

namespace xbind::emulator {
namespace {

using gsmp::kFrameHeaderOctets;
using gsmp::MessageType;
using gsmp::ResultField;

std::uint32_t u16(std::span<const std::byte> octets, std::size_t at) {
  return std::to_integer<std::uint32_t>(octets[at]) << 8 |
         std::to_integer<std::uint32_t>(octets[at + 1]);
}
bool begins_frame(std::span<const std::byte> octets) { return u16(octets, 0) == gsmp::kFrameType; }

gsmp::Decoded<gsmp::HeaderAndBody> header_of(std::span<const std::byte> frame) {
  return gsmp::decode_header(frame.subspan(std::min(frame.size(), kFrameHeaderOctets)));
}

// The number of connections that a request makes, changes or releases, for the processor's delay.
std::uint32_t operations_of(std::span<const std::byte> frame) {
  const auto request = header_of(frame);
  if (!request || request->header.type < MessageType::kAddBranch ||
      request->header.type > MessageType::kVpcMoveInputBranch) {
    return 0;
  }
  if (request->header.type != MessageType::kDeleteBranches) return 1;
  const auto body = gsmp::decode_body(*request);
  const auto* deletes = body ? std::get_if<gsmp::DeleteBranches>(&*body) : nullptr;
  return deletes == nullptr ? 1
                            : std::max(static_cast<std::uint32_t>(deletes->elements.size()), 1U);
}

}  // namespace

std::size_t frame_octets(std::span<const std::byte> octets) {
  if (octets.size() < kFrameHeaderOctets) return 0;
  if (!begins_frame(octets)) return octets.size();
  const std::size_t whole = kFrameHeaderOctets + u16(octets, 2);
  return whole <= octets.size() ? whole : 0;
}

bool is_adjacency(std::span<const std::byte> frame) {
  constexpr std::size_t kTypeAt = kFrameHeaderOctets + 1;  // in every version
  return frame.size() > kTypeAt &&
         frame[kTypeAt] == static_cast<std::byte>(MessageType::kAdjacency);
}

// ----- InputCutter ------------------------------------------------------------------------------

std::size_t InputCutter::pass_frame(std::span<const std::byte> octets) {
  if (lost_) return octets.size();
  std::size_t passed = 0;
  if (left_ == 0) {
    passed = std::min(kFrameHeaderOctets - head_.size(), octets.size());
    head_.insert(head_.end(), octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(passed));
    if (head_.size() < kFrameHeaderOctets) return passed;
    lost_ = !begins_frame(head_);
    left_ = u16(head_, 2);
    head_.clear();
    if (lost_) return octets.size();
  }
  const std::size_t rest = std::min(left_, octets.size() - passed);
  left_ -= rest;
  return passed + rest;
}

std::size_t InputCutter::pass_all(std::span<const std::byte> octets) {
  std::size_t passed = 0;
  if (between_frames()) {  // skips each whole frame at once
    while (octets.size() - passed >= kFrameHeaderOctets && begins_frame(octets.subspan(passed))) {
      const std::size_t whole = kFrameHeaderOctets + u16(octets, passed + 2);
      if (whole > octets.size() - passed) break;
      passed += whole;
    }
  }
  while (passed < octets.size() && !lost_) passed += pass_frame(octets.subspan(passed));
  return octets.size();
}

std::size_t InputCutter::keep(std::span<const std::byte> octets) {
  std::size_t wanted = kFrameHeaderOctets;
  if (kept_.size() >= kFrameHeaderOctets) wanted += u16(kept_, 2);
  const std::size_t taken = std::min(wanted - kept_.size(), octets.size());
  kept_.insert(kept_.end(), octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(taken));
  // The agent reports the error and closes the connection.
  if (kept_.size() == kFrameHeaderOctets && !begins_frame(kept_)) lost_ = true;
  return taken;
}

// ----- Processor --------------------------------------------------------------------------------

void Processor::put(ConnectionKey connection, std::span<const std::byte> frame, TimePoint now) {
  requests_.push_back(
      {connection, wire::Buffer(frame.begin(), frame.end()), now, operations_of(frame)});
  octets_[connection] += frame.size();
}

TimePoint Processor::done(const FaultSettings& settings) const {
  const Request& next = requests_.front();
  return std::max(free_at_, next.arrived) + settings.message_delay +
         settings.connection_delay * next.operations;
}

std::optional<Processor::Request> Processor::take(TimePoint now, const FaultSettings& settings) {
  if (requests_.empty()) return std::nullopt;
  const TimePoint at = done(settings);
  if (at > now) return std::nullopt;
  free_at_ = at;
  Request request = std::move(requests_.front());
  requests_.pop_front();
  const auto waiting = octets_.find(request.connection);
  waiting->second -= request.frame.size();
  if (waiting->second == 0) octets_.erase(waiting);
  return request;
}

TimePoint Processor::next_deadline(const FaultSettings& settings) const {
  return requests_.empty() ? kNever : done(settings);
}

std::size_t Processor::waiting(ConnectionKey connection) const {
  const auto found = octets_.find(connection);
  return found == octets_.end() ? 0 : found->second;
}

std::size_t Processor::drop(ConnectionKey connection) {
  octets_.erase(connection);
  return std::erase_if(requests_,
                       [&](const Request& request) { return request.connection == connection; });
}

// ----- SlowReader -------------------------------------------------------------------------------

void SlowReader::tick(TimePoint now, std::uint32_t octets_per_s) {
  if (octets_per_s == 0) {
    left_ = kUnlimited;
    next_ = kNever;
    return;
  }
  if (left_ == kUnlimited) {  // the fault has just been set
    left_ = 0;
    next_ = now;
  }
  if (now < next_) return;
  left_ = std::max<std::size_t>(octets_per_s / 10, 1);
  next_ = now + Duration{1'000'000'000 * left_ / octets_per_s};
}

// ----- AnswerPipe -------------------------------------------------------------------------------

void AnswerPipe::append(std::span<const std::byte> frame) {
  if (ready_begin_ == ready_.size()) {
    ready_.clear();
    ready_begin_ = 0;
  }
  ready_.insert(ready_.end(), frame.begin(), frame.end());
}

template <class Goes>
void AnswerPipe::release(Goes goes) {
  std::erase_if(held_, [&](const Held& held) {
    if (!goes(held)) return false;
    append(held.frame);
    return true;
  });
}

void AnswerPipe::put(std::span<const std::byte> frames, TimePoint now,
                     const FaultSettings& settings, const std::function<std::uint32_t()>& random,
                     FaultCounters& counters) {
  // Without a fault, frames are neither checked nor copied one by one.
  const bool straight = !settings.silent && settings.reorder == 0 && held_.empty();
  if (straight) append(frames);
  while (!frames.empty()) {
    const std::size_t octets = std::max<std::size_t>(frame_octets(frames), 1);
    const std::span<const std::byte> frame = frames.first(octets);
    frames = frames.subspan(octets);
    if (is_adjacency(frame)) {
      const auto message = frame.subspan(kFrameHeaderOctets);
      last_adjacency_.assign(message.begin(), message.end());
    }
    if (straight) continue;
    if (settings.silent) {
      ++counters.unsaid;
    } else if (is_adjacency(frame)) {
      release([](const Held&) { return true; });
      append(frame);
    } else {
      put_answer(frame, now, settings, random, counters);
    }
  }
}

void AnswerPipe::put_answer(std::span<const std::byte> frame, TimePoint now,
                            const FaultSettings& settings,
                            const std::function<std::uint32_t()>& random, FaultCounters& counters) {
  if (settings.reorder == 0 && held_.empty()) return append(frame);
  const auto message = header_of(frame);
  const bool answer =
      message && (message->header.success() || message->header.result == ResultField::kFailure);
  if (!answer) return append(frame);  // an event
  const std::uint32_t transaction = message->header.transaction;
  const std::size_t before = held_.size();
  release([&](const Held& held) { return held.transaction == transaction; });
  const bool later_part = held_.size() < before;
  const bool holds = !later_part && settings.reorder > 0 && held_.size() < kHeldMax &&
                     random() < settings.reorder * 0x1p32;
  if (holds) {
    held_.push_back({wire::Buffer(frame.begin(), frame.end()), transaction, 1 + random() % kWindow,
                     now + kHeldFor});
    return;
  }
  append(frame);
  for (Held& held : held_) --held.behind;
  const std::size_t waiting = held_.size();
  release([](const Held& held) { return held.behind == 0; });
  counters.reordered += waiting - held_.size();
}

void AnswerPipe::tick(TimePoint now, const FaultSettings& settings) {
  release([&](const Held& held) { return held.until <= now || settings.reorder == 0; });
}

void AnswerPipe::take(wire::Buffer& into, TimePoint now, const FaultSettings& settings,
                      FaultCounters& counters) {
  if (ready_begin_ == ready_.size()) return;
  if (settings.partial_octets == 0) {
    if (ready_begin_ == 0) {
      std::swap(into, ready_);
    } else {
      into.assign(ready_.begin() + static_cast<std::ptrdiff_t>(ready_begin_), ready_.end());
    }
    ready_.clear();
    ready_begin_ = 0;
    return;
  }
  if (now < next_piece_) return;
  const std::size_t octets = std::min(settings.partial_octets, ready_.size() - ready_begin_);
  const auto begin = ready_.begin() + static_cast<std::ptrdiff_t>(ready_begin_);
  into.assign(begin, begin + static_cast<std::ptrdiff_t>(octets));
  ready_begin_ += octets;
  next_piece_ = now + kPieceGap;
  ++counters.pieces;
  if (ready_begin_ > kWaitingOctetsMax) {
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(ready_begin_));
    ready_begin_ = 0;
  }
}

TimePoint AnswerPipe::next_deadline(const FaultSettings& settings) const {
  TimePoint due = kNever;
  for (const Held& held : held_) due = std::min(due, held.until);
  if (settings.partial_octets > 0 && ready_begin_ < ready_.size()) due = std::min(due, next_piece_);
  return due;
}

std::size_t AnswerPipe::waiting() const {
  std::size_t octets = ready_.size() - ready_begin_;
  for (const Held& held : held_) octets += held.frame.size();
  return octets;
}

}  // namespace xbind::emulator
