// Reassembles the AAL5 frames of all connections that end at one place. AAL5 itself, and the frames
// of one connection: cells/aal5_frame.hpp.
//
// Pure; the caller passes the time. One thread at a time for each object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "core/clock.hpp"
#include "dataplane/cells/aal5_frame.hpp"
#include "dataplane/cells/timers.hpp"

namespace xbind::dataplane {

// Free-running.
struct Aal5Counters {
  std::uint64_t frames = 0;
  std::uint64_t crc_errors = 0;
  std::uint64_t length_errors = 0;
  std::uint64_t aborted = 0;
  std::uint64_t too_long = 0;
  std::uint64_t skipped_cells = 0;
  std::uint64_t no_room_cells = 0;
  std::uint64_t timed_out = 0;  // frames dropped for their age

  void count(Aal5Outcome outcome);
  friend bool operator==(const Aal5Counters&, const Aal5Counters&) = default;
};

struct Aal5ReceiverOptions {
  std::size_t frame_octets_max = kAal5FrameMax;
  // Memory: at most this many times frame_octets_max, rounded up to cells.
  std::size_t connections_max = 1024;
  // Time from the first cell of a frame to its last; 0: no limit. A frame that takes longer has
  // probably lost its last cell and would corrupt the next one. It is dropped, and the next cell
  // begins a frame.
  Duration frame_timeout = kDataplaneTimers["frame-timeout"];
};

// Reassembles the frames of all connections that end at one place. A connection allocates state
// with its first cell and keeps it until forget(). `now` never goes back.
class Aal5Receiver {
 public:
  explicit Aal5Receiver(const Aal5ReceiverOptions& options) : options_(options) {}

  // First drops a frame of this connection that is older than frame_timeout.
  Aal5Outcome push(const Cell& cell, TimePoint now);
  // Valid after kFrame, until the next push(), expire() or forget().
  const Aal5Frame& frame() const { return *frame_; }
  // Removes the state of a connection that has ended, with its incomplete frame.
  void forget(std::uint16_t vpi, std::uint16_t vci);
  // Drops every frame older than frame_timeout. Needed for silent connections, which push() does
  // not reach. Inspects all connections. Returns the number of dropped frames.
  std::size_t expire(TimePoint now);

  std::size_t connections() const { return connections_.size(); }
  const Aal5Counters& counters() const { return counters_; }

 private:
  struct Connection {
    explicit Connection(std::size_t frame_octets_max) : reassembly(frame_octets_max) {}
    Aal5Reassembly reassembly;
    TimePoint begun{};  // begin of the incomplete frame
  };
  bool drop_late(Connection& connection, TimePoint now);

  Aal5ReceiverOptions options_;
  std::unordered_map<std::uint32_t, Connection> connections_;  // by header without PT and CLP
  const Aal5Frame* frame_ = nullptr;
  Aal5Counters counters_;
};

}  // namespace xbind::dataplane
