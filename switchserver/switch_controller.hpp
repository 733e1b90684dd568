// The SwitchServer without CORBA and without sockets: batches of hop commands in, requests to the
// switch, one batch of results per batch of commands out.
//
//     manager ──apply(batch, token)──▶ ┌────────────┐ ──add, remove, flush──▶ ┌────────┐
//                                      │ controller │                         │ driver │
//     manager ◀──take_outputs()─────── └────────────┘ ◀──on_driver(event)──── └────────┘
//                                        │ ledger │
//
// A step machine: each call does all it can at once and returns; what comes of it waits in
// take_outputs(). Whoever owns it calls from one thread, and take_outputs() after every call.
// Events of the driver are handed in after the call that caused them has returned, never from
// within. Each step ends in at most one driver flush, however many requests it queued.
//
// Sessions are somebody else's: batches come here once and in order.
//
// The switch seen from here:
//
//            Up (kept)            its table has been read
//     down ───────────▶ reading ─────────────────────────▶ up
//      ▲ │                 │                               ▲ │
//      │ └─────────────────┼────── Up (not kept) ──────────┘ │
//      └───────────────────┴───────────── Down ──────────────┘
//
// Only when it is up are hops set up, labels and quotas granted; else everything that needs the
// switch is refused kSwitchUnreachable; only a modify that takes less is done. Coming up, the
// ledger is made true again: committed cross-connects that the switch has not are put back, those
// being removed are deleted, and what the switch has but the ledger does not is left alone, its
// labels blocked (unclaimed).
//
// A commit or removal whose answer the switch owes when the session breaks is answered
// kSwitchUnreachable; its hop counts as being removed from then on and is cleaned away when the
// switch is back. The same goes for a commit that timed out, and for a removal asked for while
// down.
//
// A hop that takes over from an earlier generation (ledger.hpp) is a move of what that one has in the
// switch, not an add. Its removal, while the other is there, is a move back; refused because there is
// nothing to move, the other is put back by an add. A removal of the one below waits as long as anything
// is under way above it, and asks the switch for nothing when it turns out to be superseded. After a
// break the table may show either of the two; it is then moved, put back or left as the ledger says.
//
// A modify that changes the traffic contract of a committed hop is told to the switch: an add of what is
// there, with the new contract. While that is under way the hop holds the greater of both demands. One
// that asks for more in anything is done when the switch has confirmed it, and undone when it refuses
// or does not answer; one that asks for less is done all the same. Where the switch may then have
// another contract than the books (Progress::untold), it is told again when it is read again. A modify
// that comes meanwhile waits its turn; a third takes the place of the second, which is stale then.
//
// Ports that have begun a new session while the switch stayed are answered by adding what comes in
// there once more.
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
  std::string name;  // of the switch, as bound under xbind/switchserver/; for findings
  LedgerOptions ledger = {};
  // The setups of further batches are refused kBusy. Their changes and removals, which restore or release, are
  // carried out: the credit of the managers' sessions bounds those batches.
  std::size_t open_batches_max = 1U << 16;
  std::size_t open_audits_max = 64;                             // more are refused kExhausted
  std::size_t labels_per_grant_max = 1U << 16;                  // of one batch or one grant()
  Duration reread_after = kSwitchServerTimers["table-reread"];  // when the table could not be read
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

