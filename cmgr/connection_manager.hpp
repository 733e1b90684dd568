// ConnectionManager: sets up, changes and releases connections over paths of label switches.
//
// A step machine: events come in (requests, results, routes, time), actions go out through Peers. No
// CORBA, no clock, no thread: the daemon (daemon.cpp), the tests and the simulator run this very code.
// Whoever calls it calls finish_step() after a group of events: requests that waited are begun then,
// and everything that is due is sent, in as few messages as possible.
//
//     requests ──▶ gate ──▶ QOS mapping ──▶ call_fsm.hpp, one connection at a time ──▶ switch desk
//     outcomes ◀── client desk ◀──────────────────────────┘
//
// The three engines are one code (Config::one_by_one): xbind tells all hops of a call at once, in
// oneway batches; sequential and threaded tell one after another and wait for each answer.
//
// Not thread-safe; the daemon serialises calls with core/serial.hpp.
#pragma once

#include <boost/intrusive/list.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cmgr/cache_state.hpp"
#include "cmgr/call_times.hpp"
#include "cmgr/client_desk.hpp"
#include "cmgr/config.hpp"
#include "cmgr/connection.hpp"
#include "cmgr/connection_table.hpp"
#include "cmgr/manager_view.hpp"
#include "cmgr/operation_gate.hpp"
#include "cmgr/peers.hpp"
#include "cmgr/prepared_pools.hpp"
#include "cmgr/qos_cache.hpp"
#include "cmgr/requests.hpp"
#include "cmgr/route_cache.hpp"
#include "cmgr/switch_desk.hpp"
#include "core/flat_map.hpp"

namespace xbind::cmgr {

class ConnectionManager {
 public:
  ConnectionManager(Config config, Peers& peers);
  ~ConnectionManager();

  // --- clients ------------------------------------------------------------------------------------
  Result<ClientAttachment> attach_client(const std::string& name, Epoch epoch, TimePoint now);
  void detach_client(SessionId session);
  // The process ends in order.
  void end_client_sessions();
  void on_requests(SessionId session, session::Frame<RequestBatch> frame, TimePoint now);
  // Two-way calls: exactly one Peers::local_outcome(token, ...) follows, perhaps before this returns.
  // The request's own number is not looked at.
  void request_local(RequestId token, RequestBody request, TimePoint now);
  void connect_local(RequestId token, const std::string& from, const std::string& to,
                     const ServiceSpec& service, TimePoint now);
  void release_local(RequestId token, ConnectionId connection, TimePoint now);
  // The outcome of a client's request, while it is remembered.
  std::optional<Outcome> outcome_of(const std::string& client, RequestId request) const {
    return clients_.outcome_of(client, request);
  }

  // --- SwitchServers ------------------------------------------------------------------------------
  // Makes the switch known and has it attached, before any call needs it.
  void know_switch(const std::string& name) { switches_.index_of(name); }
  void switch_attached(const std::string& name, SessionId session, std::uint32_t batches_in_flight,
                       const std::vector<PortLabels>& quarantined, TimePoint now);
  // The transport says that the peer is gone (or its session is unknown there). Commands under way
  // end as unreachable; the switch is asked for again.
  void switch_lost(SessionId session, std::string_view reason, TimePoint now);
  void on_results(SessionId session, session::Frame<HopResultBatch> frame, TimePoint now);
  // The answer to Peers::invoke with the commands `asked`. A failure: nobody knows whether they were
  // applied.
  void on_invoked(SessionId session, const HopBatch& asked, const Result<HopResultBatch>& answer,
                  TimePoint now);

  // --- routes and services ------------------------------------------------------------------------
  // One reply for each query asked. cause kNoRouteObject: nobody could be asked.
  void on_routes(std::vector<RouteReply> replies, Duration validity, TimePoint now);
  // One reply for each service asked. kNoQosMapper: nobody could be asked.
  void on_services(const std::vector<ServiceReply>& replies, TimePoint now);

  // What is unusable in the network now, whole; one whose version is not above the last is ignored.
  // Connections over it get another path, as far as there is one (decision 0022).
  // `restarted`: RouteObject has begun anew, and its versions with it.
  void on_topology(const TopologyState& state, bool restarted = false);

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
                       std::size_t count, TimePoint now);
  // At most `limit` entries of each kind, the most used first.
  std::vector<CacheState> caches(std::size_t limit, TimePoint now) const;

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
  // Labels of that output port that were asked for and have not come yet; 0 of a port that is not known.
  std::size_t labels_awaited(const std::string& switch_name, PortId port) const;
  // Everything that waits for a threshold goes out: before an audit.
  void flush_all(TimePoint now) { switches_.flush_all(now); }

