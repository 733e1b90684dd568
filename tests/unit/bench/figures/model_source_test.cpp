#include "bench/figures/model_source.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "bench/figures/figure.hpp"
#include "bench/figures/poisson.hpp"

namespace xbind::figures {
namespace {

Point point_of(const System& system, double rate, std::uint64_t calls) {
  Point point;
  point.system = system;
  point.load.calls_per_s = rate;
  point.load.calls = calls;
  return point;
}

Shown shown_by(const Point& point) {
  ModelSource source;
  const auto shown = source.measure(point);
  EXPECT_TRUE(shown) << shown.error().text;
  return shown.value_or(Shown{});
}

TEST(ModelSource, ThePointDecidesTheAnswerAndTheSeedIsPartOfIt) {
  Point point = point_of(xbind_system({}, 4), 60, 2'000);
  const Shown first = shown_by(point);
  const Shown second = shown_by(point);
  EXPECT_EQ(first.setup.mean, second.setup.mean);
  EXPECT_EQ(first.in_use_at_arrivals, second.in_use_at_arrivals);
  point.load.seed = 2;
  EXPECT_NE(shown_by(point).setup.mean, first.setup.mean);
}

TEST(ModelSource, OneAtATimeIsTheSequentialManagersBaseline) {
  Point point = point_of(baseline_system({}, Engine::kSequential), 1, 2'000);
  point.load.one_at_a_time = true;
  const Shown shown = shown_by(point);
  EXPECT_EQ(shown.connected, 2'000U);
  EXPECT_EQ(shown.hit_ratio, 0);
  // The constants were fitted to the paper's 20.0 and 23.4 ms.
  EXPECT_NEAR(shown.setup.min, 20.0, 2.5);
  EXPECT_NEAR(shown.setup.mean, 23.4, 1.5);
}

TEST(ModelSource, EveryCallIsAnsweredOnPathsOfOneToEightSwitches) {
  for (std::size_t switches = 1; switches <= 8; ++switches) {
    System system = xbind_system({}, 5);
    system.switches = switches;
    const Shown shown = shown_by(point_of(system, 20, 1'000));
    EXPECT_EQ(shown.connected, 1'000U) << switches;
    EXPECT_EQ(shown.unanswered, 0U) << switches;
    EXPECT_TRUE(shown.sustained) << switches;
  }
}

// Little's law, from two independent counts: N as arrivals find it, and N over time.
TEST(ModelSource, LabelsInUseAreTheSameAtArrivalsAndOverTime) {
  const Shown shown = shown_by(point_of(xbind_system({}, 5), 50, 20'000));
  const auto samples = std::accumulate(shown.in_use_at_arrivals.begin(),
                                       shown.in_use_at_arrivals.end(), std::uint64_t{0});
  EXPECT_EQ(samples, 18'000U);
  EXPECT_NEAR(mean_of(shares(shown.in_use_at_arrivals)) / shown.mean_in_use, 1, 0.05);
}

TEST(ModelSource, FewerLabelsMissMoreAndNoneMissAll) {
  double before = -1;
  for (const std::size_t labels : {0U, 1U, 4U, 64U}) {
    System system = xbind_system({}, 5);
    system.labels_cached = labels;
    const double hit = shown_by(point_of(system, 50, 5'000)).hit_ratio;
    EXPECT_GT(hit, before) << labels;
    before = hit;
  }
  EXPECT_GT(before, 0.99);
}

TEST(ModelSource, InvocationsFollowTheFormula) {
  const Shown one = shown_by(point_of(xbind_system({}, 1), 30, 3'000));
  EXPECT_NEAR(one.invocations_per_s / one.operations_per_s, 2 + 2 * 3, 0.1);
  const Shown ten = shown_by(point_of(xbind_system({}, 10), 100, 5'000));
  EXPECT_NEAR(ten.invocations_per_s / ten.operations_per_s, 2 + 2 * 3 / 10.0, 0.15);
}

TEST(ModelSource, ALoadThatIsNotCarriedSaysSo) {
  EXPECT_FALSE(shown_by(point_of(xbind_system({}, 1), 90, 5'000)).sustained);
  EXPECT_TRUE(shown_by(point_of(xbind_system({}, 15), 90, 5'000)).sustained);
}

TEST(ModelSource, RefusesWhatItCannotRun) {
  ModelSource source;
  EXPECT_FALSE(source.measure(point_of(xbind_system({}, 1), 0, 100)));
  EXPECT_FALSE(source.measure(point_of(xbind_system({}, 1), 10, 0)));
  EXPECT_FALSE(source.measure(point_of(xbind_system({}, 0), 10, 100)));
  System nine = xbind_system({}, 1);
  nine.switches = 9;
  EXPECT_FALSE(source.measure(point_of(nine, 10, 100)));
}

}  // namespace
}  // namespace xbind::figures
