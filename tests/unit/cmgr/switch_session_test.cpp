// Sessions with SwitchServers that end in the middle of an exchange, and begin
// again. exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class SwitchSessionTest : public ExchangeTest {};

TEST_F(SwitchSessionTest, LostInTheMiddleOfASetupTheCallIsUndoneAndTheRestOwed) {
  config.crankbacks = 0;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  take("sw2");
  all_done("sw1");
  all_done("sw3");
  lose("sw2");
  EXPECT_THAT(take_attach_requests(), Contains("sw2"));
  // cmgr --> sw1, sw3: remove
  all_done("sw1");
  EXPECT_THAT(reported(), IsEmpty());
  all_done("sw3");
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw2; owed: 1 removal at sw2");
  EXPECT_EQ(manager().gauges().owed, 1U);
  // sw2 is back: the first command that it receives is the debt.
  attach("sw2");
  answer("sw2", {removed(removal("sw2"))});
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(32))));
}

TEST_F(SwitchSessionTest, LostInTheMiddleOfAReleaseTheRestIsOwed) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  release(2, call);
  take("sw2");
  all_done("sw1");
  lose("sw2");
  EXPECT_THAT(reported(), IsEmpty()) << "sw3 can still be waited for";
  all_done("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(manager().gauges().owed, 1U);
  attach("sw2");
  answer("sw2", {removed(removal("sw2"), vci(40))});
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(SwitchSessionTest, LostWithNothingUnderWayConnectionsStay) {
  config.crankbacks = 0;
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  lose("sw2");
  EXPECT_THAT(reported(), IsEmpty());
  EXPECT_EQ(manager().describe(call).value().connection.state(), State::kConnected);
  connect(2);
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw2");
  EXPECT_TRUE(silent("sw1")) << "no switch receives commands of a call without a usable path";
  attach("sw2");
  release(3, call);
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
}

TEST_F(SwitchSessionTest, ReleasedWhileASwitchIsAwayItIsOwedWithoutWaiting) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  lose("sw2");
  release(2, call);
  all_done("sw1");
  all_done("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(manager().gauges().owed, 1U);
}

TEST_F(SwitchSessionTest, WhatWasCachedLapses) {
  config.label_cache_target = 4;
  start_with_labels({vci(32), vci(33)}, {vci(40)});
  lose("sw1");
  EXPECT_THAT(cached("sw1"), IsEmpty());
  attach("sw1");
  connect(1);
  const HopSetup one = setup("sw1");
  EXPECT_FALSE(one.commit) << "phase one again";
  EXPECT_EQ(one.labels_wanted, 4) << "requests in the old session do not count";
}

TEST_F(SwitchSessionTest, ALabelTakenBeforeALapseIsReturnedAndNeverCached) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  attach("sw1");  // the connection keeps its hop and label there
  release(2, call);
  answer("sw1", {removed(removal("sw1"), vci(32))});
  all_done("sw2");
  all_done("sw3");
  EXPECT_THAT(cached("sw1"), IsEmpty());
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(32)}}));
}

TEST_F(SwitchSessionTest, ALabelThatLapsedWithItsSessionMayBeSomebodysAndIsLeftAlone) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  // The commit is lost: for sw1 the label was still in this manager's cache when that lapsed.
  take("sw1");
  all_done("sw2");
  all_done("sw3");
  lose("sw1");
  all_done("sw2");
  all_done("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kRefused);
  attach("sw1");
  // sw1 grants the label again, in the new session, before it finds nothing to remove.
  answer("sw1", {removed(removal("sw1"))}, {{PortId{10}, {vci(32)}}});
  EXPECT_EQ(manager().gauges().owed, 0U);
  wait(seconds{1});
  EXPECT_THAT(take("sw1").returned, IsEmpty());
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(32))));
}

TEST_F(SwitchSessionTest, QuarantinedLabelsThatNobodyKnowsGoBackAtOnce) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  release(2, call);
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  lose("sw1");  // 0/32 was in the manager's cache; in sw1's ledger it is in quarantine
  attach("sw1", {{PortId{10}, {vci(32)}}});
  EXPECT_THAT(manager().view_of("sw1").labels, ElementsAre(Pair(PortId{10}, vci(32))));
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(32)}}));
}

TEST_F(SwitchSessionTest, QuarantinedLabelsOfADebtWaitForIt) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  release(2, call);
  all_done("sw1");
  all_done("sw3");
  const HopRemoval two = removal("sw2");
  wait(config.undo_timer);
  EXPECT_EQ(manager().gauges().owed, 1U);
  attach("sw1", {{PortId{10}, {vci(32)}}});
  wait(seconds{1});
  EXPECT_THAT(take("sw1").returned, IsEmpty()) << "sw2 may still have it as an input";
  answer("sw2", {removed(two, vci(40))});
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(32)}}));
}

