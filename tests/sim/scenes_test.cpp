// Planted mistakes that worlds of chance hardly ever meet: each has a scene that plays exactly the
// situation it is about. A scene ends well without its mistake, and with it the named check fails,
// whatever the delays of messages are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "cmgr/parts/found_gaps.hpp"
#include "core/log.hpp"
#include "tests/sim/seeds.hpp"
#include "tests/sim/stage.hpp"

namespace xbind::sim {
namespace {

using ::testing::ContainsRegex;

constexpr std::uint64_t kSeeds = 3;

struct Scene {
  const char* name;
  Bug bug;
  const char* noticed;  // text of the check that must find it
  std::size_t managers;
  std::size_t switches;
  void (*play)(Stage&);
};

// ===== ledgers that are lost together with their manager =====
//
// Calls from switch-1 over switch-2 to switch-3.

// The hop in the middle has been removed when those beside it are still to be.
void release_arrives_in_the_middle_alone(Stage& stage) {
  const RequestId call = stage.connect(0, 1, 3);
  stage.cut(0, 1, seconds{2});
  stage.cut(0, 3, seconds{2});
  stage.release(0, call);
  stage.wait(milliseconds{500});
  stage.kill_manager(0, seconds{3});
  stage.kill_server(2, seconds{1});
  stage.wait(seconds{20});
}

// A leaf ends where the call goes on. Both ledgers that know more are lost: of the two entries on
// the input that is known no ledger says which is which.
void leaf_beside_a_hop_that_goes_on(Stage& stage) {
  const RequestId call = stage.connect(0, 1, 3);
  stage.add_leaf(0, call, 2);
  stage.kill_manager(0, seconds{3});
  stage.kill_server(2, seconds{1});
  stage.kill_server(3, seconds{1});
  stage.wait(seconds{20});
}

// The epoch that asks the lost ledger first has not read the others, and ends.
void epoch_ends_before_it_has_read_all(Stage& stage) {
  stage.connect(0, 1, 3);
  stage.kill_manager(0, seconds{2});
  stage.kill_server(2, seconds{1});
  stage.cut(0, 1, seconds{12});
  stage.cut(0, 3, seconds{12});
  stage.wait(seconds{11});
  stage.kill_manager(0, seconds{2});
  stage.wait(seconds{20});
}

// ===== what one side has and the other has not =====

// The hop behind has been removed, the one before has not: it is the rest of a release.
void manager_ends_in_a_release(Stage& stage) {
  const RequestId call = stage.connect(0, 0, 1);
  stage.cut(0, 0, seconds{2});
  stage.release(0, call);
  stage.wait(milliseconds{500});
  stage.kill_manager(0, seconds{3});
  stage.wait(seconds{20});
}

// A removal is owed when the session with that switch ends.
void session_ends_with_a_debt(Stage& stage) {
  const RequestId call = stage.connect(0, 0, 1);
  stage.cut(0, 1, seconds{12});
  stage.release(0, call);
  stage.wait(seconds{8});
  stage.manager_loses(0, 1);
  stage.wait(seconds{20});
}

void earlier_epoch_attaches_late(Stage& stage) {
  stage.kill_manager(0, seconds{1});
  stage.wait(seconds{10});
  stage.attach_late(0, 0, Epoch{1});
  stage.wait(seconds{1});
}

void switch_restarts_alone(Stage& stage) {
  stage.connect(0, 0, 1);
  stage.restart_switch(1, seconds{1});
  stage.wait(seconds{20});
}

// The label that a hop has as its input is still in the manager's cache for the SwitchServer at the
// other end of the link: the setup there was lost.
void setup_arrives_at_its_second_hop_alone(Stage& stage) {
  stage.connect(0, 0, 1);  // now the manager has labels at hand
  stage.cut(0, 0, seconds{60});
  stage.ask(0, 1);
}

void session_ends_while_a_label_is_used(Stage& stage) {
  setup_arrives_at_its_second_hop_alone(stage);
  stage.server_loses(0, 0);
  stage.wait(seconds{1});
}

// ===== a port between two managers =====

// The line from switch-0 to switch-1 has room for one of both calls, and its SwitchServer has
// forgotten the first one.
void port_is_asked_before_its_hops_are_claimed(Stage& stage) {
  stage.connect(0, 0, 1, Network::kLineRate * 3 / 4);
  stage.kill_server(0, milliseconds{500});
  stage.cut(0, 0, seconds{6});
  stage.manager_loses(1, 0);
  stage.wait(seconds{4});
  stage.connect(1, 0, 1, Network::kLineRate * 3 / 4);
  stage.manager_loses(0, 0);
  stage.wait(seconds{20});
}

cmgr::Config manager(std::uint64_t epoch) {
  cmgr::Config config;
  config.epoch = epoch;
  config.crankbacks = 0;  // no other route around what a scene is about
  return config;
}

class SceneTest : public ::testing::TestWithParam<Scene> {
 protected:
  static void SetUpTestSuite() {
    log::start("sim",
               number_from("XBIND_SIM_SEED", 0) == 0 ? log::Level::kOff : log::Level::kDebug);
  }
  static std::string played(std::uint64_t seed, Bug bug) {
    std::vector<cmgr::Config> managers;
    for (std::size_t i = 1; i <= GetParam().managers; ++i) managers.push_back(manager(i));
    Stage stage(managers, {.bug = bug, .switches = GetParam().switches, .seed = seed});
    GetParam().play(stage);
    return stage.end();
  }
};

TEST_P(SceneTest, EndsWellWithoutTheMistake) {
  for (const std::uint64_t seed : seeds(kSeeds)) EXPECT_EQ(played(seed, Bug::kNone), "") << seed;
}

TEST_P(SceneTest, ShowsTheMistakeInEverySeed) {
  for (const std::uint64_t seed : seeds(kSeeds)) {
    const std::string found = played(seed, GetParam().bug);
    EXPECT_THAT(found, ContainsRegex(GetParam().noticed)) << "seed " << seed;
    if (std::getenv("XBIND_SIM_VERBOSE") != nullptr) std::cerr << found << "\n";
  }
}

constexpr const char* kCallIsLost =
    "is up no more, and not incomplete either|do not come out at|is up; it|it was up";

INSTANTIATE_TEST_SUITE_P(
    Scenes, SceneTest,
    ::testing::Values(
        Scene{"RebuiltUnseen", Bug::kRebuiltUnseen, "rebuilt hop .* is not in the switch", 1, 5,
              release_arrives_in_the_middle_alone},
        Scene{"FirstOfSeveral", Bug::kFirstOfSeveral, "rebuilt hop .* may as well be", 1, 5,
              leaf_beside_a_hop_that_goes_on},
        Scene{"ClaimsAllAtOnce", Bug::kClaimsAllAtOnce, kCallIsLost, 1, 5,
              epoch_ends_before_it_has_read_all},
        Scene{"PartsNotRemoved", Bug::kPartsNotRemoved,
              "stray hop|is left behind at|cross-connects, [0-9]+ are of calls", 1, 3,
              manager_ends_in_a_release},
        Scene{"DebtDropped", Bug::kDebtDropped,
              "audit of manager-.: (leaked label|stray hop)|cross-connects, [0-9]+ are of calls", 1,
              3, session_ends_with_a_debt},
        Scene{"OldEpochAccepted", Bug::kOldEpochAccepted, "was let in with an older epoch", 1, 3,
              earlier_epoch_attaches_late},
        Scene{"NotPutBack", Bug::kNotPutBack, "cross-connects, [0-9]+ are of calls that are up", 1,
              3, switch_restarts_alone},
        Scene{"LapsedAtOnceFree", Bug::kLapsedAtOnceFree,
              "at the other end of the link another manager has it, or it is free", 1, 3,
              session_ends_while_a_label_is_used},
        Scene{"UnclaimedGranted", Bug::kUnclaimedGranted,
              "are charged to them, [0-9]+ of [0-9]+ are reserved", 2, 3,
              port_is_asked_before_its_hops_are_claimed}),
    [](const auto& named) { return std::string{named.param.name}; });

// Neither switch has heard who has the prepared connection when its manager ends: so the next epoch
// takes it for its own, and the client's call is over. Worlds of chance hardly ever meet this.
TEST(HandoverTest, OneThatNoLedgerHasIsLostWithItsManager) {
  log::start("sim", log::Level::kOff);
  for (const std::uint64_t seed : seeds(kSeeds)) {
    Stage stage({manager(1)}, {.seed = seed});
    stage.prepare(2);
    stage.cut(0, 0, seconds{2});
    stage.cut(0, 1, seconds{2});
    stage.take_prepared(0);
    stage.wait(milliseconds{500});
    EXPECT_EQ(stage.up(0), 1U);
    stage.kill_manager(0, seconds{3});
    EXPECT_EQ(stage.end(), "") << "seed " << seed;
    EXPECT_EQ(stage.tally().of("handovers lost with their manager"), 1U);
  }
}

// One of both has heard it: the call stands.
TEST(HandoverTest, OneThatALedgerHasIsNot) {
  log::start("sim", log::Level::kOff);
  for (const std::size_t hears : {0U, 1U}) {
    Stage stage({manager(1)}, {});
    stage.prepare(2);
    stage.cut(0, 1 - hears, seconds{2});
    stage.take_prepared(0);
    stage.wait(milliseconds{500});
    EXPECT_EQ(stage.up(0), 1U);
    stage.kill_manager(0, seconds{3});
    stage.wait(seconds{30});
    EXPECT_EQ(stage.up(0), 1U) << "switch-" << hears;
    EXPECT_EQ(stage.end(), "");
    EXPECT_EQ(stage.tally().of("handovers lost with their manager"), 0U);
  }
}

// ===== situations that worlds of chance hardly ever show (situations.cpp) =====
//
// A call from switch-1 over switch-2 to switch-3. Each is tried at one moment after the other; one
// of them has to be the right one.

constexpr PortId kHostPort{1};
constexpr PortId kNextPort{3};  // from switch-1 to switch-2

bool seen(const char* what, int moments, void (*play)(Stage&, RequestId, Duration)) {
  bool occurred = false;
  for (int moment = 0; moment < moments; ++moment) {
    Stage stage({manager(1)}, {.switches = 5, .seed = static_cast<std::uint64_t>(moment + 1)});
    const RequestId call = stage.connect(0, 1, 3);
    play(stage, call, milliseconds{moment});
    stage.wait(seconds{20});
    EXPECT_EQ(stage.end(), "") << what << ", " << moment << " ms";
    occurred = occurred || stage.tally().of(what) != 0;
  }
  return occurred;
}

void flicker_after_a_drain(Stage& stage, RequestId, Duration later) {
  stage.drain({1, kNextPort});
  stage.wait(later);
  stage.flicker(1, kHostPort);
}

TEST(SituationTest, APortIsRenewedDuringATakeOver) {
  log::start("sim", log::Level::kOff);
  EXPECT_TRUE(seen("ports renewed during a take-over", 80, flicker_after_a_drain));
}

TEST(SituationTest, APortIsRenewedBelowATakeOver) {
  log::start("sim", log::Level::kOff);
  EXPECT_TRUE(seen("ports renewed below a take-over", 80, flicker_after_a_drain));
}

TEST(SituationTest, APortIsRenewedWithAModifyOpen) {
  log::start("sim", log::Level::kOff);
  EXPECT_TRUE(seen("ports renewed with a modify open", 20,
                   [](Stage& stage, RequestId call, Duration later) {
                     stage.modify(0, call, 5);
                     stage.wait(later);
                     stage.flicker(1, kHostPort);
                   }));
}

TEST(SituationTest, HopsAreClaimedDuringAModify) {
  log::start("sim", log::Level::kOff);
  EXPECT_TRUE(
      seen("hops claimed during a modify", 20, [](Stage& stage, RequestId call, Duration later) {
        stage.cut(0, 3, seconds{2});
        stage.modify(0, call, 5);
        stage.wait(later);
        stage.kill_server(2, milliseconds{50});
      }));
}

TEST(SituationTest, HopsThatHaveTakenOverAreRestored) {
  log::start("sim", log::Level::kOff);
  EXPECT_TRUE(
      seen("hops restored that have taken over", 80, [](Stage& stage, RequestId, Duration later) {
        stage.drain({1, kNextPort});
        stage.wait(10 * later);
        stage.restart_switch(1, milliseconds{1});
      }));
}

// ===== at the door of a room =====

cmgr::FoundHop found(std::uint16_t at, HopKey key, std::uint16_t count, PortId from, PortId to) {
  cmgr::FoundHop hop;
  hop.at = cmgr::SwitchIndex{at};
  hop.hop.key = key;
  hop.hop.hop_count = count;
  hop.hop.branch = key.leg >= 2 && key.hop == 0;
  hop.hop.stage = HopStage::kCommitted;
  hop.hop.cross_connect = {from, atm_label(0, 40), to, atm_label(0, 40)};
  hop.owners = std::make_shared<const std::vector<HopOwner>>(1);
  return hop;
}

// A call over six switches in a row that has moved at the second one; its first destination was
// dropped, a leaf of the fifth one is left. The ledgers of the third and fourth are lost.
std::vector<HopKey> keys_where_two_ledgers_in_a_row_are_lost() {
  constexpr ConnectionId kId{7};
  constexpr PortId kIn{1};
  constexpr PortId kOut{2};
  const std::vector<cmgr::FoundHop> call{
      found(0, {kId, Generation{1}, 0, 0}, 6, kIn, kOut),
      found(1, {kId, Generation{2}, 0, 1}, 6, kIn, kOut),
      found(4, {kId, Generation{1}, 2, 0}, 2, kIn, kOut),
      found(5, {kId, Generation{1}, 2, 1}, 2, kIn, kOut),
  };
  cmgr::LinkMap map;
  for (std::uint16_t at = 0; at < 5; ++at) {
    map.add({cmgr::SwitchIndex{at}, kOut},
            {cmgr::SwitchIndex{static_cast<std::uint16_t>(at + 1)}, kIn});
  }
  cmgr::KnownLinks links;
  links.set_topology(std::move(map));
  const auto lost = [](cmgr::SwitchIndex at) { return at.value() == 2 || at.value() == 3; };
  std::vector<HopKey> keys;
  for (const cmgr::FoundHop& hop : call) keys.push_back(hop.hop.key);
  for (const cmgr::Gap& gap : cmgr::gaps_of(call, links, lost)) keys.push_back(gap.claim.key);
  return keys;
}

bool two_are_equal(std::vector<HopKey> keys) {
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) != keys.end();
}

// No two hops of a call have one key (cmgr/parts/found_gaps.hpp). Where links are as the topology
// says, the generation alone keeps keys apart only in trees.
TEST(AtTheDoorTest, RebuiltOldGenerationGivesTwoHopsOneKey) {
  EXPECT_FALSE(two_are_equal(keys_where_two_ledgers_in_a_row_are_lost()));
  planted_bug = Bug::kRebuiltOldGeneration;
  const auto keys = keys_where_two_ledgers_in_a_row_are_lost();
  planted_bug = Bug::kNone;
  EXPECT_TRUE(two_are_equal(keys));
}

}  // namespace
}  // namespace xbind::sim
