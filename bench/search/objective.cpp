#include "bench/search/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/duration_numbers.hpp"

namespace xbind::callgen {
namespace {

constexpr std::array<std::string_view, 11> kLatencies{
    "setup",  "release", "modify", "add-leaf",        "drop-leaf",        "hold",
    "commit", "refusal", "slip",   "setup-from-send", "release-from-send"};
constexpr std::string_view kFromSend = "-from-send";
constexpr std::array<std::string_view, 5> kCounts{"fail", "refused", "busy", "unanswered", "shed"};
constexpr std::array<std::string_view, 2> kRates{"rate", "operations"};
constexpr double kBeyond = 10;  // values beyond a percentile that make it meaningful
constexpr double kMostSamplesNeeded = 1e12;

template <class Words>
bool is_one_of(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

struct Written {  // the parts left of, at, and right of the comparison
  std::string_view quantity;
  Comparison comparison;
  std::string_view value;
};

std::optional<Written> take_apart(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=");
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const bool equal_too = text[at] != '=' && at + 1 < text.size() && text[at + 1] == '=';
  const Comparison comparison = text[at] == '=' ? Comparison::kEqual
                                : text[at] == '<'
                                    ? (equal_too ? Comparison::kAtMost : Comparison::kBelow)
                                : equal_too ? Comparison::kAtLeast
                                            : Comparison::kAbove;
  return Written{text.substr(0, at), comparison, text.substr(at + (equal_too ? 2 : 1))};
}

// "p99", "mean" of `of`; false when it is no statistic.
bool read_statistic(std::string_view word, Objective& objective) {
  if (word == "min" || word == "mean" || word == "max") {
    objective.kind = word == "min"    ? Objective::Kind::kMin
                     : word == "mean" ? Objective::Kind::kMean
                                      : Objective::Kind::kMax;
    return true;
  }
  if (word.size() < 2 || word.front() != 'p') return false;
  const auto percent = number_of(word.substr(1));
  if (!percent || *percent <= 0 || *percent >= 100) return false;
  objective.kind = Objective::Kind::kPercentile;
  objective.percent = *percent;
  return true;
}

Result<void> read_quantity(std::string_view word, Objective& objective) {
  if (is_one_of(word, kCounts) || is_one_of(word, kRates)) {
    objective.kind = is_one_of(word, kCounts) ? Objective::Kind::kCount : Objective::Kind::kRate;
    objective.of = word;
    return {};
  }
  if (word == kCarried) {
    objective.kind = Objective::Kind::kCarried;
    objective.of = word;
    return {};
  }
  std::string_view statistic = word;
  std::string_view of = "setup";
  if (const std::size_t open = word.find('('); open != std::string_view::npos) {
    if (!word.ends_with(')'))
      return fail(ErrorCode::kBadInput, "objective '{}': '{}' has no closing parenthesis",
                  objective.text, word);
    statistic = word.substr(0, open);
    of = word.substr(open + 1, word.size() - open - 2);
  } else if (const std::size_t dot = word.find('.');
             dot != std::string_view::npos && is_one_of(word.substr(0, dot), kLatencies)) {
    of = word.substr(0, dot);
    statistic = word.substr(dot + 1);
  }
  if (!is_one_of(of, kLatencies))
    return fail(ErrorCode::kBadInput, "objective '{}': there is no latency '{}', but {}",
                objective.text, of, fmt::join(kLatencies, ", "));
  if (!read_statistic(statistic, objective))
    return fail(ErrorCode::kBadInput,
                "objective '{}': '{}' is neither p and a number between 0 and 100 nor min, mean, "
                "max, {}, {}, {}",
                objective.text, statistic, fmt::join(kCounts, ", "), fmt::join(kRates, ", "),
                kCarried);
  objective.of = of;
  return {};
}

Result<void> read_value(std::string_view text, Objective& objective) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto number = number_of(text.substr(0, digits));
  if (!number)
    return fail(ErrorCode::kBadInput, "objective '{}': '{}' does not begin with a number",
                objective.text, text);
  const std::string_view unit = text.substr(digits);
  if (objective.kind == Objective::Kind::kCarried) {
    if (unit != "%" || *number <= 0 || *number >= 100)
      return fail(ErrorCode::kBadInput, "objective '{}': {} is a share, above 0 % and below 100 %",
                  objective.text, kCarried);
    objective.share = true;
    objective.limit = *number;
    return {};
  }
  if (objective.kind == Objective::Kind::kCount) {
    objective.share = unit == "%";
    if (!unit.empty() && !objective.share)
      return fail(ErrorCode::kBadInput,
                  "objective '{}': '{}' is no unit of a count; it is calls, or %", objective.text,
                  unit);
    if (objective.share && *number > 100)
      return fail(ErrorCode::kBadInput, "objective '{}': a share of {} % is more than all",
                  objective.text, *number);
    objective.limit = *number;
    return {};
  }
  if (objective.kind == Objective::Kind::kRate) {
    if (!unit.empty() && unit != "/s")
      return fail(ErrorCode::kBadInput, "objective '{}': '{}' is no unit of a rate; it is a second",
                  objective.text, unit);
    objective.limit = *number;
    return {};
  }
  for (const auto& [name, microseconds] :
       {std::pair{"ns", 1e-3}, std::pair{"us", 1.0}, std::pair{"ms", 1e3}, std::pair{"s", 1e6}}) {
    if (unit != name) continue;
    objective.limit = *number * microseconds;
    return {};
  }
  return fail(ErrorCode::kBadInput, "objective '{}': {} needs a unit, ns, us, ms or s, not '{}'",
              objective.text, text.substr(0, digits), unit);
}

Result<Objective> parse_objective(std::string text) {
  Objective objective;
  objective.text = std::move(text);
  const auto written = take_apart(objective.text);
  if (!written)
    return fail(ErrorCode::kBadInput,
                "objective '{}' is not QUANTITY<VALUE, as in p99<5ms or fail<0.1%; <=, >, >= and = "
                "are understood as well",
                objective.text);
  objective.comparison = written->comparison;
  if (const auto read = read_quantity(written->quantity, objective); !read)
    return tl::make_unexpected(read.error());
  if (const auto read = read_value(written->value, objective); !read)
    return tl::make_unexpected(read.error());
  return objective;
}

// Empty when there was no such request.
const Histogram& latency_of(const RunReport& report, std::string_view of) {
  static const Histogram kNothing;
  if (of == "slip") return report.slip;
  const bool from_send = of.ends_with(kFromSend);
  const bool refusal = of == "refusal";
  const std::string_view name =
      refusal ? "setup" : of.substr(0, of.size() - (from_send ? kFromSend.size() : 0));
  for (const auto& [kind, statistics] : report.kinds) {
    if (to_string(kind) != name) continue;
    return refusal ? statistics.refusal : from_send ? statistics.from_send : statistics.latency;
  }
  return kNothing;
}

struct Counted {
  std::uint64_t count;
  std::uint64_t of;
};

Counted count_of(const RunReport& report, std::string_view what) {
  const SetupCounts& setups = report.setups;
  const ReleaseCounts& releases = report.releases;
  if (what == "refused") return {setups.refused, setups.attempted};
  if (what == "busy") return {setups.busy, setups.attempted};
  if (what == "shed") return {report.shed, setups.attempted};
  if (what == "unanswered")
    return {setups.unanswered + releases.unanswered, setups.attempted + releases.attempted};
  // Includes calls that were never attempted, because the manager was lost before.
  const std::uint64_t planned = report.interrupted ? setups.attempted : report.planned_calls;
  return {planned - std::min(setups.connected, planned), planned};
}

bool holds(double measured, Comparison comparison, double limit) {
  switch (comparison) {
    case Comparison::kBelow: return measured < limit;
    case Comparison::kAtMost: return measured <= limit;
    case Comparison::kAbove: return measured > limit;
    case Comparison::kAtLeast: return measured >= limit;
    case Comparison::kEqual: return measured == limit;
  }
  return false;
}

std::string three_digits(double number) {
  if (number != 0 && std::abs(number) < 1) return fmt::format("{:.3g}", number);
  return fmt::format("{:.{}f}", number, std::abs(number) < 10 ? 2 : std::abs(number) < 100 ? 1 : 0);
}

bool is_latency(const Objective& objective) {
  return objective.kind != Objective::Kind::kCount && objective.kind != Objective::Kind::kRate &&
         objective.kind != Objective::Kind::kCarried;
}

// Whether it limits calls that are not connected from above, or connected ones from below.
bool limits(const Objective& objective) {
  const bool from_below = objective.kind == Objective::Kind::kCarried;
  switch (objective.comparison) {
    case Comparison::kBelow:
    case Comparison::kAtMost: return !from_below;
    case Comparison::kAbove:
    case Comparison::kAtLeast: return from_below;
    case Comparison::kEqual: return true;
  }
  return false;
}

}  // namespace

Result<std::vector<Objective>> parse_objectives(std::string_view text) {
  std::vector<Objective> objectives;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string one;
    for (const char character : text.substr(0, comma)) {
      if (character != ' ') one += character;
    }
    if (one.empty())
      return fail(ErrorCode::kBadInput, "an objective is empty; one is like p99<5ms or fail<0.1%");
    auto objective = parse_objective(std::move(one));
    if (!objective) return tl::make_unexpected(objective.error());
    objectives.push_back(std::move(*objective));
    if (comma == text.size()) return objectives;
    text.remove_prefix(comma + 1);
  }
}

