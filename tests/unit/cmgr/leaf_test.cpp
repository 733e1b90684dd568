// Adding destinations to a connection and dropping them. exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class LeafTest : public ExchangeTest {
 protected:
  // ann to bob, labels 0/32 and 0/40, and one label for the link to sw4, 0/50.
  ConnectionId up() {
    start_with_labels({vci(32)}, {vci(40)});
    attach("sw4");
    answer("sw2", {}, {{PortId{22}, {vci(50)}}});
    for (const char* end : {"dan", "guy", "eve", "fay"}) learn_route(end);
    return connected(1);
  }
  void added(std::uint64_t request, ConnectionId call, const std::string& end) {
    add_leaf(request, call, end);
    answer_all_switches();
    EXPECT_EQ(outcome().kind, OutcomeKind::kLeafAdded) << end;
  }
  void dropped(std::uint64_t request, ConnectionId call, const std::string& end) {
    drop_leaf(request, call, end);
    answer_all_switches();
    EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped) << end;
  }
  void released(std::uint64_t request, ConnectionId call) {
    release(request, call);
    answer_all_switches();
    EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
    expect_nothing_left();
    EXPECT_TRUE(leaves_no_trace());
  }
  std::size_t hops_of(ConnectionId call) {
    return manager().describe(call).value().connection.hops().size();
  }
};

TEST_F(LeafTest, ALeafBranchesOffWhereItsRouteLeavesTheTree) {
  const ConnectionId call = up();
  // mia --> cmgr: add eve
  add_leaf(2, call, "eve");
  // cmgr --> sw2: commit a branch of the existing input label;  cmgr --> sw4: commit
  const HopSetup branch = setup("sw2");
  EXPECT_TRUE(branch.commit);
  EXPECT_TRUE(branch.branch);
  EXPECT_FALSE(branch.first());
  EXPECT_EQ(branch.key, (HopKey{call, Generation{1}, 2, 0}));
  EXPECT_EQ(branch.hop_count, 2);
  EXPECT_EQ(branch.input_port, PortId{20});
  EXPECT_EQ(branch.input_label, vci(32));
  EXPECT_EQ(branch.output_port, PortId{22});
  EXPECT_EQ(branch.output_label, vci(50));
  EXPECT_EQ(branch.demand, (Resources{100, 10}));
  EXPECT_EQ(owner(branch), (HopOwner{"mia", Epoch{1}, "ann", "eve"}));
  EXPECT_EQ(branch.request, RequestId{1});
  const HopSetup last = setup("sw4");
  EXPECT_FALSE(last.branch);
  EXPECT_EQ(last.key.hop, 1);
  EXPECT_EQ(last.input_label, vci(50));
  EXPECT_TRUE(silent("sw1"));
  EXPECT_TRUE(silent("sw3"));
  answer("sw4", {done(last)});
  EXPECT_THAT(reported(), IsEmpty());
  answer("sw2", {done(branch)});
  // mia <-- cmgr: leaf added, with the label that eve's cells carry
  const Outcome leaf = outcome();
  EXPECT_EQ(leaf.kind, OutcomeKind::kLeafAdded);
  EXPECT_EQ(leaf.request, RequestId{2});
  EXPECT_EQ(leaf.connection, call);
  EXPECT_EQ(leaf.egress, vci(602));
  EXPECT_EQ(hops_of(call), 5U);
  EXPECT_EQ(manager().counters().leaves_added, 1U);
  EXPECT_EQ(manager().gauges().connections, 1U);
}

TEST_F(LeafTest, TheNextLeafUsesWhatTheFirstHasBuilt) {
  const ConnectionId call = up();
  added(2, call, "eve");
  add_leaf(3, call, "fay");
  EXPECT_TRUE(silent("sw2"));
  const HopSetup branch = setup("sw4");
  EXPECT_TRUE(branch.branch);
  EXPECT_EQ(branch.key.leg, 3);
  EXPECT_EQ(branch.input_label, vci(50));
  EXPECT_EQ(branch.output_port, PortId{3});
  answer("sw4", {done(branch)});
  EXPECT_EQ(outcome().egress, vci(603));
}

TEST_F(LeafTest, AtTheFirstSwitchTheBranchIsOnTheIngressLabel) {
  const ConnectionId call = up();
  add_leaf(2, call, "dan");
  const HopSetup branch = setup("sw1");
  EXPECT_TRUE(branch.branch);
  EXPECT_TRUE(branch.last());
  EXPECT_EQ(branch.input_port, PortId{1});
  EXPECT_EQ(branch.input_label, vci(500));
  EXPECT_EQ(branch.output_label, Label{}) << "dan's is for sw1 to allot";
  answer("sw1", {done(branch)});
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafAdded);
  released(3, call);
}

