#include "bench/search/soak.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "callgen/statistics/distributions.hpp"
#include "core/check.hpp"

namespace xbind::callgen {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kHour_s = 3600;

std::vector<TrendPoint> after(const std::vector<TrendPoint>& points, double from_s) {
  std::vector<TrendPoint> later;
  for (const TrendPoint& point : points) {
    if (point.at_s >= from_s) later.push_back(point);
  }
  return later;
}

double end_of(const SoakSeries& series) {
  double end_s = 0;
  for (const TrendPoint& point : series.p50_us) end_s = std::max(end_s, point.at_s);
  for (const auto& [process, points] : series.rss_mb) {
    for (const TrendPoint& point : points) end_s = std::max(end_s, point.at_s);
  }
  return end_s;
}

SoakVerdict verdict_of(const SoakLine& line, std::size_t points, std::size_t fewest) {
  if (points < fewest) return SoakVerdict::kTooShort;
  if (line.high < *line.bound) return SoakVerdict::kFlat;
  return line.low > *line.bound ? SoakVerdict::kGrows : SoakVerdict::kTooShort;
}

}  // namespace

Trend trend_of(const std::vector<TrendPoint>& points) {
  Trend trend{.points = points.size(), .low_per_s = -kInfinite, .high_per_s = kInfinite};
  if (points.empty()) return trend;
  const auto n = static_cast<double>(points.size());
  double mean_t = 0;
  for (const TrendPoint& point : points) {
    mean_t += point.at_s / n;
    trend.mean += point.value / n;
  }
  double tt = 0;
  double tv = 0;
  for (const TrendPoint& point : points) {
    tt += (point.at_s - mean_t) * (point.at_s - mean_t);
    tv += (point.at_s - mean_t) * (point.value - trend.mean);
  }
  if (points.size() < 3 || tt <= 0) return trend;
  trend.slope_per_s = tv / tt;

  double squares = 0;
  double neighbours = 0;
  double before = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double residual =
        points[i].value - trend.mean - trend.slope_per_s * (points[i].at_s - mean_t);
    squares += residual * residual;
    if (i > 0) neighbours += residual * before;
    before = residual;
  }
  const double alike = squares > 0 ? std::clamp(neighbours / squares, 0.0, 0.99) : 0;
  const double effective = n * (1 - alike) / (1 + alike);
  if (effective < 3) return trend;  // the points are nearly copies of each other
  const double error = std::sqrt(squares / (effective - 2) / tt);
  const double half = student_half_width(effective - 2, 0.95) * error;
  trend.low_per_s = trend.slope_per_s - half;
  trend.high_per_s = trend.slope_per_s + half;
  return trend;
}

std::string_view to_string(SoakVerdict verdict) {
  switch (verdict) {
    case SoakVerdict::kFlat: return "flat";
    case SoakVerdict::kGrows: return "grows";
    case SoakVerdict::kTooShort: return "too short to tell";
  }
  XB_CHECK(false);
}

SoakVerdict SoakFindings::verdict() const {
  bool any = false;
  bool short_of = false;
  for (const SoakLine& line : lines) {
    if (!line.bound) continue;
    any = true;
    if (line.verdict == SoakVerdict::kGrows) return SoakVerdict::kGrows;
    short_of = short_of || line.verdict == SoakVerdict::kTooShort;
  }
  return any && !short_of ? SoakVerdict::kFlat : SoakVerdict::kTooShort;
}

SoakFindings judge_soak(const SoakSeries& series, const SoakRule& rule) {
  SoakFindings findings;
  const double end_s = end_of(series);
  const double from_s = rule.not_judged * end_s;
  findings.judged_s = end_s - from_s;
  for (const auto& [process, all] : series.rss_mb) {
    const Trend trend = trend_of(after(all, from_s));
    SoakLine line{"memory of " + process,
                  "MB",
                  trend.mean,
                  trend.slope_per_s * kHour_s,
                  trend.low_per_s * kHour_s,
                  trend.high_per_s * kHour_s,
                  rule.mb_per_hour};
    line.verdict = verdict_of(line, trend.points, rule.fewest);
    findings.lines.push_back(std::move(line));
  }
  const auto latency = [&](const char* what, const std::vector<TrendPoint>& all,
                           std::optional<double> bound) {
    const Trend trend = trend_of(after(all, from_s));
    // A mean of zero has no relative growth: nothing was measured.
    const double scale = trend.mean > 0 ? findings.judged_s / trend.mean : kInfinite;
    SoakLine line{what,
                  "us",
                  trend.mean,
                  trend.slope_per_s * scale,
                  trend.low_per_s * scale,
                  trend.high_per_s * scale,
                  bound};
    if (bound && trend.mean > 0) line.verdict = verdict_of(line, trend.points, rule.fewest);
    if (trend.points > 0) findings.lines.push_back(std::move(line));
  };
  latency("p50 of setups", series.p50_us, rule.p50_drift);
  latency("p99 of setups", series.p99_us, std::nullopt);
  return findings;
}

std::string to_text(const SoakFindings& findings, const SoakRule& rule) {
  std::string text = fmt::format("Judged: the last {:.0f} s\n", findings.judged_s);
  for (const SoakLine& line : findings.lines) {
    const bool memory = line.unit == "MB";
    const double factor = memory ? 1 : 100;
    text += fmt::format("  {:<32} mean {:>9.2f} {}  growth {:+.2f} {} ({:+.2f} to {:+.2f})  {}\n",
                        line.what, line.mean, line.unit, factor * line.growth,
                        memory ? "MB/h" : "%", factor * line.low, factor * line.high,
                        line.bound ? to_string(line.verdict) : "not judged");
  }
  text += fmt::format(
      "Verdict: {}. Flat is growth of less than {:g} MB/h of every process, and of less than {:g} "
      "% of "
      "the\nmedian over the time judged, with 95 % confidence.\n",
      to_string(findings.verdict()), rule.mb_per_hour, 100 * rule.p50_drift);
  return text;
}

}  // namespace xbind::callgen
