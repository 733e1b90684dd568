// The alarms and events of one part of a daemon: its manager, its RouteObject, or one of its
// switches. Once a second it asks the part's logic for the conditions that hold, adds those of the
// process, and has the AlarmTable raise and clear alarms. Changes are events, and log lines.
//
// The logic pays one short job a second. Upcalls read tables with a lock of their own, so that they
// are answered although the logic hangs; that is an alarm itself.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/alarms/alarm_table.hpp"
#include "core/events/event_log.hpp"
#include "core/metrics/metric_table.hpp"
#include "core/result.hpp"
#include "orb/shared_timers.hpp"
#include "orb/timers.hpp"

namespace xbind::orb {

// Milliseconds since 1970.
std::uint64_t utc_ms_now();

// The conditions of this process, whatever its logic: what its peers do to it.
class ProcessConditions {
 public:
  // Appends the conditions that hold, and those counted occurrences whose count has grown since
  // the previous call.
  void append(std::vector<AlarmCondition>& conditions);

 private:
  struct Counted {
    std::uint64_t peers_refused = 0;
    std::uint64_t peer_faults = 0;
    std::uint64_t callbacks_dropped = 0;
  };
  Counted last_;
};

class Supervision {
 public:
  using Conditions = std::vector<AlarmCondition>;
  // Queues a question for the logic, which passes its conditions to `done` once, from any thread.
  // Must not wait for the answer.
  using Look = std::function<void(std::function<void(Conditions)> done)>;

  static constexpr Duration kLook = kOrbTimers["alarm-look"];
  static constexpr Duration kSilent = kOrbTimers["logic-silent"];

  // `part`: in the alarm about its silence, "manager default". `of_process`: reports the conditions
  // of the process, too; one part of each process does. `timers` must outlive this object.
  Supervision(SharedTimers& timers, std::string part, bool of_process, Look look);
  Supervision(const Supervision&) = delete;
  Supervision& operator=(const Supervision&) = delete;

  void start();  // the first look
  // After it returns, the logic is not asked any more.
  void stop() { timer_.stop(); }

  // What this process has found out about other daemons (orb/daemon_watch.hpp): conditions that
  // hold until the next call. Any thread.
  void set_observed(Conditions conditions);

  // Differs after every start of the process.
  std::uint64_t incarnation() const { return incarnation_; }
  EventLog& events() { return events_; }
  // As AlarmTable::page(), with the present conditions.
  std::vector<Alarm> alarms(std::uint64_t after, std::size_t limit, bool cleared_too);
  // As AlarmTable::acknowledge(); it is an event.
  Result<void> acknowledge(std::uint64_t id, const std::string& who, const std::string& note);
  Result<void> unacknowledge(std::uint64_t id);

  // Appends alarms/<kind>/<severity> for every kind that this part can raise, zeros included.
  void append_metrics(Metrics& metrics);

 private:
  void look();
  void take(Conditions conditions);
  // Compares with what holds now. The caller holds the lock.
  void compare(TimePoint now);

  const std::string part_;
  const std::uint64_t incarnation_;
  const Look look_;
  EventLog events_;

  std::mutex mutex_;
  AlarmTable table_;
  std::optional<ProcessConditions> process_;
  Conditions of_process_;
  Conditions of_logic_;  // the last answer
  Conditions observed_;
  std::optional<TimePoint> asked_at_;  // a question is open
  SharedTimers::Timer timer_;          // last: its callback uses the others
};

// The rows of Supervision::append_metrics().
MetricTable alarm_metrics();

}  // namespace xbind::orb
