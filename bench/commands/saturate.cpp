// xbind-callgen saturate: the highest rate that keeps its objectives.
#include <fmt/format.h>

#include <algorithm>

#include "bench/commands/commands.hpp"
#include "bench/commands/mode.hpp"
#include "bench/floor/floor_run.hpp"
#include "bench/search/rate_search.hpp"
#include "callgen/report/floor_figures.hpp"
#include "core/output.hpp"

namespace xbind::callgen {
namespace {

struct SaturateOptions {
  ModeOptions mode;
  ObjectiveOption objective;
  std::string precision;
  std::string rates;
  std::uint64_t point_calls = 0;
  SearchPlan plan;
  null::FloorOfRun floor;
};

void declare(config::OptionSet& set, SaturateOptions& options) {
  SearchPlan& plan = options.plan;
  declare_mode_options(set, options.mode, "saturate",
                       {"calls", "duration", "erlangs", "ramp-to", "trace", "verify-media"});
  declare_objective(set, options.objective);
  options.floor.declare(set);
  set.add_string("rates", &options.rates, "",
                 "Calls a second that are tried first, ascending, as 20,50,100; none: --rate.");
  set.add_double("growth", &plan.growth, plan.growth, {1.01, 100},
                 "Factor from one rate to the next beyond these.");
  set.add_uint("point-calls", &options.point_calls, 100, {1, 1'000'000},
               "Fewest calls at each rate; more when a percentile needs them.");
  set.add_string("precision", &options.precision, "5%",
                 "How near the rate found and one that is broken are to be, 1% to 50%.");
  set.add_double("point-seconds", &plan.point_s, plan.point_s, {0.1, 3600},
                 "Seconds of load at each rate; longer when a percentile needs more calls.");
  set.add_double("confirm", &plan.confirm_s, plan.confirm_s, {0.1, 86'400},
                 "Seconds of load to confirm the rate found.");
  set.add_double("highest-rate", &plan.highest_rate, plan.highest_rate, {0.01, 1e6},
                 "Calls a second that are never exceeded.");
  set.add_double("lowest-rate", &plan.lowest_rate, plan.lowest_rate, {0.01, 1e6},
                 "Lowest rate of the search in calls a second.");
  set.add_uint("most-runs", &plan.most_runs, plan.most_runs, {3, 10'000},
               "Runs after which the search ends, wherever it is.");
  set.add_check([&set, &options, &plan]() -> std::optional<std::string> {
    const auto precision = fraction_of(options.precision);
    if (!precision || *precision < 0.01 || *precision > 0.5)
      return fmt::format("option --precision: '{}' is not 1% to 50%", options.precision);
    plan.precision = *precision;
    plan.first_rate = options.mode.run.rate;
    if (!options.rates.empty()) {
      if (set.given("rate")) return "option --rate does not go with --rates";
      auto rates = parse_rates(options.rates);
      if (!rates) return "option --rates: " + rates.error().text;
      plan.rates = std::move(*rates);
      plan.first_rate = plan.rates.front();
    }
    if (plan.lowest_rate > plan.first_rate || plan.first_rate > plan.highest_rate)
      return fmt::format("options --lowest-rate {}, --{} {} and --highest-rate {} are not in order",
                         plan.lowest_rate, options.rates.empty() ? "rate" : "rates",
                         plan.first_rate, plan.highest_rate);
    plan.fewest = std::max<std::uint64_t>(options.point_calls,
                                          samples_needed(options.objective.objectives) * 11 / 10);
    return std::nullopt;
  });
}

int exit_code_of(const SearchResult& result) {
  switch (result.end) {
    case SearchEnd::kFound:
    case SearchEnd::kHighestRate: return 0;
    case SearchEnd::kNoneKept:
    case SearchEnd::kNotConfirmed:
    case SearchEnd::kLost: return 1;
    case SearchEnd::kGenerator:
    case SearchEnd::kMostRuns: return 3;
    case SearchEnd::kStopped: return kInterruptedCode;
  }
  return 1;
}

std::string with_end(std::string text) { return text.empty() ? text : text + '\n'; }

int saturate(int argc, char** argv) {
  SaturateOptions options;
  config::OptionSet set("xbind-callgen saturate",
                        "Looks for the highest rate, from --rate on, that keeps its objectives.");
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  const ModeOptions& mode = options.mode;
  ModeSession session(argc, argv, mode.client);

  if (const auto measured = options.floor.before(mode.client, mode.run, session.runtime());
      !measured)
    return fail_with(measured.error());
  const auto& objectives = options.objective.objectives;
  auto result = search(options.plan, mode.run, objectives,
                       runs_of(mode, session.runtime(), ModeSession::stop), ModeSession::stop,
                       [&mode](const SearchPoint& point) {
                         if (mode.run.quiet) return;
                         print_progress(to_text(point));
                       });
  if (!result) return ModeSession::failed(result.error());
  print_output(to_text(*result, objectives));
  if (const SearchPoint* const best = result->best()) {
    RunReport& report =
        result->points[static_cast<std::size_t>(best - result->points.data())].report;
    if (const auto measured = options.floor.after(session.runtime(), report); !measured)
      return fail_with(measured.error());
    print_output(with_end(to_text(report.floor)));
  }
  const int failed = write_results(
      mode, "saturate", to_json(*result, objectives), [&] { return to_csv(*result); },
      [&] { return page_of(*result, objectives); });
  return failed != 0 ? failed : exit_code_of(*result);
}

}  // namespace

const Command kSaturate{"saturate", "The highest rate that keeps an objective.", saturate};

}  // namespace xbind::callgen
