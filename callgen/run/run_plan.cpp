#include "callgen/run/run_plan.hpp"

#include <fmt/format.h>

namespace xbind::callgen {
namespace {

std::string number(double value) { return fmt::format("{}", value); }
std::string seconds(Duration duration) {
  return number(std::chrono::duration<double>(duration).count());
}

void tell_arrivals(const RunPlan& plan, std::map<std::string, std::string>& manifest) {
  manifest["arrivals"] = to_string(plan.arrivals);
  switch (plan.arrivals) {
    case Arrivals::kPoisson:
    case Arrivals::kConstant: break;
    case Arrivals::kBurst:
      manifest["burst-on"] = number(plan.burst_on_s);
      manifest["burst-off"] = number(plan.burst_off_s);
      break;
    case Arrivals::kRamp:
      manifest["ramp-to"] = number(plan.ramp_to);
      manifest["ramp-seconds"] = number(plan.ramp_s);
      break;
    case Arrivals::kPhases: break;
    case Arrivals::kTrace: manifest["trace"] = plan.trace->file; return;
    case Arrivals::kOneAtATime:
      if (plan.closed_loop_ends != Duration::max())
        manifest["duration"] = seconds(plan.closed_loop_ends);
      return;
  }
  manifest["rate"] = number(plan.calls_per_s);
  const double peak = peak_rate(arrivals_of(plan));
  if (peak > mean_rate(arrivals_of(plan))) manifest["peak-rate"] = number(peak);
}

}  // namespace

ArrivalPlan arrivals_of(const RunPlan& plan) {
  std::shared_ptr<std::vector<RatePiece>> phases;
  if (!plan.phases.empty()) phases = std::make_shared<std::vector<RatePiece>>();
  for (const Phase& phase : plan.phases) phases->push_back(phase.rate);
  return {.arrivals = plan.arrivals,
          .calls_per_s = plan.calls_per_s,
          .burst_on_s = plan.burst_on_s,
          .burst_off_s = plan.burst_off_s,
          .ramp_to = plan.ramp_to,
          .ramp_s = plan.ramp_s,
          .trace = plan.trace,
          .phases = phases};
}

std::map<std::string, std::string> manifest_of(const RunPlan& plan) {
  std::map<std::string, std::string> manifest{
      {"seed", fmt::format("{}", plan.seed)},
      {"calls", fmt::format("{}", plan.calls)},
      {"hold", seconds(plan.hold_mean)},
      {"hold-distribution", std::string(to_string(plan.hold_distribution))},
  };
  if (plan.hold_distribution == HoldDistribution::kLognormal)
    manifest["hold-sigma"] = number(plan.hold_sigma);
  tell_arrivals(plan, manifest);
  if (!plan.mix.only_setups()) manifest["mix"] = to_string(plan.mix);
  if (!plan.priorities.only_zero()) manifest["priority"] = to_string(plan.priorities);
  if (plan.mix.has(Scenario::kModify))
    manifest["modify-cells-per-s"] = fmt::format("{}", plan.modified_service.cells_per_s);
  if (plan.mix.has(Scenario::kHold)) manifest["hold-ms"] = fmt::format("{}", plan.hold_ms);
  return manifest;
}

}  // namespace xbind::callgen
