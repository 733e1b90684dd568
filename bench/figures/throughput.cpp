// Fig. 6, 7 and 11: throughput against delay.
#include <algorithm>
#include <array>
#include <cmath>

#include "bench/figures/curve.hpp"

namespace xbind::figures {
namespace {

std::vector<double> rates_of(const Scale& scale, std::vector<double> quick,
                             std::vector<double> more) {
  if (!scale.quick) {
    quick.insert(quick.end(), more.begin(), more.end());
    std::sort(quick.begin(), quick.end());
  }
  return quick;
}

plot::Plot frame(const std::string& title, const Scale& scale) {
  plot::Plot plot;
  plot.title = title;
  plot.x_label = rate_label(scale);
  plot.y_label = "mean setup latency in ms";
  return plot;
}

double per_paper(double paper_ms, const Scale& scale) { return paper_ms / scale.speed; }

Table ceilings(const std::vector<Curve>& curves, const std::vector<std::string>& paper,
               const Scale& scale, Figure& figure) {
  Table table{
      "Highest rate sustained, in " + rate_label(scale),
      {"", "paper", "ours", "mean there (ms)", "99 % there (ms)", "mean at the lowest rate (ms)"},
      {}};
  for (std::size_t at = 0; at < curves.size(); ++at) {
    const Curve& curve = curves[at];
    figure.numbers.emplace_back(curve.name + ", ceiling", curve.ceiling);
    if (curve.points.empty()) {
      table.rows.push_back({curve.name, paper[at], "none", "", "", ""});
      continue;
    }
    const Shown& last = curve.points.back().shown;
    const Shown& first = curve.points.front().shown;
    figure.numbers.emplace_back(curve.name + ", mean ms at the ceiling", last.setup.mean);
    figure.numbers.emplace_back(curve.name + ", mean ms at the lowest rate", first.setup.mean);
    table.rows.push_back({curve.name, paper[at], digits(curve.ceiling), digits(last.setup.mean),
                          digits(last.setup.p99), digits(first.setup.mean)});
  }
  return table;
}

std::string paper_ceiling(std::size_t threshold) {
  if (threshold == 1) return "60 (at about 40 ms)";
  return threshold >= 10 ? "170 (at 85 ms), the large T" : "not given";
}

template <class Thresholds>
std::vector<std::string> paper_ceilings(const Thresholds& thresholds) {
  std::vector<std::string> ceilings;
  ceilings.reserve(thresholds.size());
  for (const std::size_t threshold : thresholds) ceilings.push_back(paper_ceiling(threshold));
  return ceilings;
}

}  // namespace

Result<Figure> three_managers(Bench& bench) {
  const Scale& scale = bench.scale();
  Figure figure;
  figure.id = "fig6";
  figure.title = "Fig. 6: throughput and delay of the three managers";
  figure.about =
      "Poisson arrivals, exponential holding of 0.5 s; xbind with T = 1, routes cached 5 s, "
      "more than 200 labels of each port cached, flush timeout 1 s. Every point is the mean of "
      "a run; curves end where the load is not carried any more.";
  figure.csv = csv_head();
  const auto rates =
      rates_of(scale, {1, 2, 4, 6, 8, 10, 12.5, 15, 17.5, 20, 22.5, 25, 30, 40, 50, 60},
               {3, 5, 7, 9, 11, 14, 16, 19, 21, 24, 27, 35, 45, 55});
  const auto ran = run_curves(bench, figure.id,
                              {baseline_system(scale, Engine::kSequential),
                               baseline_system(scale, Engine::kThreaded), xbind_system(scale, 1)},
                              rates, figure.csv);
  if (!ran) return tl::make_unexpected(ran.error());
  const std::vector<Curve>& curves = *ran;
  const Curve& sequential = curves[0];
  const Curve& threaded = curves[1];
  const Curve& xbind = curves[2];
  figure.tables.push_back(ceilings(
      curves, {"about 25", "about 25", "60 (at about 40 ms; 11.0 ms at 1 call/s)"}, scale, figure));

  // The regions, by the ratio of the two curves.
  Table regions{"xbind T=1 against sequential",
                {rate_label(scale), "sequential (ms)", "xbind (ms)", "xbind / sequential"},
                {}};
  double worst_gain = 0;
  double nearest = 0;
  double nearest_at = 0;
  bool compared = false;
  for (const Curve::At& at : xbind.points) {
    const double theirs = sequential.mean_at(at.rate);
    if (!std::isfinite(theirs)) continue;
    const double ratio = at.shown.setup.mean / theirs;
    regions.rows.push_back(
        {digits(at.rate), digits(theirs), digits(at.shown.setup.mean), digits(ratio)});
    if (at.rate < 10) worst_gain = std::max(worst_gain, ratio), compared = true;
    if (at.rate >= 10 && at.rate <= 25 && ratio > nearest) nearest = ratio, nearest_at = at.rate;
  }
  figure.tables.push_back(std::move(regions));
  const double baseline = std::max(sequential.ceiling, threaded.ceiling);
  const double more = sequential.ceiling > 0 ? xbind.ceiling / sequential.ceiling : 0;
  const bool gain = compared && worst_gain < 1;
  const bool parity = nearest >= 0.8 && nearest <= 1.25;
  const bool higher = xbind.ceiling > 1.3 * baseline && more >= 1.8;
  figure.numbers.emplace_back("xbind / sequential, greatest below 10 calls/s", worst_gain);
  figure.numbers.emplace_back("xbind / sequential, greatest from 10 to 25 calls/s", nearest);
  figure.numbers.emplace_back("xbind / sequential, ceiling", more);
  figure.verdict.rule =
      "Three regions. Gain: at every rate below 10 calls/s the mean latency of xbind is below that "
      "of the "
      "sequential manager. Parity: somewhere from 10 to 25 calls/s they are within a quarter of "
      "each other. "
      "Ceiling: xbind carries at least 1.8 times what the sequential manager carries (paper 2.4) "
      "and 1.3 "
      "times what the threaded one does.";
  figure.verdict.shape = shape_of({gain, parity, higher});
  figure.verdict.decided = fmt::format(
      "Gain {}: the ratio is at most {} below 10 calls/s. Parity {}: the ratio from 10 to 25 "
      "calls/s comes "
      "nearest to 1 with {} at {}. Ceiling {}: {} calls/s against {} sequential and {} threaded "
      "({} times "
      "the sequential one).",
      gain ? "yes" : "no", digits(worst_gain), parity ? "yes" : "no", digits(nearest),
      digits(nearest_at), higher ? "yes" : "no", digits(xbind.ceiling), digits(sequential.ceiling),
      digits(threaded.ceiling), digits(more));

  plot::Plot plot = frame(figure.title, scale);
  const double top = per_paper(150, scale);
  plot.width = 900;
  plot.x_range = {0, std::max(70.0, 1.1 * xbind.ceiling)};
  plot.y_range = {0, top};
  for (const Curve& curve : curves) {
    plot.series.push_back(mean_series(curve));
    plot.series.back().name += fmt::format(", up to {:.0f}/s", curve.ceiling);
  }
  if (scale.speed == 1) {
    plot.series.push_back({"paper: xbind T=1", {{1, 11.0}, {60, 40}}, plot::Look::kPoints, 7});
    plot.series.push_back({"", {{10, 0}, {10, top}}, plot::Look::kDashed, 7});
    plot.series.push_back(
        {"paper: the three regions", {{25, 0}, {25, top}}, plot::Look::kDashed, 7});
    // The paper's names of the regions over our curves, each with whether ours has such a region.
    const auto named = [](const char* name, bool ours) {
      return fmt::format("{}{}", name, ours ? "" : " (paper only)");
    };
    plot.remarks.push_back({0, 0.93 * top, named("gain", gain)});
    plot.remarks.push_back({10, (parity ? 0.93 : 0.86) * top, named("parity", parity)});
    plot.remarks.push_back({44.5, 0.93 * top, named("higher ceiling", higher)});
  }
  figure.pictures.push_back(
      {figure.id,
       "Mean setup latency; the key says where each manager saturates. "
       "Dashed uprights: the paper's regions; those marked \"paper only\" our "
       "curves do not have.",
       std::move(plot)});

  plot::Plot tail = frame("The same with the 99 % quantile", scale);
  tail.y_label = "setup latency in ms";
  tail.log_y = true;
  for (int at = 0; at < 3; ++at) {
    tail.series.push_back(mean_series(curves[static_cast<std::size_t>(at)], at));
    tail.series.push_back(p99_series(curves[static_cast<std::size_t>(at)], at));
  }
  figure.pictures.push_back({"fig6_p99", "Our addition: the tail.", std::move(tail)});
  return figure;
}

Result<Figure> thresholds(Bench& bench) {
  const Scale& scale = bench.scale();
  Figure figure;
  figure.id = "fig7";
  figure.title = "Fig. 7: the message threshold T";
  figure.about =
      "xbind with T from 1 to 15: a batch of commands goes to a SwitchServer when T wait, or one "
      "has waited "
      "for the flush timeout. Large T carry more and answer later; below a few calls a second they "
      "wait for "
      "the timeout.";
  figure.csv = csv_head();
  const std::array<std::size_t, 7> thresholds{1, 2, 4, 5, 8, 10, 15};
  const auto rates =
      rates_of(scale, {1, 3, 6, 10, 20, 30, 40, 50, 60, 75, 90, 105, 120, 135, 150, 165, 180},
               {2,  4,   8,   15,  25,  35,  45,  55,  65,  70,  80, 85,
                95, 100, 110, 115, 125, 130, 140, 145, 155, 160, 170});
  std::vector<System> systems;
  systems.reserve(thresholds.size());
  for (const std::size_t threshold : thresholds) systems.push_back(xbind_system(scale, threshold));
  const auto ran = run_curves(bench, figure.id, systems, rates, figure.csv);
  if (!ran) return tl::make_unexpected(ran.error());
  const std::vector<Curve>& curves = *ran;
  figure.tables.push_back(ceilings(curves, paper_ceilings(thresholds), scale, figure));

  bool rises = true;
  bool later = true;
  for (std::size_t at = 1; at < curves.size(); ++at) {
    rises = rises && curves[at].ceiling >= 0.97 * curves[at - 1].ceiling;
    const double here = curves[at].mean_at(20);
    const double before = curves[at - 1].mean_at(20);
    later = later && here > before;
  }
  const double flush_ms = per_paper(1'000, scale);
  const double most =
      curves.back().points.empty() ? 0 : curves.back().points.front().shown.setup.mean;
  const bool bounded = most > 0 && most <= flush_ms + curves.front().mean_at(1);
  const double ratio =
      curves.front().ceiling > 0 ? curves.back().ceiling / curves.front().ceiling : 0;
  figure.numbers.emplace_back("ceiling of T = 15 / ceiling of T = 1", ratio);
  figure.verdict.rule =
      "A family: each T carries at least what the T before it carries (3 % allowed); at 20 calls/s "
      "the mean "
      "latency rises with every T; at 1 call/s that of T = 15 is at most the flush timeout above "
      "that of "
      "T = 1; and T = 15 carries 2 to 4 times what T = 1 does (paper 2.8).";
  figure.verdict.shape = shape_of({rises, later, bounded, ratio >= 2 && ratio <= 4});
  figure.verdict.decided = fmt::format(
      "Ceilings rise: {} ({} calls/s with T = 1 to {} with T = 15, {} times). Latency at 20 "
      "calls/s rises: {} "
      "({} to {} ms). Bounded by the timeout: {} ({} ms at 1 call/s).",
      rises ? "yes" : "no", digits(curves.front().ceiling), digits(curves.back().ceiling),
      digits(ratio), later ? "yes" : "no", digits(curves.front().mean_at(20)),
      digits(curves.back().mean_at(20)), bounded ? "yes" : "no", digits(most));

  plot::Plot plot = frame(figure.title, scale);
  plot.log_y = true;
  plot.x_range = {0, std::max(190.0, 1.1 * curves.back().ceiling)};
  plot.y_range = {per_paper(8, scale), per_paper(1'000, scale)};
  for (const Curve& curve : curves) plot.series.push_back(mean_series(curve));
  if (scale.speed == 1) {
    plot.series.push_back(
        {"paper: T=1, large T", {{1, 11}, {60, 40}, {170, 85}}, plot::Look::kPoints, 7});
  }
  for (std::size_t at = 0; at < curves.size(); ++at) {
    if (curves[at].points.empty()) continue;
    plot.remarks.push_back(
        {curves[at].ceiling,
         std::min(per_paper(850, scale), curves[at].points.back().shown.setup.mean),
         fmt::format("{}", thresholds[at])});
  }
  figure.pictures.push_back(
      {figure.id, "Mean setup latency, logarithmic; the end of each curve is marked with its T.",
       plot});
  plot.title = "The same as the paper draws it";
  plot.log_y = false;
  plot.y_range = {0, per_paper(200, scale)};
  std::erase_if(plot.remarks, [](const plot::Remark& remark) { return remark.text.size() < 3; });
  figure.pictures.push_back({"fig7_linear", "Mean setup latency, linear.", std::move(plot)});
  return figure;
}

Result<Figure> load_regions(Bench& bench) {
  const Scale& scale = bench.scale();
  Figure figure;
  figure.id = "fig11";
  figure.title = "Fig. 11: three thresholds for three regions of load";
  figure.about =
      "T = 1, 4 and 10; and T chosen while calls run: by regions of the estimated rate (T = 1 "
      "below 50 "
      "calls/s, 4 to 100, 10 above, as in the paper), and our adaptive aggregation, which has no "
      "T.";
  figure.csv = csv_head();
  const auto rates =
      rates_of(scale, {1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 105, 120, 135, 150, 165},
               {3, 7, 15, 25, 35, 45, 55, 65, 75, 85, 95, 100, 110, 115, 125, 130, 140, 145});
  std::vector<System> systems;
  for (const std::size_t threshold : {1U, 4U, 10U})
    systems.push_back(xbind_system(scale, threshold));
  // The rates of the regions are settings of the manager: on a faster system all of them would lie
  // below its load.
  const bool with_regions = scale.speed == 1;
  if (with_regions) {
    systems.push_back(xbind_system(scale, 1));
    systems.back().gathering = Gathering::kRegions;
  }
  systems.push_back(xbind_system(scale, 1));
  systems.back().gathering = Gathering::kAdaptive;
  const auto ran = run_curves(bench, figure.id, systems, rates, figure.csv);
  if (!ran) return tl::make_unexpected(ran.error());
  const std::vector<Curve>& curves = *ran;
  std::vector<std::string> paper = paper_ceilings(std::array<std::size_t, 3>{1, 4, 10});
  if (with_regions) paper.emplace_back("chosen by the rate");
  paper.emplace_back("ours");
  figure.tables.push_back(ceilings(curves, paper, scale, figure));
  const Curve& adaptive = curves.back();
  const auto best_at = [&](double rate) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t at = 0; at < 3; ++at) {
      const double mean = curves[at].mean_at(rate);
      if (mean < best) best = mean;
    }
    return best;
  };
  const bool order = curves[0].ceiling < curves[1].ceiling && curves[1].ceiling < curves[2].ceiling;
  const bool low = curves[0].mean_at(20) < curves[1].mean_at(20) &&
                   curves[1].mean_at(20) < curves[2].mean_at(20);
  bool crossed = false;  // T = 4 beats T = 1 before T = 1 ends
  for (const Curve::At& at : curves[0].points) {
    const double four = curves[1].mean_at(at.rate);
    crossed = crossed || (std::isfinite(four) && four < at.shown.setup.mean);
  }
  double worst = 0;
  double worst_at = 0;
  Table table{
      "Chosen while calls run, against the best of T = 1, 4, 10",
      {rate_label(scale), "best T (ms)", "regions (ms)", "adaptive (ms)", "adaptive / best"},
      {}};
  for (const Curve::At& at : adaptive.points) {
    const double best = best_at(at.rate);
    if (!std::isfinite(best)) continue;
    const double ratio = at.shown.setup.mean / best;
    if (ratio > worst) worst = ratio, worst_at = at.rate;
    table.rows.push_back({digits(at.rate), digits(best),
                          with_regions ? digits(curves[3].mean_at(at.rate)) : "not run",
                          digits(at.shown.setup.mean), digits(ratio)});
  }
  figure.tables.push_back(std::move(table));
  figure.numbers.emplace_back("adaptive / best fixed T, worst", worst);
  const bool near_best = worst > 0 && worst <= 1.10;
  figure.verdict.rule =
      "Three regions are enough: at 20 calls/s T = 1 is the fastest and T = 10 the slowest; T = 4 "
      "becomes faster than T = 1 before that one's ceiling; the ceilings rise from T = 1 over 4 to "
      "10; and adaptive aggregation takes at most 1.10 times the mean latency of the best of the "
      "three at any load.";
  figure.verdict.shape = shape_of({order, low, crossed, near_best});
  figure.verdict.decided = fmt::format(
      "At 20 calls/s {}, {} and {} ms; T = 4 overtakes T = 1: {}; ceilings {}, {} and {} calls/s; "
      "adaptive {}: at worst {} times the best, at {} calls/s.",
      digits(curves[0].mean_at(20)), digits(curves[1].mean_at(20)), digits(curves[2].mean_at(20)),
      crossed ? "yes" : "no", digits(curves[0].ceiling), digits(curves[1].ceiling),
      digits(curves[2].ceiling), near_best ? "yes" : "no", digits(worst), digits(worst_at));
  if (scale.speed == 1) {
    figure.remarks.emplace_back(
        "The curves are not measured alike: with adaptive aggregation the model's processes take "
        "all messages that are there before they act, as our daemons do; with T and with regions "
        "they take one at a time, as the paper's. So the adaptive curve's higher ceiling is not "
        "due to its aggregation alone.");
  }
  if (!with_regions) {
    figure.remarks.emplace_back(
        "Regions are not run: their rates (50 and 100 calls/s) are settings of the manager and "
        "mean nothing on a system of another speed.");
  }

  plot::Plot plot = frame(figure.title, scale);
  plot.log_y = true;
  plot.x_range = {0, std::max(190.0, 1.1 * adaptive.ceiling)};
  plot.y_range = {per_paper(8, scale), per_paper(1'000, scale)};
  for (const Curve& curve : curves) plot.series.push_back(mean_series(curve));
  figure.pictures.push_back({figure.id, "Mean setup latency, logarithmic.", std::move(plot)});
  return figure;
}

}  // namespace xbind::figures
