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
// A hop that takes over from an earlier generation (ledger.hpp) moves the earlier hop's
// cross-connect instead of adding one. Its removal, while the earlier hop exists, moves it back. If
// the switch refuses because there is nothing to move, the earlier hop is put back by an add. A
// removal of the lower hop waits while anything is under way above it, and needs no request if the
// hop turns out to be superseded. After a break the table may show either of the two; the
// controller moves it, puts it back or leaves it as the ledger says.
//
// A modify that changes the traffic contract of a committed hop is sent to the switch: an add of
// the existing cross-connect with the new contract. While it is under way, the hop holds the
// greater of both demands. A modify that asks for more in any component is done when the switch has
// confirmed it; it is undone if the switch refuses or does not answer. One that asks for less is
// done in any case. If the contract in the switch may then differ from the ledger
// (Progress::untold), it is sent again when the table is read again. A modify that arrives
// meanwhile waits; a third one replaces the second, which is then refused as stale.
//
// When ports begin a new session while the switch stays up, the controller adds the cross-connects
// of their input again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/audit.hpp"
#include "core/clock.hpp"
#include "core/hop.hpp"
#include "core/metrics/metric_table.hpp"
#include "core/result.hpp"
#include "switchserver/drivers/switch_driver.hpp"
#include "switchserver/ledger.hpp"
#include "switchserver/recall_desk.hpp"
#include "switchserver/timers.hpp"

