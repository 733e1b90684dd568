// xbind-callgen overload: goodput at several times a rate, and the recovery afterwards.
#include "bench/search/overload.hpp"

#include <fmt/format.h>

#include "bench/commands/commands.hpp"
#include "bench/commands/mode.hpp"
#include "core/output.hpp"

namespace xbind::callgen {
namespace {

struct OverloadOptions {
  ModeOptions mode;
  ObjectiveOption objective;
  double within_ms = 0;
  double keep_percent = 0;
  double back_percent = 0;
  OverloadPlan plan;
  bool rate_given = false;
};

void declare(config::OptionSet& set, OverloadOptions& options) {
  OverloadPlan& plan = options.plan;
  declare_mode_options(set, options.mode, "overload",
                       {"calls", "duration", "erlangs", "ramp-to", "trace", "verify-media"});
  declare_objective(set, options.objective);
  set.add_double("within", &options.within_ms, 0, {0, 3.6e6},
                 "Milliseconds from a planned arrival in which a connected call is goodput; 0: the "
                 "strictest setup latency of --objective.");
  set.add_double("point-seconds", &plan.point_s, plan.point_s, {0.1, 3600},
                 "Seconds of load at each factor.");
  set.add_double("keep", &options.keep_percent, 100 * plan.keep, {1, 100},
                 "Per cent of the best goodput that is to be left under any overload.");
  set.add_double("back", &options.back_percent, 100 * plan.back, {1, 100},
                 "Per cent of the first goodput that is to be there again at 1x afterwards.");
  set.add_check([&set, &options, &plan]() -> std::optional<std::string> {
    options.rate_given = set.given("rate");
    plan.rate = options.mode.run.rate;
    plan.keep = options.keep_percent / 100;
    plan.back = options.back_percent / 100;
    const auto bound_us = setup_bound_us(options.objective.objectives);
    if (options.within_ms == 0 && !bound_us)
      return "option --objective names no setup latency below which a call is in time, and "
             "--within is not given";
    plan.bound_us = options.within_ms > 0 ? 1000 * options.within_ms : *bound_us;
    return std::nullopt;
  });
}

void tell(const ModeOptions& mode, const std::string& line) {
  if (mode.run.quiet) return;
  print_progress(line);
}

// Searches for 1x like saturate; an error when no rate is found.
Result<double> found_rate(const OverloadOptions& options, const RunFunction& run,
                          const StopFunction& stop) {
  const auto& objectives = options.objective.objectives;
  SearchPlan plan{.first_rate = options.mode.run.rate, .confirm_s = options.plan.point_s};
  plan.fewest = std::max<std::uint64_t>(100, samples_needed(objectives) * 11 / 10);
  const auto found =
      search(plan, options.mode.run, objectives, run, stop,
             [&options](const SearchPoint& point) { tell(options.mode, to_text(point)); });
  if (!found) return tl::make_unexpected(found.error());
  tell(options.mode, to_text(*found, objectives));
  if (found->rate <= 0 || found->end == SearchEnd::kStopped || found->end == SearchEnd::kLost)
    return fail(ErrorCode::kNotFound, "no rate was found for 1x ({}); give one with --rate",
                to_string(found->end));
  return found->rate;
}

int overload_command(int argc, char** argv) {
  OverloadOptions options;
  config::OptionSet set("xbind-callgen overload",
                        "Offers 1, 1.5, 2, 3 and 5 times --rate (default: the rate that saturate "
                        "finds), then 1x again, and reports how much is done in time.");
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  const ModeOptions& mode = options.mode;
  ModeSession session(argc, argv, mode.client);

  const StopFunction stop = ModeSession::stop;
  const RunFunction run = runs_of(mode, session.runtime(), stop);
  OverloadPlan& plan = options.plan;
  if (!options.rate_given) {
    const auto rate = found_rate(options, run, stop);
    if (!rate) return ModeSession::failed(rate.error());
    plan.rate = *rate;
  }
  const auto result = overload(plan, mode.run, run, stop,
                               [&mode](const OverloadPoint& point) { tell(mode, to_text(point)); });
  if (!result) return ModeSession::failed(result.error());
  print_output(to_text(*result, plan));
  const int failed = write_results(
      mode, "overload", to_json(*result, plan), [&] { return to_csv(*result); },
      [&] { return page_of(*result, plan); });
  return failed != 0 ? failed : result->exit_code();
}

}  // namespace

const Command kOverloadCommand{"overload", "Goodput at 1x to 5x of a rate, and the recovery.",
                               overload_command};

}  // namespace xbind::callgen