TEST_F(LeafTest, ALabelThatIsMissingIsReservedFirst) {
  const ConnectionId call = up();
  answer("sw2", {}, {});
  added(2, call, "eve");  // uses 0/50
  dropped(3, call, "eve");
  attach("sw2");  // the cache lapses
  add_leaf(4, call, "eve");
  const HopSetup reserve = setup("sw2");
  EXPECT_FALSE(reserve.commit);
  EXPECT_TRUE(reserve.branch);
  EXPECT_EQ(reserve.output_label, Label{});
  EXPECT_TRUE(silent("sw4"));
  answer("sw2", {done(reserve, vci(51))});
  EXPECT_EQ(setup("sw2").output_label, vci(51));
  EXPECT_EQ(setup("sw4").input_label, vci(51));
}

TEST_F(LeafTest, ARefusedLeafIsUndoneAndTheTreeStays) {
  const ConnectionId call = up();
  add_leaf(2, call, "eve");
  const HopSetup branch = setup("sw2");
  answer("sw2", {done(branch)});
  answer("sw4", {refused(setup("sw4"), Cause::kNoBandwidth, PortId{2}, 100, 70)});
  const HopRemoval gone = removal("sw2");
  EXPECT_EQ(gone.key, branch.key);
  EXPECT_TRUE(silent("sw1"));
  answer("sw2", {removed(gone, vci(50))});
  const Outcome refusal = outcome();
  EXPECT_EQ(explain(refusal), "no bandwidth at sw4 port 2: asked 100 cells/s, free 70");
  EXPECT_EQ(refusal.connection, call);
  EXPECT_EQ(hops_of(call), 3U);
  EXPECT_THAT(cached("sw2"), testing::Contains(Pair(PortId{22}, vci(50))));
  added(3, call, "eve");
  released(4, call);
}

TEST_F(LeafTest, ALeafThatIsRefusedOnItsWayTriesAnother) {
  const ConnectionId call = up();
  add_leaf(2, call, "eve");
  answer("sw2", {refused(setup("sw2"), Cause::kNoBandwidth, PortId{22}, 100, 70)});
  answer_all_switches();
  const auto queries = take_route_queries();
  ASSERT_THAT(queries, SizeIs(1));
  EXPECT_THAT(queries[0].avoid, ElementsAre(PathElement{"sw2", PortId{22}}));
  route(none(queries[0], Cause::kNoRoute, "ann -> eve"));
  EXPECT_EQ(explain(outcome()), "no bandwidth at sw2 port 22: asked 100 cells/s, free 70");
  EXPECT_EQ(manager().describe(call).value().connection.state(), State::kConnected);
  released(3, call);
}

TEST_F(LeafTest, ASwitchLostWhileALeafIsAddedIsOwedTheRemoval) {
  const ConnectionId call = up();
  add_leaf(2, call, "eve");
  all_done("sw2");
  take("sw4");
  lose("sw4");
  answer_all_switches();
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw4; owed: 1 removal at sw4");
  EXPECT_EQ(manager().gauges().owed, 1U);
  EXPECT_EQ(hops_of(call), 3U);
  attach("sw4");
  answer("sw4", {removed(removal("sw4"))});
  released(3, call);
}

TEST_F(LeafTest, AHopOfALeafThatDoesNotAnswerEndsTheAttempt) {
  const ConnectionId call = up();
  add_leaf(2, call, "eve");
  all_done("sw2");
  take("sw4");
  wait(config.hop_timer);
  answer_all_switches();
  EXPECT_EQ(explain(outcome()), "timeout at sw4");
  released(3, call);
}

// ===== dropped =====

TEST_F(LeafTest, AnAddedLeafIsDroppedUpToWhereSomethingElseHangsOn) {
  const ConnectionId call = up();
  added(2, call, "eve");
  added(3, call, "fay");
  drop_leaf(4, call, "eve");
  EXPECT_TRUE(silent("sw2")) << "fay needs that";
  const HopRemoval eves = removal("sw4");
  EXPECT_EQ(eves.key, (HopKey{call, Generation{1}, 2, 1}));
  answer("sw4", {removed(eves)});
  const Outcome leaf = outcome();
  EXPECT_EQ(leaf.kind, OutcomeKind::kLeafDropped);
  EXPECT_EQ(leaf.connection, call);
  // fay was the last user of the hop to sw4, which eve's leg had created: it is removed with fay.
  drop_leaf(5, call, "fay");
  const HopRemoval shared = removal("sw2");
  EXPECT_EQ(shared.key, (HopKey{call, Generation{1}, 2, 0}));
  const HopRemoval fays = removal("sw4");
  EXPECT_EQ(fays.key, (HopKey{call, Generation{1}, 3, 0}));
  answer("sw2", {removed(shared, vci(50))});
  EXPECT_THAT(cached("sw2"), testing::Not(testing::Contains(Pair(PortId{22}, vci(50)))));
  answer("sw4", {removed(fays)});
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
  EXPECT_THAT(cached("sw2"), testing::Contains(Pair(PortId{22}, vci(50))));
  EXPECT_EQ(manager().counters().leaves_dropped, 2U);
  EXPECT_EQ(hops_of(call), 3U);
  released(6, call);
}

