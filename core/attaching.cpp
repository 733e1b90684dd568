#include "core/attaching.hpp"

#include <utility>

#include "core/check.hpp"
#include "core/planted.hpp"

namespace xbind {
namespace {

TimePoint later(TimePoint now, Duration wait) {
  return wait == Attaching::kUnbounded ? kNever : now + wait;
}

}  // namespace

Attaching::Attaching(const Policy& policy) : policy_(policy), back_off_(policy.back_off) {
  XB_CHECK(policy.answer_within > Duration::zero(), policy.answer_within.count());
}

void Attaching::begin(TimePoint now) {
  if (state_ == State::kAttempting) {
    begin_again_ = true;
    return;
  }
  state_ = State::kWaiting;
  due_ = now;
}

void Attaching::stop() {
  state_ = State::kIdle;
  due_ = kNever;
  begin_again_ = false;
  back_off_.reset();
}

std::optional<Attaching::Attempt> Attaching::take(TimePoint now) {
  const bool may_begin = state_ == State::kWaiting || state_ == State::kAttached;
  if (!may_begin || due_ > now) return std::nullopt;
  state_ = State::kAttempting;
  due_ = later(now, policy_.answer_within);
  return ++attempt_;
}

bool Attaching::awaits(Attempt attempt) const {
  return state_ == State::kAttempting && attempt == attempt_;
}

std::optional<Attaching::Attempt> Attaching::overdue(TimePoint now) const {
  if (state_ != State::kAttempting || due_ > now) return std::nullopt;
  return attempt_;
}

bool Attaching::attached(Attempt attempt, TimePoint now) {
  if (!awaits(attempt)) return false;
  answered(now, kNever);
  return true;
}

bool Attaching::attached(Attempt attempt, TimePoint now, Duration refresh) {
  if (!awaits(attempt)) return false;
  back_off_.reset();
  answered(now, later(now, refresh));
  return true;
}

void Attaching::answered(TimePoint now, TimePoint next) {
  state_ = State::kAttached;
  attached_at_ = now;
  due_ = std::exchange(begin_again_, false) ? now : next;
}

bool Attaching::failed(Attempt attempt, TimePoint now, double jitter) {
  if (!awaits(attempt)) return false;
  begin_again_ = false;
  if (planted(Bug::kNoSecondAttempt)) {
    stop();
    return true;
  }
  wait(now, jitter);
  return true;
}

void Attaching::lost(TimePoint now, double jitter) {
  if (state_ != State::kAttached) return;
  const bool lasted = now - attached_at_ >= policy_.back_off.max;
  if (lasted) back_off_.reset();
  if (lasted && policy_.at_once_after_loss) {
    begin(now);
  } else {
    wait(now, jitter);
  }
}

void Attaching::wait(TimePoint now, double jitter) {
  state_ = State::kWaiting;
  due_ = now + back_off_.next(jitter);
}

std::string_view to_string(Attaching::State state) {
  switch (state) {
    case Attaching::State::kIdle: return "idle";
    case Attaching::State::kWaiting: return "waiting";
    case Attaching::State::kAttempting: return "attempting";
    case Attaching::State::kAttached: return "attached";
  }
  return "?";
}

}  // namespace xbind
