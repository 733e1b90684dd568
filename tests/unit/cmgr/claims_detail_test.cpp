// Claims of many owners, in the middle of a change, of hops of earlier sessions, of trees and of
// the hops that recovery has found.
#include <algorithm>
#include <map>

#include "claims_fixture.hpp"
#include "recovery_fixture.hpp"

namespace xbind::cmgr {
namespace {

class ClaimsDetailTest : public ClaimsTest {
 protected:
  static std::vector<Label> labels(std::uint32_t from, std::size_t count) {
    std::vector<Label> all;
    for (std::uint32_t i = 0; i < count; ++i) all.push_back(vci(from + i));
    return all;
  }
  // One call from ann to bob, over labels of the first session of each switch.
  ConnectionId up() {
    start_with_labels({vci(32)}, {vci(40)});
    attach("sw4");
    answer("sw2", {}, {{PortId{22}, {vci(50)}}});
    for (const char* end : {"dan", "guy", "eve"}) learn_route(end);
    return connected(1);
  }
  void next_session(const std::string& name, const std::vector<PortLabels>& quarantined = {}) {
    lose(name);
    attach(name, quarantined);
  }
  void leaf(std::uint64_t request, ConnectionId call, const std::string& end) {
    add_leaf(request, call, end);
    answer_all_switches();
    EXPECT_EQ(outcome().kind, OutcomeKind::kLeafAdded) << end;
  }
};

// ===== owners =====

// A page names an owner again if it is not among the last ones that it has named.
TEST_F(ClaimsDetailTest, EachHopOfManyOwnersOnAPageIsClaimedForItsOwn) {
  constexpr std::uint64_t kClients = 20;
  start_with_labels(labels(100, 60), labels(200, 60));
  std::map<ConnectionId, std::string> owners;
  std::uint64_t request = 0;
  const auto setup_for = [&](const std::string& client) {
    connect(++request, client);
    answer_all_switches();
    owners[outcome(client).connection] = client;
  };
  for (std::uint64_t i = 1; i <= kClients; ++i) {
    const std::string client = "client-" + std::to_string(i);
    log_in(client, i);
    setup_for(client);
    setup_for(client);
    if (i > 3) setup_for("client-" + std::to_string(i - 2));
  }
  const auto hops = claimed("sw2");
  ASSERT_EQ(hops.size(), owners.size());
  for (const LedgerHop& hop : hops) {
    const HopOwner& owner = page_.owners.at(hop.owner);
    EXPECT_EQ(owner.client, owners.at(hop.key.connection));
    EXPECT_EQ("client-" + std::to_string(owner.epoch.value()), owner.client);
  }
}

TEST_F(ClaimsDetailTest, TheSameClientsCallsToDifferentEndsHaveDifferentOwners) {
  const ConnectionId call = up();
  leaf(2, call, "guy");
  ASSERT_THAT(claimed("sw2"), SizeIs(2));
  for (const LedgerHop& hop : page_.hops) {
    EXPECT_EQ(page_.owners.at(hop.owner).to, hop.branch ? "guy" : "bob");
  }
}

// ===== in the middle of a change =====

TEST_F(ClaimsDetailTest, WhileAContractIsLoweredTheLowerOneIsClaimed) {
  const ConnectionId call = up();
  modify(2, call, cells(50, 5));
  lose("sw2");
  ASSERT_EQ(manager().describe(call)->connection.state(), State::kLowering);
  const LedgerHop hop = claimed("sw2").at(0);
  EXPECT_EQ(hop.demand, (Resources{50, 5}));
  EXPECT_FALSE(hop.settled);
  EXPECT_EQ(claimed("sw1").at(0).demand, (Resources{50, 5})) << "its change is on the way";
}

TEST_F(ClaimsDetailTest, WhileAContractIsRaisedTheOldOneIsClaimed) {
  const ConnectionId call = up();
  modify(2, call, cells(300, 20));
  all_done("sw1");
  const LedgerHop raised = claimed("sw1").at(0);
  EXPECT_EQ(raised.demand, (Resources{100, 10})) << "sw2 may refuse the raise";
  EXPECT_FALSE(raised.settled);
  EXPECT_EQ(claimed("sw2").at(0).demand, (Resources{100, 10}));
}

TEST_F(ClaimsDetailTest, TheReverseLegIsClaimedWithItsOwnContract) {
  attach_all();
  ConnectRequest request = call(1);
  request.reverse = cells(70, 7);
  ask("mia", {{request}, {}});
  answer_all_switches();
  const ConnectionId both = outcome().connection;
  const auto demands = [&] {
    std::map<std::uint16_t, std::uint64_t> by_leg;
    for (const LedgerHop& hop : claimed("sw2")) by_leg[hop.key.leg] = hop.demand.cells_per_s;
    return by_leg;
  };
  EXPECT_THAT(demands(), ElementsAre(std::pair{0, 100}, std::pair{1, 70}));
  modify(2, both, cells(100), cells(30, 7));
  EXPECT_THAT(demands(), ElementsAre(std::pair{0, 100}, std::pair{1, 30}));
}

// ===== labels of earlier sessions =====

TEST_F(ClaimsDetailTest, ALabelOfAnEarlierSessionIsNotPutToRest) {
  const ConnectionId call = up();
  next_session("sw2");
  release(2, call);
  lose("sw2");
  EXPECT_EQ(claimed("sw2").at(0).stage, HopStage::kRemoving);
  EXPECT_THAT(page_.resting, IsEmpty()) << "0/40 has lapsed; another manager may have it";
}

TEST_F(ClaimsDetailTest, ALabelThatTheSwitchServerKeptInQuarantineRests) {
  const ConnectionId call = up();
  next_session("sw2", {{PortId{21}, {vci(40)}}});
  release(2, call);
  lose("sw2");
  EXPECT_EQ(claimed("sw2").at(0).stage, HopStage::kRemoving);
  EXPECT_THAT(page_.resting, ElementsAre(PortLabels{PortId{21}, {vci(40)}}));
}

TEST_F(ClaimsDetailTest, ALabelOfAnEarlierSessionThatADebtHoldsIsNotPutToRest) {
  config.crankbacks = 0;
  const ConnectionId call = up();
  next_session("sw2");
  release(2, call);
  all_done("sw1");
  all_done("sw2");
  lose("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  ASSERT_EQ(manager().gauges().owed, 1U) << "at sw3, which may still have a hop for 0/40";
  lose("sw2");
  EXPECT_THAT(claimed("sw2"), IsEmpty());
  EXPECT_THAT(page_.resting, IsEmpty());
}

// ===== trees =====

TEST_F(ClaimsDetailTest, TheIngressOfATreeIsClaimedOnceAtItsMainHop) {
  const ConnectionId call = up();
  leaf(2, call, "dan");
  leaf(3, call, "guy");
  EXPECT_THAT(claimed("sw1"), SizeIs(2));
  EXPECT_THAT(entering("sw1"), ElementsAre("0/0"));
  EXPECT_THAT(entering("sw2"), IsEmpty());
}

TEST_F(ClaimsDetailTest, WithTheMainHopGoneTheIngressIsClaimedOnceAtABranch) {
  const ConnectionId call = up();
  leaf(2, call, "dan");
  drop_leaf(3, call, "bob");
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
  EXPECT_THAT(claimed("sw1"), SizeIs(1));
  EXPECT_THAT(entering("sw1"), ElementsAre("2/0"));
  leaf(4, call, "guy");
  EXPECT_THAT(claimed("sw1"), SizeIs(2));
  EXPECT_THAT(entering("sw1"), SizeIs(1));
}

// ===== what recovery has found =====

class ClaimsOfRecoveryTest : public WithClaims<RecoveryTest> {};

TEST_F(ClaimsOfRecoveryTest, TheIngressOfATreeIsClaimedAtItsMainHopWhateverHopWasReadFirst) {
  LedgerHop& branch = holds("sw1", earlier(1), 0, 1, 500, 3, 700);
  branch.key.leg = 2;
  branch.hop_count = 1;
  branch.branch = true;
  holds_call(earlier(1));
  restart();
  ASSERT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(1)));
  EXPECT_THAT(entering("sw1"), ElementsAre("0/0"));
}

TEST_F(ClaimsOfRecoveryTest, ARemovalThatALedgerHadIsSettledWhileItsCallWaits) {
  for (const HopStage stage : {HopStage::kRemoving, HopStage::kCommitting}) {
    held_.clear();
    holds_call(earlier(1));
    LedgerHop& found = held_["sw2"].front();
    found.stage = stage;
    found.settled = false;
    restart({"sw3"});
    ASSERT_FALSE(manager().recovery().done());
    const LedgerHop removal = claimed("sw2").at(0);
    EXPECT_EQ(removal.stage, HopStage::kRemoving);
    EXPECT_TRUE(removal.settled) << "else it waits until every manager has claimed";
    EXPECT_EQ(claimed("sw1").at(0).stage, HopStage::kCommitted);
  }
}

}  // namespace
}  // namespace xbind::cmgr
