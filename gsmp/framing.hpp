// GSMP messages over a stream (RFC 3293 section 4): a frame header of four octets precedes each
// message.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |         Type = 0x880c         |  Length, without this header  |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// A wrong Type, a Length below 12 or an adjacency message below 32 octets breaks the stream: the
// reader yields nothing more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/wire/writer.hpp"
#include "gsmp/messages/decode_error.hpp"
#include "gsmp/versions.hpp"

namespace xbind::gsmp {

inline constexpr std::uint16_t kFrameType = 0x880c;
inline constexpr std::size_t kFrameHeaderOctets = 4;
inline constexpr std::size_t kFrameOctetsMax = kFrameHeaderOctets + 0xffff;

// Appends `message` as a frame, encoded in the version of its header.
template <class M>
void append_frame(wire::Buffer& out, const M& message) {
  wire::Writer frame(out);
  frame.u16(kFrameType);
  frame.u16(0);
  encode_in_its_version(message, frame);
  frame.patch_u16(2, static_cast<std::uint16_t>(frame.size() - kFrameHeaderOctets));
}

// Splits a stream into messages, whatever the chunk boundaries. Holds at most one incomplete frame
// (kFrameOctetsMax). Frames that lie entirely in a chunk are passed on without a copy.
class FrameReader {
 public:
  // Calls sink(std::span<const std::byte> message) for every complete message, in order. The view
  // is valid during the call only. If the sink returns false, the rest of this chunk is dropped.
  // Returns the error that broke the stream, now or earlier.
  template <class Sink>
  std::optional<DecodeError> feed(std::span<const std::byte> chunk, Sink&& sink) {
    while (!broken_ && !chunk.empty()) {
      if (pending_.empty()) {
        const std::size_t octets = frame_octets(chunk);
        if (octets != 0 && octets <= chunk.size()) {  // the common case: a whole frame
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

  // Starts a new stream.
  void reset() {
    pending_.clear();
    broken_.reset();
  }

 private:
  // The size of the frame at the start of `octets`, or 0 while it is unknown. May set broken_.
  std::size_t frame_octets(std::span<const std::byte> octets);
  // Moves the missing part of the frame to pending_. Returns the number of octets moved, at least
  // one.
  std::size_t take(std::span<const std::byte> chunk);

  wire::Buffer pending_;  // the beginning of a frame
  std::optional<DecodeError> broken_;
};

// Sets Result AckAll, Code 0, the partition and the transaction in the request whose frame header
// begins at out[frame_start]. `partition` is 0 in version 1.1, which has none.
void stamp_request(wire::Buffer& out, std::size_t frame_start, std::uint8_t partition,
                   std::uint32_t transaction);

}  // namespace xbind::gsmp
