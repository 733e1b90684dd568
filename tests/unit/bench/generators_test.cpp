#include "bench/search/generators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/unit/bench/queue_system.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

RunOptions load_of(std::uint64_t calls, double rate, Arrivals arrivals) {
  RunOptions options = default_options();
  options.calls = calls;
  options.rate = rate;
  options.arrivals = arrivals;
  return options;
}

// The planned starts of a share's first `count` calls, counted from the common start.
std::vector<Duration> arrivals_of(const RunOptions& load, std::uint32_t k, std::uint32_t of,
                                  int count) {
  const Share share = share_of(load, k, of);
  RunOptions own = load;
  own.calls = share.calls;
  own.rate = share.rate;
  own.seed = share.seed;
  const RunPlan plan = plan_of(own);
  Runner runner(plan, Workload::weighted({{"a", "b", 1.0}}, plan.seed).value());
  const TimePoint start{1h};
  runner.start(start + share.phase);
  std::vector<Duration> arrivals;
  while (static_cast<int>(arrivals.size()) < count) {
    const TimePoint due = runner.next_deadline();
    for (const Dispatch& dispatch : runner.advance(due)) {
      for (std::size_t i = 0; i < dispatch.batch.connects.size(); ++i)
        arrivals.push_back(due - start);
    }
  }
  return arrivals;
}

// ===== shares ===================================================================================

TEST(Generators, SharesAddUpToTheLoad) {
  const RunOptions load = load_of(1003, 500, Arrivals::kPoisson);
  std::uint64_t calls = 0;
  double rate = 0;
  std::set<std::uint64_t> seeds;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const Share share = share_of(load, k, 4);
    calls += share.calls;
    rate += share.rate;
    seeds.insert(share.seed);
    EXPECT_EQ(share.phase, Duration::zero());
  }
  EXPECT_EQ(calls, 1003u);
  EXPECT_DOUBLE_EQ(rate, 500);
  EXPECT_EQ(seeds.size(), 4u);
  EXPECT_EQ(share_of(load, 0, 4).calls, 251u);
  EXPECT_EQ(share_of(load, 3, 4).calls, 250u);
}

TEST(Generators, ConstantArrivalsAreEvenlySpacedTogether) {
  const RunOptions load = load_of(400, 100, Arrivals::kConstant);
  std::vector<Duration> all;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const auto own = arrivals_of(load, k, 4, 20);
    all.insert(all.end(), own.begin(), own.end());
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_NEAR(static_cast<double>((all[i] - all[i - 1]).count()), 1e7, 10);
}

TEST(Generators, PoissonArrivalsOfTwoAreNotTheSameTwice) {
  const RunOptions load = load_of(400, 100, Arrivals::kPoisson);
  EXPECT_NE(arrivals_of(load, 0, 2, 10), arrivals_of(load, 1, 2, 10));
  // The same in every build, up to the rounding of the logarithm: a seed reproduces a load.
  const std::vector<Duration> second = arrivals_of(load, 1, 2, 3);
  ASSERT_EQ(second.size(), 3u);
  EXPECT_NEAR(static_cast<double>(second[0].count()), 17350580, 2);
  EXPECT_NEAR(static_cast<double>(second[1].count()), 40558027, 2);
  EXPECT_NEAR(static_cast<double>(second[2].count()), 63494605, 2);
}

TEST(Generators, WhatCannotBeSharedIsNamed) {
  EXPECT_EQ(cannot_share(load_of(400, 100, Arrivals::kPoisson), 4), std::nullopt);
  EXPECT_EQ(cannot_share(load_of(1, 100, Arrivals::kPoisson), 1), std::nullopt);
  EXPECT_THAT(*cannot_share(load_of(3, 100, Arrivals::kPoisson), 4),
              AllOf(HasSubstr("--generators 4"), HasSubstr("--calls 3")));
  RunOptions media = load_of(400, 100, Arrivals::kPoisson);
  media.media.verify = true;
  EXPECT_THAT(*cannot_share(media, 2), HasSubstr("--verify-media"));
  for (const Arrivals arrivals : {Arrivals::kOneAtATime, Arrivals::kBurst, Arrivals::kRamp})
    EXPECT_THAT(*cannot_share(load_of(400, 100, arrivals), 2), HasSubstr("--arrivals"));
}

