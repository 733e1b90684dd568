// The SwitchServer without CORBA and without sockets: batches of hop commands in, requests to the
// switch, one batch of results per batch of commands out.
//
//     manager ──apply(batch, token)──▶ ┌────────────┐ ──add, remove, flush──▶ ┌────────┐
//                                      │ controller │                         │ driver │
//     manager ◀──take_outputs()─────── └────────────┘ ◀──on_driver(event)──── └────────┘
//                                        │ ledger │
//
// A step machine: each call does all it can at once and returns; the results wait in
// take_outputs(). The owner makes all calls from one thread, and calls take_outputs() after every
// other call. It passes driver events after the call that caused them has returned, never from
// within it. Each step ends in at most one driver flush, however many requests it queued.
//
// Sessions are outside this class: batches arrive here once and in order.
//
// The switch seen from here:
//
//            Up (kept)            its table has been read
//     down ───────────▶ reading ─────────────────────────▶ up
//      ▲ │                 │                               ▲ │
//      │ └─────────────────┼────── Up (not kept) ──────────┘ │
//      └───────────────────┴───────────── Down ──────────────┘
//
// Hops are set up, and labels and quotas granted, only while the switch is up. Otherwise every
// request that needs the switch is refused kSwitchUnreachable; a modify that lowers its demand is
// still done. When the switch comes up, the controller restores it from the ledger. It puts back
// committed cross-connects that are missing and deletes those being removed. Entries that the
// ledger does not know stay, and their labels are blocked (unclaimed).
//
// A commit or removal that is unanswered when the session breaks is answered kSwitchUnreachable.
// Its hop then counts as being removed and is deleted when the switch is back. The same applies to
// a commit that timed out, and to a removal requested while the switch is down.
//
// A hop that takes over from an earlier generation (ledger/hop_stacks.hpp) moves the earlier hop's
// cross-connect instead of adding one. Its removal, while the earlier hop exists, moves it back. If
// the switch refuses because there is nothing to move, the earlier hop is put back by an add. A
// removal of the lower hop waits while anything is under way above it, and needs no request if the
// hop turns out to be superseded. After a break the table may show either of the two; the
// controller moves it, puts it back or leaves it as the ledger says.
//
// A modify that changes the traffic contract of a committed hop is sent to the switch: an add of
// the existing cross-connect with the new contract. Meanwhile the hop holds the greater of both
// demands. A modify that asks for more in any component is done when the switch has confirmed it;
// it is undone if the switch refuses or does not answer. One that asks for less is always done. If
// the contract in the switch may then differ from the ledger's (HopFsm, stale), it is sent again
// when the table is read. The next modify waits; a third replaces it, and it is refused as stale.
//
// When ports begin a new session while the switch stays up, the controller adds the cross-connects
// of their input again.
//
// A SwitchServer that starts has an empty ledger, while its switch may have cross-connects of
// earlier lives. Managers claim their hops (claim()). What the switch lacks of them is put back;
// but hops that a manager has rebuilt are taken only with their entries (rebuilt_hops.hpp). Until
// every manager that is known has claimed all (settling.hpp), the switch admits nothing new: setups
// are refused kSwitchUnreachable, and no label or quota is granted. If it is not known which
// managers there were, this applies to ports at which an entry begins or ends that no hop claims.
// Afterwards such an entry stays, and its labels are blocked.
//
// While the switch is up, its table is compared with the ledger in the background
// (table_rounds.hpp). What the switch has lost is put back once; entries that the ledger does not
// know stay.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/audit.hpp"
#include "core/clock.hpp"
#include "core/hop.hpp"
#include "core/manager_epochs.hpp"
#include "core/planted.hpp"
#include "core/result.hpp"
#include "switchserver/call_look.hpp"
#include "switchserver/drivers/switch_driver.hpp"
#include "switchserver/hop_traces.hpp"
#include "switchserver/ledger.hpp"
#include "switchserver/ledger_audit.hpp"
#include "switchserver/recall_desk.hpp"
#include "switchserver/settling.hpp"
#include "switchserver/switch_controller_options.hpp"
#include "switchserver/switch_counters.hpp"
#include "switchserver/table_rounds.hpp"

namespace xbind {

class SwitchController {
 public:
  using Token = std::uint64_t;  // the caller's identifier of a batch or an audit

