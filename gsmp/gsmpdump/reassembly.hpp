// Reassembles one direction of a TCP connection from captured segments, which may be out of order,
// duplicate, overlapping or missing (RFC 9293 section 3.4: sequence numbers, modulo 2^32).
//
// Only octets after a missing piece are held back, up to the limits. The missing piece is given up
// and reported as a gap at a limit, at the end, or when the receiver acknowledges uncaptured
// octets.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "core/wire/writer.hpp"

namespace xbind::gsmpdump {

struct ReassemblyLimits {
  std::size_t held_octets = std::size_t{1} << 20;
  std::size_t held_segments = 1024;
};

class Reassembly {
 public:
  struct Sink {
    std::function<void(std::span<const std::byte>)> octets;  // in order; valid during the call only
    std::function<void(std::uint64_t)> gap;                  // number of octets missing here
  };
  Reassembly(const ReassemblyLimits& limits, Sink sink);

  // Sets the number of the stream's first octet. Without this call the stream begins with the first
  // segment seen.
  void start(std::uint32_t sequence);
  void segment(std::uint32_t sequence, std::span<const std::byte> octets);
  // The stream ends before `sequence`.
  void fin(std::uint32_t sequence);
  // The receiver has every octet below `sequence`.
  void acknowledged(std::uint32_t sequence);
  // No more segments will follow: passes on the held octets and reports their gaps.
  void finish();

  bool complete() const { return fin_ && next_ >= *fin_; }

 private:
  std::uint64_t unwrap(std::uint32_t sequence) const;
  void deliver_held();
  void give_up_gap();

  ReassemblyLimits limits_;
  Sink sink_;
  bool started_ = false;
  std::uint64_t next_ = 0;                      // the next expected number, unwrapped
  std::map<std::uint64_t, wire::Buffer> held_;  // beyond next_
  std::size_t held_octets_ = 0;
  std::optional<std::uint64_t> fin_;
};

}  // namespace xbind::gsmpdump
