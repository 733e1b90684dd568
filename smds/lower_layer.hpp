// The lower layer of a line: what carries its frames. A frame is a PDU, or between servers an
// envelope and a PDU. The server and its forwarding are the same on all layers.
//
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "smds/port.hpp"

namespace xbind::smds {

class LowerLayer {
 public:
  // `frame` is valid during the call.
  using Deliver = std::function<void(PortIndex, std::span<const std::byte> frame, TimePoint now)>;

  virtual ~LowerLayer() = default;

  // Whether it takes a frame of any length now.
  virtual bool room() const = 0;
  // Sends `head` and `body` as one frame; a port without a label loses it. Only after room().
  virtual void send(PortIndex port, std::span<const std::byte> head,
                    std::span<const std::byte> body) = 0;
  // Receives a bounded number of frames and passes them on; sends what has waited. Returns how much
  // it did; 0: nothing to do until the line has something or room.
  virtual std::size_t poll(TimePoint now, const Deliver& deliver) = 0;
  // Passes what send() has taken to the system. Called after the frames of a turn.
  virtual void flush() {}
};

}  // namespace xbind::smds
