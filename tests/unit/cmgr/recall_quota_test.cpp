// Labels and quotas that change their holder without a connection: recalled, surplus, requested,
// declared. exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RecallQuotaTest : public ExchangeTest {
 protected:
  // Quotas are on; each grant provides for two further calls.
  void start_with_quotas() {
    config.quotas = true;
    config.quota_calls_ahead = 2;
    config.label_cache_target = 8;
    start_with_labels({vci(32), vci(33), vci(34)}, {vci(40), vci(41), vci(42)});
  }
  // The quota of sw1 port 10: `size` is the quota, `wanted` the part that is spent.
  CacheState quota() {
    for (const CacheState& cache : manager().caches(100, now)) {
      if (cache.kind == CacheKind::kQuota && cache.element == "sw1 port 10") return cache;
    }
    return {};
  }
  std::size_t returned_to(const std::string& name) {
    std::size_t labels = 0;
    for (const PortLabels& port : take(name).returned) labels += port.labels.size();
    return labels;
  }
};

TEST_F(RecallQuotaTest, RecalledLabelsGoBackOnTheWire) {
  config.label_cache_target = 4;
  start_with_labels({vci(32), vci(33), vci(34), vci(35)}, {vci(40), vci(41)});
  // cmgr <-- sw1: recalls two labels of port 10
  say("sw1", {{}, {}, {}, {{PortId{10}, 2, {}}}});
  EXPECT_THAT(cached("sw1"), SizeIs(2));
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(32), vci(33)}}));
  EXPECT_EQ(manager().switches().counters().labels_recalled, 2U);
  // For a while the manager requests no more than the load needs; then as before.
  connect(1);
  EXPECT_LE(setup("sw1").labels_wanted, 1);
  wait(LabelCache::kModesty);
  connect(2);
  EXPECT_GE(setup("sw1").labels_wanted, 2);
}

