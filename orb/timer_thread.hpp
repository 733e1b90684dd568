// One thread that calls back when a deadline is reached. Any thread may move the deadline.
#pragma once

#include <functional>
#include <utility>

#include "orb/shared_timers.hpp"

namespace xbind::orb {

class TimerThread {
 public:
  explicit TimerThread(std::function<void()> on_deadline)
      : timer_(timers_, std::move(on_deadline)) {}

  // As SharedTimers::Timer.
  void set(TimePoint deadline) { timer_.set(deadline); }
  void stop() { timer_.stop(); }

 private:
  SharedTimers timers_;
  SharedTimers::Timer timer_;
};

}  // namespace xbind::orb
