// The network changes under a manager: it attaches to new switches before a call needs them, and
// lets go of removed ones when nothing is left there. exchange.hpp shows the network.
#include "reroute_fixture.hpp"

namespace xbind::cmgr {
namespace {

class NetworkDeskTest : public RerouteTest {
 protected:
  void network(const std::vector<std::string>& switches) {
    manager().set_network(switches, {}, now);
    finish();
  }
};

TEST_F(NetworkDeskTest, ANewSwitchIsAttachedBeforeACallNeedsIt) {
  start();
  network({"sw1", "sw2"});
  EXPECT_THAT(take_attach_requests(), ElementsAre("sw1", "sw2"));
  network({"sw1", "sw2", "sw9"});
  EXPECT_THAT(take_attach_requests(), ElementsAre("sw9"));
  EXPECT_THAT(manager().switch_names(), ElementsAre("sw1", "sw2", "sw9"));
}

TEST_F(NetworkDeskTest, MoreSwitchesThanCanBeKnownAreRefusedAndTheOthersServe) {
  start_with_two_paths();
  std::vector<std::string> all{"sw1", "sw2", "sw3", "sw5"};
  while (all.size() < SwitchDesk::kSwitches) all.push_back("x" + std::to_string(all.size()));
  network(all);
  EXPECT_THAT(manager().switch_names(), SizeIs(SwitchDesk::kSwitches));
  static_cast<void>(take_attach_requests());
  std::vector<std::string> more = all;
  more.push_back("one-more");
  more.push_back("another");
  manager().set_network(more,
                        {{"sw1", PortId{9}, "one-more", PortId{9}},
                         {"sw1", PortId{10}, "sw2", PortId{20}},
                         {"sw2", PortId{21}, "sw3", PortId{30}}},
                        now);
  finish();
  EXPECT_THAT(manager().switch_names(), SizeIs(SwitchDesk::kSwitches));
  EXPECT_THAT(take_attach_requests(), IsEmpty());
  EXPECT_EQ(manager().gauges().switches_refused, 2U);
  const auto refused = manager().register_switch("one-more");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kExhausted);
  EXPECT_THAT(refused.error().text, ::testing::HasSubstr("'one-more' is one more than the 4096"));
  EXPECT_NE(connected(1), ConnectionId{}) << "calls over other switches";
  network(all);
  EXPECT_EQ(manager().gauges().switches_refused, 0U);
}

TEST_F(NetworkDeskTest, ARemovedSwitchWithoutCallsIsLetGoOfAtOnce) {
  start();
  network({"sw1", "sw2"});
  attach("sw1");
  attach("sw2");
  network({"sw1"});
  EXPECT_THAT(let_go, ElementsAre("sw2"));
  EXPECT_THAT(manager().switch_names(), ElementsAre("sw1"));
  EXPECT_FALSE(manager().reaches("sw2"));
  EXPECT_THAT(ended_switch_sessions_, SizeIs(1));
}

TEST_F(NetworkDeskTest, ARemovedSwitchIsKeptUntilItsLastCallHasEnded) {
  start_with_two_paths();
  const ConnectionId call = connected(1);
  network({"sw1", "sw3", "sw5"});
  wait(seconds{2});
  EXPECT_THAT(let_go, IsEmpty());
  release(2, call);
  EXPECT_THAT(let_go, IsEmpty()) << "the removals are under way";
  answer_all_switches();
  wait(seconds{2});
  EXPECT_THAT(let_go, ElementsAre("sw2"));
}

TEST_F(NetworkDeskTest, ASwitchThatReturnsIsAttachedAgain) {
  start();
  network({"sw1", "sw2"});
  network({"sw1"});
  static_cast<void>(take_attach_requests());
  network({"sw1", "sw2"});
  EXPECT_THAT(take_attach_requests(), ElementsAre("sw2"));
  EXPECT_THAT(manager().switch_names(), ElementsAre("sw1", "sw2"));
}

TEST_F(NetworkDeskTest, ASwitchThatReturnsBeforeItsCallsHaveEndedIsNotLetGoOf) {
  start_with_two_paths();
  const ConnectionId call = connected(1);
  network({"sw1", "sw3", "sw5"});
  network({"sw1", "sw2", "sw3", "sw5"});
  release(2, call);
  answer_all_switches();
  wait(seconds{2});
  EXPECT_THAT(let_go, IsEmpty());
}

}  // namespace
}  // namespace xbind::cmgr
