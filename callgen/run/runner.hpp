// One run of callgen, as a step machine: time and answers go in, requests come out. It offers every
// call at its planned time, whatever the results of earlier calls, and accounts for each.
//
//   planned ──due──▶ setting up ──connected──▶ up ──its end──▶ releasing ──released, failed──▶ over
//      │               │     │                │  ▲                 │
//      │               │  refused, busy   due │  │ answered,    target lost,
//      │               │     └──▶ over        ▼  │ whatever      no answer
//      │               │                   changing                ▼
//   too many         target lost,         (modify, leaf)       unanswered
//   open calls       no answer                                 (release)
//      ▼               ▼
//   unanswered      unanswered
//   (shed)          (setup)
//
// and instead of "setting up", for a call that is held first:
//
//   ──due──▶ holding ──held──▶ held ──due──▶ committing ──connected──▶ up
//               │                               │
//            refused, busy                   refused, busy: over; the hold expires by itself
//
// A connection has one request under way at a time. The next due request waits for the answer, and
// its latency counts from that answer if it is later than the planned time. A refused change leaves
// the call unchanged. A call ends at its connection time plus its holding time, with or without
// changes. load/scenario.hpp describes the scenarios. A commit is due half a holding time after the
// hold was granted, but at the latest after half of the granted duration.
//
// Start and end of latencies (callgen/README.md gives the reasons):
//  setup    from its planned arrival to its answer
//  release  from its planned end (connected + holding time) to its answer
//  ... from send: the same without the generator's own delay (its slip)
//
// A run ends when every call is over, when `drain_timeout` has passed since the last planned event
// (or the last sending, if later), or when the target is lost. Requests not answered by then are
// unanswered, even if answers come later. A connected call whose release could not be sent counts
// as a release attempted and unanswered, so that releases.attempted == setups.connected at the end,
// always. The commit of a held call is treated in the same way. A change that could not be sent was
// never attempted.
//
// stop() ends a run early, in order. No further call is offered, every call that is up is released
// at once regardless of its other planned requests, and answers are awaited for `drain_timeout`
// from then on. A held call is committed first, because only a connected call can be released.
//
// One at a time (Arrivals::kOneAtATime) the next call is planned for the moment when the previous
// one is over. If an answer does not come, nothing can be planned: the run ends with its drain
// timeout.
//
// The plan is made during the run: memory grows with the open calls, not with all calls. The
// operator may change it while it is played (offer.hpp), with perform().
//
// With several managers the calls are dealt to them in turn: call k, including its release, goes to
// manager k mod `managers`. So connection numbers of different managers never mix.
//
// An inspector (call_inspector.hpp) may have the run release a call later than planned, also when
// the run is stopped while the call is up. The end of such a call is planned for the moment of
// inspected(), if that is later than its original end, and its release latency counts from there.
// Nothing else of the run changes, including the latencies of all other calls.
//
// Owner and threads: one thread at a time. No clock, no CORBA: the owner calls advance() at
// next_deadline() or earlier, sends the requests to the target, and passes its answers to
// outcome(). A `now` before an earlier one counts as that earlier one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "callgen/load/scenario.hpp"
#include "callgen/load/workload.hpp"
#include "callgen/run/call_inspector.hpp"
#include "callgen/run/call_source.hpp"
#include "callgen/run/call_table.hpp"
#include "callgen/run/due_requests.hpp"
#include "callgen/run/earliest_first.hpp"
#include "callgen/run/offer.hpp"
#include "callgen/run/run_command.hpp"
#include "callgen/run/run_figures.hpp"
#include "callgen/run/run_plan.hpp"
#include "callgen/statistics/record.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

class Runner {
 public:
  // `plan` must have been checked (run_options.hpp): calls > 0, arrivals and holding time valid for
  // Pacer and HoldingTime, max_batch > 0, managers > 0. `workload` must have leaves if the mix has.
  // `inspector` and `sink`, if any, must outlive the Runner; the sink gets the record of every
  // ended request.
  Runner(RunPlan plan, Workload workload, CallInspector* inspector = nullptr,
         RecordSink* sink = nullptr);

  // Sets time zero of the plan. Call once, before anything else.
  void start(TimePoint now);

  // Returns every request that is due by `now`, for each manager in as few batches as max_batch
  // allows, the earliest requests in the first; `now` is their sending time. Gives unanswered
  // requests up when the drain timeout has passed. Empty when nothing is due.
  std::vector<Dispatch> advance(TimePoint now);

  // An answer of this manager, at its time of arrival. Never fails: unexpected answers are counted
  // (OddOutcomes).
  void outcome(const Outcome& outcome, TimePoint now, std::size_t manager = 0);
  void notice(const Notice& notice, TimePoint now);

  // The inspector has finished with a call that it kept up. No effect if the call was given up
  // meanwhile.
  void inspected(std::uint64_t call, TimePoint now);

  // A manager will not answer any more: all open calls end as unanswered and the run is over. Calls
  // not yet due are never attempted; the report shows this.
  void target_lost(TimePoint now);

  // The operator requests the end; see above. Only the first call has an effect, and none once the
  // run has finished.
  void stop(TimePoint now);

