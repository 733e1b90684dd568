#include "callgen/run/offer.hpp"

#include <algorithm>
#include <cmath>

#include "callgen/load/load_limits.hpp"
#include "core/check.hpp"
#include "core/duration_numbers.hpp"

namespace xbind::callgen {

namespace {

// The rate that arrivals are compared with.
double base_rate_of(const RunPlan& plan) {
  const double mean = mean_rate(arrivals_of(plan));
  return mean > 0 ? mean : plan.calls_per_s;
}

}  // namespace

std::string_view to_string(OfferChange::What what) {
  switch (what) {
    case OfferChange::What::kRate: return "rate";
    case OfferChange::What::kPause: return "pause";
    case OfferChange::What::kResume: return "resume";
    case OfferChange::What::kEnd: return "end";
  }
  XB_CHECK(false);
}

Offer::Offer(const RunPlan& plan)
    : calls_(plan.calls),
      arrivals_(plan.arrivals),
      base_rate_(base_rate_of(plan)),
      offered_for_(plan.offered_for),
      closed_loop_ends_(plan.closed_loop_ends),
      pacer_(arrivals_of(plan), plan.seed),
      planned_calls_(plan.calls) {}

void Offer::start(TimePoint now) {
  started_at_ = now;
  plan_next();
}

// ===== the next call ============================================================================

// With another rate the number of calls is another one too, unless a number was asked for.
bool Offer::by_time() const { return rate_changed_ && offered_for_ != Duration::max(); }

void Offer::place(Duration in_plan) {
  next_in_plan_ = in_plan;
  next_ = started_at_ + in_plan + shift_;
  if (!by_time()) return;
  if (in_plan < offered_for_ && offered_ < kCallsMax) return;
  planned_calls_ = offered_;
  finish();
}

void Offer::finish() {
  over_ = true;
  next_ = kNever;
}

void Offer::plan_next() {
  if (over_) return;
  if (!by_time() && offered_ == calls_) {
    finish();
  } else if (arrivals_ != Arrivals::kOneAtATime) {
    place(pacer_.next_start());
  } else {
    // previous_over() plans all but the first.
    next_ = offered_ == 0 ? started_at_ : kNever;
  }
}

void Offer::take() {
  ++offered_;
  plan_next();
}

void Offer::previous_over(TimePoint now) {
  if (arrivals_ != Arrivals::kOneAtATime || over_) return;
  if (plan_time(now) < closed_loop_ends_) {
    next_ = now;
    next_in_plan_ = plan_time(now);
    return;
  }
  planned_calls_ = offered_;
  finish();
}

void Offer::stop() {
  if (over_) return;
  const RateCurve* const rates = pacer_.rates();
  if (by_time() && rates != nullptr) {
    const double rest = rates->calls_until(offered_for_) - rates->calls_until(next_in_plan_);
    planned_calls_ = offered_ + static_cast<std::uint64_t>(std::llround(std::max(0.0, rest)));
  }
  finish();
}

// ===== the operator's wishes ====================================================================

Duration Offer::plan_time(TimePoint when) const {
  const TimePoint until = paused_at_ ? std::min(when, *paused_at_) : when;
  return std::max(Duration::zero(), until - started_at_ - shift_);
}

std::optional<double> Offer::rate(TimePoint now) const {
  if (!pacer_.has_rate()) return std::nullopt;
  return over_ ? 0 : pacer_.rate_at(plan_time(now));
}

Result<void> Offer::can_change(const char* what) const {
  if (over_)
    return fail(ErrorCode::kBadInput, "{}: all {} calls of the plan are offered", what, offered_);
  if (changes_.size() >= kChangesMax)
    return fail(ErrorCode::kBadInput,
                "{}: the run was changed {} times already, at most {} are "
                "kept",
                what, changes_.size(), kChangesMax);
  return {};
}

Result<void> Offer::change_rate(double calls_per_s, TimePoint now) {
  if (!pacer_.has_rate())
    return fail(ErrorCode::kBadInput, "rate {:.6g}: calls of --arrivals {} have no rate to change",
                calls_per_s, to_string(arrivals_));
  if (!(calls_per_s >= kRateMin && calls_per_s <= kRateMax))
    return fail(ErrorCode::kBadInput,
                "rate {:.6g}: {} to {:.0f} calls a second are taken; pause "
                "holds them back",
                calls_per_s, kRateMin, kRateMax);
  if (const auto possible = can_change("rate"); !possible) return possible;
  const OfferChange change{.at = now - started_at_,
                           .what = OfferChange::What::kRate,
                           .from = rate(now),
                           .to = calls_per_s};
  rate_changed_ = true;
  place(pacer_.change_rate(plan_time(now), calls_per_s));
  changes_.push_back(change);
  return {};
}

Result<void> Offer::pause(TimePoint now) {
  if (paused_at_) return fail(ErrorCode::kBadInput, "pause: calls are held back already");
  if (const auto possible = can_change("pause"); !possible) return possible;
  OfferChange change{.at = now - started_at_, .what = OfferChange::What::kPause, .from = rate(now)};
  if (change.from) change.to = 0;
  paused_at_ = now;
  changes_.push_back(change);
  return {};
}

Result<void> Offer::resume(TimePoint now) {
  if (!paused_at_) return fail(ErrorCode::kBadInput, "resume: no calls are held back");
  if (const auto possible = can_change("resume"); !possible) return possible;
  const Duration pause = now - *paused_at_;
  if (next_ != kNever && next_ > *paused_at_)
    next_ = arrivals_ == Arrivals::kOneAtATime ? now : next_ + pause;
  shift_ += pause;
  paused_at_.reset();
  OfferChange change{.at = now - started_at_, .what = OfferChange::What::kResume, .to = rate(now)};
  if (change.to) change.from = 0;
  changes_.push_back(change);
  return {};
}

Result<void> Offer::end(TimePoint now) {
  if (over_)
    return fail(ErrorCode::kBadInput, "end: all {} calls of the plan are offered", offered_);
  OfferChange change{.at = now - started_at_, .what = OfferChange::What::kEnd, .from = rate(now)};
  if (change.from) change.to = 0;
  if (paused_at_ && change.from) change.from = 0;
  if (changes_.size() < kChangesMax + 1) changes_.push_back(change);
  ended_early_ = true;
  stop();
  return {};
}

OfferView Offer::view(TimePoint now) const {
  return {.elapsed = now - started_at_,
          .plan = plan_time(now),
          .rate = rate(now),
          .paused = paused_at_.has_value() && !over_,
          .over = over_,
          .offered = offered_};
}

// ===== what was asked for =======================================================================

std::optional<double> Offer::asked_mean(TimePoint until) const {
  const double elapsed_s = in_seconds(until - started_at_);
  const RateCurve* const rates = pacer_.rates();
  const bool as_planned = rates == nullptr && shift_ == Duration::zero();
  if (!pacer_.has_rate() || as_planned || elapsed_s <= 0) return std::nullopt;
  const double calls = rates != nullptr ? rates->calls_until(plan_time(until))
                                        : base_rate_ * in_seconds(plan_time(until));
  // A ramp that was paused but not changed has no plan of rates; its own mean is that of the run.
  if (rates == nullptr && arrivals_ == Arrivals::kRamp) return std::nullopt;
  return calls / elapsed_s;
}

std::optional<double> Offer::asked_peak() const {
  const RateCurve* const rates = pacer_.rates();
  return rates == nullptr ? std::nullopt : std::optional{rates->peak()};
}

Duration Offer::at_base_rate(TimePoint when) const {
  const RateCurve* const rates = pacer_.rates();
  const Duration in_plan = plan_time(when);
  return rates == nullptr ? in_plan : duration_of(rates->calls_until(in_plan) / base_rate_);
}

}  // namespace xbind::callgen
