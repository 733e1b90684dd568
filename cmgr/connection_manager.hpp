// ConnectionManager: sets up, changes and releases connections over paths of label switches.
//
// A step machine: events come in (requests, results, routes, time), actions go out through Peers. No
// CORBA, no clock, no thread: the daemon (daemon.cpp), the tests and the simulator run this very code.
// Whoever calls it calls finish_step() after a group of events: requests that waited are begun then,
// and everything that is due is sent, in as few messages as possible.
//
//     requests ──▶ request desk ──▶ call requests ──▶ procedures ──▶ hop teller ──▶ switch desk
//                  (gate, QOS)      (whether it may)  (procedures/)                      │
//     outcomes ◀── client desk ◀── outcomes ◀───────────┤ ▲ └─▶ connection table         ▼
//                                                       ▼ │       (doors, journal)   results
//     routes ────▶ route desk, path watch ──────────────┘ └── switch answers ◀───────────┘
//
// This class owns these parts and connects them; what it does itself is to say in which order they run.
// The three engines are one code (Config::one_by_one): xbind tells all hops of a call at once, in
// oneway batches; sequential and threaded tell one after another and wait for each answer.
//
// Not thread-safe; the daemon serialises calls with core/serial.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cmgr/manager_view.hpp"
#include "cmgr/parts/cache_state.hpp"
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
#include "cmgr/procedures/hop_teller.hpp"
#include "cmgr/procedures/path_watch.hpp"
#include "cmgr/procedures/prepared_desk.hpp"
#include "cmgr/request_desk.hpp"
#include "cmgr/switch_answers.hpp"

namespace xbind::cmgr {

class ConnectionManager {
 public:
  ConnectionManager(Config config, Peers& peers);
  ~ConnectionManager();

  // Hears every change of the table of connections from now on; null: nobody does.
  void keep(Journal* journal) { connections_.keep(journal); }

  // --- clients ------------------------------------------------------------------------------------
  Result<ClientAttachment> attach_client(const std::string& name, Epoch epoch, TimePoint now) {
    return clients_.attach(name, epoch, now);
  }
  void detach_client(SessionId session) { clients_.detach(session); }
  // The process ends in order.
  void end_client_sessions() { clients_.end_all(); }
  void on_requests(SessionId session, session::Frame<RequestBatch> frame, TimePoint now);
  // Two-way calls: exactly one Peers::local_outcome(token, ...) follows, perhaps before this returns.
  // The request's own number is not looked at.
  void request_local(RequestId token, RequestBody request, TimePoint now) {
    requests_.on_local(token, std::move(request), now);
  }
  void connect_local(RequestId token, const std::string& from, const std::string& to,
                     const ServiceSpec& service, TimePoint now) {
    request_local(token, ConnectRequest{token, from, to, service}, now);
  }
  void release_local(RequestId token, ConnectionId connection, TimePoint now) {
    request_local(token, ReleaseRequest{token, connection}, now);
  }
  // The outcome of a client's request, while it is remembered.
  std::optional<Outcome> outcome_of(const std::string& client, RequestId request) const {
    return clients_.outcome_of(client, request);
  }

  // --- SwitchServers ------------------------------------------------------------------------------
  // Makes the switch known and has it attached, before any call needs it.
  void know_switch(const std::string& name) { switches_.index_of(name); }
  void switch_attached(const std::string& name, SessionId session, std::uint32_t batches_in_flight,
                       const std::vector<PortLabels>& quarantined, TimePoint now) {
    answers_.attached(name, session, batches_in_flight, quarantined, now);
  }
  // The transport says that the peer is gone (or its session is unknown there). Commands under way
  // end as unreachable; the switch is asked for again.
  void switch_lost(SessionId session, std::string_view reason, TimePoint now) {
    answers_.lost(session, reason, now);
  }
  void on_results(SessionId session, session::Frame<HopResultBatch> frame, TimePoint now) {
    answers_.on_results(session, std::move(frame), now);
  }
  // The answer to Peers::invoke with the commands `asked`. A failure: nobody knows whether they were
  // applied.
  void on_invoked(SessionId session, const HopBatch& asked, const Result<HopResultBatch>& answer,
                  TimePoint now) {
    answers_.on_invoked(session, asked, answer, now);
  }

