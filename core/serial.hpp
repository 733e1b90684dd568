// Serial: many threads hand in jobs, one at a time runs them. Whoever posts while nobody runs becomes
// the runner and works until the queue is empty; everybody else returns at once. So an idle daemon
// handles a message on the thread that received it (no wake-up), and a busy one drains many messages
// before it sends anything: fewer, larger batches.
//
// Jobs must not block and must not post-and-wait. The queue is bounded by the credits of the sessions
// whose upcalls post (core/session): no peer can have more than its window in here.
#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace xbind {

class Serial {
 public:
  using Job = std::function<void()>;

  // `after_drain` runs after each emptying of the queue, on the runner, never beside a job: the place
  // to transmit what the jobs produced.
  explicit Serial(Job after_drain) : after_drain_(std::move(after_drain)) {}
  Serial(const Serial&) = delete;
  Serial& operator=(const Serial&) = delete;

  // Thread-safe. May run `job` and others before it returns, unless another thread is the runner.
  void post(Job job) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(job));
      if (running_) return;
      running_ = true;
    }
    run();
  }

 private:
  void run() {
    std::vector<Job> jobs;
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        if (queue_.empty()) {
          running_ = false;
          return;
        }
        jobs.swap(queue_);
      }
      for (Job& job : jobs) job();
      jobs.clear();
      after_drain_();
    }
  }

  Job after_drain_;
  std::mutex mutex_;
  std::vector<Job> queue_;
  bool running_ = false;
};

}  // namespace xbind
