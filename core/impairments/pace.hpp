// Slows a process down to the speed of a slower host, by waiting. Pace models one serial server
// with a cost for each message that it takes or sends, and for each item (request, command, result,
// outcome) in it. bench/model/machine.hpp models the same on virtual time. Because the process
// waits instead of working, many such hosts fit on two cores.
//
//   take(items)  begins when the server is free, returns when the message has been taken
//   send(items)  begins when the server is free, returns when the message may leave; the rest of
//                its cost keeps the server busy after that
//
// Only messages of calls have a cost. A confirmation without a batch, a heartbeat and GSMP
// adjacency cost nothing: on the modelled hosts the transport handled them.
//
// For experiments only. A waiting thread does nothing else, even the runner of a Serial
// (core/serial.hpp); that Serial's queue then models the server's queue. The real processing time
// comes on top; it is small beside costs of a millisecond.
//
// Thread-safe. When switched off, each call costs one branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <random>
#include <string_view>

#include "core/clock.hpp"

namespace xbind {

struct PaceOptions {
  double message_us = 0;      // 0 to 1 000 000
  double item_us = 0;         // 0 to 1 000 000
  double before_leaving = 1;  // share of the cost that is paid before sending, 0 to 1
  // Occasional pauses of the host for other work, begun when a message is taken.
  double pause_chance = 0;   // 0 to 1
  double pause_mean_us = 0;  // exponential; 0 to 1 000 000
  std::uint64_t seed = 1;

  bool on() const {
    return message_us > 0 || item_us > 0 || (pause_chance > 0 && pause_mean_us > 0);
  }
};

class Pace {
 public:
  // The source of time: the steady clock (core/impairments/pace_clock.hpp), or a test's own.
  struct Clock {
    std::function<TimePoint()> now;
    std::function<void(TimePoint)> wait_until;  // never called with a past time
  };

  // `name`: of the process; two names with the same seed do not pause alike.
  Pace(const PaceOptions& options, std::string_view name, Clock clock);

  bool on() const { return on_; }
  void take(std::size_t items) {
    if (on_) serve(items, true);
  }
  void send(std::size_t items) {
    if (on_) serve(items, false);
  }

 private:
  void serve(std::size_t items, bool taken);
  double pause_us();  // call it with the mutex held

  PaceOptions options_;
  bool on_;
  Clock clock_;
  std::mutex mutex_;
  std::mt19937_64 bits_;
  TimePoint busy_until_{};
};

}  // namespace xbind
