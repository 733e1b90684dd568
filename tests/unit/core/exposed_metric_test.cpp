#include "core/metrics/exposed_metric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/metrics/stage_times.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;

std::string exposed(std::string_view room, std::string_view name, MetricKind kind,
                    std::string_view unit = "") {
  return exposed_metric(room, {name, kind, unit, "A sentence."}).text();
}
constexpr MetricKind kCounter = MetricKind::kCounter;
constexpr MetricKind kGauge = MetricKind::kGauge;

TEST(ExposedMetric, ACounterEndsInTotalAndAGaugeDoesNot) {
  EXPECT_EQ(exposed("cmgr", "setups", kCounter), "xbind_cmgr_setups_total");
  EXPECT_EQ(exposed("cmgr", "connections", kGauge), "xbind_cmgr_connections");
}

TEST(ExposedMetric, UnitsAreSecondsAndBytes) {
  EXPECT_EQ(exposed("cmgr", "rss_kib", kGauge, "KiB"), "xbind_cmgr_rss_bytes");
  EXPECT_EQ(exposed("cmgr", "route_octets_cached", kGauge, "octets"),
            "xbind_cmgr_route_cached_bytes");
  EXPECT_EQ(exposed("cmgr", "operations_per_s", kGauge, "1/s"), "xbind_cmgr_operations_per_second");
  EXPECT_EQ(exposed("switchserver", "switch_away_ms", kGauge, "ms"),
            "xbind_switchserver_switch_away_seconds");
  EXPECT_EQ(exposed("switchserver", "port_hops_cells_per_s/<port>", kGauge, "cells/s"),
            "xbind_switchserver_port_hops_cells_per_second{port}");
  const MetricInfo away{"switch_away_ms", kGauge, "ms", "A sentence."};
  EXPECT_DOUBLE_EQ(exposed_metric("switchserver", away).scale, 1e-3);
}

TEST(ExposedMetric, WordsInBracketsAreLabels) {
  EXPECT_EQ(exposed("orb", "upcalls_<operation>", kCounter), "xbind_orb_upcalls_total{operation}");
  EXPECT_EQ(exposed("orb", "upcall_ns_<operation>", kCounter, "ns"),
            "xbind_orb_upcall_seconds_total{operation}");
  EXPECT_EQ(exposed("routeobject", "report_age_ms/<switch>", kGauge, "ms"),
            "xbind_routeobject_report_age_seconds{switch}");
  EXPECT_EQ(exposed("exporter", "build_info/<program>/<version>", kGauge),
            "xbind_exporter_build_info{program,version}");
}

TEST(ExposedMetric, ALegKeepsItsWordSoThatTheSumHasANameOfItsOwn) {
  EXPECT_EQ(exposed("core", "faults_dropped", kCounter), "xbind_core_faults_dropped_total");
  EXPECT_EQ(exposed("core", "faults_<leg>_dropped", kCounter),
            "xbind_core_faults_leg_dropped_total{leg}");
}

TEST(ExposedMetric, TheRoomIsNamedOnce) {
  EXPECT_EQ(exposed("gsmp", "gsmp_octets_in", kCounter, "octets"), "xbind_gsmp_in_bytes_total");
}

TEST(ExposedMetric, BothRowsOfAStageAreOneHistogram) {
  for (const MetricInfo& row : kStageMetrics.rows()) {
    const ExposedMetric metric = exposed_metric("cmgr", row);
    EXPECT_EQ(metric.text(), "xbind_cmgr_stage_seconds{operation,stage}");
    EXPECT_TRUE(metric.histogram);
  }
}

TEST(ExposedMetric, ADescriptionHasTheWordsOfTheName) {
  const std::vector<MetricTable> tables{metric_table("cmgr", kStageMetrics)};
  const auto found = description_of("add_leaf_stage_route_ns", tables);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->row->name, kStageNs);
  EXPECT_THAT(found->words, ElementsAre("add_leaf", "route"));
  EXPECT_FALSE(description_of("add_leaf", tables));
}

}  // namespace
}  // namespace xbind
