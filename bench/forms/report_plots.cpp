#include <algorithm>
#include <cmath>

#include "bench/forms/report_page.hpp"
#include "core/duration_numbers.hpp"

namespace xbind::callgen {
namespace {

// On a logarithmic scale shorter times are shown as a microsecond, the finest time of interest.
double shown_ms(Duration duration) { return std::max(1e-3, in_ms(duration)); }

struct Curve {
  const char* name;
  const Histogram* histogram;
};

std::vector<Curve> curves_of(const RunReport& report) {
  std::vector<Curve> curves;
  const auto add = [&](RequestKind kind, const char* name, Histogram KindStatistics::*member) {
    const auto found = report.kinds.find(kind);
    if (found == report.kinds.end()) return;
    const Histogram& histogram = found->second.*member;
    if (histogram.count() > 0) curves.push_back({name, &histogram});
  };
  add(RequestKind::kSetup, "setup", &KindStatistics::latency);
  add(RequestKind::kSetup, "setup, from send", &KindStatistics::from_send);
  add(RequestKind::kSetup, "setup refused", &KindStatistics::refusal);
  add(RequestKind::kRelease, "release", &KindStatistics::latency);
  add(RequestKind::kHold, "hold", &KindStatistics::latency);
  add(RequestKind::kCommit, "commit", &KindStatistics::latency);
  add(RequestKind::kModify, "modify", &KindStatistics::latency);
  add(RequestKind::kAddLeaf, "add leaf", &KindStatistics::latency);
  add(RequestKind::kDropLeaf, "drop leaf", &KindStatistics::latency);
  if (report.slip.count() > 0) curves.push_back({"generator late", &report.slip});
  return curves;
}

NamedPlot percentiles(const std::vector<Curve>& curves) {
  NamedPlot made{"percentiles", {}, ""};
  made.plot.title = "Latency by percentile";
  made.plot.x_label = "one in N is slower (10: p90, 100: p99, 1000: p99.9)";
  made.plot.y_label = "ms";
  made.plot.log_x = made.plot.log_y = true;
  for (const Curve& curve : curves) {
    plot::Series series{curve.name, {}, plot::Look::kLine, -1};
    std::uint64_t seen = 0;
    for (const Histogram::Bucket& bucket : curve.histogram->filled()) {
      seen += bucket.count;
      const auto slower = static_cast<double>(curve.histogram->count() - seen);
      const auto all = static_cast<double>(curve.histogram->count());
      // The slowest value of all is drawn at one in `count`.
      series.points.emplace_back(all / std::max(1.0, slower),
                                 shown_ms(std::min(bucket.highest, curve.histogram->max())));
    }
    made.plot.series.push_back(std::move(series));
  }
  made.caption =
      "Both scales are logarithmic. The right end of a curve is its maximum; where a curve has few "
      "requests left, the last steps are single ones. From send leaves out what the generator was "
      "late.";
  return made;
}

NamedPlot distribution(const std::vector<Curve>& curves) {
  NamedPlot made{"distribution", {}, ""};
  made.plot.title = "Answered within";
  made.plot.x_label = "ms";
  made.plot.y_label = "% of the requests";
  made.plot.log_x = true;
  made.plot.y_range = {0, 100};
  made.plot.key = plot::Key::kRight;
  for (const Curve& curve : curves) {
    plot::Series series{curve.name, {}, plot::Look::kLine, -1};
    std::uint64_t seen = 0;
    for (const Histogram::Bucket& bucket : curve.histogram->filled()) {
      seen += bucket.count;
      series.points.emplace_back(
          shown_ms(std::min(bucket.highest, curve.histogram->max())),
          100 * static_cast<double>(seen) / static_cast<double>(curve.histogram->count()));
    }
    made.plot.series.push_back(std::move(series));
  }
  made.caption = "The cumulative distribution of the same latencies.";
  return made;
}

double middle_s(const Series& series, std::size_t row) {
  return std::chrono::duration<double>(series.interval()).count() *
         (static_cast<double>(row) + 0.5);
}

NamedPlot rates(const Series& series, double duration_s) {
  NamedPlot made{"rates", {}, ""};
  const double length_s = std::chrono::duration<double>(series.interval()).count();
  made.plot.title = "Rates over time";
  made.plot.x_label = "seconds since the start";
  made.plot.y_label = "a second";
  const auto add = [&](const char* name, auto&& value, plot::Look look) {
    plot::Series line{name, {}, look, -1};
    bool any = false;
    for (std::size_t i = 0; i < series.rows().size(); ++i) {
      const auto count = static_cast<double>(value(series.rows()[i]));
      any = any || count > 0;
      // The last interval ends with the run.
      const double begin_s = length_s * static_cast<double>(i);
      const double lasted_s = std::clamp(duration_s - begin_s, 0.05 * length_s, length_s);
      line.points.emplace_back(begin_s + lasted_s / 2, count / lasted_s);
    }
    if (any) made.plot.series.push_back(std::move(line));
  };
  using Row = Series::Row;
  add(
      "setups planned", [](const Row& row) { return row.planned; }, plot::Look::kDashed);
  add(
      "setups sent", [](const Row& row) { return row.sent; }, plot::Look::kLine);
  add(
      "connected", [](const Row& row) { return row.connected; }, plot::Look::kLinePoints);
  add(
      "refused or busy", [](const Row& row) { return row.refused + row.busy; },
      plot::Look::kLinePoints);
  add(
      "released", [](const Row& row) { return row.released; }, plot::Look::kLine);
  add(
      "others answered", [](const Row& row) { return row.others; }, plot::Look::kLine);
  add(
      "not answered", [](const Row& row) { return row.unanswered; }, plot::Look::kLinePoints);
  made.caption =
      "What was planned, sent and answered in each interval. The first interval lacks what was "
      "still on its way at its end, the last ones are the drain.";
  return made;
}

NamedPlot latency_over_time(const Series& series) {
  NamedPlot made{"latency-over-time", {}, ""};
  made.plot.title = "Setup latency over time";
  made.plot.x_label = "seconds since the start (of the answers)";
  made.plot.y_label = "ms";
  made.plot.log_y = true;
  for (const auto& [name, percent] : {std::pair{"p50", 50.0}, std::pair{"p99", 99.0}}) {
    plot::Series line{name, {}, plot::Look::kLinePoints, -1};
    for (std::size_t i = 0; i < series.rows().size(); ++i) {
      const Series::Row& row = series.rows()[i];
      line.points.emplace_back(middle_s(series, i),
                               row.connected > 0 ? in_ms(row.percentile(percent)) : std::nan(""));
    }
    made.plot.series.push_back(std::move(line));
  }
  made.caption = "From the planned arrival, of the calls that were connected in the interval.";
  return made;
}

}  // namespace

std::vector<NamedPlot> report_plots(const RunReport& report) {
  std::vector<NamedPlot> plots;
  if (const auto curves = curves_of(report); !curves.empty()) {
    plots.push_back(percentiles(curves));
    plots.push_back(distribution(curves));
  }
  if (report.series.rows().size() > 1) {
    plots.push_back(rates(report.series, report.duration_s));
    plots.push_back(latency_over_time(report.series));
  }
  return plots;
}

}  // namespace xbind::callgen