TEST(Generators, ChildrenAreToldWhatTheParentWasButTheirShare) {
  EXPECT_THAT(child_words({"--calls", "100", "--from", "a", "--json=x", "--quiet", "--both",
                           "--assert", "p99<5ms", "-ORBtraceLevel", "5"},
                          {"calls", "json", "quiet", "assert"}, {"--calls", "50"}),
              ElementsAre("--from", "a", "--both", "-ORBtraceLevel", "5", "--calls", "50"));
  // An option whose name is a prefix of another one is a different option.
  EXPECT_THAT(child_words({"--hold-ms", "5", "--hold", "1"}, {"hold"}, {}),
              ElementsAre("--hold-ms", "5"));
}

// ===== lines ====================================================================================

TEST(Generators, LinesAreReadAsTheyWereWritten) {
  EXPECT_TRUE(std::holds_alternative<Ready>(*parse_line(line_of(Ready{}))));
  EXPECT_EQ(std::get<Started>(*parse_line(line_of(Started{123456789ns}))).at, 123456789ns);
  EXPECT_EQ(std::get<ReportFollows>(*parse_line(line_of(ReportFollows{4711}))).octets, 4711u);
  EXPECT_EQ(std::get<ChildFailed>(*parse_line(line_of(ChildFailed{"no manager\nhere"}))).sentence,
            "no manager here");
  Progress progress;
  progress.connected = 10;
  progress.refused = 2;
  progress.busy = 3;
  progress.unanswered = 4;
  progress.up = 5;
  progress.offered_per_s = 99.5;
  progress.setup_p50 = 300us;
  progress.setup_p99 = 2ms;
  progress.in_flight = 6;
  progress.since = 1s;
  progress.answered = 201;
  progress.recent_p50 = 310us;
  progress.recent_p99 = 3ms;
  const auto read = std::get<Progress>(*parse_line(line_of(progress)));
  EXPECT_EQ(read.connected, 10u);
  EXPECT_EQ(read.refused, 2u);
  EXPECT_EQ(read.busy, 3u);
  EXPECT_EQ(read.unanswered, 4u);
  EXPECT_EQ(read.up, 5u);
  EXPECT_DOUBLE_EQ(read.offered_per_s, 99.5);
  EXPECT_EQ(read.setup_p50, 300us);
  EXPECT_EQ(read.setup_p99, 2ms);
  EXPECT_EQ(read.in_flight, 6u);
  EXPECT_EQ(read.since, 1s);
  EXPECT_EQ(read.answered, 201u);
  EXPECT_EQ(read.recent_p50, 310us);
  EXPECT_EQ(read.recent_p99, 3ms);
}

TEST(Generators, StrangeLinesAreRefused) {
  for (const char* const line :
       {"", "redy", "ready now", "start", "start -5", "start 1e9", "report 999999999999",
        "report x", "progress 1 2 3", "progress 1 2 3 4 5 6 nan 8 9 10 11 12 13",
        "progress 1 2 3 4 5 6 7 8 9 10 11 12 -"}) {
    EXPECT_FALSE(parse_line(line)) << line;
  }
}

TEST(Generators, ProgressIsAddedAndPercentilesAreTheWorst) {
  Progress a;
  a.connected = 10;
  a.up = 3;
  a.offered_per_s = 100;
  a.setup_p99 = 2ms;
  Progress b;
  b.connected = 5;
  b.up = 1;
  b.offered_per_s = 90;
  b.setup_p99 = 3ms;
  const Progress sum = sum_of(std::vector<Progress>{a, b});
  EXPECT_EQ(sum.connected, 15u);
  EXPECT_EQ(sum.up, 4u);
  EXPECT_DOUBLE_EQ(sum.offered_per_s, 190);
  EXPECT_EQ(sum.setup_p99, 3ms);
}

}  // namespace
}  // namespace xbind::callgen
