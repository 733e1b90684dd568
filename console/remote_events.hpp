// Reads the event logs of the daemons, once for all browsers, and publishes the newest events
// (section "events") and how many were left out (section "event_logs"). Thread-safe for different
// daemons.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "console/event_book.hpp"
#include "console/live_board.hpp"
#include "console/remote_daemon.hpp"
#include "types.hh"
#include "xbindctl/event_reading.hpp"

namespace xbind::console {

// Events of one log that are taken in one reading; older ones are left out, and counted.
inline constexpr std::uint32_t kEventsAtOnce = 200;
// Daemons whose position is kept. Those that are gone come back, and are then read on from there.
inline constexpr std::size_t kEventReadersMax = 8'192;

class RemoteEvents {
 public:
  explicit RemoteEvents(LiveBoard& board) : board_(board) {}

  // Takes what has happened at the daemon since it was read last. One thread for each daemon.
  std::optional<ctl::Failure> read(const Daemon& daemon);
  // The daemon is gone; its events stay.
  void forget(const Daemon& daemon);

  // {"events":[...],"newest":"17","event_logs":[...]}
  std::string document(const EventFilter& filter) const;

 private:
  struct Log {
    ctl::EventPosition position;
    std::uint64_t left_out = 0;
  };
  struct Reader {
    CORBA::Object_var daemon;  // that named `events`
    v2::Recorded_var events;   // nil: to be asked for
    std::map<v2::EventLogCode, Log> logs;
    bool gone = false;
  };
  ctl::OrFailure<v2::Recorded_var> events_of(const Daemon& daemon);
  ctl::OrFailure<bool> read_log(const Daemon& daemon, v2::EventLogCode log,
                                v2::Recorded_ptr events);
  void take(const Daemon& daemon, v2::EventLogCode log, const ctl::ReadEvents& read);
  void make_room();

  LiveBoard& board_;
  mutable std::mutex mutex_;
  EventBook book_;
  std::map<std::string, Reader> readers_;  // by the daemon's path
};

}  // namespace xbind::console
