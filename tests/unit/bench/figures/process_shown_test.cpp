#include "bench/figures/process_shown.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace xbind::figures {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Request setup(std::uint64_t call, double planned, double answered) {
  return {.call = call, .done = true, .planned = planned, .answered = answered};
}
Request release(std::uint64_t call, double planned, double answered) {
  return {.call = call, .release = true, .done = true, .planned = planned, .answered = answered};
}

TEST(ReadRecordsTest, FindsItsColumnsByNameInAnyUnit) {
  const auto requests = read_records(
      "manager,call,kind,planned_us,sent_us,answered_us,ended,cause\n"
      "0,0,setup,1000,1001,3500,done,\n"
      "0,0,release,500000,500001,502000,done,\n"
      "0,1,setup,2000,2001,2500,refused,no bandwidth\n"
      "0,2,setup,3000,,,shed,\n"
      "0,1,modify,4000,4001,4100,done,\n");
  ASSERT_TRUE(requests.has_value()) << requests.error().text;
  EXPECT_THAT(
      *requests,
      ElementsAre(
          setup(0, 1000 * 1e-6, 3500 * 1e-6), release(0, 500'000 * 1e-6, 502'000 * 1e-6),
          Request{.call = 1, .refused = true, .planned = 2000 * 1e-6, .answered = 2500 * 1e-6},
          Request{.call = 2, .planned = 3000 * 1e-6}));
}

TEST(ReadRecordsTest, AQuotedFieldMayHaveCommasAndQuotes) {
  const auto requests = read_records(
      "element,call,kind,ended,planned_s,answered_s\n"
      "\"a, \"\"b\"\", c\",3,setup,done,1,2\n"
      "\"\",4,setup,done,1,2\n");
  ASSERT_TRUE(requests.has_value()) << requests.error().text;
  EXPECT_THAT(*requests, ElementsAre(setup(3, 1, 2), setup(4, 1, 2)));
}

TEST(ReadRecordsTest, RefusesWhatIsNoRecord) {
  const auto refused = [](std::string_view csv) { return read_records(csv).error().text; };
  EXPECT_THAT(refused(""), HasSubstr("without column names"));
  EXPECT_THAT(refused("call,kind,planned_s,answered_s\n"), HasSubstr("no column ended"));
  EXPECT_THAT(refused("call,kind,ended,planned,answered_s\n"), HasSubstr("no column planned_s"));
  const std::string names = "call,kind,ended,planned_s,answered_s\n";
  EXPECT_THAT(refused(names + "0,setup,done,1\n"), HasSubstr("not a record: 0,setup,done,1"));
  EXPECT_THAT(refused(names + "x,setup,done,1,2\n"), HasSubstr("not a record"));
  EXPECT_THAT(refused(names + "0,setup,done,soon,2\n"), HasSubstr("not a record"));
  EXPECT_THAT(refused(names + "0,setup,done,1,\n"), HasSubstr("not a record"));
}

TEST(ReadReportTest, TakesWhatTheManagerReported) {
  const auto reported = read_report(R"({"remote_invocations": 1234, "label_cache_hit_ratio": 0.75,
      "audit": {"clean": true}, "releases": {"failed": 1, "unanswered": 2},
      "verdict": {"void": true, "reasons": ["late", "later"]}})");
  ASSERT_TRUE(reported.has_value()) << reported.error().text;
  EXPECT_EQ(reported->invocations, 1'234U);
  EXPECT_EQ(reported->hit_ratio, 0.75);
  EXPECT_EQ(reported->releases_failed, 3U);
  EXPECT_TRUE(reported->clean);
  EXPECT_EQ(reported->why_void, "late; later");
}

TEST(ReadReportTest, RefusesWhatIsNoReport) {
  EXPECT_THAT(read_report("{").error().text, HasSubstr("not JSON"));
  EXPECT_THAT(read_report("{}").error().text, HasSubstr("remote_invocations"));
}

TEST(ShownByTest, NothingOfNothing) {
  const Shown shown = shown_by({}, {}, {});
  EXPECT_EQ(shown.offered, 0U);
  EXPECT_EQ(shown.setup.count, 0U);
  EXPECT_FALSE(shown.sustained);
}

// Calls 0 to 19, one a second, each connected after 100 ms and released half a second later. The
// first two are slow: they are the warm-up.
class SteadyTest : public ::testing::Test {
 protected:
  SteadyTest() {
    for (std::uint64_t call = 0; call < 20; ++call) {
      const auto planned = static_cast<double>(call);
      requests_.push_back(setup(call, planned, planned + (call < 2 ? 0.9 : 0.1)));
      requests_.push_back(release(call, planned + 0.5, planned + 0.6));
    }
  }
  std::vector<Request> requests_;
};

