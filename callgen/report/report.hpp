// The figures of a run in three forms: JSON for programs, a summary for people, and one line during
// the run; and the verdict, which determines the exit code.
//
// A report is plain data. report_of() fills in the runner's figures; the caller adds the others
// (marked below) and then requests the forms. The verdict is computed from the report each time and
// never stored, so that no form can disagree with another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "callgen/media/media_check.hpp"
#include "callgen/report/floor_figures.hpp"
#include "callgen/report/report_parts.hpp"
#include "callgen/run/runner.hpp"
#include "core/impairments/fault_plan.hpp"
#include "core/metrics/histogram.hpp"

namespace xbind::callgen {

struct AuditReport {
  bool made = false;   // an audit that could not be made is not clean
  bool clean = false;  // the auditor's verdict
  std::uint64_t stray_cross_connects = 0;
  std::uint64_t leaked_labels = 0;
  std::uint64_t leaked_bandwidth_cells_per_s = 0;
  std::uint64_t owed = 0;             // removals owed until their switch is back
  std::uint64_t unreadable = 0;       // switches that could not be audited: unknown is not clean
  std::uint64_t connections = 0;      // that the manager had meanwhile, of all its clients
  std::vector<std::string> findings;  // one sentence each, for people

  // Whether the audit was made, is called clean, and all counts are zero. Owed removals are not
  // leaks, but not clean either.
  bool proves_clean() const;
};
// The audits of several managers: counts are added; made and clean only if all are. With more than
// one, each finding begins with its manager's name. An entry of a switch that belongs to no manager
// is found, and counted, by each. Without managers: not made.
AuditReport sum_of(const std::map<std::string, AuditReport>& audits);

struct Faults {  // injected deliberately (--loss and similar options)
  std::uint64_t dropped = 0;
  std::uint64_t repeated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t delayed = 0;
};

struct RunReport {
  // --- by report_of() ---
  std::uint64_t planned_calls = 0;
  // As requested: of the plan, or with a rate that changed the mean until the last call was sent.
  double offered_setups_per_s = 0;
  std::optional<double> peak_setups_per_s;  // as requested at most, of a rate that changed
  std::vector<RateChange> rate_changes;     // by the operator, during the run
  double hold_mean_s = 0;
  Arrivals arrivals = Arrivals::kPoisson;
  double arrival_dispersion = 1;   // as requested: dispersion() of pacer.hpp
  std::vector<PartReport> phases;  // of a scenario
  std::vector<PartReport> classes;
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
  // ended early by the operator; counts what was offered by then
  bool interrupted = false;
  LatencySummary setup_latency;
  LatencySummary release_latency;
  LatencySummary refusal_latency;
  LatencySummary setup_latency_from_send;
  LatencySummary release_latency_from_send;
  LatencySummary generator_slip;
  CauseCounts refusals;
  CauseCounts release_failures;
  // summarise() computes the latency summaries above from these.
  std::map<RequestKind, KindStatistics> kinds;
  Histogram slip;  // requests of all kinds
  double warm_up_s = 0;
  std::optional<double> steady_from_s;  // where MSER-5 would cut; nullopt: too short
  std::optional<BatchMeans::Interval> setup_mean_interval;
  std::optional<BatchMeans::Interval> release_mean_interval;
  ArrivalFigures arrivals_planned;
  ArrivalFigures arrivals_sent;
  OccupancyFigures in_setup;
  OccupancyFigures up;
  Series series;

  // --- added by the caller ---
  SessionFigures sessions;
  std::string engine;           // "sequential", "threaded", "xbind"
  std::uint64_t threshold = 0;  // of the first manager, after the run
  std::string aggregation;      // "fixed", "regions", "adaptive"
  std::uint64_t managers = 1;
  std::uint64_t switches = 0;
  std::uint64_t remote_invocations = 0;  // GIOP requests, both legs and both directions
  double label_cache_hit_ratio = 0;
  // Figures of the contract that are not known, or only in part, by the name of their key, with the
  // reason. Their numbers are what was counted, if anything was.
  std::map<std::string, std::string> unknown;
  std::map<std::string, double> rss_mb;  // by process that is there at the end
  Faults faults;                         // sum of all legs
  std::map<std::string, faults::FaultCounters> faults_by_leg;  // "client_to_manager", ...
  AuditReport audit;                                           // sum_of(audits)
  std::map<std::string, AuditReport> audits;                   // by manager
  std::optional<MediaFigures> media;                           // with --verify-media
  std::uint64_t media_cells_not_sent = 0;                      // there was no room on the line
  std::map<std::string, ProcessCost> processes;                // includes this process
  std::uint64_t calls_up_at_full = 0;                          // at ProcessCost::rss_full_mb
  // Growth of the counters, summed over the managers and over the SwitchServers, and the managers'
  // last values.
  Metrics managers_grown;
  Metrics managers_last;
  Metrics switchservers_grown;

  // For merged reports (merge.hpp): the number of generators, and the reasons against single parts.
  std::uint64_t generators = 1;
  std::vector<std::string> parts_failed;
  std::vector<std::string> parts_void;

  std::vector<EventReport> events;  // of a scenario; one that did not exit with 0 is a failure

  // With a floor: its figures, and the run's share of them, by name.
  FloorFigures floor;

  std::vector<Assertion> assertions;  // from run --assert; one that is not kept is a failure
  bool expect_refusals = false;       // from run --expect-refusals: no call needs to connect

