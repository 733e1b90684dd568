// Connections prepared in advance. exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PreparedTest : public ExchangeTest {
 protected:
  void start_with_pool(std::size_t count) {
    config.label_cache_target = 8;
    start_with_labels({vci(32), vci(33), vci(34), vci(35)}, {vci(40), vci(41), vci(42), vci(43)});
    prepare(count);
    answer_all_switches();
    EXPECT_EQ(manager().gauges().prepared, count);
  }
  void prepare(std::size_t count) {
    ASSERT_TRUE(manager().prepare("ann", "bob", cells(100), count, now).has_value());
    finish();
  }
  // Refuses the setup of the next prepared connection: the pool stays short for a while.
  void refuse_refill() {
    const HopBatch heard = take("sw3");
    std::vector<HopResult> results;
    for (const HopModify& handover : heard.modifies) results.push_back(done(handover));
    results.push_back(refused(heard.setups.at(0), Cause::kNoBandwidth, PortId{2}, 100, 20));
    answer("sw3", results);
    answer_all_switches();
  }
  CacheState pool() {
    for (const CacheState& cache : manager().caches(10, now)) {
      if (cache.kind == CacheKind::kPrepared) return cache;
    }
    return {};
  }
};

TEST_F(PreparedTest, ACallTakesOneWithoutAWordAndThePoolIsFilledAgain) {
  start_with_pool(2);
  EXPECT_EQ(manager().gauges().under_way, 0U) << "preparing a connection is no request";
  // mia --> cmgr: connect;  mia <-- cmgr: connected
  connect(1);
  const Outcome connected = outcome();
  EXPECT_EQ(connected.kind, OutcomeKind::kConnected);
  EXPECT_EQ(connected.request, RequestId{1});
  EXPECT_EQ(connected.ingress, vci(500));
  EXPECT_EQ(connected.egress, vci(600));
  EXPECT_EQ(manager().describe(connected.connection)->client, "mia");
  // cmgr --> all: one more for the pool, owned by the manager itself
  const HopBatch heard = take("sw1");
  ASSERT_EQ(heard.setups.size(), 1U);
  const HopSetup refill = heard.setups.front();
  EXPECT_NE(refill.key.connection, connected.connection);
  EXPECT_EQ(owner(refill).client, "(two-way)");
  EXPECT_EQ(manager().gauges().prepared, 1U);
  // cmgr --> sw1, sw3: the connection is mia's, so that a manager that comes back knows it, also if
  // one of these ledgers is lost
  ASSERT_EQ(heard.modifies.size(), 1U);
  const auto& handover = heard.modifies.front().handover;
  ASSERT_TRUE(handover.has_value());
  EXPECT_EQ(handover->owner, (HopOwner{"mia", Epoch{1}, "ann", "bob"}));
  EXPECT_EQ(handover->request, RequestId{1});
  EXPECT_EQ(handover->shown_id, connected.connection);
  answer("sw1", {done(heard.modifies.front()), done(refill)});
  const HopBatch at_end = take("sw3");
  ASSERT_EQ(at_end.modifies.size(), 1U);
  EXPECT_EQ(at_end.modifies.front().key.hop, 2U);
  EXPECT_EQ(at_end.modifies.front().revision, heard.modifies.front().revision);
  EXPECT_EQ(at_end.modifies.front().handover, handover);
  answer("sw3", all_done(at_end));
  const HopBatch between = take("sw2");
  EXPECT_THAT(between.modifies, IsEmpty());
  answer("sw2", all_done(between));
  answer_all_switches();
  EXPECT_EQ(manager().gauges().prepared, 2U);
  EXPECT_EQ(pool().element, "ann -> bob");
  EXPECT_EQ(pool().hits, 1U);
  EXPECT_EQ(pool().wanted, 2U);
}

