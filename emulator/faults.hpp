// Injected faults of an emulated switch, between its agent and its connections. The caller supplies
// octets, time and random numbers: equal seeds and calls give equal faults.
//
//   connection ──▶ slow reader ──▶ InputCutter ──▶ silence ──▶ Processor (delays) ──▶ agent
//   connection ◀── pieces ◀──────────────── reordering ◀────── silence ◀───────────── agent
//
// All waiting data is bounded: while a connection has more than kWaitingOctetsMax waiting in either
// direction, nothing is read from it.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/wire/writer.hpp"
#include "emulator/timers.hpp"

namespace xbind::emulator {

using ConnectionKey = std::uint64_t;  // of a transport connection; assigned by the owner

inline constexpr std::size_t kWaitingOctetsMax = 256U << 10;
inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

struct FaultSettings {
  std::uint32_t slow_reader_octets_per_s = 0;  // 0: no limit
  double reorder = 0;                          // probability that an answer is held back, 0..1
  std::size_t partial_octets = 0;              // 0: frames are sent whole
  Duration message_delay{};                    // processor time for a request ...
  Duration connection_delay{};                 // ... and for each connection operation in it
  Duration table_delay{};                      // delay of the table's answers, in parallel
  bool silent = false;  // drops all messages both ways; connections stay open

  bool delays() const { return message_delay > Duration{} || connection_delay > Duration{}; }
};

struct FaultCounters {
  std::uint64_t reordered = 0;  // answers that others overtook
  std::uint64_t pieces = 0;     // pieces of frames sent
  std::uint64_t unheard = 0;    // received messages dropped while silent
  std::uint64_t unsaid = 0;
  std::uint64_t delayed = 0;        // requests that waited for the processor
  std::uint64_t dropped_stale = 0;  // of these, dropped because the controller restarted the link
};

// The size of the first frame in `octets`, including its header; 0: incomplete. Returns all octets
// if they begin no frame; the receiver handles that error.
std::size_t frame_octets(std::span<const std::byte> octets);
// `frame` must be complete.
bool is_adjacency(std::span<const std::byte> frame);

// Tracks the frame boundaries of a stream and extracts frames on request. Holds one incomplete
// frame.
class InputCutter {
 public:
  // If `cut`, calls frame(span) for each whole frame; otherwise straight(span) with any chunk. A
  // change of `cut` takes effect at the next frame boundary.
  template <class Straight, class Frame>
  void feed(std::span<const std::byte> octets, bool cut, Straight&& straight, Frame&& frame) {
    while (!octets.empty()) {
      if (kept_.empty() && (!cut || !between_frames())) {
        const std::size_t passed = cut ? pass_frame(octets) : pass_all(octets);
        straight(octets.first(passed));
        octets = octets.subspan(passed);
        continue;
      }
      octets = octets.subspan(keep(octets));
      if (const std::size_t whole = frame_octets(kept_); whole != 0) {
        frame(std::span<const std::byte>(kept_));
        kept_.clear();
      }
    }
  }

 private:
  bool between_frames() const { return head_.empty() && left_ == 0 && !lost_; }
  // Return the number of octets consumed.
  std::size_t pass_frame(std::span<const std::byte> octets);
  std::size_t pass_all(std::span<const std::byte> octets);
  std::size_t keep(std::span<const std::byte> octets);

  wire::Buffer kept_;     // the start of a frame to extract
  wire::Buffer head_;     // header of a frame passed straight, while incomplete
  std::size_t left_ = 0;  // octets left of that frame
  bool lost_ = false;     // invalid stream: pass straight from now on
};

// The processor of a slow switch: handles the requests of all connections one after another, each
// with its processing time.
class Processor {
 public:
  struct Request {
    ConnectionKey connection;
    wire::Buffer frame;
    TimePoint arrived;
    std::uint32_t operations = 0;  // connections that the request makes, changes or releases
  };

  void put(ConnectionKey connection, std::span<const std::byte> frame, TimePoint now);
  // The next request that is completed at `now`.
  std::optional<Request> take(TimePoint now, const FaultSettings& settings);
  TimePoint next_deadline(const FaultSettings& settings) const;
  std::size_t waiting(ConnectionKey connection) const;  // octets
  std::size_t drop(ConnectionKey connection);           // returns the number of requests

 private:
  TimePoint done(const FaultSettings& settings) const;

  std::deque<Request> requests_;
  std::map<ConnectionKey, std::size_t> octets_;  // waiting octets by connection
  TimePoint free_at_{};
};

// The read allowance of a connection while the switch reads slowly. Each interval of 0.1 s, or the
// time of one octet if longer, grants its share. Unused allowance expires.
class SlowReader {
 public:
  void read(std::size_t octets) {
    if (left_ != kUnlimited) left_ -= octets < left_ ? octets : left_;
  }
  void tick(TimePoint now, std::uint32_t octets_per_s);
  std::size_t allowance() const { return left_; }
  TimePoint next_deadline() const { return next_; }

 private:
  std::size_t left_ = 0;
  TimePoint next_{};
};

// The output path of one connection.
class AnswerPipe {
 public:
  static constexpr std::size_t kHeldMax = 8;   // answers held back at a time
  static constexpr std::uint32_t kWindow = 8;  // at most this many others overtake one
  static constexpr Duration kHeldFor = kSwitchTimers["held-answer"];  // then it is sent anyway
  static constexpr Duration kPieceGap = kSwitchTimers["answer-piece"];

  // Takes whole frames from the agent. The parts of one answer keep their order. No answer crosses
  // an adjacency message, and events are never held back. `random` returns 32 bits.
  void put(std::span<const std::byte> frames, TimePoint now, const FaultSettings& settings,
           const std::function<std::uint32_t()>& random, FaultCounters& counters);
  // Releases answers that were held for kHeldFor.
  void tick(TimePoint now, const FaultSettings& settings);
  // Writes the next piece to send into the empty buffer `into`. It stays empty if there is none.
  void take(wire::Buffer& into, TimePoint now, const FaultSettings& settings,
            FaultCounters& counters);
  TimePoint next_deadline(const FaultSettings& settings) const;
  std::size_t waiting() const;  // octets
  // The last adjacency message sent, without its frame header; empty: none.
  std::span<const std::byte> last_adjacency() const { return last_adjacency_; }

 private:
  struct Held {
    wire::Buffer frame;
    std::uint32_t transaction;
    std::uint32_t behind;  // number of answers to send first
    TimePoint until;
  };
  void put_answer(std::span<const std::byte> frame, TimePoint now, const FaultSettings& settings,
                  const std::function<std::uint32_t()>& random, FaultCounters& counters);
  void append(std::span<const std::byte> frame);
  template <class Goes>
  void release(Goes goes);

  std::vector<Held> held_;
  wire::Buffer ready_;
  std::size_t ready_begin_ = 0;
  TimePoint next_piece_{};
  wire::Buffer last_adjacency_;
};

}  // namespace xbind::emulator
