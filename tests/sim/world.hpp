// A whole network in one process, on virtual time, from a seed. One to three ConnectionManagers of
// any engine and policy; a ring of SwitchServers (network.hpp) with the production ledger and
// controller; switches in memory (gsmp_switch.hpp); clients that make every kind of request; a
// transport that delays, drops, repeats and reorders.
//
// Each step is followed by a check of the invariants for everything that the step may have touched.
// At intervals everything is checked (checks.cpp). The first violation ends the run. A run has four
// phases: load with accidents, calm with calls held, release of everything, and two audits
// (final_checks.cpp).
//
// In most worlds lines are drained, in many they go down (lines.cpp), and connections get other
// paths. After each change of a switch the checks follow the cells of calls to where they come out
// (cells.cpp).
//
// Switches get lost while their cells still flow. The Router's trust (routeobject/switch_trust.hpp)
// marks a switch that stays lost as unknown, and connections leave it where another path exists.
//
// In some worlds a manager is killed. After a restart it has a higher epoch and an empty memory,
// and rebuilds its calls from the ledgers: every call that its client relies on stands. When a
// manager is killed for good, its calls are orphans: they stay up, and nobody else gets their
// labels. The operator has the SwitchServers forget it once its sessions are over. After some
// restarts RouteObject has a wrong network for a while: links are missing, exchanged or too many.
// In some worlds SwitchServers are killed together with their manager, so that nobody can claim
// what they had; the rule decides what becomes of these calls (lost_ledgers.cpp).
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cmgr/pool_file.hpp"
#include "core/planted.hpp"
#include "switchserver/switch_server.hpp"
#include "tests/sim/client.hpp"
#include "tests/sim/expected.hpp"
#include "tests/sim/gsmp_switch.hpp"
#include "tests/sim/manager_site.hpp"
#include "tests/sim/network.hpp"
#include "tests/sim/parts.hpp"
#include "tests/sim/route_site.hpp"

namespace xbind::sim {

struct Plan {
  std::uint64_t seed = 1;
  bool fair = false;  // no loss, no accident, no refusal by a switch
  Planted planted = Planted::kNothing;
  Bug bug = Bug::kNone;
  bool two_managers = false;  // every label is checked after every step
  bool restarts = false;      // managers are killed and come back, whatever the seed says
  bool servers_die = false;   // the same of SwitchServers
  // Managers come back while RouteObject has a wrong network; else some of them do.
  bool wrong_networks = false;
  bool crash_together = false;  // managers and SwitchServers are killed within seconds
  bool frames = false;          // some lines carry frames, and some calls want certain ones
  bool forgers = false;         // somebody uses the names of clients and switches
  bool some_forge = true;       // the same in some seeds
  // These managers, with one client each, on a network of `switches` switches where nothing happens
  // by itself (stage.hpp).
  std::vector<cmgr::Config> managers = {};
  std::size_t switches = 3;
  bool lines = false;  // the same: they are watched, and cells are followed

  bool is_stage() const { return !managers.empty(); }
};

class World : public ManagerOutlet {
 public:
  explicit World(const Plan& plan);
  ~World() override;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Returns the first violation with its time, or an empty string.
  std::string run();
  const Tally& tally() const { return world_.tally; }
  const cmgr::Occurrences& occurrences() const { return occurrences_; }
  const HopOccurrences& hop_occurrences() const { return hop_occurrences_; }

 private:
  friend class Stage;

  // Every port of a switch is compared with the ledger once in this time.
  static constexpr Duration kTableRound = seconds{12};
  static constexpr unsigned kUnusedPercent = 25;

  // The pair and the service that managers prepare connections for.
  static constexpr const char* kPoolFrom = "switch-0";
  static constexpr const char* kPoolTo = "switch-1";
  static constexpr ServiceSpec kPoolService{ServiceKind::kCells, 40, 5, 0, 0};

