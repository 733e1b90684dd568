#include "bench/search/search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "bench/search/rate_search.hpp"
#include "callgen/load/random.hpp"
#include "core/check.hpp"

namespace xbind::callgen {
namespace {

constexpr double kNear = 0.8;  // of a limit, or its inverse: values in between are near it
constexpr std::uint32_t kMostAttempts = 3;
constexpr std::uint32_t kMostConfirmations = 6;
constexpr std::uint32_t kMostSettling = 5;
constexpr std::uint64_t kSettlingCalls = 50;
constexpr double kSettled = 4;          // times the median after the warm-up
constexpr double kUnloaded_per_s = 50;  // a load that keeps no system busy

// Whether another sample could have fallen on the other side of the limit.
bool near(const Judged& judged) {
  if (!judged.measured) return true;
  double measured = *judged.measured;
  double limit = judged.objective.limit;
  if (judged.objective.of == kCarried) {  // compare the shortfalls
    measured = 100 - measured;
    limit = 100 - limit;
  }
  return measured > kNear * limit && measured < limit / kNear;
}

class Search {
 public:
  Search(const SearchPlan& plan, const RunOptions& base, const std::vector<Objective>& objectives,
         const RunFunction& run, const StopFunction& stop,
         const std::function<void(const SearchPoint&)>& after_run)
      : plan_(plan),
        base_(base),
        objectives_(objectives),
        run_(run),
        stop_(stop),
        after_run_(after_run) {}

  Result<SearchResult> search() {
    warm_up();
    look();
    confirm();
    if (error_ && result_.points.empty()) return tl::make_unexpected(*error_);
    if (error_) {  // keep the results so far
      over_ = SearchEnd::kLost;
      result_.lost = error_->text;
    }
    if (over_) result_.end = *over_;
    return std::move(result_);
  }

 private:
  bool over() const { return over_ || error_; }

  // Makes one run and stores it in the result; nothing when the search is over.
  const SearchPoint* run(PointKind kind, double rate, double seconds, std::uint64_t fewest,
                         std::uint32_t attempt) {
    if (over()) return nullptr;
    if (stop_()) {
      over_ = SearchEnd::kStopped;
    } else if (result_.points.size() >= plan_.most_runs) {
      over_ = SearchEnd::kMostRuns;
    }
    if (over_) return nullptr;
    auto report = run_(at_rate(base_, rate, seconds, fewest, result_.points.size()));
    // A run that the operator interrupted has no result.
    if (report && report->interrupted) {
      over_ = SearchEnd::kStopped;
      return nullptr;
    }
    if (!report) {
      if (stop_())
        over_ = SearchEnd::kStopped;
      else
        error_ = report.error();
      return nullptr;
    }
    SearchPoint point = judge_point(objectives_, std::move(*report));
    point.kind = kind;
    point.rate = rate;
    point.attempt = attempt;
    if (point.report.target_lost)
      over_ = SearchEnd::kLost;  // a manager that answers later is another one
    result_.points.push_back(std::move(point));
    after_run_(result_.points.back());
    return &result_.points.back();
  }

  double unloaded() const { return std::min(plan_.first_rate / 2, kUnloaded_per_s); }

  void warm_up() {
    run(PointKind::kWarmUp, plan_.first_rate / 2, plan_.point_s / 2, kSettlingCalls, 1);
    // The second run finds caches filled and connections open: it shows the latency of the idle
    // system.
    const SearchPoint* const second = run(PointKind::kWarmUp, unloaded(), 0, kSettlingCalls, 2);
    if (second != nullptr) idle_p50_us_ = second->report.setup_latency.p50;
  }

