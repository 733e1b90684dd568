// GSMP messages over a stream (RFC 3293 section 4): each has a frame header of four octets before
// it.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |         Type = 0x880c         |  Length, without this header  |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// A wrong Type, a Length below 12, or an adjacency message below 32 octets: the stream is not to be
// trusted any longer, and the reader yields nothing more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/wire/writer.hpp"
#include "gsmp/decode_error.hpp"
#include "gsmp/versions.hpp"

namespace xbind::gsmp {

inline constexpr std::uint16_t kFrameType = 0x880c;
inline constexpr std::size_t kFrameHeaderOctets = 4;
inline constexpr std::size_t kFrameOctetsMax = kFrameHeaderOctets + 0xffff;

// Appends `message` as a frame, in the octets of its header's version.
template <class M>
void append_frame(wire::Buffer& out, const M& message) {
  wire::Writer frame(out);
  frame.u16(kFrameType);
  frame.u16(0);
  encode_in_its_version(message, frame);
  frame.patch_u16(2, static_cast<std::uint16_t>(frame.size() - kFrameHeaderOctets));
}

// Cuts a stream into messages, whatever the chunks it comes in. Holds at most one incomplete frame
// (kFrameOctetsMax); whole frames inside a chunk are handed out where they lie, uncopied.
class FrameReader {
 public:
  // Calls sink(std::span<const std::byte> message) for every message that is complete now, in
  // order; the view is good during the call only. The sink returns whether to go on: after false
  // the rest of this chunk is dropped. Returns the error that broke the stream, now or earlier.
  template <class Sink>
  std::optional<DecodeError> feed(std::span<const std::byte> chunk, Sink&& sink) {
    while (!broken_ && !chunk.empty()) {
      if (pending_.empty()) {
        const std::size_t octets = frame_octets(chunk);
        if (octets != 0 && octets <= chunk.size()) {  // the common case: all of it is in the chunk
          if (!sink(chunk.subspan(kFrameHeaderOctets, octets - kFrameHeaderOctets))) return broken_;
          chunk = chunk.subspan(octets);
          continue;
        }
        if (broken_) break;
      }
      chunk = chunk.subspan(take(chunk));
      const std::size_t octets = frame_octets(pending_);
      if (octets == 0 || octets > pending_.size()) continue;
      const bool go_on = sink(std::span<const std::byte>(pending_).subspan(kFrameHeaderOctets));
      pending_.clear();
      if (!go_on) return broken_;
    }
    return broken_;
  }

  // A new stream.
  void reset() {
    pending_.clear();
    broken_.reset();
  }

 private:
  // The size of the frame that `octets` begin, or 0 while that cannot be told; sets broken_.
  std::size_t frame_octets(std::span<const std::byte> octets);
  // Moves to pending_ what the frame still lacks; returns how many octets that was, at least one.
  std::size_t take(std::span<const std::byte> chunk);

  wire::Buffer pending_;  // the beginning of a frame
  std::optional<DecodeError> broken_;
};

// Writes into the request that begins (with its frame header) at out[frame_start]: AckAll, no code,
// this partition (0 in version 1.1, which has none) and transaction.
void stamp_request(wire::Buffer& out, std::size_t frame_start, std::uint8_t partition,
                   std::uint32_t transaction);

}  // namespace xbind::gsmp
