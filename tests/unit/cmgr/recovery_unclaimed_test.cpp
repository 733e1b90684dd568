// What a manager of a new epoch leaves alone at SwitchServers that lost their ledgers, because no
// ledger says who has it.
#include "recovery_lost_fixture.hpp"

namespace xbind::cmgr {
namespace {

// The manager had released a call; sw2, which was away, still had it, and lost its ledger.
TEST_F(LostLedgerTest, ALabelThatLeadsToUnclaimedEntriesIsKeptUntilTheyAreGone) {
  resting_["sw1"] = {{PortId{10}, {vci(40)}}};
  restart_with_lost({"sw2"});
  EXPECT_THAT(claimed_at("sw2"), IsEmpty());
  manager().note_entries_of_nobody("sw2", kEntriesUnknown, now);
  answers("sw2");
  EXPECT_THAT(done_with(), ElementsAre("sw2"));
  wait(milliseconds{200});
  EXPECT_THAT(take("sw1").returned, IsEmpty()) << "it is not known yet whether there are any";
  manager().claims_finished("sw2", claims_done_in, 12, now);
  wait(milliseconds{200});
  EXPECT_THAT(take("sw1").returned, IsEmpty()) << "one of them may be entered with this label";
  manager().note_entries_of_nobody("sw2", 0, now);
  wait(milliseconds{200});
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(40)}}));
}

TEST_F(LostLedgerTest, ALabelIsReturnedWhenNoEntryIsLeftAtTheLostLedger) {
  resting_["sw1"] = {{PortId{10}, {vci(40)}}};
  restart_with_lost({"sw2"});
  manager().note_entries_of_nobody("sw2", kEntriesUnknown, now);
  answers("sw2");
  manager().claims_finished("sw2", claims_done_in, 0, now);
  wait(milliseconds{200});
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(40)}}));
}

// The next start of the manager finds them as well, though the ledger is whole again.
TEST_F(LostLedgerTest, ALabelThatLeadsToUnclaimedEntriesIsKeptInTheNextEpochToo) {
  resting_["sw1"] = {{PortId{10}, {vci(40)}}};
  unclaimed_["sw2"] = 12;
  restart_with_lost({});
  wait(milliseconds{200});
  ASSERT_TRUE(manager().recovery().done());
  EXPECT_THAT(take("sw1").returned, IsEmpty());
  manager().note_entries_of_nobody("sw2", 0, now);
  wait(milliseconds{200});
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(40)}}));
}

// Its first destination was dropped: nothing but the branch at sw2 says where the call goes on.
TEST_F(LostLedgerTest, WhereATreeEntersIsNotGuessedBeforeTheNetworkSaysWhereItsCallerIs) {
  holds("sw1", earlier(1), 0, 1, 500, 10, 40);
  holds_leaf(earlier(1));
  restart_with_lost({"sw1", "sw2"});
  EXPECT_THAT(claimed_at("sw2"), IsEmpty());
  answers("sw1");
  answers("sw2");
  EXPECT_THAT(standing(), IsEmpty());
  EXPECT_TRUE(manager().recovery().incomplete(earlier(1)).has_value());
  EXPECT_THAT(done_with(), IsEmpty());
  // RouteObject has answered: ann is at sw1.
  manager().set_network(switches_, links_, now, {{"ann", "sw1", PortId{1}}});
  finish();
  EXPECT_THAT(claimed_at("sw2"), ElementsAre(entry(0, 0, 22, 45)));
  EXPECT_FALSE(takes("sw2", entry(20, 40, 22, 45)).enters);
  answers("sw2");
  EXPECT_TRUE(takes("sw1", entry(1, 500, 10, 40)).enters);
  answers("sw1");
  EXPECT_THAT(standing(), ElementsAre(earlier(1)));
}

}  // namespace
}  // namespace xbind::cmgr
