#include "bench/commands/run_judging.hpp"

#include <fmt/format.h>

#include <utility>

#include "bench/search/generators.hpp"

namespace xbind::callgen {

void declare_judging_options(config::OptionSet& set, JudgingOptions& options,
                             const RunOptions& run) {
  set.add_strings("assert", &options.asserted,
                  "Objectives, as p99<5ms, p50(release)<=800us, slip.p99<1ms, fail<0.1%, "
                  "unanswered=0, rate>950; the exit code is 1 when one is not kept. Where none "
                  "bounds the calls that are not connected, fail<=1% is added, except with "
                  "--expect-refusals.");
  set.add_uint("generators", &options.generators, 1, {1, kMostGenerators},
               "Processes that share the load of poisson or constant arrivals.");
  set.add_flag("expect-refusals", &options.expect_refusals,
               "Accept a run in which no call is connected; without it such a run has failed.");
  set.add_check([&options]() -> std::optional<std::string> {
    auto objectives = parse_objectives(options.asserted);
    if (!objectives) return "option --assert: " + objectives.error().text;
    options.objectives = std::move(*objectives);
    return std::nullopt;
  });
  set.add_check([&set, &options, &run]() -> std::optional<std::string> {
    if (options.generators > 1 && set.given("records"))
      return fmt::format(
          "options --generators {} and --records exclude each other: only a single generator "
          "writes records",
          options.generators);
    return cannot_share(run, options.generators);
  });
}

void hold_against(const JudgingOptions& options, RunReport& report) {
  const bool bounded = options.objectives.empty() || options.expect_refusals;
  const auto objectives = bounded ? options.objectives : with_refusal_bound(options.objectives);
  for (const Judged& judged : judge(objectives, report))
    report.assertions.push_back(
        {judged.objective.text, judged.kept, measured_text(judged), judged.objective.by_default});
  report.expect_refusals = options.expect_refusals;
}

}  // namespace xbind::callgen
