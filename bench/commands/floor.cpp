// xbind-callgen floor: how fast the ORB, the sessions and the generator are with null servants.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/commands/commands.hpp"
#include "bench/floor/floor_run.hpp"
#include "bench/null/gathering_options.hpp"
#include "callgen/options/run_options.hpp"
#include "callgen/report/json_file.hpp"
#include "core/log.hpp"
#include "core/output.hpp"

namespace xbind::callgen {
namespace {

struct FloorOptions {
  null::GatheringOptions gathering;
  std::uint32_t switches = 0;
  std::uint32_t outstanding = 0;  // requests
  double seconds = 0;
  bool apart = false;
};

// Options of `run` that this command refuses, because they need a real network.
constexpr std::array kNeedManagers{
    "manager", "verify-media",      "endpoints",     "media-calls", "capture",
    "matrix",  "hotspot",           "hotspot-share", "demands",     "repeat-pair",
    "trace",   "progress-interval", "media-at-stop", "reattach"};

void declare(config::OptionSet& set, FloorOptions& options) {
  set.add_uint("switches", &options.switches, 3, {0, null::kMostSwitches},
               "Null switches that each request goes to; 0: the null manager answers by itself.");
  null::declare_gathering_options(set, options.gathering);
  set.add_uint("outstanding", &options.outstanding, 2048, {1, 100'000},
               "Without --rate: requests under way while the ceiling is sought.");
  set.add_double("seconds", &options.seconds, 3, {0.1, 600},
                 "Without --rate: how long the ceiling is measured.");
  set.add_flag("apart", &options.apart,
               "Bind the generator to the first processor and the null processes to the others.");
  set.add_check([&set]() -> std::optional<std::string> {
    for (const char* const name : kNeedManagers) {
      if (given_explicitly(set, name))
        return fmt::format("option --{} does not go with floor: null servants have nothing for it",
                           name);
    }
    const bool rate = set.given("rate");
    std::vector<const char*> of_the_load(kOfferedLoadOptions.begin(), kOfferedLoadOptions.end());
    of_the_load.push_back("warm-up");
    for (const char* const name : of_the_load) {
      if (!rate && given_explicitly(set, name))
        return fmt::format("option --{} needs --rate: without it the load is floor's own", name);
    }
    for (const char* const name : {"outstanding", "seconds"}) {
      if (rate && given_explicitly(set, name))
        return fmt::format("options --{} and --rate exclude each other: no ceiling is sought",
                           name);
    }
    return std::nullopt;
  });
}

null::FloorAsked asked_of(const FloorOptions& options, const RunOptions& run, bool at_rate) {
  null::FloorAsked asked;
  asked.setup = {options.gathering.gathering(), options.switches, options.apart, "127.0.0.1"};
  asked.plan = plan_of(run);
  asked.plan.managers = 1;
  if (!run.from.empty()) asked.from = run.from;
  if (!run.to.empty()) asked.to = run.to;
  if (at_rate) return asked;
  asked.plan = null::low_load(asked.plan);
  asked.ceiling = Duration{static_cast<Duration::rep>(options.seconds * 1e9)};
  asked.outstanding = options.outstanding;
  return asked;
}

int floor(int argc, char** argv) {
  RunOptions run;
  FloorOptions options;
  config::OptionSet set("xbind-callgen floor",
                        "Measures what the ORB alone can do: null servants, started by itself.");
  declare_run_options(set, run);
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-callgen", log::Level::kWarn);
  orb::Runtime runtime(argc, argv, {});

  const auto measured = null::measure_floor(asked_of(options, run, set.given("rate")), runtime);
  if (!measured) {
    std::fprintf(stderr, "xbind-callgen: %s\n", measured.error().text.c_str());
    return 1;
  }
  const RunReport& report = measured->report;
  if (!run.quiet) print_output(to_text(report));
  if (!run.json.empty()) {
    if (const auto written = write_file(run.json, to_json(report)); !written) {
      std::fprintf(stderr, "xbind-callgen: %s\n", written.error().text.c_str());
      return 1;
    }
  }
  const Verdict verdict = judge(report);
  if (run.quiet) {
    for (const std::string& reason : verdict.reasons) {
      std::fprintf(stderr, "xbind-callgen: %s\n", reason.c_str());
    }
  }
  return exit_code(verdict);
}

}  // namespace

const Command kFloor{"floor", "What the ORB alone can do: the same load through null servants.",
                     floor};

}  // namespace xbind::callgen