TEST_F(LeafTest, TheFirstDestinationCanGoAndComeBack) {
  const ConnectionId call = up();
  added(2, call, "guy");
  drop_leaf(3, call, "bob");
  EXPECT_TRUE(silent("sw1"));
  EXPECT_EQ(removal("sw2").key, (HopKey{call, Generation{1}, 0, 1})) << "not guy's";
  answer("sw3", {removed(removal("sw3"))});
  answer("sw2", {removed({{call, Generation{1}, 0, 1}, 0}, vci(40))});
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
  EXPECT_EQ(hops_of(call), 2U);
  drop_leaf(4, call, "bob");
  EXPECT_EQ(outcome().cause, Cause::kUnknownLeaf);
  // bob can be added again like any other leaf.
  add_leaf(5, call, "bob");
  const HopSetup branch = setup("sw2");
  EXPECT_TRUE(branch.branch);
  EXPECT_EQ(branch.input_label, vci(32));
  EXPECT_EQ(branch.output_port, PortId{21});
  answer("sw2", {done(branch)});
  all_done("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafAdded);
  dropped(6, call, "guy");
  released(7, call);
}

TEST_F(LeafTest, TheLastDestinationCannotBeDropped) {
  const ConnectionId call = up();
  drop_leaf(2, call, "bob");
  EXPECT_EQ(outcome().cause, Cause::kLastLeaf);
  added(3, call, "guy");
  dropped(4, call, "bob");
  drop_leaf(5, call, "guy");
  EXPECT_EQ(outcome().cause, Cause::kLastLeaf);
  released(6, call);
}

TEST_F(LeafTest, WhatCannotBeAddedOrDroppedIsRefusedByName) {
  const ConnectionId call = up();
  add_leaf(2, call, "bob");
  EXPECT_EQ(explain(outcome()), "leaf exists at bob");
  added(3, call, "guy");
  add_leaf(4, call, "guy");
  EXPECT_EQ(outcome().cause, Cause::kLeafExists);
  drop_leaf(5, call, "eve");
  EXPECT_EQ(outcome().cause, Cause::kUnknownLeaf);
  add_leaf(6, ConnectionId{4711}, "eve");
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection);
  add_leaf(7, call, "zoe");
  route(none(take_route_queries().at(0), Cause::kUnknownEndpoint, "zoe"));
  EXPECT_EQ(explain(outcome()), "unknown endpoint at zoe");
  EXPECT_EQ(hops_of(call), 4U);
}

