#include "callgen/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Json = nlohmann::ordered_json;

// Ten seconds of a successful run: 2000 calls at 200/s, 1990 connected, 10 refused.
RunReport good_report() {
  RunPlan plan;
  RunFigures figures;
  figures.planned_calls = 2000;
  figures.setups = {.attempted = 2000, .connected = 1990, .refused = 10};
  figures.releases = {.attempted = 1990, .released = 1990};
  Outcome refusal;
  refusal.kind = OutcomeKind::kRefused;
  refusal.cause = Cause::kNoLabel;
  refusal.element = "switch-1 port 2";
  for (int i = 0; i < 10; ++i) figures.refusals.count(refusal);
  // Each was sent 50 us late. Setup i took i us from then on, and its release twice as long. All
  // end within the run's ten seconds.
  for (int i = 1; i <= 1990; ++i) {
    RequestRecord record;
    record.call = static_cast<std::uint64_t>(i);
    record.planned = i * 5ms - 5ms;
    record.sent = record.planned + 50us;
    record.answered = record.sent + i * 1us;
    figures.statistics.take(record);
    record.kind = RequestKind::kRelease;
    record.answered = record.sent + i * 2us;
    figures.statistics.take(record);
  }
  for (int i = 0; i < 10; ++i) {
    RequestRecord record;
    record.ended = Ended::kRefused;
    record.cause = Cause::kNoLabel;
    record.planned = i * 1s;
    record.sent = record.planned + 50us;
    record.answered = record.sent + 20us;
    figures.statistics.take(record);
  }
  figures.calls_up_peak = 31;
  figures.batches = 1500;
  figures.planned_span = 9'990ms;
  figures.sent_span = 10s;
  figures.duration = 10s;
  figures.gap_mean_s = 0.004995;
  figures.gap_variation = 1.01;
  RunReport report = report_of(plan, figures);
  report.engine = "xbind";
  report.threshold = 10;
  report.switches = 3;
  report.remote_invocations = 1234;
  report.label_cache_hit_ratio = 0.985;
  report.rss_mb = {{"xbind-cmgr", 21.5}, {"xbind-switchserver 1", 17.25}};
  report.audit.made = true;
  report.audit.clean = true;
  report.manifest["version"] = "0.1.0";
  return report;
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

// ===== figures ==================================================================================

TEST(Report, SummarisesAHistogramInMicroseconds) {
  Histogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.record(i * 100ns);
  const LatencySummary summary = summary_of(histogram);
  EXPECT_EQ(summary.count, 1000u);
  EXPECT_DOUBLE_EQ(summary.min, 0.1);
  EXPECT_DOUBLE_EQ(summary.mean, 50.05);
  EXPECT_NEAR(summary.p5, 5, 5.0 / 128);
  EXPECT_NEAR(summary.p50, 50, 50.0 / 128);
  EXPECT_NEAR(summary.p95, 95, 95.0 / 128);
  EXPECT_NEAR(summary.p99, 99, 99.0 / 128);
  EXPECT_NEAR(summary.p999, 99.9, 99.9 / 128);
  EXPECT_DOUBLE_EQ(summary.max, 100);
}

TEST(Report, RatesAreCountsOverTheWholeDuration) {
  const RunReport report = good_report();
  EXPECT_DOUBLE_EQ(report.offered_setups_per_s, 200);
  EXPECT_DOUBLE_EQ(report.setups_per_s, 199);
  EXPECT_DOUBLE_EQ(report.call_operations_per_s, 398);
  EXPECT_DOUBLE_EQ(report.sent_setups_per_s, 200);
}

TEST(Report, ARunThatNeverRanHasZerosAndNoQuotientOfZero) {
  const RunReport report = report_of(RunPlan{}, RunFigures{});
  EXPECT_EQ(report.setups_per_s, 0);
  EXPECT_EQ(report.sent_setups_per_s, 0);
  EXPECT_EQ(Json::parse(to_json(report))["setup_latency_us"]["p99"], 0.0);
  EXPECT_FALSE(judge(report).ok);
}

TEST(Report, TheManifestTellsHowToRunItAgain) {
  RunPlan plan;
  plan.seed = 4711;
  plan.hold_distribution = HoldDistribution::kExponential;
  const auto manifest = report_of(plan, RunFigures{}).manifest;
  EXPECT_EQ(manifest.at("seed"), "4711");
  EXPECT_EQ(manifest.at("calls"), "2000");
  EXPECT_EQ(manifest.at("rate"), "200");
  EXPECT_EQ(manifest.at("hold"), "0.1");
  EXPECT_EQ(manifest.at("hold-distribution"), "exponential");
  EXPECT_EQ(manifest.at("arrivals"), "poisson");
}

// ===== JSON =====================================================================================

TEST(ReportJson, HasTheKeysOfTheContractInItsOrder) {
  const Json root = Json::parse(to_json(good_report()));
  const auto names = keys(root);
  ASSERT_GE(names.size(), 18u);
  EXPECT_THAT(
      (std::vector<std::string>{names.begin(), names.begin() + 18}),
      ElementsAre("schema", "engine", "threshold", "adaptive", "switches", "offered_setups_per_s",
                  "duration_s", "setups_per_s", "call_operations_per_s", "setups", "releases",
                  "setup_latency_us", "release_latency_us", "remote_invocations",
                  "label_cache_hit_ratio", "rss_mb", "faults", "audit"));
  EXPECT_THAT(keys(root["setups"]),
              ElementsAre("attempted", "connected", "refused", "busy", "unanswered"));
  EXPECT_THAT(keys(root["releases"]), ElementsAre("attempted", "released", "failed", "unanswered"));
  for (const char* const name : {"setup_latency_us", "release_latency_us"})
    EXPECT_THAT(keys(root[name]),
                ElementsAre("count", "min", "mean", "p5", "p50", "p95", "p99", "p999", "max", "sd",
                            "p90", "p9999", "interval_95", "not_enough_samples_for"));
  EXPECT_THAT(keys(root["faults"]), ElementsAre("dropped", "repeated", "reordered", "delayed"));
  EXPECT_THAT(keys(root["audit"]), ElementsAre("clean", "stray_cross_connects", "leaked_labels",
                                               "leaked_bandwidth_cells_per_s", "owed", "unreadable",
                                               "made", "findings", "connections"));
}

TEST(ReportJson, HasTheAddedKeys) {
  const Json root = Json::parse(to_json(good_report()));
  EXPECT_THAT(keys(root["verdict"]),
              ElementsAre("ok", "void", "interrupted", "reasons", "remarks", "refused_share"));
  EXPECT_EQ(root["verdict"]["remarks"], (Json{"10 of 2 000 calls (0.50 %) were refused or busy"}));
  EXPECT_EQ(root["verdict"]["refused_share"], 0.005);
  EXPECT_EQ(root["refusals"], (Json{{"no label", 10}}));
  EXPECT_EQ(root["refusals_by_place"], (Json{{"no label at switch-1 port 2", 10}}));
  EXPECT_THAT(keys(root["latency_from_send_us"]), ElementsAre("setup", "release"));
  EXPECT_EQ(root["generator_slip_us"]["max"], 50.0);
  EXPECT_EQ(root["refusal_latency_us"]["count"], 10);
  EXPECT_EQ(root["model_checks"]["mean_inter_arrival_us"]["asked"], 5000.0);
  EXPECT_EQ(root["model_checks"]["setups_sent_per_s"]["achieved"], 200.0);
  EXPECT_EQ(root["calls"]["up_peak"], 31);
  EXPECT_EQ(root["managers"], 1);
  EXPECT_EQ(root["manifest"]["seed"], "1");
  EXPECT_EQ(root["manifest"]["version"], "0.1.0");
}

TEST(ReportJson, CarriesTheValuesWithTheirTypes) {
  const Json root = Json::parse(to_json(good_report()));
  EXPECT_EQ(root["schema"], "xbind.callgen/1");
  EXPECT_EQ(root["engine"], "xbind");
  EXPECT_EQ(root["threshold"], 10);
  EXPECT_EQ(root["adaptive"], false);
  EXPECT_EQ(root["switches"], 3);
  EXPECT_TRUE(root["duration_s"].is_number_float());
  EXPECT_EQ(root["setup_latency_us"]["count"], 1990);
  EXPECT_EQ(root["setup_latency_us"]["max"], 2040.0);
  EXPECT_EQ(root["release_latency_us"]["max"], 4030.0);
  EXPECT_EQ(root["remote_invocations"], 1234);
  EXPECT_EQ(root["label_cache_hit_ratio"], 0.985);
  EXPECT_EQ(root["rss_mb"]["xbind-cmgr"], 21.5);
  EXPECT_EQ(root["audit"]["clean"], true);
  EXPECT_EQ(root["verdict"]["ok"], true);
  EXPECT_TRUE(root["verdict"]["reasons"].is_array());
}

TEST(ReportJson, TheCountsAddUp) {
  const Json root = Json::parse(to_json(good_report()));
  const Json& setups = root["setups"];
  EXPECT_EQ(setups["attempted"].get<int>(),
            setups["connected"].get<int>() + setups["refused"].get<int>() +
                setups["busy"].get<int>() + setups["unanswered"].get<int>());
  const Json& releases = root["releases"];
  EXPECT_EQ(releases["attempted"].get<int>(), releases["released"].get<int>() +
                                                  releases["failed"].get<int>() +
                                                  releases["unanswered"].get<int>());
  EXPECT_EQ(root["refusals"]["no label"], setups["refused"]);
}

TEST(ReportJson, EmptyTablesAreObjects) {
  const Json root = Json::parse(to_json(report_of(RunPlan{}, RunFigures{})));
  EXPECT_TRUE(root["rss_mb"].is_object());
  EXPECT_TRUE(root["refusals"].is_object());
  EXPECT_TRUE(root["audit"]["findings"].is_array());
}

TEST(ReportJson, OctetsThatAreNotUtf8DoNotCostTheReport) {
  RunReport report = good_report();
  report.audit.findings = {"switch-\xff port 1"};
  EXPECT_TRUE(Json::accept(to_json(report)));
}

// ===== verdict and exit code ====================================================================

struct Judged {
  std::string name;
  void (*spoil)(RunReport&);
  std::string reason;
  int exit_code;
};
void PrintTo(const Judged& judged, std::ostream* out) { *out << judged.name; }

class Verdicts : public testing::TestWithParam<Judged> {};

TEST_P(Verdicts, NameTheOneThingThatStandsInTheWay) {
  RunReport report = good_report();
  GetParam().spoil(report);
  const Verdict verdict = judge(report);
  EXPECT_FALSE(verdict.ok);
  EXPECT_THAT(verdict.reasons, ElementsAre(HasSubstr(GetParam().reason)));
  EXPECT_EQ(verdict.is_void, GetParam().exit_code == 3);
  EXPECT_EQ(exit_code(verdict), GetParam().exit_code);
  EXPECT_THAT(to_text(report), HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Reasons, Verdicts,
    testing::Values(
        Judged{"unanswered_setup",
               [](RunReport& r) {
                 --r.setups.refused;
                 ++r.setups.unanswered;
               },
               "1 of 2000 setups were not answered", 1},
        Judged{"unanswered_release",
               [](RunReport& r) {
                 --r.releases.released;
                 ++r.releases.unanswered;
               },
               "1 of 1990 releases were not answered", 1},
        Judged{"failed_release",
               [](RunReport& r) {
                 --r.releases.released;
                 ++r.releases.failed;
               },
               "1 of 1990 releases failed", 1},
        Judged{"setups_do_not_add_up", [](RunReport& r) { ++r.setups.busy; },
               "the setups do not add up: 2000 attempted, but 1990 connected + 10 refused + 1 busy",
               1},
        Judged{"releases_do_not_add_up", [](RunReport& r) { --r.releases.released; },
               "the releases do not add up: 1990 attempted, but 1989 released", 1},
        Judged{"connected_but_never_released",
               [](RunReport& r) {
                 --r.releases.attempted;
                 --r.releases.released;
               },
               "1990 calls were connected, but 1989 releases attempted", 1},
        Judged{"calls_never_offered", [](RunReport& r) { r.planned_calls = 3000; },
               "2000 of 3000 planned calls", 1},
        Judged{"manager_lost",
               [](RunReport& r) {
                 r.planned_calls = 3000;
                 r.target_lost = true;
               },
               "the manager was lost after 2000 of 3000 calls", 1},
        Judged{"contradiction", [](RunReport& r) { r.odd.contradicted = 1; },
               "1 answers contradicted", 1},
        Judged{"no_audit", [](RunReport& r) { r.audit = {}; }, "no audit was made", 1},
        Judged{"stray", [](RunReport& r) { r.audit.stray_cross_connects = 4; },
               "the audit is not clean: 4 cross-connects stray, missing or changed", 1},
        Judged{"labels", [](RunReport& r) { r.audit.leaked_labels = 5; }, "5 leaked labels", 1},
        Judged{"bandwidth", [](RunReport& r) { r.audit.leaked_bandwidth_cells_per_s = 600; },
               "600 cells/s of leaked bandwidth", 1},
        Judged{"owed", [](RunReport& r) { r.audit.owed = 2; }, "2 hops still owed", 1},
        Judged{"unreadable", [](RunReport& r) { r.audit.unreadable = 1; },
               "1 switches that could not be asked", 1},
        Judged{"said_to_be_unclean", [](RunReport& r) { r.audit.clean = false; },
               "the audit is not clean: see its findings", 1},
        Judged{"late_generator", [](RunReport& r) { r.generator_slip.p99 = 50'001; },
               "the generator was late: p99 50.0 ms after the planned moment, limit 50.0 ms", 3},
        Judged{"too_slow", [](RunReport& r) { r.sent_setups_per_s = 170; },
               "170.0 calls/s were sent instead of 200.0: -15.0 %, tolerance 11.2 %", 3},
        Judged{"too_fast", [](RunReport& r) { r.sent_setups_per_s = 230; },
               "230.0 calls/s were sent instead of 200.0: +15.0 %", 3},
        Judged{"shed", [](RunReport& r) { r.shed = 7; }, "7 calls were not sent", 3}),
    [](const auto& tested) { return tested.param.name; });

TEST(Verdict, AGoodRunIsOkAndARefusalIsAnAnswer) {
  const Verdict verdict = judge(good_report());
  EXPECT_TRUE(verdict.ok);
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_EQ(exit_code(verdict), 0);
}

TEST(Verdict, BusyIsAnAnswerToASetup) {
  RunReport report = good_report();
  report.setups.refused = 0;
  report.setups.busy = 10;
  EXPECT_EQ(exit_code(judge(report)), 0);
}

TEST(Verdict, RepeatedLateAndUnknownAnswersAloneDoNoHarm) {
  RunReport report = good_report();
  report.odd = {.repeated = 3, .late = 2, .unknown = 1};
  EXPECT_TRUE(judge(report).ok);
}

TEST(Verdict, AFailureIsAFailureEvenOfAVoidRun) {
  RunReport report = good_report();
  report.audit.leaked_labels = 1;
  report.generator_slip.p99 = 1e6;
  const Verdict verdict = judge(report);
  EXPECT_TRUE(verdict.is_void);
  EXPECT_EQ(verdict.reasons.size(), 2u);
  EXPECT_EQ(exit_code(verdict), 1);
}

TEST(Verdict, TheSlipLimitIsTenMillisecondsOrTenGaps) {
  RunReport report = good_report();
  EXPECT_DOUBLE_EQ(slip_limit_us(report), 50'000);
  report.offered_setups_per_s = 5000;
  EXPECT_DOUBLE_EQ(slip_limit_us(report), 10'000);
  report.sent_setups_per_s = 5000;
  report.generator_slip.p99 = 10'000;
  EXPECT_FALSE(judge(report).is_void);
  report.generator_slip.p99 = 10'001;
  EXPECT_TRUE(judge(report).is_void);
}

TEST(Verdict, TheRateToleranceIsFivePercentOrFiveSigma) {
  RunReport report = good_report();
  report.setups.attempted = 1'000'000;
  EXPECT_DOUBLE_EQ(rate_tolerance(report), 0.05);
  report.setups.attempted = 2500;
  EXPECT_DOUBLE_EQ(rate_tolerance(report), 0.1);
  report.arrivals = Arrivals::kConstant;
  EXPECT_DOUBLE_EQ(rate_tolerance(report), 0.05);
}

TEST(Verdict, TheRateOfAFewCallsIsNotJudged) {
  RunReport report = good_report();
  report.planned_calls = 999;
  report.setups = {.attempted = 999, .connected = 999};
  report.releases = {.attempted = 999, .released = 999};
  report.sent_setups_per_s = 50;
  EXPECT_TRUE(judge(report).ok);
  report.planned_calls = report.setups.attempted = report.setups.connected = 1000;
  report.releases.attempted = report.releases.released = 1000;
  EXPECT_TRUE(judge(report).is_void);
}

// ===== text and progress lines =====

TEST(ReportText, ReadsLikeThis) {
  EXPECT_EQ(to_text(good_report()), R"(Offered
  2 000 calls, 200 a second (Poisson arrivals, seed 1), each to be held 0.10 s
  through 3 switches, engine xbind, aggregation threshold 10
Came back
  setups    2 000 attempted = 1 990 connected + 10 refused + 0 busy + 0 unanswered
              refused 10 times: no label at switch-1 port 2
  releases  1 990 attempted = 1 990 released + 0 failed + 0 unanswered
  in 10.0 s: 199 calls connected and 398 operations (setups and releases) a second
  at most 31 calls up at a time
Latency in ms, from the moment it was meant to happen to its answer
                        mean       p50       p95       p99     p99.9       max
  setup                 1.05      1.05      1.94      2.02     2.04*      2.04
  release               2.04      2.05      3.83      4.00     4.03*      4.03
  refusal or busy      0.070    0.070*    0.070*    0.070*    0.070*     0.070
  generator late       0.050     0.050     0.050     0.050    0.050*     0.050
  * fewer than ten requests lie beyond it
  mean of setups 1.04 ms, give or take 0.27 ms (95 %, 20 batches of 0.50 s)
  not steady before 4.96 s (MSER-5): --warm-up 4.960 leaves that out
System
  1 234 remote invocations; 98.5 % of labels came from the manager's cache
  memory     21.5 MB  xbind-cmgr
  memory     17.2 MB  xbind-switchserver 1
Checks of the load: 4 of 4 as it should be, 4 not judged
Audit
  clean: no cross-connect, label or bandwidth is held by anyone but the caches
Verdict: OK. Every call was answered, every connected one released, nothing leaked.
  10 of 2 000 calls (0.50 %) were refused or busy.
)");
}

TEST(ReportText, SaysWhenNothingWasConnected) {
  RunReport report = good_report();
  report.setups = {.attempted = 2000, .refused = 2000};
  report.releases = {};
  report.setup_latency = {};
  EXPECT_TRUE(judge(report).failed);
  EXPECT_EQ(exit_code(judge(report)), 1);
  EXPECT_THAT(to_text(report),
              HasSubstr("none of 2000 calls was connected, 10 of them refused: no label at "
                        "switch-1 port 2; --expect-refusals accepts such a run"));
  EXPECT_THAT(to_text(report), HasSubstr("setup                    -"));
}

TEST(ReportText, ARunOfRefusalsIsOkWhenItIsExpected) {
  RunReport report = good_report();
  report.setups = {.attempted = 2000, .refused = 2000};
  report.releases = {};
  report.expect_refusals = true;
  EXPECT_TRUE(judge(report).ok);
  EXPECT_THAT(to_text(report), HasSubstr("Verdict: OK. No call was connected"));
}

TEST(ReportText, ShowsFindingsFaultsFailuresAndOddAnswersWhenThereAreAny) {
  RunReport report = good_report();
  EXPECT_THAT(to_text(report), AllOf(Not(HasSubstr("faults")), Not(HasSubstr("odd answers")),
                                     Not(HasSubstr("notices")), Not(HasSubstr("sessions"))));
  report.notices = {.broken = 1, .rerouted = 1'200, .mended = 0, .incomplete = 3, .span = 150ms};
  report.faults = {.dropped = 1500, .repeated = 2, .reordered = 3, .delayed = 4};
  report.odd.repeated = 4;
  report.sessions.reattached = {.sessions_lost = 2, .sessions_opened = 1, .requests_repeated = 30};
  report.audit.leaked_labels = 1;
  report.audit.findings = {"label 0/42 of switch-2 port 1 is in no book"};
  Outcome busy;
  busy.kind = OutcomeKind::kBusy;
  report.release_failures.count(busy);
  EXPECT_THAT(
      to_text(report),
      AllOf(HasSubstr("1 500 messages dropped, 2 repeated, 3 reordered, 4 delayed"),
            HasSubstr("notices: 1 200 calls rerouted, 1 broken, 0 unknown, 3 incomplete, 0 mended, "
                      "within 0.15 s"),
            HasSubstr(
                "sessions: 2 lost, 1 opened again; 30 requests without an answer were repeated"),
            HasSubstr("odd answers: 4 repeated"), HasSubstr("failed 1 times: busy"),
            HasSubstr("label 0/42 of switch-2 port 1 is in no book"),
            HasSubstr("Verdict: FAILED, because\n  - the audit is not clean")));
}

TEST(ReportText, AManagerThatWasNeverHeardFromIsNamedWithTheCallback) {
  RunReport report = good_report();
  report.setups = {.attempted = 2000, .unanswered = 2000};
  report.releases = {};
  report.sessions.unheard["default"] = "127.0.0.1:41234";
  EXPECT_THAT(judge(report).reasons.front(),
              AllOf(HasSubstr("no answer ever came back on the callback at 127.0.0.1:41234"),
                    HasSubstr("manager default"), HasSubstr("--listen-address")));
}

TEST(ReportText, NullServantsTellHowTheyGather) {
  RunReport report = good_report();
  report.engine = "null";
  report.aggregation = "adaptive";
  EXPECT_THAT(to_text(report),
              HasSubstr("through 3 switches, engine null, aggregation adaptive\n"));
  report.aggregation = "fixed";
  EXPECT_THAT(to_text(report), HasSubstr("engine null, aggregation threshold 10\n"));
}

TEST(ReportText, AVoidRunSaysThatItsFiguresAreAboutAnotherLoad) {
  RunReport report = good_report();
  report.generator_slip.p99 = 1e6;
  EXPECT_THAT(to_text(report), HasSubstr("Verdict: VOID. The figures belong to another load"));
}

TEST(ProgressLine, ReadsLikeThis) {
  Progress progress{.elapsed = 12s,
                    .offered_per_s = 2000.7,
                    .connected = 23'998,
                    .up = 200,
                    .in_flight = 7,
                    .since = 500ms,
                    .answered = 2002,
                    .recent_p50 = 310us,
                    .recent_p99 = 900us};
  EXPECT_EQ(
      progress_line(progress),
      "12.0 s  2 001 calls/s offered  23 998 connected  0 refused  200 up  7 under way  4 004 "
      "answers/s  p50 0.31 ms  p99 0.90 ms");
  progress.busy = 3;
  progress.unanswered = 1'234'567;
  EXPECT_THAT(progress_line(progress),
              HasSubstr("0 refused  3 busy  1 234 567 unanswered  200 up"));
  progress.recent_p50 = progress.recent_p99 = 0us;  // no call was connected since the line before
  EXPECT_THAT(progress_line(progress), Not(HasSubstr("p50")));
}

}  // namespace
}  // namespace xbind::callgen
