// The effect of the counters and audits of one or several managers on a report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "callgen/report/report.hpp"

namespace xbind::callgen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Json = nlohmann::ordered_json;

Metrics counters(std::uint64_t requests, std::uint64_t hits, std::uint64_t misses) {
  return {{"giop_requests", requests},
          {"label_cache_hits", hits},
          {"label_cache_misses", misses},
          {"switches", 3},
          {"threshold", 10}};
}

AuditReport clean_audit() {
  AuditReport audit;
  audit.made = audit.clean = true;
  return audit;
}

RunReport report_after(const Metrics& status) {
  RunReport report;
  fill_from_managers({status}, {status}, report);
  return report;
}

// ===== counters =================================================================================

TEST(ManagerCounters, AreThoseOfTheRunAlone) {
  RunReport report;
  fill_from_managers({counters(100, 40, 10)}, {counters(350, 115, 35)}, report);
  EXPECT_EQ(report.managers, 1u);
  EXPECT_EQ(report.switches, 3u);
  EXPECT_EQ(report.threshold, 10u);
  EXPECT_EQ(report.remote_invocations, 250u);
  EXPECT_DOUBLE_EQ(report.label_cache_hit_ratio, 0.75);
}

TEST(ManagerCounters, OfSeveralAddUp) {
  RunReport report;
  fill_from_managers({counters(100, 0, 0), counters(1000, 10, 10)},
                     {counters(200, 90, 10), counters(1030, 10, 110)}, report);
  EXPECT_EQ(report.managers, 2u);
  EXPECT_EQ(report.switches, 3u);  // the same switches
  EXPECT_EQ(report.remote_invocations, 130u);
  EXPECT_DOUBLE_EQ(report.label_cache_hit_ratio, 90.0 / 200);
}

TEST(ManagerCounters, OfAManagerStartedAnewCountFromZero) {
  RunReport report;
  fill_from_managers({counters(1000, 500, 500)}, {counters(70, 3, 1)}, report);
  EXPECT_EQ(report.remote_invocations, 70u);
  EXPECT_DOUBLE_EQ(report.label_cache_hit_ratio, 0.75);
}

TEST(ManagerCounters, OfAManagerStartedAnewAreAPart) {
  RunReport report;
  fill_from_managers({counters(1000, 500, 500)}, {counters(70, 3, 1)}, report);
  EXPECT_THAT(
      to_text(report),
      HasSubstr("  at least 70 remote invocations; 75.0 % of labels came from the manager's "
                "cache; counted in part: a manager has restarted"));
  const Json root = Json::parse(to_json(report));
  EXPECT_EQ(root["remote_invocations"], 70);
  EXPECT_THAT(root["unknown"]["remote_invocations"].get<std::string>(), HasSubstr("restarted"));
  EXPECT_EQ(root["cost"]["remote_invocations_per_operation"], nullptr);
}

TEST(ManagerCounters, ThatCannotBeReadAreNotZero) {
  RunReport report;
  report.audit.made = report.audit.clean = true;
  counters_unknown({counters(1000, 500, 500)}, "manager default: no answer at 127.0.0.1:5", report);
  EXPECT_EQ(report.switches, 3u);  // as before the run
  EXPECT_EQ(report.engine, "xbind");
  EXPECT_THAT(to_text(report),
              HasSubstr("  remote invocations and labels from the cache: not known, manager "
                        "default: no answer at 127.0.0.1:5\n"));
  EXPECT_THAT(to_text(report), Not(HasSubstr("0 remote invocations")));
  const Json root = Json::parse(to_json(report));
  EXPECT_THAT(root["unknown"].items().begin().key(), "label_cache_hit_ratio");
  EXPECT_TRUE(root["unknown"].contains("remote_invocations"));
  EXPECT_TRUE(root["remote_invocations"].is_number());  // the contract's type
}

