// What a run has shown, in three forms: JSON for programs, a summary for people, one line while it
// lasts; and the verdict, which decides the exit code.
//
// A report is plain data. report_of() fills in what the runner knows; the caller adds what only it
// can know (marked below) and then asks for the forms. The verdict is computed from the report each
// time, never stored, so that no form can disagree with another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "callgen/media/media_check.hpp"
#include "callgen/report/floor_figures.hpp"
#include "callgen/report/report_parts.hpp"
#include "callgen/run/runner.hpp"
#include "core/faults/fault_plan.hpp"
#include "core/metrics/histogram.hpp"

namespace xbind::callgen {

struct AuditReport {
  bool made = false;   // an audit that could not be made is no clean audit
  bool clean = false;  // what the auditor said
  std::uint64_t stray_cross_connects = 0;
  std::uint64_t leaked_labels = 0;
  std::uint64_t leaked_bandwidth_cells_per_s = 0;
  std::uint64_t owed = 0;             // hops to be removed when their switch is back
  std::uint64_t unreadable = 0;       // switches that could not be asked: unknown is not clean
  std::vector<std::string> findings;  // a sentence each, for people

  // Made, said to be clean, and all counts zero: what is owed is not leaked, but not clean either.
  bool proves_clean() const;
};
// Of several managers: counts added up, made and clean only when all are. With more than one a finding
// begins with its manager's name. What lies in a switch and belongs to no manager at all is seen, and
// counted, by each. Of none: not made.
AuditReport sum_of(const std::map<std::string, AuditReport>& audits);

struct Faults {  // injected on purpose (--loss and its like), not suffered
  std::uint64_t dropped = 0;
  std::uint64_t repeated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t delayed = 0;
};

struct RunReport {
  // --- by report_of() ---
  std::uint64_t planned_calls = 0;
  double offered_setups_per_s = 0;  // as asked
  double hold_mean_s = 0;
  Arrivals arrivals = Arrivals::kPoisson;
  double arrival_dispersion = 1;     // as asked: dispersion() of pacer.hpp
  double duration_s = 0;             // from the start to the end of the run, drain included
  double setups_per_s = 0;           // connected / duration_s
  double call_operations_per_s = 0;  // (connected + released) / duration_s
  double sent_setups_per_s = 0;      // setups sent / time until the last one was sent
  double gap_mean_s = 0;             // planned, see RunFigures
  double gap_variation = 0;
  SetupCounts setups;
  ReleaseCounts releases;
  OddOutcomes odd;
  NoticeCounts notices;
  std::uint64_t shed = 0;
  std::uint64_t calls_up_peak = 0;
  std::uint64_t batches = 0;
  bool target_lost = false;
  bool interrupted =
      false;  // ended by the operator before its time; it counts what was offered by then
  LatencySummary setup_latency;
  LatencySummary release_latency;
  LatencySummary refusal_latency;
  LatencySummary setup_latency_from_send;
  LatencySummary release_latency_from_send;
  LatencySummary generator_slip;
  CauseCounts refusals;
  CauseCounts release_failures;
  // The latency summaries above are made of these: summarise().
  std::map<RequestKind, KindStatistics> kinds;
  Histogram slip;  // of requests of all kinds
  double warm_up_s = 0;
  std::optional<double> steady_from_s;  // where MSER-5 would cut; nothing: too short to say
  std::optional<BatchMeans::Interval> setup_mean_interval;
  std::optional<BatchMeans::Interval> release_mean_interval;
  ArrivalFigures arrivals_planned;
  ArrivalFigures arrivals_sent;
  OccupancyFigures in_setup;
  OccupancyFigures up;
  Series series;

  // --- by the caller ---
  // Managers that were asked and from which nothing at all came back, each with the callback's
  // address.
  std::map<std::string, std::string> unheard;
  std::string engine;           // "sequential", "threaded", "xbind"
  std::uint64_t threshold = 0;  // of the first manager, after the run
  std::string aggregation;      // "fixed", "regions", "adaptive"
  std::uint64_t managers = 1;
  std::uint64_t switches = 0;
  std::uint64_t remote_invocations = 0;  // GIOP requests, both legs and both directions
  double label_cache_hit_ratio = 0;
  std::map<std::string, double> rss_mb;                        // by process
  Faults faults;                                               // of all legs
  std::map<std::string, faults::FaultCounters> faults_by_leg;  // "client_to_manager", ...
  AuditReport audit;                                           // sum_of(audits)
  std::map<std::string, AuditReport> audits;                   // by manager
  std::optional<MediaFigures> media;                           // with --verify-media
  std::uint64_t media_cells_not_sent = 0;                      // the line had no room for them
  std::map<std::string, ProcessCost> processes;                // this one too
  std::uint64_t calls_up_at_full = 0;                          // at ProcessCost::rss_full_mb
  // What counters grew by, summed over the managers and over the SwitchServers, and what they said last.
  Metrics managers_grown;
  Metrics managers_last;
  Metrics switchservers_grown;

