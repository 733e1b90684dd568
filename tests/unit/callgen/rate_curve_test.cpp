// The rate over time, its integral and its inverse; changes of it.
#include "callgen/load/rate_curve.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "callgen/load/pacer.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;

// 10 s at 100, 10 s from 100 to 300, 10 s of silence, 10 s at 50.
std::vector<RatePiece> hilly() {
  return {{.length = 10s, .from = 100, .to = 100},
          {.length = 10s, .from = 100, .to = 300},
          {.length = 10s, .from = 0, .to = 0},
          {.length = 10s, .from = 50, .to = 50, .even = true}};
}

TEST(RateCurve, IntegratesEveryPiece) {
  const RateCurve plan(hilly());
  EXPECT_DOUBLE_EQ(plan.calls_until(0s), 0);
  EXPECT_DOUBLE_EQ(plan.calls_until(5s), 500);
  EXPECT_DOUBLE_EQ(plan.calls_until(15s), 1000 + 500 + 250);
  EXPECT_DOUBLE_EQ(plan.calls_until(20s), 3000);
  EXPECT_DOUBLE_EQ(plan.calls_until(30s), 3000);
  EXPECT_DOUBLE_EQ(plan.calls_until(40s), 3500);
  EXPECT_DOUBLE_EQ(plan.calls_until(50s), 3500);
  EXPECT_DOUBLE_EQ(plan.rate_at(15s), 200);
  EXPECT_DOUBLE_EQ(plan.rate_at(25s), 0);
  EXPECT_DOUBLE_EQ(plan.rate_at(40s), 0);
  EXPECT_DOUBLE_EQ(plan.peak(), 300);
  EXPECT_FALSE(plan.even_at(25s));
  EXPECT_TRUE(plan.even_at(35s));
}

TEST(RateCurve, FindsTheTimeOfACall) {
  const RateCurve plan(hilly());
  EXPECT_EQ(plan.time_of(500), 5s);
  EXPECT_EQ(plan.time_of(1750), 15s);
  EXPECT_EQ(plan.time_of(3000), 20s);  // before the silence, not after it
  EXPECT_EQ(plan.time_of(3050), 31s);
  EXPECT_EQ(plan.time_of(3501), RateCurve::kNever);
}

TEST(RateCurve, IsItsOwnInverse) {
  const RateCurve plan(hilly());
  for (double calls = 0.5; calls < 3500; calls += 7.25)
    EXPECT_NEAR(plan.calls_until(plan.time_of(calls)), calls, 1e-5) << calls;
}

TEST(RateCurve, ChangesTheRestOfAPieceAlone) {
  RateCurve plan(hilly());
  plan.change(15s, 10);  // in the middle of the ramp
  EXPECT_DOUBLE_EQ(plan.calls_until(15s), 1750);
  EXPECT_DOUBLE_EQ(plan.rate_at(15s), 10);
  EXPECT_DOUBLE_EQ(plan.calls_until(20s), 1800);
  EXPECT_DOUBLE_EQ(plan.calls_until(40s), 2300);
  plan.change(20s, 7);  // at the beginning of the silence: the whole of it
  EXPECT_DOUBLE_EQ(plan.calls_until(30s), 1870);
  plan.change(45s, 1000);  // after the end
  EXPECT_DOUBLE_EQ(plan.calls_until(50s), 2370);
}

std::vector<double> starts_s(Pacer& pacer, int count) {
  std::vector<double> starts;
  for (int i = 0; i < count; ++i)
    starts.push_back(std::chrono::duration<double>(pacer.next_start()).count());
  return starts;
}

TEST(ChangedPace, EvenCallsKeepTheShareOfTheGapThatHasPassed) {
  Pacer pacer(Arrivals::kConstant, 10, 1);
  EXPECT_EQ(starts_s(pacer, 3), (std::vector{0.1, 0.2, 0.3}));
  // Half of the gap to 0.3 has passed; the other half takes 0.5 / 2 s at 2 calls/s.
  EXPECT_EQ(pacer.change_rate(250ms, 2), 500ms);
  EXPECT_EQ(starts_s(pacer, 2), (std::vector{1.0, 1.5}));
  EXPECT_DOUBLE_EQ(pacer.rate_at(1s), 2);
}

TEST(ChangedPace, AChangeLeavesADueCallWhereItIs) {
  Pacer pacer(Arrivals::kConstant, 10, 1);
  EXPECT_EQ(pacer.next_start(), 100ms);
  EXPECT_EQ(pacer.change_rate(100ms, 1000), 100ms);
  EXPECT_EQ(pacer.next_start(), 101ms);
}

TEST(ChangedPace, IndependentCallsComeAtTheNewRate) {
  Pacer pacer(Arrivals::kPoisson, 1000, 7);
  Duration last{};
  while (last < 10s) last = pacer.next_start();
  pacer.change_rate(10s, 4000);
  int calls = 0;
  while (pacer.next_start() < 20s) ++calls;
  EXPECT_NEAR(calls, 40'000, 5 * 200);
}

TEST(ChangedPace, ARampEndsAtTheChange) {
  Pacer pacer({.arrivals = Arrivals::kRamp, .calls_per_s = 100, .ramp_to = 300, .ramp_s = 10}, 3);
  pacer.next_start();
  pacer.change_rate(5s, 50);
  EXPECT_DOUBLE_EQ(pacer.rate_at(4s), 180);
  EXPECT_DOUBLE_EQ(pacer.rate_at(9s), 50);
  EXPECT_DOUBLE_EQ(pacer.rate_at(11s), 300);  // the plan after the ramp stands
}

TEST(ChangedPace, BurstsAndTracesHaveNoRate) {
  EXPECT_FALSE(Pacer({.arrivals = Arrivals::kBurst}, 1).has_rate());
  EXPECT_TRUE(Pacer({.arrivals = Arrivals::kPoisson}, 1).has_rate());
}

}  // namespace
}  // namespace xbind::callgen