TEST(ManagerCounters, WithoutALabelThereIsNoRatio) {
  RunReport report;
  fill_from_managers({counters(100, 40, 10)}, {counters(350, 40, 10)}, report);
  EXPECT_THAT(to_text(report), HasSubstr("  250 remote invocations; no label was needed\n"));
  EXPECT_EQ(Json::parse(to_json(report))["unknown"]["label_cache_hit_ratio"],
            "no label was needed");
}

TEST(ProcessCosts, OfAProcessThatHasEndedAreNotZero) {
  RunReport report;
  report.processes["xbind-cmgr"] = {.rss_before_mb = 20.0};
  report.processes["xbind-switch"] = {.cpu_s = 0.5,
                                      .voluntary_switches = 3,
                                      .involuntary_switches = 4,
                                      .rss_before_mb = 10.0,
                                      .rss_full_mb = 12.0,
                                      .rss_after_mb = 11.0};
  report.setups.connected = report.setups.attempted = 100;
  report.calls_up_at_full = 50;
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("        - s          - us          -         - MB   xbind-cmgr\n"));
  EXPECT_THAT(text,
              HasSubstr("     0.50 s      5 000 us          7      11.0 MB   xbind-switch\n"));
  EXPECT_THAT(text, HasSubstr("  -: not known; the process that was watched had ended"));
  const Json root = Json::parse(to_json(report));
  EXPECT_EQ(root["processes"]["xbind-cmgr"]["rss_after_mb"], nullptr);
  EXPECT_EQ(root["processes"]["xbind-cmgr"]["cpu_s"], nullptr);
  EXPECT_EQ(root["cost"]["processes"]["xbind-cmgr"]["cpu_us_per_operation"], nullptr);
  EXPECT_EQ(root["cost"]["processes"]["xbind-cmgr"]["rss_bytes_per_call_up"], nullptr);
  EXPECT_EQ(root["cost"]["processes"]["xbind-switch"]["cpu_us_per_operation"], 5000.0);
}

TEST(ManagerCounters, TellEngineAndAggregation) {
  Metrics status = counters(0, 0, 0);
  EXPECT_EQ(report_after(status).engine, "xbind");
  EXPECT_EQ(report_after(status).aggregation, "fixed");
  status["aggregation_mode"] = 1;
  EXPECT_EQ(report_after(status).aggregation, "regions");
  status["aggregation_mode"] = 2;
  EXPECT_EQ(report_after(status).aggregation, "adaptive");
  EXPECT_EQ(report_after(status).threshold, 10u);
  status["engine"] = 1;
  EXPECT_EQ(report_after(status).engine, "sequential");
  // This engine aggregates nothing, whatever the setting.
  EXPECT_EQ(report_after(status).threshold, 1u);
  status["engine"] = 2;
  EXPECT_EQ(report_after(status).engine, "threaded");
  EXPECT_EQ(report_after(status).threshold, 1u);
  status["engine"] = 3;
  EXPECT_EQ(report_after(status).engine, "3");
}

TEST(ManagerCounters, StandInJsonAndSummary) {
  Metrics status = counters(0, 0, 0);
  EXPECT_THAT(to_text(report_after(status)),
              HasSubstr("through 3 switches, engine xbind, aggregation threshold 10\n"));
  status["aggregation_mode"] = 2;
  RunReport report = report_after(status);
  EXPECT_THAT(to_text(report), HasSubstr("engine xbind, aggregation adaptive\n"));
  EXPECT_EQ(Json::parse(to_json(report))["adaptive"], true);
  EXPECT_EQ(Json::parse(to_json(report))["aggregation"], "adaptive");
  status["aggregation_mode"] = 1;
  report = report_after(status);
  EXPECT_THAT(to_text(report), HasSubstr("aggregation regions (threshold 10 at the end)"));
  EXPECT_EQ(Json::parse(to_json(report))["adaptive"], false);
  status["engine"] = 1;
  report = report_after(status);
  EXPECT_THAT(to_text(report), HasSubstr("engine sequential, every command alone (threshold 1)"));
  EXPECT_EQ(Json::parse(to_json(report))["threshold"], 1);
  EXPECT_EQ(Json::parse(to_json(report))["engine"], "sequential");
}

