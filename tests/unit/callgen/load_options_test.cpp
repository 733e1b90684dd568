// The meaning of a load's options, alone and combined.
#include "callgen/options/load_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

config::Environment no_environment() {
  return [](const std::string&) { return std::optional<std::string>{}; };
}

// Parses the arguments. Returns "" on success, else the error that the operator reads.
std::string load(LoadOptions& options, std::vector<const char*> arguments) {
  config::OptionSet set("xbind-callgen run", "Offers calls and reports what came of them.");
  declare_load_options(set, options);
  arguments.insert(arguments.begin(), "run");
  const auto exit =
      set.load(static_cast<int>(arguments.size()), arguments.data(), no_environment());
  if (!exit) return "";
  EXPECT_EQ(exit->code, 2) << exit->text;
  return exit->text;
}
std::string refusal(std::vector<const char*> arguments) {
  LoadOptions options;
  return load(options, std::move(arguments));
}
LoadOptions taken(std::vector<const char*> arguments) {
  LoadOptions options;
  EXPECT_EQ(load(options, std::move(arguments)), "");
  return options;
}
RunPlan plan_of(std::vector<const char*> arguments) {
  RunPlan plan;
  fill_load(taken(std::move(arguments)), plan);
  return plan;
}

// ===== rate, hold, erlangs ======================================================================

TEST(LoadOptions, AnyTwoOfRateHoldAndErlangsMakeTheThird) {
  const LoadOptions hold = taken({"--rate", "200", "--erlangs", "50"});
  EXPECT_EQ(hold.rate, 200);
  EXPECT_DOUBLE_EQ(hold.hold, 0.25);
  const LoadOptions rate = taken({"--hold", "180", "--erlangs", "90"});
  EXPECT_DOUBLE_EQ(rate.rate, 0.5);
  EXPECT_EQ(rate.hold, 180);
  EXPECT_EQ(taken({"--rate", "10", "--hold", "2"}).erlangs, 0);
}

TEST(LoadOptions, ThreeOfThemAreRefusedWithWhatTheyContradict) {
  EXPECT_THAT(refusal({"--rate", "200", "--hold", "0.1", "--erlangs", "30"}),
              AllOf(HasSubstr("--rate 200, --hold 0.1 and --erlangs 30"),
                    HasSubstr("200 calls a second of 0.1 s are 20 erlangs, not 30")));
  EXPECT_THAT(refusal({"--rate", "200", "--hold", "0.25", "--erlangs", "50"}),
              HasSubstr("are 50 erlangs"));
}

TEST(LoadOptions, ErlangsAloneOrImpossibleAreRefused) {
  EXPECT_THAT(refusal({"--erlangs", "30"}), HasSubstr("--erlangs 30 needs --rate or --hold"));
  EXPECT_THAT(refusal({"--erlangs", "0", "--rate", "5"}),
              HasSubstr("--erlangs 0: it must be above 0"));
  EXPECT_THAT(refusal({"--erlangs", "-1", "--rate", "5"}), HasSubstr("--erlangs"));
  EXPECT_THAT(refusal({"--erlangs", "30", "--hold", "0"}),
              HasSubstr("--erlangs 30 and --hold 0 make no rate"));
  EXPECT_THAT(refusal({"--erlangs", "1e6", "--rate", "0.001"}),
              HasSubstr("make a holding time of 1000000000 s, at most 86400"));
  EXPECT_THAT(refusal({"--erlangs", "1e6", "--hold", "0.001"}),
              HasSubstr("make 1000000000 calls a second"));
}

// ===== number of calls and duration =====

TEST(LoadOptions, ADurationIsTheOtherFormOfCalls) {
  EXPECT_EQ(plan_of({"--arrivals", "constant", "--rate", "100", "--duration", "10"}).calls, 999u);
  // With Poisson arrivals the number of calls planned before the end depends on the seed.
  const RunPlan poisson = plan_of({"--rate", "100", "--duration", "10", "--seed", "3"});
  EXPECT_EQ(poisson.calls, calls_before(10s, arrivals_of(poisson), 3, 1'000'000));
  EXPECT_NEAR(static_cast<double>(poisson.calls), 1000, 4 * 32);
}

TEST(LoadOptions, BothFormsAndNeitherAreRefused) {
  EXPECT_THAT(refusal({"--calls", "10", "--duration", "2"}),
              HasSubstr("--calls 10 and --duration 2 exclude each other"));
  EXPECT_THAT(refusal({"--duration", "0"}), HasSubstr("--duration 0: it must be above 0"));
  EXPECT_THAT(refusal({"--duration", "-3"}), HasSubstr("-3"));
  EXPECT_THAT(refusal({"--duration", "1e9"}), HasSubstr("1e9"));
  EXPECT_THAT(refusal({"--duration", "1", "--rate", "0.001"}),
              HasSubstr("--duration 1: no call is planned before its end"));
  EXPECT_THAT(refusal({"--duration", "1000", "--rate", "1e6"}),
              HasSubstr("make 1000000000 calls, at most 100000000"));
  EXPECT_THAT(refusal({"--calls", "0"}), AllOf(HasSubstr("--calls"), HasSubstr("0")));
  EXPECT_THAT(refusal({"--rate", "0"}), AllOf(HasSubstr("--rate"), HasSubstr("0")));
}

