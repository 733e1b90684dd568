// One thread that runs jobs in the order in which they come. Jobs may block: that is what it is for.
// The queue's bound is the owner's, who asks waiting() before it posts.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace xbind::client {

class Worker {
 public:
  Worker() : thread_([this] { run(); }) {}
  ~Worker() { finish(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Any thread. After finish() has returned jobs are dropped.
  void post(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    wake_.notify_one();
  }
  // Jobs that have not begun.
  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return jobs_.size();
  }
  // Runs everything that waits, what these jobs post as well, and ends the thread. Not from a job.
  void finish() {
    {
      const std::lock_guard lock(mutex_);
      finish_ = true;
      wake_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return finish_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      job = nullptr;  // what it holds may do something when it goes
      lock.lock();
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool finish_ = false;
  std::thread thread_;
};

}  // namespace xbind::client
