// One thread for many timers: it calls back when a deadline is reached. Any thread may move a
// deadline. Callbacks run one after another and must not block, since they delay the others.
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
  // Owned by the code that it calls back; must end before the SharedTimers.
  class Timer {
   public:
    Timer(SharedTimers& timers, std::function<void()> on_deadline);
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    // Calls back once at `deadline`, which replaces the previous one; kNever: no callback. Wakes
    // the thread only if it would otherwise sleep too long.
    void set(TimePoint deadline);
    // After it returns, no callback runs. Do not call it from a callback.
    void stop();

   private:
    friend class SharedTimers;
    SharedTimers& timers_;
    std::function<void()> on_deadline_;
    TimePoint deadline_ = kNever;  // this and the next two: guarded by the owner's mutex
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
