// What the driver is to ask the switch about its ports: which ports to read again, which event
// flags to reset, and when to read all ports because the switch has other controllers. A query is
// sent when the session has room for it; until then it waits here.
//
// A port has one reading at a time; a wish that comes meanwhile is remembered, as the answer may be
// older than the wish. An Invalid Label flag is reset at most once in kInvalidLabelPause, which
// holds back a storm of such events.
//
// Bounded by the switch's ports. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "switchserver/drivers/gsmp_link.hpp"
#include "switchserver/drivers/port_table.hpp"
#include "switchserver/drivers/timers.hpp"

namespace xbind {

class PortQueries {
 public:
  static constexpr Duration kInvalidLabelPause = kDriverTimers["invalid-label-pause"];
  // How often all ports are read while the switch has other controllers. A controller that brings a
  // port up empties it (RFC 3292 section 6.1), and no event notifies the others.
  static constexpr Duration kOthersPause = kDriverTimers["other-controllers-look"];

  // Both must outlive this object.
  PortQueries(GsmpLink& link, const PortTable& ports) : link_(link), ports_(ports) {}

  void read(PortId port) { wanted_.insert(port); }
  void read_all() { read_all_at_ = link_.now; }
  void reset(PortId port, std::uint16_t flags) { reset(port, flags, link_.now); }
  void reset_invalid_label(PortId port);

  // The reading of a port is over. False: it was forgotten meanwhile.
  bool was_read(PortId port);
  // Sends what is due, as much as the session accepts; the rest waits for the next call. False: no
  // room is left. Resets are sent before reads, so a flag that is still set when its port is read
  // was not reset.
  bool send();
  // When something becomes due. What is due already waits for room in the session, not for time.
  TimePoint next_deadline() const;
  // The adjacency is lost.
  void clear();

 private:
  struct Reset {  // of a port's event flags
    std::uint16_t flags = 0;
    TimePoint due;
  };

  void reset(PortId port, std::uint16_t flags, TimePoint due);
  void send_read_all();
  bool send_resets();
  bool send_reads();

  GsmpLink& link_;
  const PortTable& ports_;
  std::set<PortId> wanted_;         // to be read again
  std::map<PortId, bool> reading_;  // being read; true: read once more afterwards
  std::map<PortId, Reset> resets_;  // to be sent
  TimePoint read_all_at_ = kNever;
  std::map<PortId, TimePoint> next_label_reset_;  // when the next Invalid Label flag may be reset
};

}  // namespace xbind
