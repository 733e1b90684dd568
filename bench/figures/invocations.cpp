// Fig. 10: remote invocations at the manager.
#include <algorithm>
#include <array>
#include <cmath>

#include "bench/figures/curve.hpp"
#include "bench/figures/poisson.hpp"

namespace xbind::figures {

Result<Figure> invocations(Bench& bench) {
  const Scale& scale = bench.scale();
  Figure figure;
  figure.id = "fig10";
  figure.title = "Fig. 10: remote invocations at the manager";
  figure.about =
      "GIOP requests sent and taken by the manager a second, R, counted, against R = 2 r + 2 r n / "
      "T: r "
      "operations a second (a call is set up and released: two), n switches on the path, client "
      "batches of one. "
      "The paper's own formula is lost in its scan.";
  figure.csv = csv_head();
  struct Seen {
    double operations;
    double switches;
    double threshold;
    double invocations;
    double formula;
  };
  std::vector<Seen> seen;
  const auto look_at = [&](std::size_t threshold, std::size_t switches,
                           double rate) -> Result<bool> {
    System system = xbind_system(scale, threshold);
    system.switches = switches;
    const Point point = bench.point(system, rate, 10'000, 30'000);
    const auto shown = bench.measure(figure.id, point);
    if (!shown) return tl::make_unexpected(shown.error());
    figure.csv += csv_line(fmt::format("T={}", threshold), scale, point, *shown);
    if (!shown->sustained || shown->operations_per_s <= 0) return false;
    const double r = shown->operations_per_s;
    const auto n = static_cast<double>(switches);
    const auto t = static_cast<double>(threshold);
    seen.push_back({r, n, t, shown->invocations_per_s, 2 * r + 2 * r * n / t});
    return true;
  };

  constexpr std::array<std::size_t, 7> kThresholds{1, 2, 4, 5, 8, 10, 15};
  const std::vector<double> rates =
      scale.quick
          ? std::vector<double>{20, 40, 60, 80, 100, 120, 140}
          : std::vector<double>{20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150};
  plot::Plot plot;
  plot.title = figure.title + ", 3 switches";
  plot.x_label = rate_label(scale);
  plot.y_label = scale.speed == 1 ? "invocations per second"
                                  : "invocations per second / " + digits(scale.speed);
  plot.y_range = {0, 1000};
  plot.x_range = {0, 160};
  Table by_threshold{
      "3 switches, by T: invocations for one operation",
      {"T", "formula 2 + 6 / T", "counted, mean over the rates", "counted / formula"},
      {}};
  double worst_mean = 0;
  int colour = 0;
  for (const std::size_t threshold : kThresholds) {
    plot::Series counted{fmt::format("T={}", threshold), {}, plot::Look::kPoints, colour};
    plot::Series formula{"", {}, plot::Look::kDashed, colour};
    double sum = 0;
    std::size_t points = 0;
    for (const double rate : rates) {
      const auto carried = look_at(threshold, 3, rate);
      if (!carried) return tl::make_unexpected(carried.error());
      if (!*carried) break;
      const Seen& last = seen.back();
      counted.points.emplace_back(last.operations / 2 / scale.speed,
                                  last.invocations / scale.speed);
      sum += last.invocations / last.operations;
      ++points;
    }
    const double wanted = 2 + 6 / static_cast<double>(threshold);
    for (const double rate : {0.0, 150.0}) formula.points.emplace_back(rate, 2 * rate * wanted);
    plot.series.push_back(std::move(counted));
    plot.series.push_back(std::move(formula));
    ++colour;
    if (points == 0) continue;
    const double each = sum / static_cast<double>(points);
    worst_mean = std::max(worst_mean, std::abs(each / wanted - 1));
    figure.numbers.emplace_back(fmt::format("T={}, invocations for one operation", threshold),
                                each);
    by_threshold.rows.push_back(
        {fmt::format("{}", threshold), digits(wanted), digits(each), digits(each / wanted)});
  }
  plot.series.push_back({"T without bound: 2 r", {{0, 0}, {150, 600}}, plot::Look::kLine, 7});
  figure.pictures.push_back(
      {figure.id, "Points: counted. Dashed: the formula. The grey line is what no T goes below.",
       std::move(plot)});
  figure.tables.push_back(std::move(by_threshold));

  plot::Plot hops;
  hops.title = "Invocations for one operation by the length of the path";
  hops.x_label = "switches on the path, n";
  hops.y_label = "invocations / operation";
  Table by_switches{"20 calls/s, by the number of switches: invocations for one operation",
                    {"n", "T=1", "T=5", "T=10", "formula for T=1, 5, 10"},
                    {}};
  std::vector<std::vector<std::string>> rows(8);
  // Only the model can have both ends of a call on one switch.
  const std::size_t fewest = scale.speed == 1 ? 1 : 2;
  colour = 0;
  for (const std::size_t threshold : {1U, 5U, 10U}) {
    plot::Series counted{fmt::format("T={}", threshold), {}, plot::Look::kLinePoints, colour};
    plot::Series formula{"", {}, plot::Look::kDashed, colour++};
    for (std::size_t switches = fewest; switches <= 8; ++switches) {
      const auto carried = look_at(threshold, switches, 20);
      if (!carried) return tl::make_unexpected(carried.error());
      const auto n = static_cast<double>(switches);
      formula.points.emplace_back(n, 2 + 2 * n / static_cast<double>(threshold));
      std::string text = "not sustained";
      if (*carried) {
        const double each = seen.back().invocations / seen.back().operations;
        counted.points.emplace_back(n, each);
        text = digits(each);
      }
      rows[switches - 1].push_back(std::move(text));
    }
    hops.series.push_back(std::move(counted));
    hops.series.push_back(std::move(formula));
  }
  for (std::size_t at = fewest - 1; at < rows.size(); ++at) {
    const auto n = static_cast<double>(at + 1);
    std::vector<std::string> row{fmt::format("{}", at + 1)};
    row.insert(row.end(), rows[at].begin(), rows[at].end());
    row.push_back(fmt::format("{}, {}, {}", digits(2 + 2 * n), digits(2 + 2 * n / 5),
                              digits(2 + 2 * n / 10)));
    by_switches.rows.push_back(std::move(row));
  }
  figure.tables.push_back(std::move(by_switches));
  figure.pictures.push_back(
      {"fig10_switches", "Solid: counted. Dashed: the formula.", std::move(hops)});

  // For one operation, so that every point has the same weight.
  std::vector<Row> points;
  double worst = 0;
  for (const Seen& each : seen) {
    points.push_back({1, each.switches / each.threshold, each.invocations / each.operations});
    worst = std::max(worst, std::abs(each.invocations / each.formula - 1));
  }
  const auto fitted = fit_plane(points);
  figure.verdict.rule =
      "R = r (a + b n / T), fitted to all sustained points, has a and b within 10 % of 2; every "
      "sustained point is within 15 % of 2 r + 2 r n / T; and from T = 10 to 15 R falls by less "
      "than a tenth.";
  const double ten = 2 + 6.0 / 10;
  const double fifteen = 2 + 6.0 / 15;
  double small_gain = 1 - fifteen / ten;
  const auto number = [&](const char* name) {
    for (const auto& [known, value] : figure.numbers) {
      if (known == name) return value;
    }
    return std::nan("");
  };
  const double counted_gain = 1 - number("T=15, invocations for one operation") /
                                      number("T=10, invocations for one operation");
  if (std::isfinite(counted_gain)) small_gain = counted_gain;
  if (!fitted) {
    figure.verdict.decided = fmt::format("Only {} points were sustained: no fit.", seen.size());
    return figure;
  }
  figure.numbers.emplace_back("a", fitted->a);
  figure.numbers.emplace_back("b", fitted->b);
  figure.numbers.emplace_back("greatest distance of a point from the formula", worst);
  figure.verdict.shape = shape_of({std::abs(fitted->a - 2) <= 0.2 && std::abs(fitted->b - 2) <= 0.2,
                                   worst <= 0.15, small_gain < 0.1});
  figure.verdict.decided = fmt::format(
      "a = {}, b = {} over {} points; the worst point is {:.1f} % from the formula (means for 3 "
      "switches: at most {:.1f} %); T = 15 saves {:.1f} % against T = 10. Asymptote: {} r.",
      digits(fitted->a), digits(fitted->b), seen.size(), 100 * worst, 100 * worst_mean,
      100 * small_gain, digits(fitted->a));
  return figure;
}

}  // namespace xbind::figures
