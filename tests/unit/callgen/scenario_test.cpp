#include "callgen/load/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace xbind::callgen {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const std::vector<std::string>& parts) {
  const auto mix = parse_mix(parts);
  return mix ? "taken" : mix.error().text;
}

TEST(ScenarioMix, IsPlainSetupsUnlessAnOptionSaysOtherwise) {
  EXPECT_EQ(parse_mix({}).value(), ScenarioMix{});
  EXPECT_TRUE(ScenarioMix{}.only_setups());
  EXPECT_FALSE(ScenarioMix{}.has(Scenario::kLeaf));
}

TEST(ScenarioMix, WeightsAreTakenByNameAndAreOneWhenLeftOut) {
  const ScenarioMix mix = parse_mix({"setup=90", "leaf", "hold=2.5"}).value();
  EXPECT_EQ(mix.weights, (std::array<double, kScenarios>{90, 0, 1, 2.5}));
  EXPECT_FALSE(mix.only_setups());
  EXPECT_EQ(to_string(mix), "setup=90,leaf=1,hold=2.5");
  EXPECT_EQ(parse_mix({"modify"})->weights, (std::array<double, kScenarios>{0, 1, 0, 0}));
}

TEST(ScenarioMix, EachBadPartIsRefusedByName) {
  EXPECT_THAT(refusal({"setup=9", "query=1"}),
              HasSubstr("'query=1': there is no scenario query, but setup, modify, leaf, hold"));
  EXPECT_THAT(refusal({"leaf=1", "leaf=2"}), HasSubstr("'leaf=2': scenario leaf is named twice"));
  for (const char* const weight : {"0", "-1", "nan", "inf", "", "many", "1e10", "5x"})
    EXPECT_THAT(
        refusal({std::string("hold=") + weight}),
        AllOf(HasSubstr(std::string("'hold=") + weight + "'"), HasSubstr("no number above 0")))
        << weight;
}

TEST(PriorityMix, AreNumbersUpToTheHighest) {
  EXPECT_TRUE(parse_priorities({})->only_zero());
  const PriorityMix mix = parse_priorities({"0=9", "7=1"}).value();
  EXPECT_EQ(mix.weights, (std::array<double, kPriorities>{9, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_FALSE(mix.only_zero());
  EXPECT_EQ(to_string(mix), "0=9,7=1");
  const auto refused = parse_priorities({"8=1"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("'8=1': there is no priority 8"));
}

TEST(WeightedDraw, DrawsEachAsOftenAsItsWeightSays) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    WeightedDraw<4> draw({90, 5, 0, 5}, bits_for(seed, Stream::kScenario));
    constexpr int kSample = 100'000;
    std::array<int, 4> counts{};
    for (int i = 0; i < kSample; ++i) ++counts[draw.next()];
    // Four standard deviations of a binomial: sqrt(n p (1 - p)).
    EXPECT_NEAR(counts[0], 90'000, 4 * 95);
    EXPECT_NEAR(counts[1], 5'000, 4 * 69);
    EXPECT_EQ(counts[2], 0);
    EXPECT_NEAR(counts[3], 5'000, 4 * 69);
  }
}

TEST(WeightedDraw, OneThatIsCertainTakesNoDraw) {
  WeightedDraw<4> draw({0, 0, 2, 0}, bits_for(1, Stream::kScenario));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(draw.next(), 2u);
}

}  // namespace
}  // namespace xbind::callgen
