// Writing and parsing a report, merging two reports, their files and the page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/forms/hgrm.hpp"
#include "bench/forms/output_options.hpp"
#include "bench/forms/records_file.hpp"
#include "bench/forms/report_page.hpp"
#include "bench/search/merge.hpp"
#include "callgen/report/json_file.hpp"
#include "callgen/report/manifest.hpp"
#include "callgen/report/model_checks.hpp"
#include "callgen/report/report_from_json.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Json = nlohmann::json;

AuditReport clean() {
  AuditReport audit;
  audit.made = audit.clean = true;
  return audit;
}

// `calls` calls with constant gaps; setup and release take `latency` each,
// and the holding time is 0 s.
RunReport run_of(int calls, Duration gap, Duration latency) {
  RunPlan plan;
  plan.calls = static_cast<std::uint64_t>(calls);
  plan.arrivals = Arrivals::kConstant;
  plan.calls_per_s = 1 / std::chrono::duration<double>(gap).count();
  plan.hold_mean = 0s;
  RunFigures figures;
  figures.statistics.expect(plan.calls_per_s, Duration{});
  for (int i = 1; i <= calls; ++i) {
    RequestRecord record;
    record.call = static_cast<std::uint64_t>(i);
    record.planned = record.sent = i * gap;
    record.answered = record.planned + latency;
    figures.statistics.offered(record.planned, record.sent, {record.planned, record.sent});
    figures.statistics.take(record);
    record.kind = RequestKind::kRelease;
    record.planned = record.sent = record.answered;
    record.answered += latency;
    figures.statistics.take(record);
  }
  const auto count = static_cast<std::uint64_t>(calls);
  figures.planned_calls = count;
  figures.setups = {.attempted = count, .connected = count};
  figures.releases = {.attempted = count, .released = count};
  figures.planned_span = figures.sent_span = calls * gap;
  figures.duration = calls * gap + 2 * latency;
  figures.gap_mean_s = std::chrono::duration<double>(gap).count();
  RunReport report = report_of(plan, figures);
  report.audits = {{"default", clean()}};
  report.audit = sum_of(report.audits);
  report.engine = "xbind";
  report.aggregation = "fixed";
  report.processes["xbind-callgen"] = {
      .cpu_s = 0.5, .voluntary_switches = 7, .involuntary_switches = 0};
  report.processes["xbind-cmgr"] = {.rss_before_mb = 20.5};  // has ended
  report.unknown["remote_invocations"] = "the manager was lost";
  report.managers_grown = {{"crankbacks", 3},
                           {"setup_stage_route_ns", 1'000 * count},
                           {"setup_stage_route_count", count},
                           {"setup_stage_total_ns", 400'000 * count},
                           {"setup_stage_total_count", count}};
  report.manifest["note"] = "\"quoted\"";
  return report;
}

// ===== JSON and back ============================================================================

TEST(ReportFromJson, IsTheReportThatWasWritten) {
  RunReport report = run_of(1500, 1ms, 500us);
  Outcome refusal;
  refusal.kind = OutcomeKind::kRefused;
  refusal.cause = Cause::kNoLabel;
  refusal.element = "switch-1 port 2";
  report.refusals.count(refusal);
  report.media.emplace().calls_checked = 4;
  report.media_cells_not_sent = 2;
  report.notices.span = 150ms;
  report.parts_void = {"generator 1: late"};
  const std::string text = to_json(report);
  const auto read = report_from_json(text);
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(to_json(*read), text);
  EXPECT_EQ(to_text(*read), to_text(report));
}

TEST(ReportFromJson, OfARunThatNeverRan) {
  const std::string text = to_json(report_of(RunPlan{}, RunFigures{}));
  const auto read = report_from_json(text);
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(to_json(*read), text);
}

TEST(ReportFromJson, RefusesWhatIsNoReport) {
  const Json good = Json::parse(to_json(run_of(20, 1ms, 500us)));
  for (const char* const text : {"", "{", "[]", "7", "{}", R"({"schema": "other/1"})"})
    EXPECT_FALSE(report_from_json(text)) << text;
  const auto spoilt = [&good](const char* pointer, Json value) {
    Json wrong = good;
    wrong[Json::json_pointer(pointer)] = std::move(value);
    return report_from_json(wrong.dump());
  };
  EXPECT_TRUE(spoilt("/switches", 4));
  EXPECT_FALSE(spoilt("/switches", -1));
  EXPECT_FALSE(spoilt("/switches", "3"));
  EXPECT_FALSE(spoilt("/setups", 3));
  EXPECT_FALSE(spoilt("/target_lost", 1));
  EXPECT_FALSE(spoilt("/kinds/dance", Json::object()));
  EXPECT_FALSE(spoilt("/series/interval_s", 3.0));
  EXPECT_FALSE(spoilt("/histograms_ns/setup/latency/max", 0));
  EXPECT_FALSE(spoilt("/histograms_ns/setup/latency/buckets", Json::array({Json::array({1})})));
  EXPECT_FALSE(spoilt("/histograms_ns/setup/latency/buckets/0/0", 300'001));
}

TEST(ReportJson, CarriesWhatWasComputed) {
  const Json root = Json::parse(to_json(run_of(1500, 1ms, 500us)));
  EXPECT_EQ(root["outcomes"]["success"], 1500);
  EXPECT_EQ(root["kinds"]["setup"]["requests"], 1500);
  EXPECT_EQ(root["setup_latency_us"]["sd"], 0.0);
  EXPECT_TRUE(root["setup_latency_us"]["p9999"].is_null());
  EXPECT_EQ(root["setup_latency_us"]["not_enough_samples_for"], (Json{"p999", "p9999"}));
  EXPECT_EQ(root["setup_latency_us"]["interval_95"]["p50"], (Json{500.0, 500.0}));
  EXPECT_EQ(root["mean_interval_95"]["setup"]["mean_us"], 500.0);
  EXPECT_EQ(root["cost"]["operations"], 3000);
  EXPECT_DOUBLE_EQ(root["cost"]["crankbacks_per_call"], 3.0 / 1500);
  EXPECT_NEAR(root["cost"]["processes"]["xbind-callgen"]["cpu_us_per_operation"], 5e5 / 3000, 1e-9);
  EXPECT_EQ(root["occupancy"]["in_setup"]["arrivals"], 1500);
  EXPECT_NEAR(root["occupancy"]["in_setup"]["area_s"], 0.75, 1e-9);
  EXPECT_NEAR(root["occupancy"]["up"]["stays_s"], 0.75, 1e-9);
  EXPECT_EQ(root["stages"]["setup_stack"][0],
            (Json{{"stage", "to the manager and back"}, {"mean_us", 100.0}}));
  EXPECT_EQ(root["stages"]["setup_stack"][1], (Json{{"stage", "route"}, {"mean_us", 1.0}}));
}

// ===== checks ===================================================================================

const ModelCheck& check_called(const std::vector<ModelCheck>& checks, std::string_view word) {
  for (const ModelCheck& check : checks) {
    if (check.name.find(word) != std::string::npos) return check;
  }
  throw std::out_of_range(std::string(word));
}

TEST(ModelChecks, OfAGoodRunAllPass) {
  const RunReport report = run_of(1500, 1ms, 500us);
  EXPECT_TRUE(judge(report).ok) << to_text(report);
  EXPECT_TRUE(check_called(all_checks(report), "calls in setup: mean number").judged);
  EXPECT_FALSE(check_called(all_checks(report), "PASTA").judged);  // not Poisson
}

TEST(ModelChecks, APoissonRunWhoseGapsAreAllTheSameIsVoid) {
  RunReport report = run_of(1500, 1ms, 500us);
  report.arrivals = Arrivals::kPoisson;
  const Verdict verdict = judge(report);
  EXPECT_TRUE(verdict.is_void);
  EXPECT_EQ(exit_code(verdict), 3);
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("planned gaps exponential")));
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("sent gaps exponential")));
}

