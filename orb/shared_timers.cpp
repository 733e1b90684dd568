#include "orb/shared_timers.hpp"

#include <algorithm>
#include <utility>

#include "core/steady_now.hpp"

namespace xbind::orb {

SharedTimers::Timer::Timer(SharedTimers& timers, std::function<void()> on_deadline)
    : timers_(timers), on_deadline_(std::move(on_deadline)) {
  const std::lock_guard lock(timers_.mutex_);
  timers_.timers_.push_back(this);
}

SharedTimers::Timer::~Timer() {
  stop();
  const std::lock_guard lock(timers_.mutex_);
  std::erase(timers_.timers_, this);
}

void SharedTimers::Timer::set(TimePoint deadline) {
  bool wake = false;
  {
    const std::lock_guard lock(timers_.mutex_);
    if (stopped_) return;
    deadline_ = deadline;
    wake = deadline < timers_.sleeping_until_;
  }
  if (wake) timers_.wake_.notify_all();
}

void SharedTimers::Timer::stop() {
  std::unique_lock lock(timers_.mutex_);
  stopped_ = true;
  deadline_ = kNever;
  timers_.done_.wait(lock, [this] { return !running_; });
}

SharedTimers::SharedTimers() : thread_([this] { run(); }) {}

SharedTimers::~SharedTimers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

SharedTimers::Timer* SharedTimers::earliest() const {
  const auto found = std::ranges::min_element(timers_, {}, &Timer::deadline_);
  return found == timers_.end() || (*found)->deadline_ == kNever ? nullptr : *found;
}

void SharedTimers::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    Timer* const next = earliest();
    if (next != nullptr && next->deadline_ <= steady_now()) {
      next->deadline_ = kNever;
      next->running_ = true;
      lock.unlock();
      next->on_deadline_();
      lock.lock();
      next->running_ = false;
      done_.notify_all();
      continue;
    }
    sleeping_until_ = next == nullptr ? kNever : next->deadline_;
    if (next == nullptr) {
      wake_.wait(lock);
    } else {
      wake_.wait_until(lock,
                       std::chrono::steady_clock::time_point{next->deadline_.time_since_epoch()});
    }
    sleeping_until_ = TimePoint::min();
  }
}

}  // namespace xbind::orb