  struct Counters {
    std::uint64_t setups = 0;  // connect requests taken
    std::uint64_t connected = 0;
    std::uint64_t refused = 0;
    std::uint64_t busy = 0;
    std::uint64_t releases = 0;  // release requests taken
    std::uint64_t released = 0;
    std::uint64_t held = 0;
    std::uint64_t holds_expired = 0;
    std::uint64_t modified = 0;
    std::uint64_t leaves_added = 0;
    std::uint64_t leaves_dropped = 0;
    std::uint64_t undone = 0;      // calls whose other hops were removed after a refusal
    std::uint64_t crankbacks = 0;  // further routes tried
    std::uint64_t route_queries = 0;
    std::uint64_t service_queries = 0;  // to the QOSMapper
    std::uint64_t mapped_here = 0;      // services mapped by the code that is linked in
    std::uint64_t late_results = 0;     // answers for hops of connections that are gone
    std::uint64_t unknown_session = 0;
    std::uint64_t meaningless_events = 0;  // events without meaning in the connection's state
    std::uint64_t table_hits = 0;    // changes and releases of connections that are in the table
    std::uint64_t table_misses = 0;  // and of others
    std::uint64_t waited = 0;        // requests that could not be begun at once
    std::uint64_t topologies = 0;    // news of the network
    std::uint64_t stale_topologies = 0;
    std::uint64_t reroutes_begun = 0;
    std::uint64_t reroutes_done = 0;
    std::uint64_t reroutes_failed = 0;
    std::uint64_t broken = 0;   // times that a connection's path was down and no other could be had
    std::uint64_t unknown = 0;  // times that its path led over an unknown switch, likewise
    std::uint64_t mended = 0;
  };
  const Counters& counters() const { return counters_; }
  const Occurrences& occurrences() const { return occurrences_; }
  // Where the time of setups and releases went.
  const CallTimes& call_times() const { return times_; }
  ClientDesk::Counters client_counters() const { return clients_.counters(); }
  SwitchDesk::Counters switch_counters() const { return switches_.counters(); }
  std::size_t connections() const { return connections_.size(); }
  std::size_t owed() const { return switches_.owed(); }
  // Requests begun and not answered.
  std::size_t under_way() const { return gate_.under_way(); }
  std::size_t routes_cached() const { return routes_.size(); }
  std::size_t route_octets_cached() const { return routes_.octets(); }
  // Connections whose path touches something unusable; those that get another path just now.
  std::size_t astray() const { return astray_.size(); }
  std::size_t reroutes_under_way() const { return reroutes_under_way_; }
  std::size_t prepared() const { return pools_.ready(); }

 private:
  // Of one switch: port (none: all of them).
  using UnusablePorts = std::map<PortId, Unusable>;
  using TimerList = boost::intrusive::list<Connection, boost::intrusive::constant_time_size<false>>;
  struct QueryHash {
    std::size_t operator()(const RouteQuery& query) const;
  };
  // A request whose services the QOSMapper is asked for.
  struct Parked {
    Request request;
    std::vector<std::pair<ServiceSpec, std::optional<NetworkService>>> services;
    TimePoint deadline;
  };
  // A hop of a connection, or of its party.
  struct Found {
    Connection* connection = nullptr;
    Hop* hop = nullptr;
  };

  // Requests (connection_manager.cpp, connection_manager_outcomes.cpp).
  template <class Body>
  void submit(ClientIndex client, const Body& request, unsigned urgency, TimePoint now);
  void pump(TimePoint now);
  template <class Body>
  void begin(ClientIndex client, const Body& body, RequestTimes times, TimePoint now);
  // What was asked for, its services mapped.
  template <class Body>
  void act(const Asker& asker, const Body& request, const RequestTimes& times,
           const Contract& contract, TimePoint now);
  bool admit(ClientIndex client, RequestId request, std::uint64_t digest, ConnectionId about);
  void park(Request request, TimePoint now);
  void connect(Asker asker, const ConnectRequest& request, const RequestTimes& times,
               const Contract& contract, TimePoint now);
  ConnectionId new_id();
  // By the name that clients know it by.
  Connection* find_shown(ConnectionId id) const;
  Connection& make_connection(OptionalAsker asker, const std::string& from, const std::string& to,
                              const Contract& contract);
  void release(Asker asker, const ReleaseRequest& request, const RequestTimes& times,
               TimePoint now);
  void commit(Asker asker, const CommitRequest& request, TimePoint now);
  // The connection named, if it is up and nothing else is under way; else the request is refused.
  Connection* find_changeable(const Asker& asker, ConnectionId id);
  // The one outcome of a request that was begun, whose times end with it.
  void tell(const Asker& asker, Outcome&& outcome, TimesIndex times = kNotTimed);
  // Of a release or a leaf dropped: what could not be removed yet.
  // After how long a request that was turned away may be taken: 10 ms to the queue timer.
  std::uint32_t retry_after_ms() const;
  void name_what_is_owed(const Connection& connection, Outcome& outcome) const;
  // `about` is the connection that the request names, and the outcome's; 0 for a connect.
  void refuse_request(const Asker& asker, ConnectionId about, Refusal refusal);
  // One that was admitted and not begun.
  void turn_away(ClientIndex client, RequestId request, ConnectionId about, Refusal refusal);

