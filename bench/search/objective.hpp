// An objective of a run, in one line: "p99<5ms", "fail<0.1%". An assertion is an objective that
// decides the exit code; a search looks for the highest rate that keeps its objectives.
//
//   objective  = quantity ("<" | "<=" | ">" | ">=" | "=") value
//   quantity   = statistic ["(" of ")"] | of "." statistic | count | rate | "carried"
//   statistic  = "p" number | "min" | "mean" | "max"     p50, p99.9; the value has a unit: ns to s
//   of         = "setup" (the default) | "release" | "modify" | "add-leaf" | "drop-leaf" | "hold"
//                | "commit" | "refusal" | "slip" | "setup-from-send" | "release-from-send"
//   count      = "fail"        planned calls that were not connected, for any reason
//              | "refused" | "busy" | "shed"    setups with this outcome
//              | "unanswered"  setups and releases; with % the share of all: "busy<1%"
//                In an interrupted run the calls offered until then count as planned.
//   rate       = "rate" (calls connected a second) | "operations" (setups and releases a second)
//   "carried"    rate of connected calls over that of the planned arrivals, in %: "carried>=95%"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "callgen/report/report.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

enum class Comparison : std::uint8_t { kBelow, kAtMost, kAbove, kAtLeast, kEqual };

struct Objective {
  enum class Kind : std::uint8_t { kPercentile, kMin, kMean, kMax, kCount, kRate, kCarried };

  Kind kind = Kind::kPercentile;
  std::string of;       // "setup", ...; "fail", ...; "rate" or "operations"; "carried"
  double percent = 50;  // of kPercentile
  bool share = false;   // of kCount and kCarried: the limit is in per cent
  Comparison comparison = Comparison::kBelow;
  double limit = 0;         // microseconds, calls, per cent, or a second
  std::string text;         // as written, without blanks
  bool by_default = false;  // with_refusal_bound() has added it

  // "fail<=1% (default)".
  std::string shown() const { return by_default ? text + " (default)" : text; }
};

inline constexpr std::string_view kCarried = "carried";

// The rates of arrivals and of connected calls. The arrivals' rate is the one that was drawn: for a
// few hundred Poisson arrivals it is some per cent off the requested rate, which is no fault of the
// system. The mean holding time is left out of the run's length, because the last calls are held
// with nothing to do. Zeros when there is nothing to divide by.
struct CarriedRates {
  double offered_per_s = 0;
  double carried_per_s = 0;
};
CarriedRates carried_rates(const RunReport& report);

// Several, separated by commas. kBadInput names the wrong part and lists the known ones.
Result<std::vector<Objective>> parse_objectives(std::string_view text);
// The same for a repeated option.
Result<std::vector<Objective>> parse_objectives(const std::vector<std::string>& texts);

// A refusal is quick and never counts in a latency, so a latency alone says nothing about a system
// that refuses. Adds "fail<=1%" unless the objectives bound the calls that are not connected from
// above: by `fail` or `carried`, or by `refused` and `busy`. Of these two a missing one is added
// with the same limit. 1 % is the usual grade of service of telephone networks; "fail<=100%" says
// that refusals do not matter.
std::vector<Objective> with_refusal_bound(std::vector<Objective> objectives);

// An objective and its value in a run.
struct Judged {
  Objective objective;
  std::optional<double> measured;  // in the unit of the limit; nothing: unknown
  bool kept = false;               // never without a measured value
  std::string why_not_known;       // "300 samples, p99 needs 1000"
};
Judged judge(const Objective& objective, const RunReport& report);
std::vector<Judged> judge(const std::vector<Objective>& objectives, const RunReport& report);
bool all_kept(const std::vector<Judged>& judged);

// "7.1 ms", "0.31 %", "12", "9 500/s"; "not known: ...".
std::string measured_text(const Judged& judged);
// "p99<5ms kept: 3.2 ms", "p99<5ms broken: 7.1 ms", "p99.9<5ms not known: ...".
std::string to_text(const Judged& judged);

// How many samples a percentile needs: ten must lie beyond it, on the side that has fewer. p50: 20,
// p99: 1000, p99.9: 10000.
std::uint64_t samples_needed(double percent);
// What the strictest of them needs.
std::uint64_t samples_needed(const std::vector<Objective>& objectives);

// "5%" as 0.05, from 0 to 100 %; nothing for any other text.
std::optional<double> fraction_of(std::string_view percent);

// The upper bound of the setup latency that the objectives set, in microseconds: the lowest limit
// of their percentiles, means and maxima of "setup". Nothing when they set none.
std::optional<double> setup_bound_us(const std::vector<Objective>& objectives);

}  // namespace xbind::callgen
