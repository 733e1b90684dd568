// A WAN between sites: packets and time in, packets and deadlines out. Pure; one thread.
//
//   site ──▶ accept() ──▶ the line of its pair of addresses (line.hpp) ──▶ deliver() ──▶ site
//
// The same seed, network, packets, orders and times give the same output, octet by octet, however
// often deliver() is called in between. All packets that wait together have at most
// `held_octets_max`; each drop is counted by its reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "wan/drop.hpp"
#include "wan/ipv4.hpp"
#include "wan/line.hpp"
#include "wan/network.hpp"

namespace xbind::wan {

inline constexpr std::size_t kMtuMin = 576;  // every IPv4 host takes that much (RFC 791)

struct WanOptions {
  std::uint64_t seed = 1;
  std::size_t mtu = 1500;                      // octets of a packet, kMtuMin to 65535
  std::uint64_t held_octets_max = 256U << 20;  // a packet counts kPacketCost more than it has
};
// What a packet costs beside its octets, about.
inline constexpr std::size_t kPacketCost = 128;

// Of one site. What it has sent is delivered, still held, or in `drops`.
struct SiteCounters {
  std::uint64_t packets_in = 0;  // from the site
  std::uint64_t octets_in = 0;
  std::uint64_t packets_out = 0;  // delivered to the site
  std::uint64_t octets_out = 0;
  // Of packets_out: more than kWanTimers["late"] after their deadline, because this process was
  // kept waiting. Then the host is too busy for the rules.
  std::uint64_t packets_late = 0;
  DropCounts drops{};  // of packets that the site has sent
};

class Wan {
 public:
  Wan(const Network& network, const WanOptions& options);

  // A packet that the site with this position has sent. `now` never goes back.
  void accept(std::size_t site, std::span<const std::byte> packet, TimePoint now);

  // Delivers what is due, at most `most` packets, in order; returns how many. `deliver` gets the
  // position of the site, and returns false if its device did not accept the packet.
  using Deliver = std::function<bool(std::size_t site, std::span<const std::byte> packet)>;
  std::size_t deliver(TimePoint now, std::size_t most, const Deliver& deliver);

  // When deliver() has something to do; kNever: after the next accept() at the earliest.
  TimePoint next_deadline() const;

  // Gives the line of a pair another rule, for packets that are sent from `now` on. kNotFound: the
  // pair has none.
  Result<void> change(Pair pair, const Rule& rule, TimePoint now);

  const Network& network() const { return network_; }
  // Of a pair that has a rule; else null.
  const Line* line(Pair pair) const;
  const SiteCounters& counters(std::size_t site) const { return sites_[site]; }
  std::uint64_t held_octets() const { return held_octets_; }  // with kPacketCost each
  std::uint64_t held_packets() const { return held_packets_; }

 private:
  struct Path {
    Line line;
    std::size_t from;  // positions of sites
    std::size_t to;
  };
  struct Freed {  // a line with a queue is free
    TimePoint at;
    std::size_t path;
    bool operator>(const Freed& other) const {
      return at != other.at ? at > other.at : path > other.path;
    }
  };
  struct Arrival {
    TimePoint due;
    std::uint64_t sequence;
    std::size_t path;
    mutable Packet packet;  // a priority queue has no other way to take it out
    bool operator>(const Arrival& other) const {
      return due != other.due ? due > other.due : sequence > other.sequence;
    }
  };
  template <class T>
  using Soonest = std::priority_queue<T, std::vector<T>, std::greater<>>;

  void advance(TimePoint now);
  void take_sent(std::size_t path, Sent sent);
  void drop(std::size_t path, Drop reason);
  bool has_room(std::size_t octets) const;
  void hold(std::size_t octets);
  void release(std::size_t octets);

  const Network network_;
  const WanOptions options_;
  std::vector<SiteCounters> sites_;
  std::unordered_map<Address, std::size_t, AddressHash> site_of_;
  std::unordered_map<Pair, std::size_t, PairHash> path_of_;
  std::vector<Path> paths_;
  Soonest<Freed> freed_;
  Soonest<Arrival> arrivals_;
  std::uint64_t sequence_ = 0;
  std::uint64_t held_octets_ = 0;
  std::uint64_t held_packets_ = 0;
};

}  // namespace xbind::wan