Result<std::vector<Objective>> parse_objectives(const std::vector<std::string>& texts) {
  std::vector<Objective> all;
  for (const std::string& text : texts) {
    auto some = parse_objectives(std::string_view{text});
    if (!some) return some;
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

std::vector<Objective> with_refusal_bound(std::vector<Objective> objectives) {
  const auto bounded = [&objectives](std::string_view what) {
    return std::any_of(objectives.begin(), objectives.end(),
                       [what](const Objective& one) { return one.of == what && limits(one); });
  };
  const auto add = [&objectives](std::string_view what) {
    Objective bound;
    bound.kind = Objective::Kind::kCount;
    bound.of = what;
    bound.share = true;
    bound.comparison = Comparison::kAtMost;
    bound.limit = 100 * kRefusalsNoticed;
    bound.text = fmt::format("{}<={:g}%", what, bound.limit);
    bound.by_default = true;
    objectives.push_back(std::move(bound));
  };
  if (bounded("fail") || bounded(kCarried)) return objectives;
  const bool refused = bounded("refused");
  const bool busy = bounded("busy");
  if (!refused && !busy)
    add("fail");
  else if (!refused)
    add("refused");
  else if (!busy)
    add("busy");
  return objectives;
}

Judged judge(const Objective& objective, const RunReport& report) {
  Judged judged;
  judged.objective = objective;
  if (objective.kind == Objective::Kind::kCount) {
    const auto [count, of] = count_of(report, objective.of);
    if (!objective.share) {
      judged.measured = static_cast<double>(count);
    } else if (of > 0) {
      judged.measured = 100.0 * static_cast<double>(count) / static_cast<double>(of);
    } else {
      judged.why_not_known = "nothing was attempted";
    }
  } else if (objective.kind == Objective::Kind::kCarried) {
    const CarriedRates rates = carried_rates(report);
    if (rates.offered_per_s > 0 && rates.carried_per_s > 0) {
      judged.measured = 100 * rates.carried_per_s / rates.offered_per_s;
    } else if (report.setups.connected == 0 && report.setups.attempted > 0) {
      judged.measured = 0;
    } else {
      judged.why_not_known = "too few calls to tell a rate";
    }
  } else if (objective.kind == Objective::Kind::kRate) {
    judged.measured = objective.of == "rate" ? report.setups_per_s : report.call_operations_per_s;
  } else {
    const Histogram& latency = latency_of(report, objective.of);
    const bool percentile = objective.kind == Objective::Kind::kPercentile;
    const std::uint64_t needed = percentile ? samples_needed(objective.percent) : 1;
    if (latency.count() < needed) {
      judged.why_not_known = percentile ? fmt::format("{} samples, p{:.10g} needs {}",
                                                      latency.count(), objective.percent, needed)
                                        : "no samples";
    } else if (percentile) {
      judged.measured = in_us(latency.percentile(objective.percent));
    } else {
      judged.measured = objective.kind == Objective::Kind::kMin    ? in_us(latency.min())
                        : objective.kind == Objective::Kind::kMean ? latency.mean_ns() / 1000
                                                                   : in_us(latency.max());
    }
  }
  judged.kept = judged.measured && holds(*judged.measured, objective.comparison, objective.limit);
  return judged;
}

std::vector<Judged> judge(const std::vector<Objective>& objectives, const RunReport& report) {
  std::vector<Judged> all;
  all.reserve(objectives.size());
  for (const Objective& objective : objectives) all.push_back(judge(objective, report));
  return all;
}

CarriedRates carried_rates(const RunReport& report) {
  CarriedRates rates;
  const double busy_s = report.duration_s - report.hold_mean_s;
  if (report.arrivals_planned.mean_s > 0) rates.offered_per_s = 1 / report.arrivals_planned.mean_s;
  if (busy_s > 0) rates.carried_per_s = static_cast<double>(report.setups.connected) / busy_s;
  return rates;
}

bool all_kept(const std::vector<Judged>& judged) {
  return std::all_of(judged.begin(), judged.end(), [](const Judged& one) { return one.kept; });
}

std::string measured_text(const Judged& judged) {
  if (!judged.measured) return "not known: " + judged.why_not_known;
  const double measured = *judged.measured;
  if (judged.objective.kind == Objective::Kind::kCount || judged.objective.share)
    return judged.objective.share ? three_digits(measured) + " %" : fmt::format("{:.0f}", measured);
  if (judged.objective.kind == Objective::Kind::kRate) return three_digits(measured) + "/s";
  if (measured < 1000) return three_digits(measured) + " us";
  if (measured < 1e6) return three_digits(measured / 1000) + " ms";
  return three_digits(measured / 1e6) + " s";
}

std::string to_text(const Judged& judged) {
  if (!judged.measured) return judged.objective.shown() + " " + measured_text(judged);
  return fmt::format("{} {}: {}", judged.objective.shown(), judged.kept ? "kept" : "broken",
                     measured_text(judged));
}

std::uint64_t samples_needed(double percent) {
  const double rare = std::min(percent, 100 - percent) / 100;
  // 10 of 1000 values are beyond p99, although 99 / 100 has no exact binary form.
  return static_cast<std::uint64_t>(
      std::ceil(std::min(kBeyond / rare, kMostSamplesNeeded) * (1 - 1e-9)));
}

std::uint64_t samples_needed(const std::vector<Objective>& objectives) {
  std::uint64_t most = 1;
  for (const Objective& objective : objectives) {
    if (objective.kind == Objective::Kind::kPercentile)
      most = std::max(most, samples_needed(objective.percent));
  }
  return most;
}

std::optional<double> fraction_of(std::string_view percent) {
  if (!percent.ends_with('%')) return std::nullopt;
  const auto number = number_of(percent.substr(0, percent.size() - 1));
  if (!number || *number < 0 || *number > 100) return std::nullopt;
  return *number / 100;
}

std::optional<double> setup_bound_us(const std::vector<Objective>& objectives) {
  std::optional<double> bound;
  for (const Objective& objective : objectives) {
    if (objective.of != "setup" || !is_latency(objective)) continue;
    if (objective.comparison != Comparison::kBelow && objective.comparison != Comparison::kAtMost)
      continue;
    bound = std::min(bound.value_or(objective.limit), objective.limit);
  }
  return bound;
}

}  // namespace xbind::callgen
