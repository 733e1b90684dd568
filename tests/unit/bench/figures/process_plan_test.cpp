#include "bench/figures/process_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind::figures {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

const Places kPlaces{"/repo/deploy/lab", "/repo/build/bin", "/repo/build/bin/xbind-callgen",
                     "/tmp/x"};

// Whether `value` follows `option`.
bool says(const Words& words, const std::string& option, const std::string& value) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == option && words[i + 1] == value) return true;
  }
  return false;
}

TEST(ProcessPlanTest, ALabOfTheSystem) {
  const System system{
      .threshold = 10, .labels_cached = 300, .route_validity = seconds{5}, .switches = 4};
  const Words words = lab_up(kPlaces, system, {});
  EXPECT_EQ(words[0], "/repo/deploy/lab");
  EXPECT_EQ(words[1], "up");
  EXPECT_TRUE(says(words, "--state-dir", "/tmp/x/lab"));
  EXPECT_THAT(words, Contains("/tmp/x/chain-4.toml"));
  EXPECT_TRUE(says(words, "--bin-dir", "/repo/build/bin"));
  EXPECT_TRUE(says(words, "--names-port", "0"));
  EXPECT_TRUE(says(words, "--engine", "xbind"));
  EXPECT_THAT(words, IsSupersetOf({"aggregation=fixed", "threshold=10", "flush-timeout-ms=1000",
                                   "label-policy=fixed", "label-cache=300", "validity-ms=5000"}));
  EXPECT_THAT(words, Not(Contains(HasSubstr("pace"))));
  EXPECT_THAT(words, Not(Contains("--threads")));
}

TEST(ProcessPlanTest, TheBaselinesHaveThreadsAndNeitherCachesNorThresholds) {
  const Words sequential = lab_up(kPlaces, {.engine = Engine::kSequential}, {});
  EXPECT_TRUE(says(sequential, "--engine", "sequential"));
  EXPECT_THAT(sequential, Not(Contains(HasSubstr("threshold"))));
  EXPECT_THAT(sequential, Not(Contains("--threads")));
  const Words threaded = lab_up(kPlaces, {.engine = Engine::kThreaded, .threads = 32}, {});
  EXPECT_TRUE(says(threaded, "--engine", "threaded"));
  EXPECT_TRUE(says(threaded, "--threads", "32"));
}

