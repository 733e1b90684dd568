#include "bench/search/mode_forms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "callgen/report/json_file.hpp"

namespace xbind::callgen {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& root) {
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// JSON has no infinity: an unbounded value is null.
Json finite(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

Json json(const std::vector<Judged>& all) {
  Json made = Json::array();
  for (const Judged& judged : all) {
    made.push_back({{"objective", judged.objective.text},
                    {"default", judged.objective.by_default},
                    {"kept", judged.kept},
                    {"measured", judged.measured ? Json(*judged.measured) : Json(nullptr)},
                    {"text", measured_text(judged)}});
  }
  return made;
}

// null when no request was done.
Json known(const LatencySummary& latency, double LatencySummary::*figure) {
  return latency.count == 0 ? Json(nullptr) : Json(latency.*figure);
}

// An empty cell when no request was done.
std::string cell(const LatencySummary& latency, double us) {
  return latency.count == 0 ? std::string{} : fmt::format("{:.3f}", us);
}

Json run_json(const RunReport& report) {
  const CarriedRates rates = carried_rates(report);
  const std::optional<double> share = not_connected_share(report.setups);
  return {{"calls", report.planned_calls},
          {"connected", report.setups.connected},
          {"refused", report.setups.refused},
          {"busy", report.setups.busy},
          {"unanswered", report.setups.unanswered},
          {"not_connected_share", share ? Json(*share) : Json(nullptr)},
          {"offered_per_s", rates.offered_per_s},
          {"carried_per_s", rates.carried_per_s},
          {"call_operations_per_s", report.call_operations_per_s},
          {"setup_mean_us", known(report.setup_latency, &LatencySummary::mean)},
          {"setup_p50_us", known(report.setup_latency, &LatencySummary::p50)},
          {"setup_p99_us", known(report.setup_latency, &LatencySummary::p99)},
          {"release_p99_us", known(report.release_latency, &LatencySummary::p99)},
          {"generator_slip_p99_us", report.generator_slip.p99},
          {"duration_s", report.duration_s},
          {"audit_clean", report.audit.clean},
          {"refusals", report.refusals.by_cause()}};
}

constexpr std::string_view kRunColumns =
    "calls,connected,refused,busy,unanswered,operations_per_s,setup_p50_us,setup_p99_us,"
    "release_p99_us,slip_p99_us";

std::string run_columns(const RunReport& report) {
  return fmt::format(
      "{},{},{},{},{},{:.3f},{},{},{},{:.3f}", report.planned_calls, report.setups.connected,
      report.setups.refused, report.setups.busy, report.setups.unanswered,
      report.call_operations_per_s, cell(report.setup_latency, report.setup_latency.p50),
      cell(report.setup_latency, report.setup_latency.p99),
      cell(report.release_latency, report.release_latency.p99), report.generator_slip.p99);
}

// The last line of a CSV.
std::string mark(bool interrupted) {
  return interrupted ? "# INTERRUPTED before its end\n" : std::string{};
}

std::vector<std::string> texts_of(const std::vector<Objective>& objectives) {
  std::vector<std::string> texts;
  texts.reserve(objectives.size());
  for (const Objective& objective : objectives) texts.push_back(objective.text);
  return texts;
}

}  // namespace

std::string to_json(const SearchResult& result, const std::vector<Objective>& objectives) {
  Json root;
  root["schema"] = "xbind.callgen.saturate/1";
  root["objectives"] = texts_of(objectives);
  root["rate"] = result.rate;
  root["confirmed"] = result.confirmed;
  root["end"] = to_string(result.end);
  root["broken_rate"] = result.broken_rate;
  root["broken_by"] = result.broken_by;
  root["points"] = Json::array();
  for (const SearchPoint& point : result.points) {
    root["points"].push_back(
        {{"kind", to_string(point.kind)},
         {"rate", point.rate},
         {"attempt", point.attempt},
         {"verdict", measures(point.kind) ? Json(to_string(point.verdict)) : Json()},
         {"judged", json(point.judged)},
         {"troubles", point.troubles},
         {"run", run_json(point.report)}});
  }
  if (const SearchPoint* const best = result.best()) {
    root["best"] = run_json(best->report);
    root["manifest"] = best->report.manifest;
    if (!best->report.floor.empty()) root["floor"] = best->report.floor;
  }
  return dumped(root);
}

std::string to_json(const OverloadResult& result, const OverloadPlan& plan) {
  Json root;
  root["schema"] = "xbind.callgen.overload/1";
  root["rate"] = plan.rate;
  root["within_us"] = plan.bound_us;
  root["keep"] = plan.keep;
  root["best_per_s"] = result.best_per_s;
  root["worst_per_s"] = result.worst_per_s;
  root["worst_factor"] = result.worst_factor;
  root["overloaded"] = result.overloaded;
  root["holds"] = result.holds;
  root["recovers"] = result.recovers;
  root["recovered_after_s"] = result.recovered_after_s;
  root["ended_early"] = result.stopped;
  root["points"] = Json::array();
  for (const OverloadPoint& point : result.points) {
    root["points"].push_back({{"factor", point.factor},
                              {"recovery", point.recovery},
                              {"rate", point.rate},
                              {"goodput_per_s", point.goodput_per_s},
                              {"void", point.generator_limited},
                              {"run", run_json(point.report)}});
  }
  if (!result.points.empty()) root["manifest"] = result.points.front().report.manifest;
  return dumped(root);
}

std::string to_json(const SoakFindings& findings, const SoakSeries& series, const SoakRule& rule) {
  const auto points = [](const std::vector<TrendPoint>& all) {
    Json made = Json::array();
    for (const TrendPoint& point : all) made.push_back({point.at_s, point.value});
    return made;
  };
  Json root;
  root["schema"] = "xbind.callgen.soak/1";
  root["interrupted"] = series.interrupted;
  root["verdict"] = to_string(findings.verdict());
  root["judged_s"] = findings.judged_s;
  root["bounds"] = {{"mb_per_hour", rule.mb_per_hour}, {"p50_drift", rule.p50_drift}};
  root["lines"] = Json::array();
  for (const SoakLine& line : findings.lines) {
    root["lines"].push_back({{"what", line.what},
                             {"mean", line.mean},
                             {"unit", line.unit},
                             {"growth", finite(line.growth)},
                             {"growth_unit", line.unit == "MB" ? "MB/h" : "fraction"},
                             {"interval_95", {finite(line.low), finite(line.high)}},
                             {"judged", line.bound.has_value()},
                             {"verdict", to_string(line.verdict)}});
  }
  root["setup_p50_us"] = points(series.p50_us);
  root["setup_p99_us"] = points(series.p99_us);
  for (const auto& [process, all] : series.rss_mb) root["rss_mb"][process] = points(all);
  return dumped(root);
}

std::string to_json(const std::vector<CompareLine>& lines, double tolerance,
                    const std::vector<std::string>& warnings) {
  Json root;
  root["schema"] = "xbind.callgen.compare/1";
  root["tolerance"] = tolerance;
  root["exit_code"] = exit_code(lines, tolerance);
  root["warnings"] = warnings;
  root["metrics"] = Json::array();
  for (const CompareLine& line : lines) {
    const bool known = line.verdict != CompareVerdict::kCannotTell;
    root["metrics"].push_back({{"metric", line.metric},
                               {"a", line.a},
                               {"b", line.b},
                               {"ratio", finite(line.ratio)},
                               {"interval_95", known ? Json{line.low, line.high} : Json(nullptr)},
                               {"verdict", to_string(line.verdict)},
                               {"pairs", line.pairs},
                               {"confidence", line.pairs > 0 ? Json(line.confidence) : Json()},
                               {"method", line.method}});
  }
  return dumped(root);
}

std::string to_csv(const SearchResult& result) {
  std::string text = fmt::format("kind,rate,attempt,verdict,{}\n", kRunColumns);
  for (const SearchPoint& point : result.points) {
    fmt::format_to(std::back_inserter(text), "{},{:.6g},{},{},{}\n", to_string(point.kind),
                   point.rate, point.attempt, measures(point.kind) ? to_string(point.verdict) : "",
                   run_columns(point.report));
  }
  return text + mark(result.end == SearchEnd::kStopped);
}

std::string to_csv(const OverloadResult& result) {
  std::string text = fmt::format("factor,recovery,rate,goodput_per_s,void,{}\n", kRunColumns);
  for (const OverloadPoint& point : result.points) {
    fmt::format_to(std::back_inserter(text), "{:g},{},{:.6g},{:.3f},{},{}\n", point.factor,
                   point.recovery ? 1 : 0, point.rate, point.goodput_per_s,
                   point.generator_limited ? 1 : 0, run_columns(point.report));
  }
  return text + mark(result.stopped && result.lost.empty());
}

std::string to_csv(const SoakSeries& series) {
  std::string text = "what,at_s,value\n";
  const auto add = [&text](const std::string& what, const std::vector<TrendPoint>& points) {
    for (const TrendPoint& point : points)
      fmt::format_to(std::back_inserter(text), "{},{:.1f},{:.3f}\n", what, point.at_s, point.value);
  };
  add("setup_p50_us", series.p50_us);
  add("setup_p99_us", series.p99_us);
  for (const auto& [process, points] : series.rss_mb) add("rss_mb " + process, points);
  return text + mark(series.interrupted);
}

Result<void> write_files(const std::string& folder, const ModeFiles& files) {
  for (const auto& [file, text] :
       {std::pair{files.name + ".json", &files.json}, std::pair{files.name + ".csv", &files.csv},
        std::pair{std::string{"index.html"}, &files.html}}) {
    if (const auto written = write_file(folder + "/" + file, *text); !written) return written;
  }
  return {};
}

Result<void> prepare_folder(const std::string& folder, const std::string& name) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(ErrorCode::kSystem, "cannot make folder {}: {}", folder, error.message());
  for (const std::string& file : {name + ".json", name + ".csv", std::string{"index.html"}}) {
    if (const auto writable = check_writable(folder + "/" + file); !writable) return writable;
  }
  return {};
}

}  // namespace xbind::callgen
