#include "bench/search/overload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/search/rate_search.hpp"

namespace xbind::callgen {
namespace {

constexpr double kAllOfIt = 0.99;  // of the offered calls in time: no overload

struct Driver {
  const OverloadPlan& plan;
  const RunOptions& base;
  const RunFunction& run;
  const StopFunction& stop;
  const std::function<void(const OverloadPoint&)>& after_run;
  OverloadResult result;

  // Whether to go on. Only the first run's error is an error of the whole.
  Result<bool> point(double factor, bool recovery) {
    if (stop()) {
      result.stopped = true;
      return false;
    }
    const RunOptions options =
        at_rate(base, factor * plan.rate, plan.point_s, plan.fewest, result.points.size());
    auto report = run(options);
    if (report ? report->interrupted : stop()) {  // interrupted by the operator: no result
      result.stopped = true;
      return false;
    }
    if (!report) {
      if (result.points.empty()) return tl::make_unexpected(report.error());
      result.stopped = true;
      result.lost = report.error().text;
      return false;
    }
    OverloadPoint point;
    point.factor = factor;
    point.recovery = recovery;
    point.rate = options.rate;
    point.within = connected_within(*report, plan.bound_us);
    point.goodput_per_s =
        static_cast<double>(point.within) * options.rate / static_cast<double>(options.calls);
    point.generator_limited = generator_was_the_limit(*report);
    point.report = std::move(*report);
    const bool lost = point.report.target_lost;
    result.points.push_back(std::move(point));
    after_run(result.points.back());
    if (!lost) return true;
    result.stopped = true;
    result.lost = "a manager was lost";
    return false;
  }

