#include "bench/search/soak.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "callgen/load/random.hpp"

namespace xbind::callgen {
namespace {

using testing::HasSubstr;

// A point every 10 s: value + slope * t, with noise of that half width.
std::vector<TrendPoint> line(std::size_t points, double value, double slope_per_s, double noise,
                             std::uint64_t seed = 1) {
  RandomBits bits = bits_for(seed, Stream::kWorkload);
  std::vector<TrendPoint> made;
  for (std::size_t i = 0; i < points; ++i) {
    const double at_s = 10.0 * static_cast<double>(i);
    made.push_back({at_s, value + slope_per_s * at_s + noise * (2 * unit_interval(bits) - 1)});
  }
  return made;
}

const SoakLine& line_of(const SoakFindings& findings, const std::string& what) {
  for (const SoakLine& line : findings.lines) {
    if (line.what == what) return line;
  }
  throw std::out_of_range(what);
}

TEST(Trend, FindsTheSlopeAndHoldsItInItsInterval) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Trend trend = trend_of(line(50, 30, 0.01, 1, seed));
    held += trend.low_per_s <= 0.01 && 0.01 <= trend.high_per_s ? 1 : 0;
  }
  EXPECT_GE(held, 180);  // 95 % of 200, less five standard deviations
}

TEST(Trend, OfAStraightLineIsExact) {
  const Trend trend = trend_of(line(20, 5, 0.5, 0));
  EXPECT_NEAR(trend.slope_per_s, 0.5, 1e-9);
  EXPECT_NEAR(trend.high_per_s - trend.low_per_s, 0, 1e-6);
}

TEST(Trend, OfTooLittleSaysNothing) {
  EXPECT_TRUE(std::isinf(trend_of({}).high_per_s));
  EXPECT_TRUE(std::isinf(trend_of({{0, 1}, {1, 2}}).high_per_s));
  EXPECT_TRUE(std::isinf(trend_of({{1, 1}, {1, 2}, {1, 3}}).high_per_s));
}

TEST(Trend, NeighboursThatAreAlikeWidenTheInterval) {
  std::vector<TrendPoint> alike;
  std::vector<TrendPoint> mixed;
  for (int i = 0; i < 100; ++i) {
    alike.push_back({static_cast<double>(i), i / 10 % 2 == 0 ? 1.0 : -1.0});
    mixed.push_back({static_cast<double>(i), i % 2 == 0 ? 1.0 : -1.0});
  }
  const Trend wide = trend_of(alike);
  const Trend narrow = trend_of(mixed);
  EXPECT_GT(wide.high_per_s - wide.low_per_s, 1.5 * (narrow.high_per_s - narrow.low_per_s));
}

TEST(Soak, SteadyMemoryAndLatencyAreFlat) {
  // Ten hours in 3600 points: 0.2 MB of noise.
  const SoakSeries series{.p50_us = line(3600, 300, 0, 30, 2),
                          .p99_us = line(3600, 900, 0, 300, 3),
                          .rss_mb = {{"xbind-cmgr", line(3600, 20, 0, 0.2, 4)}}};
  const SoakFindings findings = judge_soak(series, {});
  EXPECT_EQ(findings.verdict(), SoakVerdict::kFlat) << to_text(findings, {});
  EXPECT_FALSE(line_of(findings, "p99 of setups").bound);
}

TEST(Soak, AProcessThatGrowsIsNamed) {
  const double slope = 3.0 / 3600;  // 3 MB/h
  const SoakSeries series{.p50_us = line(3600, 300, 0, 30),
                          .p99_us = {},
                          .rss_mb = {{"xbind-cmgr", line(3600, 20, slope, 0.2)},
                                     {"xbind-switch", line(3600, 20, 0, 0.2)}}};
  const SoakFindings findings = judge_soak(series, {});
  EXPECT_EQ(findings.verdict(), SoakVerdict::kGrows);
  EXPECT_NEAR(line_of(findings, "memory of xbind-cmgr").growth, 3, 0.1);
  EXPECT_EQ(line_of(findings, "memory of xbind-switch").verdict, SoakVerdict::kFlat);
  EXPECT_THAT(to_text(findings, {}), HasSubstr("Verdict: grows"));
  // A higher limit makes the same growth flat.
  EXPECT_EQ(judge_soak(series, {.mb_per_hour = 4}).verdict(), SoakVerdict::kFlat);
}

TEST(Soak, LatencyThatCreepsUpIsSeen) {
  const SoakSeries series{.p50_us = line(400, 300, 0.1, 10), .p99_us = {}, .rss_mb = {}};
  EXPECT_EQ(judge_soak(series, {}).verdict(), SoakVerdict::kGrows);  // 320 us on 300 in 3200 s
}

TEST(Soak, TheBeginningInWhichCachesFillIsNotJudged) {
  SoakSeries series{
      .p50_us = line(3600, 300, 0, 30), .p99_us = {}, .rss_mb = {{"m", line(3600, 20, 0, 0.2)}}};
  for (std::size_t i = 0; i < 600; ++i)
    series.rss_mb["m"][i].value = 20.0 * static_cast<double>(i) / 600;
  EXPECT_EQ(judge_soak(series, {}).verdict(), SoakVerdict::kFlat);
  EXPECT_NE(judge_soak(series, {.not_judged = 0}).verdict(), SoakVerdict::kFlat);
}

TEST(Soak, AShortRunCannotTell) {
  const SoakSeries series{
      .p50_us = line(30, 300, 0, 30), .p99_us = {}, .rss_mb = {{"m", line(30, 20, 0, 0.2)}}};
  EXPECT_EQ(judge_soak(series, {}).verdict(), SoakVerdict::kTooShort);
  EXPECT_EQ(judge_soak({}, {}).verdict(), SoakVerdict::kTooShort);
  // Few points do not prove flatness, even when they are all the same.
  const SoakSeries still{
      .p50_us = line(5, 300, 0, 0), .p99_us = {}, .rss_mb = {{"m", line(5, 20, 0, 0)}}};
  EXPECT_EQ(judge_soak(still, {}).verdict(), SoakVerdict::kTooShort);
}

}  // namespace
}  // namespace xbind::callgen