// All of them but `refusals`, which to_string(Cause) names.
inline constexpr CounterRow<SwitchCounters> kSwitchMetrics[] = {
    {"batches", MetricKind::kCounter, "", "Batches of commands that were applied.",
     &SwitchCounters::batches},
    {"reserves", MetricKind::kCounter, "", "Hops reserved.", &SwitchCounters::reserves},
    {"commits", MetricKind::kCounter, "", "Hops committed, the switch having confirmed.",
     &SwitchCounters::commits},
    {"removes", MetricKind::kCounter, "",
     "Hops removed, the switch having confirmed where it had to.", &SwitchCounters::removes},
    {"modifies", MetricKind::kCounter, "", "Hops whose resources were changed.",
     &SwitchCounters::modifies},
    {"repeats", MetricKind::kCounter, "",
     "Setups and modifies that had been asked for before in the same words.",
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
     "Traffic contracts of committed hops that the switch was told anew.",
     &SwitchCounters::contracts_told},
    {"contracts_refused", MetricKind::kCounter, "",
     "Those of them that the switch refused or did not answer.",
     &SwitchCounters::contracts_refused},
    {"port_changes", MetricKind::kCounter, "",
     "Times that ports came, went, or changed their state.", &SwitchCounters::port_changes},
    {"taken_over", MetricKind::kCounter, "",
     "Cross-connects that were moved to the output of a later generation's hop.",
     &SwitchCounters::taken_over},
    {"moved_back", MetricKind::kCounter, "",
     "Moves back that the switch was asked for, the later generation's hop being removed.",
     &SwitchCounters::moved_back},
    {"cleaned", MetricKind::kCounter, "",
     "Deletes sent without a manager waiting, for hops with unknown outcome.",
     &SwitchCounters::cleaned},
    {"audits", MetricKind::kCounter, "", "Audit reports made.", &SwitchCounters::audits},
    {"executes", MetricKind::kCounter, "", "Batches of commands that came by a two-way call.",
     &SwitchCounters::executes},
    {"recalls", MetricKind::kCounter, "",
     "Times a manager was asked for labels or quota of a port that it can spare.",
     &SwitchCounters::recalls},
    {"over_share", MetricKind::kCounter, "",
     "Reserves refused and grants cut because the manager's share was used up.",
     &SwitchCounters::over_share},
    {"unexpected_answers", MetricKind::kCounter, "",
     "Answers of the driver to nothing that was asked; ignored.",
     &SwitchCounters::unexpected_answers},
};

class SwitchController {
 public:
  using Token = std::uint64_t;  // the caller's own name for a batch or an audit

  struct Attachment {
    std::vector<SwitchPort> ports;        // as last seen; empty when the switch never was
    std::vector<PortLabels> quarantined;  // of earlier sessions of this manager
    std::uint64_t hops = 0;               // records of this manager
  };
  struct Grant {
    std::vector<Label> labels;  // fewer than wanted when no more are free
    Resources quota;            // less than wanted when no more is free
  };
  // Of a batch of commands; steps have a time at which they begin, and end with take_outputs().
  struct BatchTimes {
    TimePoint applied;
    TimePoint asked;     // that step ended: requests of the driver leave
    TimePoint answered;  // the step of the last answer; of a batch answered in one step as `asked`
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
  // A hop went that nobody in the manager's present session had asked to remove (that was done in an
  // earlier one, or the controller cleaned up): the manager is told what lies in its quarantine since.
  struct Unasked {
    std::string manager;
    HopResult result;
  };
  // The manager is asked for what it can spare.
  struct Recalled {
    std::string manager;
    PortRecall recall;
  };
  // The answer to read_statistics().
  struct Counted {
    Token token = 0;
    Cause cause = Cause::kNone;
    std::uint8_t failure_code = 0;  // the driver's, with kSwitchRefused
    bool absent = false;            // refused because nothing comes in there with that label
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
  // The event comes soon: asks the memory for what it will need, in two looks ahead (core/ahead.hpp).
  void expect_later(const driver::Event& event) const;
  void expect_soon(const driver::Event& event) const;
  // When on_time() is to be called, or kNever.
  TimePoint wake_at() const { return reread_at_; }
  void on_time(TimePoint now);

  // Opens a session; an older one of that name lapses first. kFenced: a higher epoch has been here.
  // kExhausted: too many names are known. Works while the switch is down.
  Result<Attachment> attach(std::string_view manager, Epoch epoch);
  // Ends the session: see Ledger::lapse(). Results of batches that are still open are dropped.
  // Without a session nothing happens.
  void detach(std::string_view manager);
  // See Ledger::forget_manager(); the epoch goes with the name. Answers how many hops are left.
  // kNotFound: unknown; kBadInput: attached.
  Result<std::uint64_t> forget(std::string_view manager);

  // Applies modifies, then setups and removals in their order, then takes labels and quota back,
  // then grants the labels and quota that the accepted setups want. Its results come in one
  // HopResultBatch when every command has been answered, with `token`. kNotFound: that manager has
  // no session, nothing was done.
  Result<void> apply(std::string_view manager, const HopBatch& batch, Token token, TimePoint now);
  // The same, counted as a two-way call's.
  Result<void> execute(std::string_view manager, const HopBatch& batch, Token token, TimePoint now);
  // kNotFound: no session, or no such port. kUnreachable: the switch is not up.
  Result<Grant> grant(std::string_view manager, PortId port, std::size_t labels, Resources quota,
                      TimePoint now);
  // What the manager does not hold is ignored and counted. kNotFound: no session.
  Result<void> give_back(std::string_view manager, const PortLabels& labels, Resources quota);

