// The line of one ordered pair of addresses: its queue, its rate, and what the rule draws for each
// packet. Pure; its owner moves the time.
//
//   packet ──▶ queue ──▶ sent at the rate ──▶ lost? ──▶ delay ──▶ delivered, once or twice
//
// A packet is sent as soon as the line is free, and occupies the line for its octets at the rate,
// also if it is lost. Packets are delivered in the order of sending, even when the delay becomes
// smaller meanwhile; only a packet that the rule reorders is overtaken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/clock.hpp"
#include "wan/rule.hpp"

namespace xbind::wan {

using Packet = std::vector<std::byte>;

struct LineCounters {
  std::uint64_t packets = 0;  // that came for this line
  std::uint64_t octets = 0;   // of these
  std::uint64_t delivered = 0;
  std::uint64_t duplicated = 0;  // further copies; delivered, or dropped at the device
  std::uint64_t reordered = 0;
  std::uint64_t lost = 0;
  std::uint64_t queue_full = 0;
  std::uint64_t held_most = 0;
  std::uint64_t copies_left_out = 0;  // of duplicates, for want of room; the packet is delivered
  std::uint64_t device = 0;
  std::uint64_t queued_most = 0;  // octets, the most that have waited
};

// Random numbers of one line: SplitMix64 (Steele, Lea, Flood 2014), the same with every library.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  // True with this probability. Takes one number, whatever the probability.
  bool chance(double probability);

 private:
  std::uint64_t state_;
};
// The seed of a line's numbers: lines of one WAN draw independently of each other's traffic.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t line);

// A packet on the far side of the rate: when it is delivered, and how often.
struct Sent {
  Packet packet;
  TimePoint due;
  bool lost = false;
  bool twice = false;
};

class Line {
 public:
  Line(const Rule& rule, std::uint64_t seed) : rule_(rule), draws_(seed) {}

  const Rule& rule() const { return rule_; }
  // For packets that are sent from now on: the packet on the line, and those behind it, keep what
  // they have.
  void change(const Rule& rule) { rule_ = rule; }

  // Whether a packet that comes now must wait.
  bool busy(TimePoint now) const { return free_at_ > now || !queue_.empty(); }
  // When the line is free for the first packet of the queue.
  TimePoint free_at() const { return free_at_; }
  bool has_queue() const { return !queue_.empty(); }
  std::uint64_t queued_octets() const { return queued_octets_; }

  // Queues a packet. False, and the packet is unchanged: the queue has no room.
  bool enqueue(Packet& packet);
  // Sends a packet at `now`, or the first one of the queue at free_at().
  Sent send(Packet packet, TimePoint now);
  Sent send_queued();

  LineCounters counters;

 private:
  Rule rule_;
  Draws draws_;
  std::deque<Packet> queue_;
  std::uint64_t queued_octets_ = 0;
  TimePoint free_at_{};
  std::uint64_t carry_ = 0;  // of a nanosecond, in units of 1 / octets_per_s: the exact rate
  std::uint64_t carry_rate_ = 0;
  TimePoint last_due_{};
};

}  // namespace xbind::wan
