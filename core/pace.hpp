// Pace: a process at the speed of a slower host, by waiting. It stands for one serial server that needs
// so long for each message that it takes or sends, and so long for each item (request, command, result,
// outcome) in it: what bench/model/machine.hpp does on virtual time. Since it waits instead of working,
// many such hosts fit on two cores.
//
//   take(items)  begins when the server is free, returns when the message has been taken
//   send(items)  the same; returns when the message may leave, and the rest of its cost keeps the
//                server busy after that
//
// Only messages of calls are paid for. A confirmation without a batch, a heartbeat and the adjacency of GSMP
// cost nothing: what they do was the transport's business on the hosts that this is for.
//
// For experiments only: a thread that waits here does nothing else, also the one that runs a Serial
// (core/serial.hpp), whose queue is then what waits before the server. What the process really needs for
// its work comes on top; it is small beside costs of a millisecond.
//
// Thread-safe. Switched off, each call is one branch.
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
  double item_us = 0;         // the same
  double before_leaving = 1;  // share of a message's cost that is paid before it is sent, 0 to 1
  // Now and then the host has something else to do: a pause with a message taken.
  double pause_chance = 0;   // 0 to 1
  double pause_mean_us = 0;  // exponential; 0 to 1 000 000
  std::uint64_t seed = 1;

  bool on() const {
    return message_us > 0 || item_us > 0 || (pause_chance > 0 && pause_mean_us > 0);
  }
};

class Pace {
 public:
  // Where time comes from: the steady clock (core/pace_clock.hpp), or a test's own.
  struct Clock {
    std::function<TimePoint()> now;
    std::function<void(TimePoint)> wait_until;  // not called with what is past
  };

  // `name`: of the process; two of the same seed do not pause alike.
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
  double pause_us();  // under the mutex

  PaceOptions options_;
  bool on_;
  Clock clock_;
  std::mutex mutex_;
  std::mt19937_64 bits_;
  TimePoint busy_until_{};
};

}  // namespace xbind