TEST_F(LeafTest, ARouteThatBeginsSomewhereElseOrLeadsNowhereNewIsNoBranch) {
  const ConnectionId call = up();
  add_leaf(2, call, "zoe");
  route(found(take_route_queries().at(0), {{{"sw1", PortId{9}, PortId{3}}}, 10'000}));
  EXPECT_EQ(outcome().cause, Cause::kNoRoute);
  add_leaf(3, call, "robert");  // another name for bob's port
  route(found(take_route_queries().at(0)));
  EXPECT_EQ(outcome().cause, Cause::kLeafExists);
  released(4, call);
}

TEST_F(LeafTest, ABidirectionalConnectionHasNoLeaves) {
  attach_all();
  ConnectRequest both = call(1);
  both.reverse = cells(10);
  ask("mia", {{both}, {}});
  answer_all_switches();
  add_leaf(2, outcome().connection, "guy");
  EXPECT_EQ(outcome().cause, Cause::kInvalidRequest);
}

// ===== the whole tree =====

TEST_F(LeafTest, AReleaseRemovesEveryHopOnce) {
  const ConnectionId call = up();
  added(2, call, "guy");
  added(3, call, "eve");
  added(4, call, "dan");
  release(5, call);
  std::vector<std::pair<std::string, HopKey>> gone;
  for (const char* name : {"sw1", "sw2", "sw3", "sw4"}) {
    const HopBatch heard = take(name);
    for (const HopRemoval& removal : heard.removals) gone.emplace_back(name, removal.key);
    answer(name, all_done(heard));
  }
  const auto key = [&](std::uint16_t leg, std::uint16_t hop) {
    return HopKey{call, Generation{1}, leg, hop};
  };
  EXPECT_THAT(gone, UnorderedElementsAre(Pair("sw1", key(0, 0)), Pair("sw2", key(0, 1)),
                                         Pair("sw3", key(0, 2)), Pair("sw2", key(2, 0)),
                                         Pair("sw2", key(3, 0)), Pair("sw4", key(3, 1)),
                                         Pair("sw1", key(4, 0))));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
}

TEST_F(LeafTest, AReleaseWhileALeafIsBeingAddedTakesItsHopsToo) {
  const ConnectionId call = up();
  add_leaf(2, call, "eve");
  const HopSetup branch = setup("sw2");
  const HopSetup last = setup("sw4");
  answer("sw4", {done(last)});
  release(3, call);
  const Outcome broken = outcome();
  EXPECT_EQ(broken.request, RequestId{2});
  EXPECT_EQ(broken.cause, Cause::kBeingReleased);
  EXPECT_EQ(removal("sw4").key, last.key);
  EXPECT_THAT(take("sw2").removals, SizeIs(2));
  answer("sw2", {done(branch), removed({branch.key, 0}, vci(50)),
                 removed({{call, Generation{1}, 0, 1}, 0}, vci(40))});
  all_done("sw1");
  all_done("sw3");
  EXPECT_THAT(reported(), IsEmpty());
  answer("sw4", {removed({last.key, 0})});
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(LeafTest, AReleaseWhileALeafIsBeingDroppedDoesNotRemoveItTwice) {
  const ConnectionId call = up();
  added(2, call, "eve");
  drop_leaf(3, call, "eve");
  answer("sw2", {removed(removal("sw2"), vci(50))});
  const HopRemoval slow = removal("sw4");
  release(4, call);
  EXPECT_EQ(outcome().cause, Cause::kBeingReleased);
  EXPECT_TRUE(silent("sw4")) << "it is on its way";
  all_done("sw1");
  all_done("sw2");
  all_done("sw3");
  EXPECT_THAT(reported(), IsEmpty());
  answer("sw4", {removed(slow)});
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(LeafTest, AReleaseWhileALeafWaitsForItsRouteLeavesTheLateAnswerToTheCache) {
  const ConnectionId call = up();
  add_leaf(2, call, "zoe");
  const auto queries = take_route_queries();
  release(3, call);
  EXPECT_EQ(outcome().cause, Cause::kBeingReleased);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  route(found(queries.at(0), path_to("guy")));
  EXPECT_TRUE(silent("sw2"));
  expect_nothing_left();
}

TEST_F(LeafTest, AModifyReachesEveryHopOfTheTree) {
  const ConnectionId call = up();
  added(2, call, "eve");
  modify(3, call, cells(300));
  EXPECT_EQ(change("sw1").demand.cells_per_s, 300U);
  EXPECT_THAT(take("sw2").modifies, SizeIs(2));
  EXPECT_EQ(change("sw3").demand.cells_per_s, 300U);
  EXPECT_EQ(change("sw4").key.leg, 2);
}

TEST_F(LeafTest, ALeafThatComesAfterAModifyHasTheNewContract) {
  const ConnectionId call = up();
  modify(2, call, cells(300));
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  add_leaf(3, call, "guy");
  EXPECT_EQ(setup("sw2").demand.cells_per_s, 300U);
}

TEST_F(LeafTest, OneLeafAtATimeAndNoOtherChangeMeanwhile) {
  const ConnectionId call = up();
  add_leaf(2, call, "guy");
  add_leaf(3, call, "eve");
  EXPECT_EQ(outcome().cause, Cause::kChangeUnderWay);
  modify(4, call, cells(300));
  EXPECT_EQ(outcome().cause, Cause::kChangeUnderWay);
  answer_all_switches();
  EXPECT_EQ(outcome().request, RequestId{2});
  added(5, call, "eve");
}

TEST_F(LeafTest, ABranchThatDoesNotAnswerIsAvoidedAsAnyHopOnTheWayIs) {
  const ConnectionId call = up();
  add_leaf(2, call, "eve");
  const HopSetup branch = setup("sw2");
  EXPECT_TRUE(branch.branch);
  answer("sw2", {refused(branch, Cause::kTimeout)});
  answer_all_switches();
  const auto queries = take_route_queries();
  ASSERT_THAT(queries, SizeIs(1));
  EXPECT_EQ(queries.front().avoid, (std::vector{PathElement{"sw2", PortId{}}}));
}

}  // namespace
}  // namespace xbind::cmgr
