#include "callgen/load/pacer.hpp"

#include "core/duration_numbers.hpp"

namespace xbind::callgen {
namespace {

// The rate over time of arrivals that have one.
RateCurve rates_of(const ArrivalPlan& plan) {
  if (plan.arrivals == Arrivals::kPhases) return RateCurve(*plan.phases);
  if (plan.arrivals == Arrivals::kRamp)
    return RateCurve(
        {{.length = duration_of(plan.ramp_s), .from = plan.calls_per_s, .to = plan.ramp_to},
         {.length = RatePiece::kForever, .from = plan.ramp_to, .to = plan.ramp_to}});
  return RateCurve({{.length = RatePiece::kForever,
                     .from = plan.calls_per_s,
                     .to = plan.calls_per_s,
                     .even = plan.arrivals == Arrivals::kConstant}});
}

double length_s(const std::vector<RatePiece>& pieces) {
  double sum = 0;
  for (const RatePiece& piece : pieces) sum += in_seconds(piece.length);
  return sum;
}

}  // namespace

std::string_view to_string(Arrivals arrivals) {
  switch (arrivals) {
    case Arrivals::kPoisson: return "poisson";
    case Arrivals::kConstant: return "constant";
    case Arrivals::kBurst: return "burst";
    case Arrivals::kRamp: return "ramp";
    case Arrivals::kTrace: return "trace";
    case Arrivals::kOneAtATime: return "one-at-a-time";
    case Arrivals::kPhases: return "phases";
  }
  XB_CHECK(false);
}

double peak_rate(const ArrivalPlan& plan) {
  switch (plan.arrivals) {
    case Arrivals::kPoisson:
    case Arrivals::kConstant: return plan.calls_per_s;
    case Arrivals::kBurst:
      return plan.calls_per_s * (plan.burst_on_s + plan.burst_off_s) / plan.burst_on_s;
    case Arrivals::kRamp: return std::max(plan.calls_per_s, plan.ramp_to);
    case Arrivals::kPhases: return rates_of(plan).peak();
    case Arrivals::kTrace:
    case Arrivals::kOneAtATime: return 0;
  }
  XB_CHECK(false);
}

double mean_rate(const ArrivalPlan& plan) {
  switch (plan.arrivals) {
    case Arrivals::kPoisson:
    case Arrivals::kConstant:
    case Arrivals::kBurst: return plan.calls_per_s;
    case Arrivals::kRamp: return (plan.calls_per_s + plan.ramp_to) / 2;
    case Arrivals::kTrace: {
      const double last_s = std::chrono::duration<double>(plan.trace->calls.back().start).count();
      return last_s > 0 ? static_cast<double>(plan.trace->calls.size()) / last_s : 0;
    }
    case Arrivals::kPhases: {
      const double length = length_s(*plan.phases);
      return rates_of(plan).calls_until(duration_of(length)) / length;
    }
    case Arrivals::kOneAtATime: return 0;
  }
  XB_CHECK(false);
}

double dispersion(const ArrivalPlan& plan) {
  switch (plan.arrivals) {
    case Arrivals::kPoisson:
    case Arrivals::kRamp:
    case Arrivals::kPhases: return 1;
    case Arrivals::kBurst: {
      // Of an interrupted Poisson process of rate p while on, whose on times end at rate a and off
      // times at rate b: 1 + 2 p a / (a + b)^2.
      const double a = 1 / plan.burst_on_s;
      const double b = 1 / plan.burst_off_s;
      return 1 + 2 * peak_rate(plan) * a / ((a + b) * (a + b));
    }
    case Arrivals::kConstant:
    case Arrivals::kTrace:
    case Arrivals::kOneAtATime: return 0;
  }
  XB_CHECK(false);
}

std::optional<double> gap_variation(const ArrivalPlan& plan) {
  switch (plan.arrivals) {
    case Arrivals::kPoisson: return 1;
    case Arrivals::kConstant: return 0;
    // After each call the rest of the on time is again exponential, so the gaps are independent.
    // The square of their variation is therefore the dispersion of the counts.
    case Arrivals::kBurst: return std::sqrt(dispersion(plan));
    case Arrivals::kRamp:
    case Arrivals::kPhases:
    case Arrivals::kTrace:
    case Arrivals::kOneAtATime: return std::nullopt;
  }
  XB_CHECK(false);
}

Pacer::Pacer(Arrivals arrivals, double calls_per_s, std::uint64_t seed)
    : Pacer(ArrivalPlan{.arrivals = arrivals, .calls_per_s = calls_per_s}, seed) {}

Pacer::Pacer(const ArrivalPlan& plan, std::uint64_t seed)
    : plan_(plan),
      gap_ns_(1e9 / plan.calls_per_s),
      bits_(bits_for(seed, Stream::kArrivals)),
      burst_bits_(bits_for(seed, Stream::kBursts)) {
  XB_CHECK(plan.calls_per_s > 0 && std::isfinite(gap_ns_), plan.calls_per_s);
  if (plan.arrivals == Arrivals::kTrace) XB_CHECK(plan.trace && !plan.trace->calls.empty());
  if (plan.arrivals == Arrivals::kRamp)
    XB_CHECK(plan.ramp_to > 0 && plan.ramp_s > 0, plan.ramp_to, plan.ramp_s);
  if (plan.arrivals == Arrivals::kPhases) rates_ = rates_of(plan);
  if (plan.arrivals != Arrivals::kBurst) return;
  XB_CHECK(plan.burst_on_s > 0 && plan.burst_off_s > 0, plan.burst_on_s, plan.burst_off_s);
  gap_ns_ = 1e9 / peak_rate(plan);
  // The rest of an on or off time is as long as a whole one, because it is exponential.
  const bool on =
      unit_interval(burst_bits_) * (plan.burst_on_s + plan.burst_off_s) <= plan.burst_on_s;
  if (!on) due_ = limited(exponential(burst_bits_, plan.burst_off_s * 1e9));
  on_left_ = limited(exponential(burst_bits_, plan.burst_on_s * 1e9));
}

// Gaps pass during on times only; an off time is inserted wherever an on time ends.
Duration Pacer::next_of_bursts() {
  Duration gap = limited(exponential(bits_, gap_ns_));
  Duration due = due_;
  while (gap > on_left_ && due < kEndOfTime) {
    gap -= on_left_;
    due += on_left_ + limited(exponential(burst_bits_, plan_.burst_off_s * 1e9));
    on_left_ = limited(exponential(burst_bits_, plan_.burst_on_s * 1e9));
  }
  on_left_ -= std::min(gap, on_left_);
  return std::min(kEndOfTime, due + gap);
}

// Call k comes when the integral of the rate reaches event k of a Poisson process of rate 1: exact,
// without thinning. The integral is r t + (s - r) t^2 / (2 l) for a ramp from r to s of length l.
Duration Pacer::next_of_ramp() {
  events_ += exponential(bits_, 1);
  const double from = plan_.calls_per_s;
  const double to = plan_.ramp_to;
  const double on_the_ramp = (from + to) / 2 * plan_.ramp_s;
  if (events_ >= on_the_ramp) return limited(1e9 * (plan_.ramp_s + (events_ - on_the_ramp) / to));
  const double slope = (to - from) / plan_.ramp_s;
  // The root of the quadratic, in the form that loses no digits when the slope is small or
  // negative. The radicand is the square of the present rate, which is negative only by rounding.
  const double rate = std::sqrt(std::max(0.0, from * from + 2 * slope * events_));
  return std::max(due_, limited(1e9 * 2 * events_ / (from + rate)));
}

Duration Pacer::next_of_trace() const {
  return calls_ <= plan_.trace->calls.size() ? plan_.trace->calls[calls_ - 1].start : kEndOfTime;
}

Duration Pacer::start_of(const RateCurve& rates, double events) {
  return std::min(kEndOfTime, rates.time_of(events));
}

Duration Pacer::next_of_rates() {
  events_ += rates_->even_at(due_) ? 1 : exponential(bits_, 1);
  return std::max(due_, start_of(*rates_, events_));
}

double Pacer::rate_at(Duration when) const {
  XB_CHECK(has_rate());
  return rates_ ? rates_->rate_at(when) : rates_of(plan_).rate_at(when);
}

Duration Pacer::change_rate(Duration when, double calls_per_s) {
  XB_CHECK(has_rate());
  if (!rates_) {
    rates_ = rates_of(plan_);
    events_ = rates_->calls_until(due_);
  }
  const bool passed = due_ <= when;
  rates_->change(when, calls_per_s);
  if (!passed) due_ = std::max(when, start_of(*rates_, events_));
  return due_;
}

std::uint64_t calls_before(Duration end, const ArrivalPlan& plan, std::uint64_t seed,
                           std::uint64_t most) {
  Pacer pacer(plan, seed);
  std::uint64_t calls = 0;
  while (calls < most && pacer.next_start() < end) ++calls;
  return calls;
}

}  // namespace xbind::callgen
