#include "orb/name_keeper.hpp"

#include <chrono>
#include <utility>

#include "core/log.hpp"

namespace xbind::orb {
namespace {

constexpr std::chrono::milliseconds kRetryPeriod{50};    // until bound
constexpr std::chrono::milliseconds kWatchPeriod{1000};  // afterwards

}  // namespace

NameKeeper::NameKeeper(CORBA::ORB_ptr orb, const std::string& name_service, std::string path,
                       CORBA::Object_ptr object, std::function<bool()> may_bind,
                       std::function<void()> on_bound)
    : names_(orb, name_service),
      path_(std::move(path)),
      object_(CORBA::Object::_duplicate(object)),
      may_bind_(std::move(may_bind)),
      on_bound_(std::move(on_bound)),
      thread_([this] { run(); }) {}

NameKeeper::~NameKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
  // The name service may be gone already when a lab goes down: then there is nothing to unbind.
  if (still_ours()) static_cast<void>(names_.unbind(path_));
}

void NameKeeper::run() {
  bool bound = false;
  bool told_absent = false;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    lock.unlock();
    if (bound ? !still_ours() : (!may_bind_ || may_bind_())) {
      const auto result = names_.bind(path_, object_);
      if (result) {
        log::info("{} as {}", told_absent || !bound ? "bound" : "bound again", path_);
        if (!bound && on_bound_) on_bound_();
        bound = true;
        told_absent = false;
      } else if (!told_absent) {
        log::warn("{}; trying on", result.error().text);
        told_absent = true;
      }
    }
    lock.lock();
    wake_.wait_for(lock, bound && !told_absent ? kWatchPeriod : kRetryPeriod,
                   [this] { return stop_; });
  }
}

bool NameKeeper::still_ours() {
  const auto found = names_.resolve(path_);
  return found && !CORBA::is_nil(*found) && (*found)->_is_equivalent(object_);
}

}  // namespace xbind::orb