// ===== arrivals =================================================================================

TEST(LoadOptions, BurstsTakeTheirLengths) {
  const RunPlan plan =
      plan_of({"--arrivals", "burst", "--rate", "100", "--burst-on", "0.2", "--burst-off", "0.6"});
  EXPECT_EQ(plan.arrivals, Arrivals::kBurst);
  EXPECT_DOUBLE_EQ(peak_rate(arrivals_of(plan)), 400);
  EXPECT_THAT(refusal({"--burst-on", "2"}), HasSubstr("--burst-on needs --arrivals burst"));
  EXPECT_THAT(refusal({"--arrivals", "burst", "--burst-off", "0"}), HasSubstr("--burst-off"));
  EXPECT_THAT(refusal({"--arrivals", "burst", "--burst-on", "0.001", "--burst-off", "0.001",
                       "--rate", "1", "--duration", "1e7"}),
              HasSubstr("make 5000000000 bursts in a run of 10000000 s"));
}

TEST(LoadOptions, ARampTakesItsOtherEndAndIsAsLongAsTheRun) {
  const RunPlan calls =
      plan_of({"--arrivals", "ramp", "--rate", "100", "--ramp-to", "300", "--calls", "4000"});
  EXPECT_DOUBLE_EQ(calls.ramp_s, 20);
  const RunPlan lasting =
      plan_of({"--arrivals", "ramp", "--rate", "100", "--ramp-to", "300", "--duration", "20"});
  EXPECT_DOUBLE_EQ(lasting.ramp_s, 20);
  EXPECT_NEAR(static_cast<double>(lasting.calls), 4000, 4 * 64);
  EXPECT_THAT(refusal({"--arrivals", "ramp"}), HasSubstr("--arrivals ramp needs --ramp-to"));
  EXPECT_THAT(refusal({"--ramp-to", "5"}), HasSubstr("--ramp-to needs --arrivals ramp"));
  EXPECT_THAT(refusal({"--arrivals", "ramp", "--ramp-to", "5", "--hold", "1", "--erlangs", "7"}),
              HasSubstr("--erlangs 7 and --arrivals ramp exclude each other"));
}

TEST(LoadOptions, OneAtATimeHasNoRate) {
  const RunPlan plan = plan_of({"--arrivals", "one-at-a-time", "--calls", "30", "--hold", "0"});
  EXPECT_EQ(plan.calls, 30u);
  EXPECT_EQ(plan.closed_loop_ends, Duration::max());
  EXPECT_EQ(plan_of({"--arrivals", "one-at-a-time", "--duration", "2"}).closed_loop_ends, 2s);
  EXPECT_THAT(refusal({"--arrivals", "one-at-a-time", "--rate", "5"}),
              HasSubstr("--rate and --arrivals one-at-a-time exclude each other"));
}

TEST(LoadOptions, ALognormalHoldingTimeTakesItsSigma) {
  const RunPlan plan = plan_of({"--hold-distribution", "lognormal", "--hold-sigma", "0.5"});
  EXPECT_EQ(plan.hold_distribution, HoldDistribution::kLognormal);
  EXPECT_EQ(plan.hold_sigma, 0.5);
  EXPECT_THAT(refusal({"--hold-sigma", "1"}),
              HasSubstr("--hold-sigma needs --hold-distribution lognormal"));
  EXPECT_THAT(refusal({"--hold-distribution", "lognormal", "--hold-sigma", "2", "--hold", "86400"}),
              AllOf(HasSubstr("--hold 86400"), HasSubstr("--hold-sigma 2"), HasSubstr("a year")));
}

// ===== files ====================================================================================

class LoadFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "callgen-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const char* text) const {
    const std::filesystem::path path = folder_ / "file.txt";
    std::ofstream(path) << text;
    return path.string();
  }
  std::filesystem::path folder_;
};

TEST_F(LoadFiles, ATraceIsReadAndMakesTheNumberOfCalls) {
  const std::string path = file("0.1\n0.2 5\n0.7 a b\n");
  const RunPlan plan = plan_of({"--arrivals", "trace", "--trace", path.c_str()});
  EXPECT_EQ(plan.calls, 3u);
  ASSERT_TRUE(plan.trace);
  EXPECT_EQ(plan.trace->calls[1].hold, 5s);
  EXPECT_EQ(plan_of({"--arrivals", "trace", "--trace", path.c_str(), "--calls", "2"}).calls, 2u);
  EXPECT_EQ(plan_of({"--arrivals", "trace", "--trace", path.c_str(), "--duration", "0.5"}).calls,
            2u);
  EXPECT_EQ(matrix_of(taken({"--arrivals", "trace", "--trace", path.c_str()})).names,
            (std::vector<std::string>{"a", "b"}));
}

