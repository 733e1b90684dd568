#include "wan/line.hpp"

#include <algorithm>
#include <utility>

namespace xbind::wan {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace

bool Draws::chance(double probability) {
  state_ += kGolden;
  // 53 bits, the precision of a double: below 1, so that the probability 1 is certain.
  return static_cast<double>(mixed(state_) >> 11) * 0x1p-53 < probability;
}

std::uint64_t seed_of(std::uint64_t seed, std::uint64_t line) {
  return mixed(mixed(seed + kGolden) ^ mixed(line + kGolden));
}

bool Line::enqueue(Packet& packet) {
  if (packet.size() > rule_.queue_octets - std::min(queued_octets_, rule_.queue_octets)) {
    return false;
  }
  queued_octets_ += packet.size();
  counters.queued_most = std::max(counters.queued_most, queued_octets_);
  queue_.push_back(std::move(packet));
  return true;
}

Sent Line::send(Packet packet, TimePoint now) {
  constexpr std::uint64_t kNsPerS = 1'000'000'000;
  const std::uint64_t rate = rule_.octets_per_s;
  // A line that was free begins anew; one that is never idle keeps the rest of its nanosecond.
  if (free_at_ < now || carry_rate_ != rate) carry_ = 0;
  carry_rate_ = rate;
  const std::uint64_t work = packet.size() * kNsPerS + carry_;
  free_at_ = std::max(free_at_, now) + Duration(static_cast<Duration::rep>(work / rate));
  carry_ = work % rate;

  // One number for each question and packet: a probability that changes moves no other draw.
  const bool lost = draws_.chance(rule_.loss);
  const bool twice = draws_.chance(rule_.duplicate);
  const bool late = draws_.chance(rule_.reorder);
  Sent sent{std::move(packet), std::max(free_at_ + rule_.delay, last_due_), lost, twice && !lost};
  if (lost) return sent;
  if (late) {
    sent.due += rule_.reorder_by;
    ++counters.reordered;
  } else {
    last_due_ = sent.due;
  }
  return sent;
}

Sent Line::send_queued() {
  Packet packet = std::move(queue_.front());
  queue_.pop_front();
  queued_octets_ -= packet.size();
  return send(std::move(packet), free_at_);
}

}  // namespace xbind::wan