  // Of several generators' reports (merge.hpp): how many, and what spoke against a part alone.
  std::uint64_t generators = 1;
  std::vector<std::string> parts_failed;
  std::vector<std::string> parts_void;

  // With a floor: its figures, and what the run is as a share of them, by name.
  FloorFigures floor;

  std::vector<Assertion> assertions;  // of run --assert; one that is not kept is a failure
  bool expect_refusals = false;       // of run --expect-refusals: no call needs to be connected

  // What is needed to run it again: report_of() enters seed, calls, rate, hold, hold-distribution
  // and arrivals; the caller adds versions, processors and whatever else it knows.
  std::map<std::string, std::string> manifest;
};

RunReport report_of(const RunPlan& plan, const RunFigures& figures);

void summarise(RunReport& report);

// "INTERRUPTED after 3.2 s: 640 of 2000 planned calls were offered"; empty of a run that was not.
// Every form of the report carries it.
std::string interruption_of(const RunReport& report);

// Of the calls: every one offered, by the one thing that became of its first request (a setup or a hold).
OutcomeCounts call_outcomes(const RunReport& report);
// A counter of the managers, per call offered; 0 without calls.
double per_call(const RunReport& report, const std::string& manager_counter);
// Time of a mean setup: on the way to the manager and back (and waiting in both programs), then the
// manager's stages. Empty when the manager did not tell, or told of another number of setups.
std::vector<StageMean> setup_stack(const RunReport& report);

// What the managers' counters tell of a run: engine, aggregation, threshold, switches, invocations, hit
// ratio. Both of the same managers in the same order, before and after; a manager that was started anew
// meanwhile has counted from zero.
void fill_from_managers(const std::vector<Metrics>& before, const std::vector<Metrics>& after,
                        RunReport& report);

// --- the verdict --------------------------------------------------------------------------------

struct Verdict {
  // Every planned call attempted and answered, every connected one released, the books add up, no
  // contradiction, the audit clean, the run not void, and with --verify-media every cell where it had
  // to be. A refusal is an answer; but a run that connected no call at all has failed, unless
  // `expect_refusals` says that this is its purpose.
  bool ok = false;
  // The generator did not offer the load that was asked for, so the figures are about another load:
  // it was late, too slow or too fast, or had to shed calls.
  bool is_void = false;
  bool failed = false;  // something other than void stands in the way
  // The operator has ended the run; judged is what was offered by then. Not ok, and no reason
  // against it.
  bool interrupted = false;
  std::vector<std::string> reasons;  // a sentence for each thing that stands in the way
};

// The limits of `void`.
double slip_limit_us(const RunReport& report);  // of its p99: 10 ms or ten mean gaps, the greater
// "no answer ever came back on the callback at ADDRESS from manager NAME; is it reachable ...?"
std::string no_answer_from(const std::string& manager, const std::string& callback);
// How far the achieved rate may be off, as a fraction of the asked one: 5 %, or five standard
// deviations of a Poisson mean if that is more. Judged from kFewestForRate calls on.
double rate_tolerance(const RunReport& report);
inline constexpr std::uint64_t kFewestForRate = 1000;
// False of an interrupted run whose rate changes over its time: the asked mean is that of the
// whole.
bool has_asked_rate(const RunReport& report);

Verdict judge(const RunReport& report);

// 0: ok. 1: failed. 4: nothing failed, but the run was interrupted. 3: nothing failed, but the run
// is void. (2 is for refused options.)
inline constexpr int kInterruptedCode = 4;
int exit_code(const Verdict& verdict);

// --- the forms ----------------------------------------------------------------------------------

// The object "xbind.callgen/1", indented, with a newline at its end. Keys may be added, never
// renamed.
std::string to_json(const RunReport& report);

// For a terminal, at most 100 columns apart from names; ends with a newline.
std::string to_text(const RunReport& report);

// "12.0 s  2 001 calls/s offered  23 998 connected  0 refused  200 up  7 under way  4 003 answers/s
//  p50 0.31 ms  p99 0.90 ms", in one line. Counts are since the start of the run; answers and percentiles
// (of setups) since the line before. Busy, unanswered and under way appear when there are any.
std::string progress_line(const Progress& progress);

}  // namespace xbind::callgen
