#include "core/log_output.hpp"

#include <gmock/gmock.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "core/log_about.hpp"

namespace xbind {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class LogOutput : public testing::Test {
 protected:
  LogOutput() {
    std::string name = testing::TempDir() + "log-XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~LogOutput() override {
    log::start("test", log::Level::kWarn);  // closes the file
    std::filesystem::remove_all(directory_);
  }

  std::string path(const std::string& name = "log") const { return directory_ + "/" + name; }
  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  void start(log::Format format, const std::string& who = "xbind-cmgr cm1") {
    log::start(who, {.level = log::Level::kInfo, .format = format, .file = path()});
  }

  std::string directory_;
};

TEST_F(LogOutput, AFileGetsTheSameTextAsStandardError) {
  start(log::Format::kText);
  log::info("client {} is there", "east");
  EXPECT_THAT(read(path()), MatchesRegex("[-0-9]+ [:.0-9]+ UTC info xbind-cmgr cm1: client east is "
                                         "there\n"));
}

TEST_F(LogOutput, ATextLineHasTheTimeOfEveryCommand) {
  ASSERT_EQ(::setenv("TZ", "Asia/Kathmandu", 1), 0);
  ::tzset();
  constexpr std::string_view kForm = "2026-03-01 12:00:00.123";
  start(log::Format::kText);
  log::info("client {} is there", "east");
  const std::string text = read(path());
  EXPECT_EQ(text.substr(kForm.size(), 10), " UTC info ");
  std::filesystem::remove(path());
  start(log::Format::kJson);
  log::info("client {} is there", "east");
  std::string json = read(path()).substr(std::string_view{R"({"time":")"}.size(), kForm.size());
  json[kForm.find(' ')] = ' ';                    // of the T
  EXPECT_LE(text.substr(0, kForm.size()), json);  // the zone's own clock is ahead of it
  ::unsetenv("TZ");
  ::tzset();
}

TEST_F(LogOutput, AJsonLineHasItsFields) {
  start(log::Format::kJson);
  log::warn("client {} is there", "east");
  EXPECT_THAT(read(path()),
              MatchesRegex(R"(\{"time":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.)"
                           R"([0-9]{3}Z","level":"warn","program":"xbind-cmgr","name":"cm1",)"
                           R"("text":"client east is there"\})"
                           "\n"));
}

TEST_F(LogOutput, AJsonLineSaysWhatItIsAbout) {
  start(log::Format::kJson, "xbind-switchserver");
  log::info("without a name");
  EXPECT_THAT(read(path()), HasSubstr(R"("program":"xbind-switchserver","text":"without)"));
  const std::string name = "switch-1";
  const log::About about(name);
  const log::AboutCall call(71);
  log::orb.info("named");
  EXPECT_THAT(read(path()),
              HasSubstr(R"("name":"switch-1","subsystem":"orb","call":71,"text":"named"})"));
}

TEST_F(LogOutput, APeerCannotBreakAJsonLine) {
  start(log::Format::kJson);
  log::write(log::Level::kInfo, "a\"b\\c\n{\"level\":\"error\"}\x1b[2J\xff");
  EXPECT_THAT(read(path()), HasSubstr(R"("text":"a\"b\\c\\n{\"level\":\"error\"}\\x1b[2J\\xff"})"));
  log::write(log::Level::kInfo, std::string(100'000, '"'));
  EXPECT_LT(read(path()).size(), 18'000U);
}

TEST_F(LogOutput, AFileThatWasRenamedGoesOnUnderItsName) {
  start(log::Format::kText);
  log::info("before");
  std::filesystem::rename(path(), path("log.1"));
  log::info("between");  // belongs to the old file: nobody has asked for a new one yet
  log::hang_up();
  log::info("after");
  EXPECT_THAT(read(path("log.1")), testing::ContainsRegex("before\n.*between\n$"));
  EXPECT_THAT(read(path()), testing::ContainsRegex("SIGHUP: .*/log was opened again\n.*after\n$"));
}

TEST_F(LogOutput, AFileThatCannotBeOpenedAgainIsKept) {
  start(log::Format::kText);
  std::filesystem::rename(path(), path("log.1"));
  std::filesystem::create_directory(path());
  log::hang_up();
  log::info("after");
  EXPECT_THAT(read(path("log.1")), HasSubstr("the old file stays in use: Is a directory"));
  EXPECT_THAT(read(path("log.1")), HasSubstr("after\n"));
}

// Of a suite of this name, GoogleTest runs the tests before all others: the child ends by exit(),
// whose destructors would wait for the threads that other tests have started in its parent.
using LogOutputDeathTest = LogOutput;
TEST_F(LogOutputDeathTest, AFileThatCannotBeOpenedEndsTheProcess) {
  EXPECT_EXIT(log::start("test", {.level = log::Level::kInfo,
                                  .format = log::Format::kText,
                                  .file = "/nowhere/log"}),
              testing::ExitedWithCode(2), "test: option --log-file: /nowhere/log: No such file");
}

TEST_F(LogOutput, TheLevelChangesWhileItRuns) {
  start(log::Format::kText);
  log::debug("one");
  log::set_levels(log::Level::kDebug);
  log::debug("two");
  log::set_levels(log::Level::kOff);
  log::error("three");
  EXPECT_THAT(read(path()), testing::ContainsRegex("^[^\n]*debug [^\n]*two\n$"));
}

TEST_F(LogOutput, SubsystemsHaveLevelsOfTheirOwn) {
  start(log::Format::kText);
  log::set_levels(log::Levels{log::Level::kWarn}.changed("calls=debug", log::Level::kInfo).value());
  log::calls.debug("one");
  log::gsmp.info("two");
  log::info("three");
  log::gsmp.warn("four");
  EXPECT_THAT(read(path()),
              testing::ContainsRegex("^[^\n]*debug [^\n]*one\n[^\n]*warning [^\n]*four\n$"));
  EXPECT_EQ(log::started_levels(), log::Levels{log::Level::kInfo});
}

TEST_F(LogOutput, ALineThatDoesNotNameItsCallBeginsWithIt) {
  start(log::Format::kText);
  const log::AboutCall call(71);
  log::calls.info("connection 71 is there");
  log::calls.info("it is gone");
  EXPECT_THAT(read(path()), HasSubstr("cm1: connection 71 is there\n"));
  EXPECT_THAT(read(path()), HasSubstr("cm1: call 71: it is gone\n"));
}

}  // namespace
}  // namespace xbind
