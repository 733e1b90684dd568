#include "bench/figures/process_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <utility>

namespace xbind::figures {
namespace {

namespace fs = std::filesystem;
using callgen::ChildEnd;
using callgen::ChildPlan;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kCleanReport = R"({"remote_invocations": 12, "label_cache_hit_ratio": 1,
    "audit": {"clean": true}, "releases": {"failed": 0, "unanswered": 0},
    "verdict": {"void": false, "reasons": []}})";
constexpr const char* kRecords =
    "call,kind,ended,planned_s,answered_s\n0,setup,done,0,0.5\n1,setup,done,1,1.5\n";

// A source whose programs are replaced by functions of this fixture.
class ProcessSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string directory = ::testing::TempDir() + "/process-source-XXXXXX";
    ASSERT_NE(mkdtemp(directory.data()), nullptr);
    places_ = {"lab", "bin", "callgen", directory};
    source_.emplace(
        places_, Pacing{}, [this](const ChildPlan& plan) { return run_child(plan); },
        [this](const std::string& note) { notes_.push_back(note); });
  }
  void TearDown() override {
    source_.reset();
    fs::remove_all(places_.directory);
  }

  Result<ChildEnd> run_child(const ChildPlan& plan) {
    const std::string verb = plan.command[1];
    ran_.push_back(verb);
    if (verb == failing_) return ChildEnd{1, "", "it is broken\n"};
    if (verb == lost_) return fail(ErrorCode::kTimeout, "{}: not done", verb);
    if (verb == "up") topology_there_ = fs::exists(places_.directory + "/chain-3.toml");
    if (verb == "env")
      return ChildEnd{0, "export XBIND_NAME_SERVICE='127.0.0.1:99'\nexport X='y'\n", ""};
    if (verb == "run") {
      environment_ = plan.environment;
      if (!report_.empty()) std::ofstream(report_file(places_)) << report_;
      if (!records_.empty()) std::ofstream(records_file(places_)) << records_;
      return ChildEnd{run_exit_code_, "", "what callgen says\n"};
    }
    return ChildEnd{};
  }
  std::vector<std::string> ran() { return std::exchange(ran_, {}); }

  Places places_;
  std::optional<ProcessSource> source_;
  std::vector<std::string> ran_;
  std::vector<std::string> notes_;
  std::map<std::string, std::string> environment_;
  bool topology_there_ = false;
  std::string failing_;
  std::string lost_;
  std::string report_ = kCleanReport;
  std::string records_ = kRecords;
  int run_exit_code_ = 0;
};

