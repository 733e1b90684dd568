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

}  // namespace
}  // namespace xbind::callgen
