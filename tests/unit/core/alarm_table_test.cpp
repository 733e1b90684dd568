#include "core/alarms/alarm_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/alarms/alarm_kinds.hpp"
#include "core/name.hpp"

namespace xbind {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kUtc = 1'795'673'564'000;

class Alarms : public testing::Test {
 protected:
  using Conditions = std::vector<AlarmCondition>;

  // A look `at` seconds after the start; returns "raised switch-away switch-1" for each change.
  std::vector<std::string> look(int at, const Conditions& conditions) {
    std::vector<std::string> said;
    for (const AlarmChange& change : table_.look(conditions, moment(at))) {
      said.push_back(fmt::format("{} {} {}",
                                 change.what == AlarmChange::What::kRaised ? "raised" : "cleared",
                                 row_of(change.alarm.kind).name, change.alarm.object));
    }
    return said;
  }
  static Moment moment(int at) {
    return {TimePoint{seconds{at}}, kUtc + static_cast<std::uint64_t>(at) * 1'000};
  }
  Alarm only() {
    const std::vector<Alarm> page = table_.page(0, 10, true);
    EXPECT_EQ(page.size(), 1U);
    return page.empty() ? Alarm{} : page.front();
  }

  static inline const AlarmCondition kAway{AlarmKind::kSwitchAway, "switch-1", "no answer"};
  static inline const AlarmCondition kBusy{AlarmKind::kOverload, "manager", "7 busy"};
  using Said = std::vector<std::string>;

  AlarmTable table_{100};
};

TEST_F(Alarms, AStateIsRaisedOnceItHasHeldAndClearedOnceItHasBeenOver) {
  EXPECT_EQ(look(0, {kAway}), Said{});
  EXPECT_EQ(look(1, {kAway}), Said{});
  EXPECT_EQ(look(2, {kAway}), Said{"raised switch-away switch-1"});
  EXPECT_EQ(look(3, {kAway}), Said{});
  EXPECT_EQ(look(10, {}), Said{});
  EXPECT_EQ(look(14, {}), Said{});
  EXPECT_EQ(look(15, {}), Said{"cleared switch-away switch-1"});
  const Alarm alarm = only();
  EXPECT_EQ(alarm.id, 100U);
  EXPECT_EQ(alarm.raised_ms, kUtc + 2'000);
  EXPECT_EQ(alarm.cleared_ms, kUtc + 15'000);
  EXPECT_EQ(alarm.cause, "no answer");
  EXPECT_TRUE(table_.page(0, 10, false).empty());
}

TEST_F(Alarms, AShortStateRaisesNothing) {
  look(0, {kAway});
  EXPECT_EQ(look(1, {}), Said{});
  EXPECT_EQ(look(6, {}), Said{});
  EXPECT_EQ(look(7, {kAway}), Said{});
  EXPECT_TRUE(table_.page(0, 10, true).empty());
}

TEST_F(Alarms, AFlappingStateRaisesOneAlarmAndCountsItsTimes) {
  look(0, {kAway});
  look(1, {});
  EXPECT_EQ(look(2, {kAway}), Said{"raised switch-away switch-1"});
  look(3, {});
  look(4, {kAway});
  look(5, {});
  look(6, {kAway});
  EXPECT_EQ(only().times, 4U);
  EXPECT_EQ(only().changed_ms, kUtc + 6'000);
  look(7, {});
  EXPECT_EQ(look(12, {}), Said{"cleared switch-away switch-1"});
}

TEST_F(Alarms, WhatIsCountedIsRaisedAtOnceAndStaysForMinutes) {
  EXPECT_EQ(look(0, {kBusy}), Said{"raised overload manager"});
  EXPECT_EQ(look(1, {}), Said{});
  EXPECT_EQ(look(200, {kBusy}), Said{});
  EXPECT_EQ(look(201, {}), Said{});
  EXPECT_EQ(look(500, {}), Said{});
  EXPECT_EQ(look(501, {}), Said{"cleared overload manager"});
  EXPECT_EQ(only().times, 2U);
}

TEST_F(Alarms, AChangedCauseIsShownAndIsNoNewAlarm) {
  look(0, {kAway});
  look(2, {kAway});
  EXPECT_EQ(look(5, {{AlarmKind::kSwitchAway, "switch-1", "connection refused"}}), Said{});
  EXPECT_EQ(only().cause, "connection refused");
  EXPECT_EQ(only().raised_ms, kUtc + 2'000);
  EXPECT_EQ(only().changed_ms, kUtc + 5'000);
}

TEST_F(Alarms, AStockIsRaisedAt95PercentAndKeptDownTo90) {
  const auto taken = [](std::uint64_t labels) {
    const auto found =
        nearly_full(AlarmKind::kLabelsShort, "switch-1 port 2", labels, 1'000, "labels");
    return found ? Conditions{*found} : Conditions{};
  };
  look(0, taken(949));
  EXPECT_EQ(look(10, taken(949)), Said{});
  look(20, taken(950));
  EXPECT_EQ(look(22, taken(950)), Said{"raised labels-short switch-1 port 2"});
  look(30, taken(900));
  EXPECT_EQ(look(60, taken(900)), Said{});
  EXPECT_EQ(only().cause, "90 % of 1000 labels are taken");
  look(70, taken(899));
  EXPECT_EQ(look(75, taken(899)), Said{"cleared labels-short switch-1 port 2"});
  EXPECT_FALSE(nearly_full(AlarmKind::kLabelsShort, "switch-1 port 2", 0, 0, "labels"));
}

// Between the two bounds a state keeps an alarm up, and makes none.
TEST_F(Alarms, AStockThatWasNearlyFullAtOneLookRaisesNothing) {
  const auto taken = [](std::uint64_t labels) {
    return Conditions{
        *nearly_full(AlarmKind::kLabelsShort, "switch-1 port 2", labels, 1'000, "labels")};
  };
  look(0, taken(950));
  for (int at = 1; at <= 60; ++at) EXPECT_EQ(look(at, taken(920)), Said{}) << at;
  EXPECT_TRUE(table_.page(0, 10, true).empty());
  look(61, taken(950));
  EXPECT_EQ(look(62, taken(950)), Said{}) << "the peak of a minute ago does not count";
  EXPECT_EQ(look(63, taken(950)), Said{"raised labels-short switch-1 port 2"});
}

TEST_F(Alarms, AnAcknowledgementStaysWithItsAlarm) {
  look(0, {kAway});
  look(2, {kAway});
  ASSERT_TRUE(table_.acknowledge(100, "ann", "a fitter is on the way", kUtc + 3'000));
  EXPECT_EQ(only().acknowledged_by, "ann");
  EXPECT_EQ(only().acknowledged_ms, kUtc + 3'000);
  EXPECT_EQ(only().note, "a fitter is on the way");
  look(10, {});
  look(20, {});
  EXPECT_EQ(only().acknowledged_by, "ann");  // cleared
  ASSERT_TRUE(table_.unacknowledge(100));
  EXPECT_EQ(only().acknowledged_ms, 0U);
  // The same state later is another alarm, which nobody has seen.
  look(30, {kAway});
  look(32, {kAway});
  EXPECT_EQ(table_.page(100, 10, true).front().id, 101U);
  EXPECT_EQ(table_.page(100, 10, true).front().acknowledged_by, "");
}

TEST_F(Alarms, AcknowledgementsAreRefusedByName) {
  look(0, {kAway});
  look(2, {kAway});
  const auto why = [&](std::uint64_t id, const std::string& who, const std::string& note) {
    const auto done = table_.acknowledge(id, who, note, kUtc);
    return done ? std::string{} : done.error().text;
  };
  EXPECT_EQ(why(99, "ann", ""), "there is no alarm 99");
  EXPECT_EQ(why(0, "ann", ""), "there is no alarm 0");
  EXPECT_EQ(why(100, "", ""), "who has 0 octets; 1 to 64 are allowed");
  EXPECT_EQ(why(100, std::string(65, 'a'), ""), "who has 65 octets; 1 to 64 are allowed");
  EXPECT_EQ(why(100, "ann", std::string(257, 'a')),
            "the note has 257 octets; at most 256 are allowed");
  EXPECT_EQ(why(100, "ann", std::string(256, 'a')), "");
  EXPECT_EQ(table_.unacknowledge(99).error().text, "there is no alarm 99");
}

TEST_F(Alarms, TextsOfPeersArePrintableAndBounded) {
  const AlarmCondition evil{AlarmKind::kSwitchAway, "a\x1b[2J", std::string(10'000, 'x')};
  look(0, {evil});
  look(2, {evil});
  EXPECT_EQ(only().object, "a\\x1b[2J");
  EXPECT_LE(only().cause.size(), AlarmTable::kCauseOctetsMax);
}

TEST_F(Alarms, BeyondTheBoundStatesAreLeftOutAndThatIsAnAlarm) {
  Conditions many;
  for (std::size_t i = 0; i < AlarmTable::kRaisedMax + 5; ++i) {
    many.push_back({AlarmKind::kPortDown, fmt::format("switch-1 port {}", i), "down"});
  }
  look(0, many);
  look(2, many);
  EXPECT_EQ(table_.left_out(), 5U);
  EXPECT_EQ(table_.raised(AlarmKind::kPortDown), AlarmTable::kRaisedMax);
  EXPECT_EQ(table_.raised(AlarmKind::kAlarmsLeftOut), 1U);
  EXPECT_EQ(table_.page(0, 10'000, true).size(), AlarmTable::kRaisedMax + 1);
}

TEST_F(Alarms, TheHistoryForgetsTheOldest) {
  for (int i = 0; i < static_cast<int>(AlarmTable::kClearedMax) + 3; ++i) {
    look(20 * i, {kAway});
    look(20 * i + 2, {kAway});
    look(20 * i + 3, {});
    look(20 * i + 10, {});
  }
  const std::vector<Alarm> kept = table_.page(0, 10'000, true);
  EXPECT_EQ(kept.size(), AlarmTable::kClearedMax);
  EXPECT_EQ(kept.front().id, 103U);
}

TEST_F(Alarms, PagesFollowOneAnotherById) {
  const AlarmCondition other{AlarmKind::kPortDown, "switch-1 port 2", "down"};
  look(0, {kAway});
  look(2, {kAway, other});
  look(4, {kAway, other});
  EXPECT_EQ(table_.page(0, 1, true).front().id, 100U);
  EXPECT_EQ(table_.page(100, 1, true).front().id, 101U);
  EXPECT_TRUE(table_.page(101, 1, true).empty());
}

TEST(AlarmKinds, HaveStableNamesAndSentences) {
  std::set<std::string_view> names;
  for (const AlarmKindRow& row : alarm_kinds()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(is_name(row.name)) << row.name;
    EXPECT_EQ(alarm_kind_of(row.name), row.kind);
    EXPECT_EQ(row.meaning.back(), '.') << row.name;
    EXPECT_EQ(row.repair.back(), '.') << row.name;
    EXPECT_FALSE(row.raised_by.empty() || row.object.empty()) << row.name;
  }
  EXPECT_EQ(alarm_kind_of("unheard-of"), std::nullopt);
}

}  // namespace
}  // namespace xbind
