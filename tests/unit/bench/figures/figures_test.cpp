// The rules of the figures, on systems with invented numbers: an M/M/1 server for every engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bench/figures/curve.hpp"
#include "bench/figures/figure.hpp"
#include "bench/figures/poisson.hpp"

namespace xbind::figures {
namespace {

using testing::HasSubstr;

// Answers by a formula: `service_ms` of the engine; sustained below its ceiling.
class Formula final : public PointSource {
 public:
  std::string name() const override { return "a formula"; }
  Result<Shown> measure(const Point& point) override {
    ++points;
    if (fails) return fail(ErrorCode::kSystem, "the formula is lost");
    const System& system = point.system;
    const double rate = point.load.calls_per_s / speed;
    const auto t = static_cast<double>(system.threshold);
    const bool xbind = system.engine == Engine::kXbind;
    double ceiling = xbind ? 170 * (1 - 0.65 / t) : 25.0;
    double base = xbind ? 11 + 1'000 * (t - 1) / (t + rate) : 23.4;
    if (system.engine == Engine::kThreaded) base = threaded_ms;
    if (system.gathering != Gathering::kFixed) ceiling = 180, base = adaptive_ms;
    if (xbind && parity && rate >= 10) base = 24;
    Shown shown;
    shown.sustained = rate < ceiling;
    shown.offered_per_s = shown.achieved_per_s = point.load.calls_per_s;
    shown.operations_per_s = 2 * point.load.calls_per_s;
    shown.invocations_per_s =
        shown.operations_per_s * (2 + per_switch * static_cast<double>(system.switches) / t);
    const double mean = base / speed;
    shown.setup = {point.load.calls, 0.86 * mean, mean,    0.88 * mean, mean,
                   1.32 * mean,      2 * mean,    3 * mean};
    const Distribution law = poisson(2, 30);
    for (const double share : law) {
      shown.in_use_at_arrivals.push_back(static_cast<std::uint64_t>(std::llround(1e6 * share)));
    }
    if (system.threshold == 15)
      shown.in_use_at_arrivals[20] += static_cast<std::uint64_t>(std::llround(1e6 * lumps));
    shown.hit_ratio = below(law, system.labels_cached);
    return shown;
  }

