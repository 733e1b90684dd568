// The figures of the Fairisle paper: what their rules say of good and of bad curves, and of ours.
#include "bench/fairisle/figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/fairisle/offered.hpp"
#include "bench/fairisle/rules.hpp"

namespace xbind::fairisle {
namespace {

using namespace std::chrono_literals;
using figures::Shape;
using ::testing::HasSubstr;

// Curves as the paper has them: 6 us a burst, 5.232 us a cell.
std::vector<BurstRates> good_rates() {
  std::vector<BurstRates> rates;
  for (const std::size_t burst : kFig5Bursts) {
    const auto cells = static_cast<double>(burst);
    rates.push_back({burst, cells * 384 / (6 + cells * 5.232), 73.4});
  }
  return rates;
}

TEST(Fig5, TheModelsOwnCurvesAreReproduced) {
  const figures::Verdict verdict = judge_fig5(good_rates());
  EXPECT_EQ(verdict.shape, Shape::kReproduced) << verdict.decided;
  EXPECT_THAT(verdict.decided, HasSubstr("t_burst 6.00 us, t_cell 5.23 us"));
}

TEST(Fig5, EachConditionCanFail) {
  const auto expect_partly = [](std::vector<BurstRates> rates, const char* what) {
    EXPECT_EQ(judge_fig5(rates).shape, Shape::kPartly) << what;
  };
  auto rates = good_rates();
  rates[3].first_busy = 40;
  expect_partly(rates, "falls, and no fit");
  rates = good_rates();
  rates[5].first_busy = 69;
  expect_partly(rates, "not flat");
  rates = good_rates();
  rates[2].maximum = 50;
  expect_partly(rates, "a maximum below");
  rates = good_rates();
  for (BurstRates& at : rates) at.maximum = at.first_busy;
  expect_partly(rates, "one curve");
  rates = good_rates();
  rates.back().maximum = 80;
  expect_partly(rates, "another plateau");
}

IdleCurve curve(std::size_t burst, double knee) {
  IdleCurve made{burst, {}, knee, 0};
  for (double mbit = 5; mbit <= 85; mbit += 5) {
    made.idle.emplace_back(mbit, std::max(0.0, 1 - mbit / knee));
  }
  return made;
}

TEST(Fig6, EachConditionCanFail) {
  const std::vector<IdleCurve> good{curve(1, 42), curve(4, 48)};
  EXPECT_EQ(judge_fig6(good).shape, Shape::kReproduced) << judge_fig6(good).decided;
  auto bad = good;
  bad[0] = curve(1, 39);
  EXPECT_EQ(judge_fig6(bad).shape, Shape::kPartly);
  bad = good;
  bad[1] = curve(4, 55);
  EXPECT_EQ(judge_fig6(bad).shape, Shape::kPartly);
  bad = good;
  bad[1].lost_at_line_rate = 1;
  EXPECT_EQ(judge_fig6(bad).shape, Shape::kPartly);
  bad = good;
  bad[1].idle[3].second = 1;
  EXPECT_EQ(judge_fig6(bad).shape, Shape::kPartly);
}

TEST(Figures, OursAreMadeWithEveryProfileAndBurst) {
  EXPECT_EQ(rates(true).verdict.shape, Shape::kReproduced) << rates(true).verdict.decided;
  const figures::Figure fifth = fig5(true);
  EXPECT_EQ(fifth.verdict.shape, Shape::kReproduced) << fifth.verdict.decided;
  EXPECT_EQ(std::ranges::count(fifth.csv, '\n'), 1 + 3 * 7);
  const OwnCosts own{.port = {{1, 10, 10, 90}, {1, 50, 49, 60}, {4, 10, 10, 95}},
                     .queueing = {{"fifo", 20}, {"class", 30}}};
  const figures::Figure sixth = fig6(true, own);
  EXPECT_EQ(sixth.verdict.shape, Shape::kPartly) << sixth.verdict.decided;
  EXPECT_EQ(sixth.pictures.size(), 2U);
  EXPECT_EQ(sixth.pictures[1].plot.series.size(), 2U);
  EXPECT_THAT(sixth.csv, HasSubstr("queueing class,,,30"));
  EXPECT_EQ(fig6(true, {}).pictures.size(), 1U);
}

TEST(Offered, AProcessorThatIsNeverAlwaysBusy) {
  EXPECT_EQ(first_busy(*dataplane::parse_port_controller("fpc2-arm600"), 8, 100ms), std::nullopt);
}

TEST(PortCost, APortThatSleepsForwardsWhatComes) {
  const auto point = callgen::measure_port(4, 5, 50ms);
  ASSERT_TRUE(point.has_value()) << point.error().text;
  EXPECT_GT(point->offered_mbit, 0);
  EXPECT_LE(point->forwarded_mbit, point->offered_mbit);
  EXPECT_LE(point->idle_percent, 100);
}

TEST(PortCost, TheQueueingOptionsBeginWithFifo) {
  const auto costs = dataplane::bench::queueing_costs(10'000, 1);
  ASSERT_TRUE(costs.has_value()) << costs.error().text;
  ASSERT_EQ(costs->size(), 3U);
  EXPECT_EQ(costs->front().option, "fifo");
  // Any number: the time is this machine's.
  for (const auto& one : *costs) EXPECT_GT(one.ns_a_cell, 0) << one.option;
}

}  // namespace
}  // namespace xbind::fairisle
