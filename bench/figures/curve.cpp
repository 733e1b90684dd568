#include "bench/figures/curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/search/rate_search.hpp"

namespace xbind::figures {
namespace {

constexpr std::uint64_t kQuickCalls = 10'000;
constexpr std::uint64_t kFullCalls = 20'000;
constexpr double kStepBeyond = 1.0 + 1.0 / 7;
constexpr double kPrecision = 0.02;
constexpr int kStepsBeyondMost = 40;  // a factor of 200

}  // namespace

double Curve::mean_at(double rate) const {
  for (std::size_t at = 0; at < points.size(); ++at) {
    if (points[at].rate == rate) return points[at].shown.setup.mean;
    if (at == 0 || points[at - 1].rate > rate || points[at].rate < rate) continue;
    const double share = (rate - points[at - 1].rate) / (points[at].rate - points[at - 1].rate);
    return points[at - 1].shown.setup.mean +
           share * (points[at].shown.setup.mean - points[at - 1].shown.setup.mean);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Result<Curve> run_curve(Bench& bench, const std::string& figure, const System& system,
                        const std::vector<double>& rates, std::string& csv) {
  Curve curve;
  curve.name = engine_word(system);
  curve.system = system;
  callgen::RateSearch search({.rates = rates,
                              .growth = kStepBeyond,
                              .precision = kPrecision,
                              .lowest = rates.front(),
                              .highest = rates.back() * std::pow(kStepBeyond, kStepsBeyondMost)});
  while (const auto rate = search.next()) {
    const Point point = bench.point(system, *rate, kQuickCalls, kFullCalls);
    const auto shown = bench.measure(figure, point);
    if (!shown) return tl::make_unexpected(shown.error());
    csv += csv_line(curve.name, bench.scale(), point, *shown);
    if (shown->sustained) curve.points.push_back({*rate, *shown});
    search.add(*rate, shown->sustained);
  }
  curve.ceiling = search.kept();
  std::sort(curve.points.begin(), curve.points.end(),
            [](const Curve::At& a, const Curve::At& b) { return a.rate < b.rate; });
  return curve;
}

Result<std::vector<Curve>> run_curves(Bench& bench, const std::string& figure,
                                      const std::vector<System>& systems,
                                      const std::vector<double>& rates, std::string& csv) {
  std::vector<Curve> curves;
  for (const System& system : systems) {
    auto curve = run_curve(bench, figure, system, rates, csv);
    if (!curve) return tl::make_unexpected(curve.error());
    curves.push_back(std::move(*curve));
  }
  return curves;
}

plot::Series mean_series(const Curve& curve, int colour) {
  plot::Series series{curve.name, {}, plot::Look::kLinePoints, colour};
  for (const Curve::At& at : curve.points) series.points.emplace_back(at.rate, at.shown.setup.mean);
  return series;
}

plot::Series p99_series(const Curve& curve, int colour) {
  plot::Series series{curve.name + ", 99 %", {}, plot::Look::kDashed, colour};
  for (const Curve::At& at : curve.points) series.points.emplace_back(at.rate, at.shown.setup.p99);
  return series;
}

std::string rate_label(const Scale& scale) {
  if (scale.speed == 1) return "call setups per second";
  return fmt::format("call setups per second / {}", digits(scale.speed));
}

}  // namespace xbind::figures