  // Repeats small runs until they are as quick as at the beginning.
  void settle(const SearchPoint& after) {
    if (after.report.setups.connected == after.report.planned_calls) return;
    for (std::uint32_t attempt = 1; attempt <= kMostSettling; ++attempt) {
      const SearchPoint* const small =
          run(PointKind::kSettle, unloaded(), 0, kSettlingCalls, attempt);
      if (small == nullptr) return;
      const RunReport& report = small->report;
      if (report.setups.connected == report.planned_calls &&
          report.setup_latency.p50 <= kSettled * idle_p50_us_)
        return;
    }
  }

  // The verdict of up to three runs: two that agree, or one that is clear. Nothing: the search is
  // over.
  std::optional<PointVerdict> point(PointKind kind, double rate, double seconds) {
    std::uint32_t seen[3] = {0, 0, 0};
    for (std::uint32_t attempt = 1; attempt <= kMostAttempts; ++attempt) {
      const SearchPoint* const one = run(kind, rate, seconds, plan_.fewest, attempt);
      if (one == nullptr) return std::nullopt;
      const PointVerdict verdict = one->verdict;
      const bool near_the_limit = one->near_the_limit;
      if (verdict == PointVerdict::kBroken) why_broken_ = why(*one);
      const SearchPoint copy = *one;  // settling adds points
      settle(copy);
      if (over()) return std::nullopt;
      if (verdict == PointVerdict::kKept && !near_the_limit && attempt == 1) return verdict;
      if (++seen[static_cast<std::size_t>(verdict)] == 2) return verdict;
    }
    return PointVerdict::kBroken;  // all three differ: no result to build on
  }

  static std::string why(const SearchPoint& point) {
    std::vector<std::string> reasons = point.troubles;
    for (const Judged& judged : point.judged) {
      if (!judged.kept) reasons.push_back(to_text(judged));
    }
    return fmt::format("{}", fmt::join(reasons, "; "));
  }

  void broken(double rate, PointVerdict verdict) {
    result_.broken_rate = rate;
    by_generator_ = verdict == PointVerdict::kVoid;
    result_.broken_by = by_generator_ ? "the generator could not offer it" : why_broken_;
  }

  // Runs until one rate is kept and a slightly higher one is not.
  void look() {
    RateSearch rates({.rates = plan_.rates.empty() ? std::vector{plan_.first_rate} : plan_.rates,
                      .growth = plan_.growth,
                      .precision = plan_.precision,
                      .lowest = plan_.lowest_rate,
                      .highest = plan_.highest_rate});
    while (const auto rate = rates.next()) {
      const bool between = rates.kept() > 0 && rates.broken() > 0;
      const auto verdict =
          point(between ? PointKind::kBisect : PointKind::kRise, *rate, plan_.point_s);
      if (!verdict) return;
      rates.add(*rate, *verdict == PointVerdict::kKept);
      result_.rate = rates.kept();
      if (*verdict != PointVerdict::kKept) broken(*rate, *verdict);
    }
    if (rates.kept() == 0) over_ = SearchEnd::kNoneKept;
  }

  void confirm() {
    if (over()) return;
    double rate = result_.rate;
    for (std::uint32_t i = 0; i < kMostConfirmations; ++i) {
      const auto verdict = point(PointKind::kConfirm, rate, plan_.confirm_s);
      if (!verdict) return;
      if (*verdict == PointVerdict::kKept) {
        result_.rate = rate;
        result_.confirmed = true;
        result_.end = result_.broken_rate == 0 ? SearchEnd::kHighestRate
                      : by_generator_          ? SearchEnd::kGenerator
                                               : SearchEnd::kFound;
        return;
      }
      broken(rate, *verdict);
      result_.rate = 0;  // not kept by a run of this length
      rate /= 1 + plan_.precision;
      if (rate < plan_.lowest_rate) break;
    }
    over_ = SearchEnd::kNotConfirmed;
  }

  const SearchPlan& plan_;
  const RunOptions& base_;
  const std::vector<Objective>& objectives_;
  const RunFunction& run_;
  const StopFunction& stop_;
  const std::function<void(const SearchPoint&)>& after_run_;

