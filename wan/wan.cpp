#include "wan/wan.hpp"

#include <algorithm>
#include <utility>

#include "wan/timers.hpp"

namespace xbind::wan {

Wan::Wan(const Network& network, const WanOptions& options)
    : network_(network), options_(options), sites_(network.sites.size()) {
  for (std::size_t site = 0; site < network_.sites.size(); ++site) {
    for (const Address address : network_.sites[site].addresses) site_of_.emplace(address, site);
  }
  paths_.reserve(network_.rules.size());
  for (const auto& [pair, rule] : network_.rules) {
    const std::uint64_t number = std::uint64_t{pair.from.value} << 32 | pair.to.value;
    path_of_.emplace(pair, paths_.size());
    paths_.push_back(
        {Line(rule, seed_of(options.seed, number)), site_of_.at(pair.from), site_of_.at(pair.to)});
  }
}

void Wan::accept(std::size_t site, std::span<const std::byte> packet, TimePoint now) {
  advance(now);
  SiteCounters& counters = sites_[site];
  ++counters.packets_in;
  counters.octets_in += packet.size();
  const auto refuse = [&](Drop reason) { ++count_of(counters.drops, reason); };
  const auto pair = read_packet(packet, options_.mtu);
  if (!pair) return refuse(pair.error());
  const auto source = site_of_.find(pair->from);
  if (source == site_of_.end() || source->second != site) return refuse(Drop::kForeignSource);
  if (!site_of_.contains(pair->to)) return refuse(Drop::kNoDestination);
  const auto found = path_of_.find(*pair);
  if (found == path_of_.end()) return refuse(Drop::kNoPath);

  const std::size_t path = found->second;
  Line& line = paths_[path].line;
  ++line.counters.packets;
  line.counters.octets += packet.size();
  if (!has_room(packet.size())) return drop(path, Drop::kHeldMost);
  Packet kept(packet.begin(), packet.end());
  if (!line.busy(now)) {
    hold(packet.size());
    return take_sent(path, line.send(std::move(kept), now));
  }
  const bool first = !line.has_queue();
  if (!line.enqueue(kept)) return drop(path, Drop::kQueueFull);
  hold(packet.size());
  if (first) freed_.push({line.free_at(), path});
}

// Sends what lines have become free for, each packet at the moment at which its line was free: when
// this is called does not matter.
void Wan::advance(TimePoint now) {
  while (!freed_.empty() && freed_.top().at <= now) {
    const std::size_t path = freed_.top().path;
    freed_.pop();
    Line& line = paths_[path].line;
    take_sent(path, line.send_queued());
    if (line.has_queue()) freed_.push({line.free_at(), path});
  }
}

void Wan::take_sent(std::size_t path, Sent sent) {
  if (sent.lost) {
    release(sent.packet.size());
    return drop(path, Drop::kLost);
  }
  if (sent.twice) {
    if (has_room(sent.packet.size())) {
      ++paths_[path].line.counters.duplicated;
      hold(sent.packet.size());
      arrivals_.push({sent.due, sequence_++, path, sent.packet});
    } else {
      ++paths_[path].line.counters.copies_left_out;
    }
  }
  arrivals_.push({sent.due, sequence_++, path, std::move(sent.packet)});
}

void Wan::drop(std::size_t path, Drop reason) {
  ++count_of(sites_[paths_[path].from].drops, reason);
  LineCounters& counters = paths_[path].line.counters;
  switch (reason) {
    case Drop::kQueueFull: ++counters.queue_full; break;
    case Drop::kHeldMost: ++counters.held_most; break;
    case Drop::kLost: ++counters.lost; break;
    case Drop::kDevice: ++counters.device; break;
    default: break;  // before a line was chosen
  }
}

std::size_t Wan::deliver(TimePoint now, std::size_t most, const Deliver& deliver) {
  advance(now);
  std::size_t delivered = 0;
  while (delivered < most && !arrivals_.empty() && arrivals_.top().due <= now) {
    const std::size_t path = arrivals_.top().path;
    const bool late = now - arrivals_.top().due > kWanTimers["late"];
    const Packet packet = std::move(arrivals_.top().packet);
    arrivals_.pop();
    release(packet.size());
    ++delivered;
    const std::size_t to = paths_[path].to;
    if (!deliver(to, packet)) {
      drop(path, Drop::kDevice);
      continue;
    }
    ++paths_[path].line.counters.delivered;
    ++sites_[to].packets_out;
    sites_[to].packets_late += late ? 1 : 0;
    sites_[to].octets_out += packet.size();
  }
  return delivered;
}

TimePoint Wan::next_deadline() const {
  TimePoint due = arrivals_.empty() ? kNever : arrivals_.top().due;
  if (!freed_.empty()) due = std::min(due, freed_.top().at);
  return due;
}

Result<void> Wan::change(Pair pair, const Rule& rule, TimePoint now) {
  const auto found = path_of_.find(pair);
  if (found == path_of_.end()) {
    return fail(ErrorCode::kNotFound, "no path leads from {} to {}", to_string(pair.from),
                to_string(pair.to));
  }
  advance(now);
  paths_[found->second].line.change(rule);
  return {};
}

const Line* Wan::line(Pair pair) const {
  const auto found = path_of_.find(pair);
  return found == path_of_.end() ? nullptr : &paths_[found->second].line;
}

bool Wan::has_room(std::size_t octets) const {
  return held_octets_ + octets + kPacketCost <= options_.held_octets_max;
}

void Wan::hold(std::size_t octets) {
  held_octets_ += octets + kPacketCost;
  ++held_packets_;
}

void Wan::release(std::size_t octets) {
  held_octets_ -= octets + kPacketCost;
  --held_packets_;
}

}  // namespace xbind::wan
