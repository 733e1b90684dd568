#include "orb/name_keeper.hpp"

#include <chrono>
#include <utility>

#include "core/attaching.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "orb/timers.hpp"

namespace xbind::orb {
namespace {

// Used until all names are bound. The wait does not grow: clients must find a daemon as soon as it
// may be bound, also after a restart of the name service.
constexpr Attaching::Policy kBinding{
    .back_off = {kOrbTimers["bind-retry"], kOrbTimers["bind-retry"]}};
// Interval of the binding checks: how long a lost or taken name may stay unnoticed.
constexpr Duration kWatchPeriod = kOrbTimers["name-watch"];

}  // namespace

NameKeeper::NameKeeper(CORBA::ORB_ptr orb, const std::string& name_service,
                       std::vector<Binding> bindings, Callbacks callbacks)
    : names_(orb, name_service),
      holders_(names_),
      bindings_(std::move(bindings)),
      callbacks_(std::move(callbacks)),
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
    if (!holders_.is_ours(binding)) continue;
    // The name service may have ended already when a lab shuts down. Then there is nothing to
    // unbind, and one wait for it is enough.
    if (!names_.unbind(binding.path)) return;
  }
}

void NameKeeper::run() {
  bool ready_to_bind = false;
  bool all_bound = false;
  Attaching binding(kBinding);  // attached: all names are bound
  binding.begin(steady_now());
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const TimePoint now = steady_now();
    const auto attempt = binding.take(now);
    if (!attempt) {
      if (over_) {
        wake_.wait(lock);
      } else {
        wake_.wait_for(lock, binding.next_deadline() - now);
      }
      continue;
    }
    lock.unlock();
    ready_to_bind = ready_to_bind || !callbacks_.ready_to_bind || callbacks_.ready_to_bind();
    if (all_bound) watch();
    if (ready_to_bind && !over_) all_bound = bind_missing();
    if (over_) {
      binding.stop();
    } else if (all_bound) {
      binding.attached(*attempt, steady_now(), kWatchPeriod);
    } else {
      binding.failed(*attempt, steady_now());
    }
    lock.lock();
  }
}

bool NameKeeper::bind_missing() {
  for (std::size_t place = 0; place < bindings_.size(); ++place) {
    if (!bound_[place] && !bind(place)) return false;
  }
  log_.well("the name service at " + names_.service());
  return true;
}

bool NameKeeper::bind(std::size_t place) {
  const Binding& binding = bindings_[place];
  const auto fresh = names_.bind(binding.path, binding.object);
  if (!fresh) return failed(fresh.error().text);
  if (!*fresh) {
    const auto held = holders_.look(binding);
    if (!held) return failed(held.error().text);
    if (held->holder == Holder::kLiving) {
      taken(place, *held);
      return false;
    }
    if (held->holder != Holder::kOurs) {
      log::orb.info(
          "{} was bound to {}, which {}; taking it over", binding.path,
          held->address.empty() ? "an object" : held->address,
          held->holder == Holder::kOtherKind ? "is of another kind or name" : "does not answer");
      const auto over = names_.rebind(binding.path, binding.object);
      if (!over) return failed(over.error().text);
    }
  }
  bound(place);
  return true;
}

void NameKeeper::bound(std::size_t place) {
  log::orb.info("{} as {}", was_bound_[place] ? "bound again" : "bound", bindings_[place].path);
  bound_[place] = true;
  if (!was_bound_[place] && callbacks_.on_bound) callbacks_.on_bound(place);
  was_bound_[place] = true;
}

void NameKeeper::watch() {
  if (bindings_.empty()) return;
  watched_ = (watched_ + 1) % bindings_.size();
  holders_.clear_silent();
  const auto held = holders_.look(bindings_[watched_]);
  if (!held) {
    failed(held.error().text);
    bound_.assign(bindings_.size(), false);
    return;
  }
  switch (held->holder) {
    case Holder::kOurs: return;
    case Holder::kLiving: taken(watched_, *held); return;
    case Holder::kNobody: bound_.assign(bindings_.size(), false); return;
    case Holder::kSilent:
    case Holder::kOtherKind: bound_[watched_] = false; return;
  }
}

void NameKeeper::taken(std::size_t place, const Held& by) {
  over_ = true;
  if (callbacks_.on_name_taken) callbacks_.on_name_taken(bindings_[place], by, was_bound_[place]);
}

bool NameKeeper::failed(const std::string& problem) {
  log_.failed("the name service at " + names_.service(), problem);
  return false;
}

}  // namespace xbind::orb