  // One connection (connection_manager_call.cpp). `happen` is the only place where a state changes.
  void happen(Connection& connection, Event event, TimePoint now);
  void perform(Connection& connection, Action action, TimePoint now);
  void start_path(Connection& connection, const RouteReply& route, TimePoint now);
  void reserve_hops(Connection& connection, TimePoint now);
  void try_another(Connection& connection, Refusal refusal, TimePoint now);
  void commit_every_hop(Connection& connection, TimePoint now);
  template <class Which>
  void commit_hops(Connection& connection, Which&& which, TimePoint now);
  void remove_every_hop(Connection& connection, TimePoint now);
  void owe_unconfirmed(Connection& connection, TimePoint now);
  // No answer is awaited any more: what could not be removed is owed.
  void removals_done(Connection& connection, TimePoint now);
  void settle_labels(Connection& connection, TimePoint now);
  static const std::shared_ptr<OwedLabel>* find_lent(const Connection& connection,
                                                     const OwedLabel& label);
  static std::shared_ptr<OwedLabel> lent_label(const Connection& connection, const Hop& hop);
  std::shared_ptr<OwedLabel> lend_label(Connection& root, std::size_t owner);
  void clear_path(Connection& connection, TimePoint now);
  void answer(Connection& connection, OutcomeKind kind, TimePoint now);
  void forget(Connection& connection, TimePoint now);
  void run_errand(Connection& connection, Hop& hop, Errand errand, TimePoint now);
  void say(Connection& connection, Hop& hop, TimePoint now);
  void say_next(Connection& connection, TimePoint now);
  void drop_errands(Connection& connection);

  // A connection's contract, and another one (connection_manager_change.cpp).
  void book(Connection& connection, Hop& hop, TimePoint now);
  void unbook(Connection& connection, Hop& hop);
  void modify(Asker asker, const ModifyRequest& request, const Contract& contract, TimePoint now);
  void change_every_hop(Connection& connection, TimePoint now);
  void restore_every_hop(Connection& connection, TimePoint now);
  Contract contract_to_tell(const Connection& connection) const;
  void change_ends(Connection& connection, bool accepted, bool owe, TimePoint now);
  void on_change_result(Connection& connection, Hop& hop, const HopResult& result, bool invoked,
                        TimePoint now);
  void changes_done(Connection& connection, TimePoint now);

  // Leaves (connection_manager_leaves.cpp).
  void change_leaf(Asker asker, const LeafRequest& request, TimePoint now);
  void add_leaf(Connection& root, Asker asker, const LeafRequest& request, TimePoint now);
  void drop_leaf(Connection& root, Asker asker, const LeafRequest& request, TimePoint now);
  bool graft(Connection& party, const RouteReply& route, TimePoint now);
  void join_party(Connection& root);
  void fold_party(Connection& root);
  static Hops cut(Hops& hops, const std::vector<std::int16_t>& out);

  // Another path (connection_manager_reroute.cpp).
  struct Blocked {
    SwitchIndex at;
    PortId port;
    bool drained = false;    // and neither down nor unknown
    bool unknown = false;    // the whole switch is, and this is not down (decision 0035)
    bool at_an_end = false;  // an access line, or an end's unknown switch: every path passes there
    std::string words;       // "switch-1 port 2", "switch-1 unknown"

    bool down() const { return !drained && !unknown; }
  };
  void resolve_unusable();
  template <class Hops, class HopAt>
  std::optional<Blocked> worst_of(const Hops& hops, HopAt&& hop_at) const;
  std::optional<Blocked> first_unusable(const Connection& connection) const;
  std::optional<Blocked> first_unusable(const RouteReply& route) const;
  void look_at_path(Connection& connection);
  void notify(const Connection& connection, NoticeKind kind, Refusal why);
  void report_broken(Connection& connection, const Blocked& blocked, Refusal why);
  void start_reroutes(TimePoint now);
  void retry_reroutes(TimePoint now);
  void begin_reroute(Connection& root, const Blocked& why, TimePoint now);
  bool lay_path(Connection& party, const RouteReply& route, TimePoint now);
  void lay_leg(Connection& party, std::uint16_t leg, const RouteReply& route);
  void take_over(Connection& party, TimePoint now);
  void go_over(Connection& party);
  void lead_back_again(Connection& party, TimePoint now);
  void leave_turn(Reroute& reroute);
  void reroute_ends(Connection& root, TimePoint now);

