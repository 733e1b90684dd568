// The timers of procedures, in the order of expiry. A procedure has at most one timer, that of its
// state.
//
// One list for each named timer, oldest first, because all timers of a list have the same duration;
// holds, with their individual durations, are sorted. Not thread-safe; owned by the connection
// manager, outlives the procedures.
#pragma once

#include <algorithm>
#include <array>
#include <boost/intrusive/list.hpp>
#include <deque>
#include <set>
#include <unordered_set>
#include <utility>

#include "cmgr/parts/config.hpp"
#include "cmgr/procedures/events.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"

namespace xbind::cmgr {

// The latest kRemembered expired holds, so that a late commit is refused with cause "hold expired".
class ExpiredHolds {
 public:
  static constexpr std::size_t kRemembered = 10'000;

  void note(ConnectionId id) {
    ids_.insert(id);
    order_.push_back(id);
    if (order_.size() <= kRemembered) return;
    ids_.erase(order_.front());
    order_.pop_front();
  }
  bool contains(ConnectionId id) const { return ids_.contains(id); }

 private:
  std::deque<ConnectionId> order_;
  std::unordered_set<ConnectionId> ids_;
};

// The part of a procedure that its timer list links.
struct TimerHook
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
  TimePoint deadline = kNever;
};

// The part of a procedure by which its age is known.
struct AgeTag;
struct AgeHook
    : boost::intrusive::list_base_hook<boost::intrusive::tag<AgeTag>,
                                       boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
  std::uint64_t number = 0;  // procedures are counted
};

class ProcedureTimers {
 public:
  // Timers that expire in one step at most: a process that was kept waiting finds many due at once.
  static constexpr std::size_t kPerStep = 1'000;

  explicit ProcedureTimers(const Config& config) : config_(config) {}
  ProcedureTimers(const ProcedureTimers&) = delete;
  ProcedureTimers& operator=(const ProcedureTimers&) = delete;

  // For every timer but kHold.
  void arm(TimerHook& hook, Timer timer, TimePoint now) {
    hook.unlink();
    hook.deadline = kNever;
    if (timer == Timer::kNone) return;
    hook.deadline = now + duration(config_, timer);
    lists_[static_cast<std::size_t>(timer)].push_back(hook);
  }
  // The settings become `wanted` after this call. Timers that run get the new duration, too, from
  // when they were armed, so that each list stays in order.
  void change(const Config& wanted) {
    for (std::size_t timer = 0; timer < kTimers; ++timer) {
      if (lists_[timer].empty()) continue;
      const Duration more = duration(wanted, static_cast<Timer>(timer)) -
                            duration(config_, static_cast<Timer>(timer));
      for (TimerHook& hook : lists_[timer]) hook.deadline += more;
    }
  }
  // The individual duration of a hold.
  void arm_hold(ConnectionId connection, TimePoint until) { holds_.emplace(until, connection); }
  void disarm_hold(ConnectionId connection, TimePoint until) { holds_.erase({until, connection}); }
  ExpiredHolds& expired_holds() { return expired_; }

  // The procedure has been created.
  void begun(AgeHook& hook) {
    hook.number = ++begun_;
    by_age_.push_back(hook);
  }
  // Calls found(hook) for each procedure that has lived through a whole period of stuck_after(). It
  // must not add or remove any.
  template <class Found>
  void find_stuck(TimePoint now, Found&& found) {
    if (now < next_look_) return;
    for (const AgeHook& hook : by_age_) {
      if (hook.number > begun_at_last_look_) break;
      found(hook);
    }
    begun_at_last_look_ = begun_;
    next_look_ = by_age_.empty() ? kNever : now + stuck_after();
  }
  // Has the ages looked at while there are procedures. Call it at the end of a step.
  void watch(TimePoint now) {
    if (next_look_ == kNever && !by_age_.empty()) next_look_ = now + stuck_after();
  }
  // Longer than the timers of any procedure together, each of its tries included.
  Duration stuck_after() const { return longest_call(config_) + config_.break_delay; }

  // Calls expire(hook) or expire_hold(connection) for each procedure whose timer has expired, at
  // most kPerStep; the callee may arm it again. While some are left, next_deadline() is in the
  // past.
  template <class Expire, class ExpireHold>
  void expire(TimePoint now, Expire&& expire, ExpireHold&& expire_hold) {
    std::size_t left = kPerStep;
    for (List& list : lists_) {
      for (; left > 0 && !list.empty() && list.front().deadline <= now; --left) {
        expire(list.front());
      }
    }
    for (; left > 0 && !holds_.empty() && holds_.begin()->first <= now; --left) {
      const ConnectionId id = holds_.begin()->second;
      expire_hold(id);
    }
  }
  TimePoint next_deadline() const {
    TimePoint due = next_look_;
    if (!holds_.empty()) due = std::min(due, holds_.begin()->first);
    for (const List& list : lists_) {
      if (!list.empty()) due = std::min(due, list.front().deadline);
    }
    return due;
  }
  // Visits every procedure with a running timer, except holds that are held. None may be added or
  // removed meanwhile.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (List& list : lists_) {
      for (TimerHook& hook : list) visit(hook);
    }
  }

 private:
  using List = boost::intrusive::list<TimerHook, boost::intrusive::constant_time_size<false>>;

  static Duration duration(const Config& config, Timer timer) {
    switch (timer) {
      case Timer::kRoute: return config.route_timer;
      case Timer::kHop: return config.hop_timer;
      case Timer::kUndo: return config.undo_timer;
      case Timer::kBreak: return config.break_delay;
      case Timer::kNone:
      case Timer::kHold: break;
    }
    return Duration::max();
  }

  const Config& config_;
  std::array<List, kTimers> lists_;
  std::set<std::pair<TimePoint, ConnectionId>> holds_;
  ExpiredHolds expired_;
  boost::intrusive::list<AgeHook, boost::intrusive::base_hook<AgeHook>,
                         boost::intrusive::constant_time_size<false>>
      by_age_;  // oldest first
  std::uint64_t begun_ = 0;
  std::uint64_t begun_at_last_look_ = 0;
  TimePoint next_look_ = kNever;
};

}  // namespace xbind::cmgr
