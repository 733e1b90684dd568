// The pages of saturate, overload and soak.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "bench/page/page.hpp"
#include "bench/plot/plot.hpp"
#include "bench/search/mode_forms.hpp"

namespace xbind::callgen {
namespace {

using page::Cell;
using page::Tone;

Cell number(double value, int digits) {
  return {.text = fmt::format("{:.{}f}", value, digits), .number = true};
}
Cell number(std::uint64_t value) { return {.text = fmt::format("{}", value), .number = true}; }

// "-" when no call was connected.
Cell ms(const LatencySummary& latency, double us) {
  return latency.count == 0 ? Cell{.text = "-", .number = true} : number(us / 1000, 3);
}

// A paragraph for each line.
void words(page::Page& page, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) page.paragraph(line);
}

Result<void> picture(page::Page& page, const plot::Plot& plot, std::string_view caption) {
  const auto svg = plot::draw(plot, plot::Form::kSvg);
  if (!svg) return tl::make_unexpected(svg.error());
  page.picture(*svg, caption);
  return {};
}

// Of the measured points, by rate.
plot::Series curve(std::string name, std::vector<std::pair<double, double>> points,
                   plot::Look look = plot::Look::kLinePoints) {
  std::sort(points.begin(), points.end());
  return {.name = std::move(name), .points = std::move(points), .look = look};
}

void manifest(page::Page& page, const RunReport& report) {
  std::string text;
  for (const auto& [name, value] : report.manifest) text += fmt::format("{} = {}\n", name, value);
  page.folded("Manifest", text);
}

// The objectives that the point broke, and its other troubles.
std::string why_not(const SearchPoint& point) {
  std::string why;
  for (const Judged& judged : point.judged) {
    if (!judged.kept) why += (why.empty() ? "" : "; ") + to_text(judged);
  }
  for (const std::string& trouble : point.troubles) why += (why.empty() ? "" : "; ") + trouble;
  return why;
}

Tone tone_of(PointVerdict verdict) {
  switch (verdict) {
    case PointVerdict::kKept: return Tone::kGood;
    case PointVerdict::kBroken: return Tone::kBad;
    case PointVerdict::kVoid: return Tone::kWarning;
  }
  return Tone::kPlain;
}

}  // namespace

Result<std::string> page_of(const SearchResult& result, const std::vector<Objective>& objectives) {
  page::Page page("xbind-callgen saturate");
  page.banner(result.rate > 0 ? fmt::format("{:.0f} calls a second", result.rate)
                              : std::string{"No rate was found"},
              result.confirmed ? Tone::kGood : Tone::kWarning);
  words(page, to_text(result, objectives));

  std::vector<std::pair<double, double>> p50;
  std::vector<std::pair<double, double>> p99;
  std::vector<std::pair<double, double>> operations;
  for (const SearchPoint& point : result.points) {
    if (!measures(point.kind)) continue;
    if (point.report.setup_latency.count > 0) {
      p50.emplace_back(point.rate, point.report.setup_latency.p50 / 1000);
      p99.emplace_back(point.rate, point.report.setup_latency.p99 / 1000);
    }
    operations.emplace_back(point.rate, point.report.call_operations_per_s);
  }
  plot::Plot latency{.title = "Setup latency",
                     .x_label = "calls offered a second",
                     .y_label = "ms",
                     .log_x = true,
                     .log_y = true,
                     .series = {curve("p50", p50), curve("p99", p99)},
                     .remarks = {}};
  if (const auto bound = setup_bound_us(objectives); bound && !p99.empty()) {
    const auto [least, most] = std::minmax_element(p99.begin(), p99.end());
    latency.series.push_back(curve("objective",
                                   {{least->first, *bound / 1000}, {most->first, *bound / 1000}},
                                   plot::Look::kDashed));
  }
  if (const auto drawn = picture(page, latency, "Every run, from the planned arrival"); !drawn)
    return tl::make_unexpected(drawn.error());
  const plot::Plot throughput{.title = "Throughput",
                              .x_label = "calls offered a second",
                              .y_label = "setups and releases a second",
                              .log_x = true,
                              .log_y = true,
                              .series = {curve("", operations)},
                              .remarks = {},
                              .key = plot::Key::kNone};
  if (const auto drawn = picture(page, throughput, "Over the whole run, the drain included");
      !drawn)
    return tl::make_unexpected(drawn.error());

  page.heading("Every run");
  std::vector<std::vector<Cell>> rows;
  for (const SearchPoint& point : result.points) {
    const RunReport& report = point.report;
    const bool judges = measures(point.kind);
    rows.push_back(
        {{.text = std::string{to_string(point.kind)}},
         number(point.rate, 1),
         number(report.setups.connected),
         number(report.planned_calls - std::min(report.setups.connected, report.planned_calls)),
         {.text = share_text(not_connected_share(report.setups)), .number = true},
         ms(report.setup_latency, report.setup_latency.p50),
         ms(report.setup_latency, report.setup_latency.p99),
         number(report.call_operations_per_s, 0),
         {.text = judges ? std::string{to_string(point.verdict)} : "",
          .tone = judges ? tone_of(point.verdict) : Tone::kPlain},
         {.text = judges ? why_not(point) : ""}});
  }
  page.table({"run", "rate", "connected", "not connected", "share", "p50 ms", "p99 ms",
              "operations/s", "verdict", "because"},
             rows);
  if (!result.points.empty()) manifest(page, result.points.back().report);
  return page.html();
}

