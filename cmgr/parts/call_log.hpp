// The last events of calls: outcomes of requests, and changes of connections that no request has
// caused. Written on the path of every call, so a record is filled in place and copies only the
// client's name; times are set once a step. docs/decisions/0072-events-are-polled.md has the cost.
//
// Not thread-safe; owned by the connection manager. It holds references into the table of ends,
// which must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cmgr/parts/call_ends.hpp"
#include "cmgr/parts/refusal.hpp"
#include "core/alarms/alarm.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"
#include "core/events/event.hpp"
#include "core/events/event_ring.hpp"

namespace xbind::cmgr {

class CallLog {
 public:
  static constexpr std::size_t kEvents = 8'192;
  static constexpr std::size_t kReasonOctetsMax = 200;

  // The outcome of a request of `client`. `ends`: of its connection; null: not known.
  void outcome(const Outcome& outcome, const std::string& client, const CallEnds* ends);
  // A change of a connection of `client`.
  void notice(NoticeKind kind, ConnectionId connection, const std::string& client,
              const CallEnds* ends, const Refusal& why);
  // A connection of `client` has ended for another reason than its request.
  void ended(EndWhy why, ConnectionId connection, const std::string& client, const CallEnds* ends);
  // What was logged since the last call has happened at `now`.
  void stamp(TimePoint now) {
    while (stamped_ < ring_.newest()) ring_[++stamped_].at = now;
  }
  // At most `limit` stamped events after number `after`. `now`: the present time, for the events'.
  EventPage page(std::uint64_t after, std::size_t limit, const Moment& now) const;

 private:
  struct Record {
    TimePoint at;
    EventKind kind = EventKind::kConnected;
    Cause cause = Cause::kNone;
    ConnectionId connection;
    RequestId request;
    bool detailed = false;  // the four members that follow apply: something was refused or broke
    std::uint64_t asked = 0;
    std::uint64_t free = 0;
    std::string element;
    std::string reason;
    CallEndsRef ends;
    std::string client;
  };

  Record& next(EventKind kind, Cause cause, const std::string& client, const CallEnds* ends);

  EventRing<Record> ring_{kEvents};
  std::uint64_t stamped_ = 0;  // up to this number
};

}  // namespace xbind::cmgr
