// What an emulated switch does wrong on purpose, between its agent and its connections. Octets and time
// come in through the door, chance as well: the same seed and the same calls give the same faults.
//
//   connection ──▶ slow reader ──▶ InputCutter ──▶ silence ──▶ Processor (delays) ──▶ agent
//   connection ◀── pieces ◀──────────────── reordering ◀────── silence ◀───────────── agent
//
// Everything that waits has a bound: when a connection has more than kWaitingOctetsMax waiting in either
// direction, nothing more is read from it.
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

using ConnectionKey = std::uint64_t;  // of a transport connection, as its owner calls it

inline constexpr std::size_t kWaitingOctetsMax = 256U << 10;
inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

struct FaultSettings {
  std::uint32_t slow_reader_octets_per_s = 0;  // 0: as fast as they come
  double reorder = 0;                          // probability that an answer is held back, 0..1
  std::size_t partial_octets = 0;              // 0: whole
  Duration message_delay{};     // the switch's processor needs this for a request ...
  Duration connection_delay{};  // ... and this for each connection operation in it
  Duration table_delay{};       // the table's answers come so much later, side by side
  bool silent = false;          // hears and says nothing, its connections stay open

  bool delays() const { return message_delay > Duration{} || connection_delay > Duration{}; }
};

struct FaultCounters {
  std::uint64_t reordered = 0;  // answers held back that others have overtaken
  std::uint64_t pieces = 0;     // sent of partial frames
  std::uint64_t unheard = 0;    // messages lost in the silence
  std::uint64_t unsaid = 0;
  std::uint64_t delayed = 0;   // requests that waited for the processor
  std::uint64_t void_now = 0;  // of these, dropped since the controller began the link anew
};

// The octets of the frame that `octets` begin with, its header included; 0: it is not complete.
// All of them when they begin no frame: that is the receiver's business.
std::size_t frame_octets(std::span<const std::byte> octets);
// Of a whole frame.
bool is_adjacency(std::span<const std::byte> frame);

// Knows where in a stream frames begin, and cuts them out when asked. Holds one incomplete frame.
class InputCutter {
 public:
  // While `cut`: calls frame(span) for each whole frame. Else straight(span), whatever the chunk.
  // Changing over happens between two frames, however late.
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
  // Return how many octets they went over.
  std::size_t pass_frame(std::span<const std::byte> octets);
  std::size_t pass_all(std::span<const std::byte> octets);
  std::size_t keep(std::span<const std::byte> octets);

  wire::Buffer kept_;     // the beginning of a frame that will be cut out
  wire::Buffer head_;     // of a frame that goes straight, while its length is not known
  std::size_t left_ = 0;  // of that frame
  bool lost_ = false;     // the stream is no frames: straight for ever
};

// The processor of a slow switch: one request after another, whoever sent it, each as long as it takes.
class Processor {
 public:
  struct Request {
    ConnectionKey connection;
    wire::Buffer frame;
    TimePoint arrived;
    std::uint32_t operations = 0;  // connections that it makes, changes or releases
  };

  void put(ConnectionKey connection, std::span<const std::byte> frame, TimePoint now);
  // The next one that is done by now.
  std::optional<Request> take(TimePoint now, const FaultSettings& settings);
  TimePoint next_deadline(const FaultSettings& settings) const;
  std::size_t waiting(ConnectionKey connection) const;  // octets
  std::size_t drop(ConnectionKey connection);           // returns how many requests

 private:
  TimePoint done(const FaultSettings& settings) const;

  std::deque<Request> requests_;
  std::map<ConnectionKey, std::size_t> octets_;  // of what waits, by whose it is
  TimePoint free_at_{};
};

// How much may be read from a connection of a switch that reads slowly. Each tenth of a second, or as
// long as one octet takes, allows that time's share; what is not used is not saved up.
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

// The way out of one connection.
class AnswerPipe {
 public:
  static constexpr std::size_t kHeldMax = 8;   // answers held back at a time
  static constexpr std::uint32_t kWindow = 8;  // as many others overtake one, at most
  static constexpr Duration kHeldFor = kSwitchTimers["held-answer"];  // then it goes by itself
  static constexpr Duration kPieceGap = kSwitchTimers["answer-piece"];

  // What the agent says, whole frames. An answer never leaves its place among the parts of the same
  // answer, nor crosses an adjacency message; events are never held back. `random` gives 32 bits.
  void put(std::span<const std::byte> frames, TimePoint now, const FaultSettings& settings,
           const std::function<std::uint32_t()>& random, FaultCounters& counters);
  // Puts what has been held long enough on its way.
  void tick(TimePoint now, const FaultSettings& settings);
  // What is to be sent now in one piece, into an empty buffer; nothing: it stays empty.
  void take(wire::Buffer& into, TimePoint now, const FaultSettings& settings,
            FaultCounters& counters);
  TimePoint next_deadline(const FaultSettings& settings) const;
  std::size_t waiting() const;  // octets
  // The last adjacency message that went by, without its frame header; empty: none has.
  std::span<const std::byte> last_adjacency() const { return last_adjacency_; }

 private:
  struct Held {
    wire::Buffer frame;
    std::uint32_t transaction;
    std::uint32_t behind;  // so many answers go first
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
