#include "callgen/report/floor_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "callgen/report/report.hpp"

namespace xbind::callgen {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;

TEST(FloorFigures, AreMeansOfTheTwoFloorsAndTheRunBesideThem) {
  RunReport report;
  report.setup_latency.p50 = 600;
  report.call_operations_per_s = 30'000;
  const FloorFigures before{{"setup_p50_us", 100}, {"ceiling_operations_per_s", 200'000}};
  const FloorFigures after{{"setup_p50_us", 300}, {"ceiling_operations_per_s", 100'000}};
  const FloorFigures shares = shares_of_floor(before, after, report);
  EXPECT_THAT(shares, Contains(Pair("setup_p50_us", 200)));
  EXPECT_THAT(shares, Contains(Pair("run_over_floor_setup_p50", 3)));
  EXPECT_THAT(shares, Contains(Pair("run_share_of_ceiling", 0.2)));
  EXPECT_THAT(shares, Contains(Pair("after_over_before_setup_p50", 3)));
  EXPECT_THAT(shares, Contains(Pair("after_over_before_ceiling", 0.5)));
}

TEST(FloorFigures, WhatTheFloorDidNotShowHasNoShare) {
  const FloorFigures shares = shares_of_floor({{"setup_p50_us", 0}, {"only_before", 1}}, {}, {});
  EXPECT_TRUE(shares.empty());
}

TEST(FloorFigures, AreShownAsTextAndAsJson) {
  RunReport report;
  report.offered_setups_per_s = 100;
  EXPECT_EQ(to_text(report.floor), "");
  EXPECT_THAT(to_text(report), Not(HasSubstr("null servants")));
  report.floor = {{"switches", 3}, {"setup_p50_us", 213.4}, {"ceiling_operations_per_s", 421'000}};
  EXPECT_THAT(to_text(report), HasSubstr("Floor (null servants, 3 switches)"));
  EXPECT_THAT(to_text(report), HasSubstr("p50 213 us"));
  EXPECT_THAT(to_text(report), HasSubstr("421000 operations/s"));
  EXPECT_THAT(to_text(report), Not(HasSubstr("TCP")));
  EXPECT_THAT(to_json(report), HasSubstr("\"ceiling_operations_per_s\": 421000"));
  report.floor["threshold"] = 10;
  EXPECT_THAT(to_text(report), HasSubstr("3 switches, aggregation threshold 10)"));
  report.floor.erase("threshold");
  report.floor["batches_in_flight"] = 4;
  EXPECT_THAT(to_text(report), HasSubstr("aggregation adaptive with 4 batches in flight)"));
}

}  // namespace
}  // namespace xbind::callgen
