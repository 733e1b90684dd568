#include "bench/search/search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/bench/queue_system.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const StopFunction kNever = [] { return false; };
const auto kQuiet = [](const SearchPoint&) {};

std::vector<Objective> objectives_of(const char* text) {
  return parse_objectives(std::string_view{text}).value();
}

std::size_t count_of(const SearchResult& result, PointKind kind) {
  return static_cast<std::size_t>(
      std::count_if(result.points.begin(), result.points.end(),
                    [kind](const SearchPoint& point) { return point.kind == kind; }));
}

// The sojourn time of an M/M/1 queue is exponential: p99 = ln 100 / (capacity - rate).
double rate_with_p99(double capacity, double p99_s) { return capacity - std::log(100.0) / p99_s; }

TEST(Search, FindsTheRateOfAQueueWithKnownCapacity) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    QueueSystem system(seed);
    RunOptions base = default_options();
    base.seed = seed;
    const auto found =
        search({.first_rate = 100, .point_s = 10, .confirm_s = 20}, base,
               objectives_of("p99<20ms,unanswered=0"), system.function(), kNever, kQuiet);
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_EQ(found->end, SearchEnd::kFound) << to_text(*found, {});
    EXPECT_TRUE(found->confirmed);
    EXPECT_NEAR(found->rate, rate_with_p99(2000, 0.020), 0.1 * 2000);
    EXPECT_GT(found->broken_rate, found->rate);
    EXPECT_LE(found->broken_rate, found->rate * 1.06);
    EXPECT_THAT(found->broken_by, HasSubstr("p99<20ms broken"));
    ASSERT_NE(found->best(), nullptr);
    EXPECT_LT(found->best()->report.setup_latency.p99, 20'000);
  }
}

TEST(Search, ZeroFailureRateIsWhereTheFirstCallIsTurnedAway) {
  QueueSystem system(4);
  system.room = 50;
  const auto found = search({.first_rate = 500}, default_options(), objectives_of("fail=0"),
                            system.function(), kNever, kQuiet);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, SearchEnd::kFound);
  EXPECT_GT(found->rate, 1000);
  EXPECT_LT(found->rate, 2000);
  EXPECT_EQ(found->best()->report.setups.busy, 0u);
}

TEST(Search, ARateAtWhichCallsAreTurnedAwayIsNotCarried) {
  QueueSystem system(4);
  system.room = 20;  // 10 ms at capacity: what is accepted is always in time
  const auto objectives = with_refusal_bound(objectives_of("p99<20ms,unanswered=0"));
  const auto found = search({.first_rate = 500, .highest_rate = 20'000}, default_options(),
                            objectives, system.function(), kNever, kQuiet);
  ASSERT_TRUE(found);
  const std::string text = to_text(*found, objectives);
  EXPECT_EQ(found->end, SearchEnd::kFound) << text;
  EXPECT_LT(found->rate, 2000) << text;
  EXPECT_THAT(found->broken_by, HasSubstr("fail<=1% (default) broken: "));
  EXPECT_THAT(text, HasSubstr("calls/s keep p99<20ms, unanswered=0, fail<=1% (default)\n"));
  EXPECT_THAT(text,
              testing::ContainsRegex("[0-9.]+ % of the calls were not connected \\(0 refused, "
                                     "[0-9]+ busy, 0 unanswered of [0-9]+\\)"));
  for (const SearchPoint& point : found->points) {
    EXPECT_THAT(to_text(point),
                HasSubstr(share_text(not_connected_share(point.report.setups)) + " not "));
  }
}

TEST(Search, BeginsLowerWhenTheFirstRateIsTooMuchAlready) {
  QueueSystem system(5);
  const auto found = search({.first_rate = 20'000}, default_options(), objectives_of("p99<20ms"),
                            system.function(), kNever, kQuiet);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, SearchEnd::kFound);
  EXPECT_NEAR(found->rate, rate_with_p99(2000, 0.020), 0.15 * 2000);
}

TEST(Search, TriesTheListedRatesFirst) {
  QueueSystem system(4);
  const auto found = search(
      {.first_rate = 20, .rates = {20, 300, 1000}, .growth = 1.5, .precision = 0.1, .point_s = 2},
      default_options(), objectives_of("carried>=95%,unanswered=0"), system.function(), kNever,
      kQuiet);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, SearchEnd::kFound) << to_text(*found, {});
  std::vector<double> rise;
  for (const SearchPoint& point : found->points) {
    if (point.kind == PointKind::kRise && point.attempt == 1) rise.push_back(point.rate);
  }
  EXPECT_THAT(rise, testing::ElementsAre(20, 300, 1000, 1500, 2250));
  EXPECT_NEAR(found->rate, 2000, 0.15 * 2000);
  // A point far from the limit is believed after one run: "carried" is near it when the missing
  // share is near the share that may be missing.
  EXPECT_EQ(std::count_if(found->points.begin(), found->points.end(),
                          [](const SearchPoint& point) { return point.rate == 300; }),
            1);
}

