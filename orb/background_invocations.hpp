// Runs invocations that may block, on a connection or on a peer that does not read, and whose
// result no caller needs. They run one after another on a thread of their own, so that no step and
// no upcall blocks.
//
// Any thread may call it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace xbind::orb {

class BackgroundInvocations {
 public:
  static constexpr std::size_t kWaitingMax = 1'024;

  BackgroundInvocations() = default;
  // Waits for the invocation under way and discards the others.
  ~BackgroundInvocations();
  BackgroundInvocations(const BackgroundInvocations&) = delete;
  BackgroundInvocations& operator=(const BackgroundInvocations&) = delete;

  // Queues an invocation. When kWaitingMax invocations wait already, it is discarded with a
  // warning. The first call starts the thread.
  void post(std::function<void()> invocation);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace xbind::orb
