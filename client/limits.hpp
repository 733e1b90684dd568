// The bounds and times of one client (client/requester.hpp).
#pragma once

#include <cstddef>

#include "client/timers.hpp"
#include "core/back_off.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"
#include "core/session/session.hpp"

namespace xbind::client {

// No bound, as Limits::reach_within or Limits::first_answer.
inline constexpr Duration kForever = Duration::max();

struct Limits {
  // Most requests without an answer; more are refused (kExhausted). 1 to 4 000 000. A manager keeps
  // 200 000 for one client and answers "busy" beyond that.
  std::size_t open_max = 65'536;
  // Requests per message, 1 to 4096. With `open_max` it bounds the memory for repeats: a batch is
  // kept until its last request is answered.
  std::size_t requests_per_batch = 512;

  // Wait between attempts to attach; 1 ms to 1 h. After a session that lasted longer than the
  // largest wait, the waits start at the smallest one again.
  BackOff::Bounds back_off{};
  // 0 to 1: shortens each wait by up to half. Should differ between the clients of one manager.
  double jitter = 0;
  // An attempt without an answer for this time has failed; 10 ms to 1 h. Must exceed the duration
  // of the owner's two-way calls.
  Duration attach_answer = kClientTimers["attach-answer"];
  // After this time without a session, open requests fail and new ones are refused (kUnreachable)
  // until there is a session again. 1 ms to 1 h, or kForever.
  Duration reach_within = kClientTimers["reach-within"];
  // A manager that can reach us confirms the first batch of a session within milliseconds. If
  // nothing arrives for this time, it cannot reach us, and the session counts as lost. 1 ms to 1 h,
  // or kForever.
  Duration first_answer = kClientTimers["first-answer"];
  // False: the first failed attempt, and the first loss of a session, ends the client. For measured
  // runs, in which nothing must be repaired. A batch is then not kept beyond its confirmation.
  bool reattach = true;

  session::Limits session{};
};

// kBadInput names the first limit that is out of range, and its value.
Result<void> check(const Limits& limits);

}  // namespace xbind::client
