#include "callgen/report/model_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xbind::callgen {
namespace {

ModelCheck not_judged(ModelCheck check, std::string why) {
  check.judged = false;
  check.passed = true;
  check.why = std::move(why);
  return check;
}

ModelCheck judged(ModelCheck check, std::string why) {
  check.judged = true;
  check.passed = std::abs(check.measured - check.expected) <= check.tolerance;
  check.why = std::move(why);
  return check;
}

std::string too_few() { return fmt::format("fewer than {} calls", kFewestForChecks); }

constexpr const char* kNoLaw = "arrivals of this kind follow no single distribution of gaps";

double slip_p99_s(const RunReport& report) { return report.generator_slip.p99 / 1e6; }

ModelCheck planned_arrivals(const RunReport& report) {
  const ArrivalFigures& planned = report.arrivals_planned;
  if (report.arrivals == Arrivals::kPoisson) {
    ModelCheck check{.name = "planned gaps exponential (Kolmogorov-Smirnov)",
                     .measured = planned.distance,
                     .tolerance = ks_limit(std::max<std::uint64_t>(1, planned.gaps))};
    if (planned.gaps < kFewestForChecks) return not_judged(check, too_few());
    return judged(check, "exceeded once in 1000 runs by chance");
  }
  ModelCheck check{.name = "planned gaps all the same (their variation)",
                   .measured = planned.variation,
                   .tolerance = 1e-3};
  if (report.arrivals != Arrivals::kConstant) return not_judged({.name = "planned gaps"}, kNoLaw);
  if (planned.gaps < 2) return not_judged(check, "fewer than 2 calls");
  return judged(check, "whole nanoseconds");
}

ModelCheck sent_arrivals(const RunReport& report) {
  const ArrivalFigures& sent = report.arrivals_sent;
  // At the greatest rate a lag blurs a gap most.
  const double rate = std::max(sent.rate, report.peak_setups_per_s.value_or(0));
  const double blur = rate * slip_p99_s(report);
  constexpr double kMostBlur = 0.2;
  if (report.arrivals == Arrivals::kPoisson) {
    ModelCheck check{.name = "sent gaps exponential (Kolmogorov-Smirnov)",
                     .measured = sent.distance,
                     .tolerance = ks_limit(std::max<std::uint64_t>(1, sent.gaps)) + blur};
    if (sent.gaps < kFewestForChecks) return not_judged(check, too_few());
    if (blur > kMostBlur)
      return not_judged(check,
                        "gaps are shorter than the generator's lag, so requests are sent together");
    return judged(check, "once in 1000 runs by chance, and rate x p99 of the generator's lag");
  }
  ModelCheck check{.name = "sent gaps all the same (their variation)",
                   .measured = sent.variation,
                   .tolerance = 2 * blur + 0.05};
  if (report.arrivals != Arrivals::kConstant) return not_judged({.name = "sent gaps"}, kNoLaw);
  if (sent.gaps < kFewestForChecks) return not_judged(check, too_few());
  if (blur > kMostBlur)
    return not_judged(check,
                      "gaps are shorter than the generator's lag, so requests are sent together");
  return judged(check, "two p99 of the generator's lag against a gap, and 0.05");
}

ModelCheck little(const RunReport& report, const OccupancyFigures& system, std::string name) {
  const Occupancy::Figures& seen = system.seen;
  ModelCheck check{.name = std::move(name)};
  if (seen.end_s > 0 && report.generators == 1) {
    check.measured = seen.area_s / seen.end_s;
    check.expected = system.stays_s / seen.end_s;
  }
  check.tolerance = 0.01 * check.expected + 1e-3;
  if (seen.end_s > 0) check.tolerance += seen.shifted_s / seen.end_s;
  if (report.generators > 1) return not_judged(check, "judged for each generator alone");
  if (seen.arrivals < kFewestForChecks) return not_judged(check, too_few());
  if (seen.arrivals != seen.departures)
    return not_judged(check, fmt::format("{} of {} calls did not leave",
                                         seen.arrivals - std::min(seen.arrivals, seen.departures),
                                         seen.arrivals));
  if (seen.shifted_s > 0.05 * seen.area_s)
    return not_judged(
        check, fmt::format("{} events were reported too late to be sorted", seen.late_events));
  return judged(check,
                "1 %, plus the shift of events reported too late; the run begins and ends empty");
}

ModelCheck pasta(const RunReport& report) {
  const Occupancy::Figures& seen = report.in_setup.seen;
  ModelCheck check{.name = "calls in setup, as arrivals find them against over time (PASTA)",
                   .measured = seen.mean_at_arrivals,
                   .expected = seen.mean_over_time};
  constexpr double kErrors = 4.5;
  constexpr std::uint64_t kFewestBatches = 10;
  check.tolerance = kErrors * seen.difference_error + 0.05 * seen.mean_over_time + 0.01;
  if (report.generators > 1) return not_judged(check, "judged for each generator alone");
  if (report.arrivals != Arrivals::kPoisson) return not_judged(check, "arrivals are not Poisson");
  // More calls find the system while the rate is high, and so more calls in setup.
  if (!report.rate_changes.empty()) return not_judged(check, "the rate changed during the run");
  if (seen.arrivals < kFewestForChecks || seen.batches < kFewestBatches)
    return not_judged(check, too_few());
  if (seen.shifted_s > 0.05 * seen.area_s)
    return not_judged(
        check, fmt::format("{} events were reported too late to be sorted", seen.late_events));
  return judged(check, "4.5 standard errors of batches of arrivals, 5 % and 0.01");
}

ModelCheck lag(const RunReport& report) {
  ModelCheck check{.name = "the generator's lag, p99 in ms",
                   .measured = report.generator_slip.p99 / 1000,
                   .tolerance = slip_limit_us(report) / 1000};
  return judged(check, "10 ms or ten mean gaps between calls");
}

ModelCheck rate(const RunReport& report) {
  ModelCheck check{.name = "calls sent a second",
                   .measured = report.sent_setups_per_s,
                   .expected = report.offered_setups_per_s,
                   .tolerance = rate_tolerance(report) * report.offered_setups_per_s};
  if (!(report.offered_setups_per_s > 0)) return not_judged(check, "no rate was requested");
  if (!has_asked_rate(report))
    return not_judged(check, "interrupted: the requested mean rate is that of the whole run");
  if (report.setups.attempted < kFewestForRate) return not_judged(check, too_few());
  return judged(check, "5 %, or five standard deviations of a Poisson mean");
}

ModelCheck shed(const RunReport& report) {
  return judged({.name = "calls not sent because too many were open",
                 .measured = static_cast<double>(report.shed)},
                "none may be left out");
}

}  // namespace

std::vector<ModelCheck> model_checks(const RunReport& report) {
  return {
      planned_arrivals(report), sent_arrivals(report), pasta(report),
      little(report, report.in_setup, "calls in setup: mean number = rate x mean time (Little)"),
      little(report, report.up, "calls up: mean number = rate x mean time (Little)")};
}

std::vector<ModelCheck> all_checks(const RunReport& report) {
  std::vector<ModelCheck> checks{lag(report), rate(report), shed(report)};
  for (ModelCheck& check : model_checks(report)) checks.push_back(std::move(check));
  return checks;
}

std::string sentence_of(const ModelCheck& failed) {
  return fmt::format("{}: measured {:.4g}, expected {:.4g}, tolerance {:.4g} ({})", failed.name,
                     failed.measured, failed.expected, failed.tolerance, failed.why);
}

}  // namespace xbind::callgen
