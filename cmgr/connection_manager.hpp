// ConnectionManager: sets up, changes and releases connections over paths of label switches.
//
// A step machine: events come in (requests, results, routes, time), actions leave through Peers. It
// uses no CORBA, no clock and no thread: the daemon (daemon.cpp), the tests and the simulator run
// the same code. The caller runs finish_step() after a group of events. It begins requests that
// waited and sends everything that is due, in as few messages as possible.
//
//     requests ──▶ request desk ──▶ call requests ──▶ procedures ──▶ hop sender ──▶ switch desk
//                  (gate, QOS)      (whether it may)  (procedures/)                      │
//     outcomes ◀── client desk ◀── outcomes ◀───────────┤ ▲ └─▶ connection table         ▼
//                                                       ▼ │       (doors, journal)   results
//     routes ────▶ route desk, path watch ──────────────┘ └── switch answers ◀───────────┘
//
// This class owns and connects these parts; its own work is to run them in the right order. The
// three engines share one code (Config::one_by_one). xbind sends the commands for all hops of a
// call at once, in oneway batches. sequential and threaded invoke one hop after another and wait
// for each answer.
//
// Not thread-safe; the daemon serialises calls with core/serial.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cmgr/call_check.hpp"
#include "cmgr/manager_view.hpp"
#include "cmgr/parts/cache_state.hpp"
#include "cmgr/parts/call_log.hpp"
#include "cmgr/parts/call_times.hpp"
#include "cmgr/parts/client_desk.hpp"
#include "cmgr/parts/config.hpp"
#include "cmgr/parts/counters.hpp"
#include "cmgr/parts/outcomes.hpp"
#include "cmgr/parts/peers.hpp"
#include "cmgr/parts/route_desk.hpp"
#include "cmgr/parts/switch_desk.hpp"
#include "cmgr/procedures/connection_table.hpp"
#include "cmgr/procedures/context.hpp"
#include "cmgr/procedures/hop_sender.hpp"
#include "cmgr/procedures/network_desk.hpp"
#include "cmgr/procedures/path_watch.hpp"
#include "cmgr/procedures/prepared_desk.hpp"
#include "cmgr/procedures/recovery.hpp"
#include "cmgr/request_desk.hpp"
#include "cmgr/switch_answers.hpp"
#include "core/events/event_log.hpp"

namespace xbind::cmgr {

class ConnectionManager {
 public:
  ConnectionManager(Config config, Peers& peers);
  ~ConnectionManager();

  // Sets the epoch of this process, before anything is asked of it (Config::epoch until then).
  // `renewed`: see ConnectionTable.
  void begin_epoch(Epoch epoch, bool renewed) {
    config_.epoch = epoch.value();
    connections_.ids().begin_epoch(epoch.value(), renewed);
    recovery_.expect_network();
  }
  // Reports every later change of the connection table to `journal`; null ends that.
  void keep(Journal* journal) { connections_.keep(journal); }
  // Reports the sessions of clients and SwitchServers to `events`, which must outlive this object.
  void report_sessions(EventLog& events) {
    clients_.report_sessions(events);
    switches_.report_sessions(events);
  }

  // --- clients -----------------------------------------------------------------------------------
  Result<Epoch> new_client_epoch(const std::string& name) { return clients_.new_epoch(name); }
  Result<ClientAttachment> attach_client(const std::string& name, Epoch epoch, TimePoint now) {
    auto attached = clients_.attach(name, epoch, now);
    if (attached) recovery_.client_attached(name);
    return attached;
  }
  void detach_client(SessionId session) { clients_.detach(session); }
  // Ends all client sessions because this process ends in order.
  void end_client_sessions() { clients_.end_all(); }
  void on_requests(SessionId session, session::Frame<RequestBatch> frame, TimePoint now);
  // Two-way calls: exactly one Peers::local_outcome(token, ...) follows, perhaps before this
  // returns. The number inside the request is ignored; `token` replaces it.
  void request_local(RequestId token, RequestBody request, TimePoint now) {
    tally_.traces.at(now);
    requests_.on_local(token, std::move(request), now);
  }
  void release_local(RequestId token, ConnectionId connection, TimePoint now,
                     EndWhy why = EndWhy::kAsked) {
    request_local(token, ReleaseRequest{token, connection, why}, now);
  }
  // Returns the outcome of a client's request while the manager remembers it.
  std::optional<Outcome> outcome_of(const std::string& client, RequestId request) const {
    return clients_.outcome_of(client, request);
  }

