// The log of a daemon's rare events: links, switches, sessions and alarms. Thread-safe: it is
// written by the logic and by the alarms' thread, and read by upcalls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "core/events/event.hpp"
#include "core/events/event_ring.hpp"

namespace xbind {

class EventLog {
 public:
  static constexpr std::size_t kEvents = 4'096;

  // `utc_ms`: the present time, in milliseconds since 1970.
  explicit EventLog(std::function<std::uint64_t()> utc_ms) : utc_ms_(std::move(utc_ms)) {}

  // Adds `event`; number and time are set here.
  void add(Event event);
  void add(EventKind kind, std::string object, std::string text = {});
  // At most `limit` events after number `after`.
  EventPage page(std::uint64_t after, std::size_t limit) const;

 private:
  const std::function<std::uint64_t()> utc_ms_;
  mutable std::mutex mutex_;
  EventRing<Event> ring_{kEvents};
};

}  // namespace xbind
