// When to attach to a peer and when to retry. This is the one policy of every component that keeps
// a session, a watch or reports at a peer that may be unavailable.
//
//             begin()            take()                 attached()
//   kIdle ─────────────▶ kWaiting ──────▶ kAttempting ─────────────▶ kAttached
//                            ▲                 │ failed(),                │ lost()
//          after a back-off  └─────────────────┴──────────────────────────┘
//
//   kAttached ── the refresh is due: take() ──▶ kAttempting
//   any state ── stop() ──▶ kIdle
//
// Attempts are numbered. An answer to any other attempt than the one under way is late and changes
// nothing.
//
// The wait doubles with each failure, between two bounds. It returns to the smallest one
//   - after a success that carries a refresh: the peer has done what was requested;
//   - after a session that lasted at least as long as the largest wait. A shorter session counts as
//     a failed attempt, so that two owners that take a session from each other slow down.
//
// Uses no clock, random source, thread or transport: the owner passes in time and jitter, makes the
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

  // A duration without a bound.
  static constexpr Duration kUnbounded = Duration::max();

  struct Policy {
    BackOff::Bounds back_off{};
    // Above zero. An attempt that has no answer after this time is overdue(). Guards against
    // answers that never come; kUnbounded where the owner always gets one.
    Duration answer_within = kUnbounded;
    // After the loss of a session that lasted: true retries at once; false waits the smallest wait,
    // so that the clients of a restarted peer do not all return at the same moment.
    bool at_once_after_loss = false;
  };

  explicit Attaching(const Policy& policy);

  // Makes an attempt due now, whatever the state waited for. While an attempt is under way, the
  // next one is due as soon as it has succeeded; if it fails, the back-off applies.
  void begin(TimePoint now);
  // Cancels all further attempts and forgets failures. The answer to an attempt under way will be
  // late.
  void stop();

  // Starts the attempt that is due and returns its number. nullopt: none is due.
  std::optional<Attempt> take(TimePoint now);

  // Whether `attempt` is under way.
  bool awaits(Attempt attempt) const;
  // Returns the attempt under way if its answer is overdue; report it with failed().
  std::optional<Attempt> overdue(TimePoint now) const;

  // Report an answer. False: the answer is late and has changed nothing.
  // This one: a session has begun; it ends with lost().
  bool attached(Attempt attempt, TimePoint now);
  // The request has succeeded and must be repeated after `refresh` (zero or more).
  bool attached(Attempt attempt, TimePoint now, Duration refresh);
  // `jitter`, 0 to 1: shortens the wait by up to half (core/back_off.hpp).
  bool failed(Attempt attempt, TimePoint now, double jitter = 0);

  // The session is over. In any state but kAttached it changes nothing.
  void lost(TimePoint now, double jitter = 0);

  State state() const { return state_; }
  // When take() or overdue() may return something next; kNever: not before another event.
  TimePoint next_deadline() const { return due_; }

 private:
  void wait(TimePoint now, double jitter);
  void answered(TimePoint now, TimePoint next);

  Policy policy_;
  BackOff back_off_;
  State state_ = State::kIdle;
  Attempt attempt_ = 0;
  // kWaiting: time of the next attempt. kAttempting: time when the answer is overdue. kAttached:
  // time of the refresh.
  TimePoint due_ = kNever;
  TimePoint attached_at_;
  bool begin_again_ = false;  // begin() was called during an attempt
};

std::string_view to_string(Attaching::State state);

}  // namespace xbind
