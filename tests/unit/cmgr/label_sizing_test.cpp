#include "cmgr/parts/label_sizing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include "now.hpp"

namespace xbind::cmgr {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Duration in_s(double seconds_from_now) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds_from_now));
}

// Even arrivals, each replaced after the same time. Returns the time of the last take.
TimePoint run(LabelSizing& sizing, double per_s, Duration replacement, Duration length,
              TimePoint from) {
  const Duration gap = in_s(1 / per_s);
  std::deque<TimePoint> due;
  TimePoint now = from;
  for (; now < from + length; now += gap) {
    while (!due.empty() && due.front() <= now) {
      sizing.arrived(1, due.front());
      due.pop_front();
    }
    sizing.taken(now);
    sizing.asked(1);
    due.push_back(now + replacement);
  }
  for (const TimePoint at : due) sizing.arrived(1, at);
  return now - gap;
}

// ===== cache_size_for =====

double poisson_below(double mean, std::size_t count) {
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto n = static_cast<double>(k);
    sum += std::exp(n * std::log(mean) - mean - std::lgamma(n + 1));
  }
  return sum;
}

TEST(CacheSizeTest, IsTheSmallestThatGivesTheHitRatio) {
  for (const double mean : {0.001, 0.5, 1.0, 3.5, 10.0, 50.0, 399.0, 401.0, 5000.0}) {
    for (const double ratio : {0.5, 0.9, 0.99, 0.995, 0.99999}) {
      const std::size_t size = cache_size_for(mean, ratio);
      EXPECT_GE(poisson_below(mean, size), ratio) << mean << ' ' << ratio;
      EXPECT_LT(poisson_below(mean, size - 1), ratio) << mean << ' ' << ratio;
    }
  }
}

// Summing over every k would take long here. 2.326 is the normal quantile of 0.99;
// the last term corrects for the skewness.
TEST(CacheSizeTest, LargeMeansAreSafe) {
  for (const double mean : {1e4, 1e5, 1e6}) {
    const double quantile = mean + 2.326 * std::sqrt(mean) + (2.326 * 2.326 - 1) / 6;
    EXPECT_NEAR(static_cast<double>(cache_size_for(mean, 0.99)), quantile, 2) << mean;
  }
}

TEST(CacheSizeTest, WithNothingInUseOneIsKeptForWhoComesNext) {
  EXPECT_EQ(cache_size_for(0, 0.99), 1U);
  EXPECT_EQ(cache_size_for(5, 0), 0U) << "no hit is wanted";
}

TEST(CacheSizeTest, CertaintyIsNotToBeHad) {
  EXPECT_EQ(cache_size_for(10, 1), cache_size_for(10, 1 - 1e-9));
  EXPECT_LT(cache_size_for(1e6, 1), 1'010'100U);
}

// ===== LabelSizing =====

TEST(LabelSizingTest, WhoNeverTookOneWantsNone) { EXPECT_EQ(LabelSizing{0.99}.wanted(kNow), 0U); }

TEST(LabelSizingTest, AFirstLabelIsWantedAtTheFirstCall) {
  LabelSizing sizing{0.99};
  sizing.taken(kNow);
  EXPECT_GE(sizing.wanted(kNow), 1U);
  EXPECT_LE(sizing.wanted(kNow), 3U);
}

TEST(LabelSizingTest, LearnsRateAndReplacementTime) {
  LabelSizing sizing{0.995};
  const TimePoint now = run(sizing, 100, milliseconds{40}, seconds{20}, kNow);
  EXPECT_NEAR(sizing.arrivals_per_s(now), 100, 5);
  EXPECT_NEAR(sizing.replacement_s(), 0.040, 0.001);
  EXPECT_NEAR(static_cast<double>(sizing.wanted(now)),
              static_cast<double>(cache_size_for(4, 0.995)), 1);
}

TEST(LabelSizingTest, FollowsTheLoadUpWithinASecond) {
  LabelSizing sizing{0.995};
  TimePoint now = run(sizing, 10, milliseconds{50}, seconds{20}, kNow);
  const std::size_t low = sizing.wanted(now);
  now = run(sizing, 500, milliseconds{50}, seconds{1}, now);
  EXPECT_LE(low, 4U);
  EXPECT_GE(sizing.arrivals_per_s(now), 400);
  EXPECT_GE(sizing.wanted(now), cache_size_for(400 * 0.050, 0.995));
}

