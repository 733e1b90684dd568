// Cuts the octets of a connection into whole messages by the length in their headers
// (header.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/wire/writer.hpp"
#include "ovs/openflow/decode_error.hpp"
#include "ovs/openflow/header.hpp"

namespace xbind::ovs::openflow {

// Accepts chunks with any boundaries. Holds at most one incomplete message (kMessageOctetsMax).
// Messages that lie entirely in a chunk are passed on without a copy.
class Framer {
 public:
  // Calls sink(std::span<const std::byte> message) for every complete message with its header, in
  // order. The view is valid during the call only. If the sink returns false, the rest of this
  // chunk is dropped. Returns the error that broke the stream, now or earlier: kVersion or
  // kHeaderLength. The sink must not call this object.
  template <class Sink>
  std::optional<DecodeError> feed(std::span<const std::byte> chunk, Sink&& sink) {
    while (!broken_ && !chunk.empty()) {
      if (pending_.empty()) {
        const std::size_t octets = message_octets(chunk);
        if (octets != 0 && octets <= chunk.size()) {  // the common case: a whole message
          if (!sink(chunk.first(octets))) return broken_;
          chunk = chunk.subspan(octets);
          continue;
        }
        if (broken_) break;
      }
      chunk = chunk.subspan(take(chunk));
      const std::size_t octets = message_octets(pending_);
      if (octets == 0 || octets > pending_.size()) continue;
      const bool go_on = sink(std::span<const std::byte>(pending_));
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
  // The size of the message at the start of `octets`, or 0 while it is unknown. May set broken_.
  std::size_t message_octets(std::span<const std::byte> octets);
  // Moves the missing part of the message to pending_. Returns the number of octets moved, at least
  // one.
  std::size_t take(std::span<const std::byte> chunk);

  wire::Buffer pending_;  // the beginning of a message
  std::optional<DecodeError> broken_;
};

}  // namespace xbind::ovs::openflow