TEST(ModelChecks, BooksThatDoNotBalanceMakeARunVoid) {
  RunReport report = run_of(1500, 1ms, 500us);
  report.in_setup.stays_s *= 1.02;
  EXPECT_THAT(judge(report).reasons, ElementsAre(HasSubstr("calls in setup: mean number")));
  report = run_of(1500, 1ms, 500us);
  report.up.seen.area_s *= 1.02;
  EXPECT_THAT(judge(report).reasons, ElementsAre(HasSubstr("calls up: mean number")));
  report.up.seen.shifted_s = 0.03 * report.up.seen.area_s;  // the sorting may be the cause
  EXPECT_THAT(judge(report).reasons, IsEmpty());
  report.up.seen.shifted_s = 0;
  report.up.seen.departures -= 1;  // one call has no departure: that is reported elsewhere
  EXPECT_THAT(judge(report).reasons, IsEmpty());
}

TEST(ModelChecks, ArrivalsThatSeeAnotherSystemThanTimeDoesMakeARunVoid) {
  RunReport report = run_of(1500, 1ms, 500us);
  report.arrivals = Arrivals::kPoisson;
  report.arrivals_planned.distance = report.arrivals_sent.distance = 0.01;
  report.in_setup.seen.batches = 20;
  report.in_setup.seen.mean_at_arrivals = report.in_setup.seen.mean_over_time = 2;
  report.in_setup.seen.difference_error = 0.1;
  EXPECT_TRUE(judge(report).ok);
  report.in_setup.seen.mean_at_arrivals = 2.57;  // the tolerance, 4.5 errors + 5 % + 0.01, is 0.56
  EXPECT_THAT(judge(report).reasons, ElementsAre(HasSubstr("PASTA")));
}

