// One direction of a TCP connection put together again from what a capture shows of it: segments out
// of order, twice, overlapping, missing (RFC 9293 section 3.4: sequence numbers, modulo 2^32).
//
// Held back is only what lies beyond a missing piece, up to the limits; then, or when the receiver
// acknowledges what was never seen, or at the end, the missing piece is given up and told as a gap.
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
    std::function<void(std::span<const std::byte>)> octets;  // in order; good during the call only
    std::function<void(std::uint64_t)> gap;                  // so many octets are missing here
  };
  Reassembly(const ReassemblyLimits& limits, Sink sink);

  // The first octet of the stream has this number. Without it the first segment seen begins it.
  void start(std::uint32_t sequence);
  void segment(std::uint32_t sequence, std::span<const std::byte> octets);
  // The stream ends before this number.
  void fin(std::uint32_t sequence);
  // The receiver has everything below this number.
  void acknowledged(std::uint32_t sequence);
  // Nothing more will come: what is held back is handed out, with its gaps.
  void finish();

  bool complete() const { return fin_ && next_ >= *fin_; }

 private:
  std::uint64_t unwrap(std::uint32_t sequence) const;
  void hand_out_held();
  void give_up_gap();

  ReassemblyLimits limits_;
  Sink sink_;
  bool started_ = false;
  std::uint64_t next_ = 0;                      // the number expected next, not wrapped
  std::map<std::uint64_t, wire::Buffer> held_;  // beyond next_
  std::size_t held_octets_ = 0;
  std::optional<std::uint64_t> fin_;
};

}  // namespace xbind::gsmpdump
