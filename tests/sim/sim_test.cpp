// Worlds from seeds: the usual ones, one that failed, or as many as asked for (CMakeLists.txt).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "core/log.hpp"
#include "tests/sim/world.hpp"

namespace xbind::sim {
namespace {

using ::testing::ContainsRegex;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

class SimTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    log::start("sim",
               number_from("XBIND_SIM_SEED", 0) == 0 ? log::Level::kOff : log::Level::kDebug);
  }
};

TEST_F(SimTest, EveryInvariantHoldsInFoulWeather) {
  const std::uint64_t one = number_from("XBIND_SIM_SEED", 0);
  const std::uint64_t first = one == 0 ? 1 : one;
  const std::uint64_t last = one == 0 ? number_from("XBIND_SIM_SEEDS", 20) : one;
  Tally all;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    World world({.seed = seed});
    const std::string violation = world.run();
    all.add(world.tally());
    ASSERT_EQ(violation, "") << "run it alone with XBIND_SIM_SEED=" << seed;
  }
  for (const auto& [what, count] : all.counts) RecordProperty(what, std::to_string(count));
  if (std::getenv("XBIND_SIM_VERBOSE") != nullptr) {
    for (const auto& [what, count] : all.counts) std::cerr << count << "  " << what << "\n";
  }
  if (last - first < 9) return;  // too few to have seen everything
  // A fault that never came would prove nothing.
  for (const char* what : {"dropped",
                           "repeated",
                           "reordered",
                           "cut off",
                           "adds refused",
                           "removes refused",
                           "switch sessions lost, seen by the SwitchServer",
                           "switch sessions lost, seen by the manager",
                           "partitions",
                           "clients cut off",
                           "client sessions lost",
                           "requests repeated",
                           "outcomes repeated",
                           "switches lost",
                           "switches restarted empty",
                           "put back",
                           "RouteObject away",
                           "route queries while away",
                           "attaches failed",
                           "debts made",
                           "batches resent",
                           "label hits",
                           "label misses",
                           "late results",
                           "connected",
                           "refused",
                           "released",
                           "cause: no bandwidth",
                           "cause: timeout",
                           "cause: switch unreachable",
                           "cause: unknown endpoint",
                           "cause: unknown connection",
                           "cause: being released"}) {
    EXPECT_GT(all.of(what), 0U) << what;
  }
}

TEST_F(SimTest, InFairWeatherNothingIsLostOrLate) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    World world({.seed = seed, .fair = true});
    ASSERT_EQ(world.run(), "");
    EXPECT_GT(world.tally().of("connected"), 0U);
    EXPECT_EQ(world.tally().of("batches resent"), 0U);
  }
}

TEST_F(SimTest, TheSameSeedIsTheSameWorld) {
  World one({.seed = 7});
  World two({.seed = 7});
  EXPECT_EQ(one.run(), "");
  EXPECT_EQ(two.run(), "");
  EXPECT_EQ(one.tally().counts, two.tally().counts);
}

struct Crime {
  const char* name;
  Planted planted;
  const char* noticed;  // what one of the checks says
};

class PlantedTest : public SimTest, public ::testing::WithParamInterface<Crime> {};

TEST_P(PlantedTest, IsNoticedInEverySeed) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    World world({.seed = seed, .fair = true, .planted = GetParam().planted});
    EXPECT_THAT(world.run(), ContainsRegex(GetParam().noticed)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Crimes, PlantedTest,
    ::testing::Values(
        Crime{"SwitchKeepsBranch", Planted::kSwitchKeepsBranch, "made a branch|cross-connects, "},
        Crime{"SwitchForgetsAdd", Planted::kSwitchForgetsAdd, "gets lost at|cross-connect"},
        Crime{"ClientReusesRequest", Planted::kClientReusesRequest, "two outcomes|connections"},
        Crime{"LabelGrantedTwice", Planted::kLabelGrantedTwice, "in the cache of manager-., twice"},
        Crime{"NumberBumped", Planted::kNumberBumped, "fair weather|audit|cross-connects"},
        Crime{"DemandShrunk", Planted::kDemandShrunk, "leaked bandwidth|fair weather"},
        Crime{"WrongEgress", Planted::kWrongEgress, "promised was"}),
    [](const auto& named) { return std::string{named.param.name}; });

}  // namespace
}  // namespace xbind::sim