  struct Attachment {
    std::vector<SwitchPort> ports;        // as last seen; empty if the switch was never up
    std::vector<PortLabels> quarantined;  // by earlier sessions of this manager
    std::uint64_t hops = 0;               // this manager's records
    bool claims_awaited = false;          // hops of its name may be lost (idl/switch_server.idl)
    bool table_kept = false;              // see Settling
    std::uint64_t unclaimed = kEntriesUnknown;  // see entries_of_nobody()
  };
  struct Grant {
    std::vector<Label> labels;  // fewer than wanted if no more are free
    Resources quota;            // less than wanted if no more is free
  };
  // The times of a batch of commands. A step has the time at which it begins, and ends with
  // take_outputs().
  struct BatchTimes {
    TimePoint applied;
    TimePoint asked;     // end of the step that applied it: the driver's requests are sent
    TimePoint answered;  // step of the last answer; equals `asked` if one step answered it all
  };
  struct Results {
    std::string manager;
    Token token = 0;
    HopResultBatch batch;  // results in the order in which the commands were applied
    BatchTimes times{};
    std::vector<HopTrace> traces{};  // of recorded commands; without asked and sent
  };
  struct Audited {
    std::string manager;
    Token token = 0;
    LedgerReport report;
  };
  // A hop is gone whose removal the manager's present session did not request: an earlier session
  // did, or the controller cleaned up. Reports to the manager the label that now rests in its
  // quarantine.
  struct Unasked {
    std::string manager;
    HopResult result;
  };
  // Asks the manager to return labels or quota that it can spare.
  struct Recalled {
    std::string manager;
    PortRecall recall;
  };
  // The answer to read_statistics().
  struct Counted {
    Token token = 0;
    Cause cause = Cause::kNone;
    std::uint8_t failure_code = 0;  // the driver's, with kSwitchRefused
    bool absent = false;            // refused because nothing enters there with that label
    CellCounters counters;
  };
  struct CallLooked {  // the answer to look_at_call() or mend_call()
    Token token = 0;
    CallAtSwitch there;
  };
  struct Outputs {
    std::vector<Results> results;  // in the order in which batches were completed
    std::vector<Unasked> unasked;
    std::vector<Audited> audits;
    std::vector<CallLooked> looks;
    std::vector<Recalled> recalls;
    std::vector<Counted> statistics;
  };

  // `driver` must outlive the controller.
  SwitchController(SwitchControllerOptions options, SwitchDriver& driver);
  ~SwitchController();

  void on_driver(const driver::Event& event, TimePoint now);
  // Prefetches what the event will need when it is handled soon, in two steps (core/ahead.hpp).
  void expect_later(const driver::Event& event) const;
  void expect_soon(const driver::Event& event) const;
  // When on_time() is to be called, or kNever.
  TimePoint wake_at() const {
    return std::min({reread_at_, settling_.deadline(), rounds_.due(),
                     rests_.empty() ? kNever : rests_[0].until});
  }
  void on_time(TimePoint now);

  // Opens a session; an older one of that name lapses first. Works while the switch is down.
  // kFenced: a higher epoch has attached. kBadInput: the epoch is above kManagerEpochMax.
  // kExhausted: too many names are known, and each is attached or has something here.
  Result<Attachment> attach(std::string_view manager, Epoch epoch);
  // Ends the session, if any: see Ledger::lapse(). Drops the results of its open batches.
  void detach(std::string_view manager);
  // What is known of the epochs of the name. Reads all hops.
  ManagerEpochs epochs_of(std::string_view manager) const;
  // Sets the newest epoch of the name, and counts the renewal; nothing if the name is not known.
  // kBadInput: the manager is attached, or no manager can have the epoch.
  Result<void> renew_epoch(std::string_view manager, Epoch newest);
  // One page of at most `most` of the manager's hops: those in its ledger, then those claimed for
  // removal that wait for the claims of other managers. `from`: 0 for the first page, then
  // HeldHops::next. `places`, if given, receives for each hop the `from` of a page that begins
  // after it (0: it is the last one in the ledger). Reads at most kLookedAtPerPage records.
  HeldHops held_hops(std::string_view manager, std::uint64_t from, std::size_t most, TimePoint now,
                     std::vector<std::uint64_t>* places = nullptr) const;
  // Enters hops and labels that the manager has here (core/audit.hpp, idl/switch_server.idl). Its
  // last page also compares its hops with the switch's table, and restores or removes what differs.
  // kNotFound: no session; kUnreachable: the switch's table has not been read.
  Result<ClaimsTaken> claim(std::string_view manager, const HopClaims& page, TimePoint now);
  // Entries of the switch that no hop claims. kEntriesUnknown: claims are awaited, or it is not up.
  std::uint64_t entries_of_nobody() const;
  std::size_t removals_waiting() const { return uncertain_.size(); }  // for others' claims
  // Whether hops may still be claimed, and by which known managers: see above.
  const Settling& settling() const { return settling_; }
  // The comparison of the switch's table with the ledger in the background.
  const TableRounds& rounds() const { return rounds_; }
  HopTraces& traces() { return traces_; }            // what is recorded of commands
  std::vector<KnownManager> known_managers() const;  // for the next start
  // See Ledger::forget_manager(); the epoch is forgotten with the name. Returns the number of hops
  // left. kNotFound: unknown; kBadInput: attached.
  Result<std::uint64_t> forget(std::string_view manager);

