// The JSON form: "xbind.callgen/1". The keys up to "audit" are the contract, in its order; what
// follows was added.
#include <nlohmann/json.hpp>

#include "callgen/report.hpp"

namespace xbind::callgen {
namespace {

using Json = nlohmann::ordered_json;

Json json(const LatencySummary& summary) {
  return {{"count", summary.count}, {"min", summary.min},   {"mean", summary.mean},
          {"p5", summary.p5},       {"p50", summary.p50},   {"p95", summary.p95},
          {"p99", summary.p99},     {"p999", summary.p999}, {"max", summary.max}};
}

Json json(const SetupCounts& setups) {
  return {{"attempted", setups.attempted},
          {"connected", setups.connected},
          {"refused", setups.refused},
          {"busy", setups.busy},
          {"unanswered", setups.unanswered}};
}

Json json(const ReleaseCounts& releases) {
  return {{"attempted", releases.attempted},
          {"released", releases.released},
          {"failed", releases.failed},
          {"unanswered", releases.unanswered}};
}

Json json(const AuditReport& audit) {
  return {{"clean", audit.proves_clean()},
          {"stray_cross_connects", audit.stray_cross_connects},
          {"leaked_labels", audit.leaked_labels},
          {"leaked_bandwidth_cells_per_s", audit.leaked_bandwidth_cells_per_s},
          {"owed", audit.owed},
          {"unreadable", audit.unreadable},
          {"made", audit.made},
          {"findings", audit.findings}};
}

Json json(const faults::FaultCounters& leg) {
  return {{"invocations", leg.invocations},
          {"dropped", leg.dropped},
          {"repeated", leg.repeated},
          {"reordered", leg.reordered},
          {"delayed", leg.delayed}};
}

Json json(const std::map<std::string, faults::FaultCounters>& legs) {
  Json made = Json::object();
  for (const auto& [leg, counters] : legs) made[leg] = json(counters);
  return made;
}

Json json(const std::map<std::string, AuditReport>& audits) {
  Json made = Json::object();
  for (const auto& [manager, audit] : audits) made[manager] = json(audit);
  return made;
}

// A map of names becomes an object, also when it is empty.
template <class Map>
Json object(const Map& map) {
  Json made = Json::object();
  for (const auto& [name, value] : map) made[name] = value;
  return made;
}

Json json(const MediaFigures& media, std::uint64_t not_sent) {
  return {{"calls_wanted", media.calls_wanted},
          {"calls_checked", media.calls_checked},
          {"calls_failed", media.calls_failed},
          {"calls_uncheckable", media.calls_uncheckable},
          {"calls_on_reused_labels", media.calls_on_reused_labels},
          {"reused_checked", media.reused_checked},
          {"cells_sent", media.cells_sent},
          {"cells_received", media.cells_received},
          {"cells_not_sent", not_sent},
          {"probes_sent", media.probes_sent},
          {"probes_excused", media.probes_excused},
          {"violations", media.violations()},
          {"lost", media.lost},
          {"out_of_order", media.out_of_order},
          {"duplicated", media.duplicated},
          {"wrong_endpoint", media.wrong_endpoint},
          {"wrong_label", media.wrong_label},
          {"corrupted", media.corrupted},
          {"after_release", media.after_release},
          {"late", media.late},
          {"foreign", media.foreign},
          {"findings", media.findings}};
}

Json model_checks(const RunReport& report) {
  return {
      {"mean_inter_arrival_us",
       {{"asked", 1e6 / report.offered_setups_per_s}, {"planned", 1e6 * report.gap_mean_s}}},
      {"inter_arrival_variation",
       {{"asked", report.arrivals == Arrivals::kPoisson ? 1.0 : 0.0},
        {"planned", report.gap_variation}}},
      {"setups_sent_per_s",
       {{"asked", report.offered_setups_per_s},
        {"achieved", report.sent_setups_per_s},
        {"tolerance", rate_tolerance(report)},
        {"judged", report.setups.attempted >= kFewestForRate}}},
      {"generator_slip_p99_us",
       {{"measured", report.generator_slip.p99}, {"limit", slip_limit_us(report)}}},
  };
}

}  // namespace

std::string to_json(const RunReport& report) {
  const Verdict verdict = judge(report);
  Json root;
  root["schema"] = "xbind.callgen/1";
  root["engine"] = report.engine;
  root["threshold"] = report.threshold;
  root["adaptive"] = report.aggregation == "adaptive";
  root["switches"] = report.switches;
  root["offered_setups_per_s"] = report.offered_setups_per_s;
  root["duration_s"] = report.duration_s;
  root["setups_per_s"] = report.setups_per_s;
  root["call_operations_per_s"] = report.call_operations_per_s;
  root["setups"] = json(report.setups);
  root["releases"] = json(report.releases);
  root["setup_latency_us"] = json(report.setup_latency);
  root["release_latency_us"] = json(report.release_latency);
  root["remote_invocations"] = report.remote_invocations;
  root["label_cache_hit_ratio"] = report.label_cache_hit_ratio;
  root["rss_mb"] = object(report.rss_mb);
  root["faults"] = {{"dropped", report.faults.dropped},
                    {"repeated", report.faults.repeated},
                    {"reordered", report.faults.reordered},
                    {"delayed", report.faults.delayed}};
  root["audit"] = json(report.audit);

  root["managers"] = report.managers;
  root["aggregation"] = report.aggregation;
  root["audits"] = json(report.audits);
  root["verdict"] = {{"ok", verdict.ok}, {"void", verdict.is_void}, {"reasons", verdict.reasons}};
  root["refusals"] = object(report.refusals.by_cause());
  root["refusals_by_place"] = object(report.refusals.by_place());
  root["release_failures"] = object(report.release_failures.by_cause());
  root["refusal_latency_us"] = json(report.refusal_latency);
  root["latency_from_send_us"] = {{"setup", json(report.setup_latency_from_send)},
                                  {"release", json(report.release_latency_from_send)}};
  root["generator_slip_us"] = json(report.generator_slip);
  root["model_checks"] = model_checks(report);
  root["odd_outcomes"] = {{"repeated", report.odd.repeated},
                          {"contradicted", report.odd.contradicted},
                          {"late", report.odd.late},
                          {"unknown", report.odd.unknown}};
  root["notices"] = {
      {"broken", report.notices.broken},
      {"rerouted", report.notices.rerouted},
      {"mended", report.notices.mended},
      {"span_ms", std::chrono::duration<double, std::milli>(report.notices.span).count()}};
  root["calls"] = {{"planned", report.planned_calls},
                   {"shed", report.shed},
                   {"up_peak", report.calls_up_peak},
                   {"client_batches", report.batches},
                   {"hold_mean_s", report.hold_mean_s}};
  root["faults_by_leg"] = json(report.faults_by_leg);
  root["target_lost"] = report.target_lost;
  if (report.media) root["media"] = json(*report.media, report.media_cells_not_sent);
  root["manifest"] = object(report.manifest);
  // Causes and findings come from peers: octets that are not UTF-8 must not cost us the report.
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace xbind::callgen
