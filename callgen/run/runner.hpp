// One run of callgen, as a step machine: time and answers go in, requests come out. It offers every
// call at the moment it is meant to start, however the earlier ones fared, and accounts for each.
//
//   planned ──due──▶ setting up ──connected──▶ up ──held──▶ releasing ──released, failed──▶ over
//      │               │     │                 │                │
//      │               │  refused, busy   target lost      target lost,
//      │               │     └──▶ over         │            no answer
//   too many         target lost,              ▼                ▼
//   open calls       no answer             unanswered       unanswered
//      ▼               ▼                   (release)        (release)
//   unanswered      unanswered
//   (shed)          (setup)
//
// From which moment latencies count (callgen/README.md tells why):
//   setup    from its planned arrival to its answer
//   release  from its planned end (setup answered + holding time) to its answer
//   ... from send: the same without what the generator itself was late (its slip)
//
// A run ends when every call is over, when `drain_timeout` has passed since the last planned event
// (or the last sending, if later), or when the target is lost. What was not answered by then is
// unanswered, whatever comes later. A connected call whose release could not be sent counts as a
// release attempted and unanswered: in the end releases.attempted == setups.connected, always.
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
// outcome().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "callgen/call_inspector.hpp"
#include "callgen/holding_time.hpp"
#include "callgen/pacer.hpp"
#include "callgen/record.hpp"
#include "callgen/statistics.hpp"
#include "callgen/workload.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"

namespace xbind::callgen {

struct RunPlan {
  std::uint64_t calls = 2000;
  double calls_per_s = 200;
  Arrivals arrivals = Arrivals::kPoisson;
  Duration hold_mean = std::chrono::milliseconds{100};
  HoldDistribution hold_distribution = HoldDistribution::kConstant;
  ServiceSpec service{.cells_per_s = 100};  // the same for every call
  bool both_ways = false;                   // the same service the other way as well
  std::uint64_t seed = 1;
  Duration drain_timeout = std::chrono::seconds{10};
  std::size_t max_batch = 64;  // requests in one RequestBatch
  std::size_t managers = 1;    // at least 1
  // Calls that are set up, up or being released at a time. A call due beyond this bound on our
  // memory is not sent; it counts as unanswered and as shed, and the report says so.
  std::size_t max_open_calls = 4'000'000;
  // Call k (from 0) uses the requests first + 2k (setup) and first + 2k + 1 (release).
  RequestId first_request{1};
};

// One batch and whose it is.
struct Dispatch {
  std::size_t manager = 0;  // below RunPlan::managers
  RequestBatch batch;
};

// --- what came of it ----------------------------------------------------------------------------

struct SetupCounts {
  std::uint64_t attempted = 0;
  std::uint64_t connected = 0;
  std::uint64_t refused = 0;
  std::uint64_t busy = 0;
  std::uint64_t unanswered = 0;

  // While a run lasts the difference is what is under way.
  bool adds_up() const { return attempted == connected + refused + busy + unanswered; }
  friend bool operator==(const SetupCounts&, const SetupCounts&) = default;
};

struct ReleaseCounts {
  std::uint64_t attempted = 0;
  std::uint64_t released = 0;
  std::uint64_t failed = 0;  // refused or busy
  std::uint64_t unanswered = 0;

  bool adds_up() const { return attempted == released + failed + unanswered; }
  friend bool operator==(const ReleaseCounts&, const ReleaseCounts&) = default;
};

// Answers that ended nothing. Only `repeated` is allowed by the protocol.
struct OddOutcomes {
  std::uint64_t repeated = 0;      // of a request that had been answered
  std::uint64_t contradicted = 0;  // another answer than the first one, as far as we still know it,
                                   // or one that does not fit the request
  std::uint64_t late = 0;          // of a request that had been given up as unanswered
  std::uint64_t unknown = 0;       // of a request that was never sent, or not to that manager

  friend bool operator==(const OddOutcomes&, const OddOutcomes&) = default;
};

// What the managers told of connections that were up: core/call.hpp, Notice.
struct NoticeCounts {
  std::uint64_t broken = 0;
  std::uint64_t rerouted = 0;
  std::uint64_t mended = 0;
  Duration span{};  // from the first to the last

  std::uint64_t all() const { return broken + rerouted + mended; }
  friend bool operator==(const NoticeCounts&, const NoticeCounts&) = default;
};

// How often something was refused, and why. Bounded: the causes are few; of the places, those
// beyond the kMostPlaces-th share one row per cause.
class CauseCounts {
 public:
  static constexpr std::size_t kMostPlaces = 64;
  void count(const Outcome& outcome);
  // "no bandwidth" -> 12
  const std::map<std::string, std::uint64_t>& by_cause() const { return by_cause_; }
  // "no bandwidth at switch-1 port 2" -> 7, "no bandwidth elsewhere" -> 5; adds up to the same.
  const std::map<std::string, std::uint64_t>& by_place() const { return by_place_; }