Result<std::string> page_of(const OverloadResult& result, const OverloadPlan& plan) {
  page::Page page("xbind-callgen overload");
  const int code = result.exit_code();
  page.banner(code == 0   ? "Holds and recovers"
              : code == 1 ? "Does not hold, or does not recover"
                          : "Cannot tell",
              code == 0   ? Tone::kGood
              : code == 1 ? Tone::kBad
                          : Tone::kWarning);
  words(page, to_text(result, plan));
  std::vector<std::pair<double, double>> goodput;
  std::vector<std::pair<double, double>> connected;
  std::vector<std::pair<double, double>> again;
  std::vector<std::vector<Cell>> rows;
  double most_rate = plan.rate;
  for (const OverloadPoint& point : result.points) {
    const RunReport& report = point.report;
    most_rate = std::max(most_rate, point.rate);
    (point.recovery ? again : goodput).emplace_back(point.rate, point.goodput_per_s);
    if (!point.recovery)
      connected.emplace_back(point.rate, static_cast<double>(report.setups.connected) * point.rate /
                                             static_cast<double>(report.planned_calls));
    rows.push_back({{.text = fmt::format("{:g}x{}", point.factor, point.recovery ? " again" : "")},
                    number(point.rate, 1),
                    number(point.goodput_per_s, 1),
                    number(report.setups.connected),
                    number(report.setups.refused),
                    number(report.setups.busy),
                    number(report.setups.unanswered),
                    ms(report.setup_latency, report.setup_latency.p50),
                    ms(report.setup_latency, report.setup_latency.p99),
                    {.text = point.generator_limited ? "void" : "",
                     .tone = point.generator_limited ? Tone::kWarning : Tone::kPlain}});
  }
  const plot::Plot curves{
      .title = "Goodput",
      .x_label = "calls offered a second",
      .y_label = "calls a second",
      .series = {curve("in time", goodput), curve("connected", connected),
                 curve("in time, at 1x again", again, plot::Look::kPoints),
                 curve("offered", {{0, 0}, {most_rate, most_rate}}, plot::Look::kDashed)},
      .remarks = {}};
  if (const auto drawn = picture(page, curves,
                                 fmt::format("In time: connected within {:g} ms of the planned "
                                             "arrival",
                                             plan.bound_us / 1000));
      !drawn)
    return tl::make_unexpected(drawn.error());
  page.table({"load", "offered/s", "in time/s", "connected", "refused", "busy", "unanswered",
              "p50 ms", "p99 ms", ""},
             rows);
  if (!result.points.empty()) manifest(page, result.points.front().report);
  return page.html();
}

Result<std::string> page_of(const SoakFindings& findings, const SoakSeries& series,
                            const SoakRule& rule) {
  page::Page page("xbind-callgen soak");
  const SoakVerdict verdict = findings.verdict();
  page.banner(to_string(verdict), verdict == SoakVerdict::kFlat    ? Tone::kGood
                                  : verdict == SoakVerdict::kGrows ? Tone::kBad
                                                                   : Tone::kWarning);
  if (series.interrupted) page.banner("INTERRUPTED before its end", Tone::kWarning);
  std::vector<std::vector<Cell>> rows;
  for (const SoakLine& line : findings.lines) {
    const bool memory = line.unit == "MB";
    const double factor = memory ? 1 : 100;
    const auto growth = [&](double value) {
      return fmt::format("{:+.2f} {}", factor * value, memory ? "MB/h" : "%");
    };
    rows.push_back({{.text = line.what},
                    {.text = fmt::format("{:.2f} {}", line.mean, line.unit), .number = true},
                    {.text = growth(line.growth), .number = true},
                    {.text = growth(line.low) + " to " + growth(line.high), .number = true},
                    {.text = line.bound ? std::string{to_string(line.verdict)} : "not judged",
                     .tone = !line.bound || line.verdict == SoakVerdict::kTooShort ? Tone::kPlain
                             : line.verdict == SoakVerdict::kFlat                  ? Tone::kGood
                                                                                   : Tone::kBad}});
  }
  page.table({"", "mean", "growth", "95 % interval", "verdict"}, rows);
  page.paragraph(
      fmt::format("Judged are the last {:.0f} s. Flat is growth of less than {:g} MB/h of every "
                  "process, and of "
                  "less than {:g} % of the median over the time judged, with 95 % confidence.",
                  findings.judged_s, rule.mb_per_hour, 100 * rule.p50_drift));
  const auto points = [](const std::vector<TrendPoint>& all, double factor) {
    std::vector<std::pair<double, double>> made;
    made.reserve(all.size());
    for (const TrendPoint& point : all) made.emplace_back(point.at_s, factor * point.value);
    return made;
  };
  plot::Plot memory{
      .title = "Memory", .x_label = "s", .y_label = "MB", .series = {}, .remarks = {}};
  for (const auto& [process, all] : series.rss_mb)
    memory.series.push_back(curve(process, points(all, 1), plot::Look::kLine));
  if (const auto drawn = picture(page, memory, "Resident, of each process"); !drawn)
    return tl::make_unexpected(drawn.error());
  const plot::Plot latency{.title = "Setup latency",
                           .x_label = "s",
                           .y_label = "ms",
                           .log_y = true,
                           .series = {curve("p50", points(series.p50_us, 1e-3)),
                                      curve("p99", points(series.p99_us, 1e-3))},
                           .remarks = {}};
  if (const auto drawn = picture(page, latency, "Of the calls connected in each window"); !drawn)
    return tl::make_unexpected(drawn.error());
  return page.html();
}

}  // namespace xbind::callgen