  // --- SwitchServers -----------------------------------------------------------------------------
  // Registers the switch and has the manager attach to it before a call needs it.
  // kExhausted: as SwitchDesk::index_of().
  Result<void> register_switch(const std::string& name) {
    if (auto known = switches_.index_of(name); !known) return tl::make_unexpected(known.error());
    return {};
  }
  void switch_attached(const std::string& name, SessionId session, std::uint32_t batches_in_flight,
                       const std::vector<PortLabels>& quarantined, TimePoint now) {
    tally_.traces.at(now);
    answers_.attached(name, session, batches_in_flight, quarantined, now);
  }
  // --- connections of earlier epochs (recovery.hpp)
  // All switches of the network and its links, at the start and after each change. The manager
  // attaches to the switches before a call needs them. Switches that it knows and that are not
  // among them have been removed (procedures/network_desk.hpp).
  // With `ends`, calls that RouteObject does not answer get paths over this network.
  void set_network(const std::vector<std::string>& switches, const std::vector<NetworkLink>& links,
                   TimePoint now, const std::vector<NetworkEnd>& ends = {}) {
    routes_.set_network(links, ends);
    network_.set(switches, links, now);
  }
  // A page of the hops that the SwitchServer holds for this manager. Follows the first
  // switch_attached() of each switch; `next` is 0 in the last page, which may be empty.
  // `as` kLost: its ledger was lost, and nothing is claimed there; Peers::attach_switch() follows
  // when this manager knows what to claim.
  void switch_holds(const std::string& name, HeldHops page, TimePoint now,
                    Recovery::ReadAs as = Recovery::ReadAs::kWhole) {
    tally_.traces.at(now);
    if (const auto at = switches_.index_of(name)) recovery_.read(*at, std::move(page), now, as);
  }
  // The answer to claims_at() of such a switch. switch_attached() and all pages of the ledger, read
  // anew, follow.
  void switch_claimed(const std::string& name, const ClaimsAnswer& answer) {
    if (const auto at = switches_.index_of(name)) recovery_.claimed(*at, answer);
  }
  // The manager begins to serve although some switches have not been read.
  void serve_with_switches_missing(TimePoint now) { recovery_.serve(now); }
  // Entries of that switch that no manager has claimed (Recovery::note_entries_of_nobody()). While
  // that is not known, the SwitchServer is asked again.
  void note_entries_of_nobody(const std::string& switch_name, std::uint64_t entries,
                              TimePoint now) {
    const auto at = switches_.find(switch_name);
    if (!at) return;
    recovery_.note_entries_of_nobody(*at, entries, now);
    switches_.entries_known(*at, entries != kEntriesUnknown || !recovery_.claims_all(*at), now);
  }
  // The answer to Peers::finish_claims() in that session: how many entries are left there that no
  // manager has claimed. nullopt: no answer; the manager calls it again.
  void claims_finished(const std::string& name, SessionId session,
                       std::optional<std::uint64_t> entries_left, TimePoint now) {
    const auto at = switches_.find(name);
    if (!at) return;
    switches_.claims_finished(*at, session, entries_left.has_value(), now);
    if (entries_left) note_entries_of_nobody(name, *entries_left, now);
  }
  const Recovery& recovery() const { return recovery_; }

  // --- SwitchServers that have lost their ledger (procedures/claims.hpp)
  // What this manager has at the switch. To be claimed before switch_attached().
  std::vector<HopClaims> claims_at(const std::string& switch_name, TimePoint now,
                                   std::size_t per_page = kHopsPerPage) const;

