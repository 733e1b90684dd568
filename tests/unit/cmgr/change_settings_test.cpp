// Settings that a running manager takes: they count at once, for calls under way as well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cmgr/exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::HasSubstr;

class ChangeSettingsTest : public ExchangeTest {
 protected:
  void change() {
    const auto changed = manager().change_settings(config, now);
    ASSERT_TRUE(changed.has_value()) << changed.error().text;
    finish();
  }
};

TEST_F(ChangeSettingsTest, AShorterTimerEndsACallThatWaitsAlready) {
  config.crankbacks = 0;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  (void)setup("sw2");
  all_done("sw1");
  all_done("sw3");
  wait(milliseconds{900});
  config.hop_timer = seconds{1};
  change();
  wait(milliseconds{99});
  EXPECT_TRUE(silent("sw2"));
  wait(milliseconds{1});
  EXPECT_FALSE(silent("sw2")) << "the hop is removed";
}

TEST_F(ChangeSettingsTest, ALongerOneGivesItMoreTime) {
  config.crankbacks = 0;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  const HopSetup two = setup("sw2");
  all_done("sw1");
  all_done("sw3");
  wait(seconds{2});
  config.hop_timer = seconds{30};
  change();
  wait(seconds{20});
  EXPECT_TRUE(silent("sw2"));
  answer("sw2", {done(two)});
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
}

TEST_F(ChangeSettingsTest, LimitsOfClientsCountForTheNextCall) {
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  const ConnectionId first = connected(1);
  config.clients.calls_max = 1;
  change();
  connect(2);
  EXPECT_THAT(explain(outcome()), HasSubstr("client-calls-max is 1"));
  config.clients.calls_max = 0;
  change();
  connected(3);
  release(4, first);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
}

TEST_F(ChangeSettingsTest, RoomAtTheGateIsUsedAtOnce) {
  config.operations_at_once = 1;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  connect(1);
  (void)take("sw1");
  connect(2);
  EXPECT_TRUE(take("sw1").setups.empty());
  config.operations_at_once = 2;
  change();
  EXPECT_EQ(take("sw1").setups.size(), 1U);
}

TEST_F(ChangeSettingsTest, AFixedCacheGrowsToItsNewSize) {
  config.label_cache_target = 1;
  start_with_labels({vci(32)}, {vci(40)});
  config.label_cache_target = 5;
  change();
  connect(1);
  EXPECT_EQ(setup("sw1").labels_wanted, 5U) << "for the one that it takes, and four more";
}

TEST_F(ChangeSettingsTest, AnOperatorsAggregationStaysWhileItsOptionsAreTheSame) {
  start();
  Aggregation operators = config.aggregation;
  operators.threshold = 7;
  ASSERT_TRUE(manager().set_aggregation(operators, now));
  config.crankbacks = 0;
  change();
  EXPECT_EQ(manager().switches().queues().aggregation().settings().threshold, 7U);
  config.aggregation.threshold = 9;
  change();
  EXPECT_EQ(manager().switches().queues().aggregation().settings().threshold, 9U);
}

TEST_F(ChangeSettingsTest, WhatIsOutOfRangeChangesNothing) {
  start();
  Config wrong = config;
  wrong.aggregation.threshold = 0;
  wrong.clients.calls_max = 1;
  const auto refused = manager().change_settings(wrong, now);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().text, HasSubstr("threshold"));
  wrong.aggregation = config.aggregation;
  EXPECT_EQ(manager().switches().queues().aggregation().settings().threshold,
            config.aggregation.threshold);
}

}  // namespace
}  // namespace xbind::cmgr