TEST_F(ProcessSourceTest, StartsALabRunsInItsEnvironmentAndEndsItWithItself) {
  const auto shown = source_->measure({});
  ASSERT_TRUE(shown.has_value()) << shown.error().text;
  EXPECT_EQ(shown->connected, 2U);
  EXPECT_THAT(ran(), ElementsAre("up", "env", "run"));
  EXPECT_TRUE(topology_there_);
  EXPECT_EQ(environment_["XBIND_NAME_SERVICE"], "127.0.0.1:99");
  EXPECT_EQ(environment_["X"], "y");
  source_.reset();
  EXPECT_THAT(ran(), ElementsAre("down"));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(ProcessSourceTest, KeepsTheLabForTheSameSystem) {
  ASSERT_TRUE(source_->measure({}).has_value());
  ran();
  ASSERT_TRUE(source_->measure({.system = {}, .load = {.calls_per_s = 50}}).has_value());
  EXPECT_THAT(ran(), ElementsAre("run"));
}

TEST_F(ProcessSourceTest, SwitchesTheAggregationOfALabThatIsUp) {
  ASSERT_TRUE(source_->measure({}).has_value());
  ran();
  const Point with_ten{.system = {.threshold = 10}, .load = {}};
  ASSERT_TRUE(source_->measure(with_ten).has_value());
  EXPECT_THAT(ran(), ElementsAre("aggregation", "run"));
  ASSERT_TRUE(source_->measure(with_ten).has_value());
  EXPECT_THAT(ran(), ElementsAre("run"));
}

TEST_F(ProcessSourceTest, AnotherSystemGetsAnotherLab) {
  ASSERT_TRUE(source_->measure({}).has_value());
  ran();
  ASSERT_TRUE(
      source_->measure({.system = {.engine = Engine::kSequential}, .load = {}}).has_value());
  EXPECT_THAT(ran(), ElementsAre("down", "up", "env", "run"));
}

TEST_F(ProcessSourceTest, ALabThatDoesNotStartIsAnErrorWithWhatItSaid) {
  failing_ = "up";
  const auto shown = source_->measure({});
  ASSERT_FALSE(shown.has_value());
  EXPECT_EQ(shown.error().code, ErrorCode::kSystem);
  EXPECT_THAT(shown.error().text, HasSubstr("lab up ended with exit code 1:\nit is broken"));
  source_.reset();
  EXPECT_THAT(ran(), ElementsAre("up"));
}

// The command may have been killed half way: the lab that it started is ended.
TEST_F(ProcessSourceTest, ALabThatDoesNotAnswerIsEnded) {
  lost_ = "up";
  ASSERT_FALSE(source_->measure({}).has_value());
  source_.reset();
  EXPECT_THAT(ran(), ElementsAre("up", "down"));
}

TEST_F(ProcessSourceTest, ARunThatFailsEndsTheLab) {
  report_.clear();
  run_exit_code_ = 2;
  const auto shown = source_->measure({});
  ASSERT_FALSE(shown.has_value());
  EXPECT_THAT(shown.error().text,
              HasSubstr("callgen run ended with exit code 2:\nwhat callgen says"));
  EXPECT_THAT(ran(), ElementsAre("up", "env", "run", "down"));
}

TEST_F(ProcessSourceTest, ARunWithoutAReportIsAnErrorWhateverItsExitCode) {
  report_.clear();
  run_exit_code_ = 1;
  ASSERT_FALSE(source_->measure({}).has_value());
}

TEST_F(ProcessSourceTest, TheReportOfAnEarlierRunIsNotTakenForThisOnes) {
  ASSERT_TRUE(source_->measure({}).has_value());
  report_.clear();
  EXPECT_FALSE(source_->measure({}).has_value());
}

TEST_F(ProcessSourceTest, FailedCallsAreShownAndTheNextPointHasAFreshLab) {
  run_exit_code_ = 1;
  records_ += "2,setup,unanswered,2,\n";
  const auto shown = source_->measure({});
  ASSERT_TRUE(shown.has_value()) << shown.error().text;
  EXPECT_EQ(shown->unanswered, 1U);
  EXPECT_FALSE(shown->sustained);
  EXPECT_THAT(ran(), ElementsAre("up", "env", "run", "down"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("1 setups unanswered")));
  ASSERT_TRUE(source_->measure({}).has_value());
  EXPECT_EQ(ran().front(), "up");
}

TEST_F(ProcessSourceTest, AVoidPointIsShownWithANote) {
  run_exit_code_ = 3;
  report_ = R"({"remote_invocations": 12, "label_cache_hit_ratio": 1, "audit": {"clean": true},
      "releases": {"failed": 0, "unanswered": 0}, )"
            R"("verdict": {"void": true, "reasons": ["it was late"]}})";
  EXPECT_TRUE(source_->measure({}).has_value());
  EXPECT_THAT(notes_, ElementsAre("a point is void: it was late"));
}

TEST_F(ProcessSourceTest, RefusesWhatNoLabCanBe) {
  const auto error_of = [&](const Point& point) { return source_->measure(point).error(); };
  EXPECT_EQ(error_of({.system = {.switches = 1}, .load = {}}).code, ErrorCode::kBadInput);
  EXPECT_THAT(error_of({.system = {.switches = 1}, .load = {}}).text,
              HasSubstr("a path of 1 switches"));
  EXPECT_THAT(error_of({.system = {}, .load = {.calls_per_s = 0}}).text,
              HasSubstr("0 calls a second"));
  EXPECT_THAT(error_of({.system = {}, .load = {.calls = 0}}).text, HasSubstr("no calls"));
  EXPECT_THAT(ran(), IsEmpty());
}

TEST_F(ProcessSourceTest, SaysWhetherItIsPaced) {
  EXPECT_EQ(source_->name(), "processes on this machine");
  Pacing pacing;
  pacing.servants.message_us = 1'000;
  const ProcessSource paced(
      places_, pacing, [](const ChildPlan&) { return Result<ChildEnd>{}; },
      [](const std::string&) {});
  EXPECT_THAT(paced.name(), HasSubstr("at the pace of the model's hosts"));
}

TEST(MakeProcessSourceTest, SaysWhatItLookedFor) {
  const auto source = make_process_source({.deploy = "/no/such/deploy", .pacing = {}});
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(source.error().text, HasSubstr("/no/such/deploy/lab is not there"));
}

}  // namespace
}  // namespace xbind::figures
