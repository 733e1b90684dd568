// Several managers on one network without coordination: which labels each of them can reach.
#include <gtest/gtest.h>

#include "core/log.hpp"
#include "tests/sim/seeds.hpp"
#include "tests/sim/stage.hpp"

namespace xbind::sim {
namespace {

cmgr::Config manager(std::uint64_t epoch, cmgr::LabelPolicy policy) {
  cmgr::Config config;
  config.epoch = epoch;
  config.label_policy = policy;
  config.label_cache_target = Stage::kLabels;  // the cache may keep the whole port
  config.crankbacks = 0;                       // no other route around the link
  return config;
}

class ManagersTest : public ::testing::TestWithParam<cmgr::LabelPolicy> {
 protected:
  static void SetUpTestSuite() { log::start("sim", log::Level::kOff); }
  Stage stage{{manager(1, GetParam()), manager(2, GetParam())}, {.lines = false}};
};

// A fixed split would leave B half of the port.
TEST_P(ManagersTest, WhileAIsIdleBReachesNearlyEveryLabel) {
  ASSERT_EQ(stage.fill(0, 20), 20U);
  stage.release_all(0);
  ASSERT_EQ(stage.up(0), 0U);
  EXPECT_GE(stage.fill(1, Stage::kLabels), Stage::kLabels * 95 / 100);
  EXPECT_EQ(stage.violation(), "");
}

TEST_P(ManagersTest, WhatAHasInCallsBDoesNotGet) {
  ASSERT_EQ(stage.fill(0, 20), 20U);
  const std::size_t reached = stage.fill(1, Stage::kLabels);
  EXPECT_LE(reached, Stage::kLabels - 20);
  EXPECT_GE(reached, (Stage::kLabels - 20) * 90 / 100);
  EXPECT_EQ(stage.up(0), 20U);
  EXPECT_EQ(stage.violation(), "");
}

TEST_P(ManagersTest, AWorksAgainAfterBHasHadTheWholePort) {
  stage.fill(1, Stage::kLabels);
  stage.release_all(1);
  EXPECT_GE(stage.fill(0, Stage::kLabels), Stage::kLabels * 95 / 100);
  EXPECT_EQ(stage.violation(), "");
}

TEST_P(ManagersTest, WhenAIsKilledAndForgottenBReachesAllThatIsNotInItsCalls) {
  ASSERT_EQ(stage.fill(0, 10), 10U);
  stage.kill_for_good(0);
  stage.wait(seconds{30});  // until the leases have expired and SwitchServers forget it
  ASSERT_TRUE(stage.forgotten(0));
  EXPECT_EQ(stage.fill(1, Stage::kLabels), Stage::kLabels - 10);
  EXPECT_EQ(stage.up(0), 10U) << "calls stay up when a client or manager dies";
  EXPECT_EQ(stage.violation(), "");
}

INSTANTIATE_TEST_SUITE_P(Policies, ManagersTest,
                         ::testing::Values(cmgr::LabelPolicy::kFixed,
                                           cmgr::LabelPolicy::kCompetitive,
                                           cmgr::LabelPolicy::kCooperative),
                         [](const auto& named) {
                           switch (named.param) {
                             case cmgr::LabelPolicy::kFixed: return "Fixed";
                             case cmgr::LabelPolicy::kCompetitive: return "Competitive";
                             case cmgr::LabelPolicy::kCooperative: return "Cooperative";
                           }
                           return "Unknown";
                         });

// Two managers under load with loss and reordering. At no moment is a label held twice, at either
// end of its link, including quarantine.
TEST(LabelHistoryTest, NoLabelIsEverHeldTwice) {
  log::start("sim", log::Level::kOff);
  std::uint64_t looked_at = 0;
  for (const std::uint64_t seed : seeds(20)) {
    World world({.seed = seed, .two_managers = true});
    ASSERT_EQ(world.run(), "");
    looked_at += world.tally().of("labels held, looked at");
  }
  EXPECT_GT(looked_at, 100'000U);
}

}  // namespace
}  // namespace xbind::sim
