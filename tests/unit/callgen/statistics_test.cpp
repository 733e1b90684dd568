// The statistics of a run's records, compared with numbers computed by hand.
#include "callgen/statistics/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "callgen/load/random.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;

RequestRecord setup(Duration planned, Duration sent, Duration answered) {
  RequestRecord record;
  record.planned = planned;
  record.sent = sent;
  record.answered = answered;
  return record;
}

RequestRecord refused(Duration planned, Duration answered, Cause cause) {
  RequestRecord record = setup(planned, planned, answered);
  record.ended = Ended::kRefused;
  record.cause = cause;
  return record;
}

std::uint64_t outcome(const Statistics& statistics, RequestKind kind, OutcomeClass outcome) {
  return statistics.of(kind).outcomes[static_cast<std::size_t>(outcome)];
}

// ===== classes ==================================================================================

TEST(OutcomeClasses, EveryCauseHasOneAndEveryNameIsItsOwn) {
  for (int i = 0; i <= static_cast<int>(kCauseLast); ++i) {
    const OutcomeClass found = class_of(static_cast<Cause>(i));
    EXPECT_LT(static_cast<std::size_t>(found), kOutcomeClasses) << i;
    EXPECT_NE(found, OutcomeClass::kSuccess) << "a refusal is no success: " << i;
    EXPECT_NE(found, OutcomeClass::kUnanswered) << i;
    EXPECT_NE(found, OutcomeClass::kShed) << i;
  }
  std::set<std::string_view> names;
  std::set<std::string_view> phrases;
  for (std::size_t i = 0; i < kOutcomeClasses; ++i) {
    names.insert(to_string(static_cast<OutcomeClass>(i)));
    phrases.insert(phrase_of(static_cast<OutcomeClass>(i)));
  }
  EXPECT_EQ(names.size(), kOutcomeClasses);
  EXPECT_EQ(phrases.size(), kOutcomeClasses);
}

TEST(OutcomeClasses, TellWhatStoodInTheWay) {
  EXPECT_EQ(class_of(Cause::kNoRoute), OutcomeClass::kNoRoute);
  EXPECT_EQ(class_of(Cause::kNoBandwidth), OutcomeClass::kNoBandwidth);
  EXPECT_EQ(class_of(Cause::kNoLabel), OutcomeClass::kNoLabel);
  EXPECT_EQ(class_of(Cause::kUnknownService), OutcomeClass::kNoService);
  EXPECT_EQ(class_of(Cause::kOverShare), OutcomeClass::kPolicy);
  EXPECT_EQ(class_of(Cause::kTimeout), OutcomeClass::kTimedOut);
  EXPECT_EQ(class_of(Cause::kSwitchUnreachable), OutcomeClass::kSwitchDown);
  EXPECT_EQ(class_of(Cause::kNoQosMapper), OutcomeClass::kServerDown);
  EXPECT_EQ(class_of(Cause::kLastLeaf), OutcomeClass::kBadRequest);
  EXPECT_EQ(class_of(Cause::kSwitchRefused), OutcomeClass::kInternal);
}

// ===== counts and clocks ========================================================================

TEST(Statistics, CountEveryRequestOnceByKindAndOutcome) {
  Statistics statistics;
  statistics.expect(1, Duration{});
  statistics.take(setup(1ms, 2ms, 5ms));
  statistics.take(refused(2ms, 4ms, Cause::kNoLabel));
  RequestRecord record = setup(3ms, 3ms, 4ms);
  record.ended = Ended::kBusy;
  statistics.take(record);
  record = setup(4ms, 4ms, RequestRecord::kNever);
  record.ended = Ended::kUnanswered;
  statistics.take(record);
  record = setup(5ms, RequestRecord::kNever, RequestRecord::kNever);
  record.ended = Ended::kShed;
  statistics.take(record);
  record = setup(6ms, 6ms, 9ms);
  record.kind = RequestKind::kModify;
  statistics.take(record);
  EXPECT_EQ(total_of(statistics.of(RequestKind::kSetup).outcomes), 5u);
  for (const auto one : {OutcomeClass::kSuccess, OutcomeClass::kNoLabel, OutcomeClass::kOverload,
                         OutcomeClass::kUnanswered, OutcomeClass::kShed})
    EXPECT_EQ(outcome(statistics, RequestKind::kSetup, one), 1u) << to_string(one);
  EXPECT_EQ(outcome(statistics, RequestKind::kModify, OutcomeClass::kSuccess), 1u);
  EXPECT_EQ(total_of(statistics.of(RequestKind::kRelease).outcomes), 0u);
}

