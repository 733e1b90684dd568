// Reads one daemon, whatever kind it is, and publishes what it says:
//
//   xbind/cmgr         sections "managers" and "caches", samples for the curves, calls while wanted
//   xbind/routeobject  sections "switches" and "links"
//   others             their status only
//
// Of every daemon the event logs are read, too (remote_events.hpp).
// Each call of the daemon is bounded by the timer daemon-answer. Thread-safe for different daemons.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "console/live_board.hpp"
#include "console/remote_calls.hpp"
#include "console/remote_daemon.hpp"
#include "console/remote_events.hpp"
#include "xbindctl/failure.hpp"
#include "xbindctl/top.hpp"

namespace xbind::console {

struct DaemonStatus {
  std::uint64_t answer_us = 0;  // of the status
  std::uint64_t rss_kib = 0;
};

class RemoteReader {
 public:
  RemoteReader(LiveBoard& board, RemoteCalls& calls, RemoteEvents& events)
      : board_(board), calls_(calls), events_(events) {}

  ctl::OrFailure<DaemonStatus> read(const Daemon& daemon);
  // Takes back what the daemon has published; it is gone.
  void forget(const Daemon& daemon);

 private:
  // Everything but the events.
  ctl::OrFailure<DaemonStatus> read_state(const Daemon& daemon);
  ctl::OrFailure<DaemonStatus> read_status(const Daemon& daemon);
  ctl::OrFailure<DaemonStatus> read_manager(const Daemon& daemon);
  std::optional<ctl::Failure> read_network(const Daemon& daemon);
  void publish_manager(const Daemon& daemon, const ctl::TopReading& now, const ctl::Json& settings,
                       const ctl::Json& caches);

  LiveBoard& board_;
  RemoteCalls& calls_;
  RemoteEvents& events_;
  std::mutex mutex_;
  std::map<std::string, ctl::TopReading> before_;  // by the manager's path
};

}  // namespace xbind::console