  // All that is needed to repeat the run: report_of() enters seed, calls, rate, hold,
  // hold-distribution and arrivals; the caller adds versions, processors and other known facts.
  std::map<std::string, std::string> manifest;
};

RunReport report_of(const RunPlan& plan, const RunFigures& figures);

void summarise(RunReport& report);

// "INTERRUPTED after 3.2 s: 640 of 2000 planned calls were offered"; empty if the run was not
// interrupted. Every form of the report contains it.
std::string interruption_of(const RunReport& report);

// Every offered call, by the result of its first request (a setup or a hold).
OutcomeCounts call_outcomes(const RunReport& report);
// A counter of the managers per offered call; 0 without calls.
double per_call(const RunReport& report, const std::string& manager_counter);
// The stages of a mean setup: first the way to the manager and back with the waiting in both
// programs, then the manager's stages. Empty if the manager did not report them, or reported
// another number of setups.
std::vector<StageMean> setup_stack(const RunReport& report);

// Fills in engine, aggregation, threshold, switches, invocations and hit ratio from the managers'
// counters. `before` and `after` must list the same managers in the same order. The counters of a
// manager that restarted in between began at zero.
void fill_from_managers(const std::vector<Metrics>& before, const std::vector<Metrics>& after,
                        RunReport& report);
// The managers' counters after the run are not known, because of `why`. Takes what `before` tells:
// engine, aggregation, threshold and switches.
void counters_unknown(const std::vector<Metrics>& before, const std::string& why,
                      RunReport& report);
// The counters know a part alone: a manager was lost and has counted from its restart on. Call it
// after fill_from_managers().
void counters_in_part(const std::string& why, RunReport& report);
// "1 234 remote invocations; 98.5 % of labels came from the manager's cache"; "at least ..." or
// "not known ..." with the reason.
std::string counters_words(const RunReport& report, std::string_view space = " ");

// --- the verdict --------------------------------------------------------------------------------

struct Verdict {
  // Every planned call was attempted and answered and every connected one released; the counts add
  // up; no answer was contradicted; the audit is clean; the run is not void; with --verify-media
  // every cell arrived where it should. A refusal is an answer. But a run that connected no call
  // has failed, unless `expect_refusals` declares this as its purpose.
  bool ok = false;
  // The generator did not offer the requested load, so the figures belong to another load: it was
  // late, too slow or too fast, or had to shed calls.
  bool is_void = false;
  bool failed = false;  // there is a reason other than void
  // The operator ended the run; the calls offered by then are judged. Not ok, but not a reason
  // against the run.
  bool interrupted = false;
  std::vector<std::string> reasons;  // one sentence for each reason against the run
  // Refusals, for the reader: a refusal is an answer, so without an objective that bounds them
  // they are no reason against the run. "99 of 100 calls (99.0 %) were refused or busy", first of
  // the run, then of each phase and class with more than kRefusalsNoticed. None: no refusal.
  std::vector<std::string> remarks;
  // More than kRefusalsNoticed of the calls: every form of the verdict begins with it.
  bool many_refused = false;
};

// The share of refused and busy calls above which a verdict mentions them first, and the bound of
// an objective that names none (bench/search/objective.hpp).
inline constexpr double kRefusalsNoticed = 0.01;
// The share of the attempted calls that were refused or busy; nullopt: none was attempted.
std::optional<double> refused_share(const SetupCounts& setups);
// The same, of calls that were not connected for any reason.
std::optional<double> not_connected_share(const SetupCounts& setups);
// "0.50 %", "99.0 %"; "more than 99.9 %" when not quite all; "-" for nullopt.
std::string share_text(std::optional<double> share);

// The limits of `void`.
// limit of its p99: 10 ms or ten mean gaps, whichever is greater
double slip_limit_us(const RunReport& report);
// "no answer ever came back on the callback at ADDRESS from manager NAME; is it reachable ...?"
std::string no_answer_from(const std::string& manager, const std::string& callback);
// The tolerance of the achieved rate, as a fraction of the requested one: 5 %, or five standard
// deviations of a Poisson mean if that is more. Judged from kFewestForRate calls on.
double rate_tolerance(const RunReport& report);
inline constexpr std::uint64_t kFewestForRate = 1000;
// False for an interrupted run whose plan has a changing rate: the requested mean is that of the
// whole run. A rate that the operator changed is known until the last call that was sent.
bool has_asked_rate(const RunReport& report);

Verdict judge(const RunReport& report);

// 0: ok. 1: failed. 4: nothing failed, but the run was interrupted. 3: nothing failed, but the run
// is void. (2 is for refused options.)
inline constexpr int kInterruptedCode = 4;
int exit_code(const Verdict& verdict);

// --- the forms ----------------------------------------------------------------------------------

// The object "xbind.callgen/1", indented, with a final newline. Keys may be added, never renamed.
std::string to_json(const RunReport& report);

// For a terminal, at most 100 columns apart from names; ends with a newline.
std::string to_text(const RunReport& report);

// "12.0 s  2 001 calls/s offered  23 998 connected  0 refused  200 up  7 under way  4 003 answers/s
// p50 0.31 ms  p99 0.90 ms", in one line.
// Counts are since the start of the run; answers and percentiles (of setups) since the previous
// line. Busy, unanswered and under way appear if not zero.
std::string progress_line(const Progress& progress);

}  // namespace xbind::callgen
