// When the status file is written: soon after a change, one write at a time, and with a pause
// between two. Pure; owned by a Program.
#pragma once

#include <cstdint>

#include "core/clock.hpp"
#include "keeper/timers.hpp"

namespace xbind::keeper {

class StatusPace {
 public:
  // Whether a write begins now; `revision`: Keeper::revision().
  bool begin(std::uint64_t revision, TimePoint now) {
    if (now < deadline(revision)) return false;
    writing_ = true;
    written_ = revision;
    not_before_ = now + kKeeperTimers["status-pause"];
    return true;
  }
  void ended() { writing_ = false; }
  // When a write may begin; kNever: there is nothing to write, or ended() comes first.
  TimePoint deadline(std::uint64_t revision) const {
    return writing_ || written_ == revision ? kNever : not_before_;
  }

 private:
  bool writing_ = false;
  std::uint64_t written_ = 0;  // revision of the last status
  TimePoint not_before_{};
};

}  // namespace xbind::keeper