TEST(Search, WhatOnePointLeavesInTheQueueIsNotTheNextOnesFault) {
  QueueSystem system(5);
  int busy_with = 0;  // number of small runs until the system has recovered from the last point
  const RunFunction forgetting = [&](const RunOptions& options) {
    Result<RunReport> report = system.run(options);
    if (options.rate > 4000) {
      report->setups.connected -= 10;
      report->setups.unanswered += 10;
      busy_with = 3;
    } else if (busy_with > 0) {
      --busy_with;
      report->setup_latency.p50 += 1e6;
      for (int i = 0; i < 1000; ++i) report->kinds[RequestKind::kSetup].latency.record(1s);
    }
    return report;
  };
  const auto found = search({.first_rate = 8000}, default_options(), objectives_of("p99<20ms"),
                            forgetting, kNever, kQuiet);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, SearchEnd::kFound);
  EXPECT_NEAR(found->rate, rate_with_p99(2000, 0.020), 0.15 * 2000);
  // 8000/s is tried twice; after each, three small runs are slow and one is not.
  EXPECT_EQ(count_of(*found, PointKind::kSettle), 8u);
}

TEST(Search, SaysWhenTheGeneratorIsTheLimit) {
  QueueSystem system(6);
  system.generator_per_s = 1000;
  const auto found = search({.first_rate = 300}, default_options(), objectives_of("fail=0"),
                            system.function(), kNever, kQuiet);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, SearchEnd::kGenerator);
  EXPECT_GT(found->rate, 500);
  EXPECT_LT(found->rate, 1200);
  EXPECT_THAT(to_text(*found, objectives_of("fail=0")), HasSubstr("generator is the limit"));
}

TEST(Search, StopsAtTheHighestRateItMayTry) {
  QueueSystem system(7);
  const auto found = search({.first_rate = 100, .highest_rate = 300}, default_options(),
                            objectives_of("fail=0"), system.function(), kNever, kQuiet);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, SearchEnd::kHighestRate);
  EXPECT_DOUBLE_EQ(found->rate, 300);
  EXPECT_DOUBLE_EQ(found->broken_rate, 0);
}

TEST(Search, SaysWhenNoRateIsKept) {
  QueueSystem system(8);
  const auto found = search({.first_rate = 10, .lowest_rate = 5}, default_options(),
                            objectives_of("mean<1us"), system.function(), kNever, kQuiet);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, SearchEnd::kNoneKept);
  EXPECT_DOUBLE_EQ(found->rate, 0);
  EXPECT_EQ(found->best(), nullptr);
  EXPECT_THAT(to_text(*found, objectives_of("mean<1us")), HasSubstr("No rate was found"));
}

TEST(Search, OneBadRunOfThreeDoesNotBreakARate) {
  QueueSystem system(9);
  std::uint64_t runs = 0;
  // Every fifth run is slowed down by other work on the machine.
  const RunFunction noisy = [&](const RunOptions& options) {
    Result<RunReport> report = system.run(options);
    if (++runs % 5 == 0) {
      for (int i = 0; i < 2000; ++i) report->kinds[RequestKind::kSetup].latency.record(1s);
    }
    return report;
  };
  const auto found = search({.first_rate = 100, .point_s = 10, .confirm_s = 20}, default_options(),
                            objectives_of("p99<20ms"), noisy, kNever, kQuiet);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, SearchEnd::kFound);
  EXPECT_NEAR(found->rate, rate_with_p99(2000, 0.020), 0.1 * 2000);
}

