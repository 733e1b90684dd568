// The switch's table is compared with the ledger in the background: when, and what is put back.
#include <algorithm>

#include "paths_fixture.hpp"
#include "switchserver/alarm_conditions.hpp"

namespace xbind {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// ===== TableRounds alone =====

constexpr Duration kInterval = minutes{10};

std::vector<SwitchPort> four_ports() {
  return {{PortId{1}, {}}, {PortId{2}, {}}, {PortId{3}, {}}, {PortId{4}, {}}};
}

// Looks at the next port when it is due; the time of that.
TimePoint look(TableRounds& rounds, TableRounds::Look found = {}) {
  const TimePoint now = rounds.due();
  if (rounds.next_port(four_ports(), now)) {
    rounds.asked(7, 0);
    EXPECT_EQ(rounds.due(), kNever) << "not before the answer";
    rounds.looked(std::move(found), now);
  }
  return now;
}

TEST(TableRoundsTest, PortsAreSpreadOverTheInterval) {
  TableRounds rounds(kInterval);
  EXPECT_EQ(rounds.due(), kNever);
  rounds.switch_up(4, TimePoint{});
  for (int port = 1; port <= 4; ++port) EXPECT_EQ(look(rounds), TimePoint{kInterval / 4 * port});
  EXPECT_EQ(rounds.last().number, 1U);
  EXPECT_EQ(rounds.last().ports, 4U);
  EXPECT_EQ(look(rounds), TimePoint{kInterval / 4 * 5}) << "the next round follows";
}

TEST(TableRoundsTest, ManyEntriesStretchTheRound) {
  TableRounds rounds(seconds{4});
  rounds.switch_up(4, TimePoint{});
  TableRounds::Look many;
  many.entries = 100'000;
  const TimePoint first = look(rounds, many);
  EXPECT_EQ(look(rounds) - first, TableRounds::kEntryPause * 100'000);
}

TEST(TableRoundsTest, AnotherControllerBeginsARoundAtOnceAndOthersFollowWhileItStays) {
  TableRounds rounds(kInterval);
  rounds.switch_up(4, TimePoint{});
  const TimePoint came{seconds{5}};
  rounds.others(2, came);
  for (int port = 1; port <= 4; ++port) EXPECT_EQ(look(rounds), came);
  EXPECT_EQ(look(rounds), came + TableRounds::kSharedPause);
  // It leaves while a port is being read: that round is not enough.
  rounds.next_port(four_ports(), rounds.due());
  rounds.asked(8, 0);
  const TimePoint left = came + seconds{6};
  rounds.others(1, left);
  rounds.looked({}, left);
  for (int port = 1; port <= 4; ++port) EXPECT_EQ(look(rounds), left);
  EXPECT_EQ(rounds.due(), left + kInterval / 4);
}

TEST(TableRoundsTest, WithoutAnIntervalThereAreNone) {
  TableRounds rounds(Duration{});
  rounds.switch_up(4, TimePoint{});
  rounds.others(2, TimePoint{});
  EXPECT_EQ(rounds.due(), kNever);
}

TEST(TableRoundsTest, ThePortThatCannotBeReadIsCountedAndPassedOver) {
  TableRounds rounds(kInterval);
  rounds.switch_up(4, TimePoint{});
  const TimePoint now = rounds.due();
  ASSERT_TRUE(rounds.next_port(four_ports(), now));
  rounds.asked(7, 0);
  rounds.unread(now);
  for (int port = 2; port <= 4; ++port) look(rounds);
  EXPECT_EQ(rounds.last().unread, 1U);
  EXPECT_EQ(rounds.last().ports, 4U);
}

// ===== with a controller =====

class DriftTest : public SwitchControllerTest {
 protected:
  DriftTest() { controller_.emplace(options(), fake); }

  static SwitchControllerOptions options() {
    SwitchControllerOptions options{.name = "sw"};
    options.table_round = kInterval;
    return options;
  }
  void SetUp() override {
    driver([&](SwitchController& it) { it.on_driver(driver::Up{ports(), false}, now); });
    ASSERT_TRUE(controller_->attach("a", Epoch{1}).has_value());
    hop_ = commit(5, 40);
    other_ = commit(6, 41);
  }
  void TearDown() override {}

  template <class Job>
  void driver(Job job) {
    job(*controller_);
    (void)controller_->take_outputs();
  }
  void answer_each() {
    while (!fake.answers.empty()) {
      const driver::Event event = fake.answers.front().event;
      fake.answers.pop_front();
      driver([&](SwitchController& it) { it.on_driver(event, now); });
    }
  }
  HopSetup commit(std::uint64_t connection, std::uint32_t vci) {
    const auto granted = controller_->grant("a", kOut, 1, {}, now);
    HopSetup setup = middle(connection, vci, granted->labels.at(0));
    driver([&](SwitchController& it) {
      EXPECT_TRUE(it.apply("a", {{setup}, {}, {}}, 1, now).has_value());
    });
    answer_each();
    EXPECT_TRUE(fake.table.contains(cross(setup)));
    return setup;
  }
  void remove(const HopSetup& setup) {
    driver([&](SwitchController& it) {
      EXPECT_TRUE(it.apply("a", {{}, {{setup.key}}, {}}, 2, now).has_value());
    });
  }
  // Until then every look is answered at once.
  void wait(Duration time) {
    const TimePoint end = now + time;
    while (controller_->wake_at() <= end) {
      now = std::max(now, controller_->wake_at());
      driver([&](SwitchController& it) { it.on_time(now); });
      answer_each();
    }
    now = end;
  }
  void others(std::uint64_t controllers) {
    driver([&](SwitchController& it) { it.on_driver(driver::Others{controllers}, now); });
  }
  std::vector<std::string> alarms() {
    std::vector<std::string> texts;
    for (const AlarmCondition& it : conditions_of(*controller_, "sw")) {
      if (it.kind == AlarmKind::kSwitchDrift) texts.push_back(it.cause);
    }
    return texts;
  }

  std::optional<SwitchController> controller_;
  HopSetup hop_;
  HopSetup other_;
};

TEST_F(DriftTest, WhatTheSwitchHasLostIsPutBackWithinTheRound) {
  wait(kInterval);
  EXPECT_THAT(alarms(), IsEmpty());
  EXPECT_EQ(controller_->rounds().last().entries, 2U);
  fake.table.erase(cross(hop_));
  wait(kInterval);
  EXPECT_TRUE(fake.table.contains(cross(hop_)));
  EXPECT_EQ(controller_->counters().drift_put_back, 1U);
  EXPECT_THAT(alarms(), ElementsAre("cross-connects of standing calls were gone: 1 put back, 0 not "
                                    "put back"));
  wait(2 * kInterval);
  EXPECT_THAT(alarms(), IsEmpty()) << "nothing was lost for a whole interval";
}

TEST_F(DriftTest, AfterAnotherControllerCameTheTableIsComparedAtOnce) {
  others(2);
  fake.table.erase(cross(hop_));
  wait(TableRounds::kSecondLook + milliseconds{10});  // the pauses for entries and hops
  EXPECT_TRUE(fake.table.contains(cross(hop_)));
  // It takes away another one later, while it is still there.
  wait(seconds{20});
  fake.table.erase(cross(other_));
  wait(TableRounds::kSharedPause + TableRounds::kSecondLook + milliseconds{10});
  EXPECT_TRUE(fake.table.contains(cross(other_)));
}

TEST_F(DriftTest, WhatIsLostAgainWithinTheRoundIsAnAlarmOnly) {
  others(2);
  for (int round = 0; round < 10; ++round) {
    fake.table.erase(cross(hop_));
    wait(TableRounds::kSharedPause + TableRounds::kSecondLook);
  }
  EXPECT_EQ(controller_->counters().drift_put_back, 1U);
  EXPECT_EQ(controller_->counters().drift_left, 1U);
  EXPECT_THAT(alarms(), ElementsAre("cross-connects of standing calls were gone: 1 put back, 1 not "
                                    "put back"));
  // An operator repairs it, and the other controller is gone.
  fake.table.insert(cross(hop_));
  others(1);
  wait(kInterval);
  EXPECT_EQ(controller_->counters().drift_left, 0U);
  wait(kInterval);
  EXPECT_THAT(alarms(), IsEmpty());
}

TEST_F(DriftTest, OneLookIsNotEnough) {
  fake.table.erase(cross(hop_));
  others(2);
  now = controller_->wake_at();
  driver([&](SwitchController& it) { it.on_time(now); });
  while (fake.adds == 2 && controller_->wake_at() < now + TableRounds::kSecondLook) {
    answer_each();
    now = controller_->wake_at();
    driver([&](SwitchController& it) { it.on_time(now); });
  }
  fake.table.insert(cross(hop_));  // it was on its way
  wait(seconds{30});
  EXPECT_EQ(controller_->counters().drift_put_back, 0U);
  EXPECT_THAT(alarms(), IsEmpty());
}

TEST_F(DriftTest, AHopThatIsRemovedMeanwhileIsNotPutBack) {
  fake.table.erase(cross(hop_));
  others(2);
  wait(TableRounds::kSecondLook / 2);
  remove(hop_);
  answer_each();
  wait(kInterval);
  EXPECT_FALSE(fake.table.contains(cross(hop_)));
  EXPECT_EQ(controller_->counters().drift_put_back, 0U);
}

TEST_F(DriftTest, EntriesOfNobodyStay) {
  const CrossConnect stray{kTrunk, atm_label(0, 60), kEnd, atm_label(0, 61)};
  fake.table.insert(stray);
  fake.table.erase(cross(hop_));
  wait(2 * kInterval);
  EXPECT_TRUE(fake.table.contains(stray));
  EXPECT_TRUE(fake.table.contains(cross(hop_)));
  EXPECT_EQ(fake.removes, 0);
}

TEST_F(DriftTest, WithAnUnknownEntryOnItsInputItIsNotPutBack) {
  CrossConnect changed = cross(hop_);
  changed.output_label = atm_label(0, 61);
  fake.table.erase(cross(hop_));
  fake.table.insert(changed);
  wait(kInterval);
  EXPECT_FALSE(fake.table.contains(cross(hop_))) << "the cells would go both ways";
  EXPECT_EQ(controller_->counters().drift_left, 1U);
  EXPECT_THAT(alarms(), SizeIs(1));
}

TEST_F(DriftTest, WhereTheSwitchCannotListOutputsTheInputCounts) {
  CrossConnect untold = cross(hop_);
  untold.output_port = PortId{};
  untold.output_label = {};
  fake.table.erase(cross(hop_));
  fake.table.insert(untold);
  wait(kInterval);
  EXPECT_THAT(alarms(), IsEmpty());
  EXPECT_EQ(controller_->rounds().last().outputs_unknown, 1U);
}

TEST_F(DriftTest, ATableThatCannotBeReadIsNotATableWithoutEntries) {
  fake.table_cause = Cause::kTimeout;
  wait(kInterval);
  EXPECT_EQ(controller_->counters().drift_put_back, 0U);
  EXPECT_EQ(controller_->rounds().last().unread, 4U);
  EXPECT_THAT(alarms(), IsEmpty());
}

}  // namespace
}  // namespace xbind
