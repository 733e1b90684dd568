// Log lines about an absent switch: repeated, with pauses that double.
//
//   away, or never met ──2 s──▶ a line ──4 s──▶ a line ──8 s──▶ ... every minute ──▶ back: a line
//
// A short absence is not logged. Pure; one thread at a time.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/clock.hpp"
#include "switchserver/controller/timers.hpp"

namespace xbind {

class SwitchAbsence {
 public:
  static constexpr Duration kFirstLogAfter = kSwitchServerTimers["absence-log-first"];
  static constexpr Duration kLogPauseMax = kSwitchServerTimers["absence-log-max"];

  // `peer`: HOST:PORT, as configured.
  explicit SwitchAbsence(std::string peer) : peer_(std::move(peer)) {}

  // The switch is absent: since the start, or from now on.
  void away(TimePoint now);
  // The reason why the last attempt to reach the switch failed.
  void failed(std::string reason);
  // The switch is back. Returns a log line if its absence was logged.
  std::optional<std::string> back(TimePoint now);

  // Returns the log line that is due, if any.
  std::optional<std::string> complaint(TimePoint now);
  TimePoint next_deadline() const { return next_log_at_; }

  bool ever_met() const { return ever_met_; }
  // nullopt: the switch is present, or nobody has tried to reach it yet.
  std::optional<Duration> away_for(TimePoint now) const;

 private:
  std::string peer_;
  std::string reason_;
  std::optional<TimePoint> since_;
  TimePoint next_log_at_ = kNever;
  Duration pause_ = kFirstLogAfter;
  bool ever_met_ = false;
  bool complained_ = false;
};

}  // namespace xbind
