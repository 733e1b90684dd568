// Reads one daemon, whatever kind it is, and publishes what it says:
//
//   xbind/cmgr         sections "managers" and "caches", samples for the curves, calls while wanted
//   xbind/routeobject  sections "switches" and "links"
//   others             their status only
//
// Each call of the daemon is bounded by the timer daemon-answer. Thread-safe for different daemons.
#pragma once

#include <omniORB4/CORBA.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "console/live_board.hpp"
#include "console/remote_calls.hpp"
#include "xbindctl/failure.hpp"
#include "xbindctl/top.hpp"

namespace xbind::console {

// A daemon as the name service has it.
struct Daemon {
  std::string path;  // "xbind/cmgr/default"
  std::string kind;  // "cmgr"
  std::string name;  // "default"
  std::string address;
  CORBA::Object_var object;
};

struct DaemonStatus {
  std::uint64_t answer_us = 0;  // of the status
  std::uint64_t rss_kib = 0;
};

ctl::PeerKind kind_of(const std::string& kind);

class RemoteReader {
 public:
  RemoteReader(LiveBoard& board, RemoteCalls& calls) : board_(board), calls_(calls) {}

  ctl::OrFailure<DaemonStatus> read(const Daemon& daemon);
  // Takes back what the daemon has published; it is gone.
  void forget(const Daemon& daemon);

 private:
  ctl::OrFailure<DaemonStatus> read_status(const Daemon& daemon);
  ctl::OrFailure<DaemonStatus> read_manager(const Daemon& daemon);
  std::optional<ctl::Failure> read_network(const Daemon& daemon);
  void publish_manager(const Daemon& daemon, const ctl::TopReading& now, const ctl::Json& settings,
                       const ctl::Json& caches);

  LiveBoard& board_;
  RemoteCalls& calls_;
  std::mutex mutex_;
  std::map<std::string, ctl::TopReading> before_;  // by the manager's path
};

}  // namespace xbind::console
