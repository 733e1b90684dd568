#include "callgen/options/load_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "callgen/load/demand_file.hpp"
#include "callgen/options/load_checks.hpp"
#include "core/config/service_options.hpp"
#include "core/duration_numbers.hpp"

namespace xbind::callgen {
namespace {

void declare_arrivals(config::OptionSet& set, LoadOptions& options) {
  const RunPlan plan;  // holds the defaults
  set.add_uint("calls", &options.calls, plan.calls, {1, kCallsMax}, "Calls to offer.");
  set.add_double("duration", &options.duration, 0, {0, kLongestArrivals_s},
                 "Seconds to offer calls for, instead of --calls: those planned before its end.");
  set.add_double("rate", &options.rate, plan.calls_per_s, {kRateMin, kRateMax},
                 "Calls to offer a second, on average; of a ramp, at its beginning.");
  set.add_double("hold", &options.hold, in_seconds(plan.hold_mean), {0, kHoldMax_s},
                 "Seconds from the moment a call is connected to its release, on average.");
  set.add_double(
      "erlangs", &options.erlangs, 0, {0, kRateMax * kHoldMax_s},
      "Mean number of calls up, which is rate times hold; give it instead of one of the two.");
  set.add_enum("hold-distribution", &options.hold_distribution, plan.hold_distribution,
               {{"constant", HoldDistribution::kConstant},
                {"exponential", HoldDistribution::kExponential},
                {"lognormal", HoldDistribution::kLognormal}},
               "Whether all calls last the same, vary as telephone calls do, or most are short and "
               "a few very long.");
  set.add_double("hold-sigma", &options.hold_sigma, plan.hold_sigma, {0, 3},
                 "Standard deviation of the logarithm of a lognormal holding time.");
  set.add_enum("arrivals", &options.arrivals, plan.arrivals,
               {{"poisson", Arrivals::kPoisson},
                {"constant", Arrivals::kConstant},
                {"burst", Arrivals::kBurst},
                {"ramp", Arrivals::kRamp},
                {"trace", Arrivals::kTrace},
                {"one-at-a-time", Arrivals::kOneAtATime}},
               "Arrival process: independent callers, evenly spaced, bursts, a linear ramp, times "
               "from a file, or each call after the previous one.");
  set.add_double("burst-on", &options.burst_on, plan.burst_on_s, {0.001, 86'400},
                 "Seconds that a burst of --arrivals burst lasts, on average.");
  set.add_double("burst-off", &options.burst_off, plan.burst_off_s, {0.001, 86'400},
                 "Seconds of silence between two bursts, on average.");
  set.add_double("ramp-to", &options.ramp_to, plan.ramp_to, {kRateMin, kRateMax},
                 "Calls a second at the end of the run, with --arrivals ramp.");
  set.add_string("trace", &options.trace, "",
                 "File with a call a line for --arrivals trace: start in seconds, then its holding "
                 "time and its two ends as far as they are not to be drawn.");
  set.add_uint("seed", &options.seed, plan.seed, {},
               "The same seed gives the same arrivals, ends and holding times.");
}

void declare_calls(config::OptionSet& set, LoadOptions& options) {
  const RunPlan plan;
  set.add_strings("mix", &options.mix,
                  "NAME=WEIGHT of what calls are: setup, modify (another contract halfway), leaf "
                  "(one more destination for a while), hold (reserved first); none: setup.");
  set.add_strings("priority", &options.priority,
                  "NUMBER=WEIGHT of the priorities of setups, 0 to 7; none: 0.");
  set.add_uint("modify-cells-per-s", &options.modify_cells_per_s, plan.modified_service.cells_per_s,
               contract_field_from(1),
               "Bandwidth that a modify of --mix asks for, in cells a second.");
  set.add_uint("hold-ms", &options.hold_ms, plan.hold_ms, {1, kHoldMsMax},
               "Milliseconds that a hold of --mix lasts without its commit; the commit is sent "
               "before half of them.");
  const MatrixSpec spec;
  set.add_enum("matrix", &options.matrix, spec.matrix,
               {{"topology", Matrix::kTopology},
                {"uniform", Matrix::kUniform},
                {"gravity", Matrix::kGravity},
                {"hotspot", Matrix::kHotspot}},
               "Who calls whom: by the topology's demands, all alike, by the product of weights, "
               "or many calls to one.");
  set.add_string("hotspot", &options.hotspot, "", "Endpoint that --matrix hotspot is about.");
  set.add_double("hotspot-share", &options.hotspot_share, spec.hotspot_share, {0, 1},
                 "Share of the calls that go to --hotspot.");
  set.add_string("demands", &options.demands, "",
                 "File that says who calls whom in place of --matrix: from, to and weight a line, "
                 "or SNDlib's native format.");
  set.add_double("repeat-pair", &options.repeat_pair, spec.repeat_pair, {0, 1},
                 "Chance that a call has the same ends as the one before.");
  set.add_string("from", &options.from, "",
                 "Endpoint that calls; without --from and --to the ends come from the topology.");
  set.add_string("to", &options.to, "", "Endpoint that is called; goes with --from.");
}

}  // namespace

void declare_load_options(config::OptionSet& set, LoadOptions& options) {
  declare_arrivals(set, options);
  declare_calls(set, options);
  declare_load_checks(set, options);
}

void fill_load(const LoadOptions& options, RunPlan& plan) {
  plan.calls = options.calls;
  plan.calls_per_s = options.rate;
  plan.arrivals = options.arrivals;
  plan.burst_on_s = options.burst_on;
  plan.burst_off_s = options.burst_off;
  plan.ramp_to = options.ramp_to;
  plan.ramp_s = options.duration > 0
                    ? options.duration
                    : static_cast<double>(options.calls) * 2 / (options.rate + options.ramp_to);
  if (options.duration > 0) plan.offered_for = duration_of(options.duration);
  if (options.arrivals == Arrivals::kTrace) plan.trace = options.trace_calls;
  if (options.arrivals == Arrivals::kOneAtATime && options.duration > 0)
    plan.closed_loop_ends = duration_of(options.duration);
  plan.hold_mean = duration_of(options.hold);
  plan.hold_distribution = options.hold_distribution;
  plan.hold_sigma = options.hold_sigma;
  plan.seed = options.seed;
  plan.mix = parse_mix(options.mix).value();  // checked when the options were loaded
  plan.priorities = parse_priorities(options.priority).value();
  plan.modified_service = {.cells_per_s = options.modify_cells_per_s};
  plan.hold_ms = options.hold_ms;
}

MatrixSpec matrix_of(const LoadOptions& options) {
  MatrixSpec spec;
  spec.matrix = options.matrix;
  spec.hotspot = options.hotspot;
  spec.hotspot_share = options.hotspot_share;
  spec.demands_file = options.demands;
  spec.demands = options.demand_rows;
  spec.from = options.from;
  spec.to = options.to;
  spec.repeat_pair = options.repeat_pair;
  spec.leaves = parse_mix(options.mix).value().has(Scenario::kLeaf);
  if (options.trace_calls) {
    spec.names_file = options.trace;
    spec.names = options.trace_calls->names;
  }
  return spec;
}

}  // namespace xbind::callgen
