// The newest events of all daemons. The number of all events is bounded; beyond the bound the
// source with the most events loses its oldest one, so that a busy daemon displaces its own events
// and not those of a quiet one. Pure; the owner locks.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "console/board.hpp"

namespace xbind::console {

inline constexpr std::size_t kEventsKept = 1'000;

// An event as a daemon tells it; the words are those of `xbindctl events --json`.
struct BookedEvent {
  std::uint64_t at_ms = 0;  // since 1970, by the clock of the daemon
  std::string daemon;       // "cmgr/default"
  std::string subject;      // "calls"
  std::string connection;   // digits; empty: it is about no call
  std::string json;
};

// Which events are asked for; an empty text stands for all.
struct EventFilter {
  std::string subject{};
  std::string daemon{};
  std::string connection{};
  std::uint64_t after = 0;  // events with a higher id
  std::size_t limit = kEventsKept;
};

class EventBook {
 public:
  struct Change {
    Rows set;
    std::vector<std::string> gone;  // keys
  };
  // Adds events of a source, which is one log of one daemon, the oldest first. Each gets the next
  // id, from 1 on, and a row {"id":"17","event":{...}}. The order of the keys is that of the ids.
  Change add(const std::string& source, std::vector<BookedEvent> events);

  // The rows of the newest events that match, ordered by their time, as a JSON array.
  std::string array_of(const EventFilter& filter) const;
  // 0: there has been no event.
  std::uint64_t last_id() const { return last_id_; }
  std::size_t size() const { return size_; }

 private:
  struct Kept {
    std::uint64_t id = 0;
    BookedEvent event;
  };
  // Removes the oldest event of the source with the most; returns its id.
  std::uint64_t displace();

  std::map<std::string, std::deque<Kept>> sources_;  // none is empty
  std::size_t size_ = 0;
  std::uint64_t last_id_ = 0;
};

}  // namespace xbind::console