TEST(Search, ALeakBreaksARateWhateverTheObjectivesSay) {
  QueueSystem system(10);
  const RunFunction leaking = [&](const RunOptions& options) {
    Result<RunReport> report = system.run(options);
    if (options.rate > 400) {
      report->audit.leaked_labels = 1;
      report->audit.findings = {"leaked label at switch-1 port 2"};
    }
    return report;
  };
  const auto found = search({.first_rate = 100}, default_options(), objectives_of("fail=0"),
                            leaking, kNever, kQuiet);
  ASSERT_TRUE(found);
  EXPECT_GT(found->rate, 350);
  EXPECT_LE(found->rate, 400);
  EXPECT_THAT(found->broken_by, HasSubstr("leaked label at switch-1"));
}

TEST(Search, EndsInOrderWhenTheOperatorHasHadEnough) {
  QueueSystem system(11);
  const auto found = search(
      {.first_rate = 100}, default_options(), objectives_of("fail=0"), system.function(),
      [&system] { return system.runs >= 5; }, kQuiet);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, SearchEnd::kStopped);
  EXPECT_EQ(found->points.size(), 5u);
  EXPECT_DOUBLE_EQ(found->rate, 400) << "two points of preparation, then 100, 200 and 400";
  EXPECT_FALSE(found->confirmed);
}

TEST(Search, ARunThatTheOperatorEndedIsNoneOfASystemThatIsLost) {
  QueueSystem system(11);
  bool enough = false;
  const RunFunction ended = [&](const RunOptions& options) -> Result<RunReport> {
    enough = system.runs >= 5;
    if (enough) return fail(ErrorCode::kUnreachable, "the run was ended before its time");
    return system.run(options);
  };
  const auto found = search(
      {.first_rate = 100}, default_options(), objectives_of("fail=0"), ended,
      [&enough] { return enough; }, kQuiet);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, SearchEnd::kStopped);
  EXPECT_EQ(found->lost, "");
  EXPECT_EQ(found->points.size(), 5u);
}

TEST(Search, WhatIsKnownIsKeptWhenTheSystemIsLost) {
  QueueSystem system(12);
  const RunFunction dying = [&](const RunOptions& options) -> Result<RunReport> {
    if (system.runs == 4) return fail(ErrorCode::kUnreachable, "manager default is gone");
    return system.run(options);
  };
  const auto found = search({.first_rate = 100}, default_options(), objectives_of("fail=0"), dying,
                            kNever, kQuiet);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, SearchEnd::kLost);
  EXPECT_EQ(found->points.size(), 4u);
  EXPECT_THAT(to_text(*found, objectives_of("fail=0")), HasSubstr("manager default is gone"));

  const RunFunction dead = [](const RunOptions&) -> Result<RunReport> {
    return fail(ErrorCode::kUnreachable, "manager default is gone");
  };
  EXPECT_FALSE(
      search({}, default_options(), objectives_of("fail=0"), dead, kNever, kQuiet).has_value());
}

TEST(Search, MakesNoMoreRunsThanItMay) {
  QueueSystem system(13);
  const auto found = search({.first_rate = 100, .most_runs = 4}, default_options(),
                            objectives_of("fail=0"), system.function(), kNever, kQuiet);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, SearchEnd::kMostRuns);
  EXPECT_EQ(system.runs, 4u);
}

TEST(Search, EveryRunHasASeedOfItsOwnAndTheSameSearchHasTheSame) {
  const RunOptions base = default_options();
  EXPECT_NE(at_rate(base, 100, 1, 1, 0).seed, at_rate(base, 100, 1, 1, 1).seed);
  EXPECT_EQ(at_rate(base, 100, 1, 1, 7).seed, 0x0623b7cc2a789298u) << "of every build";
  EXPECT_EQ(at_rate(base, 100, 3, 10, 7).calls, 300u);
  EXPECT_EQ(at_rate(base, 1, 3, 10, 7).calls, 10u);
}

}  // namespace
}  // namespace xbind::callgen
