// The peers of a connection manager over CORBA. Frames are collected during a step and sent after
// it. Two-way calls have threads of their own, so that no step ever waits. Some threads attach to
// SwitchServers, one watches the topology, and one queries RouteObject. Workers query the QOSMapper
// and, for the engines that wait for every answer, RouteObject, and invoke SwitchServers.
// attach_policy.hpp says when to attach and to watch. The sequential engine has one worker, so that
// everything waits for its calls.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "cmgr/connection_manager.hpp"
#include "cmgr/parts/attach_policy.hpp"
#include "cmgr/remote_jobs.hpp"
#include "connection_manager.hh"
#include "core/alarms/alarm.hpp"
#include "core/attach_table.hpp"
#include "core/attaching.hpp"
#include "core/impairments/outbox.hpp"
#include "core/manager_epochs.hpp"
#include "naming/names.hpp"
#include "orb/name_client.hpp"
#include "orb/peer_log.hpp"
#include "qos_mapper.hh"
#include "route_object.hh"
#include "switch_server.hh"

namespace xbind::cmgr {

// The metric by which RouteObject compares paths (idl/route_object.idl, metric_*).
enum class RouteMetric : std::uint8_t { kHops = 0, kDelay = 1, kLoad = 2 };

class RemotePeers : public Peers {
 public:
  // Posts a job of a thread or a failed send to the logic; never runs it inline.
  using Post = std::function<void(std::function<void(ConnectionManager&)>)>;
  using LocalOutcome = std::function<void(RequestId token, Outcome outcome)>;

  struct Options {
    std::string manager;  // this manager's name at the SwitchServers
    Epoch epoch;
    std::string route_object;  // name under xbind/routeobject/
    std::string qos_mapper;    // name under xbind/qosmapper/
    std::string name_service;
    std::size_t workers = 1;
    bool routes_apart = true;  // queries to RouteObject have a thread of their own
    ImpairmentOptions impairments;
    RouteMetric route_metric = RouteMetric::kHops;
    // A SwitchServer knows a newer epoch of the manager's name: this process cannot continue.
    // Called on any of the attaching threads; may be empty.
    std::function<void(const std::string& why)> fenced;
  };

  RemotePeers(CORBA::ORB_ptr orb, Options options, Post post, LocalOutcome local_outcome);
  ~RemotePeers() override;  // calls stop()
  // Starts the threads. SwitchServers call `observer`, RouteObject calls `topology_observer`.
  void start(v2::HopObserver_ptr observer, v2::TopologyObserver_ptr topology_observer);
  void stop();

  // Peers, within a step.
  void to_switch(SessionId session, const std::string& switch_name,
                 session::Frame<HopBatch> frame) override;
  void to_client(SessionId session, session::Frame<OutcomeBatch> frame) override;
  void local_outcome(RequestId token, Outcome outcome) override;
  void ask_routes(std::vector<RouteQuery> queries) override;
  void ask_services(std::vector<ServiceSpec> services) override;
  void invoke(SessionId session, const std::string& switch_name, HopBatch batch) override;
  void attach_switch(const std::string& switch_name, AttachTable::Lost lost) override;
  void claim_lost(const std::string& switch_name) override;
  void finish_claims(SessionId session, const std::string& switch_name) override;
  void let_go_of_switch(const std::string& switch_name) override;
  void switch_session_over(SessionId session) override {
    ended_switch_sessions_.push_back(session);
  }
  void client_session_over(SessionId session, const SessionEnding& ending) override {
    ended_client_sessions_.emplace_back(session, ending);
  }

  // Within a step: registers the callback of a client that has just attached.
  void register_client(SessionId session, v2::OutcomeObserver_ptr observer);
  // After a step: sends the collected messages.
  void send_collected(TimePoint now);
  TimePoint next_deadline() const;
  std::uint64_t requests_sent() const { return requests_sent_; }
  // Peer references in use: one for each session that has not ended.
  std::size_t switch_references() const { return inboxes_.size(); }
  std::size_t client_references() const { return clients_.size(); }
  Impairments& impairments() { return impairments_; }
  const Impairments& impairments() const { return impairments_; }

