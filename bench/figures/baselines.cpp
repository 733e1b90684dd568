// B1 and B2: one call at a time (paper, section III-B).
#include <array>

#include "bench/figures/figure.hpp"

namespace xbind::figures {
namespace {

struct PaperRow {
  const char* name;
  double paper;
  double Latency::*ours;
};

constexpr std::array<PaperRow, 5> kSequential{{{"min", 20.0, &Latency::min},
                                               {"5 %", 20.5, &Latency::p5},
                                               {"mean", 23.4, &Latency::mean},
                                               {"95 %", 31.0, &Latency::p95},
                                               {"max", 63.3, &Latency::max}}};
constexpr std::array<PaperRow, 5> kThreaded{{{"min", 22.5, &Latency::min},
                                             {"5 %", 23.1, &Latency::p5},
                                             {"mean", 24.9, &Latency::mean},
                                             {"95 %", 35.1, &Latency::p95},
                                             {"max", 213, &Latency::max}}};

Result<Shown> one_at_a_time(Bench& bench, const std::string& figure, Engine engine, Point& point) {
  // The paper's rate for parallel calls: here it only bounds the time and offers nothing.
  point = bench.point(baseline_system(bench.scale(), engine), 25, 10'000, 100'000);
  point.load.one_at_a_time = true;
  return bench.measure(figure, point);
}

void fill(Figure& figure, const Scale& scale, const Point& point, const Shown& shown,
          const std::array<PaperRow, 5>& rows) {
  figure.csv = csv_head() + csv_line(engine_word(point.system), scale, point, shown);
  Table table{"Setup latency in milliseconds", {"", "paper", "ours", "ours / paper"}, {}};
  plot::Plot plot;
  plot.title = figure.title;
  plot.x_label = "five numbers of the distribution";
  plot.y_label = "setup latency in ms";
  plot.log_y = true;
  plot.x_range = {0.5, static_cast<double>(rows.size()) + 0.5};
  // Five numbers are five points: the shape between them is unknown.
  plot::Series paper{"paper", {}, plot::Look::kPoints, 1};
  plot::Series ours{"ours", {}, plot::Look::kPoints, 0};
  constexpr double kAside = 0.1;  // offset, so that equal values do not hide each other
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const PaperRow& row = rows[at];
    const double value = shown.setup.*row.ours;
    table.rows.push_back({row.name, digits(row.paper), digits(value), digits(value / row.paper)});
    figure.numbers.emplace_back(fmt::format("{} ms", row.name), value);
    figure.numbers.emplace_back(fmt::format("{} ms, paper", row.name), row.paper);
    const double place = static_cast<double>(at) + 1;
    plot.x_words.emplace_back(place, row.name);
    paper.points.emplace_back(place - kAside, row.paper);
    ours.points.emplace_back(place + kAside, value);
    plot.remarks.push_back({place + kAside, value, digits(value)});
  }
  plot.series = {std::move(paper), std::move(ours)};
  figure.tables.push_back(std::move(table));
  figure.pictures.push_back({figure.id, "Five numbers of one distribution.", std::move(plot)});
}

}  // namespace

Result<Figure> baseline_one_at_a_time(Bench& bench) {
  Point point;
  const auto shown = one_at_a_time(bench, "b1", Engine::kSequential, point);
  if (!shown) return tl::make_unexpected(shown.error());
  Figure figure;
  figure.id = "b1";
  figure.title = "B1: sequential manager, one call at a time";
  figure.about =
      "One request at a time, every invocation two-way, nothing cached. The paper's are 1 000 "
      "operations.";
  fill(figure, bench.scale(), point, *shown, kSequential);
  const Latency& ours = shown->setup;
  const double spread = ours.p95 / ours.p5;
  const double skew = (ours.p95 - ours.mean) / (ours.mean - ours.p5);
  figure.verdict.rule =
      "The distribution starts steeply and has a tail to the right: the 5 % quantile is within "
      "10 % of the minimum, the 95 % quantile is 1.2 to 2 times the 5 % one (paper 1.51) and "
      "further above the mean than the 5 % one is below it, and the maximum is above the 95 % "
      "quantile.";
  const bool any = ours.count > 0;
  figure.verdict.shape =
      shape_of({any && ours.p5 <= 1.1 * ours.min, any && spread >= 1.2 && spread <= 2,
                any && skew > 1, any && ours.max > ours.p95});
  figure.verdict.decided = fmt::format(
      "5 % / min {}, 95 % / 5 % {}, (95 % - mean) / (mean - 5 %) {} (paper 2.62), max / 95 % {}.",
      digits(ours.p5 / ours.min), digits(spread), digits(skew), digits(ours.max / ours.p95));
  if (bench.scale().speed == 1) {
    figure.remarks.emplace_back(
        "The model's constants were fitted to these numbers: this figure is a fit, not a "
        "prediction.");
  }
  return figure;
}

Result<Figure> threaded_one_at_a_time(Bench& bench) {
  Point point;
  Point sequential_point;
  const auto shown = one_at_a_time(bench, "b2", Engine::kThreaded, point);
  if (!shown) return tl::make_unexpected(shown.error());
  const auto sequential = one_at_a_time(bench, "b2", Engine::kSequential, sequential_point);
  if (!sequential) return tl::make_unexpected(sequential.error());
  Figure figure;
  figure.id = "b2";
  figure.title = "B2: threaded manager, one call at a time";
  figure.about =
      "The same with a pool of threads. The paper found it slightly less efficient, and gives "
      "locks and "
      "context switches as the reason.";
  fill(figure, bench.scale(), point, *shown, kThreaded);
  const double ratio = shown->setup.mean / sequential->setup.mean;
  figure.numbers.emplace_back("threaded / sequential, mean", ratio);
  // Numbers that agree to the last digit come from a source that does not distinguish the two
  // managers.
  const Latency& threaded = shown->setup;
  const Latency& alone = sequential->setup;
  const bool same = threaded.min == alone.min && threaded.p5 == alone.p5 &&
                    threaded.mean == alone.mean && threaded.p95 == alone.p95 &&
                    threaded.max == alone.max;
  figure.verdict.rule =
      "Threads bring nothing when one call is made at a time: the mean is 1.00 to 1.25 times that "
      "of the sequential manager (paper 1.06), in a run that is not B1's run again.";
  figure.verdict.shape = shape_of({!same && ratio >= 0.9995 && ratio <= 1.25});
  figure.verdict.decided = fmt::format(
      "Mean {} ms, sequential {} ms: {} times; {} of the paper's 24.9 ms.{}", digits(threaded.mean),
      digits(alone.mean), digits(ratio), digits(threaded.mean / 24.9),
      same ? " This is B1's run again, number for number: it says nothing of threads." : "");
  if (bench.scale().speed == 1) {
    figure.remarks.emplace_back(
        "In the model threads cost nothing: the paper's locks and context switches (1.5 ms of "
        "24.9) are not in its constants, which were fitted to B1 and T = 1 alone.");
  }
  return figure;
}

}  // namespace xbind::figures
