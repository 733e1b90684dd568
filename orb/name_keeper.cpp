#include "orb/name_keeper.hpp"

#include <chrono>
#include <utility>

#include "core/log.hpp"

namespace xbind::orb {
namespace {

constexpr std::chrono::milliseconds kRetryPeriod{50};    // until bound
constexpr std::chrono::milliseconds kWatchPeriod{1000};  // afterwards

}  // namespace

NameKeeper::NameKeeper(CORBA::ORB_ptr orb, const std::string& name_service,
                       std::vector<Binding> bindings, std::function<bool()> may_bind,
                       std::function<void(std::size_t)> on_bound)
    : names_(orb, name_service),
      bindings_(std::move(bindings)),
      may_bind_(std::move(may_bind)),
      on_bound_(std::move(on_bound)),
      bound_(bindings_.size(), false),
      was_bound_(bindings_.size(), false),
      thread_([this] { run(); }) {}

NameKeeper::~NameKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
  for (const Binding& binding : bindings_) {
    if (!still_ours(binding)) continue;
    // The name service may be gone already when a lab goes down: then there is nothing to unbind, and one
    // wait for it is enough.
    if (const auto gone = names_.unbind(binding.path);
        !gone && gone.error().code == ErrorCode::kUnreachable) {
      return;
    }
  }
}

void NameKeeper::run() {
  bool may_bind = false;
  bool all_bound = false;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    lock.unlock();
    may_bind = may_bind || !may_bind_ || may_bind_();
    if (all_bound) watch();
    if (may_bind) all_bound = bind_missing();
    lock.lock();
    wake_.wait_for(lock, all_bound ? kWatchPeriod : kRetryPeriod, [this] { return stop_; });
  }
}

bool NameKeeper::bind_missing() {
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (bound_[i]) continue;
    const auto result = names_.bind(bindings_[i].path, bindings_[i].object);
    if (!result) {
      if (!told_absent_) log::warn("{}; trying on", result.error().text);
      told_absent_ = true;
      return false;
    }
    log::info("{} as {}", was_bound_[i] ? "bound again" : "bound", bindings_[i].path);
    bound_[i] = true;
    if (!was_bound_[i] && on_bound_) on_bound_(i);
    was_bound_[i] = true;
  }
  told_absent_ = false;
  return true;
}

void NameKeeper::watch() {
  if (bindings_.empty()) return;
  watched_ = (watched_ + 1) % bindings_.size();
  if (!still_ours(bindings_[watched_])) bound_.assign(bindings_.size(), false);
}

bool NameKeeper::still_ours(const Binding& binding) {
  const auto found = names_.resolve(binding.path);
  return found && !CORBA::is_nil(*found) && (*found)->_is_equivalent(binding.object);
}

}  // namespace xbind::orb