TEST_F(PreparedTest, AReleaseGivesItBackAndTellsTheSwitchesAtItsEndsWhileThePoolIsShort) {
  start_with_pool(1);
  connect(1);
  refuse_refill();
  const ConnectionId taken = outcome().connection;
  release(2, taken);
  const Outcome released = outcome();
  EXPECT_EQ(released.kind, OutcomeKind::kReleased);
  EXPECT_EQ(released.connection, taken);
  for (const char* name : {"sw1", "sw3"}) {
    SCOPED_TRACE(name);
    const auto ours = change(name).handover;
    ASSERT_TRUE(ours.has_value());
    EXPECT_EQ(ours->owner.client, kTwoWayClient);
    EXPECT_EQ(ours->shown_id, ConnectionId{});
  }
  EXPECT_TRUE(silent("sw2"));
  EXPECT_EQ(manager().gauges().prepared, 1U);
  EXPECT_TRUE(leaves_no_trace()) << "it is hers no more";
  log_in("noa");
  connect(1, "noa");
  const ConnectionId taken_again = outcome("noa").connection;
  EXPECT_NE(taken_again, taken) << "a late message of the first owner must not match";
  release(9, taken, "noa");
  EXPECT_EQ(outcome("noa").cause, Cause::kUnknownConnection);
  EXPECT_EQ(manager().describe(taken_again)->client, "noa");
  EXPECT_FALSE(manager().describe(taken).has_value());
  EXPECT_THAT(manager().list(ConnectionId{}, 9), ::testing::ElementsAre(taken_again));
}

TEST_F(PreparedTest, AReleaseIsARealOneWhenThePoolIsFull) {
  start_with_pool(1);
  connect(1);
  answer_all_switches();
  release(2, outcome().connection);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(manager().gauges().connections, 1U);
  EXPECT_EQ(manager().gauges().prepared, 1U);
}

TEST_F(PreparedTest, OneOfThePoolIsNobodysToReleaseOrChange) {
  start_with_pool(1);
  const ConnectionId ready = manager().list({}, 1).at(0);
  release(1, ready);
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection);
  modify(2, ready, cells(300));
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection);
  EXPECT_EQ(manager().gauges().prepared, 1U);
}

