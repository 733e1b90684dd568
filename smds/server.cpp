#include "smds/server.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "smds/timers.hpp"

namespace xbind::smds {
namespace {

constexpr Duration kCatchUp = kSmdsTimers["catch-up"];
constexpr std::uint64_t kOctetsPerMbit = 125'000;

}  // namespace

void Pace::spend(std::size_t octets, TimePoint now) {
  if (octets_per_s_ == 0) return;
  const Duration time{static_cast<Duration::rep>(octets * 1'000'000'000 / octets_per_s_)};
  free_at_ = std::max(free_at_, now - kCatchUp) + time;
}

Server::Server(const Network& network, std::uint32_t server, const ServerOptions& options,
               Lines& lines)
    : options_(options),
      lines_(lines),
      forwarder_(network, server, options.limits),
      interface_(options.interface_octets_per_s),
      buffers_(forwarder_.ports().size()) {
  XB_CHECK(options.buffer_pdus > 0 && options.buffer_pdus <= kBufferPdusMax, options.buffer_pdus);
  for (const Port& port : forwarder_.ports()) {
    paces_.emplace_back(port.mbit_per_s * kOctetsPerMbit);
  }
}

void Server::received(PortIndex in, std::span<const std::byte> frame, TimePoint now) {
  if (!buffers_[in].empty()) {
    if (buffers_[in].size() < options_.buffer_pdus) {
      keep(in, frame, false);
    } else {
      ++forwarder_.counter(in).fates[static_cast<std::size_t>(Fate::kBufferFull)];
    }
    return;
  }
  if (!interface_.free(now)) return keep(in, frame, false);
  forwarder_.decide(in, frame, now, decision_);
  if (can_send(decision_, now)) {
    send(frame, decision_, now);
  } else {
    keep(in, frame, true);
  }
}

void Server::keep(PortIndex in, std::span<const std::byte> frame, bool decided) {
  Waiting waiting;
  if (!spare_.empty()) {
    waiting = std::move(spare_.back());
    spare_.pop_back();
  }
  waiting.octets.assign(frame.begin(), frame.end());
  waiting.decided = decided;
  if (decided) std::swap(waiting.decision, decision_);
  buffers_[in].push_back(std::move(waiting));
  ++waiting_;
  ++forwarder_.counter(in).waited;
}

bool Server::can_send(const Decision& decision, TimePoint now) const {
  return std::ranges::all_of(
      decision.out, [&](PortIndex out) { return paces_[out].free(now) && lines_.room(out); });
}

void Server::send(std::span<const std::byte> frame, const Decision& decision, TimePoint now) {
  const auto pdu = frame.subspan(decision.pdu_at);
  interface_.spend(pdu.size(), now);
  if (decision.out.empty()) return;
  const EnvelopeImage head = image_of(decision.envelope);
  for (const PortIndex out : decision.out) {
    const bool trunk = forwarder_.ports()[out].kind == PortKind::kTrunk;
    lines_.send(out, trunk ? std::span<const std::byte>(head) : std::span<const std::byte>{}, pdu);
    paces_[out].spend(pdu.size(), now);
    PortCounters& counters = forwarder_.counter(out);
    ++(decision.destination.group() ? counters.sent_group : counters.sent_individual);
    counters.sent_octets += decision.information;
  }
}

bool Server::serve_one(PortIndex in, TimePoint now) {
  if (!interface_.free(now)) return false;
  Waiting& first = buffers_[in].front();
  if (!first.decided) {
    forwarder_.decide(in, first.octets, now, first.decision);
    first.decided = true;
  }
  if (!can_send(first.decision, now)) return false;
  send(first.octets, first.decision, now);
  if (spare_.size() < buffers_.size()) spare_.push_back(std::move(first));
  buffers_[in].pop_front();
  --waiting_;
  return true;
}

void Server::serve(TimePoint now) {
  // Ports take turns; the one after the last that was served begins, so that none is starved.
  std::size_t idle = 0;
  while (waiting_ > 0 && idle < buffers_.size()) {
    const PortIndex port = turn_;
    turn_ = static_cast<PortIndex>((turn_ + 1) % buffers_.size());
    idle = !buffers_[port].empty() && serve_one(port, now) ? 0 : idle + 1;
  }
}

TimePoint Server::next_due() const {
  if (waiting_ == 0) return kNever;
  TimePoint next = kNever;
  for (const auto& buffer : buffers_) {
    if (buffer.empty()) continue;
    TimePoint due = interface_.free_at();
    for (const PortIndex out : buffer.front().decision.out) {
      if (buffer.front().decided) due = std::max(due, paces_[out].free_at());
    }
    next = std::min(next, due);
  }
  return next;
}

}  // namespace xbind::smds
