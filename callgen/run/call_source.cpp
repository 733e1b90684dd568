#include "callgen/run/call_source.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/check.hpp"

namespace xbind::callgen {
namespace {

std::uint64_t seed_of(std::uint64_t seed, std::size_t phase) {
  return phase == 0 ? seed : splitmix64(seed ^ splitmix64(phase));
}

std::array<double, kClassesMax> weights_of(const std::vector<double>& classes) {
  std::array<double, kClassesMax> weights{};
  if (classes.empty()) weights[0] = 1;
  std::copy(classes.begin(), classes.end(), weights.begin());
  return weights;
}

}  // namespace

CallSource::CallSource(const RunPlan& plan, Workload workload)
    : plan_(plan),
      workload_(std::move(workload)),
      priorities_(plan.priorities.weights, bits_for(plan.seed, Stream::kPriority)) {
  const auto add = [this](const Phase& phase) {
    XB_CHECK(!phase.mix.has(Scenario::kLeaf) || workload_.of_phase(draws_.size()).has_leaves());
    const std::uint64_t seed = seed_of(plan_.seed, draws_.size());
    draws_.push_back({.holding = {phase.hold_distribution, phase.hold_mean, seed, phase.hold_sigma},
                      .scenarios = {phase.mix.weights, bits_for(seed, Stream::kScenario)},
                      .classes = {weights_of(phase.classes), bits_for(seed, Stream::kClasses)}});
  };
  if (plan.phases.empty()) {
    Phase whole;
    whole.hold_mean = plan.hold_mean;
    whole.hold_distribution = plan.hold_distribution;
    whole.hold_sigma = plan.hold_sigma;
    whole.mix = plan.mix;
    add(whole);
    return;
  }
  XB_CHECK(plan.phases.size() <= kPhasesMax && plan.classes.size() <= kClassesMax,
           plan.phases.size(), plan.classes.size());
  Duration end{};
  for (const Phase& phase : plan.phases) {
    add(phase);
    phase_ends_.push_back(end += phase.rate.length);
  }
  begin(0);
}

void CallSource::begin(std::size_t phase) {
  for (std::size_t i = 0; i < plan_.classes.size(); ++i) {
    Workload* const own = workload_.of_class(i);
    if (own != nullptr)
      own->restart(splitmix64(seed_of(plan_.seed, phase) ^ splitmix64(kPhasesMax + i)));
  }
}

// Planned starts never go back.
std::size_t CallSource::phase_at(Duration in_plan) {
  while (phase_ + 1 < phase_ends_.size() && in_plan >= phase_ends_[phase_]) begin(++phase_);
  return phase_;
}

NextCall CallSource::next(std::uint64_t index, Duration in_plan) {
  NextCall call;
  call.phase = static_cast<std::uint16_t>(phase_at(in_plan));
  Draws& draws = draws_[call.phase];
  Workload& workload = workload_.of_phase(call.phase);
  call.hold = draws.holding.next();
  call.ends = workload.next();
  call.scenario = static_cast<Scenario>(draws.scenarios.next());
  call.priority = static_cast<std::uint8_t>(priorities_.next());
  call.call_class = static_cast<std::uint16_t>(draws.classes.next());
  if (!plan_.classes.empty()) call.priority = plan_.classes[call.call_class].priority;
  if (Workload* const own = workload_.of_class(call.call_class)) call.ends = own->next();
  if (plan_.arrivals == Arrivals::kTrace) {
    const TraceCall& recorded = plan_.trace->calls[index];
    if (recorded.hold != TraceCall::kDrawn) call.hold = recorded.hold;
    if (plan_.trace->has_ends(index)) call.ends = plan_.trace->ends(index);
  }
  if (call.scenario == Scenario::kLeaf) call.leaf = workload.next_leaf(call.ends);
  return call;
}

}  // namespace xbind::callgen
