// The events of the switch about its ports (RFC 3292 section 9), and the answers to the resets of
// their flags. Both have the port's sequence number, which shows whether events were suppressed.
//
// Not thread-safe.
#pragma once

#include <cstdint>

#include "core/clock.hpp"
#include "gsmp/session_event.hpp"
#include "switchserver/drivers/gsmp_link.hpp"
#include "switchserver/drivers/port_queries.hpp"
#include "switchserver/drivers/port_table.hpp"
#include "switchserver/drivers/timers.hpp"

namespace xbind {

class PortEvents {
 public:
  static constexpr Duration kInvalidLabelLogPause = kDriverTimers["invalid-label-log"];

  // All of them must outlive this object.
  PortEvents(GsmpLink& link, PortTable& ports, PortQueries& queries)
      : link_(link), ports_(ports), queries_(queries) {}

  // Counts the event, answers it, and reads its port again if the event says so.
  void on(const gsmp::Event& event);
  // The answer to Port Management, Reset Flags.
  void on_reset(const gsmp::Response& response);

 private:
  void on_adjacency_update(const gsmp::Event& event);
  void note(const gsmp::Event& event);
  void note_invalid_label(const gsmp::Event& event);

  GsmpLink& link_;
  PortTable& ports_;
  PortQueries& queries_;
  TimePoint invalid_logged_{};
  std::uint64_t invalid_unlogged_ = 0;
};

}  // namespace xbind
