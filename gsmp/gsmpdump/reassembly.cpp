#include "gsmp/gsmpdump/reassembly.hpp"

#include <utility>

namespace xbind::gsmpdump {
namespace {
// Far enough from 0 to number segments that precede the first one seen.
constexpr std::uint64_t kOrigin = std::uint64_t{1} << 33;
}  // namespace

Reassembly::Reassembly(const ReassemblyLimits& limits, Sink sink)
    : limits_(limits), sink_(std::move(sink)) {}

// The unwrapped number nearest to the expected one.
std::uint64_t Reassembly::unwrap(std::uint32_t sequence) const {
  const auto ahead = static_cast<std::int32_t>(sequence - static_cast<std::uint32_t>(next_));
  return next_ + static_cast<std::uint64_t>(std::int64_t{ahead});
}

void Reassembly::start(std::uint32_t sequence) {
  started_ = true;
  next_ = kOrigin + sequence;
}

void Reassembly::segment(std::uint32_t sequence, std::span<const std::byte> octets) {
  if (octets.empty()) return;
  if (!started_) start(sequence);
  std::uint64_t begin = unwrap(sequence);
  const std::uint64_t end = begin + octets.size();
  if (end <= next_) return;  // seen before
  if (begin < next_) {
    octets = octets.subspan(static_cast<std::size_t>(next_ - begin));
    begin = next_;
  }
  if (begin == next_) {
    next_ = end;
    sink_.octets(octets);
    deliver_held();
    return;
  }
  wire::Buffer& held = held_[begin];
  if (held.size() >= octets.size()) return;
  held_octets_ += octets.size() - held.size();
  held.assign(octets.begin(), octets.end());
  while (held_octets_ > limits_.held_octets || held_.size() > limits_.held_segments) give_up_gap();
}

void Reassembly::fin(std::uint32_t sequence) {
  if (!started_) start(sequence);
  fin_ = unwrap(sequence);
}

void Reassembly::acknowledged(std::uint32_t sequence) {
  if (!started_) return;
  const std::uint64_t below = unwrap(sequence);
  while (!held_.empty() && held_.begin()->first < below) give_up_gap();
}

void Reassembly::finish() {
  while (!held_.empty()) give_up_gap();
  if (fin_ && *fin_ > next_) sink_.gap(*fin_ - std::exchange(next_, *fin_));
}

void Reassembly::deliver_held() {
  while (!held_.empty() && held_.begin()->first <= next_) {
    const auto node = held_.extract(held_.begin());
    const wire::Buffer& octets = node.mapped();
    held_octets_ -= octets.size();
    const std::uint64_t end = node.key() + octets.size();
    if (end <= next_) continue;
    const auto fresh = std::span(octets).subspan(static_cast<std::size_t>(next_ - node.key()));
    next_ = end;
    sink_.octets(fresh);
  }
}

// Requires a non-empty `held_`.
void Reassembly::give_up_gap() {
  const std::uint64_t missing = held_.begin()->first - next_;
  next_ = held_.begin()->first;
  sink_.gap(missing);
  deliver_held();
}

}  // namespace xbind::gsmpdump