TEST(LabelSizingTest, AndDownWithinTen) {
  LabelSizing sizing{0.995};
  TimePoint now = run(sizing, 500, milliseconds{50}, seconds{20}, kNow);
  const std::size_t high = sizing.wanted(now);
  now = run(sizing, 10, milliseconds{50}, seconds{10}, now);
  EXPECT_GE(high, cache_size_for(500 * 0.050, 0.995));
  EXPECT_LE(sizing.wanted(now), cache_size_for(60 * 0.050, 0.995));
}

TEST(LabelSizingTest, AskedForAtMostSoManyItWantsNoMore) {
  LabelSizing sizing{0.995};
  const TimePoint now = run(sizing, 500, milliseconds{50}, seconds{20}, kNow);
  const std::size_t wanted = sizing.wanted(now);
  EXPECT_EQ(sizing.wanted(now, wanted + 1), wanted);
  EXPECT_EQ(sizing.wanted(now, wanted - 1), wanted - 1);
  EXPECT_EQ(sizing.wanted(now, 10), 10U) << "fewer than are in use";
  EXPECT_EQ(sizing.wanted(now, 0), 0U);
}

TEST(LabelSizingTest, AnIdleManagerKeepsNothing) {
  LabelSizing sizing{0.995};
  const TimePoint now = run(sizing, 500, milliseconds{50}, seconds{20}, kNow);
  const std::size_t at_last = sizing.wanted(now + LabelSizing::kIdle - Duration{1});
  EXPECT_GE(at_last, 1U);
  EXPECT_LE(at_last, sizing.wanted(now));
  EXPECT_EQ(sizing.wanted(now + LabelSizing::kIdle), 0U);
}

TEST(LabelSizingTest, ABurstIsForgottenAgain) {
  LabelSizing sizing{0.995};
  TimePoint now = run(sizing, 20, milliseconds{20}, seconds{20}, kNow);
  const std::size_t before = sizing.wanted(now);
  for (int i = 0; i < 200; ++i) {
    sizing.taken(now);
    sizing.asked(1);
  }
  EXPECT_GT(sizing.wanted(now), before);
  sizing.arrived(200, now + milliseconds{20});
  now = run(sizing, 20, milliseconds{20}, seconds{10}, now + milliseconds{20});
  EXPECT_LE(sizing.wanted(now), before + 2);
}

// The labels of 50 takes return together: N goes from 0 to 50, unlike
// a Poisson variable of that mean.
TEST(LabelSizingTest, LabelsThatComeBackTogetherNeedMoreThanPoissonSays) {
  LabelSizing sizing{0.995};
  TimePoint now = kNow;
  for (int i = 1; i <= 5000; ++i) {
    now += milliseconds{1};
    sizing.taken(now);
    sizing.asked(1);
    if (i % 50 == 0) sizing.arrived(50, now + Duration{1});
  }
  EXPECT_NEAR(sizing.replacement_s(), 0.0245, 0.001);
  EXPECT_LT(cache_size_for(1000 * 0.0245, 0.995), 40U);
  EXPECT_GE(sizing.wanted(now), 50U);
  EXPECT_LE(sizing.wanted(now), 75U);
}

// 10 000 calls a second whose labels are replaced within a millisecond. Twice a second everything
// stalls for 50 ms: then N is 500, while its mean is about 20.
TEST(LabelSizingTest, ABusyMachinesStallsAreCoveredWithinASecondAndForgottenAfterSome) {
  LabelSizing sizing{0.99};
  TimePoint now = kNow;
  std::size_t waiting = 0;
  const auto take = [&] {
    now += std::chrono::microseconds{100};
    sizing.taken(now);
    sizing.asked(1);
    ++waiting;
  };
  const auto come = [&] { sizing.arrived(std::exchange(waiting, 0), now); };
  for (int half_seconds = 0; half_seconds < 2; ++half_seconds) {
    for (int i = 0; i < 4500; ++i) {
      take();
      if (waiting == 10) come();
    }
    for (int i = 0; i < 500; ++i) take();
    come();
  }
  EXPECT_LT(cache_size_for(sizing.arrivals_per_s(now) * sizing.replacement_s(), 0.99), 100U);
  EXPECT_GE(sizing.wanted(now), 400U) << "nine of ten calls of a stall find a label";
  EXPECT_LE(sizing.wanted(now), 600U);
  for (int i = 0; i < 60'000; ++i) {
    take();
    if (waiting == 10) come();
  }
  EXPECT_LT(sizing.wanted(now), 60U);
}