TEST_F(SteadyTest, LatenciesAreOfConnectedCallsAfterTheWarmUp) {
  const Latency setup = shown_by(requests_, {}, {}).setup;
  EXPECT_EQ(setup.count, 18U);
  for (const double ms :
       {setup.min, setup.mean, setup.p5, setup.p50, setup.p95, setup.p99, setup.max}) {
    EXPECT_THAT(ms, DoubleNear(100, 1e-6));
  }
}

TEST_F(SteadyTest, WhatCallersTakeIsAddedToEachLatency) {
  EXPECT_THAT(shown_by(requests_, {}, std::chrono::microseconds{1'500}).setup.mean,
              DoubleNear(101.5, 1e-6));
}

TEST_F(SteadyTest, RatesCountWhileCallsAreOffered) {
  const Shown shown = shown_by(
      requests_,
      {.invocations = 400, .hit_ratio = 0.5, .releases_failed = 0, .clean = true, .why_void = {}},
      {});
  EXPECT_EQ(shown.offered, 20U);
  EXPECT_EQ(shown.connected, 20U);
  // From 2 s to 19 s: 17 arrivals after the first, 17 setups and 17 releases answered.
  EXPECT_DOUBLE_EQ(shown.offered_per_s, 1);
  EXPECT_DOUBLE_EQ(shown.achieved_per_s, 1);
  EXPECT_DOUBLE_EQ(shown.operations_per_s, 2);
  EXPECT_DOUBLE_EQ(shown.invocations_per_s, 20);  // 10 for each of 40 operations
  EXPECT_EQ(shown.hit_ratio, 0.5);
  EXPECT_TRUE(shown.sustained);
}

TEST_F(SteadyTest, SetupsUnderWayAreCountedAtArrivalsAndOverTime) {
  // Call 6 arrives while 5 is under way, 7 while 5 and 6 are; both are finished when 8 arrives.
  requests_[10].answered = 7.5;
  requests_[12].answered = 7.5;
  const Shown shown = shown_by(requests_, {}, {});
  EXPECT_THAT(shown.in_use_at_arrivals, ElementsAre(16, 1, 1));
  // 14 setups of 0.1 s in the window and one after it, plus two of 2.5 s and 1.5 s.
  EXPECT_THAT(shown.mean_in_use, DoubleNear((15 * 0.1 + 2.5 + 1.5) / 17, 1e-9));
}

TEST_F(SteadyTest, ARefusalIsNotSustained) {
  requests_[20].done = false;
  requests_[20].refused = true;
  const Shown shown = shown_by(requests_, {}, {});
  EXPECT_EQ(shown.refused, 1U);
  EXPECT_EQ(shown.connected, 19U);
  EXPECT_EQ(shown.setup.count, 17U);
  EXPECT_FALSE(shown.sustained);
}

TEST_F(SteadyTest, ASetupWithoutAnAnswerIsNotSustained) {
  requests_[20].done = false;
  requests_[20].answered.reset();
  const Shown shown = shown_by(requests_, {}, {});
  EXPECT_EQ(shown.unanswered, 1U);
  EXPECT_FALSE(shown.sustained);
}

// Every answer takes a tenth of a second longer than the previous one.
TEST_F(SteadyTest, AQueueThatGrowsIsNotSustained) {
  for (std::size_t at = 0; at < requests_.size(); at += 2) {
    requests_[at].answered = requests_[at].planned * 1.2 + 0.1;
  }
  const Shown shown = shown_by(requests_, {}, {});
  EXPECT_EQ(shown.connected, 20U);
  EXPECT_LT(shown.achieved_per_s, 1);
  EXPECT_FALSE(shown.sustained);
}

TEST(PercentilesTest, AreNearestRanks) {
  std::vector<Request> requests;
  for (std::uint64_t call = 0; call < 112; ++call) {  // 11 are the warm-up
    const auto planned = static_cast<double>(call);
    const double ms = call < 11 ? 0 : static_cast<double>(call - 10);  // 1 to 101
    requests.push_back(setup(call, planned, planned + ms / 1e3));
  }
  const Latency latency = shown_by(requests, {}, {}).setup;
  EXPECT_EQ(latency.count, 101U);
  EXPECT_THAT(latency.min, DoubleNear(1, 1e-6));
  EXPECT_THAT(latency.mean, DoubleNear(51, 1e-6));
  EXPECT_THAT(latency.p5, DoubleNear(6, 1e-6));
  EXPECT_THAT(latency.p50, DoubleNear(51, 1e-6));
  EXPECT_THAT(latency.p95, DoubleNear(96, 1e-6));
  EXPECT_THAT(latency.p99, DoubleNear(100, 1e-6));
  EXPECT_THAT(latency.max, DoubleNear(101, 1e-6));
}

}  // namespace
}  // namespace xbind::figures