 private:
  std::map<std::string, std::uint64_t> by_cause_;
  std::map<std::string, std::uint64_t> by_place_;
};

// Everything a run has measured so far. All of it counts from the start of the run.
struct RunFigures {
  std::uint64_t planned_calls = 0;
  SetupCounts setups;
  ReleaseCounts releases;
  OddOutcomes odd;
  NoticeCounts notices;
  std::uint64_t shed = 0;  // of setups.unanswered: never sent, see RunPlan::max_open_calls
  CauseCounts refusals;
  CauseCounts release_failures;
  std::uint64_t calls_up = 0;  // connected, release not yet answered
  std::uint64_t calls_up_peak = 0;
  std::uint64_t batches = 0;  // handed out
  bool target_lost = false;

  Statistics statistics;  // of the records of all requests that are over

  Duration planned_span{};  // from the start to the planned arrival of the last call attempted
  Duration sent_span{};     // ... to the moment the last setup was sent
  Duration duration{};      // ... to the end of the run
  // Of the planned gaps between arrivals; a sample of the seed, not of the system.
  double gap_mean_s = 0;
  double gap_variation = 0;  // standard deviation / mean: about 1 for Poisson, 0 for constant
};

// For one line while the run lasts; everything since its start.
struct Progress {
  Duration elapsed{};
  double offered_per_s = 0;  // setups sent a second
  std::uint64_t connected = 0;
  std::uint64_t refused = 0;
  std::uint64_t busy = 0;
  std::uint64_t unanswered = 0;
  std::uint64_t up = 0;
  Duration setup_p50{};
  Duration setup_p99{};
};

class Runner {
 public:
  // `plan` has been checked (run_options.hpp): calls > 0, a rate that Pacer and a holding time that
  // HoldingTime take, max_batch > 0, managers > 0.
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

  // When advance() has something to do next, perhaps already past; kNever once finished.
  TimePoint next_deadline() const;

  bool finished() const { return finished_; }
  std::uint64_t open_calls() const { return open_; }
  const RunFigures& figures() const { return figures_; }
  Progress progress(TimePoint now) const;

 private:
  enum class State : std::uint8_t {
    kSettingUp,
    kUp,
    kReleasing,
    kSetupGivenUp,
    kReleaseGivenUp,
  };

  struct Call {
    State state = State::kSettingUp;
    bool release_sent = false;
    bool inspected = false;  // by somebody who has not done yet: no end is planned
    TimePoint intended;      // of the setup, then of the release
    TimePoint sent;
    Duration hold{};
    ConnectionId connection;
  };
  using CallIndex = std::uint64_t;
  using Calls = std::unordered_map<CallIndex, Call>;
  struct PlannedEnd {
    TimePoint due;
    CallIndex call;
    friend auto operator<=>(const PlannedEnd&, const PlannedEnd&) = default;
  };

  void plan_next_call();
  bool release_is_next() const;
  std::optional<TimePoint> drain_deadline() const;
  std::size_t manager_of(CallIndex call) const { return call % plan_.managers; }
  // The batch that takes the next request to this manager.
  static RequestBatch& room(std::vector<Dispatch>& batches, std::size_t manager,
                            std::size_t max_batch);
  void send_setup(std::vector<Dispatch>& batches, TimePoint now);
  void send_release(std::vector<Dispatch>& batches, TimePoint now);
  void setup_answered(Calls::iterator call, const Outcome& outcome, TimePoint now);
  void release_answered(Calls::iterator call, const Outcome& outcome, TimePoint now);
  void record(CallIndex index, RequestKind kind, Ended ended, const Call& call, Duration answered,
              const Outcome* outcome);
  void answered_before(const Call& call, bool release, const Outcome& outcome);
  void call_over(Calls::iterator call, bool released, TimePoint now);
  void give_up_open_calls();
  void finish_if_over(TimePoint now);

  RunPlan plan_;
  Workload workload_;
  Pacer pacer_;
  HoldingTime holding_;

  bool started_ = false;
  bool finished_ = false;
  TimePoint started_at_;
  TimePoint first_notice_;
  TimePoint last_event_;  // planned or sent, the later: the drain timeout counts from here

  CallIndex next_call_ = 0;
  TimePoint next_arrival_;  // of next_call_; kNever when there is none
  Duration next_hold_{};
  double gap_sum_s_ = 0;
  double gap_square_sum_ = 0;

  Calls calls_;  // open, or given up (so that a late answer is known as such)
  std::uint64_t open_ = 0;
  std::uint64_t under_inspection_ = 0;
  CallInspector* inspector_;
  RecordSink* sink_;
  std::priority_queue<PlannedEnd, std::vector<PlannedEnd>, std::greater<>> ends_;
  RunFigures figures_;
};

}  // namespace xbind::callgen
