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
#include <span>
#include <string>

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

  Dump& dump_;
  ConversationOptions options_;
  Directions directions_;
  std::uint64_t packets_ = 0;
};

}  // namespace xbind::gsmpdump