TEST(ModelChecks, GapsFinerThanTheLagAreNotJudged) {
  RunReport report = run_of(1500, 1ms, 500us);
  report.arrivals = Arrivals::kPoisson;
  report.generator_slip.p99 = 250;
  EXPECT_FALSE(check_called(model_checks(report), "sent gaps").judged);
}

TEST(ModelChecks, OfFewCallsAreNotJudged) {
  RunReport report = run_of(999, 1ms, 500us);
  report.arrivals = Arrivals::kPoisson;
  for (const ModelCheck& check : model_checks(report)) EXPECT_FALSE(check.judged) << check.name;
}

// ===== merged ===================================================================================

TEST(Merge, AddsUpWhatTwoGeneratorsDid) {
  const RunReport one = run_of(1500, 1ms, 500us);
  const RunReport other = run_of(1200, 1ms, 900us);
  const RunReport sum = merge({one, other});
  EXPECT_EQ(sum.generators, 2u);
  EXPECT_EQ(sum.planned_calls, 2700u);
  EXPECT_EQ(sum.setups.connected, 2700u);
  EXPECT_DOUBLE_EQ(sum.offered_setups_per_s, 2000);
  EXPECT_EQ(sum.setup_latency.count, 2700u);
  EXPECT_NEAR(sum.setup_latency.mean, (1500 * 500.0 + 1200 * 900) / 2700, 1e-9);
  EXPECT_DOUBLE_EQ(sum.setup_latency.max, 900);
  EXPECT_EQ(sum.series.rows()[0].planned, 999u + 999u);
  EXPECT_EQ(sum.processes.size(), 3u);                 // two generators, the manager
  EXPECT_EQ(sum.managers_grown.at("crankbacks"), 3u);  // the same manager, seen twice
  EXPECT_TRUE(judge(sum).ok) << to_text(sum);
}

TEST(Merge, WhatSpeaksAgainstAPartSpeaksAgainstTheWhole) {
  RunReport late = run_of(1500, 1ms, 500us);
  late.generator_slip.p99 = 1e6;
  Verdict verdict = judge(merge({run_of(1500, 1ms, 500us), late}));
  EXPECT_TRUE(verdict.is_void);
  EXPECT_FALSE(verdict.failed);
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("generator 2: the generator was late")));
  RunReport lost = run_of(1500, 1ms, 500us);
  lost.target_lost = true;
  verdict = judge(merge({lost, run_of(1500, 1ms, 500us)}));
  EXPECT_TRUE(verdict.failed);
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("generator 1: the manager was lost")));
}

TEST(Merge, OfOneIsThatOne) {
  const RunReport one = run_of(20, 1ms, 500us);
  EXPECT_EQ(to_json(merge({one})), to_json(one));
}

// ===== files ====================================================================================

TEST(Hgrm, EndsWithAllOfThem) {
  Histogram histogram;
  for (int i = 1; i <= 4; ++i) histogram.record(i * 1ms);
  const std::string text = to_hgrm(histogram);
  EXPECT_THAT(text, HasSubstr("0.250000000000          1           1.33\n"));
  EXPECT_THAT(text, HasSubstr("4.000000 1.000000000000          4\n"));
  EXPECT_THAT(text, HasSubstr("#[Mean    =     2.500000, StdDeviation   =     1.290994]"));
  EXPECT_THAT(to_hgrm(Histogram{}), HasSubstr("Total count    =            0]"));
}