TEST_F(PreparedTest, AnotherContractOrPairOrKindOfCallDoesNotMatch) {
  start_with_pool(1);
  learn_route("guy");
  ask("mia", {{call(1, 200)}, {}});
  EXPECT_EQ(owner(setup("sw1")).client, "mia");
  ConnectRequest elsewhere = call(2);
  elsewhere.to = "guy";
  ask("mia", {{elsewhere}, {}});
  EXPECT_EQ(owner(setup("sw1")).client, "mia");
  hold(3, 1'000);
  EXPECT_TRUE(setup("sw1").held);
  ConnectRequest both = call(4);
  both.reverse = cells(1);
  ask("mia", {{both}, {}});
  EXPECT_FALSE(silent("sw1"));
  EXPECT_EQ(manager().gauges().prepared, 1U);
  EXPECT_EQ(pool().hits, 0U);
}

TEST_F(PreparedTest, AnEmptyPoolIsAMissAndTheCallIsSetUpAsAnyOther) {
  start_with_pool(1);
  ask("mia", {{call(1), call(2)}, {}});
  EXPECT_EQ(outcome().request, RequestId{1});
  EXPECT_EQ(pool().misses, 1U);
  const HopBatch heard = take("sw1");
  ASSERT_THAT(heard.setups, SizeIs(2));
  EXPECT_EQ(heard.setups[0].request, RequestId{2});
}

TEST_F(PreparedTest, FewerWantedMeansTheOthersAreReleased) {
  start_with_pool(2);
  prepare(1);
  EXPECT_EQ(manager().gauges().prepared, 1U);
  answer_all_switches();
  EXPECT_EQ(manager().gauges().connections, 1U);
  EXPECT_THAT(reported(), IsEmpty());
  prepare(0);
  answer_all_switches();
  expect_nothing_left();
}

TEST_F(PreparedTest, OneThatComesReadyAfterTheCountWasLoweredIsReleased) {
  start_with_pool(0);
  prepare(1);
  EXPECT_FALSE(silent("sw1"));
  prepare(0);
  answer_all_switches();
  expect_nothing_left();
}

TEST_F(PreparedTest, AfterAFailureThePoolRestsForASecond) {
  config.label_cache_target = 4;
  start_with_labels({vci(32)}, {vci(40)});
  prepare(1);
  refuse_refill();
  EXPECT_EQ(manager().gauges().connections, 0U);
  wait(PreparedPools::kRest - milliseconds{1});
  EXPECT_TRUE(silent("sw1"));
  wait(milliseconds{1});
  EXPECT_FALSE(silent("sw1"));
  answer_all_switches();
  EXPECT_EQ(manager().gauges().prepared, 1U);
  EXPECT_EQ(manager().counters().refused, 0U) << "no client was refused";
}

TEST_F(PreparedTest, WithASwitchAwayThePoolTriesOnceASecond) {
  start_with_pool(0);
  lose("sw3");
  prepare(5);
  EXPECT_EQ(manager().gauges().connections, 0U);
  wait(seconds{3});
  EXPECT_TRUE(silent("sw1"));
  attach("sw3");
  wait(PreparedPools::kRest);
  answer_all_switches();
  EXPECT_EQ(manager().gauges().prepared, 5U);
}

TEST_F(PreparedTest, AModifiedOneIsThePoolsNoMore) {
  start_with_pool(1);
  connect(1);
  refuse_refill();
  const ConnectionId taken = outcome().connection;
  modify(2, taken, cells(300));
  for (const char* name : {"sw1", "sw2", "sw3"}) {
    const HopBatch heard = take(name);
    ASSERT_THAT(heard.modifies, SizeIs(1)) << name;
    EXPECT_EQ(heard.modifies[0].handover.has_value(), std::string_view{name} != "sw2") << name;
    answer(name, all_done(heard));
  }
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  release(3, taken);
  EXPECT_FALSE(silent("sw1"));
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(manager().gauges().connections, 0U);
}

// The change replaces the handover that is owed there; without it the ledger would keep the
// connection as the manager's own, and the next process of the manager would release it.
TEST_F(PreparedTest, AChangeCarriesTheHandoverThatNoLedgerHasConfirmed) {
  start_with_pool(1);
  connect(1);
  const ConnectionId taken = outcome().connection;
  std::vector<HopModify> handovers;
  for (const char* name : {"sw1", "sw3"}) {
    for (const HopModify& one : take(name).modifies) handovers.push_back(one);
  }
  ASSERT_THAT(handovers, SizeIs(2)) << "never answered";
  static_cast<void>(take("sw2"));
  modify(2, taken, cells(300));
  for (const char* name : {"sw1", "sw2", "sw3"}) {
    const HopBatch heard = take(name);
    ASSERT_THAT(heard.modifies, SizeIs(1)) << name;
    EXPECT_EQ(heard.modifies[0].demand.cells_per_s, 300U) << name;
    EXPECT_EQ(heard.modifies[0].handover,
              std::string_view{name} == "sw2" ? std::nullopt : handovers[0].handover)
        << name;
  }
}

// The leaf's last hop is then the only one that leads to a destination.
TEST_F(PreparedTest, WhenItsFirstEndIsDroppedTheLeafsLastSwitchIsTold) {
  start_with_pool(1);
  learn_route("guy");
  connect(1);
  refuse_refill();
  const ConnectionId taken = outcome().connection;
  add_leaf(2, taken, "guy");
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafAdded);
  const Hop last = manager().describe(taken)->connection.hops().back();
  ASSERT_TRUE(last.last());
  drop_leaf(3, taken, "bob");
  const HopBatch heard = take(manager().switches().name(last.at));
  ASSERT_THAT(heard.modifies, SizeIs(1));
  EXPECT_EQ(heard.modifies[0].key.leg, last.leg);
  ASSERT_TRUE(heard.modifies[0].handover.has_value());
  EXPECT_EQ(heard.modifies[0].handover->shown_id, taken);
  answer(manager().switches().name(last.at), all_done(heard));
  answer_all_switches();
}

