#include "orb/timer_thread.hpp"

#include <utility>

#include "core/steady_now.hpp"

namespace xbind::orb {

TimerThread::TimerThread(std::function<void()> on_deadline)
    : on_deadline_(std::move(on_deadline)), thread_([this] { run(); }) {}

TimerThread::~TimerThread() { stop(); }

void TimerThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void TimerThread::set(TimePoint deadline) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    deadline_ = deadline;
    wake = deadline < sleeping_until_;
  }
  if (wake) wake_.notify_all();
}

void TimerThread::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const TimePoint now = steady_now();
    if (deadline_ <= now) {
      deadline_ = kNever;
      lock.unlock();
      on_deadline_();
      lock.lock();
      continue;
    }
    sleeping_until_ = deadline_;
    if (deadline_ == kNever) {
      wake_.wait(lock);
    } else {
      wake_.wait_until(lock, std::chrono::steady_clock::time_point{deadline_.time_since_epoch()});
    }
    sleeping_until_ = TimePoint::min();
  }
}

}  // namespace xbind::orb