class Files : public testing::Test {
 protected:
  Files() {
    std::string name = (std::filesystem::temp_directory_path() / "callgen-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Files() override { std::filesystem::remove_all(folder_); }
  std::string in(const std::string& name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::filesystem::path folder_;
};

TEST_F(Files, HoldEveryRequest) {
  auto file = RecordsFile::open(in("records.csv"));
  ASSERT_TRUE(file);
  RequestRecord record;
  record.call = 12;
  record.planned = 1us;
  record.sent = 2us;
  record.answered = 3us;
  (*file)->take(record);
  record.ended = Ended::kRefused;
  record.cause = Cause::kNoLabel;
  record.element = "switch \"1\"\nport 2";
  (*file)->take(record);
  record.ended = Ended::kShed;
  record.sent = record.answered = RequestRecord::kNever;
  record.element = {};
  (*file)->take(record);
  ASSERT_TRUE((*file)->finish());
  EXPECT_EQ(content(in("records.csv")),
            "call,kind,ended,cause,manager,planned_ns,sent_ns,answered_ns,element\n"
            "12,setup,done,,0,1000,2000,3000,\n"
            "12,setup,refused,no label,0,1000,2000,3000,\"switch \"\"1\"\" port 2\"\n"
            "12,setup,shed,,0,1000,,,\n");
}

TEST_F(Files, ThatCannotBeWrittenSaySo) {
  EXPECT_FALSE(RecordsFile::open(in("no/such/folder")));
  auto full = RecordsFile::open("/dev/full");
  ASSERT_TRUE(full);
  (*full)->take({});
  const auto written = (*full)->finish();
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text, HasSubstr("/dev/full"));
}

TEST_F(Files, OfARunStandInItsFolder) {
  const RunReport report = run_of(2000, 1ms, 500us);
  const auto written =
      write_outputs({.csv = in("more.csv"), .records = {}, .out = folder_}, report);
  ASSERT_TRUE(written) << written.error().text;
  EXPECT_EQ(content(in("run.json")), to_json(report));
  EXPECT_EQ(content(in("series.csv")), to_csv(report.series));
  EXPECT_EQ(content(in("more.csv")), to_csv(report.series));
  EXPECT_EQ(content(in("summary.txt")), to_text(report));
  EXPECT_THAT(content(in("latency.hgrm")), HasSubstr("Total count    =         2000"));
  const std::string page = content(in("index.html"));
  for (const char* const part : {"<svg", "OK: every call was answered", "to the manager and back",
                                 "Checks of the load", "&quot;quoted&quot;"})
    EXPECT_THAT(page, HasSubstr(part));
  for (const char* const outside : {"src=\"http", "href=\"http", "@import", "<script src"})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
}

TEST(ReportPage, BeginsWithManyRefusalsAndShowsNothingUnknownAsZero) {
  RunReport report = run_of(100, 1ms, 500us);
  report.setups.connected = report.releases.attempted = report.releases.released = 1;
  report.setups.refused = 99;
  const auto page = report_page(report, "a crowd");
  ASSERT_TRUE(page) << page.error().text;
  EXPECT_THAT(*page, HasSubstr("OK, but 99 of 100 calls (99.0 %) were refused or busy"));
  EXPECT_THAT(*page, Not(HasSubstr("OK: every call was answered")));
  EXPECT_THAT(*page, HasSubstr("remote invocations and labels from the cache: not known, the "
                               "manager was lost"));
  EXPECT_THAT(*page, HasSubstr("xbind-cmgr</td><td data-head=\"CPU s\" class=\"number\">-</td>"));
}

// ===== manifest =================================================================================

TEST_F(Files, OfTheMachineMakeTheManifest) {
  const auto put = [this](const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder_ / path).parent_path());
    ASSERT_TRUE(write_file(in(path), text));
  };
  EXPECT_EQ(machine_of(folder_).at("cpu model"), "unknown");
  EXPECT_EQ(load_average(folder_), "unknown");
  put("proc/cpuinfo",
      "processor\t: 0\nmodel name\t: A Fast One\nflags\t\t: fpu hypervisor sse\nprocessor\t: 1\n");
  put("proc/loadavg", "0.50 0.25 0.10 1/200 4000\n");
  put("proc/stat", "cpu  10 0 10 70 10 0 0 5 3 0\ncpu0 1 1\n");
  put("proc/7/status", "Name:\tx\nCpus_allowed_list:\t0-1\n");
  const auto machine = machine_of(folder_);
  EXPECT_EQ(machine.at("cpu model"), "A Fast One");
  EXPECT_EQ(machine.at("cpus"), "2");
  EXPECT_EQ(machine.at("virtualisation"), "a hypervisor");
  EXPECT_EQ(machine.at("governor"), "unknown");
  EXPECT_EQ(load_average(folder_), "0.50 0.25 0.10");
  EXPECT_EQ(allowed_cpus(7, folder_), "0-1");
  const MachineTime time = machine_time(folder_);
  EXPECT_EQ(time.all, 105u);
  EXPECT_EQ(time.idle, 80u);
  EXPECT_EQ(time.stolen, 5u);
  EXPECT_EQ(busy_share({}, time), "23.8 %");
  EXPECT_EQ(stolen_share({}, time), "4.8 %");
  EXPECT_EQ(stolen_share(time, time), "unknown");
}

}  // namespace
}  // namespace xbind::callgen
