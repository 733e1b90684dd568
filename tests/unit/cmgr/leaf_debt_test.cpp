// Leaves whose removal is owed: the branch may still use the input label, so the label stays
// reserved. exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class LeafDebtTest : public ExchangeTest {
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

TEST_F(LeafDebtTest, AnOwedBranchHoldsTheLabelThatComesInUntilItIsPaid) {
  const ConnectionId call = up();
  added(2, call, "guy");
  drop_leaf(3, call, "guy");
  const HopRemoval guys = removal("sw2");
  wait(config.undo_timer);
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
  EXPECT_EQ(manager().gauges().owed, 1U);
  // The tree is removed first.
  release(4, call);
  answer("sw1", {removed(removal("sw1"), vci(32))});
  answer("sw2", {removed(removal("sw2"), vci(40))});
  all_done("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_THAT(cached("sw1"), IsEmpty()) << "0/32 may still lead to guy at sw2";
  EXPECT_THAT(manager().view_of("sw1").labels, ElementsAre(Pair(PortId{10}, vci(32))));
  // cmgr <-- sw2: guy's branch removed
  answer("sw2", {removed(guys)});
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(32))));
  expect_nothing_left();
}

TEST_F(LeafDebtTest, AnOwedBranchThatIsPaidFirstLeavesTheLabelToTheTree) {
  const ConnectionId call = up();
  added(2, call, "guy");
  drop_leaf(3, call, "guy");
  answer("sw2", {not_removed(removal("sw2"))});
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
  wait(SwitchDesk::kDebtRetry);
  answer("sw2", {removed(removal("sw2"))});
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_THAT(cached("sw1"), IsEmpty()) << "the tree uses it";
  released(4, call);
}

TEST_F(LeafDebtTest, TreeAndBranchMayBothOweAndTheLabelWaitsForAll) {
  const ConnectionId call = up();
  added(2, call, "guy");
  drop_leaf(3, call, "guy");
  const HopRemoval guys = removal("sw2");
  wait(config.undo_timer);
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
  release(4, call);
  const HopRemoval one = removal("sw1");
  const HopRemoval two = removal("sw2");
  all_done("sw3");
  wait(config.undo_timer);
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(manager().gauges().owed, 3U);
  answer("sw1", {removed(one, vci(32))});
  answer("sw2", {removed(two, vci(40))});
  EXPECT_THAT(cached("sw1"), IsEmpty());
  answer("sw2", {removed(guys)});
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(32))));
  expect_nothing_left();
}

TEST_F(LeafDebtTest, WithTheOnlySwitchAwayALeafIsDroppedAtOnceAndOwed) {
  const ConnectionId call = up();
  added(2, call, "guy");
  lose("sw2");
  drop_leaf(3, call, "guy");
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped) << "no attached switch has to confirm";
  EXPECT_EQ(manager().gauges().owed, 1U);
  EXPECT_EQ(hops_of(call), 3U);
  attach("sw2");
  answer("sw2", {removed(removal("sw2"))});
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_THAT(cached("sw1"), IsEmpty()) << "the tree uses it";
  released(4, call);
}

TEST_F(LeafDebtTest, WithASwitchAwayTheRestOfALeafIsWaitedFor) {
  const ConnectionId call = up();
  added(2, call, "eve");
  lose("sw4");
  drop_leaf(3, call, "eve");
  EXPECT_THAT(reported(), IsEmpty());
  answer("sw2", {removed(removal("sw2"), vci(50))});
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
  EXPECT_EQ(manager().gauges().owed, 1U);
  // eve's hop at sw4 may still use 0/50.
  EXPECT_THAT(cached("sw2"), testing::Not(testing::Contains(Pair(PortId{22}, vci(50)))));
  attach("sw4");
  answer("sw4", {removed(removal("sw4"))});
  EXPECT_THAT(cached("sw2"), testing::Contains(Pair(PortId{22}, vci(50))));
  released(4, call);
}