namespace xbind {

struct SwitchControllerOptions {
  std::string name;  // the switch's, as bound under xbind/switchserver/; used in findings
  LedgerOptions ledger = {};
  // With more open batches, setups are refused kBusy. Changes and removals, which restore or
  // release, are still carried out: the credit of the managers' sessions bounds their batches.
  std::size_t open_batches_max = 1U << 16;
  std::size_t open_audits_max = 64;                             // more are refused kExhausted
  std::size_t labels_per_grant_max = 1U << 16;                  // of one batch or one grant()
  Duration reread_after = kSwitchServerTimers["table-reread"];  // after a failed table read
};

struct SwitchCounters {
  std::uint64_t batches = 0;
  std::uint64_t reserves = 0;
  std::uint64_t commits = 0;
  std::uint64_t removes = 0;
  std::uint64_t modifies = 0;
  std::uint64_t repeats = 0;
  std::uint64_t labels_granted = 0;
  std::uint64_t labels_returned = 0;
  std::uint64_t returned_not_held = 0;
  std::uint64_t quota_not_held = 0;
  std::uint64_t lapses = 0;
  std::uint64_t fenced = 0;
  std::uint64_t put_back = 0;
  std::uint64_t put_back_refused = 0;
  std::uint64_t reasserted = 0;
  std::uint64_t contracts_told = 0;
  std::uint64_t contracts_refused = 0;
  std::uint64_t port_changes = 0;
  std::uint64_t taken_over = 0;
  std::uint64_t moved_back = 0;
  std::uint64_t cleaned = 0;
  std::uint64_t audits = 0;
  std::uint64_t executes = 0;
  std::uint64_t recalls = 0;
  std::uint64_t over_share = 0;
  std::uint64_t unexpected_answers = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(kCauseLast) + 1> refusals{};  // by Cause
};

// All counters except `refusals`, which to_string(Cause) names.
inline constexpr CounterRow<SwitchCounters> kSwitchMetrics[] = {
    {"batches", MetricKind::kCounter, "", "Batches of commands that were applied.",
     &SwitchCounters::batches},
    {"reserves", MetricKind::kCounter, "", "Hops reserved.", &SwitchCounters::reserves},
    {"commits", MetricKind::kCounter, "", "Hops committed after the switch confirmed.",
     &SwitchCounters::commits},
    {"removes", MetricKind::kCounter, "",
     "Hops removed, after the switch confirmed where it had to.", &SwitchCounters::removes},
    {"modifies", MetricKind::kCounter, "", "Hops whose resources were changed.",
     &SwitchCounters::modifies},
    {"repeats", MetricKind::kCounter, "", "Repeated setups and modifies; they change nothing.",
     &SwitchCounters::repeats},
    {"labels_granted", MetricKind::kCounter, "", "Labels that went to a manager's cache.",
     &SwitchCounters::labels_granted},
    {"labels_returned", MetricKind::kCounter, "", "Labels that a manager gave back.",
     &SwitchCounters::labels_returned},
    {"returned_not_held", MetricKind::kCounter, "",
     "Labels given back by a manager that did not hold them; ignored.",
     &SwitchCounters::returned_not_held},
    {"quota_not_held", MetricKind::kCounter, "",
     "Times a manager gave back more quota than it had.", &SwitchCounters::quota_not_held},
    {"lapses", MetricKind::kCounter, "", "Sessions of managers that ended.",
     &SwitchCounters::lapses},
    {"fenced", MetricKind::kCounter, "",
     "Attachments refused because a newer epoch of the manager is known.", &SwitchCounters::fenced},
    {"put_back", MetricKind::kCounter, "",
     "Committed cross-connects put back into a switch that had lost them.",
     &SwitchCounters::put_back},
    {"put_back_refused", MetricKind::kCounter, "",
     "Adds of committed cross-connects that the switch refused or did not answer; the audit "
     "reports "
     "what is missing.",
     &SwitchCounters::put_back_refused},
    {"reasserted", MetricKind::kCounter, "",
     "Committed cross-connects added once more: their port began a new session, or their contract "
     "was not known to have arrived.",
     &SwitchCounters::reasserted},
    {"contracts_told", MetricKind::kCounter, "",
     "Changed traffic contracts of committed hops that were sent to the switch.",
     &SwitchCounters::contracts_told},
    {"contracts_refused", MetricKind::kCounter, "",
     "Changed traffic contracts that the switch refused or did not answer.",
     &SwitchCounters::contracts_refused},
    {"port_changes", MetricKind::kCounter, "",
     "Times that ports appeared, disappeared or changed state.", &SwitchCounters::port_changes},
    {"taken_over", MetricKind::kCounter, "",
     "Cross-connects that were moved to the output of a later generation's hop.",
     &SwitchCounters::taken_over},
    {"moved_back", MetricKind::kCounter, "",
     "Moves back to the earlier generation's output, requested because the later hop is removed.",
     &SwitchCounters::moved_back},
    {"cleaned", MetricKind::kCounter, "",
     "Deletes sent without a manager waiting, for hops with unknown outcome.",
     &SwitchCounters::cleaned},
    {"audits", MetricKind::kCounter, "", "Audit reports made.", &SwitchCounters::audits},
    {"executes", MetricKind::kCounter, "", "Batches of commands that came by a two-way call.",
     &SwitchCounters::executes},
    {"recalls", MetricKind::kCounter, "",
     "Requests to a manager to return spare labels or quota of a port.", &SwitchCounters::recalls},
    {"over_share", MetricKind::kCounter, "",
     "Reserves refused and grants cut because the manager's share was used up.",
     &SwitchCounters::over_share},
    {"unexpected_answers", MetricKind::kCounter, "",
     "Answers of the driver that match no request; ignored.", &SwitchCounters::unexpected_answers},
};

class SwitchController {
 public:
  using Token = std::uint64_t;  // the caller's identifier of a batch or an audit

  struct Attachment {
    std::vector<SwitchPort> ports;        // as last seen; empty if the switch was never up
    std::vector<PortLabels> quarantined;  // by earlier sessions of this manager
    std::uint64_t hops = 0;               // this manager's records
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
  struct Outputs {
    std::vector<Results> results;  // in the order in which batches were completed
    std::vector<Unasked> unasked;
    std::vector<Audited> audits;
    std::vector<Recalled> recalls;
    std::vector<Counted> statistics;
  };

  // The driver must outlive the controller.
  SwitchController(SwitchControllerOptions options, SwitchDriver& driver);
  ~SwitchController();

  void on_driver(const driver::Event& event, TimePoint now);
  // Prefetches what the event will need when it is handled soon, in two steps (core/ahead.hpp).
  void expect_later(const driver::Event& event) const;
  void expect_soon(const driver::Event& event) const;
  // When on_time() is to be called, or kNever.
  TimePoint wake_at() const { return reread_at_; }
  void on_time(TimePoint now);

