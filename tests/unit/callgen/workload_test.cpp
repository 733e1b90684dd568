#include "callgen/load/workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

namespace xbind::callgen {
namespace {

using testing::HasSubstr;

std::map<std::pair<std::string, std::string>, int> draw(Workload workload, int calls) {
  std::map<std::pair<std::string, std::string>, int> counts;
  for (int i = 0; i < calls; ++i) {
    const Ends ends = workload.next();
    ++counts[{std::string(ends.from), std::string(ends.to)}];
  }
  return counts;
}

TEST(Workload, UniformMeansEveryOrderedPairOfDistinctEndpointsAlike) {
  const auto counts = draw(Workload::uniform({"a", "b", "c"}, 1).value(), 60'000);
  ASSERT_EQ(counts.size(), 6u);  // and no endpoint calls itself
  for (const auto& [ends, count] : counts)
    EXPECT_NEAR(count, 10'000, 370) << ends.first << " -> " << ends.second;
}

TEST(Workload, WeightsAreSharesOfTheCalls) {
  const auto counts =
      draw(Workload::weighted({{"a", "b", 1}, {"b", "a", 2}, {"a", "c", 7}}, 1).value(), 10'000);
  EXPECT_NEAR(counts.at({"a", "b"}), 1000, 120);
  EXPECT_NEAR(counts.at({"b", "a"}), 2000, 160);
  EXPECT_NEAR(counts.at({"a", "c"}), 7000, 184);
}

TEST(Workload, OneDemandIsAllThereIs) {
  Workload workload = Workload::weighted({{"host-1", "host-2", 0.001}}, 9).value();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(workload.next(), (Ends{"host-1", "host-2"}));
}

TEST(Workload, TheSameSeedGivesTheSameSequence) {
  Workload first = Workload::uniform({"a", "b", "c", "d"}, 5).value();
  Workload second = Workload::uniform({"a", "b", "c", "d"}, 5).value();
  Workload other = Workload::uniform({"a", "b", "c", "d"}, 6).value();
  int differ = 0;
  for (int i = 0; i < 100; ++i) {
    const Ends ends = first.next();
    EXPECT_EQ(ends, second.next());
    if (ends != other.next()) ++differ;
  }
  EXPECT_GT(differ, 50);
}

std::string refusal(const Result<Workload>& workload) {
  return workload ? "taken" : workload.error().text;
}

TEST(Workload, RefusesNoDemand) {
  EXPECT_THAT(refusal(Workload::weighted({}, 1)), HasSubstr("who calls whom"));
}
TEST(Workload, RefusesTooManyDemands) {
  const std::vector<Demand> demands(Workload::kMostDemands + 1, Demand{"a", "b", 1});
  EXPECT_THAT(refusal(Workload::weighted(demands, 1)), HasSubstr("1000001"));
}
TEST(Workload, RefusesADemandWithoutAnEnd) {
  EXPECT_THAT(refusal(Workload::weighted({{"a", "", 1}}, 1)), HasSubstr("name of an end"));
  EXPECT_THAT(refusal(Workload::weighted({{"", "b", 1}}, 1)), HasSubstr("name of an end"));
}
TEST(Workload, RefusesAnEndThatCallsItself) {
  EXPECT_THAT(refusal(Workload::weighted({{"a", "a", 1}}, 1)), HasSubstr("a would call itself"));
}
TEST(Workload, RefusesWeightsThatAreNoPositiveNumbers) {
  for (const double weight : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(refusal(Workload::weighted({{"a", "b", weight}}, 1)), HasSubstr("weight"));
}
TEST(Workload, RefusesWeightsWhoseSumIsNoNumber) {
  const double huge = std::numeric_limits<double>::max();
  EXPECT_THAT(refusal(Workload::weighted({{"a", "b", huge}, {"b", "a", huge}}, 1)),
              HasSubstr("add up to inf"));
}
TEST(Workload, RefusesFewerThanTwoEndpoints) {
  EXPECT_THAT(refusal(Workload::uniform({}, 1)), HasSubstr("0 known"));
  EXPECT_THAT(refusal(Workload::uniform({"a"}, 1)), HasSubstr("1 known"));
}
TEST(Workload, RefusesTooManyEndpoints) {
  const std::vector<std::string> endpoints(Workload::kMostEndpoints + 1, "a");
  EXPECT_THAT(refusal(Workload::uniform(endpoints, 1)), HasSubstr("1000001"));
}
TEST(Workload, RefusesAnEndpointWithoutName) {
  EXPECT_THAT(refusal(Workload::uniform({"a", ""}, 1)), HasSubstr("empty name"));
}
TEST(Workload, RefusesAnEndpointNamedTwice) {
  EXPECT_THAT(refusal(Workload::uniform({"a", "b", "a"}, 1)), HasSubstr("a is named twice"));
}

TEST(Workload, NamesEveryEnd) {
  EXPECT_EQ(Workload::weighted({{"c", "a", 1}, {"a", "b", 2}}, 1)->every_end(),
            (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(Workload::uniform({"y", "x"}, 1)->every_end(), (std::vector<std::string>{"x", "y"}));
}

}  // namespace
}  // namespace xbind::callgen