  // Two-way, on any thread except the logic's: the names of all switches in RouteObject's topology,
  // and its links.
  struct Network {
    std::uint64_t version = 0;  // RouteObject's network_version
    std::vector<std::string> switches;
    std::vector<NetworkLink> links;
    std::vector<NetworkEnd> ends;  // those between which RouteObject finds paths now
  };
  Result<Network> network();
  // Two-way, as above: what these SwitchServers know together of the epochs of this manager's name.
  // Asks several of them at a time.
  struct EpochsKnown {
    ManagerEpochs epochs;
    std::size_t silent = 0;  // SwitchServers that did not answer
  };
  EpochsKnown known_epochs(const std::vector<std::string>& switches);
  // Has them renew the epochs. The error names the first SwitchServer that did not, and why.
  Result<void> renew_epochs(const std::vector<std::string>& switches, Epoch newest);
  const std::string& manager_name() const { return options_.manager; }
  // The peers that cannot be reached, as conditions of alarms. `unattached`: the switches without a
  // session. Any thread.
  std::vector<AlarmCondition> unreachable_peers(const std::vector<std::string>& unattached,
                                                TimePoint now) const;
  // The epoch of this process (Options::epoch until then). Before anything attaches.
  void begin_epoch(Epoch epoch) {
    options_.epoch = epoch;
    epoch_begun_ = true;
  }
  // Passes the network to the logic, unless it has this version already: any thread that has
  // learned it. Not before the epoch is known, because the logic then attaches.
  void give_network(const Network& network);
  // Whether RouteObject finds a path between the endpoints now. kBadInput: it does not; the text
  // says why. kUnreachable: RouteObject cannot be reached. Blocks; not for use in a step.
  Result<void> check_path(const std::string& from, const std::string& to);
  // The whole report of one SwitchServer, all its pages. The time limit is short if the manager is
  // not `attached` to it.
  Result<LedgerReport> audit_switch(const std::string& switch_name, bool attached);

  // Has the SwitchServer repair these findings; the number that it has acted on.
  Result<std::uint64_t> repair_switch(const std::string& switch_name,
                                      const std::vector<Finding>& seen);

  // What the SwitchServer and its switch have of one connection.
  Result<CallAtSwitch> look_at_call(const std::string& switch_name, const CallQuestion& question,
                                    bool attached);
  // Has the SwitchServer repair these differences; the number that it has acted on. `connection`:
  // the manager's own id.
  Result<std::uint64_t> mend_call(const std::string& switch_name, ConnectionId connection,
                                  const std::vector<EntryDifference>& seen);

  // A notice from RouteObject; the rest of a long one is fetched later. Any thread.
  void take_topology_notice(const v2::TopologyState& state);

 private:
  // What watching the topology is called in troubles_.
  static constexpr const char* kWatching = "watching the topology";

  struct ToSwitch {
    SessionId session;
    std::string name;
    session::Frame<HopBatch> frame;

    std::uint64_t peer() const { return session.value(); }
    MessageCost cost() const {
      return frame.batch ? MessageCost{1, frame.batch->commands()} : MessageCost{};
    }
  };
  struct ToClient {
    SessionId session;
    session::Frame<OutcomeBatch> frame;

    std::uint64_t peer() const { return session.value(); }
    // Each outcome costs a message: a slow network has many callers where a lab has one.
    MessageCost cost() const {
      return frame.batch ? MessageCost{frame.batch->outcomes.size(), 1} : MessageCost{};
    }
  };