  // Reads the switch's table and compares the books. The report comes with `token`; while the
  // switch is not up it comes at once and says kUnreadable about it. Refuses kNotFound and
  // kExhausted.
  Result<void> audit(std::string_view manager, Token token);

  // What the switch has counted at a port, or (a label is given) of the connection that comes in there
  // with it; comes with `token`. kUnreachable: the switch is not up. kNotFound: no such port. kExhausted:
  // too many are open.
  Result<void> read_statistics(PortId port, Label label, Token token);

  // `now`: the step ends. What `outputs` had is overwritten, its memory used again.
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
  static constexpr std::size_t kStatisticsMax = 1024;  // open at once

  enum class State : std::uint8_t { kDown, kReading, kUp };
  // Low bits of a cookie: what was asked for.
  enum class Request : std::uint8_t { kStatistics = 0, kAdd = 1, kRemove = 2, kTable = 3 };

  struct Session {  // by ManagerIndex
    bool attached = false;
    Epoch epoch;  // the highest ever seen
  };
  struct Batch {
    ManagerIndex manager;
    bool wanted = false;  // false: its session is over
    Token token = 0;
    std::uint64_t missing = 0;  // answers
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
    std::uint64_t since = 0;  // the ledger's clock before the table was asked for
  };
  struct Ended {  // a cross-connect that went while an audit was open
    CrossConnect cross_connect;
    std::uint64_t clock = 0;
  };
  struct Wanted {  // a port from which the batch in hand took something, and wants more
    PortId port;
    std::size_t labels = 0;
    Resources quota;
  };
  struct Change {  // of a committed hop's contract, on its way to the switch
    HopModify wanted;
    std::uint32_t had_revision = 0;  // where a refusal leads back to
    Resources had;
    TrafficContract had_contract;
    bool refusable = false;  // it asks for more in something
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
  void make_true(const std::vector<CrossConnect>& table);
  void read_table();
  void leave_up();

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
  // The ledger's number of a setup's owner.
  std::uint32_t owner_of(const HopSetup& setup) const {
    return setup.owner < owners_.size() ? owners_[setup.owner] : kNoOwner;
  }
  void modify(Place place, ManagerIndex manager, const HopModify& modify);
  void change(std::uint32_t waiters, ManagerIndex manager, const HopModify& wanted, bool reachable);
  void queue_behind(Change& open, std::uint32_t waiters, const HopModify& wanted);
  void tell_contract(HopRef ref, std::uint32_t waiters, const HopModify& wanted);
  void on_told(HopRef ref, Cause cause, std::uint8_t failure_code);
  void on_counted(const driver::Statistics& counted);
  void remove(Place place, ManagerIndex manager, const HopKey& key);
  Wanted& wanted_of(PortId port);
  void give_wanted(ManagerIndex manager, HopResultBatch& out);
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
  void flush();

  SwitchControllerOptions options_;
  SwitchDriver& driver_;
  Ledger ledger_;
  SwitchCounters counters_;
  State state_ = State::kDown;
  bool lost_ = false;    // the last answer was that the switch is unreachable: Down is to follow
  bool queued_ = false;  // something waits for flush()
  std::uint64_t tables_asked_ = 0;
  driver::Cookie own_table_ = 0;  // the read that leads to kUp
  TimePoint reread_at_ = kNever;

  std::vector<Session> sessions_;
  std::vector<Batch> batches_;
  std::vector<std::uint32_t> vacant_batches_;
  std::vector<std::uint32_t> fresh_batches_;  // of this step
  std::size_t open_batches_ = 0;
  std::vector<Waiter> waiters_;
  std::vector<std::uint32_t> vacant_waiters_;
  std::vector<Wanted> wanted_;         // of the batch in hand
  std::vector<std::uint32_t> owners_;  // the same: the ledger's numbers of its owners
  std::unordered_map<HopRef, Change> changes_;
  std::unordered_map<HopRef, CrossConnect> moves_;  // hops whose open add is a move, and from where
  std::uint64_t statistics_asked_ = 0;
  std::unordered_map<driver::Cookie, Token> statistics_;
  std::vector<Audit> audits_;
  std::vector<Ended> ended_;
  bool ended_overflow_ = false;
  RecallDesk recalls_;
  TimePoint now_{};  // of the commands or the event in hand
  Outputs outputs_;
};

}  // namespace xbind
