// Worlds from seeds: the usual ones, one that failed, or as many as asked for (seeds.hpp).
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "core/log.hpp"
#include "tests/sim/seeds.hpp"
#include "tests/sim/world.hpp"

namespace xbind::sim {
namespace {

class SimTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    log::start("sim",
               number_from("XBIND_SIM_SEED", 0) == 0 ? log::Level::kOff : log::Level::kDebug);
  }
};

TEST_F(SimTest, EveryInvariantHoldsInFoulWeather) {
  Tally all;
  for (const std::uint64_t seed : seeds(20)) {
    World world({.seed = seed});
    const std::string violation = world.run();
    all.add(world.tally());
    EXPECT_EQ(violation, "") << "run it alone with XBIND_SIM_SEED=" << seed;
  }
  if (std::getenv("XBIND_SIM_VERBOSE") != nullptr) {
    for (const auto& [what, count] : all.counts) std::cerr << count << "  " << what << "\n";
  }
}

TEST_F(SimTest, InFairWeatherNothingIsLostOrLate) {
  for (const std::uint64_t seed : seeds(10)) {
    World world({.seed = seed, .fair = true});
    EXPECT_EQ(world.run(), "");
    EXPECT_EQ(world.tally().of("batches resent"), 0U);
  }
}

}  // namespace
}  // namespace xbind::sim