TEST(Statistics, KeepTheThreeClocksApartAndRefusalsOutOfThem) {
  Statistics statistics;
  statistics.take(setup(10ms, 12ms, 15ms));
  statistics.take(refused(20ms, 21ms, Cause::kNoRoute));
  const KindStatistics& setups = statistics.of(RequestKind::kSetup);
  EXPECT_EQ(setups.latency.count(), 1u);
  EXPECT_EQ(setups.latency.max(), 5ms);
  EXPECT_EQ(setups.from_send.max(), 3ms);
  EXPECT_EQ(setups.slip.max(), 2ms);
  EXPECT_EQ(setups.slip.count(), 2u);
  EXPECT_EQ(setups.refusal.count(), 1u);
  EXPECT_EQ(setups.refusal.max(), 1ms);
  EXPECT_EQ(statistics.slip().count(), 2u);
}

TEST(Statistics, WhatIsPlannedInTheWarmUpIsCountedAndNotMeasured) {
  Statistics statistics;
  statistics.expect(1, 1s);
  statistics.take(setup(999ms, 999ms, 5s));
  statistics.take(setup(1s, 1s, 1001ms));
  const KindStatistics& setups = statistics.of(RequestKind::kSetup);
  EXPECT_EQ(setups.warm_up, 1u);
  EXPECT_EQ(total_of(setups.outcomes), 2u);
  EXPECT_EQ(setups.latency.count(), 1u);
  EXPECT_EQ(setups.latency.max(), 1ms);
  EXPECT_EQ(statistics.slip().count(), 1u);
}

TEST(Statistics, AGlanceTakesTheTimeFromThePlannedMoment) {
  Statistics statistics;
  statistics.take(setup(10ms, 14ms, 15ms));
  EXPECT_EQ(statistics.take_glance().setup_latency.max(), 5ms) << "1 ms of it after the sending";
}

TEST(Statistics, AShedCallHasArrivedAndWasNotSent) {
  Statistics statistics;
  statistics.expect(100, Duration{});
  statistics.offered(10ms, 11ms, {10ms, 11ms});
  statistics.offered(20ms, RequestRecord::kNever, {20ms, RequestRecord::kNever});
  statistics.offered(40ms, 41ms, {40ms, 41ms});
  EXPECT_EQ(statistics.planned().gaps(), 3u);
  EXPECT_NEAR(statistics.planned().mean_s(), 0.040 / 3, 1e-12);
  EXPECT_EQ(statistics.sent().gaps(), 2u);
  EXPECT_NEAR(statistics.sent().mean_s(), 0.041 / 2, 1e-12);
  EXPECT_EQ(statistics.in_setup().arrivals, 2u);
}

TEST(Statistics, AGlanceIsWhatCameSinceTheOneBefore) {
  Statistics statistics;
  statistics.take(setup(0ms, 0ms, 3ms));
  EXPECT_EQ(statistics.take_glance().answered, 1u);
  statistics.take(setup(5ms, 5ms, 6ms));
  const auto glance = statistics.take_glance();
  EXPECT_EQ(glance.answered, 1u);
  EXPECT_EQ(glance.setup_latency.max(), 1ms);
  EXPECT_EQ(statistics.take_glance().answered, 0u);
}

// ===== arrivals =================================================================================

TEST(ArrivalFit, ConstantGapsAreFarFromExponential) {
  ArrivalFit test(100);
  for (int i = 1; i <= 1000; ++i) test.arrive(i * 10ms);
  EXPECT_EQ(test.gaps(), 1000u);
  EXPECT_NEAR(test.mean_s(), 0.01, 1e-12);
  EXPECT_NEAR(test.variation(), 0, 1e-9);
  // The whole sample lies at 1 - 1/e.
  EXPECT_NEAR(test.distance(), 1 - std::exp(-1), 2.0 / ArrivalFit::kCells);
}