TEST(LabelSizingTest, FewTakesSayNothingAboutRanks) {
  LabelSizing sizing{0.99};
  TimePoint now = kNow;
  for (int i = 0; i < 100; ++i) {  // all taken at once, and replaced at once
    sizing.taken(now);
    sizing.asked(1);
  }
  now += milliseconds{1};
  sizing.arrived(100, now);
  now = run(sizing, 20, milliseconds{1}, seconds{20}, now);
  EXPECT_LE(sizing.wanted(now), 4U);
}

TEST(LabelSizingTest, TheTimeCountsFromTheTakingNotFromTheAsking) {
  LabelSizing sizing{0.99};
  sizing.taken(kNow);
  sizing.taken(kNow + milliseconds{10});
  sizing.asked(2);
  sizing.arrived(2, kNow + milliseconds{30});
  EXPECT_NEAR(sizing.replacement_s(), 0.025, 1e-4) << "30 and 20 ms";
}

TEST(LabelSizingTest, LabelsForGrowthAreNotMeasured) {
  LabelSizing sizing{0.99};
  sizing.taken(kNow);
  sizing.asked(100);
  sizing.arrived(1, kNow + milliseconds{30});
  sizing.arrived(99, kNow + seconds{3});
  EXPECT_NEAR(sizing.replacement_s(), 0.030, 1e-6);
}

TEST(LabelSizingTest, ATakeThatIsNotReplacedIsNotMeasured) {
  LabelSizing sizing{0.99};
  sizing.taken(kNow);
  sizing.asked(0);  // the cache is large enough
  sizing.taken(kNow + seconds{1});
  sizing.asked(1);
  sizing.arrived(1, kNow + seconds{1} + milliseconds{30});
  EXPECT_NEAR(sizing.replacement_s(), 0.030, 1e-6);
}

TEST(LabelSizingTest, WhatNeverCameIsNotMistakenForWhatComesLater) {
  LabelSizing sizing{0.99};
  sizing.taken(kNow);
  sizing.asked(1);
  sizing.still_asked(0);  // the request was refused
  sizing.taken(kNow + seconds{2});
  sizing.asked(1);
  sizing.arrived(1, kNow + seconds{2} + milliseconds{30});
  EXPECT_NEAR(sizing.replacement_s(), 0.030, 1e-6);
}

TEST(LabelSizingTest, AReleasedLabelThatIsKeptDoesNotShiftTheLine) {
  LabelSizing sizing{0.99};
  sizing.taken(kNow);
  sizing.asked(1);
  sizing.arrived(1, kNow + milliseconds{30});  // a label that a release has returned
  sizing.still_asked(1);
  sizing.taken(kNow + seconds{1});
  sizing.asked(1);
  sizing.arrived(1, kNow + seconds{1} + milliseconds{10});  // the label that was requested first
  sizing.arrived(1, kNow + seconds{1} + milliseconds{30});
  EXPECT_NEAR(sizing.replacement_s(), 0.030, 1e-6);
}

TEST(LabelSizingTest, AfterALapseNothingIsAwaitedAndWhatWasLearntStays) {
  LabelSizing sizing{0.99};
  const TimePoint now = run(sizing, 100, milliseconds{40}, seconds{5}, kNow);
  sizing.taken(now);
  sizing.asked(1);
  sizing.lapse();
  sizing.arrived(1, now + seconds{3});
  EXPECT_NEAR(sizing.replacement_s(), 0.040, 0.001);
  EXPECT_GE(sizing.wanted(now), cache_size_for(3.9, 0.99));
}

// The queue of takes is bounded: 10 000 takes without a replacement, then all replacements at once.
TEST(LabelSizingTest, ALineThatIsTooLongIsNotMeasuredToItsEnd) {
  LabelSizing sizing{0.99};
  for (std::size_t i = 0; i < 10'000; ++i) {
    sizing.taken(i < LabelSizing::kRunsMax ? kNow : kNow + seconds{1});
    sizing.asked(1);
  }
  sizing.arrived(10'000, kNow + seconds{2});
  EXPECT_NEAR(sizing.replacement_s(), 2, 1e-6) << "those of the second second are not in it";
}

}  // namespace
}  // namespace xbind::cmgr
