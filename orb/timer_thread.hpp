// One thread that calls back when a deadline has come; the deadline can be moved from any thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/clock.hpp"

namespace xbind::orb {

class TimerThread {
 public:
  explicit TimerThread(std::function<void()> on_deadline);
  ~TimerThread();
  TimerThread(const TimerThread&) = delete;
  TimerThread& operator=(const TimerThread&) = delete;

  // Calls back once when `deadline` has come; replaces the one set before; kNever: not at all. Wakes
  // the thread only when it would otherwise sleep too long.
  void set(TimePoint deadline);
  // No callback is running or will run afterwards.
  void stop();

 private:
  void run();

  std::function<void()> on_deadline_;
  std::mutex mutex_;
  std::condition_variable wake_;
  TimePoint deadline_ = kNever;
  TimePoint sleeping_until_ = kNever;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace xbind::orb
