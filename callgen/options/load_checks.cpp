#include "callgen/options/load_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>

#include "callgen/load/demand_file.hpp"
#include "core/duration_numbers.hpp"

namespace xbind::callgen {
namespace {

using Refusal = std::optional<std::string>;

// ===== what excludes what =======================================================================

Refusal needless(const config::OptionSet& set, std::initializer_list<const char*> names,
                 bool in_place, std::string_view needs) {
  if (in_place) return std::nullopt;
  for (const char* const name : names)
    if (set.given(name)) return fmt::format("option --{} needs {}", name, needs);
  return std::nullopt;
}

Refusal wrong_arrivals(const config::OptionSet& set, const LoadOptions& options) {
  const Arrivals arrivals = options.arrivals;
  if (auto wrong = needless(set, {"burst-on", "burst-off"}, arrivals == Arrivals::kBurst,
                            "--arrivals burst: only bursts have a length"))
    return wrong;
  if (auto wrong = needless(set, {"ramp-to"}, arrivals == Arrivals::kRamp,
                            "--arrivals ramp: only a ramp has another end"))
    return wrong;
  if (auto wrong = needless(set, {"trace"}, arrivals == Arrivals::kTrace,
                            "--arrivals trace: the file says when calls come"))
    return wrong;
  if (auto wrong =
          needless(set, {"hold-sigma"}, options.hold_distribution == HoldDistribution::kLognormal,
                   "--hold-distribution lognormal: no other has a sigma"))
    return wrong;
  if (arrivals == Arrivals::kRamp && !set.given("ramp-to"))
    return "option --arrivals ramp needs --ramp-to, the rate at its end";
  if (arrivals == Arrivals::kTrace && options.trace.empty())
    return "option --arrivals trace needs --trace, the file with the times of the calls";
  if (arrivals == Arrivals::kTrace || arrivals == Arrivals::kOneAtATime) {
    for (const char* const name : {"rate", "erlangs"})
      if (set.given(name))
        return fmt::format("options --{} and --arrivals {} exclude each other: the rate is what {}",
                           name, to_string(arrivals),
                           arrivals == Arrivals::kTrace ? "the file makes it" : "comes out");
  }
  if (arrivals == Arrivals::kRamp && set.given("erlangs"))
    return fmt::format(
        "options --erlangs {} and --arrivals ramp exclude each other: its rate is not one",
        options.erlangs);
  return std::nullopt;
}

Refusal wrong_ends(const config::OptionSet& set, const LoadOptions& options) {
  if (options.from.empty() != options.to.empty()) {
    const bool lacks_to = options.to.empty();
    return fmt::format("option --{} {} needs --{}: a call has two ends", lacks_to ? "from" : "to",
                       lacks_to ? options.from : options.to, lacks_to ? "to" : "from");
  }
  if (!options.from.empty() && options.from == options.to)
    return fmt::format("options --from and --to both say {}: an endpoint cannot call itself",
                       options.from);
  for (const char* const name : {"matrix", "demands"}) {
    if (!options.from.empty() && set.given(name))
      return fmt::format("options --from and --{} exclude each other: both say who calls whom",
                         name);
  }
  if (set.given("matrix") && !options.demands.empty())
    return fmt::format(
        "options --matrix {} and --demands {} exclude each other: both say who calls whom",
        to_string(options.matrix), options.demands);
  const bool hotspot = options.matrix == Matrix::kHotspot;
  if (auto wrong = needless(set, {"hotspot", "hotspot-share"}, hotspot,
                            "--matrix hotspot: nothing else has one"))
    return wrong;
  if (hotspot && options.hotspot.empty())
    return "option --matrix hotspot needs --hotspot, the endpoint that is called most";
  if (hotspot && options.hotspot_share <= 0)
    return fmt::format("option --hotspot-share {}: it must be above 0", options.hotspot_share);
  return std::nullopt;
}

Refusal wrong_mix(const config::OptionSet& set, const LoadOptions& options) {
  const auto mix = parse_mix(options.mix);
  if (!mix) return fmt::format("option --mix: {}", mix.error().text);
  if (const auto priorities = parse_priorities(options.priority); !priorities)
    return fmt::format("option --priority: {}", priorities.error().text);
  const bool in_phases = !options.scenario.empty();  // whose own mixes are not known yet
  if (auto wrong = needless(set, {"modify-cells-per-s"}, mix->has(Scenario::kModify) || in_phases,
                            "modify in --mix: nothing else asks for another contract"))
    return wrong;
  return needless(set, {"hold-ms"}, mix->has(Scenario::kHold) || in_phases,
                  "hold in --mix: nothing else is held");
}

// ===== rate, hold and erlangs ===================================================================

// Any two of the three determine the third.
Refusal settle_erlangs(const config::OptionSet& set, LoadOptions& options) {
  if (!set.given("erlangs")) return std::nullopt;
  const bool rate = set.given("rate");
  const bool hold = set.given("hold");
  if (rate && hold) {
    const double product = options.rate * options.hold;
    return fmt::format(
        "options --rate {}, --hold {} and --erlangs {}: two of them make the third, and {} calls a "
        "second of {} s are {} erlangs{}",
        options.rate, options.hold, options.erlangs, options.rate, options.hold, product,
        product == options.erlangs ? "" : fmt::format(", not {}", options.erlangs));
  }
  if (!rate && !hold)
    return fmt::format(
        "option --erlangs {} needs --rate or --hold: two of the three make the third",
        options.erlangs);
  if (options.erlangs <= 0)
    return fmt::format("option --erlangs {}: it must be above 0", options.erlangs);
  if (rate) {
    const double made = options.erlangs / options.rate;
    if (made > kHoldMax_s)
      return fmt::format(
          "options --erlangs {} and --rate {} make a holding time of {} s, at most {} are taken",
          options.erlangs, options.rate, made, kHoldMax_s);
    options.hold = made;
    return std::nullopt;
  }
  if (options.hold <= 0)
    return fmt::format(
        "options --erlangs {} and --hold {} make no rate: calls that last no time "
        "are never up",
        options.erlangs, options.hold);
  const double made = options.erlangs / options.hold;
  if (made < kRateMin || made > kRateMax)
    return fmt::format(
        "options --erlangs {} and --hold {} make {} calls a second, {} to {:.0f} are taken",
        options.erlangs, options.hold, made, kRateMin, kRateMax);
  options.rate = made;
  return std::nullopt;
}

Refusal wrong_hold(const LoadOptions& options) {
  if (HoldingTime::fits(options.hold_distribution, duration_of(options.hold), options.hold_sigma))
    return std::nullopt;
  return fmt::format(
      "options --hold {}, --hold-distribution {} and --hold-sigma {} can make calls of more than a "
      "year",
      options.hold, to_string(options.hold_distribution), options.hold_sigma);
}

// ===== files ====================================================================================

Refusal read_files(const config::OptionSet& set, LoadOptions& options) {
  options.trace_calls = nullptr;
  options.demand_rows.clear();
  if (!options.trace.empty()) {
    auto trace = read_trace(options.trace);
    if (!trace) return fmt::format("option --trace: {}", trace.error().text);
    if (set.given("calls") && options.calls > trace->calls.size())
      return fmt::format("option --calls {}: {} has {}", options.calls, options.trace,
                         trace->calls.size());
    options.trace_calls = std::make_shared<const Trace>(std::move(*trace));
  }
  if (!options.demands.empty()) {
    auto demands = read_demands(options.demands);
    if (!demands) return fmt::format("option --demands: {}", demands.error().text);
    options.demand_rows = std::move(*demands);
  }
  return std::nullopt;
}

// ===== length ===================================================================================

Refusal wrong_bursts(const LoadOptions& options, double length_s) {
  if (options.arrivals != Arrivals::kBurst) return std::nullopt;
  const double bursts = length_s / (options.burst_on + options.burst_off);
  if (bursts <= kBurstsMax) return std::nullopt;
  return fmt::format(
      "options --burst-on {} and --burst-off {} make {:.0f} bursts in a run of {:.0f} s, at most "
      "{:.0f} are taken",
      options.burst_on, options.burst_off, bursts, length_s, kBurstsMax);
}

// Determines the number of calls within --duration.
Refusal settle_calls(const config::OptionSet& set, LoadOptions& options) {
  if (options.duration > 0 && set.given("calls"))
    return fmt::format(
        "options --calls {} and --duration {} exclude each other: each says how "
        "long to go on",
        options.calls, options.duration);
  if (set.given("duration") && options.duration <= 0)
    return fmt::format("option --duration {}: it must be above 0", options.duration);
  if (options.duration <= 0) {
    if (options.trace_calls && !set.given("calls"))
      options.calls = options.trace_calls->calls.size();
    return std::nullopt;
  }
  if (options.arrivals == Arrivals::kOneAtATime) {
    options.calls = kCallsMax;
    return std::nullopt;
  }
  RunPlan plan;
  fill_load(options, plan);
  const ArrivalPlan arrivals = arrivals_of(plan);
  const double expected = mean_rate(arrivals) * options.duration;
  if (options.arrivals != Arrivals::kTrace && expected > static_cast<double>(kCallsMax))
    return fmt::format(
        "options --duration {} and --rate {} make {:.0f} calls, at most {} are taken",
        options.duration, options.rate, expected, kCallsMax);
  if (auto wrong = wrong_bursts(options, options.duration)) return wrong;
  options.calls = calls_before(duration_of(options.duration), arrivals, options.seed, kCallsMax);
  if (options.calls == 0)
    return fmt::format(
        "option --duration {}: no call is planned before its end ({} arrivals, "
        "{} a second, seed {})",
        options.duration, to_string(options.arrivals), options.rate, options.seed);
  return std::nullopt;
}

Refusal wrong_length(const LoadOptions& options) {
  if (options.arrivals == Arrivals::kTrace || options.arrivals == Arrivals::kOneAtATime)
    return std::nullopt;
  const double rate =
      options.arrivals == Arrivals::kRamp ? (options.rate + options.ramp_to) / 2 : options.rate;
  const double length_s = static_cast<double>(options.calls) / rate;
  if (length_s > kLongestArrivals_s)
    return fmt::format(
        "options --calls {} and --rate {} make a run of {:.0f} days, at most {:.0f} are taken",
        options.calls, options.rate, length_s / 86'400, kLongestArrivals_s / 86'400);
  return wrong_bursts(options, length_s);
}

}  // namespace

void declare_load_checks(config::OptionSet& set, LoadOptions& options) {
  set.add_check([&set, &options] { return wrong_arrivals(set, options); });
  set.add_check([&set, &options] { return wrong_ends(set, options); });
  set.add_check([&set, &options] { return wrong_mix(set, options); });
  set.add_check([&set, &options] { return settle_erlangs(set, options); });
  set.add_check([&options] { return wrong_hold(options); });
  set.add_check([&set, &options] { return read_files(set, options); });
  set.add_check([&set, &options] { return settle_calls(set, options); });
  set.add_check([&options] { return wrong_length(options); });
}

}  // namespace xbind::callgen