  // The transport reports that the peer is gone, or that the peer does not know the session.
  // Commands under way end as unreachable, and the manager attaches to the switch again.
  void switch_lost(SessionId session, std::string_view reason, TimePoint now) {
    tally_.traces.at(now);
    answers_.lost(session, reason, now);
  }
  void on_results(SessionId session, session::Frame<HopResultBatch> frame, TimePoint now) {
    tally_.traces.at(now);
    answers_.on_results(session, std::move(frame), now);
  }
  // The answer to Peers::invoke with the commands `asked`. After a failure it is unknown whether
  // the switch applied them.
  void on_invoked(SessionId session, const HopBatch& asked, const Result<HopResultBatch>& answer,
                  TimePoint now) {
    tally_.traces.at(now);
    answers_.on_invoked(session, asked, answer, now);
  }

  // --- routes and services -----------------------------------------------------------------------
  // One reply for each query. Cause kNoRouteObject: no RouteObject could be reached.
  void on_routes(std::vector<RouteReply> replies, Duration validity, TimePoint now);
  // One reply for each service. Cause kNoQosMapper: no QOSMapper could be reached.
  void on_services(const std::vector<ServiceReply>& replies, TimePoint now) {
    tally_.traces.at(now);
    requests_.on_services(replies, now);
  }
  // `state` lists everything that is unusable in the network now. It is ignored unless its version
  // is above the last one. Connections over unusable elements get another path where one exists
  // (decision 0022). `restarted`: RouteObject has restarted, and its versions count from the
  // beginning.
  void on_topology(const TopologyState& state, bool restarted = false) {
    paths_.on_topology(state, restarted);
  }

  // --- time --------------------------------------------------------------------------------------
  void tick(TimePoint now);
  TimePoint next_deadline() const;
  void finish_step(TimePoint now);

  // --- for operators -----------------------------------------------------------------------------
  // kBadInput: a number is out of range; the text names it.
  Result<void> set_aggregation(const Aggregation& settings, TimePoint now);
  // Takes the live settings of `wanted` (take_live_settings()) at once, also for calls under way.
  // Aggregation that set_aggregation() has changed stays unless `wanted` differs from the last one
  // that was configured. kBadInput: as set_aggregation(); nothing has changed.
  Result<void> change_settings(const Config& wanted, TimePoint now);
  // Keeps `count` connections ready for calls of that pair and service; 0 ends the pool.
  // Returns the contract of the pool.
  Result<NetworkService> prepare(const std::string& from, const std::string& to,
                                 const ServiceSpec& service, std::size_t count, TimePoint now) {
    return prepared_.prepare(from, to, service, count, now);
  }
  Result<void> prepare_mapped(const std::string& from, const std::string& to,
                              const NetworkService& service, std::size_t count, TimePoint now) {
    return prepared_.prepare_mapped(from, to, service, count, now);
  }
  // At most `limit` entries of each kind, the most used first.
  std::vector<CacheState> caches(std::size_t limit, TimePoint now) const;

  struct ForcedEnd {
    bool stood = false;    // there was such a connection
    bool stands = false;   // there still is: nothing is under way on it, or it is being released
    std::size_t owed = 0;  // removals that are owed now because of this
  };
  // See procedures/forced_end.hpp. A release of the same id then ends the connection.
  ForcedEnd end_by_force(ConnectionId id, TimePoint now);