  double speed = 1;
  bool parity = false;
  bool fails = false;
  double per_switch = 2;
  double threaded_ms = 24.9;
  double adaptive_ms = 11;
  double lumps = 0;  // share of the arrivals that find twenty further labels in use
  std::size_t points = 0;
};

Figure made(Result<Figure> (*figure)(Bench&), Formula& source) {
  Scale scale;
  scale.speed = source.speed;
  Bench bench(source, scale, {});
  auto result = figure(bench);
  EXPECT_TRUE(result) << result.error().text;
  return std::move(result).value();
}

TEST(Digits, AreThoseThatCount) {
  EXPECT_EQ(digits(0), "0");
  EXPECT_EQ(digits(23.4), "23.40");
  EXPECT_EQ(digits(1234.4), "1234");
  EXPECT_EQ(digits(0.04123), "0.0412");
  EXPECT_EQ(digits(-0.5), "-0.500");
  EXPECT_EQ(digits(std::numeric_limits<double>::infinity()), "none");
}

TEST(Bench, MeasuresAPointOnce) {
  Formula source;
  Bench bench(source, {}, {});
  const Point point = bench.point(xbind_system({}, 1), 10, 100, 1'000);
  EXPECT_EQ(point.load.calls, 100U);
  ASSERT_TRUE(bench.measure("a", point));
  ASSERT_TRUE(bench.measure("b", point));
  EXPECT_EQ(source.points, 1U);
}

TEST(Bench, ScalesRatesUpAndTimesDown) {
  Formula source;
  Scale scale;
  scale.speed = 100;
  scale.quick = false;
  Bench bench(source, scale, {});
  const Point point = bench.point(xbind_system(scale, 1), 60, 100, 1'000);
  EXPECT_EQ(point.load.calls_per_s, 6'000);
  EXPECT_EQ(point.load.calls, 1'000U);
  EXPECT_EQ(point.load.hold_mean, std::chrono::milliseconds{5});
  EXPECT_EQ(point.system.flush_timeout, std::chrono::milliseconds{10});
  EXPECT_EQ(point.system.route_validity, std::chrono::milliseconds{50});
}

TEST(Bench, InRealTimeAPointHasNoMoreCallsThanComeInItsTime) {
  Formula source;
  Scale scale;
  scale.speed = 10;
  scale.seconds_at_most = 3;
  const Bench bench(source, scale, {});
  EXPECT_EQ(bench.point({}, 50, 10'000, 100'000).load.calls, 1'500U);
  EXPECT_EQ(bench.point({}, 500, 10'000, 100'000).load.calls, 10'000U);
  EXPECT_EQ(bench.point({}, 1, 10'000, 100'000).load.calls, Scale::kCallsAtLeast);
  EXPECT_EQ(bench.point({}, 1, 100, 1'000).load.calls, 100U);
}

TEST(RunCurve, EndsAtTheCeilingWithinTwoPercent) {
  Formula source;
  Bench bench(source, {}, {});
  std::string csv;
  const auto curve = run_curve(bench, "x", xbind_system({}, 1), {1, 10, 50, 100}, csv);
  ASSERT_TRUE(curve);
  EXPECT_LT(curve->ceiling, 59.5);
  EXPECT_GT(curve->ceiling, 59.5 / 1.02);
  for (const Curve::At& at : curve->points) EXPECT_LE(at.rate, curve->ceiling);
  EXPECT_THAT(csv, HasSubstr("xbind T=1,3,256,100,100,0,"));  // cut off the curve, kept in the file
  EXPECT_EQ(curve->mean_at(10), 11);
  EXPECT_TRUE(std::isnan(curve->mean_at(100)));
}

TEST(RunCurve, GoesOnWhereTheRatesEnd) {
  Formula source;
  Bench bench(source, {}, {});
  std::string csv;
  const auto curve = run_curve(bench, "x", baseline_system({}, Engine::kSequential), {1, 5}, csv);
  ASSERT_TRUE(curve);
  EXPECT_NEAR(curve->ceiling, 25, 0.5);
}

TEST(Fig6, NeedsAllThreeRegions) {
  Formula source;
  const Figure two = made(three_managers, source);
  EXPECT_EQ(two.verdict.shape, Shape::kPartly);
  ASSERT_FALSE(two.pictures.front().plot.remarks.empty());
  EXPECT_EQ(two.pictures.front().plot.remarks[1].text, "parity (paper only)");
  EXPECT_THAT(two.verdict.decided, HasSubstr("Gain yes"));
  EXPECT_THAT(two.verdict.decided, HasSubstr("Parity no"));
  EXPECT_THAT(two.verdict.decided, HasSubstr("Ceiling yes"));
  source.parity = true;
  const Figure three = made(three_managers, source);
  EXPECT_TRUE(three.verdict.reproduced());
  EXPECT_EQ(three.pictures.front().plot.remarks[1].text, "parity");
}

TEST(Fig7, AFamilyWhoseCeilingsAndLatenciesRiseIsReproduced) {
  Formula source;
  const Figure figure = made(thresholds, source);
  EXPECT_TRUE(figure.verdict.reproduced()) << figure.verdict.decided;
  ASSERT_EQ(figure.tables.front().rows.size(), 7U);
  EXPECT_EQ(figure.tables.front().rows.front()[1], "60 (at about 40 ms)");
}

TEST(Fig9, PoissonItselfIsPoisson) {
  Formula source;
  const Figure figure = made(labels_in_use, source);
  EXPECT_TRUE(figure.verdict.reproduced()) << figure.verdict.decided;
  EXPECT_EQ(figure.pictures.size(), 8U);
}

TEST(Table1, TheEstimateOfPoissonItselfIsExact) {
  Formula source;
  const Figure figure = made(cache_sizes, source);
  EXPECT_TRUE(figure.verdict.reproduced()) << figure.verdict.decided;
  EXPECT_THAT(figure.csv, HasSubstr("\"b: 50 calls/s, T=5\",10,"));
}

TEST(Fig10, FindsTheCoefficientsAndRefusesOthersThanTwo) {
  Formula source;
  const Figure right = made(invocations, source);
  EXPECT_TRUE(right.verdict.reproduced()) << right.verdict.decided;
  EXPECT_THAT(right.verdict.decided, HasSubstr("a = 2.00, b = 2.00"));
  source.per_switch = 3;
  const Figure wrong = made(invocations, source);
  EXPECT_EQ(wrong.verdict.shape, Shape::kNot);
  EXPECT_THAT(wrong.verdict.decided, HasSubstr("b = 3.00"));
}

TEST(Baselines, AreJudgedByTheirShape) {
  Formula source;
  const Figure one = made(baseline_one_at_a_time, source);
  EXPECT_TRUE(one.verdict.reproduced());
  EXPECT_TRUE(made(threaded_one_at_a_time, source).verdict.reproduced());
  // Five numbers are shown as labelled points, not as a curve.
  const plot::Plot& plot = one.pictures.front().plot;
  for (const plot::Series& series : plot.series) EXPECT_EQ(series.look, plot::Look::kPoints);
  ASSERT_EQ(plot.x_words.size(), 5U);
  EXPECT_EQ(plot.x_words.front().second, "min");
}

TEST(Baselines, ThreadsThatCostNothingAreTheSequentialManagerAgain) {
  Formula source;
  source.threaded_ms = 23.4;
  const Figure figure = made(threaded_one_at_a_time, source);
  EXPECT_EQ(figure.verdict.shape, Shape::kNot);
  EXPECT_THAT(figure.verdict.decided, HasSubstr("B1's run again"));
}

TEST(Fig9, OneCaseThatMissesLeavesItPartly) {
  Formula source;
  source.lumps = 0.05;
  EXPECT_EQ(made(labels_in_use, source).verdict.shape, Shape::kPartly);
}

TEST(Fig11, HoldsOnlyWithItsOwnBoundOfAdaptive) {
  Formula source;
  EXPECT_THAT(made(load_regions, source).verdict.decided, HasSubstr("adaptive yes: at worst 1.00"));
  source.adaptive_ms = 14;
  const Figure slow = made(load_regions, source);
  EXPECT_EQ(slow.verdict.shape, Shape::kPartly);
  EXPECT_THAT(slow.verdict.decided, HasSubstr("adaptive no: at worst 1.27"));
}

TEST(ShapeOf, CountsTheConditionsThatHold) {
  EXPECT_EQ(shape_of({true, true}), Shape::kReproduced);
  EXPECT_EQ(shape_of({true, false}), Shape::kPartly);
  EXPECT_EQ(shape_of({false, false}), Shape::kNot);
}

TEST(Memory, CountsOctetsOfEveryLabel) {
  Formula source;
  const Figure figure = made(cache_memory, source);
  const double each = figure.numbers[0].second;
  EXPECT_GT(each, 12);
  EXPECT_LT(each, 400);
  // The size that the paper assumes for a label.
  EXPECT_EQ(figure.verdict.reproduced(), each <= 32);
  EXPECT_NEAR(figure.numbers[1].second, each / 8, 1e-9);  // 2^17 labels, in MiB of 2^20
}

TEST(FindSpeed, FindsHowMuchFasterASystemIs) {
  Formula source;
  source.speed = 400;
  const auto speed = find_speed(source, {}, {});
  ASSERT_TRUE(speed) << speed.error().text;
  EXPECT_LE(*speed, 400);
  EXPECT_GT(*speed, 300);
}

TEST(Figures, AnErrorOfTheSourceIsTheFigures) {
  Formula source;
  source.fails = true;
  for (const Recipe& recipe : recipes()) {
    if (recipe.id == "memory") continue;  // needs no source
    Bench bench(source, {}, {});
    const auto figure = recipe.make(bench);
    ASSERT_FALSE(figure) << recipe.id;
    EXPECT_EQ(figure.error().text, "the formula is lost");
  }
}

}  // namespace
}  // namespace xbind::figures
