// Calls of an earlier epoch whose path was changing when the manager ended.
#include "recovery_fixture.hpp"

namespace xbind::cmgr {
namespace {

// A move over sw5 that failed: cells are to be led back at sw1, which had not confirmed it.
class FailedMoveTest : public RecoveryTest {
 protected:
  FailedMoveTest() {
    switches_.push_back("sw5");
    links_.push_back({"sw1", PortId{11}, "sw5", PortId{50}});
    links_.push_back({"sw5", PortId{51}, "sw3", PortId{31}});
    holds_call(earlier(1));
    holds("sw1", earlier(1), 0, 1, 500, 11, 50).stage = HopStage::kRemoving;
    holds("sw5", earlier(1), 1, 50, 50, 51, 51);
    holds("sw3", earlier(1), 2, 31, 51, 2, 600);
    for (const char* name : {"sw1", "sw5", "sw3"}) {
      held_[name].back().key.generation = Generation{2};
    }
  }
  void is_led_back() {
    const HopRemoval back = removal("sw1");
    EXPECT_EQ(back.key, (HopKey{earlier(1), Generation{2}, 0, 0}));
    EXPECT_TRUE(silent("sw5"));
    EXPECT_TRUE(silent("sw3"));
    answer("sw1", {removed(back, vci(50))});
    wait(milliseconds{1});
  }
};

TEST_F(FailedMoveTest, CellsAreLedBackBeforeTheNewPathGoes) {
  restart();
  wait(milliseconds{1});
  EXPECT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(1)));
  answer("sw1", {not_removed(removal("sw1"))});
  wait(milliseconds{1});
  EXPECT_TRUE(silent("sw5")) << "cells still go there";
  EXPECT_TRUE(silent("sw3"));
  wait(SwitchDesk::kDebtRetry);
  is_led_back();
  EXPECT_EQ(removal("sw5").key, (HopKey{earlier(1), Generation{2}, 0, 1}));
  EXPECT_EQ(removal("sw3").key, (HopKey{earlier(1), Generation{2}, 0, 2}));
}

TEST_F(FailedMoveTest, WhatIsFoundLaterWaitsForItToo) {
  restart({"sw5"});
  manager().serve_with_switches_missing(now);
  finish();
  come_back("sw5");
  wait(milliseconds{1});
  is_led_back();
  EXPECT_EQ(removal("sw5").key.hop, 1);
  EXPECT_EQ(removal("sw3").key.hop, 2);
}

TEST_F(FailedMoveTest, ItsHopsDoNotSayWhoHasAPreparedConnection) {
  owner_at_["sw1"] = HopOwner{std::string{kTwoWayClient}, Epoch{}, "ann", "bob"};
  for (LedgerHop& hop : held_["sw1"]) hop.request = {};
  held_["sw3"].front().shown_id = earlier(2);
  held_["sw3"].front().revision = 1;
  std::swap(held_["sw3"].front(), held_["sw3"].back());
  restart();
  ASSERT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(2)));
  EXPECT_EQ(manager().describe(earlier(2))->client, "mia");
}

// The manager could not reach sw1, which had led the cells over; it has given the move up, and
// removed the rest of the new path.
TEST_F(FailedMoveTest, WithoutTheRestOfItsNewPathTheCallStandsAndIsLedBack) {
  held_["sw1"].back().stage = HopStage::kCommitted;
  held_["sw1"].front().superseded = true;
  held_["sw5"].clear();
  held_["sw3"].pop_back();
  restart();
  wait(milliseconds{1});
  ASSERT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(1)));
  const auto& hops = manager().describe(earlier(1))->connection.hops();
  EXPECT_THAT(hops, SizeIs(3));
  for (const Hop& hop : hops) EXPECT_EQ(hop.generation, 1U);
  EXPECT_EQ(removal("sw1").key, (HopKey{earlier(1), Generation{2}, 0, 0}));
  EXPECT_TRUE(silent("sw2"));
}

TEST_F(FailedMoveTest, TheOldPathOfAMoveThatSucceededWaitsForNobody) {
  held_["sw1"].back().stage = HopStage::kCommitted;
  held_["sw1"].front().superseded = true;
  restart();
  wait(milliseconds{1});
  for (const char* name : {"sw1", "sw2", "sw3"}) {
    EXPECT_EQ(removal(name).key.generation, Generation{1});
  }
}

}  // namespace
}  // namespace xbind::cmgr
