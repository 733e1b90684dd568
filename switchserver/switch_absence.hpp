// What an operator hears of a switch that is not there: again and again, less and less often.
//
//   away, or never met ──2 s──▶ a line ──4 s──▶ a line ──8 s──▶ ... every minute ──▶ back: a line
//
// A short absence is not worth a word. Pure; one thread at a time.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/clock.hpp"
#include "switchserver/timers.hpp"

namespace xbind {

class SwitchAbsence {
 public:
  static constexpr Duration kFirstWord = kSwitchServerTimers["absence-log-first"];
  static constexpr Duration kBetweenWordsMax = kSwitchServerTimers["absence-log-max"];

  // `peer`: HOST:PORT, as it was given.
  explicit SwitchAbsence(std::string peer) : peer_(std::move(peer)) {}

  // It is not there: since the start, or since now.
  void away(TimePoint now);
  // Why the last attempt to reach it failed.
  void failed(std::string reason);
  // It is there. The line for the log, if there was one of its absence.
  std::optional<std::string> back(TimePoint now);

  // The line that is due, if one is.
  std::optional<std::string> complaint(TimePoint now);
  TimePoint next_deadline() const { return next_word_; }

  bool ever_met() const { return ever_met_; }
  // Nothing: it is there, or nobody has looked yet.
  std::optional<Duration> away_for(TimePoint now) const;

 private:
  std::string peer_;
  std::string reason_;
  std::optional<TimePoint> since_;
  TimePoint next_word_ = kNever;
  Duration pause_ = kFirstWord;
  bool ever_met_ = false;
  bool complained_ = false;
};

}  // namespace xbind