  struct ClearedCall {
    ConnectionId connection;  // as its client knows it
    RequestId request;
    HopOwner owner;
  };
  // Removes the hops of a manager without a session that belong to the connection (by its own id or
  // the one that clients know; 0: all). Their labels rest in the manager's quarantine. Returns how
  // many are left: the switch has not confirmed their removal. A name that is not known has none.
  // kBadInput: the manager is attached. Appends to `calls` those whose first hop goes: they end.
  Result<std::uint64_t> clear_hops(std::string_view manager, ConnectionId connection, TimePoint now,
                                   std::vector<ClearedCall>* calls = nullptr);
  // What is known of each manager, and what it has here.
  struct ManagerHoldings {
    KnownManager manager;
    bool attached = false;
    bool forgotten = false;  // the name goes with its last hop
    std::uint64_t hops = 0;
  };
  std::vector<ManagerHoldings> holdings() const;

  // See Ledger::would_take(). kSwitchUnreachable where nothing new is admitted now.
  std::vector<HopRoom> would_take(std::string_view manager,
                                  std::span<const HopQuestion> hops) const;

  // Applies modifies first, then setups and removals in their order. Then takes back labels and
  // quota, and grants those that the accepted setups want. When every command has been answered,
  // one HopResultBatch with `token` has the results. kNotFound: the manager has no session, and
  // nothing was done.
  Result<void> apply(std::string_view manager, const HopBatch& batch, Token token, TimePoint now);
  // The same for a batch of a two-way call, which is counted separately.
  Result<void> execute(std::string_view manager, const HopBatch& batch, Token token, TimePoint now);
  // kNotFound: no session, or no such port. kUnreachable: the switch is not up.
  Result<Grant> grant(std::string_view manager, PortId port, std::size_t labels, Resources quota,
                      TimePoint now);
  // Takes back labels and quota. Ignores and counts what the manager does not hold. kNotFound: no
  // session.
  Result<void> give_back(std::string_view manager, const PortLabels& labels, Resources quota);

  // Reads the switch's table and compares it with the ledger. The report comes with `token`. While
  // the switch is not up, it comes at once and has kUnreadable for it. Fails with kNotFound or
  // kExhausted.
  Result<void> audit(std::string_view manager, Token token);

  // Looks again, and repairs what is among `seen`, the findings of an earlier audit, and is found
  // again: removes strays from the switch, puts back what it lacks, and has the ledger rebuild its
  // books. The report with `token` has the findings of this look. kUnreachable: the switch is not
  // up; kExhausted.
  Result<void> repair(std::vector<Finding> seen, Token token, TimePoint now);

  // Reads what ledger and switch have of one connection of the manager. The answer comes with
  // `token`. A manager that is not known has nothing. While the switch is not up, its entries are
  // unreadable. kBadInput: too many legs or inputs; kExhausted: too many looks are open.
  Result<void> look_at_call(std::string_view manager, CallQuestion question, Token token);
  // Looks again, and repairs what is among `seen` and is found again, on inputs that hops of this
  // connection alone have. The answer comes with `token`. Errors as above, and kUnreachable: the
  // switch is not up.
  Result<void> mend_call(std::string_view manager, ConnectionId connection,
                         std::vector<EntryDifference> seen, Token token, TimePoint now);