TEST(ProcessPlanTest, ThePaceOfTheModelsHosts) {
  model::Costs costs;
  costs.host.before_leaving = 0.5;
  costs.host.pause_chance = 0.05;
  costs.host.pause_mean = milliseconds{3};
  costs.manager.receive = std::chrono::microseconds{1'040};
  costs.manager.item_in = std::chrono::microseconds{50};
  costs.label_switch.item_in = std::chrono::microseconds{70};
  costs.caller_sends = std::chrono::microseconds{520};
  costs.caller_takes = std::chrono::microseconds{1'040};
  const Pacing pacing = pacing_of(costs, 9);
  EXPECT_TRUE(pacing.on());
  EXPECT_EQ(pacing.callers, std::chrono::microseconds{1'560});
  const Words words = lab_up(kPlaces, {}, pacing);
  for (const char* program : {"cmgr", "switchserver", "routeobject", "qosmapper"}) {
    const std::string option = "--" + std::string{program} + "-option";
    EXPECT_TRUE(says(words, option, "pace-message-us=1040")) << program;
    EXPECT_TRUE(says(words, option, "pace-item-us=50")) << program;
    EXPECT_TRUE(says(words, option, "pace-before-leaving=0.5")) << program;
    EXPECT_TRUE(says(words, option, "pace-pause-chance=0.05")) << program;
    EXPECT_TRUE(says(words, option, "pace-pause-us=3000")) << program;
    EXPECT_TRUE(says(words, option, "pace-seed=9")) << program;
  }
  EXPECT_TRUE(says(words, "--switch-option", "pace-message-us=0"));
  EXPECT_TRUE(says(words, "--switch-option", "pace-item-us=70"));
}

TEST(ProcessPlanTest, AChainLeadsFromHostToHost) {
  EXPECT_EQ(chain_topology(2), R"(name = "chain-2"

[[switch]]
name = "host-a"
endpoint = true
media = { cells = "none" }

[[switch]]
name = "host-b"
endpoint = true
media = { cells = "none" }

[[link]]
between = ["host-a:2", "host-b:2"]
cells-per-s = 4000000000
cells = "none"
)");
  const std::string of_four = chain_topology(4);
  EXPECT_THAT(of_four, HasSubstr(R"(between = ["host-a:2", "switch-1:1"])"));
  EXPECT_THAT(of_four, HasSubstr(R"(between = ["switch-1:2", "switch-2:1"])"));
  EXPECT_THAT(of_four, HasSubstr(R"(between = ["switch-2:2", "host-b:2"])"));
}

TEST(ProcessPlanTest, OnlyTheAggregationChangesInALabThatIsUp) {
  const System up{.threshold = 1};
  System next = up;
  EXPECT_TRUE(same_lab(up, next));
  next.threshold = 15;
  next.gathering = Gathering::kAdaptive;
  next.flush_timeout = milliseconds{5};
  EXPECT_TRUE(same_lab(up, next));
  next.labels_cached = 0;
  EXPECT_FALSE(same_lab(up, next));
  EXPECT_FALSE(same_lab(up, {.switches = 5}));
  EXPECT_FALSE(same_lab(up, {.engine = Engine::kSequential}));
  EXPECT_FALSE(same_lab({.engine = Engine::kThreaded, .threads = 8},
                        {.engine = Engine::kThreaded, .threads = 9}));
}

TEST(ProcessPlanTest, SwitchesTheAggregation) {
  EXPECT_THAT(set_aggregation(kPlaces, {.threshold = 4, .flush_timeout = milliseconds{20}}),
              ElementsAre("/repo/build/bin/xbindctl", "aggregation", "--mode", "fixed",
                          "--flush-timeout-ms", "20", "--threshold", "4"));
  EXPECT_THAT(
      set_aggregation(kPlaces, {.gathering = Gathering::kAdaptive, .flush_timeout = Duration{0}}),
      ElementsAre("/repo/build/bin/xbindctl", "aggregation", "--mode", "adaptive",
                  "--flush-timeout-ms", "0.05"));
}

TEST(ProcessPlanTest, OffersTheLoad) {
  const Words words = run(kPlaces, {.calls_per_s = 62.5,
                                    .calls = 10'000,
                                    .hold_mean = milliseconds{500},
                                    .client_batch = 1,
                                    .seed = 7});
  EXPECT_EQ(words[0], "/repo/build/bin/xbind-callgen");
  EXPECT_EQ(words[1], "run");
  EXPECT_TRUE(says(words, "--calls", "10000"));
  EXPECT_TRUE(says(words, "--rate", "62.5"));
  EXPECT_TRUE(says(words, "--hold", "0.5"));
  EXPECT_TRUE(says(words, "--hold-distribution", "exponential"));
  EXPECT_TRUE(says(words, "--client-batch", "1"));
  EXPECT_TRUE(says(words, "--seed", "7"));
  EXPECT_TRUE(says(words, "--json", "/tmp/x/run.json"));
  EXPECT_TRUE(says(words, "--records", "/tmp/x/records.csv"));
}

TEST(ProcessPlanTest, OneCallAtATimeHasNoRateAndNoHolding) {
  const Words words = run(kPlaces, {.calls = 1'000, .one_at_a_time = true});
  EXPECT_TRUE(says(words, "--arrivals", "one-at-a-time"));
  EXPECT_TRUE(says(words, "--hold", "0"));
  EXPECT_THAT(words, Not(Contains("--rate")));
}

TEST(ProcessPlanTest, GivesARunMoreTimeThanItsCallsNeed) {
  EXPECT_GT(longest({.calls_per_s = 10, .calls = 1'000}), seconds{200});
  EXPECT_LT(longest({.calls_per_s = 10, .calls = 1'000}), seconds{400});
  EXPECT_GT(longest({.calls = 1'000, .one_at_a_time = true}), seconds{1'000});
}

}  // namespace
}  // namespace xbind::figures
