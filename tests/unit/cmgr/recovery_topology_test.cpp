// A manager comes back while RouteObject has a wrong topology: its calls stand all the same.
#include "recovery_fixture.hpp"

namespace xbind::cmgr {
namespace {

TEST_F(RecoveryTest, ACallStandsWithAllItsHopsAlthoughTheTopologyLacksALink) {
  holds_call(earlier(1));
  links_.erase(links_.begin());
  restart();
  ASSERT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(1)));
  EXPECT_THAT(manager().describe(earlier(1))->connection.hops(), SizeIs(3));
  EXPECT_EQ(manager().gauges().owed, 0U);
  for (const char* name : {"sw1", "sw2", "sw3"}) EXPECT_TRUE(silent(name));
  EXPECT_THAT(alarms(), ElementsAre("sw1 port 10: calls show a link to sw2 port 20, the topology "
                                    "has none there"));

  manager().set_network(switches_, right_links_, now);
  finish();
  EXPECT_THAT(alarms(), IsEmpty());
  EXPECT_THAT(manager().describe(earlier(1))->connection.hops(), SizeIs(3));
}

TEST_F(RecoveryTest, ACallStandsAlthoughTheTopologyHasLinksExchangedAndOneAtItsEnd) {
  holds_call(earlier(1));
  links_ = {{"sw1", PortId{10}, "sw3", PortId{30}},
            {"sw2", PortId{21}, "sw2", PortId{20}},
            {"sw1", PortId{1}, "sw4", PortId{9}}};
  restart();
  ASSERT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(1)));
  EXPECT_THAT(manager().describe(earlier(1))->connection.hops(), SizeIs(3));
  EXPECT_THAT(alarms(),
              ElementsAre("sw1 port 10: calls show a link to sw2 port 20, the topology leads to "
                          "sw3 port 30",
                          "sw2 port 21: calls show a link to sw3 port 30, the topology leads to "
                          "sw2 port 20"));
  release(1, earlier(1));
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_THAT(alarms(), IsEmpty()) << "no call passes these links any more";
}

TEST_F(RecoveryTest, TheAlarmOfALinkStandsUntilTheLastCallThatPassesItHasGone) {
  for (const std::uint32_t call : {1U, 2U, 3U}) {
    holds("sw1", earlier(call), 0, 1, 500 + call, 10, 40 + 2 * call);
    holds("sw2", earlier(call), 1, 20, 40 + 2 * call, 21, 41 + 2 * call);
    holds("sw3", earlier(call), 2, 30, 41 + 2 * call, 2, 600 + call);
  }
  links_.erase(links_.begin());
  restart();
  for (const std::uint32_t call : {1U, 3U, 2U}) {
    EXPECT_THAT(alarms(), SizeIs(1)) << "before the release of " << call;
    release(call, earlier(call));
    for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
    EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  }
  EXPECT_THAT(alarms(), IsEmpty());
}

TEST_F(RecoveryTest, ACallOverASwitchThatTheTopologyLacksWaitsForIt) {
  holds_call(earlier(1));
  switches_ = {"sw1", "sw3"};
  links_.clear();
  restart();
  EXPECT_TRUE(manager().recovery().done());
  EXPECT_EQ(manager().recovery().waiting(), 1U);
  EXPECT_EQ(manager().gauges().owed, 0U) << "nothing is removed";
  EXPECT_THAT(
      alarms(),
      ElementsAre(::testing::StartsWith("manager m: 1 earlier call is incomplete: 1 at sw")));
  modify(1, earlier(1), cells(50));
  EXPECT_EQ(outcome().cause, Cause::kIncomplete);

  manager().set_network({"sw1", "sw2", "sw3"}, {right_links_[0], right_links_[1]}, now);
  finish();
  EXPECT_EQ(manager().recovery().waiting(), 1U) << "sw2 has not been read";
  come_back("sw2");
  EXPECT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(1)));
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_THAT(alarms(), IsEmpty());
}

TEST_F(RecoveryTest, ACallThatWaitsForAnUnknownSwitchCanBeReleased) {
  holds_call(earlier(1));
  switches_ = {"sw1", "sw3"};
  links_.clear();
  restart();
  release(1, earlier(1));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  wait(milliseconds{1});
  all_done("sw1");
  all_done("sw3");
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_EQ(manager().recovery().waiting(), 0U);
}

