// One run of callgen, as a step machine: time and answers go in, requests come out. It offers every
// call at the moment it is meant to start, however the earlier ones fared, and accounts for each.
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
// and in place of "setting up", for a call that is held first:
//
//   ──due──▶ holding ──held──▶ held ──due──▶ committing ──connected──▶ up
//               │                               │
//            refused, busy                   refused, busy: over, what is held runs out by itself
//
// A connection has one request under way at a time: what is due next waits for the answer, and its latency
// counts from that answer if that is later than its own moment. A refused change leaves the call as it was.
// The end of a call is its connecting plus its holding time, changes or not. The scenarios are in
// load/scenario.hpp; a commit is due half a holding time after the hold was granted, but no later than half of
// what the hold was granted for.
//
// From which moment latencies count (callgen/README.md tells why):
//   setup    from its planned arrival to its answer
//   release  from its planned end (connected + holding time) to its answer
//   ... from send: the same without what the generator itself was late (its slip)
//
// A run ends when every call is over, when `drain_timeout` has passed since the last planned event
// (or the last sending, if later), or when the target is lost. What was not answered by then is
// unanswered, whatever comes later. A connected call whose release could not be sent counts as a
// release attempted and unanswered: in the end releases.attempted == setups.connected, always. So does the
// commit of a call that was held. A change that could not be sent was never attempted.
//
// stop() ends a run before its time, in order: no further call is offered, every call that is up is
// released at once whatever else it had planned, and answers are awaited for `drain_timeout` from
// then on. A call that is held is committed first, for only a connected call is released.
//
// One at a time (Arrivals::kOneAtATime) the next call is planned for the moment at which the one before is
// over. When an answer does not come there is nothing to plan: the run ends with its drain timeout.
//
// The plan is made as the run goes: memory grows with the open calls, never with all calls.
//
// With several managers the calls are dealt to them in turn: call k is manager k mod `managers`'s, its
// release as well. So a manager's connection numbers never meet another's.
//
// An inspector (call_inspector.hpp) may keep calls up past their end: such a call's end is planned when
// inspected() says so, if that is later than it would have been. Nothing else of the run changes: the
// latency of its release counts from that moment, and of all other calls as ever.
//
// Owner and threads: one thread at a time. No clock, no CORBA: the owner calls advance() at
// next_deadline() or earlier, hands the requests to the target, and brings its answers to
// outcome(). A `now` before an earlier one counts as that earlier one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "callgen/load/holding_time.hpp"
#include "callgen/load/pacer.hpp"
#include "callgen/load/scenario.hpp"
#include "callgen/load/workload.hpp"
#include "callgen/run/call_inspector.hpp"
#include "callgen/run/call_table.hpp"
#include "callgen/run/due_requests.hpp"
#include "callgen/run/earliest_first.hpp"
#include "callgen/run/run_figures.hpp"
#include "callgen/run/run_plan.hpp"
#include "callgen/statistics/record.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"

namespace xbind::callgen {

class Runner {
 public:
  // `plan` has been checked (run_options.hpp): calls > 0, arrivals that Pacer and a holding time that
  // HoldingTime take, max_batch > 0, managers > 0; `workload` has leaves if the mix has.
  // `inspector` and `sink`, if any, outlive this; the sink gets the record of every request that is over.
  Runner(RunPlan plan, Workload workload, CallInspector* inspector = nullptr,
         RecordSink* sink = nullptr);

  // Time zero of the plan. Once, before anything else.
  void start(TimePoint now);

  // Every request that is due by `now`, for each manager in as few batches as max_batch allows, the
  // earliest in its first; they count as sent at `now`. Gives up what is unanswered when the drain
  // timeout has passed. Empty when nothing is due.
  std::vector<Dispatch> advance(TimePoint now);

  // An answer of this manager, at the moment it came in. Never fails: what does not fit is counted
  // (OddOutcomes).
  void outcome(const Outcome& outcome, TimePoint now, std::size_t manager = 0);
  void notice(const Notice& notice, TimePoint now);

  // The inspector has done with a call that it kept up. Nothing when that call was given up meanwhile.
  void inspected(std::uint64_t call, TimePoint now);

  // One of the managers will not answer any more: all open calls end as unanswered and the run is over.
  // Calls not yet due are never attempted, which the report says.
  void target_lost(TimePoint now);