  // Frequent enough that the Router's bound of silence (route_site.hpp) is several report
  // intervals.
  static constexpr PortReporterOptions kReports{.refresh = milliseconds{1'500},
                                                .back_off = {milliseconds{200}, milliseconds{800}}};
  // A manager without a session: since when, and the labels that lapsed with it.
  struct Absence {
    TimePoint since;
    std::set<std::pair<PortId, Label>> lapsed = {};
    bool over = false;
    // Lapsed for longer than they rest, and so perhaps granted again.
    std::set<std::pair<PortId, Label>> given_up = {};
  };
  struct SwitchSite {
    std::string name;
    std::unique_ptr<GsmpSwitch> device;
    std::unique_ptr<SwitchServer> server;
    std::vector<driver::Event> events = {};    // of the current step
    std::uint64_t clock = 0;                   // the ledger's, at the last check
    std::uint64_t full_clock = 0;              // the ledger's, at the last full check
    std::map<std::size_t, Epoch> epochs = {};  // highest epoch that each manager has attached with
    PortReporter reporter{kReports};
    Epoch incarnation{1};  // of the process, to the world
    AdmissionMode admission = AdmissionMode::kDemand;
    std::uint64_t overbooking = 1'000;  // thousandths
    TimePoint dead_until = {};          // its process does not run before
    // Found in the switch by a new process, and not claimed by a manager.
    std::set<CrossConnect> inherited = {};
    std::set<std::size_t> awaited = {};  // managers that have not claimed their hops yet
    // By manager, what it has to claim, with whether the switch had it, or had confirmed it.
    std::map<std::size_t, std::map<ConnectionId, std::map<CrossConnect, bool>>> unclaimed = {};
    std::set<CrossConnect> lost = {};                // entries that nobody could claim
    std::map<CrossConnect, Resources> charged = {};  // by ledgers that were lost
    std::set<std::size_t> lost_of = {};    // managers of which a ledger was lost with what it had
    bool was_emptied = false;              // the switch has ever restarted without its table
    std::vector<KnownManager> known = {};  // by the process that was killed
    std::map<std::string, Absence> absences = {};  // by manager
    std::uint64_t operations = 0;  // of its controller, at the last call of the reporter
  };
  struct ClientSite {
    std::unique_ptr<Client> client;
    std::size_t manager = 0;
  };
  struct ManagerPlace {
    std::unique_ptr<ManagerSite> site;
    cmgr::Config config;
    std::string pools{};       // its file: the pools that operators have asked for
    std::string epoch_file{};  // empty: there is none
    std::size_t steps = 0;
    bool forgotten = false;  // killed for good, and the SwitchServers have forgotten it
    bool for_good = false;
    std::set<Network::Port> exchanged = {};  // ends of links that it believes to lead elsewhere
    std::set<Network::Port> misled_at = {};  // the same, and that it has ever believed
  };
  // Hops of a connection that were lost together with their manager.
  struct LostHops {
    std::set<std::pair<std::size_t, CrossConnect>> entries = {};
    bool all = false;  // no ledger has any hop of it
    // A switch had lost an entry before its SwitchServer was killed, which could tell nobody.
    bool before = false;
    bool misled = false;      // meanwhile the manager took their links for others
    ConnectionId shown = {};  // as its client knows it
  };
  // A two-way call to a SwitchServer without an answer so far.
  struct Invocation {
    ManagerSite* site;
    std::size_t at;
    SessionId session;
    HopBatch asked;
    bool answer_lost;
  };
  struct Reach {
    std::map<std::string, Label> ends;
    std::vector<std::pair<std::size_t, HopRef>> hops;
    std::uint32_t passes = 0;  // switches, one bit each
    std::string trouble;
  };
  // Where cells go, according to the switches' tables.
  struct Way {
    std::string trail;                                  // the entries that they pass, in words
    std::map<std::string, std::vector<Label>> arrives;  // by endpoint
    std::uint32_t passes = 0;                           // switches, one bit each
    bool cut = false;                                   // ends at a line that is down
    bool drained = false;                               // passes a line that is drained
    bool unknown = false;                               // passes an unknown switch
    bool lost = false;  // a restart has ever removed a cross-connect from one of its inputs
  };
  using Chooser = std::function<bool(const HopRecord&)>;

  // building
  void choose_kind();
  std::unique_ptr<ManagerSite> make_manager(std::size_t index);
  cmgr::Config choose_config(std::size_t index);
  cmgr::Aggregation choose_aggregation();
  SwitchSite make_switch(std::size_t index);
  ClientSite make_client(std::size_t index);
  void make_server(std::size_t index);
  void add_up_server(std::size_t at);
  client::Limits choose_limits();

  // transport.cpp
  void carry_to_switch(std::size_t manager, std::size_t at, SessionId session,
                       session::Frame<HopBatch> frame);
  void to_manager(SessionId session, session::Frame<HopResultBatch> frame) override;
  void carry_to_client(std::size_t manager, SessionId session, session::Frame<OutcomeBatch> frame);
  void carry_to_inbox(std::size_t client, SessionId session, session::Frame<RequestBatch> frame);
  std::optional<ManagerSite::Attached> attach(std::size_t manager, const std::string& switch_name,
                                              Epoch epoch);
  void detach(std::size_t manager, const std::string& switch_name, SessionId session);
  void attach_client(std::size_t client, client::Attach attempt, std::uint64_t life);
  static SessionId session_at(const cmgr::ConnectionManager& manager, const std::string& client);
  void answer_attach(std::size_t client, const client::Attach& attempt, std::uint64_t life,
                     const Result<cmgr::ClientAttachment>& answer);
  void detach_client(std::size_t client, SessionId session);
  void tell_session_over(std::size_t manager, SessionId session, const SessionEnding& ending);
  void invoke(std::size_t manager, std::size_t at, SessionId session, HopBatch batch);
  void executed(std::uint64_t token, Result<HopResultBatch> results) override;
  void answer_invocation(std::uint64_t token, const Result<HopResultBatch>& results);
  std::optional<HeldHops> held_hops(std::size_t manager, const std::string& switch_name,
                                    SessionId session, std::uint64_t from);
  template <class Batch>
  void trace(const std::string& from, std::string_view verb, const std::string& to,
             const Batch& batch) const;
  session::Frame<HopBatch> tampered(session::Frame<HopBatch> frame);
  session::Frame<HopResultBatch> tampered(session::Frame<HopResultBatch> frame);
  session::Frame<OutcomeBatch> tampered(session::Frame<OutcomeBatch> frame);
  Leg& leg(char kind, std::size_t from, std::size_t to) { return legs_[{kind, from, to}]; }

  // life.cpp
  ServiceSpec some_service();
  ServiceSpec some_contract(ServiceCategory category);
  std::string some_end();
  std::optional<FrameTraffic> some_frames(const std::string& end);
  void make_a_call(std::size_t client);
  void send_nonsense(std::size_t client);
  void live(std::size_t client, RequestId call);
  void live_held(std::size_t client, RequestId call);
  void change(std::size_t client, RequestId call);
  void change_leaf(Client& client, Call& call);
  void release_now(std::size_t client, RequestId call);
  void operate();
  void set_pools(std::size_t wanted);

  // forgers.cpp
  void forge();
  void forge_client(std::size_t client);
  void hoard(std::size_t at);
  void forge_report(std::size_t at);

  // accidents.cpp
  void accident();
  void trouble_client(std::size_t client, TimePoint until);
  void lose_switch(std::size_t at);
  void trace(const std::string& who, const char* what) const;  // an accident
  // `and_switch`: the switch restarts with it, and loses its table. `away`: until it is back; else
  // by chance. The same of managers, which then end without a word.
  void kill_switch_server(std::size_t at, bool and_switch = false,
                          std::optional<Duration> away = std::nullopt);
  void crash_together(std::size_t manager);
  std::optional<ClaimsTaken> claim(std::size_t manager, const std::string& switch_name,
                                   SessionId session, const HopClaims& page);
  // Whether the manager has yet to claim hops at one of these switches, one bit each.
  bool awaited(std::size_t manager, std::uint32_t switches) const;
  ConnectionId own_id(std::size_t manager, ConnectionId shown) const;
  bool dead(const SwitchSite& site) const { return world_.now < site.dead_until; }
  void kill_manager(std::size_t manager, bool for_good,
                    std::optional<Duration> away = std::nullopt);
  void restart_manager(std::size_t manager);
  void learn_network(std::size_t manager);
  void learn_wrong_network(std::size_t manager);
  std::vector<cmgr::NetworkLink> links() const;
  void lose_handovers(std::size_t manager);
  void release_for_nobody();
  void release_incomplete_for_nobody(std::size_t manager);
  void forget_manager(std::size_t manager);

  // drift.cpp
  void drift(std::size_t at);
  void fight(std::size_t at, const CrossConnect& entry, const HopKey& key);
  // What the controller adds to the table otherwise: while it stays equal, only a comparison can
  // have put something back.
  std::uint64_t other_adds(std::size_t at) const;
  bool stands(std::size_t at, const CrossConnect& entry, const HopKey& key) const;
  void check_drift();
  void check_nobodys(std::size_t at);

  // lost_ledgers.cpp
  void note_unclaimed(std::size_t at, std::size_t manager);
  void lose_hops(std::size_t at, std::size_t manager);
  void note_lost_before(std::size_t at);
  void note_lost_call(const ClientSite& site, Call& call);
  void note_misled(std::size_t manager);
  void note_unsettled(std::size_t manager);
  void note_way_back(std::size_t manager, Call& call, const std::set<HopKey>& owed);
  void note_restored(std::size_t manager);
  void note_restored(std::size_t manager, ConnectionId id, const LostHops& lost);
  bool is_in_ledger(std::size_t at, const std::string& manager, ConnectionId id,
                    const CrossConnect& entry) const;
  bool is_known(std::size_t manager, ConnectionId id) const;
  bool is_taken(std::size_t manager, ConnectionId id) const;
  // Whether a ledger names the connection as its taker does, at a hop that its cells pass.
  bool is_told(std::size_t manager, ConnectionId id, ConnectionId shown) const;
  // Whether a ledger has a hop of that connection for which fits(Ledger, HopRef, HopRecord).
  template <class Fits>
  bool any_ledger_has(std::size_t manager, ConnectionId id, Fits&& fits) const;
  // nullptr: the call has lost none, or stands again.
  const LostHops* lost_hops(const ClientSite& site, const Call& call) const;
  bool has_lost_hops(const ClientSite& site, const Call& call) const {
    return lost_hops(site, call) != nullptr;
  }
  bool lost_with_its_switch(const ClientSite& site, const Call& call) const;
  bool taken_for_another(const ClientSite& site, const Call& call) const;
  std::size_t left_over(std::size_t at) const;
  bool claims_stay_open() const;
  void check_rebuilt(std::size_t at, std::size_t manager, const HopClaims& page);
  static bool fits(const CrossConnect& known, const CrossConnect& entry);
  bool is_claimed(std::size_t at, const CrossConnect& entry) const;
  bool is_owed(std::size_t at, const CrossConnect& entry) const;
  bool may_stay(std::size_t at, const CrossConnect& entry) const;
  std::string why_incomplete(const Call& call, const LostHops& lost) const;
  void check_reasons(std::size_t manager);
  void check_not_released(std::size_t manager, const Outcome& outcome);
  bool is_asked_for(std::size_t manager, std::size_t at, const HopKey& key) const;
  void check_lost();
  void check_lost(const ClientSite& site, Call& call, const LostHops& lost);
  void note_forgotten(std::size_t manager);
  void note_known_again(std::size_t manager, const HopClaims& page);
  void note_more(std::size_t at, const HopKey& key, HopRef ref);
  std::map<PortId, Resources> needed_beyond(std::size_t at) const;
  bool waits_for_incomplete(std::size_t at) const;
  std::vector<LedgerHop> waiting_removals(std::size_t at, const std::string& manager) const;
  bool owes_what_waits(std::size_t manager, std::size_t at) const;
  bool waits_to_go(std::size_t at, const CrossConnect& entry) const;

  // situations.cpp
  void note_situation(std::size_t at, const driver::Event& event);
  void note_renewed(std::size_t at, const driver::Ports& ports);
  void note_restore(std::size_t at);
  void note_claims(std::size_t manager, const HopClaims& page);
  void note_generations(std::size_t at);

  // lines.cpp
  void trouble_on_lines();
  void line_recovers(const Network::Port& line);
  void line_goes(const Network::Port& line, bool down);
  void mend_all_lines();
  void raise_version();
  void note_switch(std::size_t at, const driver::Event& event);
  void tell_router(std::size_t at);
  // There are no reports in worlds without trouble on lines, nor from a process that does not run.
  TimePoint report_due(const SwitchSite& site) const {
    return !world_.lines || dead(site) ? kNever : site.reporter.next_deadline();
  }
  void report_to_router(std::size_t at, SwitchReport report);
  void tell_topology(const std::string& watcher, const TopologyState& state);
  void check_router();

  // cells.cpp
  Way way_of(const Call& call, bool reverse) const;
  void check_cells_through(std::size_t at);
  void check_cells(const ClientSite& site, Call& call);
  void check_arrival(const ClientSite& site, const Call& call, const Way& way, bool reverse);
  void check_settled();
  void check_settled(const ClientSite& site, Call& call);
  bool is_being_repaired(const ClientSite& site, const Call& call) const;
  bool is_changing_path(const ClientSite& site, const Call& call) const;
  bool could_move(const ClientSite& site, const Call& call) const;
  bool has_room(std::size_t at, PortId port, const cmgr::Contract& contract,
                std::uint16_t leg) const;

  // world.cpp
  void live_through();
  void calm_down();
  void settle_lines();
  void start();
  void switch_stepped(std::size_t at);
  void manager_stepped(std::size_t manager);
  void run_until(TimePoint end);
  // Requests that a manager has received and not answered, with their time of arrival and kind.
  enum class Kind : std::uint8_t { kConnect, kRelease, kModify, kLeaf, kDrop, kCommit };
  struct Taken {
    TimePoint at;  // first arrival
    Kind kind;
  };
  static Kind kind_of(const client::Place& place);
  static Duration allowed(Kind kind, const cmgr::Config& config);
  void note_request_arrival(std::size_t client, const RequestBatch& batch);
  void note_outcome(std::size_t manager, const Outcome& outcome, std::size_t client);
  bool wake_due();
  void release_everything();

  // checks.cpp
  void check_switch(std::size_t at);
  void check_links(std::size_t at);
  void note_absences(std::size_t at);
  // Whether the manager was away for longer than its labels rest, and this is one of them.
  bool given_up(const SwitchSite& site, const std::string& manager, PortId port, Label label) const;
  void check_holders(std::size_t at);
  void check_caches(std::size_t manager);
  void check_holds(std::size_t manager);
  void check_end_of_hold(const ManagerSite& site, ConnectionId id, const cmgr::Connection& held);
  void restore_pools(std::size_t manager);
  // Writes the manager's epoch file, unless the disk is full.
  void store_epoch(std::size_t manager);
  // The epoch of the manager's next process: above what its file and the SwitchServers know. The
  // file may be torn; it is then removed.
  std::uint64_t next_epoch(std::size_t manager);
  void check_torn_files(std::size_t manager);
  // What the next process of the SwitchServer knows of the managers.
  std::vector<KnownManager> through_its_file(const SwitchSite& site,
                                             const std::vector<KnownManager>& known);
  void check_pools();
  void check_unclaimed(std::size_t at);
  void check_charges(std::size_t at);
  ExpectedPort expected_port(std::size_t at, PortId port) const;
  void check_promised(std::uint32_t switches);
  void check_call(ClientSite& site, Call& call);
  void check_ends(const ClientSite& site, const Call& call, const Reach& reach);
  bool reported(std::size_t at, const HopRecord& record) const;
  void check_contract(const ClientSite& site, const Call& call, const Reach& reach);
  void check_left_behind(std::size_t manager, const Outcome& outcome);
  std::map<PortId, Resources> needed(std::size_t at, const Chooser& chosen = {}) const;
  static bool superseded(const Ledger& book, const HopRecord& record);
  bool shared_by_joining(std::size_t at, PortId port, Label label) const;
  bool left_for_good(std::string_view manager) const;
  bool is_refused_branch(const ClientSite& site, const Call& call,
                         const std::optional<std::pair<std::size_t, HopKey>>& upstream,
                         std::string_view whose) const;
  Reach follow(const ClientSite& site, const Call& call, bool reverse) const;
  bool owed(std::size_t manager, std::size_t at, const HopKey& key) const;
  bool same_call(std::size_t at, const CrossConnect& one, const CrossConnect& other) const;

  // final_checks.cpp
  void check_answered();
  void check_tables();
  void check_fair();
  void audit_all();
  void audit_under_load();
  void check_report(const LedgerReport& report);
  std::vector<Finding> look(std::size_t manager, std::size_t at);
  void audit_one(std::size_t manager, std::size_t at);
  void audited(std::uint64_t token, LedgerReport report) override;
  void check_empty();
  void check_forgotten(std::size_t manager);
  void add_up();
  bool session_alive(std::size_t manager, std::size_t at) const;
  bool is_orphan(std::size_t manager) const { return managers_[manager].for_good; }
  std::size_t index_of(const std::string& switch_name) const;
  const Ledger& ledger(std::size_t at) const { return switches_[at].server->controller().ledger(); }

  Plan plan_;
  Chance disk_;  // of its own: what happens to files leaves the rest of a seed's world as it is
  Surroundings world_;
  Network network_;
  RouteSite routes_;
  std::map<std::tuple<char, std::size_t, std::size_t>, Leg> legs_;
  std::vector<SwitchSite> switches_;
  std::vector<ManagerPlace> managers_;
  std::vector<std::unique_ptr<ManagerSite>>
      dead_managers_;  // batches that they sent may be in flight
  std::vector<ClientSite> clients_;
  std::map<SessionId, std::size_t> manager_of_session_;  // of SwitchServer sessions
  std::map<SessionId, std::size_t> client_of_session_;
  std::map<SessionId, std::uint64_t> life_of_session_;  // that opened it
  // The ledgers' name of a connection, by manager and the client's name for it.
  std::map<std::pair<std::size_t, ConnectionId>, ConnectionId> own_ids_;
  // The same key: connections whose owner no ledger knew when their manager was killed, or whose
  // lost hops were derived by a link that led elsewhere.
  std::set<std::pair<std::size_t, ConnectionId>> handovers_lost_;
  std::set<std::pair<std::size_t, HopKey>> rebuilt_;  // hops, by switch
  // Rebuilt hops with more than the lost ledger had charged them.
  struct Grown {
    Resources had;
    Resources has;
  };
  std::map<std::pair<std::size_t, HopKey>, Grown> more_;  // by switch
  // By manager and the ledgers' name of the connection.
  std::map<std::pair<std::size_t, ConnectionId>, LostHops> lost_hops_;
  std::map<std::pair<std::size_t, RequestId>, Taken> taken_;  // by client
  std::map<std::uint64_t, Invocation> invocations_;
  std::uint64_t next_invocation_ = 1;
  static constexpr std::uint64_t kAuditsUnderLoad = 1'000;
  std::uint64_t next_audit_ = kAuditsUnderLoad;  // tokens
  std::map<std::uint64_t, LedgerReport> reports_;
  struct Drifted {
    std::size_t at = 0;
    CrossConnect entry;
    HopKey key;
  };
  std::vector<Drifted> drifted_;
  cmgr::Occurrences occurrences_{};
  HopOccurrences hop_occurrences_{};
  bool loading_ = true;
  Chance forgers_{plan_.seed};             // their own, so that without them a seed stays the same
  bool calm_ = false;                      // for so long that no operation can be under way
  bool cooperative_ = false;               // SwitchServers share out their labels
  bool short_of_everything_ = false;       // bounds are low, so that they are reached
  bool restarts_ = false;                  // managers are killed and come back
  bool servers_die_ = false;               // SwitchServers are killed and come back
  bool one_dies_ = false;                  // a manager is killed for good
  bool pools_ = false;                     // connections are prepared in advance
  std::optional<std::size_t> stays_lost_;  // index of a switch that stays lost while lines settle
  bool lines_break_ = false;               // lines go down, instead of only being drained
  int calls_per_client_ = 0;
};

}  // namespace xbind::sim
