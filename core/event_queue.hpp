// The kernel of a run on virtual time: a clock and the events that are still to happen. The
// simulator (tests/sim), the performance model (bench/model) and tests with a network of their own
// run on it.
//
//   EventQueue<std::function<void()>> queue(TimePoint{1s});
//   queue.schedule(queue.now() + 5ms, deliver);
//   while (queue.next() <= end) queue.take()();   // at 1.005 s: deliver()
//
// Events are taken by time, events of equal time in the order in which they were scheduled. Nothing
// else decides, so a run depends on its seed alone. Taking an event moves the clock to its time.
// Virtual time never goes back: an event that was scheduled in the past is taken next.
//
// Pure and single-threaded. `Event` needs a move constructor and assignment. There is no cancel():
// the owner of a timer ignores an event that it no longer expects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/clock.hpp"

namespace xbind {

// More pending events than any run needs: beyond it the run schedules faster than it takes.
inline constexpr std::size_t kEventsMax = std::size_t{1} << 26;

template <class Event>
class EventQueue {
 public:
  // `begin`: the first value of the clock. `capacity`: the largest number of pending events.
  explicit EventQueue(TimePoint begin = {}, std::size_t capacity = kEventsMax)
      : now_(begin), capacity_(capacity) {}

  // The reference stays valid as long as the queue and follows the clock.
  const TimePoint& now() const { return now_; }
  // Moves the clock forward, over pending events too; an earlier time changes nothing.
  void advance_to(TimePoint when) { now_ = std::max(now_, when); }

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  // The time of the next event; kNever: none is pending.
  TimePoint next() const { return heap_.empty() ? kNever : heap_.front().at; }

  // Ends the program when `capacity` events are pending.
  void schedule(TimePoint at, Event event) {
    XB_CHECK(heap_.size() < capacity_, heap_.size(), capacity_);
    heap_.push_back({at, scheduled_++, std::move(event)});
    std::push_heap(heap_.begin(), heap_.end(), Later{});
  }

  // Removes the next event and moves the clock to its time. One must be pending.
  Event take() {
    XB_CHECK(!heap_.empty());
    std::pop_heap(heap_.begin(), heap_.end(), Later{});
    Pending pending = std::move(heap_.back());
    heap_.pop_back();
    advance_to(pending.at);
    return std::move(pending.event);
  }
  // The same if the next event is due now; nothing: none is. The clock stays.
  std::optional<Event> take_due() {
    if (next() > now_) return std::nullopt;
    return take();
  }

  // Drops all pending events; the clock stays.
  void clear() { heap_.clear(); }

 private:
  struct Pending {
    TimePoint at;
    std::uint64_t order;
    Event event;
  };
  struct Later {
    bool operator()(const Pending& a, const Pending& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };

  TimePoint now_;
  std::size_t capacity_;
  std::uint64_t scheduled_ = 0;
  std::vector<Pending> heap_;
};

}  // namespace xbind
