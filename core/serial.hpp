// Serial: runs the jobs of many threads one at a time. A thread that posts while no job runs
// becomes the runner and works until the queue is empty; other threads only queue their job and
// return. So an idle daemon handles a message on the thread that received it, without a wake-up. A
// busy daemon drains many messages before it sends anything, which gives fewer, larger batches.
//
// A job must not block and must not post a job and wait for it. The credits of the sessions whose
// upcalls post (core/session) bound the queue: no peer can have more than its window in it.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

namespace xbind {

class Serial {
 public:
  using Job = std::function<void()>;

  // Limits of a step that ends before the queue is empty.
  struct Step {
    // Ends the step after at least this many jobs, if more keep arriving. More jobs make fewer,
    // larger messages, and delay the first one.
    std::size_t jobs = 1;
    // Ends the step at once after this many items. Peers get work in the meantime, and a backlog
    // does not become one step.
    std::size_t items = std::numeric_limits<std::size_t>::max();
  };

  // Step::items of the daemons, in commands and outcomes: half a millisecond of work, during which
  // their peers would otherwise be idle.
  static constexpr std::size_t kItemsPerStep = 512;

  // `after_drain` ends a step. It runs on the runner, never beside a job; transmit there what the
  // jobs have produced. A step ends when the queue is empty, or at the limits of `step`.
  explicit Serial(Job after_drain) : Serial(std::move(after_drain), Step{}) {}
  Serial(Job after_drain, Step step) : after_drain_(std::move(after_drain)), step_(step) {}
  Serial(const Serial&) = delete;
  Serial& operator=(const Serial&) = delete;

  // Thread-safe. May run `job` and others before it returns, unless another thread is the runner.
  // `items`: the amount of work, in the owner's measure.
  void post(Job job, std::size_t items = 1) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back({std::move(job), items});
      if (running_) return;
      running_ = true;
    }
    run();
  }

 private:
  struct Entry {
    Job job;
    std::size_t items;
  };

  void run() {
    std::size_t jobs = 0;  // in this step
    std::size_t items = 0;
    for (;;) {
      if (at_ == taken_.size()) {
        taken_.clear();
        at_ = 0;
        const std::lock_guard lock(mutex_);
        if (queue_.empty() && jobs == 0) {
          running_ = false;
          return;
        }
        if (jobs < step_.jobs) taken_.swap(queue_);
      }
      if (at_ == taken_.size() || items >= step_.items) {
        jobs = items = 0;
        after_drain_();
        continue;
      }
      Entry& next = taken_[at_++];
      ++jobs;
      items += next.items;
      std::exchange(next.job, nullptr)();
    }
  }

  Job after_drain_;
  Step step_;
  // Used by the runner only: the jobs taken out of the queue, and how many of them have run.
  std::vector<Entry> taken_;
  std::size_t at_ = 0;
  std::mutex mutex_;
  std::vector<Entry> queue_;
  bool running_ = false;
};

}  // namespace xbind
