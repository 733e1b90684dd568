// The JSON form: "xbind.callgen/1". The keys up to "audit" are the fixed contract, in its order;
// later keys are additions.
#include <nlohmann/json.hpp>

#include "callgen/report/model_checks.hpp"
#include "callgen/report/report.hpp"
#include "callgen/report/report_fields.hpp"

namespace xbind::callgen {
namespace {

using fields::Json;
using fields::Writer;

template <class Group>
Json group(const RunReport& report, Group&& fill) {
  Writer writer;
  fill(writer, report);
  return std::move(writer).take();
}

// A map of names becomes an object, even if it is empty.
template <class Map>
Json object(const Map& map) {
  return Writer::written(map);
}

// The summary, with the names of percentiles of too few values.
Json summary(const LatencySummary& latency) {
  Json made = Writer::written(latency);
  const auto few = too_few_for(latency.count);
  for (const std::string& name : few) {
    // The contract's keys stay numbers.
    if (name == "p9999") made[name] = nullptr;
  }
  made["not_enough_samples_for"] = few;
  return made;
}

Json kinds(const RunReport& report) {
  Json made = Json::object();
  for (const auto& [kind, statistics] : report.kinds) {
    Json one = Writer::written(statistics);
    one["requests"] = total_of(statistics.outcomes);
    one["latency_us"] = summary(summary_of(statistics.latency));
    one["latency_from_send_us"] = summary(summary_of(statistics.from_send));
    one["slip_us"] = summary(summary_of(statistics.slip));
    one["refusal_latency_us"] = summary(summary_of(statistics.refusal));
    one["refusal_latency_from_send_us"] = summary(summary_of(statistics.refusal_from_send));
    made[std::string(to_string(kind))] = std::move(one);
  }
  return made;
}

Json histograms(const RunReport& report) {
  Json made = Json::object();
  for (const auto& [kind, statistics] : report.kinds) {
    Writer writer;
    fields::histograms(writer, statistics);
    made[std::string(to_string(kind))] = std::move(writer).take();
  }
  made["slip"] = Writer::written(report.slip);
  return made;
}

Json series(const Series& series) {
  Json rows = Json::array();
  for (const Series::Row& row : series.rows()) {
    Json one = Writer::written(row);
    one["p50_us"] = static_cast<double>(row.percentile(50).count()) / 1000;
    one["p99_us"] = static_cast<double>(row.percentile(99).count()) / 1000;
    Json latency = Json::array();
    for (const auto& [highest, count] : row.latency) latency.push_back({highest.count(), count});
    one["latency_ns"] = std::move(latency);
    rows.push_back(std::move(one));
  }
  return {{"interval_s", std::chrono::duration<double>(series.interval()).count()},
          {"rows", std::move(rows)}};
}

Json stages(const Metrics& grown) {
  Json made = Json::object();
  for (const auto& [operation, stages] : stages_of(grown)) {
    Json one = Json::object();
    for (const StageMean& stage : stages)
      one[stage.name] = {{"count", stage.count}, {"mean_us", stage.mean_us}};
    made[operation] = std::move(one);
  }
  return made;
}

Json stages(const RunReport& report) {
  Json stack = Json::array();
  for (const StageMean& stage : setup_stack(report))
    stack.push_back({{"stage", stage.name}, {"mean_us", stage.mean_us}});
  return {{"managers", stages(report.managers_grown)},
          {"switchservers", stages(report.switchservers_grown)},
          {"setup_stack", std::move(stack)}};
}

// Per operation: a connected setup or a completed release.
Json cost(const RunReport& report) {
  const auto operations = static_cast<double>(report.setups.connected + report.releases.released);
  // null: the amount is not known, or there was no operation to divide it by.
  const auto per_operation = [operations](std::optional<double> amount) {
    return amount && operations > 0 ? Json(*amount / operations) : Json(nullptr);
  };
  const auto full = static_cast<double>(report.calls_up_at_full);
  const bool counted = !report.unknown.contains("remote_invocations");
  Json processes = Json::object();
  for (const auto& [name, process] : report.processes) {
    Json one;
    one["cpu_us_per_operation"] =
        per_operation(process.cpu_s ? std::optional{*process.cpu_s * 1e6} : std::nullopt);
    const auto switches = context_switches(process);
    one["context_switches_per_operation"] =
        per_operation(switches ? std::optional{static_cast<double>(*switches)} : std::nullopt);
    const auto grown_mb = rss_growth_mb(process);
    one["rss_bytes_per_call_up"] =
        full > 0 && grown_mb ? Json(*grown_mb * 1048576 / full) : Json(nullptr);
    processes[name] = std::move(one);
  }
  const auto cached = report.managers_last.find("labels_cached");
  const double labels =
      cached == report.managers_last.end() ? 0 : static_cast<double>(cached->second);
  const auto peak = static_cast<double>(report.calls_up_peak);
  return {{"operations", report.setups.connected + report.releases.released},
          {"remote_invocations_per_operation",
           per_operation(counted ? std::optional{static_cast<double>(report.remote_invocations)}
                                 : std::nullopt)},
          {"client_batches_per_operation", per_operation(static_cast<double>(report.batches))},
          {"crankbacks_per_call", per_call(report, "crankbacks")},
          {"batches_resent", report.managers_grown.contains("batches_resent")
                                 ? report.managers_grown.at("batches_resent")
                                 : 0},
          {"labels_cached_per_call_up", peak > 0 ? labels / peak : 0.0},
          {"calls_up_at_full", report.calls_up_at_full},
          {"processes", std::move(processes)}};
}

Json model(const RunReport& report) {
  Json checks = Json::array();
  for (const ModelCheck& check : all_checks(report))
    checks.push_back({{"name", check.name},
                      {"measured", check.measured},
                      {"expected", check.expected},
                      {"tolerance", check.tolerance},
                      {"judged", check.judged},
                      {"passed", check.passed},
                      {"why", check.why}});
  return {
      {"mean_inter_arrival_us",
       {{"asked", report.offered_setups_per_s > 0 ? 1e6 / report.offered_setups_per_s : 0.0},
        {"planned", 1e6 * report.gap_mean_s}}},
      {"inter_arrival_variation",
       {{"asked", report.arrivals == Arrivals::kPoisson ? 1.0 : 0.0},
        {"planned", report.gap_variation}}},
      {"setups_sent_per_s",
       {{"asked", report.offered_setups_per_s},
        {"achieved", report.sent_setups_per_s},
        {"tolerance", rate_tolerance(report)},
        {"judged", report.offered_setups_per_s > 0 && report.setups.attempted >= kFewestForRate}}},
      {"generator_slip_p99_us",
       {{"measured", report.generator_slip.p99}, {"limit", slip_limit_us(report)}}},
      {"checks", std::move(checks)},
  };
}

Json media(const RunReport& report) {
  Json made = Writer::written(*report.media);
  made["cells_not_sent"] = report.media_cells_not_sent;
  made["violations"] = report.media->violations();
  return made;
}

}  // namespace

std::string to_json(const RunReport& report) {
  const Verdict verdict = judge(report);
  Json root;
  root["schema"] = "xbind.callgen/1";
  root["engine"] = report.engine;
  root["threshold"] = report.threshold;
  root["adaptive"] = report.aggregation == "adaptive";
  root.update(group(report, [](auto& io, auto& x) { fields::flat(io, x); }));
  root["setup_latency_us"] = summary(report.setup_latency);
  root["release_latency_us"] = summary(report.release_latency);
  root["audit"]["clean"] = report.audit.proves_clean();

  root.update(group(report, [](auto& io, auto& x) { fields::added(io, x); }));
  for (auto& [manager, audit] : report.audits)
    root["audits"][manager]["clean"] = audit.proves_clean();
  root["refusal_latency_us"] = summary(report.refusal_latency);
  root["generator_slip_us"] = summary(report.generator_slip);
  root["verdict"] = {{"ok", verdict.ok},
                     {"void", verdict.is_void},
                     {"interrupted", verdict.interrupted},
                     {"reasons", verdict.reasons},
                     {"remarks", verdict.remarks},
                     {"refused_share", Writer::written(refused_share(report.setups))}};
  root["refusals"] = object(report.refusals.by_cause());
  root["refusals_by_place"] = object(report.refusals.by_place());
  root["release_failures"] = object(report.release_failures.by_cause());
  root["release_failures_by_place"] = object(report.release_failures.by_place());
  root["latency_from_send_us"] = {{"setup", summary(report.setup_latency_from_send)},
                                  {"release", summary(report.release_latency_from_send)}};
  root["model_checks"] = model(report);
  root["notices"] = {
      {"broken", report.notices.broken},
      {"rerouted", report.notices.rerouted},
      {"mended", report.notices.mended},
      {"unknown", report.notices.unknown},
      {"incomplete", report.notices.incomplete},
      {"span_ms", std::chrono::duration<double, std::milli>(report.notices.span).count()}};
  root["calls"] = group(report, [](auto& io, auto& x) { fields::calls(io, x); });
  if (report.media) root["media"] = media(report);

  root["outcomes"] = Writer::written(call_outcomes(report));
  root["warm_up"] = group(report, [](auto& io, auto& x) { fields::warm_up(io, x); });
  root["mean_interval_95"] =
      group(report, [](auto& io, auto& x) { fields::mean_intervals(io, x); });
  root["kinds"] = kinds(report);
  root["arrivals"] = group(report, [](auto& io, auto& x) { fields::arrivals(io, x); });
  root["arrivals"]["kind"] = to_string(report.arrivals);
  root["occupancy"] = group(report, [](auto& io, auto& x) { fields::occupancy(io, x); });
  root["cost"] = cost(report);
  root["stages"] = stages(report);
  root["counters"] = group(report, [](auto& io, auto& x) { fields::counters(io, x); });
  root["series"] = series(report.series);
  root["histograms_ns"] = histograms(report);
  // Causes and findings come from peers: octets that are not UTF-8 must not prevent the report.
  return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace xbind::callgen