  struct Description {
    const Connection& connection;
    const std::string& client;
  };
  // nullopt: the connection is not in the table.
  std::optional<Description> describe(ConnectionId id) const;
  // An incomplete call, which is not in the table; by either id.
  std::optional<IncompleteCall> incomplete(ConnectionId id) const {
    return describe(id) ? std::nullopt : recovery_.incomplete(id);
  }
  // Ids of the table above `after`, ascending, at most `limit`.
  std::vector<ConnectionId> list(ConnectionId after, std::size_t limit) const {
    return connections_.page(after, limit);
  }
  // The same with those of incomplete calls.
  std::vector<ConnectionId> list_all(ConnectionId after, std::size_t limit) const;
  std::vector<std::string> switch_names() const;
  // Whether the manager has a session with the SwitchServer of that name.
  bool reaches(const std::string& switch_name) const;
  // What the manager believes about one switch, to be compared with its ledger.
  ManagerView view_of(const std::string& switch_name) const;
  // What the manager has of one connection, to be compared in the same way; nullopt: there is none.
  // Of an incomplete call, the hops that are known; it is never settled.
  std::optional<CallView> view_of_call(ConnectionId id) const;
  // Has the hops removed that only the ledger of that switch has, and returns those labels to it.
  void repair(const std::string& switch_name, const OwnRepairs& repairs, TimePoint now);
  // The last events of calls; as CallLog::page().
  EventPage calls_after(std::uint64_t after, std::size_t limit, const Moment& now) const {
    return log_.page(after, limit, now);
  }
  // Sends all queued commands without waiting for a threshold; used before an audit.
  void flush_all(TimePoint now) { switches_.queues().flush_all(now); }

  // --- figures -----------------------------------------------------------------------------------
  // Clients and what they have, in the order of names: the first `limit` above `after`.
  struct ClientView {
    ClientDesk::Known client;
    ClientUsage::Usage usage;
  };
  std::vector<ClientView> clients(const std::string& after, std::size_t limit) const;
  // Visits each client that has connections and no session: visit(name, connections).
  template <class Visitor>
  void for_each_gone_client(Visitor&& visit) const {
    clients_.for_each_gone([&](const std::string& name, ClientIndex index) {
      const std::uint64_t connections = connections_.usage().of(index).connections;
      if (connections != 0) visit(name, connections);
    });
  }
  const CallCounters& counters() const { return tally_.counters; }
  const Occurrences& occurrences() const { return tally_.occurrences; }
  // Where setups and releases spent their time.
  const CallTimes& call_times() const { return times_; }
  // What is recorded of calls; trace_spans.hpp makes spans of it.
  const CallTraces& traces() const { return tally_.traces; }
  ClientDesk::Counters client_counters() const { return clients_.counters(); }
  const SwitchDesk& switches() const { return switches_; }
  // Present quantities.
  struct Gauges {
    std::size_t connections = 0;
    std::size_t owed = 0;
    std::size_t under_way = 0;  // requests begun and not yet answered
    std::size_t switches_attached = 0;
    std::size_t routes_cached = 0;
    std::size_t route_octets_cached = 0;
    std::size_t astray = 0;  // connections whose path uses an unusable element
    std::size_t reroutes_under_way = 0;
    std::size_t prepared = 0;
    std::size_t switches_refused = 0;  // of the network, beyond SwitchDesk::kSwitches names
    std::size_t incomplete = 0;        // calls of earlier epochs; not among the connections
  };
  Gauges gauges() const;
  // Labels of that output port that were requested and not yet granted; 0 for an unknown port.
  std::size_t labels_awaited(const std::string& switch_name, PortId port) const;

 private:
  struct Tally {
    CallCounters counters;
    Occurrences occurrences;
    CallTraces traces;
  };

  Config config_;
  Tally tally_;
  CallTimes times_;
  ClientDesk clients_;
  SwitchDesk switches_;
  Outcomes outcomes_;
  HopSender sender_;
  RouteDesk routes_;
  ProcedureTimers timers_;
  Context context_;
  ConnectionTable connections_;  // declared after all that its procedures use, so destroyed first
  CallLog log_;                  // refers to the ends of the table's calls
  PathWatch paths_;
  PreparedDesk prepared_;
  Recovery recovery_;
  NetworkDesk network_;
  RequestDesk requests_;
  SwitchAnswers answers_;
};

}  // namespace xbind::cmgr