TEST_F(PreparedTest, OneWithALeafIsThePoolsNoMore) {
  start_with_pool(1);
  learn_route("guy");
  connect(1);
  refuse_refill();
  const ConnectionId taken = outcome().connection;
  add_leaf(2, taken, "guy");
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafAdded);
  release(3, taken);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(manager().gauges().connections, 0U);
}

TEST_F(PreparedTest, WhatCannotBePreparedIsRefusedWithTheNumber) {
  config.pools_max = 1;
  start_with_pool(1);
  const auto too_many = manager().prepare("ann", "bob", cells(100), 1'001, now);
  ASSERT_FALSE(too_many.has_value());
  EXPECT_EQ(too_many.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(too_many.error().text, "1001 connections to prepare, at most 1000");
  const auto nothing = manager().prepare("ann", "bob", cells(0), 1, now);
  EXPECT_EQ(nothing.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(nothing.error().text, "invalid request: 0 cells/s are not in 1 to 16777215");
  const auto second = manager().prepare("ann", "eve", cells(100), 1, now);
  EXPECT_EQ(second.error().code, ErrorCode::kExhausted);
  EXPECT_EQ(second.error().text, "pools: 1 are there already, at most 1");
  EXPECT_TRUE(manager().prepare("ann", "eve", cells(100), 0, now).has_value()) << "none is none";
}

TEST_F(PreparedTest, AnEndedPoolGivesItsPlaceToAnotherOnceItsConnectionsAreGone) {
  config.pools_max = 1;
  start_with_pool(1);
  learn_route("guy");
  const auto another = [&] {
    const auto prepared = manager().prepare("ann", "guy", cells(100), 1, now);
    finish();
    return prepared ? "prepared" : prepared.error().text;
  };
  connect(1);  // mia has the connection of the pool, which is then filled again
  answer_all_switches();
  const ConnectionId taken = outcome().connection;
  EXPECT_EQ(another(), "pools: 1 are there already, at most 1");
  prepare(0);
  EXPECT_EQ(another(), "pools: 1 are there already, at most 1")
      << "the ready one is being released";
  answer_all_switches();
  EXPECT_EQ(manager().gauges().prepared, 0U);
  EXPECT_EQ(another(), "pools: 1 are there already, at most 1") << "mia has one of its connections";
  release(2, taken);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(another(), "prepared");
  answer_all_switches();
  EXPECT_EQ(manager().gauges().prepared, 1U);
  EXPECT_EQ(pool().element, "ann -> guy");
  EXPECT_EQ(pool().hits, 0U) << "those of the earlier pool are not its own";
}

TEST_F(PreparedTest, AnEndedPoolKeepsItsPlaceWhileASetupOfItIsUnderWay) {
  config.pools_max = 1;
  start_with_pool(0);
  learn_route("guy");
  prepare(1);
  prepare(0);
  const auto another = [&] { return manager().prepare("ann", "guy", cells(100), 1, now); };
  EXPECT_FALSE(another().has_value());
  answer_all_switches();  // it is set up, and released as nobody wants it
  EXPECT_EQ(manager().gauges().connections, 0U);
  EXPECT_TRUE(another().has_value());
}

TEST_F(PreparedTest, AConnectionThatLeavesItsPoolDoesNotHoldThePoolsPlace) {
  config.pools_max = 1;
  start_with_pool(1);
  learn_route("guy");
  connect(1);
  answer_all_switches();
  add_leaf(2, outcome().connection, "guy");
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafAdded);
  prepare(0);
  answer_all_switches();
  EXPECT_EQ(manager().gauges().connections, 1U);
  EXPECT_TRUE(manager().prepare("ann", "guy", cells(100), 1, now).has_value());
}

}  // namespace
}  // namespace xbind::cmgr
