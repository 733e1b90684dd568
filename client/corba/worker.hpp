// One thread that runs jobs in FIFO order. Jobs may block. The owner bounds the queue: it checks
// waiting() before it posts.
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

  // Any thread. After finish() has returned, jobs are dropped.
  void post(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    wake_.notify_one();
  }
  // Number of jobs that have not begun.
  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return jobs_.size();
  }
  // Runs all queued jobs, also those that they post, and ends the thread. Do not call it from a
  // job.
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
      job = nullptr;  // destroyed without the lock: its captures may run code
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
