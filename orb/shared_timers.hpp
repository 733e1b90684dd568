// One thread that calls back for many timers, each when its deadline has come; deadlines can be moved from
// any thread. Callbacks run one after another and must not block: they hold up the others.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/clock.hpp"

namespace xbind::orb {

class SharedTimers {
 public:
  // Owned by who wants to be called; ends before the SharedTimers.
  class Timer {
   public:
    Timer(SharedTimers& timers, std::function<void()> on_deadline);
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    // Calls back once when `deadline` has come; replaces the one set before; kNever: not at all. Wakes
    // the thread only when it would otherwise sleep too long.
    void set(TimePoint deadline);
    // No callback is running or will run afterwards. Not from a callback.
    void stop();

   private:
    friend class SharedTimers;
    SharedTimers& timers_;
    std::function<void()> on_deadline_;
    TimePoint deadline_ = kNever;  // this and what follows: under the owner's mutex
    bool running_ = false;
    bool stopped_ = false;
  };

  SharedTimers();
  ~SharedTimers();
  SharedTimers(const SharedTimers&) = delete;
  SharedTimers& operator=(const SharedTimers&) = delete;

 private:
  void run();
  Timer* earliest() const;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;  // a callback has returned
  std::vector<Timer*> timers_;
  TimePoint sleeping_until_ = kNever;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace xbind::orb