TEST(ArrivalFit, ExponentialGapsPassAndThoseOfAnotherRateDoNot) {
  RandomBits bits = bits_for(7, Stream::kArrivals);
  ArrivalFit right(100);
  ArrivalFit wrong(120);
  Duration when{};
  for (int i = 0; i < 5000; ++i) {
    when += Duration{std::llround(exponential(bits, 1e7))};
    right.arrive(when);
    wrong.arrive(when);
  }
  EXPECT_LT(right.distance(), ks_limit(5000));
  EXPECT_NEAR(right.variation(), 1, 0.05);
  EXPECT_GT(wrong.distance(), ks_limit(5000));
}

// ===== occupancy ================================================================================

// Stays from 1 s to 3 s, from 2 s to 6 s, and from 4 s to 5 s.
TEST(Occupancy, IntegratesEventsThatAreToldOutOfOrder) {
  Occupancy occupancy;
  occupancy.arrive(1s);
  occupancy.arrive(2s + 1ms);
  occupancy.arrive(2s);
  occupancy.depart(2s + 1ms);
  occupancy.depart(3s);
  occupancy.arrive(4s);
  occupancy.depart(5s);
  occupancy.depart(6s);
  occupancy.finish();
  const auto figures = occupancy.figures();
  EXPECT_EQ(figures.arrivals, 4u);
  EXPECT_EQ(figures.departures, 4u);
  EXPECT_EQ(figures.late_events, 0u);
  EXPECT_EQ(figures.peak, 2u);
  // a call that leaves at the moment of an arrival is not counted
  EXPECT_NEAR(figures.area_s, 2 + 4 + 1, 1e-9);
  EXPECT_EQ(figures.end_s, 6);
  // The arrivals found 0, 1, 1 (one had just left) and 1.
  EXPECT_EQ(figures.mean_at_arrivals, 0.75);
  EXPECT_NEAR(figures.mean_over_time, (1 + 2 + 1) / 3.0, 1e-9);  // from 1 s to 4 s
}

TEST(Occupancy, WhatIsToldTooLateCountsFromThenOn) {
  Occupancy occupancy;
  occupancy.arrive(1s);
  occupancy.arrive(5s);
  occupancy.arrive(6s);
  occupancy.depart(2s);
  occupancy.finish();
  EXPECT_EQ(occupancy.figures().late_events, 1u);
  EXPECT_EQ(occupancy.figures().shifted_s, 3);  // from 2 s to 5 s
}

TEST(Occupancy, PoissonArrivalsSeeWhatTimeSees) {
  RandomBits bits = bits_for(3, Stream::kArrivals);
  Occupancy occupancy;
  Duration arrival{};
  for (int i = 0; i < 20'000; ++i) {
    arrival += Duration{std::llround(exponential(bits, 1e6))};
    occupancy.arrive(arrival);
    occupancy.depart(arrival + 3ms);
  }
  occupancy.finish();
  const auto figures = occupancy.figures();
  EXPECT_NEAR(figures.mean_over_time, 3, 0.1);
  EXPECT_GE(figures.batches, 20u);
  EXPECT_LT(std::abs(figures.mean_at_arrivals - figures.mean_over_time),
            4.5 * figures.difference_error);
  EXPECT_LT(figures.difference_error, 0.1);
}

// ===== batch means ==============================================================================

TEST(BatchMeans, AreStudentsIntervalOfEqualSpans) {
  BatchMeans means;
  // 20 ms: every second has ten values, alternating 100 us and 200 us by the ms.
  for (int ms = 0; ms < 20; ++ms)
    for (int i = 0; i < 10; ++i) means.add(ms * 1ms, ms % 2 == 0 ? 100us : 200us);
  const auto interval = means.interval(Duration{}, 1h);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->batches, 20u);
  EXPECT_DOUBLE_EQ(interval->mean_us, 150);
  EXPECT_DOUBLE_EQ(interval->span_s, 0.001);
  // s = 50 sqrt(20/19), t(19) = 2.0930240544083.
  EXPECT_NEAR(interval->half_width_us,
              2.0930240544083 * 50 * std::sqrt(20.0 / 19) / std::sqrt(20.0), 1e-9);
  EXPECT_EQ(means.interval(10ms, 20ms)->batches, 10u);
  EXPECT_FALSE(means.interval(16ms, 1h));               // four batches are too few
  EXPECT_EQ(means.interval(1us, 7500us)->batches, 6u);  // whole spans only
}

