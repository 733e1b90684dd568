#include "gsmp/gsmpdump/conversations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace xbind::gsmpdump {

Conversations::Direction::Direction(Dump& dump, const ReassemblyLimits& limits, std::string way,
                                    bool from_the_start)
    : seen{0, std::move(way)},
      messages(dump, from_the_start),
      tcp(limits, {[this](std::span<const std::byte> octets) { messages.feed(seen, octets); },
                   [this](std::uint64_t missing) { messages.gap(seen, missing); }}) {}

void Conversations::packet(Micros time, LinkLayer link, std::span<const std::byte> octets) {
  ++counts_.all;
  const auto segment = parse_packet(link, octets);
  if (!segment && segment.error() == NoSegment::kFragment) {
    dump_.trouble({time, "?"}, "fragment: a piece of an IP packet is not read");
  }
  if (!segment) return count(segment.error(), link, octets);
  if (segment->from_port != options_.port && segment->to_port != options_.port) {
    return count_other(*segment);
  }
  ++packets_;
  const std::string way = segment->from + " > " + segment->to;
  const std::string back = segment->to + " > " + segment->from;

  if (const auto opposite = directions_.find(back); segment->ack && opposite != directions_.end()) {
    opposite->second->seen.time = time;
    opposite->second->tcp.acknowledged(segment->acknowledges);
  }
  if (segment->syn) {
    end(way);  // a new connection reuses the ports
    Direction& direction = open(way, true);
    direction.seen.time = time;
    direction.tcp.start(segment->sequence + 1);
  }
  if (segment->rst) {
    end(way);
    end(back);
    return;
  }
  auto found = directions_.find(way);
  if (found == directions_.end()) {
    if (segment->payload.empty()) return;
    open(way, false);
    found = directions_.find(way);
  }
  Direction& direction = *found->second;
  direction.seen.time = time;
  direction.used = packets_;
  direction.tcp.segment(segment->sequence + (segment->syn ? 1 : 0), segment->payload);
  if (segment->fin) {
    direction.tcp.fin(segment->sequence + static_cast<std::uint32_t>(segment->sent_octets));
  }
  if (direction.tcp.complete()) end(way);
}

void Conversations::count(NoSegment why, LinkLayer link, std::span<const std::byte> octets) {
  switch (why) {
    case NoSegment::kNotIp:
      if (++counts_.not_ip == 1) counts_.first_type = ether_type(link, octets);
      break;
    case NoSegment::kNotTcp: ++counts_.not_tcp; break;
    case NoSegment::kFragment: ++counts_.fragments; break;
    case NoSegment::kTruncated: ++counts_.truncated; break;
  }
}

void Conversations::count_other(const Segment& segment) {
  ++counts_.other_ports;
  for (const std::uint16_t port : {segment.from_port, segment.to_port}) {
    const bool is_new = std::ranges::find(counts_.ports, port) == counts_.ports.end();
    if (is_new && counts_.ports.size() < kPortsShown) counts_.ports.push_back(port);
  }
}

std::string Conversations::seen() const {
  std::vector<std::string> parts;
  const auto add = [&parts](std::uint64_t count, const std::string& what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(packets_, fmt::format("of TCP port {}", options_.port));
  add(counts_.other_ports, fmt::format("of other TCP ports ({})", fmt::join(counts_.ports, ", ")));
  add(counts_.not_tcp, "not TCP");
  add(counts_.not_ip, counts_.first_type
                          ? fmt::format("not IP (EtherType {:#06x})", *counts_.first_type)
                          : "not IP");
  add(counts_.fragments, "pieces of IP packets");
  add(counts_.truncated, "with incomplete headers");
  return fmt::format("{} packet{}{}{}", counts_.all, counts_.all == 1 ? "" : "s",
                     parts.empty() ? "" : ": ", fmt::join(parts, ", "));
}

void Conversations::finish() {
  for (const auto& [way, direction] : directions_) finish(*direction);
  directions_.clear();
}

Conversations::Direction& Conversations::open(const std::string& way, bool from_the_start) {
  if (directions_.size() >= options_.directions_max) {
    const auto oldest = std::min_element(
        directions_.begin(), directions_.end(),
        [](const auto& a, const auto& b) { return a.second->used < b.second->used; });
    dump_.trouble(oldest->second->seen, "let go: too many connections at a time");
    end(std::string(oldest->first));
  }
  auto made = std::make_unique<Direction>(dump_, options_.reassembly, way, from_the_start);
  made->used = packets_;
  return *directions_.emplace(way, std::move(made)).first->second;
}

void Conversations::end(const std::string& way) {
  const auto found = directions_.find(way);
  if (found == directions_.end()) return;
  finish(*found->second);
  directions_.erase(found);
}

void Conversations::finish(Direction& direction) {
  direction.tcp.finish();
  direction.messages.end(direction.seen);
}

}  // namespace xbind::gsmpdump