  void judge_factors() {
    double best_per_s = 0;
    double least_left = 0;
    for (const OverloadPoint& point : result.points) {
      if (point.generator_limited) continue;
      best_per_s = std::max(best_per_s, point.goodput_per_s);
      if (point.factor <= plan.factors.front() || best_per_s == 0) continue;
      if (point.goodput_per_s < kAllOfIt * point.rate) result.overloaded = true;
      const double left = point.goodput_per_s / best_per_s;
      if (result.worst_factor > 0 && left >= least_left) continue;
      least_left = left;
      result.worst_factor = point.factor;
      result.worst_per_s = point.goodput_per_s;
      result.best_per_s = best_per_s;
    }
    result.holds = result.worst_factor > 0 && least_left >= plan.keep;
  }
};

// Of the calls at the lowest load, those that were connected in time; 1 when nothing is known.
double first_share(const OverloadResult& result) {
  if (result.points.empty() || result.points.front().generator_limited) return 1;
  const OverloadPoint& first = result.points.front();
  const auto planned = static_cast<double>(first.report.planned_calls);
  return planned > 0 ? static_cast<double>(first.within) / planned : 1;
}

}  // namespace

int OverloadResult::exit_code() const {
  if (stopped) return lost.empty() ? kInterruptedCode : 1;
  if (worst_factor == 0) return 3;
  return holds && recovers ? 0 : 1;
}

std::uint64_t connected_within(const RunReport& report, double bound_us) {
  const Duration bound{std::llround(bound_us * 1000)};
  std::uint64_t within = 0;
  const auto setups = report.kinds.find(RequestKind::kSetup);
  if (setups == report.kinds.end()) return 0;
  const Histogram& latency = setups->second.latency;
  for (const Histogram::Bucket& bucket : latency.filled()) {
    if (std::min(bucket.highest, latency.max()) <= bound) within += bucket.count;
  }
  return within;
}

Result<OverloadResult> overload(const OverloadPlan& plan, const RunOptions& base,
                                const RunFunction& run, const StopFunction& stop,
                                const std::function<void(const OverloadPoint&)>& after_run) {
  Driver driver{plan, base, run, stop, after_run, {}};
  for (const double factor : plan.factors) {
    const auto more = driver.point(factor, false);
    if (!more) return tl::make_unexpected(more.error());
    if (!*more) break;
  }
  OverloadResult& result = driver.result;
  driver.judge_factors();
  for (std::uint32_t i = 0; i < plan.most_recoveries && !result.stopped; ++i) {
    const auto more = driver.point(plan.factors.front(), true);
    if (!more) return tl::make_unexpected(more.error());
    if (!*more) break;
    const OverloadPoint& again = result.points.back();
    result.recovered_after_s += static_cast<double>(again.report.planned_calls) / again.rate;
    if (again.goodput_per_s < plan.back * result.points.front().goodput_per_s) continue;
    result.recovers = true;
    break;
  }
  return std::move(driver.result);
}

std::string to_text(const OverloadPoint& point) {
  const RunReport& report = point.report;
  const SetupCounts& setups = report.setups;
  const auto ms = [known = report.setup_latency.count > 0](double us) {
    return known ? fmt::format("{:.2f}", us / 1000) : std::string{"-"};
  };
  return fmt::format(
      "{:>4.3g}x {:<5} {:>9}/s offered  {:>9}/s in time  {} connected, {} refused, {} busy, {} "
      "unanswered  p50 {} ms  p99 {} ms{}",
      point.factor, point.recovery ? "again" : "", rate_text(point.rate),
      rate_text(point.goodput_per_s), setups.connected, setups.refused, setups.busy,
      setups.unanswered, ms(report.setup_latency.p50), ms(report.setup_latency.p99),
      point.generator_limited ? "  (void: the generator could not offer it)" : "");
}

std::string to_text(const OverloadResult& result, const OverloadPlan& plan) {
  std::string text;
  if (result.worst_factor > 0)
    text +=
        fmt::format("Goodput within {:g} ms at {:g}x: {}/s, {:.0f} % of the best so far, {}/s\n",
                    plan.bound_us / 1000, result.worst_factor, rate_text(result.worst_per_s),
                    100 * result.worst_per_s / result.best_per_s, rate_text(result.best_per_s));
  else if (!result.points.empty() && result.points.front().within == 0)
    text += fmt::format("No call was connected within {:g} ms: there is no goodput to keep\n",
                        plan.bound_us / 1000);
  else
    text += "No overload could be offered: the generator is the limit\n";
  // A collapse is judged against the best goodput, however little of the offered load that is.
  if (const double left = first_share(result); left < kAllOfIt)
    text += fmt::format(
        "Even at {:g}x only {} of the calls were connected within {:g} ms ({} were refused or "
        "busy): that rate is more than the system carries\n",
        plan.factors.front(), share_text(left), plan.bound_us / 1000,
        share_text(refused_share(result.points.front().report.setups)));
  if (result.worst_factor > 0 && !result.overloaded)
    text += fmt::format(
        "That was no overload: all that was offered was done in time, up to {}/s; a higher --rate "
        "would show one\n",
        rate_text(plan.rate * plan.factors.back()));
  if (result.recovers)
    text +=
        fmt::format("Back to {:g} % of the goodput at {:g}x within {:.1f} s of offering it again\n",
                    100 * plan.back, plan.factors.front(), result.recovered_after_s);
  else if (!result.stopped)
    text += fmt::format(
        "NOT back to {:g} % of the goodput at {:g}x after {:.1f} s of offering it again\n",
        100 * plan.back, plan.factors.front(), result.recovered_after_s);
  if (result.stopped)
    text +=
        fmt::format("Ended before its time{}{}\n", result.lost.empty() ? "" : ": ", result.lost);
  switch (result.exit_code()) {
    case 0: text += "Verdict: OK, the system holds and recovers."; break;
    case 1:
      text += fmt::format("Verdict: FAILED, the system {}.", !result.lost.empty() ? "was lost"
                                                             : !result.holds
                                                                 ? "collapses under overload"
                                                                 : "does not recover");
      break;
    default: text += "Verdict: cannot tell."; break;
  }
  return text + fmt::format(
                    " It holds when the goodput under overload is at least {:g} % of that at lower "
                    "loads.\n",
                    100 * plan.keep);
}

}  // namespace xbind::callgen
