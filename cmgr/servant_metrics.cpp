#include "cmgr/servant_metrics.hpp"

#include "core/impairments/impairments.hpp"
#include "orb/dispatch.hpp"
#include "orb/oneway.hpp"
#include "orb/process.hpp"
#include "orb/supervision.hpp"

namespace xbind::cmgr {
namespace {

// The sources of a status.
struct ManagerReading {
  const ConnectionManager& manager;
  const RemotePeers& peers;
  const Config& config;
  const CallCounters& calls;
  const ConnectionManager::Gauges gauges;
  const ClientDesk::Counters clients;
  const SwitchDesk::Counters switches;
};

constexpr MetricRow<ManagerReading> kManagerMetrics[] = {
    {"rss_kib", MetricKind::kGauge, "KiB", "Resident memory of the process.",
     [](const ManagerReading&) { return orb::own_resident_kib(); }, MetricScope::kProcess},
    {"giop_requests", MetricKind::kCounter, "", "Session messages received, and invocations made.",
     [](const ManagerReading& at) {
       return at.clients.frames_in + at.switches.frames_in + at.peers.requests_sent();
     }},
    {"oneways_without_room", MetricKind::kCounter, "",
     "Session messages of the process that were dropped because their peer reads too slowly.",
     [](const ManagerReading&) { return orb::oneways_without_room(); }, MetricScope::kProcess},
    {"connections", MetricKind::kGauge, "", "Connections in the table.",
     [](const ManagerReading& at) { return std::uint64_t{at.gauges.connections}; }},
    {"owed", MetricKind::kGauge, "", "Removals that are owed to SwitchServers.",
     [](const ManagerReading& at) { return std::uint64_t{at.gauges.owed}; }},
    {"switches", MetricKind::kGauge, "", "Switches that the manager knows.",
     [](const ManagerReading& at) { return std::uint64_t{at.manager.switch_names().size()}; }},
    {"switches_attached", MetricKind::kGauge, "", "Switches to whose SwitchServers it is attached.",
     [](const ManagerReading& at) { return std::uint64_t{at.gauges.switches_attached}; }},
    {"engine", MetricKind::kGauge, "", "Engine: 0 xbind, 1 sequential, 2 threaded.",
     [](const ManagerReading& at) { return static_cast<std::uint64_t>(at.config.engine); }},
    {"aggregation_mode", MetricKind::kGauge, "",
     "Mode of aggregation: 0 fixed, 1 regions, 2 adaptive.",
     [](const ManagerReading& at) {
       return static_cast<std::uint64_t>(
           at.manager.switches().queues().aggregation().settings().mode);
     }},
    {"threshold", MetricKind::kGauge, "", "Commands that are gathered for a batch now.",
     [](const ManagerReading& at) {
       return std::uint64_t{at.manager.switches().queues().aggregation().threshold()};
     }},
    {"operations_per_s", MetricKind::kGauge, "1/s", "Estimated rate of operations.",
     [](const ManagerReading& at) {
       return static_cast<std::uint64_t>(
           at.manager.switches().queues().aggregation().operations_per_s());
     }},
    {"setups", MetricKind::kCounter, "", "Connect requests taken.",
     [](const ManagerReading& at) { return at.calls.setups; }},
    {"connected", MetricKind::kCounter, "", "Connect requests answered: connected.",
     [](const ManagerReading& at) { return at.calls.connected; }},
    {"refused", MetricKind::kCounter, "", "Requests answered: refused.",
     [](const ManagerReading& at) { return at.calls.refused; }},
    {"busy", MetricKind::kCounter, "", "Requests answered: busy.",
     [](const ManagerReading& at) { return at.calls.busy; }},
    {"releases", MetricKind::kCounter, "", "Release requests taken.",
     [](const ManagerReading& at) { return at.calls.releases; }},
    {"released", MetricKind::kCounter, "", "Release requests answered: released.",
     [](const ManagerReading& at) { return at.calls.released; }},
    {"held", MetricKind::kCounter, "", "Connections reserved and held for a commit.",
     [](const ManagerReading& at) { return at.calls.held; }},
    {"over_client_limit", MetricKind::kCounter, "",
     "Requests refused because of a limit for each client (client-...-max).",
     [](const ManagerReading& at) { return at.calls.over_client_limit; }},
    {"ended_stuck", MetricKind::kCounter, "",
     "Calls that were ended by force because none of their timers had: a defect of the manager.",
     [](const ManagerReading& at) { return at.calls.ended_stuck; }},
    {"holds_expired", MetricKind::kCounter, "", "Holds whose time ended before a commit.",
     [](const ManagerReading& at) { return at.calls.holds_expired; }},
    {"modified", MetricKind::kCounter, "", "Connections whose resources were changed.",
     [](const ManagerReading& at) { return at.calls.modified; }},
    {"leaves_added", MetricKind::kCounter, "", "Leaves added to connections.",
     [](const ManagerReading& at) { return at.calls.leaves_added; }},
    {"leaves_dropped", MetricKind::kCounter, "", "Leaves dropped from connections.",
     [](const ManagerReading& at) { return at.calls.leaves_dropped; }},
    {"undone", MetricKind::kCounter, "", "Calls whose other hops were removed after a refusal.",
     [](const ManagerReading& at) { return at.calls.undone; }},
    {"crankbacks", MetricKind::kCounter, "", "Further routes tried after a refusal.",
     [](const ManagerReading& at) { return at.calls.crankbacks; }},
    {"waited", MetricKind::kCounter, "", "Requests that could not be begun at once.",
     [](const ManagerReading& at) { return at.calls.waited; }},
    {"prepared", MetricKind::kGauge, "", "Connections that are ready in advance.",
     [](const ManagerReading& at) { return std::uint64_t{at.gauges.prepared}; }},
    {"service_queries", MetricKind::kCounter, "", "Queries to the QOSMapper.",
     [](const ManagerReading& at) { return at.calls.service_queries; }},
    {"route_queries", MetricKind::kCounter, "", "Queries to RouteObject.",
     [](const ManagerReading& at) { return at.calls.route_queries; }},
    {"routes_cached", MetricKind::kGauge, "", "Routes in the cache.",
     [](const ManagerReading& at) { return std::uint64_t{at.gauges.routes_cached}; }},
    {"route_octets_cached", MetricKind::kGauge, "octets",
     "Memory of the cached routes, approximately.",
     [](const ManagerReading& at) { return std::uint64_t{at.gauges.route_octets_cached}; }},
    {"calls_restored", MetricKind::kCounter, "",
     "Connections and holds of earlier epochs that were rebuilt.",
     [](const ManagerReading& at) { return at.manager.recovery().counters().restored; }},
    {"calls_rolled_back", MetricKind::kCounter, "",
     "Calls of earlier epochs of which only a part was found, and removed.",
     [](const ManagerReading& at) { return at.manager.recovery().counters().rolled_back; }},
    {"incomplete_calls", MetricKind::kGauge, "",
     "Calls of earlier epochs of which the manager does not know all hops.",
     [](const ManagerReading& at) { return std::uint64_t{at.gauges.incomplete}; }},
    {"switches_unread", MetricKind::kGauge, "",
     "Switches whose hops of earlier epochs have not been read.",
     [](const ManagerReading& at) { return std::uint64_t{at.manager.recovery().unread()}; }},
    {"label_cache_hits", MetricKind::kCounter, "",
     "Labels that were in the cache when a call needed them.",
     [](const ManagerReading& at) { return at.switches.label_hits; }},
    {"label_cache_misses", MetricKind::kCounter, "", "Labels that were not.",
     [](const ManagerReading& at) { return at.switches.label_misses; }},
    {"labels_cached", MetricKind::kGauge, "", "Labels in the caches.",
     [](const ManagerReading& at) { return at.switches.labels_cached; }},
    {"labels_recalled", MetricKind::kCounter, "",
     "Labels returned because a SwitchServer recalled them.",
     [](const ManagerReading& at) { return at.switches.labels_recalled; }},
    {"labels_surplus", MetricKind::kCounter, "",
     "Labels returned because the cache had become too large.",
     [](const ManagerReading& at) { return at.switches.labels_surplus; }},
    {"quota_hits", MetricKind::kCounter, "", "Demands within the quota that was kept in advance.",
     [](const ManagerReading& at) { return at.switches.quota_hits; }},
    {"quota_misses", MetricKind::kCounter, "", "Demands beyond it.",
     [](const ManagerReading& at) { return at.switches.quota_misses; }},
    {"commands", MetricKind::kCounter, "", "Commands sent to SwitchServers.",
     [](const ManagerReading& at) { return at.switches.commands; }},
    {"frames_to_switches", MetricKind::kCounter, "", "Session messages sent to SwitchServers.",
     [](const ManagerReading& at) { return at.switches.frames_out; }},
    {"frames_from_switches", MetricKind::kCounter, "",
     "Session messages received from SwitchServers.",
     [](const ManagerReading& at) { return at.switches.frames_in; }},
    {"frames_to_clients", MetricKind::kCounter, "", "Session messages sent to clients.",
     [](const ManagerReading& at) { return at.clients.frames_out; }},
    {"frames_from_clients", MetricKind::kCounter, "", "Session messages received from clients.",
     [](const ManagerReading& at) { return at.clients.frames_in; }},
    {"batches_resent", MetricKind::kCounter, "", "Batches to SwitchServers sent again.",
     [](const ManagerReading& at) { return at.switches.batches_resent; }},
    {"debts_made", MetricKind::kCounter, "", "Removals that became owed to SwitchServers.",
     [](const ManagerReading& at) { return at.switches.debts_made; }},
    {"debts_paid", MetricKind::kCounter, "", "Owed removals that were confirmed.",
     [](const ManagerReading& at) { return at.switches.debts_paid; }},
    {"topologies", MetricKind::kCounter, "", "News of the topology taken.",
     [](const ManagerReading& at) { return at.calls.topologies; }},
    {"routes_expired", MetricKind::kCounter, "",
     "Expired paths that served a call at once while RouteObject was asked about them.",
     [](const ManagerReading& at) { return at.calls.routes_expired; }},
    {"routes_found_here", MetricKind::kCounter, "",
     "Paths that the manager found itself, over the last known network, because RouteObject did "
     "not answer.",
     [](const ManagerReading& at) { return at.calls.routes_found_here; }},
    {"stale_topologies", MetricKind::kCounter, "",
     "News of the topology ignored because later news had arrived.",
     [](const ManagerReading& at) { return at.calls.stale_topologies; }},
    {"astray", MetricKind::kGauge, "",
     "Connections whose path uses an unusable link, port or switch.",
     [](const ManagerReading& at) { return std::uint64_t{at.gauges.astray}; }},
    {"switches_refused", MetricKind::kGauge, "",
     "Switches of the network that no call uses, because the manager can know no more names.",
     [](const ManagerReading& at) { return std::uint64_t{at.gauges.switches_refused}; }},
    {"reroutes_under_way", MetricKind::kGauge, "", "Connections that get another path now.",
     [](const ManagerReading& at) { return std::uint64_t{at.gauges.reroutes_under_way}; }},
    {"reroutes_begun", MetricKind::kCounter, "", "Times that another path was begun.",
     [](const ManagerReading& at) { return at.calls.reroutes_begun; }},
    {"reroutes_done", MetricKind::kCounter, "", "Times that a connection moved to another path.",
     [](const ManagerReading& at) { return at.calls.reroutes_done; }},
    {"reroutes_failed", MetricKind::kCounter, "", "Times that another path could not be had.",
     [](const ManagerReading& at) { return at.calls.reroutes_failed; }},
    {"broken", MetricKind::kCounter, "",
     "Times that a connection's path was down and the connection stayed on it.",
     [](const ManagerReading& at) { return at.calls.broken; }},
    {"unknown", MetricKind::kCounter, "",
     "Times that a connection's path led over an unknown switch and no other could be had.",
     [](const ManagerReading& at) { return at.calls.unknown; }},
    {"mended", MetricKind::kCounter, "",
     "Times that a broken or unknown connection was whole again.",
     [](const ManagerReading& at) { return at.calls.mended; }},
    {"notices", MetricKind::kCounter, "", "Notices to clients on their connections.",
     [](const ManagerReading& at) { return at.clients.notices; }},
    {"notices_lost", MetricKind::kCounter, "", "Notices that no client was attached to receive.",
     [](const ManagerReading& at) { return at.clients.notices_lost; }},
    {"late_results", MetricKind::kCounter, "",
     "Answers for hops of connections that no longer exist.",
     [](const ManagerReading& at) { return at.calls.late_results; }},
    {"meaningless_events", MetricKind::kCounter, "",
     "Events without meaning in the connection's state.",
     [](const ManagerReading& at) { return at.calls.meaningless_events; }},
    {"repeated_requests", MetricKind::kCounter, "", "Requests that a client repeated.",
     [](const ManagerReading& at) { return at.clients.repeated_requests; }},
    {"unknown_session", MetricKind::kCounter, "",
     "Batches of clients and SwitchServers whose session is not known; ignored.",
     [](const ManagerReading& at) {
       return at.clients.unknown_session + at.calls.unknown_session;
     }},
    {"client_references", MetricKind::kGauge, "", "References to clients that are kept.",
     [](const ManagerReading& at) { return std::uint64_t{at.peers.client_references()}; }},
    {"switch_references", MetricKind::kGauge, "", "References to SwitchServers that are kept.",
     [](const ManagerReading& at) { return std::uint64_t{at.peers.switch_references()}; }},
    {"client_sessions_lost", MetricKind::kCounter, "", "Sessions with clients that were lost.",
     [](const ManagerReading& at) { return at.clients.sessions_lost; }},
    {"clients_displaced", MetricKind::kCounter, "",
     "Clients whose session ended because they had sent nothing and another needed the place.",
     [](const ManagerReading& at) { return at.clients.displaced; }},
    {"switch_sessions_lost", MetricKind::kCounter, "",
     "Sessions with SwitchServers that were lost.",
     [](const ManagerReading& at) { return at.switches.sessions_lost; }},
};

}  // namespace

Metrics status_of(const ConnectionManager& manager, const RemotePeers& peers,
                  const Config& config) {
  Metrics metrics;
  append(kManagerMetrics,
         ManagerReading{manager, peers, config, manager.counters(), manager.gauges(),
                        manager.client_counters(), manager.switches().counters()},
         metrics);
  manager.counters().by_cause.append_metrics(metrics);
  manager.call_times().setups().append_metrics("setup", metrics);
  manager.call_times().releases().append_metrics("release", metrics);
  peers.impairments().append_metrics(metrics);
  return metrics;
}

std::vector<MetricTable> manager_metrics() {
  return {metric_table("cmgr", kManagerMetrics, kCauseMetrics, kStageMetrics), impairment_metrics(),
          orb::upcall_metrics(), orb::alarm_metrics()};
}

}  // namespace xbind::cmgr
