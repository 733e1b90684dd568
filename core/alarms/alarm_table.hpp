// The alarms of one daemon: which are raised, and those that were cleared last.
//
// The owner passes, again and again, all conditions that hold. The table compares:
//
//               holds for raised_after()               over for cleared_after()
//   (nothing) ──────────────────────────▶ raised ──────────────────────────────▶ cleared
//                                          │ ▲
//                                          └─┘ holds again meanwhile: counted, still raised
//
// A condition that comes and goes before its alarm is raised counts as one that holds, unless it
// was over for cleared_after(): a flapping link raises one alarm, not many and not none.
//
// Bounded: kRaisedMax conditions, kClearedMax cleared alarms, kCauseOctetsMax of each text. Pure:
// the caller passes the time. One thread at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/alarms/alarm.hpp"
#include "core/result.hpp"

namespace xbind {

// What has happened to an alarm.
struct AlarmChange {
  enum class What : std::uint8_t { kRaised, kCleared };
  What what = What::kRaised;
  Alarm alarm;
};

class AlarmTable {
 public:
  static constexpr std::size_t kRaisedMax = 1'000;
  static constexpr std::size_t kClearedMax = 500;
  static constexpr std::size_t kCauseOctetsMax = 500;
  static constexpr std::size_t kObjectOctetsMax = 200;
  static constexpr std::size_t kWhoOctetsMax = 64;
  static constexpr std::size_t kNoteOctetsMax = 256;

  // `first_id`: of the first alarm, from 1; above all ids of an earlier process.
  explicit AlarmTable(std::uint64_t first_id) : next_id_(first_id) {}

  // `conditions` are all that hold now, each kind and object at most once. Returns what has
  // changed.
  std::vector<AlarmChange> look(std::span<const AlarmCondition> conditions, const Moment& at);

  // Alarms with an id above `after`, ascending, at most `limit`.
  std::vector<Alarm> page(std::uint64_t after, std::size_t limit, bool cleared_too) const;
  // An operator has taken notice of a raised or cleared alarm; returns it. kNotFound: there is no
  // such alarm, or no longer. kBadInput: `who` is empty or too long, or `note` is.
  Result<Alarm> acknowledge(std::uint64_t id, const std::string& who, const std::string& note,
                            std::uint64_t utc_ms);
  // Removes the acknowledgement, if there is one. kNotFound: as above.
  Result<void> unacknowledge(std::uint64_t id);

  // Raised alarms of each kind.
  std::size_t raised(AlarmKind kind) const;
  std::size_t left_out() const { return left_out_; }  // conditions at the last look

 private:
  using Key = std::pair<AlarmKind, std::string>;
  struct Entry {
    Alarm alarm;  // id 0: not raised yet
    TimePoint began{};
    std::optional<TimePoint> over_since{};
    bool seen = false;  // at the present look
  };

  void see(const AlarmCondition& condition, const Moment& at);
  void raise_or_clear(const Moment& at, std::vector<AlarmChange>& changes);
  Result<Alarm*> at(std::uint64_t id);

  std::uint64_t next_id_;
  std::map<Key, Entry> entries_;
  std::deque<Alarm> cleared_;  // the oldest first
  std::size_t left_out_ = 0;
};

// The condition of a stock that is nearly taken, with hysteresis: raised from 95 %, kept down to
// 90 %. `unit`: "labels", "cells/s". nullopt: neither.
std::optional<AlarmCondition> nearly_full(AlarmKind kind, std::string object, std::uint64_t taken,
                                          std::uint64_t size, std::string_view unit);

}  // namespace xbind
