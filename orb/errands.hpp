// Invocations that may have to wait, for a connection or a peer that does not read, and that nobody waits
// for: done one after another on a thread of their own, so that no step and no upcall is held up.
//
// Any thread may call.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace xbind::orb {

class Errands {
 public:
  static constexpr std::size_t kWaitingMax = 1'024;

  Errands() = default;
  // Waits for the errand under way; those that wait are not done any more.
  ~Errands();
  Errands(const Errands&) = delete;
  Errands& operator=(const Errands&) = delete;

  // Done soon, and forgotten with a warning when kWaitingMax wait already. The thread begins with the first.
  void post(std::function<void()> errand);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace xbind::orb