  // The operator has had enough; see above. The first call counts, none of a run that has finished
  // does.
  void stop(TimePoint now);

  // When advance() has something to do next, perhaps already past; kNever once finished.
  TimePoint next_deadline() const;

  bool finished() const { return finished_; }
  std::uint64_t open_calls() const { return open_; }
  const RunFigures& figures() const { return figures_; }
  // Each call begins a new interval.
  Progress progress(TimePoint now);

 private:
  using CallIndex = std::uint64_t;
  // The requests of a call, in their order; a scenario leaves some out.
  using Step = std::uint8_t;
  static constexpr Step kBegin = 0;   // setup or hold
  static constexpr Step kFirst = 1;   // modify, add-leaf, commit
  static constexpr Step kSecond = 2;  // drop-leaf
  static constexpr Step kEnd = 3;     // release

  struct Call {
    TimePoint intended;  // of the step that is planned or under way
    TimePoint sent;      // of the step that is under way
    TimePoint connected_at;
    Duration hold{};
    ConnectionId connection;
    std::string_view leaf{};  // of the workload
    Scenario scenario = Scenario::kSetup;
    Step step = kBegin;  // planned or under way
    // A bit for each step.
    std::uint8_t was_sent = 0;
    std::uint8_t was_answered = 0;
    std::uint8_t was_done = 0;
    bool up = false;
    bool given_up = false;
    bool inspected = false;  // by somebody who has not done yet: no end is planned
  };
  using Calls = CallTable<Call>;
  using Slot = Calls::Slot;
  struct PlannedStep {
    TimePoint due;
    CallIndex call;
    // Of the same moment the earlier call. A heap compares often: both as one number.
    bool before(const PlannedStep& other) const { return number() < other.number(); }
    __extension__ using Number = __int128;
    Number number() const {
      return static_cast<Number>(due.time_since_epoch().count()) << 64 | static_cast<Number>(call);
    }
  };
  // What the plan says about a call before it is sent.
  struct NextCall {
    Duration hold{};
    Scenario scenario = Scenario::kSetup;
    std::uint8_t priority = 0;
    Ends ends;
    std::string_view leaf;
  };

  static bool has(std::uint8_t steps, Step step) { return (steps >> step & 1U) != 0; }
  static void add(std::uint8_t& steps, Step step) {
    steps = static_cast<std::uint8_t>(steps | 1U << step);
  }
  static RequestKind kind_of(Scenario scenario, Step step) {
    // By scenario and step; kBegin and kEnd are all that there is of a plain call.
    using enum RequestKind;
    static constexpr RequestKind kKinds[kScenarios][kEnd + 1] = {
        {kSetup, kSetup, kDropLeaf, kRelease},
        {kSetup, kModify, kDropLeaf, kRelease},
        {kSetup, kAddLeaf, kDropLeaf, kRelease},
        {kHold, kCommit, kDropLeaf, kRelease}};
    return kKinds[static_cast<std::size_t>(scenario)][step];
  }

  // time
  TimePoint never_back(TimePoint now);
  void plan_next_call();
  void next_in_closed_loop(TimePoint now);
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
  NextCall draw_call(CallIndex index);
  void count_arrival(Duration planned);
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
  Workload workload_;
  Pacer pacer_;
  HoldingTime holding_;
  WeightedDraw<kScenarios> scenarios_;
  WeightedDraw<kPriorities> priorities_;
  bool only_setups_;

  bool started_ = false;
  bool finished_ = false;
  TimePoint started_at_;
  TimePoint latest_now_;
  TimePoint first_notice_;
  TimePoint last_progress_;
  TimePoint last_event_;  // planned or sent, the later: the drain timeout counts from here

  std::optional<TimePoint> stop_by_;  // once stop() was called: what is open then is given up

  CallIndex next_call_ = 0;
  TimePoint next_arrival_;    // of next_call_; kNever when none is planned
  bool all_planned_ = false;  // and none will be
  double gap_sum_s_ = 0;
  double gap_square_sum_ = 0;

  Calls calls_;  // open, or given up (so that a late answer is known as such)
  std::uint64_t open_ = 0;
  std::uint64_t under_inspection_ = 0;
  CallInspector* inspector_;
  RecordSink* sink_;
  EarliestFirst<PlannedStep> steps_;
  DueRequests due_;  // within advance()
  RunFigures figures_;
};

}  // namespace xbind::callgen