  // --- routes and services ------------------------------------------------------------------------
  // One reply for each query asked. cause kNoRouteObject: nobody could be asked.
  void on_routes(std::vector<RouteReply> replies, Duration validity, TimePoint now);
  // One reply for each service asked. kNoQosMapper: nobody could be asked.
  void on_services(const std::vector<ServiceReply>& replies, TimePoint now) {
    requests_.on_services(replies, now);
  }
  // What is unusable in the network now, whole; one whose version is not above the last is ignored.
  // Connections over it get another path, as far as there is one (decision 0022).
  // `restarted`: RouteObject has begun anew, and its versions with it.
  void on_topology(const TopologyState& state, bool restarted = false) {
    paths_.on_topology(state, restarted);
  }

  // --- time ---------------------------------------------------------------------------------------
  void tick(TimePoint now);
  TimePoint next_deadline() const;
  void finish_step(TimePoint now);

  // --- for operators ------------------------------------------------------------------------------
  // kBadInput: a number out of range, which the text names.
  Result<void> set_aggregation(const Aggregation& settings, TimePoint now);
  const AggregationPolicy& aggregation() const { return switches_.aggregation(); }
  // Keeps `count` connections ready for calls of that pair and service; 0 ends it.
  Result<void> prepare(const std::string& from, const std::string& to, const ServiceSpec& service,
                       std::size_t count, TimePoint now) {
    return prepared_.prepare(from, to, service, count, now);
  }
  // At most `limit` entries of each kind, the most used first.
  std::vector<CacheState> caches(std::size_t limit, TimePoint now) const;

  struct Description {
    const Connection& connection;
    const std::string& client;
  };
  std::optional<Description> describe(ConnectionId id) const;
  // Ids above `after`, ascending, at most `limit`.
  std::vector<ConnectionId> list(ConnectionId after, std::size_t limit) const {
    return connections_.page(after, limit);
  }
  const std::string& switch_name(SwitchIndex at) const { return switches_.name(at); }
  std::vector<std::string> switch_names() const;
  // Whether there is a session with the SwitchServer of that name.
  bool reaches(const std::string& switch_name) const;
  // What the manager believes about one switch, to be compared with its ledger.
  ManagerView view_of(const std::string& switch_name) const;
  // Everything that waits for a threshold goes out: before an audit.
  void flush_all(TimePoint now) { switches_.flush_all(now); }

  // --- figures ------------------------------------------------------------------------------------
  const CallCounters& counters() const { return tally_.counters; }
  const Occurrences& occurrences() const { return tally_.occurrences; }
  // Where the time of setups and releases went.
  const CallTimes& call_times() const { return times_; }
  ClientDesk::Counters client_counters() const { return clients_.counters(); }
  SwitchDesk::Counters switch_counters() const { return switches_.counters(); }
  // How much there is now.
  struct Gauges {
    std::size_t connections = 0;
    std::size_t owed = 0;
    std::size_t under_way = 0;  // requests begun and not answered
    std::size_t switches_attached = 0;
    std::size_t routes_cached = 0;
    std::size_t route_octets_cached = 0;
    std::size_t astray = 0;  // connections whose path touches something unusable
    std::size_t reroutes_under_way = 0;
    std::size_t prepared = 0;
  };
  Gauges gauges() const;
  // Labels of that output port that were asked for and have not come yet; 0 of a port that is not known.
  std::size_t labels_awaited(const std::string& switch_name, PortId port) const;

 private:
  struct Tally {
    CallCounters counters;
    Occurrences occurrences;
  };

  Config config_;
  Tally tally_;
  CallTimes times_;
  ClientDesk clients_;
  SwitchDesk switches_;
  Outcomes outcomes_;
  HopTeller teller_;
  RouteDesk routes_;
  ProcedureTimers timers_;
  Context context_;
  ConnectionTable connections_;  // and their procedures, which use all that stands before
  PathWatch paths_;
  PreparedDesk prepared_;
  RequestDesk requests_;
  SwitchAnswers answers_;
};

}  // namespace xbind::cmgr