  // Routes (connection_manager_routes.cpp).
  void find_route(Connection& connection, TimePoint now);
  // Of the names in `connection.ends`: valid as long as these.
  static RouteNeed need_of(const Connection& connection);
  void plan_next_try(Connection& connection, const Hop* hop, const HopResult* result);
  bool avoid(Connection& connection, SwitchIndex at, PortId output_port);
  void resolve_switches(RouteReply& reply);

  // Connections prepared in advance (connection_manager_prepared.cpp).
  bool take_prepared(Asker asker, const ConnectRequest& request, const RequestTimes& times,
                     const Contract& contract, TimePoint now);
  bool return_prepared(Connection& connection, TimePoint now);
  void prepared_answered(Connection& connection, OutcomeKind kind, TimePoint now);
  void fill_pools(TimePoint now);

  // Results (connection_manager_switches.cpp).
  // `invoked`: it answers an invocation, it has not come by the session.
  void on_result(SwitchIndex at, const HopResult& result, bool invoked, TimePoint now);
  void on_setup_result(Connection& connection, Hop& hop, const HopResult& result, TimePoint now);
  void on_removal_result(Connection& connection, Hop& hop, const HopResult& result, TimePoint now);
  void hop_refused(Connection& connection, Hop& hop, const HopResult& result, TimePoint now);
  Refusal refusal_of(const Hop& hop, const HopResult& result) const;
  void labels_answered(Hop& hop);
  void abandon_switch(SwitchIndex at, TimePoint now);
  void abandon_switch(Connection& connection, SwitchIndex at, TimePoint now);
  void sort_quarantine(SwitchIndex at, const std::vector<PortLabels>& quarantined, TimePoint now);
  Found find_hop(SwitchIndex at, const HopKey& key);
  template <class Visitor>
  void for_each_connection(Visitor&& visit) const;  // parties too
  static OwedLabel label_of(const Hop& hop);

  HopKey key_of(const Connection& connection, const Hop& hop) const {
    return {connection.id, Generation{hop.generation}, hop.leg, hop.number};
  }
  static Asker caller_of(const Connection& connection);
  Owner owner_of(const Connection& connection) const;
  void fill_in(HopSetup& setup, Connection& connection, Hop& hop, bool commit, TimePoint now);
  void arm(Connection& connection, TimePoint now);
  void expire(TimerList& list, TimePoint now);
  std::string unanswered(const Connection& connection) const;

  Config config_;
  Peers& peers_;
  CallTimes times_;
  ClientDesk clients_;
  SwitchDesk switches_;
  RouteCache routes_;
  QosCache services_;
  OperationGate<Request> gate_;
  PreparedPools pools_;
  CallEndsTable ends_;
  ConnectionTable connections_;
  FlatMap<ConnectionId, ConnectionId> aliases_;  // of connections that were prepared
  std::uint64_t next_connection_ = 1;
  std::unordered_map<RouteQuery, std::vector<ConnectionId>, QueryHash> waiting_for_route_;
  std::vector<RouteQuery> queries_;  // to be asked at the end of the step
  std::deque<Parked> parked_;        // oldest first
  std::set<ServiceSpec> asked_services_;
  std::vector<ServiceSpec> services_to_ask_;
  // By the timer that runs, oldest first; each list has one duration.
  TimerList routing_;
  TimerList setting_up_;
  TimerList removing_;
  TimerList lingering_;
  std::set<std::pair<TimePoint, ConnectionId>> holds_;
  // Holds that have expired: a commit that comes too late is told so. The latest kExpiredHolds.
  std::deque<ConnectionId> expired_order_;
  std::unordered_set<ConnectionId> expired_holds_;
  // What is unusable, by switch; of switches that are not known yet, nothing.
  TopologyState topology_;
  std::unordered_map<SwitchIndex, UnusablePorts> unusable_;
  std::size_t switches_resolved_ = 0;  // how many were known when unusable_ was made
  // Connections whose path touches any of it: they wait for another path, have one under way, or (in
  // vain) for the network to change. Never more than there are connections.
  std::unordered_map<ConnectionId, bool> astray_;  // and whether they stand in the queue
  std::deque<ConnectionId> reroute_queue_;
  std::size_t reroutes_under_way_ = 0;
  TimePoint reroute_retry_at_ = kNever;
  Counters counters_;
  Occurrences occurrences_{};
};

}  // namespace xbind::cmgr