  // What an operator asks for while calls are offered (run_command.hpp). Returns a sentence about
  // the offer from then on. kBadInput: it is not possible, and why. Calls that are due by `now` are
  // sent as planned before.
  Result<std::string> perform(const RunCommand& command, TimePoint now);
  OfferView offer(TimePoint now) const { return offer_.view(std::max(now, latest_now_)); }

  // When advance() has something to do next, possibly in the past; kNever once finished.
  TimePoint next_deadline() const;

  bool finished() const { return finished_; }
  std::uint64_t open_calls() const { return open_; }
  const RunFigures& figures() const { return figures_; }
  // Each call begins a new interval.
  Progress progress(TimePoint now);

 private:
  using CallIndex = std::uint64_t;
  // The requests of a call, in order; a scenario may leave some out.
  using Step = std::uint8_t;
  static constexpr Step kBegin = 0;   // setup or hold
  static constexpr Step kFirst = 1;   // modify, add-leaf, commit
  static constexpr Step kSecond = 2;  // drop-leaf
  static constexpr Step kEnd = 3;     // release

  // Steps of a call: one bit for each.
  class Steps {
   public:
    bool has(Step step) const { return (bits_ >> step & 1U) != 0; }
    void add(Step step) { bits_ = static_cast<std::uint8_t>(bits_ | 1U << step); }

   private:
    std::uint8_t bits_ = 0;
  };

  struct Call {
    TimePoint intended;  // of the step planned or under way
    TimePoint sent;      // of the step under way
    TimePoint connected_at;
    Duration hold{};
    ConnectionId connection;
    std::string_view leaf{};  // points into the source
    Scenario scenario = Scenario::kSetup;
    Step step = kBegin;  // planned or under way
    std::uint16_t phase = 0;
    std::uint16_t call_class = 0;
    Steps was_sent;
    Steps was_answered;
    Steps was_done;
    bool up = false;
    bool given_up = false;
    bool inspected = false;  // kept up by an inspector: no end is planned
  };
  using Calls = CallTable<Call>;
  using Slot = Calls::Slot;
  struct PlannedStep {
    TimePoint due;
    CallIndex call;
    // At equal times the earlier call. A heap compares often, so both form one number.
    bool before(const PlannedStep& other) const { return number() < other.number(); }
    __extension__ using Number = __int128;
    Number number() const {
      return static_cast<Number>(due.time_since_epoch().count()) << 64 | static_cast<Number>(call);
    }
  };
  static RequestKind kind_of(Scenario scenario, Step step) {
    // By scenario and step; a plain call has kBegin and kEnd only.
    using enum RequestKind;
    static constexpr RequestKind kKinds[kScenarios][kEnd + 1] = {
        {kSetup, kSetup, kDropLeaf, kRelease},
        {kSetup, kModify, kDropLeaf, kRelease},
        {kSetup, kAddLeaf, kDropLeaf, kRelease},
        {kHold, kCommit, kDropLeaf, kRelease}};
    return kKinds[static_cast<std::size_t>(scenario)][step];
  }

  // time
  TimePoint clamp_to_latest(TimePoint now);
  bool step_is_next() const;
  std::optional<TimePoint> drain_deadline() const;

  // requests
  std::size_t manager_of(CallIndex call) const {
    return plan_.managers == 1 ? 0 : call % plan_.managers;
  }
  RequestId request_of(CallIndex call, Step step) const;
  RequestCounts& counts_of(RequestKind kind) {
    return figures_.requests[static_cast<std::size_t>(kind)];
  }
  void count_arrival(Duration planned);
  Result<void> quit(TimePoint now);
  void note_offer();
  void tell_gaps();
  void send_begin(TimePoint now);
  void send_step(TimePoint now);
  void plan_step(Slot slot, Step step, TimePoint due);

  // answers
  void step_answered(Slot slot, const Outcome& outcome, TimePoint now);
  void after_step(Slot slot, RequestKind kind, Ended ended, const Outcome& outcome, TimePoint now);
  void not_set_up(Slot slot, Ended ended, const Outcome& outcome, TimePoint now);
  void connected(Slot slot, const Outcome& outcome, TimePoint now);
  void answered_before(const Call& call, Step step, const Outcome& outcome);
  void record(CallIndex index, const Call& call, Ended ended, Duration answered,
              const Outcome* outcome);

  // ends
  void call_over(Slot slot, bool released, TimePoint now);
  void give_up(Slot slot);
  void give_up_open_calls();
  void finish_if_over(TimePoint now);

  RunPlan plan_;
  CallSource source_;
  Offer offer_;
  bool only_setups_;

  bool started_ = false;
  bool finished_ = false;
  TimePoint started_at_;
  TimePoint latest_now_;
  TimePoint first_notice_;
  TimePoint last_progress_;
  TimePoint last_event_;  // planned or sent, the later one: the drain timeout counts from here

  std::optional<TimePoint> stop_by_;  // set by stop(): calls open at that time are given up

  double gap_sum_s_ = 0;
  double gap_square_sum_ = 0;

  Calls calls_;  // open, or given up (so that a late answer is recognised)
  std::uint64_t open_ = 0;
  std::uint64_t under_inspection_ = 0;
  CallInspector* inspector_;
  RecordSink* sink_;
  EarliestFirst<PlannedStep> steps_;
  DueRequests due_;  // used within advance()
  RunFigures figures_;
};

}  // namespace xbind::callgen
