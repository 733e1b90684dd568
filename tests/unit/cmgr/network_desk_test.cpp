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