TEST(ManagerCounters, TheSummaryCountsManagersWhenThereAreSeveral) {
  RunReport report = report_after(counters(0, 0, 0));
  EXPECT_THAT(to_text(report), Not(HasSubstr("managers")));
  report.managers = 4;
  EXPECT_THAT(to_text(report), HasSubstr("through 4 managers, 3 switches, engine xbind"));
  EXPECT_EQ(Json::parse(to_json(report))["managers"], 4);
}

// ===== audits ===================================================================================

TEST(Audits, OfSeveralManagersAreCleanOnlyTogether) {
  EXPECT_TRUE(sum_of({{"default", clean_audit()}}).proves_clean());
  EXPECT_TRUE(sum_of({{"default", clean_audit()}, {"manager-2", clean_audit()}}).proves_clean());
  AuditReport unclean = clean_audit();
  unclean.clean = false;
  EXPECT_FALSE(sum_of({{"default", clean_audit()}, {"manager-2", unclean}}).proves_clean());
  EXPECT_FALSE(sum_of({{"default", clean_audit()}, {"manager-2", {}}}).made);
  EXPECT_FALSE(sum_of({}).made);
}

TEST(Audits, AddUpAndTheirFindingsTellWhose) {
  AuditReport one = clean_audit();
  one.clean = false;
  one.stray_cross_connects = 1;
  one.leaked_labels = 2;
  one.leaked_bandwidth_cells_per_s = 300;
  one.findings = {"leaked label at switch-1 port 2: 0/42"};
  AuditReport other = one;
  other.owed = 4;
  other.unreadable = 5;
  other.findings = {"owed at switch-1: 3 hops"};
  const AuditReport sum = sum_of({{"default", one}, {"manager-2", other}});
  EXPECT_EQ(sum.stray_cross_connects, 2u);
  EXPECT_EQ(sum.leaked_labels, 4u);
  EXPECT_EQ(sum.leaked_bandwidth_cells_per_s, 600u);
  EXPECT_EQ(sum.owed, 4u);
  EXPECT_EQ(sum.unreadable, 5u);
  EXPECT_THAT(sum.findings, ElementsAre("default: leaked label at switch-1 port 2: 0/42",
                                        "manager-2: owed at switch-1: 3 hops"));
  EXPECT_THAT(sum_of({{"default", one}}).findings,
              ElementsAre("leaked label at switch-1 port 2: 0/42"));
}

TEST(Audits, StandInTheJsonEachAndTogether) {
  RunReport report;
  report.audits = {{"default", clean_audit()}, {"manager-2", clean_audit()}};
  report.audits["manager-2"].owed = 2;
  report.audit = sum_of(report.audits);
  const Json root = Json::parse(to_json(report));
  EXPECT_EQ(root["audit"]["owed"], 2);
  EXPECT_EQ(root["audit"]["clean"], false);
  EXPECT_EQ(root["audits"]["default"]["clean"], true);
  EXPECT_EQ(root["audits"]["manager-2"]["owed"], 2);
  EXPECT_THAT(Json::parse(to_json(RunReport{}))["audits"], IsEmpty());
}

TEST(AuditOfARun, SaysThatConnectionsAreStillUp) {
  RunReport report = report_after({});
  report.audit.made = report.audit.clean = true;
  report.audit.connections = 1'200;
  EXPECT_THAT(to_text(report),
              HasSubstr("  clean: beside the caches, only 1 200 connections of the manager still "
                        "hold cross-connects,\n         labels and bandwidth\n"));
}

}  // namespace
}  // namespace xbind::callgen
