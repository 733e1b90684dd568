// When the keeper looks at the manager's list of calls, and what a look may be believed about.
//
// A list is read while other things happen. It says nothing about a call that was set up or
// released after the look had begun, and nothing at all if the session has changed since. So each
// event of a call is stamped with the number of the latest look that has begun, and only a later
// look judges it.
//
// Pure; owned by a Keeper.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock.hpp"

namespace xbind::keeper {

class Looks {
 public:
  // `period`: between looks that nothing causes; `pause`: shortest time before the next one.
  Looks(Duration period, Duration pause) : period_(period), pause_(pause) {}

  // A new session: a look is due, and one under way counts for nothing.
  void attached(TimePoint now) {
    attached_ = true;
    forget();
    due_ = now;
  }
  void detached() {
    attached_ = false;
    forget();
  }
  // What the last look said is no basis for a setup: nothing is `current()` until the next one.
  void forget() {
    current_ = false;
    valid_from_ = begun_ + 1;
  }
  // Something may have changed: look now, or when the pause is over.
  void soon(TimePoint now) { due_ = std::min(due_, std::max(now, not_before_)); }

  bool due(TimePoint now) const { return attached_ && !under_way_ && now >= due_; }
  TimePoint deadline() const { return attached_ && !under_way_ ? due_ : kNever; }
  void begin() {
    under_way_ = true;
    due_ = kNever;
    ++begun_;
  }
  // The look has ended; `read`: the list was read. False: it counts for nothing.
  bool ended(bool read, TimePoint now) {
    under_way_ = false;
    not_before_ = now + pause_;
    const bool stale = begun_ < valid_from_;
    due_ = std::min(due_, now + (stale ? pause_ : period_));
    due_ = std::max(due_, not_before_);
    if (read && !stale) current_ = true;
    return read && !stale;
  }

  // The stamp of what happens now.
  std::uint64_t stamp() const { return begun_; }
  // Whether the look that has just ended began after the event of that stamp.
  bool judges(std::uint64_t stamp) const { return stamp < begun_; }
  // Attached, and a look of this session has been read since forget().
  bool current() const { return attached_ && current_; }
  bool attached() const { return attached_; }

 private:
  Duration period_;
  Duration pause_;
  bool attached_ = false;
  bool under_way_ = false;
  bool current_ = false;
  std::uint64_t begun_ = 0;
  std::uint64_t valid_from_ = 1;  // looks with a lower number count for nothing
  TimePoint due_ = kNever;
  TimePoint not_before_{};
};

}  // namespace xbind::keeper
