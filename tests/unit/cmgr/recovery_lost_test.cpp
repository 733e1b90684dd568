// A manager of a new epoch and SwitchServers that lost their ledgers before it could read them.
#include "recovery_lost_fixture.hpp"

namespace xbind::cmgr {
namespace {

TEST_F(LostLedgerTest, NothingIsClaimedBeforeTheOthersHaveBeenRead) {
  holds_call(earlier(1));
  restart({"sw2", "sw3"});
  manager().switch_holds("sw2", {}, now, Recovery::ReadAs::kLost);
  EXPECT_THAT(to_claim(), IsEmpty());
  come_back("sw3");
  EXPECT_THAT(to_claim(), ElementsAre("sw2"));
}

TEST_F(LostLedgerTest, AHopBetweenTwoKnownOnesIsRebuilt) {
  holds_call(earlier(1));
  restart_with_lost({"sw2"});
  EXPECT_THAT(standing(), IsEmpty());
  EXPECT_THAT(claimed_at("sw2"), ElementsAre(entry(20, 40, 21, 41)));
  EXPECT_FALSE(all_) << "it may be that it is not there";
  EXPECT_EQ(keys_[0].hop, 1);
  EXPECT_EQ(keys_[0].generation, Generation{1}) << "it has the number that it had";
  takes("sw2", entry(20, 40, 21, 41));
  answers("sw2");
  EXPECT_THAT(standing(), ElementsAre(earlier(1)));
  EXPECT_THAT(manager().describe(earlier(1))->connection.hops(), SizeIs(3));
  EXPECT_TRUE(manager().recovery().done());
  EXPECT_THAT(done_with(), ElementsAre("sw2"));
}

TEST_F(LostLedgerTest, TheFirstHopIsRebuiltFromTheSecondAndTheTable) {
  holds_call(earlier(1));
  restart_with_lost({"sw1"});
  EXPECT_THAT(claimed_at("sw1"), ElementsAre(entry(0, 0, 10, 40)));
  const LedgerHop& taken = takes("sw1", entry(1, 500, 10, 40));
  EXPECT_TRUE(taken.enters);
  answers("sw1");
  EXPECT_THAT(standing(), ElementsAre(earlier(1)));
  EXPECT_EQ(
      static_cast<Label>(manager().describe(earlier(1))->connection.hops().front().input_label),
      vci(500));
}

TEST_F(LostLedgerTest, TheLastHopIsRebuiltFromTheOneBeforeItAndTheTable) {
  holds_call(earlier(1));
  restart_with_lost({"sw3"});
  EXPECT_THAT(claimed_at("sw3"), ElementsAre(entry(30, 41, 0, 0)));
  takes("sw3", entry(30, 41, 2, 600));
  answers("sw3");
  EXPECT_THAT(standing(), ElementsAre(earlier(1)));
}

TEST_F(LostLedgerTest, TwoLostHopsInARowAreRebuiltFromBothSides) {
  holds_call(earlier(1));
  restart_with_lost({"sw2", "sw3"});
  EXPECT_THAT(claimed_at("sw2"), ElementsAre(entry(20, 40, 0, 0)));
  EXPECT_THAT(claimed_at("sw3"), IsEmpty()) << "nobody knows of it yet";
  takes("sw2", entry(20, 40, 21, 41));
  answers("sw2");
  answers("sw3");
  EXPECT_THAT(standing(), IsEmpty());
  EXPECT_THAT(claimed_at("sw3"), ElementsAre(entry(30, 41, 0, 0)));
  takes("sw3", entry(30, 41, 2, 600));
  answers("sw3");
  EXPECT_THAT(standing(), ElementsAre(earlier(1)));
  EXPECT_THAT(done_with(), ElementsAre("sw2", "sw3"));
}

// It had been set up over sw1, sw2 and sw3, and had moved to sw1, sw5, sw2 and sw3.
TEST_F(LostLedgerTest, AHopWhereNoCallEntersIsNoEntranceWhateverTheNumbersSay) {
  switches_.emplace_back("sw5");
  links_ = {{"sw1", PortId{11}, "sw5", PortId{50}},
            {"sw5", PortId{51}, "sw2", PortId{25}},
            {"sw2", PortId{21}, "sw3", PortId{30}}};
  ends_ = {{"ann", "sw1", PortId{1}}};
  holds_call(earlier(1));
  restart_with_lost({"sw1", "sw2", "sw5"});
  EXPECT_FALSE(takes("sw2", entry(25, 51, 21, 41)).enters);
  for (const char* name : {"sw1", "sw2", "sw5"}) answers(name);
  EXPECT_FALSE(takes("sw5", entry(50, 50, 51, 51)).enters);
  answers("sw5");
  EXPECT_THAT(standing(), IsEmpty()) << "its first hop is not known yet";
  EXPECT_TRUE(takes("sw1", entry(1, 500, 11, 50)).enters);
  answers("sw1");
  ASSERT_THAT(standing(), ElementsAre(earlier(1)));
  EXPECT_THAT(manager().describe(earlier(1))->connection.hops(), SizeIs(4));
}

TEST_F(LostLedgerTest, AHopThatIsNotInATableThatTheSwitchHasKeptWasRemoved) {
  holds_call(earlier(1));
  restart_with_lost({"sw2"});
  (void)claimed_at("sw2");
  answers("sw2", {{refused(keys_[0], Cause::kNotConnected)}, {}, true});
  EXPECT_THAT(standing(), IsEmpty());
  EXPECT_EQ(manager().recovery().waiting(), 0U);
  EXPECT_EQ(manager().gauges().owed, 2U) << "the rest is rolled back";
  EXPECT_THAT(done_with(), ElementsAre("sw2"));
}

TEST_F(LostLedgerTest, AHopThatIsNotInTheTableOfASwitchThatHasRestartedMakesTheCallIncomplete) {
  holds_call(earlier(1));
  restart_with_lost({"sw2"});
  (void)claimed_at("sw2");
  answers("sw2", {{refused(keys_[0], Cause::kNotConnected)}, {}, false});
  const auto call = manager().recovery().incomplete(earlier(1));
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->element, "sw2");
  EXPECT_EQ(call->why, Missing::kNoEntry);
  EXPECT_THAT(call->hops, SizeIs(2));
  EXPECT_EQ(manager().gauges().owed, 0U) << "its cells are not touched";
  EXPECT_TRUE(manager().recovery().done());
  EXPECT_THAT(done_with(), IsEmpty()) << "a later epoch asks that SwitchServer again";