  // Reads the switch's counters of a port; with a label, of the connection that enters there with
  // that label. The result comes with `token`. kUnreachable: the switch is not up. kNotFound: no
  // such port. kExhausted: too many reads are open.
  Result<void> read_statistics(PortId port, Label label, Token token);

  // Ends the step at `now`. Overwrites `outputs` and reuses its memory.
  void take_outputs(TimePoint now, Outputs& outputs);
  Outputs take_outputs() {
    Outputs outputs;
    take_outputs(now_, outputs);
    return outputs;
  }

  bool up() const { return state_ == State::kUp; }
  const Ledger& ledger() const { return ledger_; }
  // See Ledger::change_capacities(). Nothing is sent to the switch.
  void change_capacities(const LedgerOptions& options) { ledger_.change_capacities(options); }
  const SwitchCounters& counters() const { return counters_; }
  std::size_t open_batches() const { return open_batches_; }

 private:
  friend class LedgerTamper;

  static constexpr std::uint32_t kNil = 0xffff'ffff;
  static constexpr ManagerIndex kNoManager{0xffff};  // of a repair
  static constexpr std::size_t kEndedMax = 1U << 20;
  static constexpr std::size_t kLookedAtPerPage = 50'000;
  static constexpr std::uint64_t kUncertainFrom = std::uint64_t{1} << 63;  // held_hops() pages
  static constexpr std::size_t kStatisticsMax = 1024;                      // open at once
  enum class State : std::uint8_t { kDown, kReading, kUp };
  // The low bits of a cookie: the kind of request. kTable: also the removal of a stray.
  enum class Request : std::uint8_t { kStatistics = 0, kAdd = 1, kRemove = 2, kTable = 3 };

  struct Session {  // by ManagerIndex
    bool attached = false;
    Epoch epoch;  // the highest ever seen, or that of the last renewal
    std::uint64_t renewals = 0;
    bool compare = false;  // it has claimed hops that are not compared with the switch yet
    bool claimed_all = false;
  };
  struct Rest {  // of a manager's lapsed labels
    ManagerIndex manager;
    TimePoint until = kNever;  // kNever: it begins when the present step ends
  };
  struct Batch {
    ManagerIndex manager;
    bool wanted = false;  // false: the session of the batch is over
    Token token = 0;
    std::uint64_t missing = 0;  // commands without an answer
    HopResultBatch out;
    BatchTimes times{};
    trace::ConnectionSet traced{};  // HopBatch::traced
    std::vector<HopTrace> traces{};
  };
  struct Waiter {  // for the answer to a hop; a list per hop and action
    std::uint32_t batch = kNil;
    std::uint32_t position = 0;
    std::uint32_t next = kNil;
  };
  struct Audit {
    driver::Cookie cookie = 0;
    ManagerIndex manager;
    Token token = 0;
    std::uint64_t since = 0;  // the ledger's clock before the table was requested
    bool repairs = false;     // what `seen` and this look have in common
    std::vector<Finding> seen{};
  };
  struct Ended {  // a cross-connect that was removed while an audit or a look was open
    CrossConnect cross_connect;
    std::uint64_t clock = 0;
  };
  struct Wanted {  // labels and quota that setups of the present batch want at a port
    PortId port;
    std::size_t labels = 0;
    Resources quota;
  };
  struct Change {  // of a committed hop's contract; being sent to the switch
    HopModify wanted;
    std::uint32_t had_revision = 0;  // the state that a refusal restores
    Resources had;
    TrafficContract had_contract;
    bool refusable = false;  // some component asks for more
    std::uint32_t waiters = kNil;
    std::optional<HopModify> next{};
    std::uint32_t next_waiters = kNil;
  };
  struct Place {  // of a command's result
    std::uint32_t batch = kNil;
    std::uint32_t position = 0;
  };

  // the switch comes and goes
  void on_up(const driver::Up& up);
  void set_ports(const std::vector<SwitchPort>& ports);
  void on_ports(const driver::Ports& ports);
  void on_table(const driver::Table& table, TimePoint now);
  void match_ledger(const std::vector<CrossConnect>& table);
  template <class Which>
  void match(Which which);
  void block_again(const CrossConnect& gone);
  void block_output_again(PortId port, Label label);
  void read_table();
  void mark_down();

