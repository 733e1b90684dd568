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
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

namespace xbind {

class Serial {
 public:
  using Job = std::function<void()>;

  // When a step ends although more jobs are there.
  struct Step {
    // While more keep coming, after at least so many jobs: more of them make fewer, larger messages, and
    // delay the first.
    std::size_t jobs = 1;
    // At once when so many items have been handled: peers have work to do in the meantime, and a backlog
    // does not become one step.
    std::size_t items = std::numeric_limits<std::size_t>::max();
  };

  // What the daemons take as Step::items, in commands and outcomes: half a millisecond's work, in which their peers
  // would have nothing to do.
  static constexpr std::size_t kItemsPerStep = 512;

  // `after_drain` ends a step: it runs on the runner, never beside a job, and is the place to transmit
  // what the jobs produced. A step ends when the queue is empty, or as `step` says.
  explicit Serial(Job after_drain) : Serial(std::move(after_drain), Step{}) {}
  Serial(Job after_drain, Step step) : after_drain_(std::move(after_drain)), step_(step) {}
  Serial(const Serial&) = delete;
  Serial& operator=(const Serial&) = delete;

  // Thread-safe. May run `job` and others before it returns, unless another thread is the runner. `items`:
  // how much work it is, in the owner's measure.
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
    std::size_t jobs = 0;  // of this step
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
  // The runner's: what it has taken out of the queue, and how many of these have run.
  std::vector<Entry> taken_;
  std::size_t at_ = 0;
  std::mutex mutex_;
  std::vector<Entry> queue_;
  bool running_ = false;
};

}  // namespace xbind
