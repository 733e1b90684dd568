#include "bench/forms/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "callgen/report/model_checks.hpp"
#include "callgen/report/rounding.hpp"

namespace xbind::callgen {
namespace {

using page::Cell;
using page::Page;
using page::Tone;
using Rows = std::vector<std::vector<Cell>>;

Cell word(std::string text, Tone tone = Tone::kPlain) { return {std::move(text), tone, false}; }
Cell number(std::string text, Tone tone = Tone::kPlain) { return {std::move(text), tone, true}; }
Cell count(std::uint64_t value, Tone tone = Tone::kPlain) {
  return number(grouped(value, kNarrowSpace), tone);
}
// No more digits than a figure measured once deserves.
std::string digits(double value) { return rounded(value, kNarrowSpace); }
std::string counted(std::uint64_t value) { return grouped(value, kNarrowSpace); }
Cell figure(double value) { return number(digits(value)); }
// "-" for a figure that is not known.
Cell figure(const std::optional<double>& value) { return value ? figure(*value) : number("-"); }
Cell ms(double us) { return figure(us / 1000); }
std::string share(double part) { return part >= 1 ? "100 %" : digits(100 * part) + " %"; }
double per(double part, double whole) { return whole > 0 ? part / whole : 0; }

void verdict(const RunReport& report, Page& page) {
  const Verdict verdict = judge(report);
  std::size_t said = 0;  // remarks
  if (verdict.ok && verdict.many_refused && report.setups.connected > 0)
    page.banner("OK, but " + verdict.remarks.at(said++), Tone::kWarning);
  else if (verdict.ok)
    page.banner(report.setups.connected > 0
                    ? "OK: every call was answered, every connected one released, nothing leaked"
                    : "OK: no call was connected, as --expect-refusals accepts; nothing leaked",
                Tone::kGood);
  else if (verdict.interrupted && !verdict.failed)
    page.banner(interruption_of(report), Tone::kWarning);
  else if (verdict.failed)
    page.banner(verdict.is_void ? "FAILED and VOID" : "FAILED", Tone::kBad);
  else
    page.banner("VOID: the figures belong to another load than the requested one", Tone::kWarning);
  if (verdict.interrupted && verdict.failed) page.paragraph(interruption_of(report) + ".");
  for (const std::string& reason : verdict.reasons) page.paragraph(reason + ".");
  for (; said < verdict.remarks.size(); ++said) page.paragraph(verdict.remarks[said] + ".");
}

// Adaptive aggregation has no threshold to show.
std::string aggregation_of(const RunReport& report) {
  if (report.aggregation.empty()) return "unknown";
  if (report.aggregation == "adaptive") return "adaptive";
  return fmt::format("{} (threshold {})", report.aggregation, report.threshold);
}

void offered(const RunReport& report, Page& page) {
  page.paragraph(fmt::format(
      "{} calls at {} a second, {} arrivals, each held {} s on average; {} switches, engine "
      "{}, "
      "aggregation {}. In {} s {} of them were connected, {} a second, and {} operations "
      "(setups and releases) were done a second; at most {} calls were up at a time.",
      counted(report.planned_calls), digits(report.offered_setups_per_s),
      to_string(report.arrivals), digits(report.hold_mean_s), report.switches,
      report.engine.empty() ? "unknown" : report.engine, aggregation_of(report),
      digits(report.duration_s), counted(report.setups.connected), digits(report.setups_per_s),
      digits(report.call_operations_per_s), counted(report.calls_up_peak)));
  if (!report.rate_changes.empty()) {
    page.subheading("Changes of the rate during the run");
    Rows rows;
    for (const RateChange& change : report.rate_changes)
      rows.push_back({number(fmt::format("{:.1f}", change.at_s)), word(sentence_of(change))});
    page.table({"at s", "change"}, rows);
  }
  if (report.generators > 1)
    page.paragraph(fmt::format("Offered by {} generators at the same time.", report.generators));
  if (report.warm_up_s > 0)
    page.paragraph(
        fmt::format("The first {} s are warm-up: counted, but in no latency and no rate.",
                    digits(report.warm_up_s)));
  if (report.steady_from_s && *report.steady_from_s > report.warm_up_s)
    page.paragraph(fmt::format("By MSER-5 setup latency is steady from {} s on.",
                               digits(*report.steady_from_s)));
}

void outcomes(const RunReport& report, Page& page) {
  page.heading("Results of the requests", "outcomes");
  Rows rows;
  for (const auto& [kind, statistics] : report.kinds) {
    const auto all = static_cast<double>(total_of(statistics.outcomes));
    for (std::size_t i = 0; i < statistics.outcomes.size(); ++i) {
      if (statistics.outcomes[i] == 0) continue;
      const auto outcome = static_cast<OutcomeClass>(i);
      const bool lost = outcome == OutcomeClass::kUnanswered || outcome == OutcomeClass::kShed;
      const Tone tone = outcome == OutcomeClass::kSuccess ? Tone::kGood
                        : lost                            ? Tone::kBad
                                                          : Tone::kWarning;
      rows.push_back({word(std::string(to_string(kind))),
                      word(std::string(phrase_of(outcome)), tone), count(statistics.outcomes[i]),
                      number(share(per(static_cast<double>(statistics.outcomes[i]), all)))});
    }
    rows.push_back({word(std::string(to_string(kind))), word("together"),
                    count(total_of(statistics.outcomes)), number("100 %")});
  }
  page.table({"request", "came to", "requests", "share"}, rows);
  if (report.refusals.by_place().empty()) return;
  Rows places;
  for (const auto& [place, times] : report.refusals.by_place())
    places.push_back({word(place), count(times)});
  page.subheading("Refusals by cause and place");
  page.table({"cause", "times"}, places);
}

void parts(const std::vector<PartReport>& parts, const char* what, Page& page) {
  if (parts.empty()) return;
  page.subheading(what);
  Rows rows;
  for (const PartReport& part : parts) {
    const bool any = part.setup_latency.count > 0;
    rows.push_back({word(part.what.empty() ? part.name : part.name + ": " + part.what),
                    count(part.attempted), count(part.connected),
                    count(part.refused + part.busy,
                          part.refused + part.busy > 0 ? Tone::kWarning : Tone::kPlain),
                    count(part.unanswered, part.unanswered > 0 ? Tone::kBad : Tone::kPlain),
                    any ? ms(part.setup_latency.p50) : number("-"),
                    any ? ms(part.setup_latency.p99) : number("-")});
  }
  page.table({"", "calls", "connected", "refused or busy", "unanswered", "p50 ms", "p99 ms"}, rows);
}

void events(const RunReport& report, Page& page) {
  if (report.events.empty()) return;
  page.subheading("Events");
  Rows rows;
  for (const EventReport& event : report.events)
    rows.push_back({word(event.name), word(event.command),
                    number(event.at_s ? fmt::format("{:.1f}", *event.at_s) : "not run"),
                    number(fmt::format("{:.1f}", event.duration_s)),
                    event.exit_code ? number(fmt::format("{}", *event.exit_code),
                                             event.done() ? Tone::kGood : Tone::kBad)
                                    : number("none", Tone::kBad),
                    word(event.said)});
  page.table({"event", "command", "at s", "took s", "exit code", "said"}, rows);
}

void latency_rows(const std::string& what, const Histogram& histogram, Rows& rows) {
  if (histogram.count() == 0) return;
  const LatencySummary summary = summary_of(histogram);
  const auto few = too_few_for(summary.count);
  const auto percentile = [&few](const char* name, double us) {
    const bool says_little = std::find(few.begin(), few.end(), name) != few.end();
    return number(digits(us / 1000) + (says_little ? "*" : ""));
  };
  rows.push_back({word(what), count(summary.count), ms(summary.mean), ms(summary.sd),
                  ms(summary.min), percentile("p5", summary.p5), percentile("p50", summary.p50),
                  percentile("p90", summary.p90), percentile("p95", summary.p95),
                  percentile("p99", summary.p99), percentile("p999", summary.p999),
                  few.empty() ? ms(summary.p9999) : number("too few"), ms(summary.max)});
}

void interval(const char* what, const std::optional<BatchMeans::Interval>& interval, Page& page) {
  if (!interval) return;
  page.paragraph(
      fmt::format("Mean {} latency by {} batches of {} s: {} ms ± {} ms (Student, 95 %).", what,
                  interval->batches, digits(interval->span_s), digits(interval->mean_us / 1000),
                  digits(interval->half_width_us / 1000)));
}

void latencies(const RunReport& report, Page& page) {
  page.heading("Latency in ms", "latency");
  Rows rows;
  for (const auto& [kind, statistics] : report.kinds) {
    const std::string name(to_string(kind));
    latency_rows(name, statistics.latency, rows);
    latency_rows(name + ", from send", statistics.from_send, rows);
    latency_rows(name + " refused or busy", statistics.refusal, rows);
    latency_rows(name + ": generator late", statistics.slip, rows);
  }
  page.table({"", "count", "mean", "s.d.", "min", "p5", "p50", "p90", "p95", "p99", "p99.9",
              "p99.99", "max"},
             rows);
  page.paragraph(
      "From the planned moment to the answer, unless it says from send. Percentiles are at most "
      "1/128 "
      "above the truth. * fewer than ten requests lie beyond it, so it says little.");
  interval("setup", report.setup_mean_interval, page);
  interval("release", report.release_mean_interval, page);
}

Result<void> pictures(const RunReport& report, Page& page) {
  for (const NamedPlot& one : report_plots(report)) {
    const auto svg = plot::draw(one.plot, plot::Form::kSvg);
    if (!svg) return tl::make_unexpected(svg.error());
    page.picture(*svg, one.caption);
  }
  return {};
}

// One bar of stages, each as wide as its share.
std::string stack_picture(const std::vector<StageMean>& stack) {
  static constexpr std::array<const char*, 12> kColours{"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                                        "#56b4e9", "#d55e00", "#999933", "#882255",
                                                        "#44aa99", "#777777", "#332288", "#ddcc77"};
  constexpr double kWidth = 720;
  double total = 0;
  for (const StageMean& stage : stack) total += stage.mean_us;
  const double height = 60 + 20 * static_cast<double>(stack.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 {0:.0f}\" width=\"760\" "
      "height=\"{0:.0f}\" font-family=\"sans-serif\" font-size=\"13\" stroke=\"none\"><rect "
      "width=\"760\" "
      "height=\"{0:.0f}\" fill=\"white\"/>",
      height);
  double x = 20;
  double y = 70;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const double width = kWidth * per(stack[i].mean_us, total);
    const char* const colour = kColours[i % kColours.size()];
    svg += fmt::format(
        "<rect x=\"{:.2f}\" y=\"14\" width=\"{:.2f}\" height=\"34\" fill=\"{}\"/>"
        "<rect x=\"20\" y=\"{:.0f}\" width=\"12\" height=\"12\" fill=\"{}\"/>"
        "<text x=\"40\" y=\"{:.0f}\" fill=\"#222\">{}: {} µs, {} %</text>",
        x, width, colour, y - 11, colour, y, page::escaped(stack[i].name), digits(stack[i].mean_us),
        digits(100 * per(stack[i].mean_us, total)));
    x += width;
    y += 20;
  }
  return svg + "</svg>";
}

void stages(const RunReport& report, Page& page) {
  auto stack = setup_stack(report);
  // Stages that take no time are left out of the picture; the table lists them.
  std::erase_if(stack, [](const StageMean& stage) { return stage.mean_us < 0.05; });
  if (!stack.empty()) {
    page.heading("Where the time of a mean setup went", "stages");
    page.picture(
        stack_picture(stack),
        "From its sending to its answer. The first part is the total as the client saw it less "
        "the total as the manager saw it. The SwitchServer's and the GSMP's parts are means over "
        "all batches of the run, those of releases among them.");
  }
  Rows rows;
  const auto add = [&rows](const char* who, const Metrics& grown) {
    for (const auto& [operation, stages] : stages_of(grown)) {
      for (const StageMean& stage : stages)
        rows.push_back({word(fmt::format("{}, {}", who, operation)), word(stage.name),
                        count(stage.count), figure(stage.mean_us)});
    }
  };
  add("manager", report.managers_grown);
  add("SwitchServers", report.switchservers_grown);
  if (rows.empty()) return;
  if (stack.empty()) page.heading("Stages", "stages");
  page.table({"of", "stage", "counted", "mean µs"}, rows);
}

std::vector<Cell> cost_row(const std::string& name, const ProcessCost& process,
                           const RunReport& report, double operations) {
  const auto shared = [](std::optional<double> amount, double whole) -> std::optional<double> {
    return amount && whole > 0 ? std::optional{*amount / whole} : std::nullopt;
  };
  const auto switches = context_switches(process);
  const auto scaled = [](std::optional<double> amount, double factor) -> std::optional<double> {
    return amount ? std::optional{*amount * factor} : std::nullopt;
  };
  return {word(name),
          figure(process.cpu_s),
          figure(shared(scaled(process.cpu_s, 1e6), operations)),
          figure(scaled(shared(process.cpu_s, report.duration_s), 100)),
          figure(shared(switches ? std::optional{static_cast<double>(*switches)} : std::nullopt,
                        operations)),
          figure(process.rss_before_mb),
          figure(process.rss_full_mb),
          figure(process.rss_after_mb),
          figure(shared(scaled(rss_growth_mb(process), 1024),
                        static_cast<double>(report.calls_up_at_full)))};
}

void cost(const RunReport& report, Page& page) {
  page.heading("What it cost", "cost");
  const auto operations = static_cast<double>(report.setups.connected + report.releases.released);
  page.paragraph(counters_words(report, kNarrowSpace) + ".");
  std::string costs;
  if (operations > 0) {
    costs = fmt::format(
        "An operation is a connected setup or a release. {} client batches an "
        "operation",
        digits(per(static_cast<double>(report.batches), operations)));
    if (!report.unknown.contains("remote_invocations"))
      costs += fmt::format("; {} remote invocations an operation",
                           digits(per(static_cast<double>(report.remote_invocations), operations)));
  }
  if (const auto resent = report.managers_grown.find("batches_resent");
      resent != report.managers_grown.end())
    costs += fmt::format("{}{} crankbacks a call; {} batches sent again", costs.empty() ? "" : "; ",
                         digits(per_call(report, "crankbacks")), counted(resent->second));
  if (!costs.empty()) page.paragraph(costs + ".");
  Rows rows;
  for (const auto& [name, process] : report.processes)
    rows.push_back(cost_row(name, process, report, operations));
  if (rows.empty()) return;
  if (report.processes.size() <= report.generators)
    page.paragraph(
        "Only the generator was watched: --watch-pid NAME=PID adds a process of this host, and "
        "deploy/lab run names all of its lab's.");
  page.table(
      {"process", "CPU s", "CPU µs an operation", "% of a CPU", "context switches an operation",
       "MB before", "MB with most calls up", "MB after", "KiB a call up"},
      rows);
}

void checks(const RunReport& report, Page& page) {
  page.heading("Checks of the load", "checks");
  Rows rows;
  for (const ModelCheck& check : all_checks(report))
    rows.push_back({word(check.name), figure(check.measured), figure(check.expected),
                    number("± " + digits(check.tolerance)),
                    !check.judged  ? word("not judged")
                    : check.passed ? word("as it should be", Tone::kGood)
                                   : word("not so: VOID", Tone::kBad),
                    word(check.why)});
  page.table({"check", "measured", "expected", "tolerance", "", "why"}, rows);
}

// "-" when no audit was made: nothing is known.
Cell found(const AuditReport& audit, std::uint64_t number_found) {
  return audit.made ? count(number_found) : number("-");
}

void audit(const RunReport& report, Page& page) {
  page.heading("Audit after the last release", "audit");
  Rows rows;
  for (const auto& [manager, audit] : report.audits)
    rows.push_back({word(manager),
                    !audit.made            ? word("not made", Tone::kBad)
                    : audit.proves_clean() ? word("clean", Tone::kGood)
                                           : word("not clean", Tone::kBad),
                    found(audit, audit.stray_cross_connects), found(audit, audit.leaked_labels),
                    found(audit, audit.leaked_bandwidth_cells_per_s), found(audit, audit.owed),
                    found(audit, audit.unreadable)});
  page.table({"manager", "", "wrong cross-connects", "leaked labels", "leaked cells/s", "owed hops",
              "switches not readable"},
             rows);
  for (const std::string& finding : report.audit.findings) page.paragraph(finding);
}

void manifest(const RunReport& report, Page& page) {
  page.heading("Manifest", "manifest");
  Rows rows;
  for (const auto& [name, value] : report.manifest) rows.push_back({word(name), word(value)});
  page.table({"what", "value"}, rows);
  std::string counters;
  for (const auto& [name, value] : report.managers_grown)
    counters += fmt::format("{:<40} {:>16}\n", name, value);
  if (!counters.empty()) page.folded("What the managers' counters grew by", counters);
  page.folded("The run over time (CSV)", to_csv(report.series));
}

}  // namespace

Result<void> add_report(const RunReport& report, Page& page) {
  verdict(report, page);
  offered(report, page);
  outcomes(report, page);
  parts(report.phases, "Phases", page);
  parts(report.classes, "Classes of calls", page);
  events(report, page);
  latencies(report, page);
  if (const auto drawn = pictures(report, page); !drawn) return drawn;
  stages(report, page);
  cost(report, page);
  checks(report, page);
  audit(report, page);
  manifest(report, page);
  return {};
}

Result<std::string> report_page(const RunReport& report, const std::string& title) {
  Page page(title);
  if (const auto added = add_report(report, page); !added)
    return tl::make_unexpected(added.error());
  return page.html();
}

}  // namespace xbind::callgen