  // answers of the switch
  void on_done(const driver::Done& done);
  void on_added(HopRef ref, Cause cause, std::uint8_t failure_code);
  void on_removed(HopRef ref, const driver::Done& done);
  void undo_refused(HopRef ref);
  bool reachable() const { return up() && !lost_; }
  void advance(std::optional<HopRef> below);
  void refuse_waiting(std::optional<HopRef> below, Cause cause, std::uint8_t failure_code);
  void put_back_or_move(HopRef ref);
  HopResult removal_of(HopRef ref) const;
  void put_back(HopRef ref);
  void reassert(HopRef ref);
  void send_add(HopRef ref);
  void send_move(HopRef ref, const CrossConnect& from);
  void send_remove(HopRef ref);
  void send_delete(HopRef ref, const HopRecord* to);
  void finish_removal(HopRef ref, HopFsm::Action how);
  void note_end(const HopRecord& gone);
  static HopRef hop_of(driver::Cookie cookie) {
    return HopRef{static_cast<std::uint32_t>(cookie >> 2)};
  }
  static Request request_of(driver::Cookie cookie) { return static_cast<Request>(cookie & 3); }
  static driver::Cookie cookie(HopRef ref, const HopRecord& record, Request request) {
    return std::uint64_t{record.ticket} << 34 | std::uint64_t{ref.value()} << 2 |
           static_cast<driver::Cookie>(request);
  }

  // commands
  void set_up(Place place, ManagerIndex manager, const HopSetup& setup);
  // The ledger's number for a setup's owner.
  std::uint32_t owner_of(const HopSetup& setup) const {
    return setup.owner < owners_.size() ? owners_[setup.owner] : kNoOwner;
  }
  // Whether the port waits for claims. A switch that has restarted, too, does not show what may
  // still be claimed of it.
  bool waits_for_claims(PortId port) const {
    return settling_.pending() && !planted(Bug::kUnclaimedGranted) &&
           (!settling_.awaited().empty() || ledger_.labels().has_unclaimed(port));
  }
  bool admits_new(PortId input, PortId output) const;
  bool make_room_for_manager();
  bool claims_awaited(ManagerIndex manager) const;
  void claim(ManagerIndex manager, const LedgerHop& claimed, std::uint32_t owner,
             ClaimsTaken& taken);
  bool enter(ManagerIndex manager, const LedgerHop& hop, std::uint32_t owner, ClaimsTaken& taken);
  void claim_rebuilt(ManagerIndex manager, const HopClaims& page,
                     const std::vector<std::uint32_t>& owners, ClaimsTaken& taken);
  void note_claimed_all(ManagerIndex manager);
  void settle_uncertain();
  bool waits_for_others(ManagerIndex manager, const HopKey& key);
  std::size_t uncertain_of(ManagerIndex manager) const;
  HeldHops uncertain_hops(ManagerIndex manager, std::uint64_t from, std::size_t most,
                          std::vector<std::uint64_t>* places) const;
  void end_settling(TimePoint now);
  void modify(Place place, ManagerIndex manager, const HopModify& modify);
  void change(std::uint32_t waiters, ManagerIndex manager, const HopModify& wanted, bool reachable);
  void queue_behind(Change& open, std::uint32_t waiters, const HopModify& wanted);
  void send_contract(HopRef ref, std::uint32_t waiters, const HopModify& wanted);
  void answer_released(Change& change);
  void on_contract_answer(HopRef ref, Cause cause, std::uint8_t failure_code);
  void on_counted(const driver::Statistics& counted);
  void remove(Place place, ManagerIndex manager, const HopKey& key);
  HopResult remove_at_once(HopRef ref);
  void request_removal(HopRef ref);
  Wanted& wanted_of(PortId port);
  void grant_wanted(ManagerIndex manager, HopResultBatch& out);
  Grant grant_some(ManagerIndex manager, PortId port, std::size_t labels, Resources quota);
  void note_shortage(ManagerIndex manager, const Admission& refused);
  void note_over_share(PortId port);
  void take_back(ManagerIndex manager, const HopBatch& batch);
  void take_back(ManagerIndex manager, const PortLabels& returned);
  void take_back(ManagerIndex manager, PortId port, Resources quota);
  void end_session(ManagerIndex manager);
  void end_rests(TimePoint now);
  Result<ManagerIndex> attached(std::string_view manager) const;

