// The bounds and times of one client (client/requester.hpp).
#pragma once

#include <cstddef>

#include "client/timers.hpp"
#include "core/back_off.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"
#include "core/session/session.hpp"

namespace xbind::client {

// As Limits::reach_within or Limits::first_answer: no bound.
inline constexpr Duration kForever = Duration::max();

struct Limits {
  // Requests without an answer; more are refused (kExhausted). 1 to 4 000 000. A manager keeps
  // 200 000 for one client and answers "busy" to what is sent beyond that.
  std::size_t open_max = 65'536;
  // Requests of one message, 1 to 4096. With `open_max` it bounds the memory of what may have to be
  // repeated: a batch is kept until its last request is answered.
  std::size_t requests_per_batch = 512;

  // Between attempts to attach; 1 ms to 1 h. A session that has lasted longer than the largest wait
  // begins anew with the smallest one.
  BackOff::Bounds back_off{};
  // 0 to 1: up to half of each wait is left out. Clients of one manager should differ in it.
  double jitter = 0;
  // How long an attempt may go without an answer before it counts as failed; 10 ms to 1 h. Longer
  // than the owner's two-way calls may take.
  Duration attach_answer = kClientTimers["attach-answer"];
  // Without a session for so long, open requests fail and new ones are refused (kUnreachable) until
  // there is one again. 1 ms to 1 h, or kForever.
  Duration reach_within = kClientTimers["reach-within"];
  // A manager that can reach us confirms the first batch of a session within milliseconds. One that
  // has not said anything for so long cannot: the session counts as lost. 1 ms to 1 h, or kForever.
  Duration first_answer = kClientTimers["first-answer"];
  // False: the first failed attempt, and the first loss of a session, ends the client. For a measured
  // run, in which nothing is to be repaired. No batch is kept then beyond its confirmation.
  bool reattach = true;

  session::Limits session{};
};

// kBadInput names the first limit that is out of its range, and its value.
Result<void> check(const Limits& limits);

}  // namespace xbind::client
