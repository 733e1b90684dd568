// An event loop for one thread that serves sockets and does other work between events. It sleeps
// until a socket has an event, the due time is reached or a watched descriptor is readable. It
// handles a bounded number of events and then calls the owner's turn. While the turn has more work,
// the loop does not sleep: turns and polls of the sockets alternate. So a request waits for one
// turn at most, and an idle process uses no processor time.
//
//   sleep ──▶ sockets, timers ──▶ turn ──▶ more to do?  yes: sockets without waiting ──▶ turn ...
//     ▲                                 └▶ no, at `due`: sleep until then ┐
//     └──────────────────────────────────────────────────────────────────┘
//
// All callbacks and posted jobs run inside run(), one at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace boost::asio {
class io_context;
}

namespace xbind::net {

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // The turn does bounded work: a long turn delays every socket. It returns the latest time of its
  // next call: a past time means at once, kNever means after a socket event only. It is also called
  // after every event. Set it once, before run().
  void set_turn(std::function<TimePoint()> turn);
  // Readable octets at `descriptor` wake the loop and call `on_readable`: at least once after every
  // turn that left octets unread and did not request another turn at once. The turn reads them. The
  // caller keeps ownership of the descriptor and may close it before the loop. kSystem: no
  // descriptor available. Call before run().
  Result<void> watch(int descriptor, std::function<void()> on_readable);
  // SIGTERM and SIGINT end run() in order; SIGHUP opens the log again. Call before run().
  void stop_on_signals();
  // Sets what SIGHUP also calls, on the loop's thread; empty: nothing. Call before run().
  void set_on_hang_up(std::function<void()> call);

  void run();  // until stop(); then closes open connections, with on_closed
  // Instead of run(), for a program with a loop of its own: handles what has come, a bounded number
  // of events, and returns. Without the turn and the watched descriptors.
  void poll();
  void stop();  // from any thread

  // Queues a job for the loop's thread, which runs it as it handles an event of a socket; a turn
  // follows. Jobs of one thread run in their order. From any thread; never waits. False: the job is
  // dropped, because kPostedMax jobs wait or because the loop ends. A job that is queued and never
  // run, because run() has returned, is destroyed with the loop.
  [[nodiscard]] bool post(std::function<void()> job);
  static constexpr std::size_t kPostedMax = 4096;

  // ----- for the servers on it -----
  boost::asio::io_context& io();
  void on_stop(std::function<void()> call);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbind::net
