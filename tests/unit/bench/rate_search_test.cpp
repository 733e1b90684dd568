#include "bench/search/rate_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind::callgen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The rates tried on a system that keeps every rate up to `limit`.
std::vector<double> tried(RateSearch& search, double limit) {
  std::vector<double> rates;
  while (const auto rate = search.next()) {
    rates.push_back(*rate);
    search.add(*rate, *rate <= limit);
    if (rates.size() == 200) break;
  }
  return rates;
}

TEST(RateSearch, TriesTheListedRatesThenGrowsAndHalvesTheGap) {
  RateSearch search({.rates = {20, 100, 500}, .growth = 1.5, .precision = 0.1});
  const auto rates = tried(search, 1000);
  ASSERT_GT(rates.size(), 6U);
  EXPECT_THAT(std::vector(rates.begin(), rates.begin() + 5), ElementsAre(20, 100, 500, 750, 1125));
  EXPECT_DOUBLE_EQ(rates[5], std::sqrt(750.0 * 1125));
  EXPECT_LE(search.kept(), 1000);
  EXPECT_GT(search.broken(), 1000);
  EXPECT_LE(search.broken(), 1.1 * search.kept());
}

TEST(RateSearch, FindsAnyLimitToThePrecision) {
  for (const double limit : {25.0, 99.0, 600.0, 12'345.0, 250'000.0}) {
    for (const double precision : {0.01, 0.1}) {
      RateSearch search({.rates = {20, 100, 500}, .growth = 1.5, .precision = precision});
      EXPECT_LT(tried(search, limit).size(), 60U);
      EXPECT_LE(search.kept(), limit);
      EXPECT_GE(search.kept(), limit / (1 + precision));
    }
  }
}

TEST(RateSearch, GoesDownWhenTheFirstRateIsBroken) {
  RateSearch search({.rates = {800}, .growth = 2, .precision = 0.5, .lowest = 10});
  EXPECT_THAT(tried(search, 220), ElementsAre(800, 400, 200, std::sqrt(200.0 * 400)));
  EXPECT_DOUBLE_EQ(search.kept(), 200);
}

TEST(RateSearch, EndsAtItsBounds) {
  RateSearch low({.rates = {80}, .lowest = 30});
  EXPECT_THAT(tried(low, 1), ElementsAre(80, 40, 30));
  EXPECT_DOUBLE_EQ(low.kept(), 0);
  EXPECT_DOUBLE_EQ(low.broken(), 30);
  RateSearch high({.rates = {80}, .highest = 200});
  EXPECT_THAT(tried(high, 1000), ElementsAre(80, 160, 200));
  EXPECT_DOUBLE_EQ(high.kept(), 200);
  EXPECT_DOUBLE_EQ(high.broken(), 0);
  // A first rate that is also the lowest: nothing below is tried.
  RateSearch first({.rates = {20, 100}, .lowest = 20});
  EXPECT_THAT(tried(first, 1), ElementsAre(20));
}

TEST(RateSearch, TheOrderOfTheOutcomesDoesNotMatter) {
  RateSearch search({.rates = {250, 500, 1000}});
  search.add(1000, false);
  search.add(500, true);
  search.add(250, true);
  EXPECT_DOUBLE_EQ(search.next().value(), std::sqrt(500.0 * 1000));
  EXPECT_THAT(to_json(search), HasSubstr(R"({"next": 707.1)"));
  EXPECT_THAT(to_json(search), HasSubstr(R"("kept": 500, "broken": 1000})"));
  search.add(980, false);
  search.add(960, true);
  EXPECT_EQ(to_json(search), "{\"next\": null, \"kept\": 960, \"broken\": 980}\n");
}

TEST(Rates, AreAboveZeroAndAscending) {
  EXPECT_THAT(parse_rates("20,50,100.5").value(), ElementsAre(20, 50, 100.5));
  EXPECT_THAT(parse_rates("7").value(), ElementsAre(7));
  for (const auto& [text, why] : {std::pair{"", "'' is not a rate"},
                                  {"20,", "'' is not a rate"},
                                  {"20,x", "'x' is not a rate"},
                                  {"0", "'0' is not a rate"},
                                  {"-3", "'-3' is not a rate"},
                                  {"inf", "'inf' is not a rate"},
                                  {"20,20", "20 does not follow 20"}}) {
    const auto rates = parse_rates(text);
    ASSERT_FALSE(rates) << text;
    EXPECT_THAT(rates.error().text, HasSubstr(why));
  }
}

}  // namespace
}  // namespace xbind::callgen
