// Documents of commands that a manager answers.
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <utility>

#include "core/audit.hpp"
#include "core/metrics/stage_times.hpp"
#include "core/session/session_end.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/audit.hpp"
#include "xbindctl/documents.hpp"

namespace xbind::ctl {
namespace {

constexpr std::uint32_t kClientsPage = 1'000;

bool is_refusal(const Outcome& outcome) {
  return outcome.kind == OutcomeKind::kRefused || outcome.kind == OutcomeKind::kBusy;
}

Json json_of(const Outcome& outcome, RequestId request) {
  const bool named = outcome.connection != ConnectionId{};
  Json body{{"outcome", std::string{to_string(outcome.kind)}},
            {"id", named ? digits(outcome.connection.value()) : Json(nullptr)},
            {"request", digits(request.value())},
            {"ingress_label", ctl::json_of(outcome.ingress)},
            {"egress_label", ctl::json_of(outcome.egress)},
            {"reverse_ingress_label", ctl::json_of(outcome.reverse_ingress)},
            {"reverse_egress_label", ctl::json_of(outcome.reverse_egress)},
            {"owed", ctl::json_of(outcome.owed)}};
  if (is_refusal(outcome)) {
    Json error = ctl::json_of(failure_of(outcome, {}))["error"];
    body["refusal"] = std::move(error["refusal"]);
    body["cause"] = std::move(error["name"]);
  }
  return body;
}

Json json_of(const Finding& finding) {
  return {{"kind", std::string{to_string(finding.kind)}},
          {"element", text(finding.element)},
          {"text", text(finding.text)},
          {"amount", finding.amount},
          {"repair", cure_for(finding.kind)}};
}

Json json_of(const PathOfNobody& path) {
  Json hops = Json::array();
  for (const EntryOfNobody& hop : path.hops) {
    hops.push_back({{"switch", text(hop.switch_name)},
                    {"input_port", hop.at.input_port.value()},
                    {"input_label", ctl::json_of(hop.at.input_label)},
                    {"output_port", hop.at.output_port.value()},
                    {"output_label", ctl::json_of(hop.at.output_label)}});
  }
  return {{"from", text(path.from)},
          {"to", text(path.to)},
          {"shared_hops", path.shared},
          {"hops", std::move(hops)}};
}

// null: they need the topology, which is not known.
Json paths_of(const client::NetworkAudit& audit, const PlanReader& plan) {
  Json paths = Json::array();
  std::vector<EntryOfNobody> entries = entries_of_nobody(audit.findings);
  if (entries.empty()) return paths;
  const auto ports = plan();
  if (!ports) return nullptr;
  for (const PathOfNobody& path : paths_of_nobody(std::move(entries), *ports)) {
    paths.push_back(json_of(path));
  }
  return paths;
}

Document document_of(const client::NetworkAudit& audit, const PlanReader& plan) {
  const AuditVerdict verdict = verdict_of(audit.totals);
  const AuditTotals& totals = audit.totals;
  Json findings = Json::array();
  for (const Finding& finding : audit.findings) findings.push_back(json_of(finding));
  return {{{"verdict", verdict.word},
           {"clean", totals.clean},
           {"switches", audit.switches},
           {"connections", audit.connections},
           {"wrong_cross_connects", totals.stray_cross_connects},
           {"wrong_labels_and_hops", totals.leaked_labels},
           {"leaked_cells_per_s", totals.leaked_bandwidth_cells_per_s},
           {"owed", totals.owed},
           {"unreadable", totals.unreadable},
           {"findings", std::move(findings)},
           {"paths_of_nobody", paths_of(audit, plan)}},
          verdict.exit_code};
}

Json json_of(const v2::Aggregation& settings) {
  return {{"mode", name_of_mode(settings.mode)},
          {"threshold", settings.threshold},
          {"flush_timeout_ms", settings.flush_timeout_ms}};
}

Json json_of(const v2::CacheState& cache) {
  return {{"cache", name_of_cache(cache.cache)},
          {"element", text(cache.element.in())},
          {"hits", cache.hits},
          {"misses", cache.misses},
          {"size", cache.size},
          {"wanted", cache.wanted},
          {"age_ms", cache.age_ms}};
}

Json json_of(const v2::ClientState& client) {
  Json ended = nullptr;
  if (client.ended) {
    ended = {{"why", std::string{to_string(static_cast<SessionEnd>(client.why_ended))}},
             {"reason", text(client.reason.in())}};
  }
  return {{"client", text(client.name.in())},
          {"attached", client.session != 0},
          {"last_session_ended", std::move(ended)},
          {"epoch", digits(client.client_epoch)},
          {"requests", client.requests},
          {"calls", client.connections},
          {"cells_per_s", client.cells_per_s}};
}

}  // namespace

Peer peer_of(const client::TwoWay& manager) {
  return {PeerKind::kManager, manager.peer(), manager.address()};
}

DocumentOrFailure outcome_document(const client::TwoWay& manager, const client::Answer& answer,
                                   RequestId request) {
  if (!answer) {
    auto failure = failed(answer.error(), peer_of(manager));
    if (answer.error().code == ErrorCode::kTimeout) {
      failure.value().advice =
          request == RequestId{}
              ? "whether it was done is not known: `xbindctl describe ID` shows it"
              : fmt::format("whether it was done is not known: `xbindctl outcome '{}' {}` shows it",
                            kTwoWayClient, request);
    }
    return failure;
  }
  if (is_refusal(*answer)) return failed(*answer, peer_of(manager));
  return Document{json_of(*answer, request == RequestId{} ? answer->request : request)};
}

DocumentOrFailure stored_outcome_document(const client::TwoWay& manager, const std::string& client,
                                          RequestId request) {
  const client::Answer found = manager.outcome_of(client, request);
  if (!found) return failed(found.error(), peer_of(manager));
  return Document{json_of(*found, request)};
}

DocumentOrFailure release_many_document(const client::TwoWay& manager,
                                        const std::optional<std::string>& client) {
  Json owed = Json::array();
  Json left = Json::array();
  const auto done =
      release_each(manager, client,
                   {.owed =
                        [&](const Outcome& released) {
                          owed.push_back({{"id", digits(released.connection.value())},
                                          {"owed", ctl::json_of(released.owed)}});
                        },
                    .left =
                        [&](ConnectionId connection, const std::string& why) {
                          left.push_back({{"id", digits(connection.value())}, {"text", text(why)}});
                        }});
  if (!done) return failed(done.error(), peer_of(manager));
  return Document{{{"outcome", "released"},
                   {"released", done->released},
                   {"gone", done->gone},
                   {"owed", std::move(owed)},
                   {"refused", std::move(left)}},
                  done->left == 0 ? 0 : 1};
}

DocumentOrFailure describe_document(const client::TwoWay& manager, ConnectionId connection) {
  const auto described = manager.describe(connection);
  if (!described) return failed(described.error(), peer_of(manager));
  return Document{ctl::json_of(described->in())};
}

DocumentOrFailure list_document(const client::TwoWay& manager,
                                const std::optional<std::string>& client) {
  Json calls = Json::array();
  const auto listed = manager.for_each_connection(
      client, [&](const v2::ConnectionState& state) { calls.push_back(json_row_of(state)); });
  if (!listed) return failed(listed.error(), peer_of(manager));
  return Document{{{"calls", std::move(calls)}}};
}

DocumentOrFailure status_document(const client::TwoWay& manager) {
  auto metrics = manager.status();
  if (!metrics) return failed(metrics.error(), peer_of(manager));
  Json stages = Json::array();
  for (const OperationStages& operation : take_stages(*metrics)) {
    for (const OperationStages::Stage& stage : operation.stages) {
      stages.push_back({{"operation", operation.operation},
                        {"stage", stage.name},
                        {"ns", stage.sum.ns},
                        {"count", stage.sum.count}});
    }
  }
  Json counters = Json::object();
  for (const auto& [name, value] : *metrics) counters[name] = value;
  return Document{{{"metrics", std::move(counters)}, {"stages", std::move(stages)}}};
}

DocumentOrFailure caches_document(const client::TwoWay& manager) {
  const auto found = manager.caches();
  if (!found) return failed(found.error(), peer_of(manager));
  Json caches = Json::array();
  for (CORBA::ULong i = 0; i < found->in().length(); ++i) {
    caches.push_back(json_of(found->in()[i]));
  }
  return Document{{{"caches", std::move(caches)}}};
}

DocumentOrFailure clients_document(const client::TwoWay& manager) {
  Json clients = Json::array();
  std::string last;
  for (;;) {
    const auto page = manager.clients(last, kClientsPage);
    if (!page) return failed(page.error(), peer_of(manager));
    const v2::ClientStateSeq& states = page->in();
    if (states.length() == 0) break;
    for (CORBA::ULong i = 0; i < states.length(); ++i) clients.push_back(json_of(states[i]));
    last = states[states.length() - 1].name.in();
  }
  return Document{{{"clients", std::move(clients)}}};
}

DocumentOrFailure audit_document(const client::TwoWay& manager, const PlanReader& plan) {
  const auto found = manager.audit();
  if (!found) return failed(found.error(), peer_of(manager));
  return document_of(*found, plan);
}

DocumentOrFailure repair_document(const client::TwoWay& manager, const PlanReader& plan,
                                  bool dry_run) {
  const auto found = manager.audit();
  if (!found) return failed(found.error(), peer_of(manager));
  Document before = document_of(*found, plan);
  if (dry_run || found->findings.empty()) {
    return Document{{{"before", std::move(before.body)}, {"after", nullptr}}, before.exit_code};
  }
  const auto left = manager.repair(found->findings);
  if (!left) return failed(left.error(), peer_of(manager));
  Document after = document_of(*left, plan);
  return Document{{{"before", std::move(before.body)}, {"after", std::move(after.body)}},
                  after.exit_code};
}

DocumentOrFailure aggregation_document(const client::TwoWay& manager,
                                       const std::optional<AggregationChange>& change) {
  const auto settings = aggregation_after(manager, change);
  if (!settings) return failed(settings.error(), peer_of(manager));
  return Document{json_of(*settings)};
}

DocumentOrFailure prepare_document(const client::TwoWay& manager, const std::string& from,
                                   const std::string& to, const ServiceSpec& service,
                                   std::uint32_t count) {
  const auto prepared = manager.prepare(from, to, service, count);
  if (!prepared) return failed(prepared.error(), peer_of(manager));
  return Document{{{"from", from}, {"to", to}, {"count", count}}};
}

DocumentOrFailure ping_document(const client::TwoWay& manager, ConnectionId connection,
                                const PingWish& wish) {
  const auto report = pinged(manager, connection, wish);
  if (!report) return tl::make_unexpected(report.error());
  const auto us = [](Duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
  };
  Json points = Json::array();
  for (std::size_t i = 0; i < report->results.size(); ++i) {
    const dataplane::PingPoint& point = report->points[i];
    const dataplane::PingResult& result = report->results[i];
    Json one{{"switch", text(point.node)},
             {"side", point.side == dataplane::Direction::kIn ? "in" : "out"},
             {"port", point.port.value()},
             {"label", ctl::json_of(point.label)},
             {"sent", result.sent},
             {"answered", result.answered}};
    const bool measured = result.answered != 0;
    one["min_us"] = measured ? Json(us(result.min)) : Json(nullptr);
    one["median_us"] = measured ? Json(us(result.median)) : Json(nullptr);
    one["max_us"] = measured ? Json(us(result.max)) : Json(nullptr);
    points.push_back(std::move(one));
  }
  return Document{{{"id", digits(connection.value())},
                   {"whole", report->verdict.whole},
                   {"verdict", text(report->verdict.sentence)},
                   {"path_changed", report->path_changed},
                   {"points", std::move(points)}},
                  report->verdict.whole ? 0 : 1};
}

}  // namespace xbind::ctl
