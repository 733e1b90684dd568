// Threads that run jobs which may wait for a peer, so that the threads that serve browsers do not.
// Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace xbind::console {

class Workers {
 public:
  // At most `threads` jobs run and `jobs_max` wait or run at a time.
  Workers(std::size_t threads, std::size_t jobs_max);
  // Waits for the jobs that run; those that wait are dropped.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // false: there are `jobs_max` jobs already, and this one is not taken.
  bool run(std::function<void()> job);
  std::size_t jobs_max() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbind::console
