#include "dataplane/oam/ping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace xbind::dataplane {
namespace {

using std::chrono::milliseconds;

constexpr TimePoint kStart{std::chrono::seconds{100}};

PingPlan plan_of(std::uint32_t count = 3) {
  return {.points = {{"a", Direction::kIn, PortId{1}, atm_label(0, 32)},
                     {"a", Direction::kOut, PortId{2}, atm_label(0, 33)},
                     {"b", Direction::kIn, PortId{1}, atm_label(0, 33)},
                     {"b", Direction::kOut, PortId{2}, {LabelKind::kMpls, 70000}}},
          .line_label = atm_label(0, 32),
          .count = count,
          .interval = milliseconds{10},
          .timeout = milliseconds{100},
          .session = 7};
}

class PingTest : public ::testing::Test {
 protected:
  // Sends what is due and answers it after `round_trip`, unless `lost` holds for the point's index.
  template <class Lost>
  std::vector<PingResult> run(const PingPlan& plan, Lost lost) {
    Ping ping(plan, now);
    while (!ping.over(now)) {
      while (const auto cell = ping.next_cell(now)) {
        sent.push_back(*cell);
        const std::size_t point = (sent.size() - 1) % plan.points.size();
        if (lost(point)) continue;
        now += milliseconds{1} * (point + 1);
        ping.arrived(answer_to(*cell), now);
      }
      now = std::max(now + Duration{1}, ping.next_deadline());
    }
    EXPECT_FALSE(ping.next_cell(now));
    return ping.results();
  }
  static Cell answer_to(Cell cell) {
    LoopbackCell loopback;
    EXPECT_EQ(decode_loopback(cell.payload, loopback), LoopbackVerdict::kLoopback);
    loopback.request = false;
    cell.payload = encode_loopback(loopback);
    return cell;
  }

