#include "orb/errands.hpp"

#include <utility>

#include "core/log.hpp"

namespace xbind::orb {

Errands::~Errands() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Errands::post(std::function<void()> errand) {
  const std::lock_guard lock(mutex_);
  if (stop_) return;
  if (waiting_.size() >= kWaitingMax) {
    log::warn("{} errands wait for peers that do not answer: one more is not done", kWaitingMax);
    return;
  }
  waiting_.push_back(std::move(errand));
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  wake_.notify_all();
}

void Errands::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    const std::function<void()> errand = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    errand();
    lock.lock();
  }
}

}  // namespace xbind::orb
