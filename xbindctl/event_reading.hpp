// Reads the event logs of daemons by polling: the events after a position, and how many were
// missed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "types.hh"
#include "xbindctl/document.hpp"

namespace xbind::ctl {

// Where a reader is in a log. Incarnation 0: it has not read anything yet.
struct EventPosition {
  std::uint64_t incarnation = 0;
  std::uint64_t after = 0;
};

// What was read of one log of one daemon.
struct ReadEvents {
  EventPosition position;         // after it
  std::uint64_t lost = 0;         // events that come after the position before and were not read
  std::vector<v2::Event> events;  // ascending
};

// "calls" or "network".
const char* log_name(v2::EventLogCode log);
EventSubject subject_of(const v2::Event& event);
std::string cause_of(const v2::Event& event);  // for people
// A document of `xbindctl events --json`. `daemon`: "cmgr/default".
Json json_of(const std::string& daemon, const v2::Event& event);

// Reads everything that the log has after the position, in pages. What a log has dropped before it
// was read for the first time is not lost. Throws what the calls throw.
ReadEvents read_events(v2::Recorded_ptr daemon, v2::EventLogCode log, EventPosition from);
// Reads the newest `most` events (1 to 2000) after the position: at most two calls, however many
// events there are.
ReadEvents read_newest_events(v2::Recorded_ptr daemon, v2::EventLogCode log, EventPosition from,
                              std::uint32_t most);

}  // namespace xbind::ctl