  // results
  std::uint32_t open_batch(ManagerIndex manager, Token token, std::size_t commands);
  void answer(Place place, const HopResult& result);
  void close_one(std::uint32_t batch);
  void wait(std::uint32_t& head, Place place);
  void answer_all(std::uint32_t& head, const HopResult& result);
  void join(std::uint32_t& head, std::uint32_t more);
  bool anybody_waits(std::uint32_t head) const;
  void report(const Audit& audit, const std::vector<CrossConnect>* table);
  void ask_for_table(Audit audit);
  Result<void> begin(CallLook look);
  void report(const CallLook& look, const std::vector<CrossConnect>* table);
  TableExpectation expected_on(const std::vector<driver::Input>& inputs, std::uint64_t since) const;
  template <class Read>
  bool take_answer(std::vector<Read>& reads, const driver::Table& table);
  std::size_t act(const std::vector<Finding>& seen, const std::vector<Finding>& found,
                  const std::vector<TableDifference>& differences);
  bool repair(const std::optional<CrossConnect>& extra, const std::optional<CrossConnect>& missing);
  void remove_stray(const CrossConnect& entry);
  void on_stray_removed(const driver::Done& done);
  void put_back_on(const CrossConnect& at);
  // switch_controller_rounds.cpp
  void continue_round(TimePoint now);
  bool take_round_answer(const driver::Table& table, TimePoint now);
  void put_back_lost(const CrossConnect& entry);
  void plant_mistakes(const std::vector<CrossConnect>& there, const TableExpectation& expected);
  // `owners` are those of the hops described so far, by the ledger's number.
  using OwnerPlaces = std::unordered_map<std::uint32_t, std::uint32_t>;
  LedgerHop describe(HopRef ref, const HopRecord& record, TimePoint now, OwnerPlaces& places,
                     std::vector<HopOwner>& owners) const;
  void flush();

  SwitchControllerOptions options_;
  SwitchDriver& driver_;
  Ledger ledger_;
  SwitchCounters counters_;
  State state_ = State::kDown;
  bool lost_ = false;    // the last answer was kSwitchUnreachable: Down will follow
  bool queued_ = false;  // something waits for flush()
  std::uint64_t tables_asked_ = 0;
  driver::Cookie own_table_ = 0;  // of the table read that leads to kUp
  TimePoint reread_at_ = kNever;
  // Entries of the switch's table that no hop claims, ascending; while the switch is up.
  std::vector<CrossConnect> unclaimed_;
  Settling settling_;
  // Hops to be removed once nobody else can claim their labels; at most `ledger.hops_max`.
  std::map<std::pair<ManagerIndex, HopKey>, LedgerHop> uncertain_;

  std::vector<Session> sessions_;
  std::deque<Rest> rests_;  // in order of their ends; at most one for each manager
  std::vector<Batch> batches_;
  std::vector<std::uint32_t> vacant_batches_;
  std::vector<std::uint32_t> fresh_batches_;  // opened in this step
  std::size_t open_batches_ = 0;
  std::vector<Waiter> waiters_;
  std::vector<std::uint32_t> vacant_waiters_;
  std::vector<Wanted> wanted_;         // of the present batch
  std::vector<std::uint32_t> owners_;  // the ledger's numbers of the present batch's owners
  std::unordered_map<HopRef, Change> changes_;
  std::unordered_map<HopRef, CrossConnect> moves_;  // old places of hops whose open add is a move
  std::uint64_t statistics_asked_ = 0;
  std::unordered_map<driver::Cookie, Token> statistics_;
  std::vector<Audit> audits_;
  std::vector<CallLook> looks_;
  TableRounds rounds_;
  std::unordered_map<driver::Cookie, CrossConnect> strays_;  // being removed
  std::vector<Ended> ended_;
  bool ended_overflow_ = false;
  RecallDesk recalls_;
  HopTraces traces_;
  TimePoint now_{};  // of the present commands or event
  Outputs outputs_;
};

}  // namespace xbind
