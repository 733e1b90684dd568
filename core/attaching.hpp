// When to attach to a peer and when to try again: the one policy of whoever keeps a session, a
// watch or reports at a peer that may be away.
//
//             begin()            take()                 attached()
//   kIdle ─────────────▶ kWaiting ──────▶ kAttempting ─────────────▶ kAttached
//                            ▲                 │ failed(),                │ lost()
//          after a back-off  └─────────────────┴──────────────────────────┘
//
//   kAttached ── the refresh is due: take() ──▶ kAttempting
//   any state ── stop() ──▶ kIdle
//
// Attempts are numbered. An answer to any but the attempt under way is late and changes nothing.
//
// The wait doubles with each failure, between two bounds. It is the smallest one again
//   - after a success that carries a refresh: the peer has done what it was asked for;
//   - after a session that lasted at least as long as the largest wait. A shorter session counts as
//     a failed attempt: two owners that take a session from each other slow down.
//
// Neither clock, chance, thread nor transport: the owner hands in time and chance, makes the
// attempts that take() returns, and reports their answers. Use it from one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/back_off.hpp"
#include "core/clock.hpp"

namespace xbind {

class Attaching {
 public:
  enum class State : std::uint8_t { kIdle, kWaiting, kAttempting, kAttached };
  using Attempt = std::uint64_t;  // the first one is 1

  // As a duration: no bound.
  static constexpr Duration kUnbounded = Duration::max();

  struct Policy {
    BackOff::Bounds back_off{};
    // Above zero. An attempt without an answer for so long is overdue(). It guards against answers
    // that never come; kUnbounded where the owner always gets one.
    Duration answer_within = kUnbounded;
    // What follows the loss of a session that lasted: true: an attempt at once; false: the smallest
    // wait, so that not all clients of a restarted peer come at the same moment.
    bool at_once_after_loss = false;
  };

  explicit Attaching(const Policy& policy);

  // Wants an attempt now, whatever it was waiting for. While an attempt is under way, the next one
  // is due as soon as that one has succeeded; if it fails, the back-off holds.
  void begin(TimePoint now);
  // Wants no attempt any more and forgets failures. The answer of one under way will be late.
  void stop();

  // The number of the attempt that is due; it is then under way. nullopt: none is due.
  std::optional<Attempt> take(TimePoint now);

  // Whether `attempt` is the one under way.
  bool awaits(Attempt attempt) const;
  // The attempt under way if its answer is overdue: report it with failed().
  std::optional<Attempt> overdue(TimePoint now) const;

  // The answers. False: late, nothing has changed.
  // A session has begun; it ends with lost().
  bool attached(Attempt attempt, TimePoint now);
  // What was asked for is done, and has to be asked for again after `refresh` (zero or more).
  bool attached(Attempt attempt, TimePoint now, Duration refresh);
  // `jitter`, 0 to 1: up to half of the wait is left out (core/back_off.hpp).
  bool failed(Attempt attempt, TimePoint now, double jitter = 0);

  // The session is over. In any state but kAttached it changes nothing.
  void lost(TimePoint now, double jitter = 0);

  State state() const { return state_; }
  // When take() or overdue() has something next; kNever: not before another event.
  TimePoint next_deadline() const { return due_; }

 private:
  void wait(TimePoint now, double jitter);
  void answered(TimePoint now, TimePoint next);

  Policy policy_;
  BackOff back_off_;
  State state_ = State::kIdle;
  Attempt attempt_ = 0;
  // kWaiting: the next attempt. kAttempting: the answer is overdue. kAttached: the refresh.
  TimePoint due_ = kNever;
  TimePoint attached_at_;
  bool begin_again_ = false;  // begin() during an attempt
};

std::string_view to_string(Attaching::State state);

}  // namespace xbind