  void send(const ToSwitch& outgoing);
  void send(const ToClient& outgoing);
  void send_session_end(SessionId session, const v2::OutcomeObserver_var& observer,
                        const SessionEnding& ending);
  void run_attaching();
  void run_watching();
  // Fetches the whole topology from RouteObject. Returns the time until the next fetch; nullopt:
  // RouteObject could not be reached.
  std::optional<Duration> watch_now(v2::RouteObject_var& watched);
  void attach_now(const AttachTable::Due& due);
  void ask_now(const std::vector<RouteQuery>& queries);  // remote_routes.cpp
  void map_now(const std::vector<ServiceSpec>& services);
  // The QOSMapper's answer, which may be a refusal. An Error: there is no answer.
  Result<ServiceReply::Mapped> map_service(const ServiceSpec& service);
  void invoke_now(SessionId session, const std::string& switch_name, const HopBatch& batch);
  struct Attached {
    v2::HopAttachment_var attachment;
    std::vector<HeldHops> held;  // all pages, after the first attachment in this life; else none
    bool first = false;
    // First: the ledger was lost. Nothing was claimed, and the session has been ended again, until
    // the logic knows what to claim.
    bool lost = false;
    std::optional<ClaimsAnswer> answer;   // claims of what such a ledger had; `held` was read after
    std::vector<PortLabels> quarantined;  // there, of this manager
    std::uint64_t unclaimed_entries = 0;  // after the claims; as in HopAttachment
  };
  Result<Attached> attach_to(const AttachTable::Due& due);
  Result<std::vector<HeldHops>> hops_held(const std::string& peer, v2::SwitchServer_ptr server,
                                          v2::SessionId session);
  // Claims what the manager has there, from a SwitchServer whose ledger this manager does not know.
  Result<ClaimsTaken> claim(const std::string& switch_name, v2::SwitchServer_ptr server,
                            v2::SessionId session);
  // Has the logic answer, and waits for it; nothing if this process ends.
  template <class Answer>
  std::optional<Answer> ask_logic(std::function<Answer(ConnectionManager&)> question);
  // Whether the logic knows all of its calls: then no ledger can have lost one.
  bool nothing_is_missing();
  Result<v2::QOSMapper_var> qos_mapper();
  Result<v2::SwitchServer_var> switch_server(const std::string& name);
  // Calls `ask` with each of them and its words for people, on several threads; returns at the end.
  void ask_each(
      const std::vector<std::string>& switches,
      const std::function<void(const std::string&, const Result<v2::SwitchServer_var>&)>& ask);
  // The same with a cached reference, for invoke_now().
  Result<v2::SwitchServer_var> invoked_server(const std::string& name);
  Result<v2::RouteObject_var> route_object();
  // Returns `reference`, or looks it up in the name service under `kind` while it is nil. The
  // look-up runs without the lock, so that callers with a reference need not wait for it.
  template <class Interface>
  Result<typename Interface::_var_type> kept(typename Interface::_var_type& reference,
                                             const char* kind, const std::string& name) {
    {
      const std::lock_guard lock(references_mutex_);
      if (!CORBA::is_nil(reference)) {
        return typename Interface::_var_type(Interface::_duplicate(reference));
      }
    }
    auto object = names_.resolve(naming::path_of(kind, name));
    if (!object) return tl::make_unexpected(object.error());
    typename Interface::_var_type found = Interface::_unchecked_narrow(*object);
    const std::lock_guard lock(references_mutex_);
    reference = found;
    return found;
  }
  // Calls RouteObject for `what`. If it cannot be reached it is looked up again; if it has been
  // restarted, `call` runs once more. A failure is logged, and the next call looks RouteObject up
  // again.
  Result<void> at_route_object(const char* what,
                               const std::function<void(v2::RouteObject_ptr)>& call);

  Options options_;
  orb::NameClient names_;
  Post post_;
  LocalOutcome local_outcome_;
  Impairments impairments_;
  v2::HopObserver_var observer_;
  v2::TopologyObserver_var topology_observer_;

  // Used by the thread that runs the logic only.
  Outbox<ToSwitch> to_switches_;
  Outbox<ToClient> to_clients_;
  // Messages being sent; kept to reuse their memory.
  v2::HopBatch commands_;
  v2::OutcomeSeq outcomes_;
  v2::NoticeSeq notices_;
  std::unordered_map<SessionId, v2::HopInbox_var> inboxes_;
  std::unordered_map<SessionId, v2::OutcomeObserver_var> clients_;
  // Sessions that ended in this step.
  std::vector<SessionId> ended_switch_sessions_;
  std::vector<std::pair<SessionId, SessionEnding>> ended_client_sessions_;
  std::uint64_t requests_sent_ = 0;

  orb::PeerLog troubles_;  // thread-safe
  std::atomic<bool> fenced_ = false;
  std::atomic<bool> epoch_begun_;
  // The highest version of a notice, since the last look at RouteObject that contradicted it.
  std::atomic<std::uint64_t> topology_noticed_ = 0;

  // At most as many as calls are under way; of queries to RouteObject at most
  // RouteDesk::kQueriesMax more.
  RemoteJobs jobs_;
  RemoteJobs route_jobs_;

  // Schedules of the attaching threads and of the watching thread.
  std::mutex mutex_;
  std::condition_variable wake_;
  AttachTable attachments_{kSwitchAttaching, kSwitchAttachLimits};
  Attaching watch_{kTopologyWatching};
  std::optional<std::uint64_t> network_version_;  // of the network that the logic has
  std::set<std::string> read_;            // switches whose hops of earlier epochs have been read
  std::set<std::string> asked_;           // switches whose lost ledgers the logic asks for
  std::set<std::string> claims_unheard_;  // of finish_claims(), to log each failure once
  // By switch: the ledger (HopAttachment.books) that has this manager's hops.
  std::map<std::string, std::uint64_t> books_;
  bool stop_ = false;
  std::vector<std::thread> attaching_;  // kSwitchAttachLimits.at_once
  std::thread watching_;                // remote_topology.cpp

  // Object references, looked up in the name service once, and again after a failure.
  std::mutex references_mutex_;
  v2::RouteObject_var route_object_;
  v2::QOSMapper_var qos_mapper_;
  std::map<std::string, v2::SwitchServer_var> invoked_;
};

}  // namespace xbind::cmgr
