// What a manager claims at a SwitchServer that has lost its ledger.
#include "cmgr/procedures/claims.hpp"

#include <algorithm>

#include "claims_fixture.hpp"

namespace xbind::cmgr {
namespace {

TEST_F(ClaimsTest, AConnectionsHopIsClaimedAsItWasSetUp) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  const HopSetup sent = setup("sw2");
  answer("sw2", {done(sent)});
  all_done("sw1");
  all_done("sw3");
  ASSERT_EQ(outcome().kind, OutcomeKind::kConnected);
  lose("sw2");

  const auto hops = claimed("sw2");
  ASSERT_THAT(hops, SizeIs(1));
  const LedgerHop& hop = hops.front();
  EXPECT_EQ(hop.key, sent.key);
  EXPECT_EQ(hop.cross_connect,
            (CrossConnect{sent.input_port, sent.input_label, sent.output_port, sent.output_label}));
  EXPECT_EQ(hop.demand, sent.demand);
  EXPECT_EQ(hop.contract, sent.contract);
  EXPECT_EQ(hop.hop_count, 3);
  EXPECT_EQ(hop.request, RequestId{1});
  EXPECT_EQ(hop.stage, HopStage::kCommitted);
  EXPECT_TRUE(hop.settled);
  EXPECT_FALSE(hop.enters);
  ASSERT_EQ(hop.owner, 0U);
  EXPECT_THAT(page_.owners, ElementsAre(HopOwner{"mia", Epoch{1}, "ann", "bob"}));
  EXPECT_THAT(page_.resting, IsEmpty());

  const LedgerHop first = claimed("sw1").front();
  EXPECT_TRUE(first.enters);
  EXPECT_TRUE(first.cross_connect.input_label.present()) << "the ingress label";
  EXPECT_TRUE(claimed("sw3").front().cross_connect.output_label.present()) << "the egress label";
}

TEST_F(ClaimsTest, WhereTheManagerHasNothingItSaysSo) {
  start();
  EXPECT_THAT(claimed("sw1"), IsEmpty());
  EXPECT_THAT(manager().claims_at("nowhere", now), ElementsAre(HopClaims{{}, {}, {}, true}));
}

TEST_F(ClaimsTest, ManyHopsComeInPagesOfWhichOnlyTheLastSaysSo) {
  start_with_labels({vci(32), vci(33), vci(34)}, {vci(40), vci(41), vci(42)});
  for (std::uint64_t request = 1; request <= 3; ++request) connected(request);
  const auto pages = manager().claims_at("sw2", now, 2);
  ASSERT_THAT(pages, SizeIs(2));
  EXPECT_THAT(pages[0].hops, SizeIs(2));
  EXPECT_THAT(pages[1].hops, SizeIs(1));
  EXPECT_FALSE(pages[0].last);
  EXPECT_TRUE(pages[1].last);
  EXPECT_THAT(pages[1].owners, SizeIs(1)) << "each page names its owners";
}

TEST_F(ClaimsTest, AnOwedRemovalIsClaimedWithTheLabelsThatAreKnown) {
  config.crankbacks = 0;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  const HopSetup last = setup("sw3");
  all_done("sw1");
  all_done("sw2");
  lose("sw3");  // before it has answered with the egress label
  all_done("sw1");
  all_done("sw2");
  EXPECT_EQ(manager().gauges().owed, 1U);

  const auto hops = claimed("sw3");
  ASSERT_THAT(hops, SizeIs(1));
  EXPECT_EQ(hops[0].stage, HopStage::kRemoving);
  EXPECT_EQ(hops[0].key, last.key);
  EXPECT_EQ(hops[0].cross_connect.input_label, vci(40));
  EXPECT_FALSE(hops[0].cross_connect.output_label.present());
  EXPECT_EQ(hops[0].owner, kNoOwner);
  // sw2 has removed its hop, but sw3 may still have its label.
  EXPECT_THAT(claimed("sw2"), IsEmpty());
  EXPECT_THAT(page_.resting, ElementsAre(PortLabels{PortId{21}, {vci(40)}}));
}

TEST_F(ClaimsTest, DuringAReleaseTheLabelOfARemovedHopRests) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  release(2, call);
  answer("sw2", {removed(removal("sw2"), vci(40))});
  lose("sw2");
  EXPECT_THAT(claimed("sw2"), IsEmpty());
  EXPECT_THAT(page_.resting, ElementsAre(PortLabels{PortId{21}, {vci(40)}}));
  // sw3 has not answered the removal.
  EXPECT_EQ(claimed("sw3").at(0).stage, HopStage::kRemoving);
}

TEST_F(ClaimsTest, TheLabelOfACommitWithoutAnAnswerRests) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  lose("sw2");
  EXPECT_EQ(claimed("sw2").at(0).stage, HopStage::kRemoving);
  EXPECT_THAT(page_.resting, ElementsAre(PortLabels{PortId{21}, {vci(40)}}))
      << "the switch may have nothing, while sw3 has the hop";
}

TEST_F(ClaimsTest, AChangedContractIsClaimedAndAssertedAgainUntilItIsKnown) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  modify(2, call, cells(50));  // less: it is carried out in any case
  all_done("sw1");
  all_done("sw3");
  lose("sw2");
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  const LedgerHop hop = claimed("sw2").at(0);
  EXPECT_EQ(hop.demand.cells_per_s, 50U);
  EXPECT_FALSE(hop.settled) << "the switch may have the old one";
  EXPECT_EQ(hop.revision, 1U) << "so that the next epoch knows the newer word of two hops";
  EXPECT_FALSE(claimed("sw1").at(0).settled) << "although it was confirmed";
}

// With its revision the SwitchServer would refuse the change as stale.
TEST_F(ClaimsTest, TheRevisionOfAChangeUnderWayIsNotClaimed) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  modify(2, call, cells(300));
  EXPECT_EQ(claimed("sw1").at(0).revision, 0U);
}

TEST_F(ClaimsTest, AHoldsReservationsAreClaimed) {
  start_with_labels({vci(32)}, {vci(40)});
  hold(1, 60'000);
  answer_all_switches();
  ASSERT_EQ(outcome().kind, OutcomeKind::kHeld);
  const LedgerHop hop = claimed("sw2").at(0);
  EXPECT_EQ(hop.stage, HopStage::kReserved);
  EXPECT_TRUE(hop.held);
  EXPECT_TRUE(hop.cross_connect.output_label.present());
  EXPECT_EQ(hop.hold_left, seconds{60});
  wait(seconds{20});
  EXPECT_EQ(claimed("sw2").at(0).hold_left, seconds{40}) << "the rest of its time";
}

TEST_F(ClaimsTest, ALeafsHopsAreClaimedForItsDestination) {
  start_with_labels({vci(32)}, {vci(40)});
  attach("sw4");
  answer("sw2", {}, {{PortId{22}, {vci(50)}}});
  learn_route("eve");
  const ConnectionId call = connected(1);
  add_leaf(2, call, "eve");
  answer_all_switches();
  ASSERT_EQ(outcome().kind, OutcomeKind::kLeafAdded);
  const auto hops = claimed("sw2");
  ASSERT_THAT(hops, SizeIs(2));
  const auto branch =
      std::find_if(hops.begin(), hops.end(), [](const LedgerHop& hop) { return hop.branch; });
  ASSERT_NE(branch, hops.end());
  EXPECT_FALSE(branch->enters);
  EXPECT_EQ(page_.owners.at(branch->owner).to, "eve");
}

}  // namespace
}  // namespace xbind::cmgr