TEST_F(RecoveryTest, AnAuditTakesNoHopOfAWaitingCallForAStray) {
  holds_call(earlier(1));
  restart({"sw3"});
  manager().serve_with_switches_missing(now);
  finish();
  EXPECT_THAT(audit("sw1"), IsEmpty()) << "sw3 has not been read";
  come_back("sw3");
  ASSERT_THAT(manager().list(ConnectionId{}, 10), SizeIs(1));
  EXPECT_THAT(audit("sw1"), IsEmpty());
}

TEST_F(RecoveryTest, AnAuditTakesNoHopForAStrayThatLeadsToAnUnknownSwitch) {
  holds_call(earlier(1));
  switches_ = {"sw1", "sw3"};
  links_.clear();
  restart();
  EXPECT_THAT(audit("sw1"), IsEmpty());
  EXPECT_THAT(audit("sw3"), IsEmpty());
  release(1, earlier(1));
  EXPECT_THAT(audit("sw3"), ElementsAre(FindingKind::kOwed));
}

TEST_F(RecoveryTest, ALabelThatAWaitingCallMayUseStaysInQuarantine) {
  resting_["sw1"] = {{PortId{10}, {vci(40), vci(41)}}};
  holds("sw2", earlier(1), 1, 20, 40, 21, 45);  // its first hop has been removed
  links_.erase(links_.begin());                 // from sw1 to sw2
  links_.push_back({"sw1", PortId{10}, "sw4", PortId{41}});
  restart();
  EXPECT_EQ(manager().recovery().waiting(), 1U);
  wait(milliseconds{200});
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(41)}}));
  // Nor is it returned, or called leaked, after the next attachment.
  attach("sw1", {{PortId{10}, {vci(40)}}});
  EXPECT_THAT(manager().view_of("sw1").labels, ElementsAre(std::pair{PortId{10}, vci(40)}));
  wait(milliseconds{200});
  EXPECT_TRUE(silent("sw1"));

  manager().set_network(switches_, right_links_, now);
  wait(milliseconds{200});
  EXPECT_TRUE(silent("sw1")) << "the hop at sw2 has not been removed yet";
  answer("sw2", {removed(removal("sw2"), vci(45))});
  wait(milliseconds{200});
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(40)}}));
}

TEST_F(RecoveryTest, WhatWasHalfRemovedIsRemovedThoughALinkElsewhereIsMissing) {
  holds_call(earlier(1));
  holds("sw1", earlier(2), 0, 1, 501, 10, 50);  // the others of this call have been removed
  links_.pop_back();
  restart();
  EXPECT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(1)));
  wait(milliseconds{1});
  EXPECT_EQ(removal("sw1").key.connection, earlier(2));
}

TEST_F(RecoveryTest, ACallWaitsIfThereAreTooManyWaysToJoinItsHops) {
  for (std::uint16_t i = 0; i < 12; ++i) {  // over three switches again and again
    LedgerHop& hop = holds(switches_[i % 3], earlier(1), i, i == 0 ? 1 : 100U + i, 40,
                           i == 11 ? 2 : 200U + i, 40);
    hop.key.generation = Generation{i + 1U};
    hop.hop_count = 12;
    if (i == 11) continue;
    links_.push_back(
        {switches_[i % 3], PortId{200U + i}, switches_[(i + 1) % 3], PortId{101U + i}});
  }
  const std::vector<NetworkLink> all = links_;
  // Every port has a link, but not of this call.
  for (std::size_t i = 3; i < links_.size(); ++i)
    links_[i].other_port = all[i == 3 ? 13 : i - 1].other_port;
  restart();
  EXPECT_TRUE(manager().recovery().done());
  EXPECT_EQ(manager().recovery().waiting(), 1U);
  EXPECT_EQ(manager().gauges().owed, 0U) << "nothing is removed";

  manager().set_network(switches_, all, now);
  finish();
  ASSERT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(1)));
  EXPECT_THAT(manager().describe(earlier(1))->connection.hops(), SizeIs(12));
}

}  // namespace
}  // namespace xbind::cmgr