TEST_F(RecallQuotaTest, ARecallOfMoreThanThereIsTakesWhatThereIs) {
  config.label_cache_target = 4;
  start_with_labels({vci(32)}, {vci(40)});
  say("sw1", {{}, {}, {}, {{PortId{10}, 1'000, {1'000'000, 1'000'000}}, {PortId{99}, 5, {5, 5}}}});
  wait(Aggregator::kReturnDelay);
  const HopBatch back = take("sw1");
  EXPECT_THAT(back.returned, ElementsAre(PortLabels{PortId{10}, {vci(32)}}));
  EXPECT_THAT(back.quota_returned, IsEmpty());
}

TEST_F(RecallQuotaTest, QuotaIsAskedForWithACommandAndSpentByTheNext) {
  start_with_quotas();
  connect(1);
  // Quota for this call and two more of its kind.
  const HopSetup one = setup("sw1");
  EXPECT_EQ(one.quota_wanted, (Resources{300, 30}));
  connect(2);
  EXPECT_EQ(setup("sw1").quota_wanted, Resources{}) << "that is on its way";
  // cmgr <-- sw1: committed; quota of port 10
  say("sw1", {{done(one)}, {}, {{PortId{10}, {300, 30}}}, {}});
  EXPECT_EQ(quota().size, 300U);
  EXPECT_EQ(quota().wanted, 200U);
  connect(3);
  EXPECT_EQ(setup("sw1").quota_wanted, (Resources{200, 20})) << "three spent, two to be ahead";
  EXPECT_EQ(quota().hits, 1U);
  EXPECT_EQ(quota().misses, 2U);
}

TEST_F(RecallQuotaTest, WhatACallTookIsFreeAgainWithItsReleaseAndGoesBackWhenNothingComes) {
  start_with_quotas();
  connect(1);
  const HopSetup one = setup("sw1");
  say("sw1", {{done(one)}, {}, {{PortId{10}, {300, 30}}}, {}});
  answer_all_switches();
  const ConnectionId call = outcome().connection;
  modify(2, call, cells(150));
  EXPECT_EQ(quota().wanted, 100U) << "not agreed yet";
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  EXPECT_EQ(quota().wanted, 150U);
  release(3, call);
  answer_all_switches();
  EXPECT_EQ(quota().wanted, 0U);
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
  take("sw1");
  wait(QuotaCache::kIdle + SwitchDesk::kTrim + Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").quota_returned, ElementsAre(PortQuota{PortId{10}, {300, 30}}));
  EXPECT_EQ(quota().size, 0U);
}

TEST_F(RecallQuotaTest, ARefusedCallTakesNothing) {
  config.crankbacks = 0;
  start_with_quotas();
  connect(1);
  answer("sw3", {refused(setup("sw3"), Cause::kNoBandwidth, PortId{2}, 100, 20)});
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kRefused);
  EXPECT_EQ(quota().wanted, 0U);
  expect_nothing_left();
  // The quota requested with the lost command is not in flight any more.
  connect(2);
  EXPECT_NE(setup("sw1").quota_wanted, Resources{});
}

TEST_F(RecallQuotaTest, RecalledQuotaGoesBackAsFarAsCallsDoNotNeedIt) {
  start_with_quotas();
  connect(1);
  const HopSetup one = setup("sw1");
  say("sw1", {{done(one)}, {}, {{PortId{10}, {300, 30}}}, {}});
  // 100 are spent, and 100 stay for the next call.
  say("sw1", {{}, {}, {}, {{PortId{10}, 0, {250, 25}}}});
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").quota_returned, ElementsAre(PortQuota{PortId{10}, {100, 10}}));
  EXPECT_EQ(quota().size, 200U);
}

TEST_F(RecallQuotaTest, QuotaLapsesWithTheSessionAndTheCallsStayBooked) {
  start_with_quotas();
  connect(1);
  const HopSetup one = setup("sw1");
  say("sw1", {{done(one)}, {}, {{PortId{10}, {300, 30}}}, {}});
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  attach("sw1");
  EXPECT_EQ(quota().size, 0U);
  EXPECT_EQ(quota().wanted, 100U);
}

TEST_F(RecallQuotaTest, WithoutQuotasNoneIsAskedFor) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  EXPECT_EQ(setup("sw1").quota_wanted, Resources{});
  EXPECT_EQ(setup("sw3").quota_wanted, Resources{});
}

TEST_F(RecallQuotaTest, ACompetitiveCacheReturnsWhatTheLoadDoesNotNeed) {
  config.label_policy = LabelPolicy::kCompetitive;
  config.label_cache_target = 64;
  std::vector<Label> many;
  for (std::uint32_t i = 0; i < 20; ++i) many.push_back(vci(100 + i));
  start_with_labels(many, {vci(40)});
  connect(1);
  take("sw1");
  wait(SwitchDesk::kTrim + Aggregator::kReturnDelay);
  const std::size_t back = returned_to("sw1");
  EXPECT_GT(back, 10U) << "one call does not need nineteen more";
  EXPECT_EQ(manager().switches().counters().labels_surplus, back);
  EXPECT_THAT(cached("sw1"), SizeIs(19 - back));
  // After a long idle time the cache keeps none.
  wait(LabelSizing::kIdle + SwitchDesk::kTrim + Aggregator::kReturnDelay);
  EXPECT_THAT(cached("sw1"), IsEmpty());
}

TEST_F(RecallQuotaTest, AFixedCacheReturnsNothingByItself) {
  config.label_cache_target = 2;
  start_with_labels({vci(32), vci(33), vci(34), vci(35)}, {vci(40)});
  wait(seconds{20});
  EXPECT_THAT(cached("sw1"), SizeIs(4));
  EXPECT_THAT(take("sw1").returned, IsEmpty());
}

TEST_F(RecallQuotaTest, ACooperativeCacheDeclaresItsDemandAndTakesItBack) {
  config.label_policy = LabelPolicy::kCooperative;
  config.label_cache_target = 64;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  const ConnectionId call = connected(1);
  wait(SwitchDesk::kTrim + Aggregator::kReturnDelay);
  const HopBatch heard = take("sw1");
  EXPECT_THAT(heard.declared, Each(Field(&PortDemand::port, PortId{10})));
  ASSERT_FALSE(heard.declared.empty());
  EXPECT_GE(heard.declared.back().labels, 2U) << "the call's and one for the next";
  release(2, call);
  answer_all_switches();
  take("sw1");
  wait(LabelSizing::kIdle + SwitchDesk::kTrim + Aggregator::kReturnDelay);
  const auto last = take("sw1").declared;
  ASSERT_FALSE(last.empty());
  EXPECT_EQ(last.back(), (PortDemand{PortId{10}, 0}));
  // A new session has no declaration, and a demand of zero need not be declared.
  attach("sw1");
  wait(seconds{1});
  EXPECT_THAT(take("sw1").declared, IsEmpty());
}

TEST_F(RecallQuotaTest, QuotaAskedForWithACommandThatIsNeverAnsweredIsAskedForAgain) {
  config.crankbacks = 0;
  start_with_quotas();
  connect(1);
  EXPECT_EQ(setup("sw1").quota_wanted, (Resources{300, 30}));
  all_done("sw2");
  all_done("sw3");
  wait(config.hop_timer);
  all_done("sw2");
  all_done("sw3");
  wait(config.undo_timer);  // sw1 does not answer; its hop is owed
  EXPECT_EQ(outcome().cause, Cause::kTimeout);
  take("sw1");
  connect(2);
  EXPECT_EQ(setup("sw1").quota_wanted, (Resources{300, 30}));
}

TEST_F(RecallQuotaTest, ANewSessionIsAskedForQuotaAtOnce) {
  start_with_quotas();
  connect(1);
  EXPECT_NE(setup("sw1").quota_wanted, Resources{});
  lose("sw1");
  attach("sw1");
  connect(2);
  EXPECT_NE(setup("sw1").quota_wanted, Resources{})
      << "the request of the first session has lapsed";
}

TEST_F(RecallQuotaTest, OnlyTheAnswerToTheCommandThatAskedForQuotaEndsTheWaitForIt) {
  start_with_quotas();
  connect(1);
  EXPECT_NE(setup("sw1").quota_wanted, Resources{});
  connect(2);
  const HopSetup two = setup("sw1");
  EXPECT_EQ(two.quota_wanted, Resources{});
  answer("sw1", {done(two)});
  connect(3);
  EXPECT_EQ(setup("sw1").quota_wanted, Resources{}) << "the first is not answered";
}

TEST_F(RecallQuotaTest, ANewSessionIsToldOfTheDemandWithTheFirstCall) {
  config.label_policy = LabelPolicy::kCooperative;
  config.label_cache_target = 64;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  connected(1);
  lose("sw1");
  attach("sw1");
  connect(2);
  EXPECT_THAT(take("sw1").declared, ElementsAre(Field(&PortDemand::port, PortId{10})));
}

TEST_F(RecallQuotaTest, ALabelThatWasNotHeldIsNoDemand) {
  config.crankbacks = 0;
  config.label_policy = LabelPolicy::kCooperative;
  config.label_cache_target = 64;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  answer("sw1", {refused(setup("sw1"), Cause::kLabelNotHeld, PortId{10}, 32)});
  answer_all_switches();
  EXPECT_EQ(outcome().cause, Cause::kLabelNotHeld);
  take("sw1");
  wait(LabelSizing::kIdle + SwitchDesk::kTrim + Aggregator::kReturnDelay);
  const auto last_reported = take("sw1").declared;
  ASSERT_FALSE(last_reported.empty());
  EXPECT_EQ(last_reported.back(), (PortDemand{PortId{10}, 0}));
}

}  // namespace
}  // namespace xbind::cmgr