  // Opens a session; an older one of that name lapses first. Works while the switch is down.
  // kFenced: a higher epoch has attached. kExhausted: too many names are known.
  Result<Attachment> attach(std::string_view manager, Epoch epoch);
  // Ends the session: see Ledger::lapse(). Drops the results of its open batches. Does nothing
  // without a session.
  void detach(std::string_view manager);
  // The highest epoch that has attached under the name; 0: none, or the name is not known.
  Epoch newest_epoch(std::string_view manager) const;
  // Hops that the ledger holds under the name, at most `most` of them and from the place `from` on,
  // where 0 is the beginning. `places`, if given, receives for each hop the `from` of a page that
  // begins after it (0: it is the last hop). Reads at most kLookedAtPerPage records.
  HeldHops held_hops(std::string_view manager, std::uint64_t from, std::size_t most,
                     std::vector<std::uint64_t>* places = nullptr) const;
  // See Ledger::forget_manager(); the epoch is forgotten with the name. Returns the number of hops
  // left. kNotFound: unknown; kBadInput: attached.
  Result<std::uint64_t> forget(std::string_view manager);

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
  const SwitchCounters& counters() const { return counters_; }
  std::size_t open_batches() const { return open_batches_; }

 private:
  friend class LedgerTamper;

  static constexpr std::uint32_t kNil = 0xffff'ffff;
  static constexpr std::size_t kEndedMax = 1U << 20;
  static constexpr std::size_t kLookedAtPerPage = 50'000;
  static constexpr std::size_t kStatisticsMax = 1024;  // open at once

  enum class State : std::uint8_t { kDown, kReading, kUp };
  // The low bits of a cookie: the kind of request.
  enum class Request : std::uint8_t { kStatistics = 0, kAdd = 1, kRemove = 2, kTable = 3 };

  struct Session {  // by ManagerIndex
    bool attached = false;
    Epoch epoch;  // the highest ever seen
  };
  struct Batch {
    ManagerIndex manager;
    bool wanted = false;  // false: the session of the batch is over
    Token token = 0;
    std::uint64_t missing = 0;  // commands without an answer
    HopResultBatch out;
    BatchTimes times{};
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
  };
  struct Ended {  // a cross-connect that was removed while an audit was open
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
  void on_down();
  void set_ports(const std::vector<SwitchPort>& ports);
  void on_ports(const driver::Ports& ports);
  void on_table(const driver::Table& table, TimePoint now);
  void match_ledger(const std::vector<CrossConnect>& table);
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
  void put_back(HopRef ref, const std::vector<CrossConnect>& table);
  HopResult removal_of(HopRef ref) const;
  void put_back(HopRef ref);
  void reassert(HopRef ref);
  void add(HopRef ref);
  void move(HopRef ref, const CrossConnect& from);
  void send_remove(HopRef ref);
  void finish_removal(HopRef ref);
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
  void modify(Place place, ManagerIndex manager, const HopModify& modify);
  void change(std::uint32_t waiters, ManagerIndex manager, const HopModify& wanted, bool reachable);
  void queue_behind(Change& open, std::uint32_t waiters, const HopModify& wanted);
  void send_contract(HopRef ref, std::uint32_t waiters, const HopModify& wanted);
  void on_contract_answer(HopRef ref, Cause cause, std::uint8_t failure_code);
  void on_counted(const driver::Statistics& counted);
  void remove(Place place, ManagerIndex manager, const HopKey& key);
  Wanted& wanted_of(PortId port);
  void grant_wanted(ManagerIndex manager, HopResultBatch& out);
  Grant grant_some(ManagerIndex manager, PortId port, std::size_t labels, Resources quota);
  void note_shortage(ManagerIndex manager, const Admission& refused);
  void note_over_share(PortId port);
  void take_back(ManagerIndex manager, const HopBatch& batch);
  void take_back(ManagerIndex manager, const PortLabels& returned);
  void take_back(ManagerIndex manager, PortId port, Resources quota);
  void end_session(ManagerIndex manager);
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
  // `owners` are those of the hops described so far, by the ledger's number.
  using OwnerPlaces = std::unordered_map<std::uint32_t, std::uint32_t>;
  LedgerHop describe(HopRef ref, const HopRecord& record, OwnerPlaces& places,
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

  std::vector<Session> sessions_;
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
  std::vector<Ended> ended_;
  bool ended_overflow_ = false;
  RecallDesk recalls_;
  TimePoint now_{};  // of the present commands or event
  Outputs outputs_;
};

}  // namespace xbind
