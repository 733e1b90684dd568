// Serial: many threads hand in jobs, one at a time runs them. Whoever posts while nobody runs becomes
// the runner and works until the queue is empty; everybody else returns at once. So an idle daemon
// handles a message on the thread that received it (no wake-up), and a busy one drains many messages
// before it sends anything: fewer, larger batches.
//
// Jobs must not block and must not post-and-wait. The queue is bounded by the credits of the sessions
// whose upcalls post (core/session): no peer can have more than its window in here.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace xbind {

class Serial {
 public:
  using Job = std::function<void()>;

  // `after_drain` ends a step: it runs on the runner, never beside a job, and is the place to transmit
  // what the jobs produced. A step ends when the queue is empty, or, while more jobs keep coming, after
  // at least `jobs_per_step`: more of them make fewer, larger messages, and delay the first.
  explicit Serial(Job after_drain, std::size_t jobs_per_step = 1)
      : after_drain_(std::move(after_drain)), jobs_per_step_(jobs_per_step) {}
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
    std::size_t since_step = 0;
    for (;;) {
      bool empty = false;
      {
        const std::lock_guard lock(mutex_);
        empty = queue_.empty();
        if (empty && since_step == 0) {
          running_ = false;
          return;
        }
        if (!empty && since_step < jobs_per_step_) jobs.swap(queue_);
      }
      if (jobs.empty()) {
        since_step = 0;
        after_drain_();
        continue;
      }
      since_step += jobs.size();
      for (Job& job : jobs) job();
      jobs.clear();
    }
  }

  Job after_drain_;
  std::size_t jobs_per_step_;
  std::mutex mutex_;
  std::vector<Job> queue_;
  bool running_ = false;
};

}  // namespace xbind
