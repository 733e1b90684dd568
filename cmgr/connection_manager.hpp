// ConnectionManager: sets up and releases connections over paths of label switches.
//
// A step machine: events come in (requests, results, routes, time), actions go out through Peers. No
// CORBA, no clock, no thread: the daemon (daemon.cpp), the tests and the simulator run this very code.
// Whoever calls it calls finish_step() after a group of events: everything that is due is sent then,
// in as few messages as possible.
//
// Not thread-safe; the daemon serialises calls with core/serial.hpp.
#pragma once

#include <boost/intrusive/list.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cmgr/client_desk.hpp"
#include "cmgr/config.hpp"
#include "cmgr/connection.hpp"
#include "cmgr/manager_view.hpp"
#include "cmgr/peers.hpp"
#include "cmgr/route_cache.hpp"
#include "cmgr/switch_desk.hpp"

namespace xbind::cmgr {

class ConnectionManager {
 public:
  ConnectionManager(Config config, Peers& peers);

  // --- clients ------------------------------------------------------------------------------------
  Result<ClientAttachment> attach_client(const std::string& name, Epoch epoch, TimePoint now);
  void detach_client(SessionId session);
  void on_requests(SessionId session, session::Frame<RequestBatch> frame, TimePoint now);
  // Two-way calls: exactly one Peers::local_outcome(token, ...) follows, perhaps before this returns.
  void connect_local(RequestId token, const std::string& from, const std::string& to,
                     const ServiceSpec& service, TimePoint now);
  void release_local(RequestId token, ConnectionId connection, TimePoint now);

  // --- SwitchServers ------------------------------------------------------------------------------
  // Makes the switch known and has it attached, before any call needs it.
  void know_switch(const std::string& name) { switches_.index_of(name); }
  void switch_attached(const std::string& name, SessionId session, std::uint32_t batches_in_flight,
                       const std::vector<PortLabels>& quarantined, TimePoint now);
  // The transport says that the peer is gone (or its session is unknown there). Commands under way
  // end as unreachable; the switch is asked for again.
  void switch_lost(SessionId session, std::string_view reason, TimePoint now);
  void on_results(SessionId session, session::Frame<HopResultBatch> frame, TimePoint now);

  // --- routes -------------------------------------------------------------------------------------
  // One reply for each query asked. cause kNoRouteObject: nobody could be asked.
  void on_routes(std::vector<RouteReply> replies, Duration validity, TimePoint now);

  // --- time ---------------------------------------------------------------------------------------
  void tick(TimePoint now);
  TimePoint next_deadline() const;
  void finish_step(TimePoint now);

  // --- for operators ------------------------------------------------------------------------------
  struct Description {
    const Connection& connection;
    const std::string& client;
  };
  std::optional<Description> describe(ConnectionId id) const;
  // Ids above `after`, ascending, at most `limit`.
  std::vector<ConnectionId> list(ConnectionId after, std::size_t limit) const;
  const std::string& switch_name(SwitchIndex at) const { return switches_.name(at); }
  std::vector<std::string> switch_names() const;
  // Whether there is a session with the SwitchServer of that name.
  bool reaches(const std::string& switch_name) const {
    const auto at = switches_.find(switch_name);
    return at && switches_.is_attached(*at);
  }
  std::size_t switches_attached() const { return switches_.attached_count(); }
  // What the manager believes about one switch, to be compared with its ledger.
  ManagerView view_of(const std::string& switch_name) const;
  // Everything that waits for a threshold goes out: before an audit.
  void flush_all(TimePoint now) { switches_.flush_all(now); }

  struct Counters {
    std::uint64_t setups = 0;  // connect requests taken
    std::uint64_t connected = 0;
    std::uint64_t refused = 0;
    std::uint64_t busy = 0;
    std::uint64_t releases = 0;  // release requests taken
    std::uint64_t released = 0;
    std::uint64_t undone = 0;  // calls whose other hops were removed after a refusal
    std::uint64_t route_queries = 0;
    std::uint64_t late_results = 0;  // answers for hops of connections that are gone
    std::uint64_t unknown_session = 0;
    std::uint64_t meaningless_events = 0;  // events without meaning in the connection's state
  };
  const Counters& counters() const { return counters_; }
  ClientDesk::Counters client_counters() const { return clients_.counters(); }
  SwitchDesk::Counters switch_counters() const { return switches_.counters(); }
  std::size_t connections() const { return connections_.size(); }
  std::size_t owed() const { return switches_.owed(); }
  std::size_t routes_cached() const { return routes_.size(); }

 private:
  using TimerList = boost::intrusive::list<Connection, boost::intrusive::constant_time_size<false>>;
  struct QueryHash {
    std::size_t operator()(const RouteQuery& query) const;
  };

  // Requests.
  bool admit(ClientIndex client, RequestId request);
  bool admit_local(RequestId token);
  void connect(ClientIndex client, const ConnectRequest& request, TimePoint now);
  void release(ClientIndex client, const ReleaseRequest& request, TimePoint now);
  void refuse_request(ClientIndex client, RequestId request, OutcomeKind kind, Refusal refusal);

  // Events of one connection. `happen` is the only place where a state changes.
  void happen(Connection& connection, Event event, TimePoint now);
  void perform(Connection& connection, Action action, TimePoint now);
  void start_path(Connection& connection, const RouteReply& route, TimePoint now);
  void reserve_missing(Connection& connection, TimePoint now);
  void commit_every_hop(Connection& connection, TimePoint now);
  void remove_every_hop(Connection& connection, TimePoint now);
  void owe_unconfirmed(Connection& connection, TimePoint now);
  // No answer is awaited any more: what could not be removed is owed.
  void removals_done(Connection& connection, TimePoint now);
  void settle_labels(Connection& connection, TimePoint now);
  void answer(Connection& connection, OutcomeKind kind);
  void forget(Connection& connection, TimePoint now);

  // Results.
  void on_result(SwitchIndex at, const HopResult& result, TimePoint now);
  void on_setup_result(Connection& connection, Hop& hop, const HopResult& result, TimePoint now);
  void on_removal_result(Connection& connection, Hop& hop, const HopResult& result, TimePoint now);
  void hop_refused(Connection& connection, Hop& hop, const HopResult& result, TimePoint now);
  void labels_answered(Hop& hop);
  void abandon_switch(SwitchIndex at, TimePoint now);
  void sort_quarantine(SwitchIndex at, const std::vector<PortLabels>& quarantined, TimePoint now);
  void resolve_switches(RouteReply& reply);
  static OwedLabel label_of(const Hop& hop);

  HopKey key_of(const Connection& connection, const Hop& hop) const;
  HopSetup setup_for(Connection& connection, Hop& hop, bool commit);
  void arm(Connection& connection, TimePoint now);
  void expire(TimerList& list, TimePoint now);
  std::string unanswered(const Connection& connection) const;

  Config config_;
  Peers& peers_;
  ClientDesk clients_;
  SwitchDesk switches_;
  RouteCache routes_;

  std::unordered_map<ConnectionId, std::unique_ptr<Connection>> connections_;
  std::uint64_t next_connection_ = 1;
  std::unordered_map<RouteQuery, std::vector<ConnectionId>, QueryHash> waiting_for_route_;
  std::vector<RouteQuery> queries_;  // to be asked at the end of the step

  // Connections whose state has a timer; each list has one timeout, so it is in order of deadlines.
  TimerList routing_;
  TimerList setting_up_;
  TimerList removing_;
  Counters counters_;
};

}  // namespace xbind::cmgr