TEST_F(SwitchSessionTest, OfTwoClaimantsOfAQuarantinedLabelTheLaterGrantOwnsIt) {
  config.crankbacks = 0;
  config.label_cache_target = 4;
  start_with_labels({vci(32)}, {vci(40), vci(41)});
  // Call 1 uses 0/32 of sw1's first session. sw1 never receives its
  // commit, and sw3 removes it late.
  connect(1);
  take("sw1");
  all_done("sw2");
  all_done("sw3");
  lose("sw1");
  all_done("sw2");
  const HopRemoval ones = removal("sw3");
  // Call 2 uses 0/32 of the second session. Its removal at sw2, whose input label is 0/32, is owed.
  attach("sw1");
  answer("sw1", {}, {{PortId{10}, {vci(32)}}});
  const ConnectionId two = connected(2);
  release(3, two);
  answer("sw1", {removed(removal("sw1"), vci(32))});
  all_done("sw3");
  lose("sw2");
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  // cmgr <-- sw1, in its third session: 0/32 rests in quarantine
  attach("sw1", {{PortId{10}, {vci(32)}}});
  // Call 1 ends and returns no label.
  answer("sw3", {removed(ones)});
  EXPECT_EQ(outcome().kind, OutcomeKind::kRefused);
  wait(SwitchDesk::kDebtRetry);
  answer("sw1", {removed(removal("sw1"))});
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").returned, IsEmpty()) << "sw2 may still have it as an input";
  // sw2 is back and removes call 2: the label is free.
  attach("sw2");
  answer("sw2", {removed(removal("sw2"), vci(41))});
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(32)}}));
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(SwitchSessionTest, QuarantineOfAnEarlierProcessOfOursIsLeftAloneUntilItsHopsAreRead) {
  start(false);
  attach("sw1", {{PortId{10}, {vci(32)}}});
  wait(seconds{1});
  EXPECT_THAT(take("sw1").returned, IsEmpty());
}

TEST_F(SwitchSessionTest, AnswersOfASessionThatIsOverAreIgnored) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  const HopSetup one = setup("sw1");
  const SessionId old = switches_.at("sw1").session;
  const auto late = switches_.at("sw1").link->send({{done(one)}, {}}, 1, now);
  attach("sw1");
  manager().on_results(old, late, now);
  finish();
  EXPECT_EQ(manager().counters().unknown_session, 1U);
}

TEST_F(SwitchSessionTest, APeerThatBreaksTheProtocolLosesItsSession) {
  start_with_labels({vci(32)}, {vci(40)});
  take_attach_requests();
  manager().on_results(switches_.at("sw1").session, {BatchSeq{}, BatchSeq{99}, nullptr}, now);
  finish();
  EXPECT_THAT(take_attach_requests(), ElementsAre("sw1"));
  EXPECT_EQ(how_lost("sw1"), AttachTable::Lost::kNothing) << "it does answer";
  EXPECT_EQ(manager().gauges().switches_attached, 2U);
}

TEST_F(SwitchSessionTest, ASwitchThatIsNotHeardAnyMoreIsGivenUp) {
  attach_all();
  take_attach_requests();
  switches_.at("sw1").deaf = true;  // and sends nothing
  wait(config.switch_session.lease);
  EXPECT_THAT(take_attach_requests(), ElementsAre("sw1"));
  EXPECT_EQ(how_lost("sw1"), AttachTable::Lost::kBySilence);
  EXPECT_EQ(manager().gauges().switches_attached, 2U);
}

TEST_F(SwitchSessionTest, ACommandThatIsLostIsSentAgain) {
  start_with_labels({vci(32)}, {vci(40)});
  switches_.at("sw1").deaf = true;
  connect(1);
  EXPECT_TRUE(silent("sw1"));
  switches_.at("sw1").deaf = false;
  wait(config.switch_session.resend_after);
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  EXPECT_EQ(manager().switches().counters().batches_resent, 1U);
}

// ===== aggregation and credit =====

TEST_F(SwitchSessionTest, CommandsWaitForTheThresholdOrTheFlushTimeout) {
  config.aggregation.threshold = 3;
  config.label_cache_target = 4;
  start_with_labels({vci(32), vci(33), vci(34), vci(35)}, {vci(40), vci(41), vci(42), vci(43)});
  connect(1);
  connect(2);
  EXPECT_TRUE(silent("sw1"));
  connect(3);
  EXPECT_EQ(switches_.at("sw1").batches, 1);
  EXPECT_THAT(take("sw1").setups, SizeIs(3));
  connect(4);
  wait(config.aggregation.flush_timeout - milliseconds{1});
  EXPECT_TRUE(silent("sw1"));
  wait(milliseconds{1});
  EXPECT_THAT(take("sw1").setups, SizeIs(1));
}

TEST_F(SwitchSessionTest, BeforeAnAuditEverythingGoesOut) {
  config.aggregation.threshold = 100;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  EXPECT_TRUE(silent("sw1"));
  manager().flush_all(now);
  finish();
  EXPECT_FALSE(silent("sw1"));
}

TEST_F(SwitchSessionTest, WithoutCreditCommandsCollectAndGoTogetherWhenItIsBack) {
  config.label_cache_target = 4;
  start();
  attach("sw1", {}, 1);  // credit for one batch
  attach("sw2");
  attach("sw3");
  log_in("mia");
  learn_route();
  answer("sw1", {}, {{PortId{10}, {vci(32), vci(33), vci(34)}}});
  answer("sw2", {}, {{PortId{21}, {vci(40), vci(41), vci(42)}}});
  for (std::uint64_t request = 1; request <= 3; ++request) connect(request);
  const HopSetup first = setup("sw1");
  EXPECT_THAT(take("sw2").setups, SizeIs(3)) << "there is credit there";
  // cmgr <-- sw1: committed; the same frame confirms the batch
  answer("sw1", {done(first)});
  EXPECT_EQ(switches_.at("sw1").batches, 1);
  EXPECT_THAT(take("sw1").setups, SizeIs(2));
}

}  // namespace
}  // namespace xbind::cmgr