TEST(BatchMeans, NeedValuesInEveryBatch) {
  BatchMeans means;
  for (int i = 0; i < 100; ++i) means.add(0ms, 1ms);
  means.add(19ms, 1ms);
  EXPECT_FALSE(means.interval(Duration{}, 1h));
}

TEST(BatchMeans, DoubleTheirSpansWhenTheRunIsLong) {
  BatchMeans means;
  for (int i = 0; i < 40'000; ++i) means.add(i * 1ms, 1ms);
  const auto interval = means.interval(Duration{}, 1h);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->batches, 20u);
  EXPECT_DOUBLE_EQ(interval->mean_us, 1000);
  EXPECT_NEAR(interval->half_width_us, 0, 1e-9);
  EXPECT_NEAR(interval->span_s, 2.0, 0.1);
}

TEST(BatchMeans, FindWhereTheRunBecomesSteady) {
  BatchMeans means;
  for (int ms = 0; ms < 1000; ++ms) means.add(ms * 1ms, ms < 100 ? 50ms : 1ms);
  EXPECT_EQ(means.steady_from(), Duration{100ms});
  BatchMeans even;
  for (int ms = 0; ms < 1000; ++ms) even.add(ms * 1ms, 1ms);
  EXPECT_EQ(even.steady_from(), Duration{});
  EXPECT_FALSE(BatchMeans{}.steady_from());
}

// ===== series ===================================================================================

TEST(Series, PutsEverythingWhereItHappened) {
  Series series;
  series.take(setup(900ms, 1100ms, 2500ms));
  series.take(refused(950ms, 960ms, Cause::kNoRoute));
  RequestRecord release = setup(3s, 3s, 3s + 1ms);
  release.kind = RequestKind::kRelease;
  series.take(release);
  ASSERT_EQ(series.rows().size(), 4u);
  EXPECT_EQ(series.rows()[0].planned, 2u);
  EXPECT_EQ(series.rows()[0].sent, 1u);
  EXPECT_EQ(series.rows()[0].refused, 1u);
  EXPECT_EQ(series.rows()[1].sent, 1u);
  EXPECT_EQ(series.rows()[2].connected, 1u);
  EXPECT_EQ(series.rows()[3].released, 1u);
  EXPECT_GE(series.rows()[2].percentile(50), 1600ms);
  EXPECT_LE(series.rows()[2].percentile(50), 1600ms * 129 / 128);
  EXPECT_EQ(series.rows()[0].percentile(50), 0ms);
}

TEST(Series, WidensAndLosesNothing) {
  Series series;
  for (int s = 0; s < 5000; ++s) series.take(setup(s * 1s, s * 1s, s * 1s + 1ms));
  EXPECT_EQ(series.interval(), 16s);
  EXPECT_LE(series.rows().size(), Series::kMostRows);
  std::uint64_t connected = 0;
  for (const Series::Row& row : series.rows()) connected += row.connected;
  EXPECT_EQ(connected, 5000u);
}

TEST(Series, OfTwoGeneratorsAddUpWhateverTheirIntervals) {
  Series one;
  one.take(setup(0s, 0s, 1ms));
  Series other;
  for (int s = 0; s < 700; ++s) other.take(setup(s * 1s, s * 1s, s * 1s + 1ms));
  one.merge(other);
  EXPECT_EQ(one.interval(), 2s);
  EXPECT_EQ(one.rows()[0].connected, 3u);
  EXPECT_EQ(one.rows().size(), 350u);
}

TEST(Series, StandsInCsv) {
  Series series;
  series.take(setup(0ms, 0ms, 1us));
  EXPECT_EQ(
      to_csv(series),
      "begin_s,length_s,planned,sent,connected,refused,busy,unanswered,released,others,p50_us,"
      "p99_us\n0,1,1,1,1,0,0,0,0,0,1.003,1.003\n");
}

}  // namespace
}  // namespace xbind::callgen