TEST_F(LeafDebtTest, ANewSessionInBetweenReturnsTheLabelWhenTheDebtIsPaid) {
  const ConnectionId call = up();
  added(2, call, "guy");
  drop_leaf(3, call, "guy");
  const HopRemoval guys = removal("sw2");
  wait(config.undo_timer);
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
  release(4, call);
  answer("sw1", {removed(removal("sw1"), vci(32))});
  answer("sw2", {removed(removal("sw2"), vci(40))});
  all_done("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  // sw1 attaches again and names the labels in this manager's quarantine.
  attach("sw1", {{PortId{10}, {vci(32)}}});
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").returned, IsEmpty()) << "guy's branch may still use it";
  answer("sw2", {removed(guys)});
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(32)}}));
  expect_nothing_left();
}

TEST_F(LeafDebtTest, AChangeOwedToALeafIsForgivenWhenTheLeafGoes) {
  const ConnectionId call = up();
  added(2, call, "guy");
  modify(3, call, cells(50));
  const HopBatch heard = take("sw2");
  ASSERT_EQ(heard.modifies.size(), 2U);
  answer("sw2", {done(heard.modifies[0]), refused(heard.modifies[1], Cause::kSwitchUnreachable)});
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  EXPECT_EQ(manager().gauges().owed, 1U);
  drop_leaf(4, call, "guy");
  EXPECT_EQ(manager().gauges().owed, 0U);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
  released(5, call);
}

// fay's branch at sw4 is owed. It uses label 0/50, which eve's hop at sw2 outputs.
TEST_F(LeafDebtTest, TheLabelOfAnOwedBranchWaitsAlsoWhenTheLeafItHangsOnIsDropped) {
  const ConnectionId call = up();
  added(2, call, "eve");
  added(3, call, "fay");
  drop_leaf(4, call, "fay");
  const HopRemoval fays = removal("sw4");
  wait(config.undo_timer);
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
  drop_leaf(5, call, "eve");
  answer("sw2", {removed(removal("sw2"), vci(50))});
  all_done("sw4");
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
  EXPECT_THAT(cached("sw2"), IsEmpty()) << "0/50 may still lead to fay at sw4";
  answer("sw4", {removed(fays)});
  EXPECT_THAT(cached("sw2"), ElementsAre(Pair(PortId{22}, vci(50))));
  released(6, call);
}

TEST_F(LeafDebtTest, AndWhenTheTreeIsReleasedMeanwhile) {
  const ConnectionId call = up();
  added(2, call, "eve");
  added(3, call, "fay");
  drop_leaf(4, call, "fay");
  const HopRemoval fays = removal("sw4");
  wait(config.undo_timer);
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
  drop_leaf(5, call, "eve");
  release(6, call);
  answer_all_switches();
  EXPECT_EQ(reported().size(), 2U) << "eve's drop, and the release";
  EXPECT_EQ(manager().gauges().connections, 0U);
  const std::vector<std::pair<PortId, Label>> expected{{PortId{21}, vci(40)}};
  EXPECT_EQ(cached("sw2"), expected) << "0/50 may still lead to fay at sw4";
  answer("sw4", {removed(fays)});
  EXPECT_EQ(cached("sw2").size(), 2U);
  expect_nothing_left();
}

TEST_F(LeafDebtTest, ALabelThatRestsAtANewSessionGoesBackWhenTheDebtIsPaid) {
  const ConnectionId call = up();
  added(2, call, "guy");
  drop_leaf(3, call, "guy");
  const HopRemoval guys = removal("sw2");
  wait(config.undo_timer);
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
  lose("sw1");
  attach("sw1");
  release(4, call);
  // cmgr <-- sw1: removed, 0/32 enters quarantine; guy's branch at sw2 may still use it
  answer("sw1", {removed(removal("sw1"), vci(32))});
  all_done("sw2");
  all_done("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  answer("sw2", {removed(guys)});
  EXPECT_THAT(cached("sw1"), IsEmpty()) << "it was granted in the first session";
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(32)}}));
}

}  // namespace
}  // namespace xbind::cmgr