  TimePoint now = kStart;
  std::vector<Cell> sent;
};

TEST_F(PingTest, AddressesThePointsInTurnAndMeasuresEach) {
  const auto results = run(plan_of(), [](std::size_t) { return false; });
  ASSERT_EQ(sent.size(), 12U);
  for (std::uint32_t index = 0; index < sent.size(); ++index) {
    const auto point = plan_of().points[index % 4];
    EXPECT_EQ(sent[index].header, cell_header(0, 32, index % 4 == 3 ? kPtEndToEnd : kPtSegment));
    LoopbackCell loopback;
    ASSERT_EQ(decode_loopback(sent[index].payload, loopback), LoopbackVerdict::kLoopback);
    EXPECT_TRUE(loopback.request);
    EXPECT_EQ(loopback.tag, index + 1);
    EXPECT_EQ(session_of(loopback.source), 7U);
    EXPECT_EQ(point_of(loopback.location), (LoopbackPoint{.node = node_number(point.node),
                                                          .side = point.side,
                                                          .port = point.port,
                                                          .label = point.label.value}));
  }
  for (std::uint32_t index = 0; index < 4; ++index) {
    EXPECT_EQ(results[index].sent, 3U);
    EXPECT_EQ(results[index].lost(), 0U);
    EXPECT_EQ(results[index].median, milliseconds{1} * (index + 1));
  }
  const PingVerdict verdict = verdict_of(plan_of(), results);
  EXPECT_TRUE(verdict.whole);
  EXPECT_EQ(verdict.sentence,
            "cells pass to b port 2 out, label mpls 70000: 12 of 12 came back, from the end in "
            "4.000 ms");
}

TEST_F(PingTest, TellsTheShortestTheMiddleAndTheLongestRoundTrip) {
  // The last number of each row is the median: of an even count the upper one of the two.
  const std::vector<std::vector<int>> kCases = {{9, 2, 5, 5}, {2, 9, 5, 5}, {1, 2, 3, 40, 50, 3},
                                                {4, 4},       {7, 3, 7},    {1, 2, 3, 4, 3}};
  for (std::vector<int> round_trips : kCases) {
    const int median = round_trips.back();
    round_trips.pop_back();
    PingPlan plan = plan_of(static_cast<std::uint32_t>(round_trips.size()));
    plan.points.resize(1);
    Ping ping(plan, now);
    for (const int round_trip : round_trips) {
      const auto cell = ping.next_cell(now);
      ASSERT_TRUE(cell);
      ping.arrived(answer_to(*cell), now + milliseconds{round_trip});
      now += plan.interval;
    }
    const PingResult result = ping.results().front();
    EXPECT_EQ(result.min, milliseconds{*std::ranges::min_element(round_trips)});
    EXPECT_EQ(result.median, milliseconds{median});
    EXPECT_EQ(result.max, milliseconds{*std::ranges::max_element(round_trips)});
  }
}

TEST_F(PingTest, SendsAtTheIntervalAndEndsAfterTheTimeout) {
  PingPlan plan = plan_of(1);
  plan.points.resize(2);
  Ping ping(plan, now);
  EXPECT_TRUE(ping.next_cell(now));
  EXPECT_FALSE(ping.next_cell(now));
  EXPECT_EQ(ping.next_deadline(), kStart + milliseconds{10});
  EXPECT_FALSE(ping.next_cell(kStart + milliseconds{9}));
  EXPECT_TRUE(ping.next_cell(kStart + milliseconds{12}));
  EXPECT_EQ(ping.next_deadline(), kStart + milliseconds{112});
  EXPECT_FALSE(ping.over(kStart + milliseconds{112}));
  EXPECT_TRUE(ping.over(kStart + milliseconds{113}));
  EXPECT_EQ(ping.results()[1].lost(), 1U);
}

TEST_F(PingTest, OnlyTheFirstAnswerInTimeCounts) {
  PingPlan plan = plan_of(2);
  plan.points.resize(1);
  Ping ping(plan, now);
  const auto cell = ping.next_cell(now);
  ASSERT_TRUE(cell);
  const Cell answer = answer_to(*cell);

  ping.arrived(*cell, now);  // the request itself
  Cell other = answer;
  other.payload = encode_loopback({.request = false, .tag = 1, .source = source_id(8)});
  ping.arrived(other, now);
  for (const std::uint32_t tag : {0U, 2U, 0xffffffffU}) {
    other.payload = encode_loopback({.request = false, .tag = tag, .source = source_id(7)});
    ping.arrived(other, now);
  }
  other = answer;
  other.payload[20] ^= std::byte{1};
  ping.arrived(other, now);
  other = answer;
  other.header = cell_header(0, 32);
  ping.arrived(other, now);
  EXPECT_EQ(ping.results()[0].answered, 0U);

  ping.arrived(answer, now + milliseconds{3});
  ping.arrived(answer, now + milliseconds{4});
  EXPECT_EQ(ping.results()[0].answered, 1U);
  EXPECT_EQ(ping.results()[0].max, milliseconds{3});

  const auto late = ping.next_cell(now + milliseconds{10});
  ASSERT_TRUE(late);
  ping.arrived(answer_to(*late), now + milliseconds{111});
  EXPECT_EQ(ping.results()[0].lost(), 1U);
}

TEST_F(PingTest, NamesTheSwitchThatDoesNotPassCells) {
  const auto results = run(plan_of(), [](std::size_t point) { return point >= 1; });
  const PingVerdict verdict = verdict_of(plan_of(), results);
  EXPECT_FALSE(verdict.whole);
  EXPECT_EQ(verdict.sentence,
            "cells stop in a: they come in at port 1 with label 0/32, and none leaves at port 2 "
            "with label 0/33");
}

TEST_F(PingTest, NamesTheLinkThatLosesThem) {
  const auto results = run(plan_of(), [](std::size_t point) { return point >= 2; });
  EXPECT_EQ(verdict_of(plan_of(), results).sentence,
            "cells stop between a port 2 and b port 1: they leave with label 0/33, and none comes "
            "in");
}

TEST_F(PingTest, NamesTheFirstPointIfNothingComesBack) {
  const auto results = run(plan_of(), [](std::size_t) { return true; });
  EXPECT_EQ(verdict_of(plan_of(), results).sentence,
            "no cell comes back from a port 1 in, label 0/32, the first point");
}

PingResult answered(std::uint32_t answers, std::int64_t min_us, std::int64_t median_us) {
  using std::chrono::microseconds;
  return {.sent = answers,
          .answered = answers,
          .min = microseconds{min_us},
          .median = microseconds{median_us},
          .max = microseconds{10 * median_us}};
}

TEST(PingStepTest, IsTheDifferenceOfTheMediansIfItIsGreaterThanTheirVariation) {
  const auto step = step_between(answered(9, 95, 100), answered(9, 140, 150));
  ASSERT_TRUE(step);
  EXPECT_TRUE(step->measured);
  EXPECT_EQ(step->time, std::chrono::microseconds{50});
}

TEST(PingStepTest, IsNotMeasurableWithinTheVariation) {
  for (const auto& [before, after] : {std::pair{answered(9, 70, 100), answered(9, 105, 110)},
                                      std::pair{answered(9, 95, 100), answered(9, 80, 110)},
                                      std::pair{answered(9, 100, 130), answered(9, 110, 115)},
                                      std::pair{answered(9, 100, 100), answered(9, 90, 90)},
                                      std::pair{answered(9, 100, 100), answered(9, 100, 100)}}) {
    const auto step = step_between(before, after);
    ASSERT_TRUE(step);
    EXPECT_FALSE(step->measured);
    EXPECT_EQ(step->time, std::max({before.median - before.min, after.median - after.min,
                                    before.median - after.median}));
    EXPECT_GE(step->time, Duration::zero());
  }
}

TEST(PingStepTest, IsUnknownWithoutTwoAnswersFromBoth) {
  EXPECT_FALSE(step_between(answered(1, 100, 100), answered(9, 140, 150)));
  EXPECT_FALSE(step_between(answered(9, 100, 100), answered(1, 140, 150)));
  EXPECT_FALSE(step_between(answered(0, 0, 0), answered(9, 140, 150)));
}

TEST_F(PingTest, CountsLossesOfPointsThatAnswer) {
  std::size_t cells = 0;
  const auto results = run(plan_of(), [&](std::size_t point) { return point == 2 && ++cells < 3; });
  const PingVerdict verdict = verdict_of(plan_of(), results);
  EXPECT_FALSE(verdict.whole);
  EXPECT_EQ(verdict.sentence,
            "2 of 12 cells were lost; every point answers, and the first that missed some is b "
            "port 1 in, label 0/33");
}

}  // namespace
}  // namespace xbind::dataplane
