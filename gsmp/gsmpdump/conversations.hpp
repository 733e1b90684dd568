// Follows every TCP connection of a GSMP port in a capture, in both directions: packets in, lines
// out.
//
// A connection that began before the capture is read from its next frame on. At most
// `directions_max` directions are followed at a time. Beyond that, the direction with the longest
// silence is dropped, and a line reports it.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gsmp/gsmpdump/dump.hpp"
#include "gsmp/gsmpdump/packet.hpp"
#include "gsmp/gsmpdump/reassembly.hpp"

namespace xbind::gsmpdump {

struct ConversationOptions {
  std::uint16_t port = 6068;  // the port of the switches
  std::size_t directions_max = 2048;
  ReassemblyLimits reassembly;
};

class Conversations {
 public:
  // `dump` must outlive this object.
  Conversations(Dump& dump, const ConversationOptions& options) : dump_(dump), options_(options) {}

  void packet(Micros time, LinkLayer link, std::span<const std::byte> octets);
  // Call at the end of the capture.
  void finish();

  // What the packets were so far: "9 packets: 2 not IP (EtherType 0x8847), 7 of other TCP ports
  // (6068, 40000)". For a capture of which nothing was printed.
  std::string seen() const;

 private:
  struct Direction {
    Direction(Dump& dump, const ReassemblyLimits& limits, std::string way, bool from_the_start);

    Seen seen;  // the last packet
    Stream messages;
    Reassembly tcp;
    std::uint64_t used = 0;
  };
  using Directions = std::map<std::string, std::unique_ptr<Direction>>;  // by "FROM > TO"

  Direction& open(const std::string& way, bool from_the_start);
  void end(const std::string& way);
  static void finish(Direction& direction);

  static constexpr std::size_t kPortsShown = 4;

  struct Counts {
    std::uint64_t all = 0;
    std::uint64_t not_ip = 0;
    std::uint64_t not_tcp = 0;
    std::uint64_t fragments = 0;
    std::uint64_t truncated = 0;
    std::uint64_t other_ports = 0;
    std::optional<std::uint16_t> first_type;  // of those that are not IP
    std::vector<std::uint16_t> ports;         // of other_ports; the first kPortsShown
  };

  void count(NoSegment why, LinkLayer link, std::span<const std::byte> octets);
  void count_other(const Segment& segment);

  Dump& dump_;
  ConversationOptions options_;
  Counts counts_;
  Directions directions_;
  std::uint64_t packets_ = 0;
};

}  // namespace xbind::gsmpdump