  release(1, earlier(1));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_THAT(done_with(), ElementsAre("sw2"));
}

TEST_F(LostLedgerTest, SeveralEntriesThatFitMakeTheCallIncomplete) {
  holds_call(earlier(1));
  restart_with_lost({"sw3"});
  (void)claimed_at("sw3");
  answers("sw3", {{refused(keys_[0], Cause::kIncomplete, 2)}, {}, true});
  EXPECT_EQ(manager().recovery().incomplete(earlier(1)).value().why, Missing::kSeveralEntries);
}

TEST_F(LostLedgerTest, ASwitchWithoutOutputsMakesTheCallIncomplete) {
  holds_call(earlier(1));
  restart_with_lost({"sw3"});
  (void)claimed_at("sw3");
  answers("sw3", {{refused(keys_[0], Cause::kIncomplete, 0)}, {}, true});
  EXPECT_EQ(manager().recovery().incomplete(earlier(1)).value().why, Missing::kNoOutputs);
}

TEST_F(LostLedgerTest, ALeafThatNobodyKnowsMakesTheCallIncomplete) {
  holds_call(earlier(1));
  restart_with_lost({"sw2"});
  takes("sw2", entry(20, 40, 21, 41));
  answers("sw2", {{}, {entry(20, 40, 2, 700)}, true});
  EXPECT_EQ(manager().recovery().incomplete(earlier(1)).value().why, Missing::kOtherEntry);
  EXPECT_EQ(manager().gauges().owed, 0U);
}

// An earlier epoch has claimed the hop that it knew, and ended before the ledger's answer.
TEST_F(LostLedgerTest, ALeafBesideAHopThatWasClaimedBeforeIsMissedToo) {
  holds_call(earlier(1));
  restart({"sw2"});
  come_back("sw2", Recovery::ReadAs::kLost);
  manager().serve_with_switches_missing(now);
  finish();
  EXPECT_THAT(standing(), IsEmpty()) << "whether its switch has other entries is not known yet";
  EXPECT_EQ(manager().recovery().incomplete(earlier(1)).value().why, Missing::kNotClaimed);
  EXPECT_THAT(rebuilt_at("sw2"), IsEmpty());
  answers("sw2", {{}, {entry(20, 40, 2, 700)}, true});
  EXPECT_THAT(standing(), IsEmpty());
  EXPECT_EQ(manager().recovery().incomplete(earlier(1)).value().why, Missing::kOtherEntry);
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(LostLedgerTest, ACallWhoseHopsWereAllClaimedBeforeStandsWithTheAnswer) {
  holds_call(earlier(1));
  restart({"sw2"});
  come_back("sw2", Recovery::ReadAs::kLost);
  manager().serve_with_switches_missing(now);
  finish();
  answers("sw2", {{}, {}, true});
  EXPECT_THAT(standing(), ElementsAre(earlier(1)));
}

TEST_F(LostLedgerTest, ABranchThatGoesOnBehindTheSwitchIsRebuilt) {
  holds_call(earlier(1));
  holds_leaf(earlier(1));
  to_["sw4"] = {"joe"};
  restart_with_lost({"sw2"});
  EXPECT_THAT(claimed_at("sw2"),
              testing::UnorderedElementsAre(entry(20, 40, 21, 41), entry(0, 0, 22, 45)));
  to_["sw2"] = {"bob", "joe"};
  takes("sw2", entry(20, 40, 21, 41));
  EXPECT_TRUE(takes("sw2", entry(20, 40, 22, 45)).branch);
  answers("sw2");
  ASSERT_THAT(standing(), ElementsAre(earlier(1)));
  EXPECT_THAT(manager().describe(earlier(1))->connection.leaves(), SizeIs(1));
}

TEST_F(LostLedgerTest, ACallThatWasBeingReleasedIsRemovedAtTheLostLedgerToo) {
  holds("sw1", earlier(1), 0, 1, 500, 10, 40).stage = HopStage::kRemoving;
  holds("sw2", earlier(1), 1, 20, 40, 21, 41);
  restart_with_lost({"sw2"});
  EXPECT_THAT(claimed_at("sw2"), ElementsAre(entry(20, 40, 0, 0)));
  takes("sw2", entry(20, 40, 21, 41));
  answers("sw2");
  EXPECT_THAT(standing(), IsEmpty());
  EXPECT_EQ(manager().gauges().owed, 2U);
}

TEST_F(LostLedgerTest, WhileOneSwitchIsSilentTheOthersAreAskedAndAskedAgainWhenItComes) {
  holds_call(earlier(1));
  restart({"sw2", "sw3"});
  held_["sw2"].clear();
  manager().switch_holds("sw2", {}, now, Recovery::ReadAs::kLost);
  EXPECT_THAT(to_claim(), IsEmpty());
  manager().serve_with_switches_missing(now);
  EXPECT_THAT(to_claim(), ElementsAre("sw2"));
  EXPECT_THAT(claimed_at("sw2"), ElementsAre(entry(20, 40, 0, 0)));
  takes("sw2", entry(20, 40, 21, 41));
  answers("sw2");
  EXPECT_EQ(manager().recovery().incomplete(earlier(1)).value().why, Missing::kNotRead);
  EXPECT_EQ(manager().recovery().incomplete(earlier(1)).value().element, "sw3");
  EXPECT_THAT(done_with(), IsEmpty());
  come_back("sw3");
  EXPECT_THAT(standing(), ElementsAre(earlier(1)));
  EXPECT_THAT(done_with(), ElementsAre("sw2"));
}

TEST_F(LostLedgerTest, TheLabelThatTheHopBehindUsesRestsWhereItIsLost) {
  holds_call(earlier(1));
  restart_with_lost({"sw2"});
  std::vector<PortLabels> resting;
  for (const HopClaims& page : manager().claims_at("sw2", now)) {
    std::ranges::copy(page.resting, std::back_inserter(resting));
  }
  EXPECT_THAT(resting, ElementsAre(PortLabels{PortId{21}, {vci(41)}}));
}

TEST_F(LostLedgerTest, AnEntryThatIsClaimedLaterKeepsNoCallIncomplete) {
  holds_call(earlier(1));
  holds_leaf(earlier(1));
  to_["sw4"] = {"joe"};
  restart({"sw2", "sw4"});
  held_["sw2"].clear();
  manager().switch_holds("sw2", {}, now, Recovery::ReadAs::kLost);
  manager().serve_with_switches_missing(now);
  finish();
  takes("sw2", entry(20, 40, 21, 41));
  answers("sw2", {{}, {entry(20, 40, 22, 45)}, true});
  EXPECT_TRUE(manager().recovery().incomplete(earlier(1)).has_value());
  come_back("sw4");
  EXPECT_THAT(claimed_at("sw2"), testing::Contains(entry(0, 0, 22, 45)));
  to_["sw2"] = {"bob", "joe"};
  takes("sw2", entry(20, 40, 22, 45));
  answers("sw2", {{}, {}, true});
  EXPECT_THAT(standing(), ElementsAre(earlier(1)));
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(LostLedgerTest, ARebuiltEndOfTheFirstLegStaysBesideALeaf) {
  holds_call(earlier(1));
  holds_leaf(earlier(1));
  to_["sw2"] = {"bob", "joe"};
  to_["sw4"] = {"joe"};
  restart_with_lost({"sw3"});
  takes("sw3", entry(30, 41, 2, 600));
  answers("sw3", {{}, {}, true});
  ASSERT_THAT(standing(), ElementsAre(earlier(1)));
  EXPECT_THAT(manager().describe(earlier(1))->connection.hops(), SizeIs(5));
  EXPECT_EQ(manager().gauges().owed, 0U) << "nothing of it is removed";
}

TEST_F(LostLedgerTest, ALedgerIsAwaitedWhileALinkThatMayLeadThereIsNotKnown) {
  holds_call(earlier(1));
  links_ = {right_links_[2]};
  restart_with_lost({"sw2"});
  EXPECT_THAT(claimed_at("sw2"), IsEmpty()) << "no link leads there";
  answers("sw2", {{}, {}, true});
  EXPECT_EQ(manager().recovery().incomplete(earlier(1)).value().why, Missing::kUnknownSwitch);
  EXPECT_THAT(done_with(), IsEmpty()) << "its hop is there";
  (void)to_claim();

  manager().set_network(switches_, right_links_, now);
  finish();
  EXPECT_THAT(to_claim(), ElementsAre("sw2"));
  EXPECT_THAT(claimed_at("sw2"), ElementsAre(entry(20, 40, 21, 41)));
  takes("sw2", entry(20, 40, 21, 41));
  answers("sw2", {{}, {}, true});
  EXPECT_THAT(standing(), ElementsAre(earlier(1)));
  EXPECT_THAT(done_with(), ElementsAre("sw2"));
}

TEST_F(LostLedgerTest, ThatAllIsClaimedIsSaidUntilItIsHeard) {
  holds_call(earlier(1));
  restart_with_lost({"sw2"});
  takes("sw2", entry(20, 40, 21, 41));
  answers("sw2");
  EXPECT_THAT(done_with(), ElementsAre("sw2"));
  const SessionId first = claims_done_in;
  manager().claims_finished("sw2", first, std::nullopt, now);
  EXPECT_THAT(done_with(), IsEmpty()) << "not at once";
  wait(SwitchDesk::kDebtRetry);
  EXPECT_THAT(done_with(), ElementsAre("sw2"));
  lose("sw2");
  attach("sw2");
  wait(milliseconds{1});
  EXPECT_THAT(done_with(), ElementsAre("sw2")) << "in each session";
  manager().claims_finished("sw2", first, 0, now);
  lose("sw2");
  attach("sw2");
  wait(milliseconds{1});
  EXPECT_THAT(done_with(), ElementsAre("sw2")) << "an answer in an earlier session proves nothing";
  manager().claims_finished("sw2", claims_done_in, 0, now);
  lose("sw2");
  attach("sw2");
  wait(milliseconds{1});
  EXPECT_THAT(done_with(), IsEmpty());
}

TEST_F(LostLedgerTest, WhatALostLedgerHadOfACallThatIsReleasedMeanwhileIsRemoved) {
  holds_call(earlier(1));
  restart({"sw2", "sw3"});
  held_["sw2"].clear();
  manager().switch_holds("sw2", {}, now, Recovery::ReadAs::kLost);
  manager().serve_with_switches_missing(now);
  to_claim();
  release(1, earlier(1));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_THAT(claimed_at("sw2"), ElementsAre(entry(20, 40, 0, 0)));
  answers("sw2", {{refused(keys_[0], Cause::kIncomplete, 2)}, {}, true});
  come_back("sw3");
  EXPECT_THAT(to_claim(), ElementsAre("sw2"));
  EXPECT_THAT(claimed_at("sw2"), ElementsAre(entry(20, 40, 21, 41)));
  takes("sw2", entry(20, 40, 21, 41));
  answers("sw2");
  EXPECT_THAT(standing(), IsEmpty());
  wait(milliseconds{1});
  EXPECT_EQ(removal("sw2").key.hop, 1);
}

TEST_F(LostLedgerTest, TheLabelOfAHopThatWentBetweenTwoReadingsIsReturned) {
  LedgerHop& going = holds("sw2", earlier(1), 1, 20, 40, 21, 41);
  going.stage = HopStage::kRemoving;
  restart({"sw2"});
  HeldHops page;
  page.owners = {client_};
  page.hops = std::exchange(held_["sw2"], {});
  manager().switch_holds("sw2", page, now, Recovery::ReadAs::kLost);
  finish();
  answers("sw2");
  EXPECT_TRUE(manager().recovery().done());
  wait(milliseconds{1});
  take_attach_requests();
  // The SwitchServer removes on its own what it was claimed to be removing.
  answer("sw2", {removed({page.hops[0].key}, vci(41))});
  wait(milliseconds{1});
  ASSERT_THAT(take_attach_requests(), ElementsAre("sw2")) << "of which port is the label?";
  attach("sw2", {{PortId{21}, {vci(41)}}});
  wait(milliseconds{200});
  EXPECT_THAT(take("sw2").returned, ElementsAre(PortLabels{PortId{21}, {vci(41)}}));
}

TEST_F(LostLedgerTest, WhileALostLedgerIsAskedAgainTheReleaseOfItsCallIsNotSaidTwice) {
  holds_call(earlier(1));
  links_ = {right_links_[2]};
  restart_with_lost({"sw2"});
  answers("sw2", {{}, {}, true});
  EXPECT_TRUE(manager().recovery().done());
  (void)to_claim();
  manager().set_network(switches_, right_links_, now);
  finish();
  ASSERT_THAT(to_claim(), ElementsAre("sw2"));
  release(1, earlier(1));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  release(2, earlier(1));
  const Outcome unknown = outcome();
  EXPECT_EQ(unknown.kind, OutcomeKind::kRefused);
  EXPECT_THAT(unknown.reason, testing::HasSubstr("not read since the manager's start: 1 switch"));
  manager().set_network(switches_, right_links_, now);  // it looks at everything again
  finish();
  takes("sw2", entry(20, 40, 21, 41));
  answers("sw2");
  wait(milliseconds{1});
  EXPECT_EQ(removal("sw2").key.hop, 1);
  EXPECT_EQ(manager().recovery().waiting(), 0U);
}

TEST_F(LostLedgerTest, LedgersAreNotAskedForHopsOfACallThatStands) {
  holds_call(earlier(1));
  holds("sw4", earlier(2), 0, 1, 501, 40, 45);
  holds("sw2", earlier(2), 1, 22, 45, 21, 51);
  holds("sw3", earlier(2), 2, 30, 51, 2, 601);
  const ClaimsAnswer kept{{}, {}, true};
  links_ = {right_links_[0], right_links_[1]};
  restart_with_lost({"sw2", "sw3"});
  takes("sw2", entry(20, 40, 21, 41));
  answers("sw2", kept);
  answers("sw3", kept);
  takes("sw3", entry(30, 41, 2, 600));
  answers("sw3", kept);
  ASSERT_THAT(standing(), ElementsAre(earlier(1)));
  ASSERT_EQ(manager().recovery().incomplete(earlier(2)).value().why, Missing::kUnknownSwitch);
  (void)to_claim();

  manager().set_network(switches_, right_links_, now);
  finish();
  ASSERT_THAT(to_claim(), ElementsAre("sw2"));
  takes("sw2", entry(22, 45, 21, 51));
  answers("sw2", kept);  // the ledger has hops of both
  ASSERT_THAT(to_claim(), ElementsAre("sw3"));
  EXPECT_THAT(rebuilt_at("sw3"), ElementsAre(entry(30, 51, 0, 0)));
  takes("sw3", entry(30, 51, 2, 601));
  answers("sw3", kept);
  EXPECT_THAT(standing(), ElementsAre(earlier(1), earlier(2)));
  EXPECT_THAT(to_claim(), IsEmpty());
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(LostLedgerTest, AnOwnerHearsThatItsCallIsIncompleteAndThatItStandsAgain) {
  holds_call(earlier(1));
  restart({"sw3"});
  manager().serve_with_switches_missing(now);
  finish();
  const Notice incomplete = notice();
  EXPECT_EQ(incomplete.kind, NoticeKind::kIncomplete);
  EXPECT_EQ(incomplete.connection, earlier(1));
  EXPECT_EQ(incomplete.cause, Cause::kIncomplete);
  EXPECT_EQ(incomplete.element, "sw3");
  log_in("mia");
  EXPECT_EQ(notice().kind, NoticeKind::kIncomplete) << "it may not have heard it";
  come_back("sw3");
  EXPECT_EQ(notice().kind, NoticeKind::kMended);
}

TEST_F(LostLedgerTest, TheTakerOfAPreparedConnectionIsTheOwnerThatAnyHopNames) {
  holds_call(earlier(1));
  held_["sw3"][0].shown_id = earlier(7);
  held_["sw3"][0].request = RequestId{12};
  for (const char* name : {"sw1", "sw2"}) held_[name][0].request = {};
  restart_with_lost({"sw1"});
  const LedgerHop& taken = takes("sw1", entry(1, 500, 10, 40));
  EXPECT_EQ(taken.shown_id, earlier(7));
  EXPECT_EQ(taken.request, RequestId{12});
  answers("sw1");
  EXPECT_THAT(manager().describe(earlier(7))->client, "mia");
}

// Otherwise the next epoch would believe the other end, which has not heard of the taker.
TEST_F(LostLedgerTest, ARebuiltHopHasTheRevisionOfTheHopThatNamesTheOwner) {
  holds_call(earlier(1));
  held_["sw3"][0].shown_id = earlier(7);
  held_["sw3"][0].request = RequestId{12};
  held_["sw3"][0].revision = 2;
  for (const char* name : {"sw1", "sw2"}) held_[name][0].request = {};
  restart_with_lost({"sw1"});
  EXPECT_EQ(takes("sw1", entry(1, 500, 10, 40)).revision, 2U);
}

TEST_F(LostLedgerTest, WhoHasAPreparedConnectionIsToldToTheEndThatHasNotHeardIt) {
  holds_call(earlier(1));
  for (const char* name : {"sw1", "sw2", "sw3"}) held_[name][0].request = {};
  held_["sw3"][0].shown_id = earlier(7);
  held_["sw3"][0].request = RequestId{12};
  held_["sw3"][0].revision = 1;
  restart();
  wait(milliseconds{1});
  const HopBatch sent = take("sw1");
  ASSERT_THAT(sent.modifies, SizeIs(1));
  ASSERT_TRUE(sent.modifies[0].handover.has_value());
  EXPECT_EQ(sent.modifies[0].handover->shown_id, earlier(7));
  EXPECT_GT(sent.modifies[0].revision, 1U);
}

}  // namespace
}  // namespace xbind::cmgr
