#include "orb/background_invocations.hpp"

#include <utility>

#include "core/log.hpp"

namespace xbind::orb {

BackgroundInvocations::~BackgroundInvocations() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BackgroundInvocations::post(std::function<void()> invocation) {
  const std::lock_guard lock(mutex_);
  if (stop_) return;
  if (waiting_.size() >= kWaitingMax) {
    log::warn("{} background invocations wait for peers that do not answer; discarding another one",
              kWaitingMax);
    return;
  }
  waiting_.push_back(std::move(invocation));
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  wake_.notify_all();
}

void BackgroundInvocations::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    const std::function<void()> invocation = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    invocation();
    lock.lock();
  }
}

}  // namespace xbind::orb