TEST_F(LoadFiles, WhatIsWrongWithATraceIsRefusedBeforeTheRun) {
  const std::string path = file("0.1\nx\n");
  EXPECT_THAT(refusal({"--arrivals", "trace", "--trace", path.c_str()}),
              AllOf(HasSubstr("--trace"), HasSubstr("line 2: start 'x'")));
  EXPECT_THAT(refusal({"--arrivals", "trace", "--trace", "/nowhere/t.txt"}),
              HasSubstr("/nowhere/t.txt"));
  EXPECT_THAT(refusal({"--arrivals", "trace"}), HasSubstr("--arrivals trace needs --trace"));
  EXPECT_THAT(refusal({"--trace", path.c_str()}), HasSubstr("--trace needs --arrivals trace"));
  const std::string good = file("0.1\n");
  EXPECT_THAT(refusal({"--arrivals", "trace", "--trace", good.c_str(), "--rate", "3"}),
              HasSubstr("--rate and --arrivals trace exclude each other"));
  EXPECT_THAT(refusal({"--arrivals", "trace", "--trace", good.c_str(), "--calls", "3"}),
              AllOf(HasSubstr("--calls 3"), HasSubstr("has 1")));
}

TEST_F(LoadFiles, DemandsAreReadInPlaceOfAMatrix) {
  const std::string path = file("a b 2\nb a 1\n");
  const MatrixSpec spec = matrix_of(taken({"--demands", path.c_str()}));
  EXPECT_EQ(spec.demands.size(), 2u);
  EXPECT_EQ(spec.demands_file, path);
  EXPECT_THAT(refusal({"--demands", path.c_str(), "--matrix", "uniform"}),
              HasSubstr("--matrix uniform and --demands"));
  EXPECT_THAT(refusal({"--demands", file("a b\n").c_str()}), HasSubstr("line 1: 2 words"));
}

// ===== calls and ends ===========================================================================

TEST(LoadOptions, AMixAndPrioritiesBecomeThePlan) {
  const RunPlan plan =
      plan_of({"--mix", "setup=90,modify=5", "--mix", "leaf=3,hold=2", "--priority", "0=9,7=1",
               "--modify-cells-per-s", "500", "--hold-ms", "700"});
  EXPECT_EQ(plan.mix.weights, (std::array<double, kScenarios>{90, 5, 3, 2}));
  EXPECT_EQ(plan.priorities.weights[7], 1);
  EXPECT_EQ(plan.modified_service.cells_per_s, 500u);
  EXPECT_EQ(plan.hold_ms, 700u);
  EXPECT_TRUE(matrix_of(taken({"--mix", "leaf"})).leaves);
  EXPECT_FALSE(matrix_of(taken({})).leaves);
  EXPECT_EQ(plan_of({}).mix, ScenarioMix{});
}

TEST(LoadOptions, WhatAMixDoesNotAskForIsRefused) {
  EXPECT_THAT(refusal({"--mix", "setup=1,query=2"}), HasSubstr("--mix: 'query=2'"));
  EXPECT_THAT(refusal({"--priority", "9=1"}), HasSubstr("--priority: '9=1'"));
  EXPECT_THAT(refusal({"--modify-cells-per-s", "5"}),
              HasSubstr("--modify-cells-per-s needs modify in --mix"));
  EXPECT_THAT(refusal({"--hold-ms", "5"}), HasSubstr("--hold-ms needs hold in --mix"));
  EXPECT_THAT(refusal({"--mix", "hold", "--hold-ms", "3600001"}), HasSubstr("3600001"));
}

TEST(LoadOptions, AMatrixTakesWhatBelongsToIt) {
  const MatrixSpec spec = matrix_of(taken({"--matrix", "hotspot", "--hotspot", "node-3",
                                           "--hotspot-share", "0.8", "--repeat-pair", "0.01"}));
  EXPECT_EQ(spec.matrix, Matrix::kHotspot);
  EXPECT_EQ(spec.hotspot, "node-3");
  EXPECT_EQ(spec.hotspot_share, 0.8);
  EXPECT_EQ(spec.repeat_pair, 0.01);
  EXPECT_THAT(refusal({"--matrix", "hotspot"}), HasSubstr("--matrix hotspot needs --hotspot"));
  EXPECT_THAT(refusal({"--hotspot", "a"}), HasSubstr("--hotspot needs --matrix hotspot"));
  EXPECT_THAT(refusal({"--matrix", "hotspot", "--hotspot", "a", "--hotspot-share", "0"}),
              HasSubstr("--hotspot-share 0: it must be above 0"));
  EXPECT_THAT(refusal({"--matrix", "hotspot", "--hotspot", "a", "--hotspot-share", "1.5"}),
              HasSubstr("1.5"));
  EXPECT_THAT(refusal({"--repeat-pair", "2"}), HasSubstr("--repeat-pair"));
  EXPECT_THAT(refusal({"--matrix", "ring"}), HasSubstr("ring"));
  EXPECT_THAT(refusal({"--from", "a", "--to", "b", "--matrix", "uniform"}),
              HasSubstr("--from and --matrix exclude each other"));
}

}  // namespace
}  // namespace xbind::callgen