  SearchResult result_;
  std::optional<SearchEnd> over_;
  std::optional<Error> error_;
  double idle_p50_us_ = 0;
  bool by_generator_ = false;
  std::string why_broken_;
};

std::string ms(double us) { return fmt::format("{:.2f}", us / 1000); }
// "-" when no call was connected.
std::string known_ms(const LatencySummary& latency, double LatencySummary::*percentile) {
  return latency.count == 0 ? "-" : ms(latency.*percentile);
}

}  // namespace

RunOptions at_rate(const RunOptions& base, double rate, double seconds, std::uint64_t fewest,
                   std::uint64_t number) {
  RunOptions options = base;
  options.rate = rate;
  options.calls = std::max(fewest, static_cast<std::uint64_t>(std::ceil(rate * seconds)));
  options.seed = splitmix64(base.seed ^ splitmix64(number + 1));
  return options;
}

std::string_view to_string(PointKind kind) {
  switch (kind) {
    case PointKind::kWarmUp: return "warm-up";
    case PointKind::kRise: return "rise";
    case PointKind::kBisect: return "bisect";
    case PointKind::kConfirm: return "confirm";
    case PointKind::kSettle: return "settle";
  }
  XB_CHECK(false);
}

bool measures(PointKind kind) { return kind != PointKind::kWarmUp && kind != PointKind::kSettle; }

std::string_view to_string(PointVerdict verdict) {
  switch (verdict) {
    case PointVerdict::kKept: return "kept";
    case PointVerdict::kBroken: return "broken";
    case PointVerdict::kVoid: return "generator";
  }
  XB_CHECK(false);
}

std::string_view to_string(SearchEnd end) {
  switch (end) {
    case SearchEnd::kFound: return "found";
    case SearchEnd::kGenerator: return "generator";
    case SearchEnd::kHighestRate: return "highest rate";
    case SearchEnd::kNoneKept: return "none kept";
    case SearchEnd::kNotConfirmed: return "not confirmed";
    case SearchEnd::kMostRuns: return "most runs";
    case SearchEnd::kStopped: return "stopped";
    case SearchEnd::kLost: return "lost";
  }
  XB_CHECK(false);
}

const SearchPoint* SearchResult::best() const {
  const SearchPoint* best = nullptr;
  for (const SearchPoint& point : points) {
    if (point.rate == rate && point.verdict == PointVerdict::kKept) best = &point;
  }
  return best;
}

bool generator_was_the_limit(const RunReport& report) {
  if (report.generator_slip.p99 > slip_limit_us(report)) return true;
  if (report.setups.attempted < kFewestForRate || !(report.offered_setups_per_s > 0)) return false;
  const double off = report.sent_setups_per_s / report.offered_setups_per_s - 1;
  return !(std::abs(off) <= rate_tolerance(report));
}

SearchPoint judge_point(const std::vector<Objective>& objectives, RunReport report) {
  SearchPoint point;
  point.judged = judge(objectives, report);
  if (report.odd.contradicted > 0)
    point.troubles.push_back(
        fmt::format("{} answers contradicted others", report.odd.contradicted));
  if (!report.audit.made) {
    point.troubles.emplace_back("the audit could not be made");
  } else if (!report.audit.proves_clean()) {
    point.troubles.push_back(fmt::format(
        "the audit is not clean ({})",
        report.audit.findings.empty() ? "without a finding" : report.audit.findings.front()));
  }
  if (report.target_lost) point.troubles.emplace_back("a manager was lost");
  point.near_the_limit = std::any_of(point.judged.begin(), point.judged.end(), near);
  point.verdict = generator_was_the_limit(report)                    ? PointVerdict::kVoid
                  : all_kept(point.judged) && point.troubles.empty() ? PointVerdict::kKept
                                                                     : PointVerdict::kBroken;
  point.report = std::move(report);
  return point;
}

Result<SearchResult> search(const SearchPlan& plan, const RunOptions& base,
                            const std::vector<Objective>& objectives, const RunFunction& run,
                            const StopFunction& stop,
                            const std::function<void(const SearchPoint&)>& after_run) {
  return Search(plan, base, objectives, run, stop, after_run).search();
}

std::string to_text(const SearchPoint& point) {
  const RunReport& report = point.report;
  std::string line = fmt::format(
      "{:<8} {:>9}/s  {:>9} connected  {:>7} not  p50 {:>8} ms  p99 {:>8} ms  {:>9} operations/s  ",
      to_string(point.kind), rate_text(point.rate), report.setups.connected,
      share_text(not_connected_share(report.setups)),
      known_ms(report.setup_latency, &LatencySummary::p50),
      known_ms(report.setup_latency, &LatencySummary::p99),
      rate_text(report.call_operations_per_s));
  if (!measures(point.kind)) return line + "-";
  line += to_string(point.verdict);
  std::vector<std::string> reasons = point.troubles;
  for (const Judged& judged : point.judged) {
    if (!judged.kept) reasons.push_back(to_text(judged));
  }
  for (const auto& [cause, count] : report.refusals.by_cause())
    reasons.push_back(fmt::format("refused {} times: {}", count, cause));
  if (point.verdict == PointVerdict::kVoid)
    reasons = {fmt::format("late by {} ms at p99", ms(report.generator_slip.p99))};
  if (!reasons.empty() && point.verdict != PointVerdict::kKept)
    line += fmt::format(" ({})", fmt::join(reasons, "; "));
  return line;
}

std::string to_text(const SearchResult& result, const std::vector<Objective>& objectives) {
  std::vector<std::string> texts;
  texts.reserve(objectives.size());
  for (const Objective& objective : objectives) texts.push_back(objective.shown());
  const std::string what = fmt::format("{}", fmt::join(texts, ", "));
  std::string text;
  if (result.rate > 0)
    text += fmt::format("{} calls/s keep {}{}\n", rate_text(result.rate), what,
                        result.confirmed ? "" : " in short runs; not confirmed by a longer one");
  else
    text += fmt::format("No rate was found that keeps {}\n", what);
  if (const SearchPoint* const best = result.best()) {
    const SetupCounts& setups = best->report.setups;
    text += fmt::format(
        "  there p50 {} ms, p99 {} ms, {} setups and releases a second; {} of the calls were not "
        "connected ({} refused, {} busy, {} unanswered of {})\n",
        ms(best->report.setup_latency.p50), ms(best->report.setup_latency.p99),
        rate_text(best->report.call_operations_per_s), share_text(not_connected_share(setups)),
        setups.refused, setups.busy, setups.unanswered, setups.attempted);
  }
  if (result.broken_rate > 0)
    text +=
        fmt::format("  {} calls/s do not: {}\n", rate_text(result.broken_rate), result.broken_by);
  switch (result.end) {
    case SearchEnd::kFound: break;
    case SearchEnd::kGenerator:
      text +=
          "  The generator is the limit, not the system: use more generators, or another machine "
          "for them.\n";
      break;
    case SearchEnd::kHighestRate:
      text += "  That is the highest rate that the search may try; the system may carry more.\n";
      break;
    case SearchEnd::kNoneKept:
      text += "  Not even the lowest rate that the search may try.\n";
      break;
    case SearchEnd::kNotConfirmed:
      text += "  What short runs kept, longer ones did not, also at lower rates.\n";
      break;
    case SearchEnd::kMostRuns: text += "  The search has used up the runs it may make.\n"; break;
    case SearchEnd::kStopped: text += "  The search was stopped before its end.\n"; break;
    case SearchEnd::kLost:
      text += fmt::format("  The search ended before its time: {}\n",
                          result.lost.empty() ? "a manager was lost" : result.lost);
      break;
  }
  return text;
}

}  // namespace xbind::callgen
