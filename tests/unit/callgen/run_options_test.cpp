#include "callgen/options/run_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "callgen/report/json_file.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

config::Environment no_variables() {
  return [](const std::string&) { return std::optional<std::string>{}; };
}

// Parses options as typed after "xbind-callgen run". Returns "" on success, else the error text.
std::string load(RunOptions& options, std::vector<const char*> arguments) {
  config::OptionSet set("xbind-callgen run", "Offers calls and reports what came of them.");
  declare_run_options(set, options);
  arguments.insert(arguments.begin(), "run");
  const auto exit = set.load(static_cast<int>(arguments.size()), arguments.data(), no_variables());
  if (!exit) return "";
  EXPECT_EQ(exit->code, 2) << exit->text;
  return exit->text;
}
std::string run_refusal(std::vector<const char*> arguments) {
  RunOptions options;
  return load(options, std::move(arguments));
}
RunOptions run_taken(std::vector<const char*> arguments) {
  RunOptions options;
  EXPECT_EQ(load(options, std::move(arguments)), "");
  return options;
}

TEST(RunOptions, HaveTheDefaultsOfTheContract) {
  const RunOptions options = run_taken({});
  EXPECT_EQ(options.calls, 2000u);
  EXPECT_EQ(options.rate, 200);
  EXPECT_EQ(options.hold, 0.1);
  EXPECT_EQ(options.hold_distribution, HoldDistribution::kConstant);
  EXPECT_EQ(options.arrivals, Arrivals::kPoisson);
  EXPECT_EQ(options.cells_per_s, 100u);
  EXPECT_EQ(options.client_batch, 64u);
  EXPECT_EQ(options.drain_timeout, 10);
  EXPECT_EQ(options.progress_interval, 1);
  EXPECT_FALSE(options.quiet);
  EXPECT_EQ(options.from, "");
  EXPECT_EQ(options.json, "");
}

TEST(RunOptions, BecomeThePlan) {
  const RunPlan plan = plan_of(run_taken({"--calls",
                                          "5",
                                          "--rate",
                                          "2.5",
                                          "--hold",
                                          "0.25",
                                          "--hold-distribution",
                                          "exponential",
                                          "--arrivals",
                                          "constant",
                                          "--seed",
                                          "18446744073709551615",
                                          "--cells-per-s",
                                          "353207",
                                          "--buffer-cells",
                                          "12",
                                          "--client-batch",
                                          "4096",
                                          "--drain-timeout",
                                          "0.5"}));
  EXPECT_EQ(plan.calls, 5u);
  EXPECT_EQ(plan.calls_per_s, 2.5);
  EXPECT_EQ(plan.hold_mean, 250ms);
  EXPECT_EQ(plan.hold_distribution, HoldDistribution::kExponential);
  EXPECT_EQ(plan.arrivals, Arrivals::kConstant);
  EXPECT_EQ(plan.seed, 18446744073709551615u);
  EXPECT_EQ(plan.service, (ServiceSpec{.cells_per_s = 353207, .buffer_cells = 12}));
  EXPECT_EQ(plan.max_batch, 4096u);
  EXPECT_EQ(plan.drain_timeout, 500ms);
}

TEST(RunOptions, FramesReplaceCells) {
  const RunPlan plan = plan_of(run_taken({"--frames-per-s", "29.97", "--frame-octets", "20000"}));
  EXPECT_EQ(plan.service,
            (ServiceSpec{
                .kind = ServiceKind::kVideo, .frames_per_1000_s = 29970, .frame_octets = 20000}));
}

