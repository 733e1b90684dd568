#include "core/metrics/stage_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

enum class Stage : std::uint8_t { kOut, kHome, kTotal };

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::kOut: return "out";
    case Stage::kHome: return "home";
    case Stage::kTotal: return "total";
  }
  return "unknown";
}

StageTimes<Stage> two_trips() {
  StageTimes<Stage> times;
  for (int i = 0; i < 2; ++i) {
    times.add(Stage::kOut, microseconds{30});
    times.add(Stage::kHome, microseconds{10} + nanoseconds{i});
    times.add(Stage::kTotal, microseconds{40} + nanoseconds{i});
  }
  return times;
}

TEST(StageTimes, SumsAndCountsEachStage) {
  const StageTimes<Stage> times = two_trips();
  EXPECT_EQ(times.of(Stage::kOut), (StageSum{60'000, 2}));
  EXPECT_EQ(times.of(Stage::kHome), (StageSum{20'001, 2}));
  EXPECT_EQ(times.of(Stage::kTotal), (StageSum{80'001, 2}));
}

TEST(StageTimes, AStatusHasTwoCountersOfEachStage) {
  Metrics metrics{{"trips", 2}};
  two_trips().append_metrics("trip", metrics);
  EXPECT_THAT(metrics,
              ElementsAre(Pair("trips", 2), Pair("trip_stage_out_ns", 60'000),
                          Pair("trip_stage_out_count", 2), Pair("trip_stage_home_ns", 20'001),
                          Pair("trip_stage_home_count", 2), Pair("trip_stage_total_ns", 80'001),
                          Pair("trip_stage_total_count", 2)));
}

TEST(StageTimes, AreFoundAgainInAStatus) {
  Metrics metrics{{"stages", 1}};
  two_trips().append_metrics("trip", metrics);
  StageTimes<Stage>{}.append_metrics("walk", metrics);
  metrics.emplace_back("on_stage_door", 3);
  const auto found = take_stages(metrics);
  EXPECT_THAT(metrics, ElementsAre(Pair("stages", 1), Pair("on_stage_door", 3))) << "the rest";
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].operation, "trip");
  ASSERT_THAT(found[0].stages, SizeIs(3));
  EXPECT_EQ(found[0].stages[1].name, "home");
  EXPECT_EQ(found[0].stages[1].sum, (StageSum{20'001, 2}));
  EXPECT_EQ(found[0].stages[2].name, "total");
  EXPECT_EQ(found[1].operation, "walk");
  EXPECT_EQ(found[1].stages.at(0).sum, StageSum{});
}

TEST(StageTimes, ReadAsMeansAndParts) {
  Metrics metrics;
  two_trips().append_metrics("trip", metrics);
  StageTimes<Stage>{}.append_metrics("walk", metrics);
  const std::string text = stages_as_text(take_stages(metrics));
  EXPECT_THAT(text, HasSubstr("stages of trip"));
  EXPECT_THAT(text, HasSubstr("  out                               2        30.0 us   75.0 %\n"));
  EXPECT_THAT(text, HasSubstr("  total                             2        40.0 us  100.0 %\n"));
  EXPECT_EQ(text.find("walk"), std::string::npos) << "the stage walk has no samples";
  EXPECT_THAT(stages_as_text({}), IsEmpty());
}

TEST(StageTimes, AreNeverZeroInWords) {
  const OperationStages trips{"trip", {{"out", {0, 4}}, {"home", {120, 4}}, {"total", {120, 4}}}};
  const std::string text = stages_as_text({trips});
  EXPECT_THAT(text, HasSubstr("  out                               4              -        -\n"));
  EXPECT_THAT(text, HasSubstr("  home                              4          30 ns  100.0 %\n"));
}

}  // namespace
}  // namespace xbind
