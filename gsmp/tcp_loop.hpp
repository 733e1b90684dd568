// The one thread of a process that serves sockets and does work between them: it sleeps until a socket
// has something, a moment has come or a watched descriptor is readable, hands out what is there (of a
// flood a part; of a trickle one thing), and then calls the owner's turn. While the turn says that it has more to do, nothing
// sleeps: one turn, one look at the sockets, one turn. So a request waits for one turn at most, and an
// idle process uses no processor time at all.
//
//   sleep ──▶ sockets, timers ──▶ turn ──▶ more to do?  yes: sockets without waiting ──▶ turn ...
//     ▲                                 └▶ no, at `due`: sleep until then ┐
//     └──────────────────────────────────────────────────────────────────┘
//
// Everything is called from run(), one at a time.
#pragma once

#include <functional>
#include <memory>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace boost::asio {
class io_context;
}

namespace xbind::gsmp {

class TcpLoop {
 public:
  TcpLoop();
  ~TcpLoop();
  TcpLoop(const TcpLoop&) = delete;
  TcpLoop& operator=(const TcpLoop&) = delete;

  // Bounded work: what takes long delays every socket. Returns when to call it again at the latest: a
  // time that has passed means at once, kNever that only a socket can bring more. Called after every
  // event, too. Once, before run().
  void set_turn(std::function<TimePoint()> turn);
  // Octets that can be read at `descriptor` wake the loop and call `on_readable`, at least once after
  // every turn that left some unread and did not ask for another at once. The turn reads them. The
  // descriptor stays the caller's and may be closed before the loop. kSystem: no descriptor to be had.
  // Before run().
  Result<void> watch(int descriptor, std::function<void()> on_readable);
  // SIGTERM and SIGINT end run() in order; SIGHUP is logged and changes nothing. Before run().
  void stop_on_signals();

  void run();   // until stop(); then closes what is open, with its on_closed, and returns
  void stop();  // from any thread

  // ----- for the servers on it -----
  boost::asio::io_context& io();
  void on_stop(std::function<void()> call);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbind::gsmp