TEST(RunOptions, AServiceByItsNameReplacesCells) {
  EXPECT_EQ(plan_of(run_taken({"--service-class", "voice-g711"})).service,
            (ServiceSpec{.kind = ServiceKind::kClass, .terms = ServiceTerms{"voice-g711"}}));
  const RunPlan plan =
      plan_of(run_taken({"--service-class", "video", "--frames-per-s", "29.97", "--frame-octets",
                         "9000", "--peak-to-mean", "3", "--burst-frames", "2", "--frame-loss",
                         "1e-4", "--frame-delay-ms", "0.1"}));
  EXPECT_EQ(plan.service.terms,
            (ServiceTerms{"video", 29'970, 9'000, 3'000, 2, 0, 0, 100'000'000, 100}));
}

TEST(RunOptions, WhatDoesNotGoWithAServiceIsRefused) {
  EXPECT_THAT(run_refusal({"--service-class", "voice-g711", "--cells-per-s", "5"}),
              HasSubstr("--cells-per-s and --service-class exclude each other"));
  EXPECT_THAT(run_refusal({"--frame-delay-ms", "5"}),
              HasSubstr("--frame-delay-ms needs --service-class"));
  EXPECT_THAT(run_refusal({"--service-class", "video", "--frames-per-s", "0.0001"}),
              HasSubstr("--frames-per-s 0.0001 is less than a frame in 1000 seconds"));
}

TEST(RunOptions, EndsAreTakenTogether) {
  const RunOptions options = run_taken({"--from", "host-1", "--to", "host-2", "--manager", "cm7"});
  EXPECT_EQ(options.from, "host-1");
  EXPECT_EQ(options.to, "host-2");
  EXPECT_THAT(managers_of(options), ElementsAre("cm7"));
}

TEST(RunOptions, ManagersAreOneByDefaultOrAsManyAsNamed) {
  EXPECT_THAT(managers_of(run_taken({})), ElementsAre("default"));
  EXPECT_EQ(plan_of(run_taken({})).managers, 1u);
  const RunOptions options =
      run_taken({"--manager", "default,manager-2", "--manager", "manager-3"});
  EXPECT_THAT(managers_of(options), ElementsAre("default", "manager-2", "manager-3"));
  EXPECT_EQ(plan_of(options).managers, 3u);
}

// ===== each bad value ===========================================================================

struct Bad {
  const char* option;
  const char* value;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.option << " " << bad.value; }

class BadValues : public testing::TestWithParam<Bad> {};

TEST_P(BadValues, AreRefusedByNameAndValue) {
  EXPECT_THAT(run_refusal({GetParam().option, GetParam().value}),
              AllOf(HasSubstr(GetParam().option), HasSubstr(GetParam().value)));
}

INSTANTIATE_TEST_SUITE_P(
    Options, BadValues,
    testing::Values(Bad{"--calls", "0"}, Bad{"--calls", "100000001"}, Bad{"--calls", "many"},
                    Bad{"--rate", "0"}, Bad{"--rate", "-5"}, Bad{"--rate", "1000001"},
                    Bad{"--rate", "nan"}, Bad{"--hold", "-1"}, Bad{"--hold", "86401"},
                    Bad{"--hold-distribution", "pareto"}, Bad{"--arrivals", "bursty"},
                    Bad{"--seed", "-1"}, Bad{"--cells-per-s", "0"},
                    Bad{"--cells-per-s", "4294967296"}, Bad{"--buffer-cells", "4294967296"},
                    Bad{"--frames-per-s", "-1"}, Bad{"--frame-octets", "1.5"},
                    Bad{"--client-batch", "0"}, Bad{"--client-batch", "4097"},
                    Bad{"--drain-timeout", "-0.1"}, Bad{"--progress-interval", "3601"}));

TEST(RunOptions, RefuseAnUnknownName) {
  EXPECT_THAT(run_refusal({"--rates", "5"}), HasSubstr("--rates"));
}

// ===== options that exclude each other =====

TEST(RunOptions, RefuseOneEndWithoutTheOther) {
  EXPECT_THAT(run_refusal({"--from", "host-1"}), HasSubstr("--from host-1 needs --to"));
  EXPECT_THAT(run_refusal({"--to", "host-2"}), HasSubstr("--to host-2 needs --from"));
}
TEST(RunOptions, RefuseAnEndThatCallsItself) {
  EXPECT_THAT(run_refusal({"--from", "host-1", "--to", "host-1"}), HasSubstr("both say host-1"));
}
TEST(RunOptions, RefuseFramesWithoutTheirSizeAndTheReverse) {
  EXPECT_THAT(run_refusal({"--frames-per-s", "25"}),
              HasSubstr("--frames-per-s 25 needs --frame-octets"));
  EXPECT_THAT(run_refusal({"--frame-octets", "9000"}),
              HasSubstr("--frame-octets 9000 needs --frames-per-s"));
}
TEST(RunOptions, RefuseFramesBesideCells) {
  EXPECT_THAT(run_refusal({"--frames-per-s", "25", "--frame-octets", "9", "--cells-per-s", "100"}),
              HasSubstr("--cells-per-s and --frames-per-s exclude each other"));
  EXPECT_THAT(run_refusal({"--frames-per-s", "25", "--frame-octets", "9", "--buffer-cells", "1"}),
              HasSubstr("--buffer-cells and --frames-per-s exclude each other"));
}
TEST(RunOptions, RefuseMoreThanAContractCanSayWithTheReason) {
  for (const char* const option : {"--cells-per-s", "--modify-cells-per-s"}) {
    EXPECT_THAT(run_refusal({option, "16777216", "--mix", "setup=1,modify=1"}),
                AllOf(HasSubstr(option), HasSubstr("16777216 is out of the range 1 to 16777215: "
                                                   "GSMP's traffic fields have 24 bits")));
  }
  EXPECT_EQ(run_refusal({"--cells-per-s", "16777215"}), "");
  EXPECT_THAT(run_refusal({"--frames-per-s", "1000000", "--frame-octets", "9000"}),
              HasSubstr("more than 16777215 cells/s: GSMP's traffic fields have 24 bits"));
}
TEST(RunOptions, RefuseAFrameRateTooSmallToBeSaid) {
  EXPECT_THAT(run_refusal({"--frames-per-s", "0.0001", "--frame-octets", "9"}),
              HasSubstr("less than a frame in 1000 seconds"));
}
TEST(RunOptions, RefuseARunOfMoreThanAYear) {
  EXPECT_THAT(run_refusal({"--calls", "100000000", "--rate", "1"}), HasSubstr("1157 days"));
}
TEST(RunOptions, RefuseAnEmptyManager) {
  EXPECT_THAT(run_refusal({"--manager", ""}), HasSubstr("--manager"));
}
TEST(RunOptions, RefuseAManagerNamedTwice) {
  EXPECT_THAT(run_refusal({"--manager", "a,b,a"}),
              HasSubstr("--manager a,b,a names a manager twice"));
}
TEST(RunOptions, RefuseMoreManagersThanCanBeCalled) {
  run_taken({"--manager", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p"});
  EXPECT_THAT(run_refusal({"--manager", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q"}),
              HasSubstr("names 17 managers, at most 16"));
}

// ===== the JSON file ============================================================================

class JsonFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "callgen-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::string content(const char* name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  std::filesystem::path folder_;
};

TEST_F(JsonFile, IsRefusedBeforeTheRunWhenItCannotBeWritten) {
  EXPECT_THAT(run_refusal({"--json", path("no/such/folder.json").c_str()}),
              AllOf(HasSubstr("--json"), HasSubstr("No such file or directory")));
  EXPECT_THAT(run_refusal({"--json", folder_.c_str()}), HasSubstr("Is a directory"));
}

TEST_F(JsonFile, CheckingLeavesNothingBehindAndTouchesNothing) {
  EXPECT_TRUE(check_writable(path("new.json")));
  EXPECT_FALSE(std::filesystem::exists(path("new.json")));
  ASSERT_TRUE(write_file(path("old.json"), "figures\n"));
  EXPECT_TRUE(check_writable(path("old.json")));
  EXPECT_EQ(content("old.json"), "figures\n");
}

TEST_F(JsonFile, WritingReplaces) {
  ASSERT_TRUE(write_file(path("a.json"), "a long text\n"));
  ASSERT_TRUE(write_file(path("a.json"), "short\n"));
  EXPECT_EQ(content("a.json"), "short\n");
}

TEST_F(JsonFile, AFullDiskIsAnErrorAndNotAnEmptyReport) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "NOT TESTED: no /dev/full here";
  const auto written = write_file("/dev/full", "figures\n");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kSystem);
  EXPECT_THAT(written.error().text, HasSubstr("No space left"));
}

TEST(RunOptions, VerifyingMediaNeedsLinesAndOnlyItDoes) {
  const RunOptions options = run_taken({"--verify-media", "--endpoints",
                                        "host-a=mpls:127.0.1.1:16635/127.0.1.1:6635/900001,"
                                        "host-b=plain:[::1]:5001/[::1]:5002"});
  EXPECT_TRUE(options.media.verify);
  EXPECT_EQ(options.media.calls, 100u);
  const auto lines = endpoint_lines(options);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].name, "host-a");
  EXPECT_EQ(lines[1].link.local.port, 5001);

  EXPECT_THAT(run_refusal({"--verify-media"}),
              HasSubstr("option --verify-media needs --endpoints"));
  EXPECT_THAT(run_refusal({"--endpoints", "a=ring:x"}),
              HasSubstr("option --endpoints needs --verify-media"));
  EXPECT_THAT(run_refusal({"--media-calls", "7"}),
              HasSubstr("option --media-calls needs --verify-media"));
  EXPECT_THAT(run_refusal({"--capture", "x.erf"}),
              HasSubstr("option --capture needs --verify-media"));
  EXPECT_THAT(run_refusal({"--media-at-stop"}),
              HasSubstr("option --media-at-stop needs --verify-media"));
  EXPECT_THAT(run_refusal({"--verify-media", "--media-at-stop", "--media-calls", "7"}),
              HasSubstr("options --media-calls 7 and --media-at-stop exclude each other"));
  EXPECT_THAT(run_refusal({"--verify-media", "--endpoints", "a=ring:x"}),
              HasSubstr("a ring lies within one process"));
  EXPECT_THAT(run_refusal({"--verify-media", "--endpoints", "a=udp:x"}),
              HasSubstr("option --endpoints: "));
}

TEST(RunOptions, ACaptureIsAFileThatSaysItsForm) {
  const char* const line = "a=mpls:127.0.1.1:16635/127.0.1.1:6635/900001";
  EXPECT_THAT(run_refusal({"--verify-media", "--endpoints", line, "--capture", "x.txt"}),
              HasSubstr("option --capture x.txt: its end, .erf or .pcap, says the form"));
  EXPECT_THAT(run_refusal({"--verify-media", "--endpoints", line, "--capture", "/nowhere/x.erf"}),
              HasSubstr("option --capture: cannot write /nowhere/x.erf"));
}

TEST(RunOptions, ALostManagerEndsARunUnlessAnOptionSaysOtherwise) {
  EXPECT_FALSE(run_taken({}).reattach);
  EXPECT_TRUE(run_taken({"--reattach"}).reattach);
}

TEST(RunOptions, BothDirectionsAreAskedForWhenAnOptionSaysSo) {
  EXPECT_FALSE(plan_of(run_taken({})).both_ways);
  EXPECT_TRUE(plan_of(run_taken({"--both"})).both_ways);
}

}  // namespace
}  // namespace xbind::callgen
