// The arrivals of a run while it goes on: the plan, and what the operator changes of it.
//
// Two clocks: the run's time, and the plan's time, which stands still while calls are held back. A
// pause therefore moves everything that is left of the plan, and leaves none of it out. A change of
// the rate replans the next call and all later ones; latency and slip count from the new plan.
//
// One thread at a time; no clock. Calls due by a moment are taken before the operator's wish of
// that moment is applied.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "callgen/load/pacer.hpp"
#include "callgen/run/run_plan.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

// What the operator changed, at which time of the run.
struct OfferChange {
  enum class What : std::uint8_t { kRate, kPause, kResume, kEnd };

  Duration at{};  // since the start of the run
  What what = What::kRate;
  // Calls a second before and after, 0 while calls are held back or none come any more; nullopt:
  // the arrivals have no rate.
  std::optional<double> from{};
  std::optional<double> to{};

  friend bool operator==(const OfferChange&, const OfferChange&) = default;
};
std::string_view to_string(OfferChange::What what);  // "rate", "pause", "resume", "end"

struct OfferView {
  Duration elapsed{};            // time of the run
  Duration plan{};               // time of the plan: without the pauses
  std::optional<double> rate{};  // calls a second now, of the plan when paused; nullopt: has none
  bool paused = false;
  bool over = false;          // no further call comes
  std::uint64_t offered = 0;  // calls so far
};

class Offer {
 public:
  static constexpr std::size_t kChangesMax = 1000;

  // The load's part of `plan` must have been checked.
  explicit Offer(const RunPlan& plan);

  // Time zero of the plan; plans the first call.
  void start(TimePoint now);

  // When the next call is due; kNever: it is held back, or none is planned.
  TimePoint due() const { return paused_at_ && next_ > *paused_at_ ? kNever : next_; }
  // Whether a call is planned, though it may be held back.
  bool pending() const { return next_ != kNever; }
  // Whether no further call will be planned.
  bool over() const { return over_; }
  // Number of the next call, from 0: that of the calls taken so far.
  std::uint64_t offered() const { return offered_; }
  // The next call's time in the plan.
  Duration next_in_plan() const { return next_in_plan_; }

  // The next call is sent or shed: plans the one after it.
  void take();
  // One at a time: the previous call is over.
  void previous_over(TimePoint now);
  // No further call: the run is stopped, or its target lost.
  void stop();

  // The operator's wishes. kBadInput, with the reason: there is no rate to change, it is out of
  // bounds, the state is the wanted one already, all calls are offered, or kChangesMax is reached.
  Result<void> change_rate(double calls_per_s, TimePoint now);
  Result<void> pause(TimePoint now);
  Result<void> resume(TimePoint now);
  // Offers no further call; calls that are up stay until their holding times end.
  Result<void> end(TimePoint now);

  OfferView view(TimePoint now) const;
  const std::vector<OfferChange>& changes() const { return changes_; }
  // Whether the operator ended the offer before the plan did.
  bool ended_early() const { return ended_early_; }
  // Calls of the plan as it is now; an expectation where it was cut short or is not over.
  std::uint64_t planned_calls() const { return planned_calls_; }

  // Calls a second that were asked for on average until then, and at most; nullopt: the plan's own.
  std::optional<double> asked_mean(TimePoint until) const;
  std::optional<double> asked_peak() const;
  // The time at which a load of the plan's base rate would have come as far as this one has at
  // `when`. Between independent arrivals these times are exponential, whatever the rate does.
  Duration at_base_rate(TimePoint when) const;

 private:
  Duration plan_time(TimePoint when) const;
  std::optional<double> rate(TimePoint now) const;
  Result<void> can_change(const char* what) const;
  void plan_next();
  void place(Duration in_plan);
  void finish();
  bool by_time() const;

  std::uint64_t calls_;  // the most that this run offers, by its plan
  Arrivals arrivals_;
  double base_rate_;
  Duration offered_for_;
  Duration closed_loop_ends_;
  Pacer pacer_;

  TimePoint started_at_;
  TimePoint next_ = kNever;
  Duration next_in_plan_{};
  std::uint64_t offered_ = 0;
  std::uint64_t planned_calls_;
  bool over_ = false;
  bool ended_early_ = false;
  bool rate_changed_ = false;
  Duration shift_{};  // sum of the pauses so far
  std::optional<TimePoint> paused_at_;
  std::vector<OfferChange> changes_;
};

}  // namespace xbind::callgen
