#include "callgen/options/scenario_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "callgen/load/load_limits.hpp"
#include "core/duration_numbers.hpp"

namespace xbind::callgen {
namespace {

using Refusal = std::optional<std::string>;

// What the file says, and no option besides.
constexpr std::array kOfTheFile{"rate",     "calls",   "duration",  "erlangs", "arrivals",
                                "burst-on", "ramp-to", "burst-off", "trace"};

Phase phase_of(const ScenarioPhase& read, const RunOptions& options) {
  Phase phase;
  phase.name = read.name;
  phase.rate = read.rate;
  phase.hold_mean = duration_of(read.hold.value_or(options.hold));
  phase.hold_distribution = read.hold_distribution.value_or(options.hold_distribution);
  phase.hold_sigma = read.hold_sigma.value_or(options.hold_sigma);
  phase.mix = read.mix.value_or(parse_mix(options.mix).value());
  phase.classes = read.classes;
  return phase;
}

Refusal wrong_events(const RunOptions& options, bool permitted) {
  if (options.scenario_file->events.empty() || permitted) return std::nullopt;
  const ScenarioEvent& first = options.scenario_file->events.front();
  return fmt::format("option --scenario: {}: event {} runs a command; --run-events permits it",
                     first.place, first.name);
}

Refusal wrong_phases(const RunOptions& options) {
  for (const ScenarioPhase& read : options.scenario_file->phases) {
    const Phase phase = phase_of(read, options);
    if (!HoldingTime::fits(phase.hold_distribution, phase.hold_mean, phase.hold_sigma))
      return fmt::format("option --scenario {}: phase {} can make calls of more than a year",
                         options.scenario, phase.name);
    if (options.media.verify && phase.mix.has(Scenario::kLeaf))
      return fmt::format(
          "options --verify-media and --scenario {} exclude each other: phase {} has leaves",
          options.scenario, phase.name);
  }
  return std::nullopt;
}

Refusal read_scenario(const config::OptionSet& set, RunOptions& options, bool permitted) {
  options.scenario_file = nullptr;
  if (options.scenario.empty()) {
    if (permitted) return "option --run-events needs --scenario, the file that has events";
    return std::nullopt;
  }
  for (const char* const name : kOfTheFile) {
    if (set.given(name))
      return fmt::format(
          "options --scenario and --{} exclude each other: the phases say when calls come", name);
  }
  auto file = load_scenario(options.scenario);
  if (!file) return fmt::format("option --scenario: {}", file.error().text);
  const bool classes = !file->classes.empty();
  for (const char* const name : {"priority", "cells-per-s", "buffer-cells", "frames-per-s",
                                 "frame-octets", "service-class"}) {
    if (classes && set.given(name))
      return fmt::format("options --scenario {} and --{} exclude each other: the classes say it",
                         options.scenario, name);
  }
  options.scenario_file = std::make_shared<const ScenarioFile>(std::move(*file));
  if (auto wrong = wrong_phases(options)) return wrong;
  if (auto wrong = wrong_events(options, permitted)) return wrong;
  RunPlan plan = plan_of(options);
  options.calls =
      calls_before(options.scenario_file->length(), arrivals_of(plan), options.seed, kCallsMax);
  if (options.calls == 0)
    return fmt::format("option --scenario {}: no call is planned before its end (seed {})",
                       options.scenario, options.seed);
  return std::nullopt;
}

}  // namespace

void declare_scenario_options(config::OptionSet& set, RunOptions& options) {
  set.add_string("scenario", &options.scenario, "",
                 "TOML file with phases, classes of calls, and commands to run at a time, instead "
                 "of --rate and --calls.");
  set.add_flag("run-events", &options.run_events,
               "Permit the commands of the events in --scenario.");
  set.add_check([&set, &options] { return read_scenario(set, options, options.run_events); });
}

std::vector<std::pair<std::size_t, MatrixSpec>> phase_matrices(const RunOptions& options) {
  std::vector<std::pair<std::size_t, MatrixSpec>> matrices;
  if (!options.scenario_file) return matrices;
  const auto& phases = options.scenario_file->phases;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (!phases[i].matrix) continue;
    MatrixSpec spec;
    spec.matrix = *phases[i].matrix;
    spec.hotspot = phases[i].hotspot;
    spec.hotspot_share = phases[i].hotspot_share;
    spec.repeat_pair = options.repeat_pair;
    spec.leaves = phase_of(phases[i], options).mix.has(Scenario::kLeaf);
    matrices.emplace_back(i, spec);
  }
  return matrices;
}

std::vector<std::pair<std::size_t, MatrixSpec>> class_matrices(const RunOptions& options) {
  std::vector<std::pair<std::size_t, MatrixSpec>> matrices;
  if (!options.scenario_file) return matrices;
  const auto& classes = options.scenario_file->classes;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i].callers.empty() && classes[i].callees.empty()) continue;
    MatrixSpec spec;
    spec.callers = classes[i].callers;
    spec.callees = classes[i].callees;
    spec.lists_place = fmt::format("{} class {}", options.scenario, classes[i].name);
    spec.repeat_pair = options.repeat_pair;
    matrices.emplace_back(i, std::move(spec));
  }
  return matrices;
}

void fill_scenario(const RunOptions& options, RunPlan& plan) {
  if (!options.scenario_file) return;
  plan.arrivals = Arrivals::kPhases;
  plan.offered_for = options.scenario_file->length();
  plan.classes = options.scenario_file->classes;
  plan.mix = ScenarioMix{{0, 0, 0, 0}};
  for (const ScenarioPhase& read : options.scenario_file->phases) {
    plan.phases.push_back(phase_of(read, options));
    for (std::size_t i = 0; i < kScenarios; ++i)
      plan.mix.weights[i] = std::max(plan.mix.weights[i], plan.phases.back().mix.weights[i]);
  }
  plan.calls_per_s = mean_rate(arrivals_of(plan));
}

}  // namespace xbind::callgen
