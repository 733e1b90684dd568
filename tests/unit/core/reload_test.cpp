// Options of a running program that are loaded again, as an operator edits its file.
#include "core/config/reload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace xbind::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Options {
  Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  OptionSet set{"xbind-x", "A program."};
  std::uint32_t timer_ms = 0;
  std::uint32_t threads = 0;
  double factor = 0;
  std::vector<std::string> pairs;
  std::string name;
  std::string words;     // a file
  std::string topology;  // a file that is read at the start only
};

// Every path that a load has read.
std::vector<std::string> paths_read;

Options::Options() {
  set.add_uint("timer-ms", &timer_ms, 3000, {10, 60'000}, "A timer.");
  set.add_uint("threads", &threads, 8, {1, 256}, "Threads.");
  set.add_double("factor", &factor, 2, {1, 10}, "A factor.");
  set.add_strings("pairs", &pairs, "Pairs.");
  set.add_string("name", &name, "default", "A name.");
  set.add_string("words", &words, "", "A file.");
  set.add_string("topology", &topology, "", "A file.");
  set.add_check([this]() -> std::optional<std::string> {
    for (const std::string& path : {words, topology}) {
      if (!path.empty()) paths_read.push_back(path);
    }
    return std::nullopt;
  });
  set.set_live({"timer-ms", "pairs", "words"});
}

class ReloadTest : public ::testing::Test {
 protected:
  ReloadTest() {
    write("timer-ms = 2000\n");
    EXPECT_FALSE(options_.set.load(static_cast<int>(arguments_.size()), arguments_.data(),
                                   [](const std::string&) { return std::nullopt; }));
  }
  ~ReloadTest() override { std::filesystem::remove(path_); }

  void write(const std::string& text) const { std::ofstream(path_) << text; }
  // Each change in a line; or the refusal.
  std::string reload() {
    const auto changes = reload_.reload();
    if (!changes) return changes.error().text;
    std::string text;
    for (const OptionChange& change : *changes) text += to_string(change) + '\n';
    return text;
  }
  std::string value_of(const std::string& name) {
    for (const OptionValue& value : reload_.values()) {
      if (value.name == name) return value.text + " (" + value.source + ")";
    }
    return "not there";
  }

  const std::string path_ =
      std::filesystem::temp_directory_path() / ("reload_test." + std::to_string(::getpid()));
  const std::vector<const char*> arguments_{"xbind-x", "--config", path_.c_str(), "--name=cm1"};
  Options options_;
  std::uint32_t in_effect_ = 0;
  std::optional<Error> refused_;
  Reload<Options> reload_{options_,
                          static_cast<int>(arguments_.size()),
                          arguments_.data(),
                          [this](const Options& before, const Options& wanted,
                                 std::vector<OptionChange>& changes) -> Result<void> {
                            if (refused_) return tl::make_unexpected(*refused_);
                            if (before.pairs != wanted.pairs)
                              changes.push_back({"pairs", "", "", "its content", true});
                            in_effect_ = wanted.timer_ms;
                            return {};
                          },
                          {},
                          {"words"}};
};

TEST_F(ReloadTest, ALiveOptionIsTakenAndSaidWithItsPlace) {
  write("# slower\ntimer-ms = 2500\n");
  EXPECT_EQ(reload(), "timer-ms 2000 -> 2500 (" + path_ + " line 2)\n");
  EXPECT_EQ(in_effect_, 2500U);
  EXPECT_EQ(value_of("timer-ms"), "2500 (" + path_ + " line 2)");
  EXPECT_EQ(value_of("name"), "cm1 (command line)");
  EXPECT_EQ(value_of("threads"), "8 ()");
}

TEST_F(ReloadTest, TheNextOneComparesWithThatOne) {
  write("timer-ms = 2500\n");
  EXPECT_NE(reload(), "");
  EXPECT_EQ(reload(), "");
  write("");
  EXPECT_EQ(reload(), "timer-ms 2500 -> 3000 (default)\n");
  EXPECT_EQ(in_effect_, 3000U);
}

TEST_F(ReloadTest, WhatTheCommandLineSaysStays) {
  write("timer-ms = 2000\nname = \"other\"\n");
  EXPECT_EQ(reload(), "");
  EXPECT_EQ(value_of("name"), "cm1 (command line)");
}

TEST_F(ReloadTest, ANumberInAnotherFormIsNoChange) {
  const auto text_of = [](const Result<std::vector<OptionChange>>& changes) {
    if (!changes) return changes.error().text;
    return changes->empty() ? "" : to_string(changes->front());
  };
  EXPECT_EQ(text_of(reload_.tune("timer-ms", "02000")), "");
  for (const char* const two : {"2.0", "0.2e1", "2.", "02"}) {
    EXPECT_EQ(text_of(reload_.tune("factor", two)), "") << two;
    EXPECT_EQ(value_of("factor"), std::string{two} + " (operator)");
  }
  EXPECT_THAT(text_of(reload_.tune("factor", "2.5")),
              HasSubstr("needs a restart: factor 02 -> 2.5 (operator)"));
  EXPECT_EQ(text_of(reload_.untune("factor")), "");
  EXPECT_EQ(value_of("factor"), "2 ()");
}

TEST_F(ReloadTest, TextsAreComparedAsTheyAre) {
  write("timer-ms = 2000\npairs = [\"2\"]\n");
  EXPECT_NE(reload(), "");
  write("timer-ms = 2000\npairs = [\"2.0\"]\n");
  EXPECT_THAT(reload(), HasSubstr("pairs 2 -> 2.0 ("));
}

TEST_F(ReloadTest, AnOptionThatNeedsARestartRefusesTheWhole) {
  write("timer-ms = 100\nthreads = 16\n");
  EXPECT_EQ(reload(), "an option needs a restart: threads 8 -> 16 (" + path_ +
                          " line 2); nothing has changed");
  EXPECT_EQ(in_effect_, 0U);
  EXPECT_EQ(value_of("timer-ms"), "2000 (" + path_ + " line 1)");
}

TEST_F(ReloadTest, AWrongValueRefusesTheWholeWithItsLine) {
  write("timer-ms = 2500\npairs = [\"a\"]\nthreads = 0\n");
  EXPECT_EQ(reload(), "option --threads (" + path_ + " line 3): 0 is out of the range 1 to 256");
  write("timer-ms = 2500\ntimers = 1\n");
  EXPECT_THAT(reload(), HasSubstr("line 2: unknown option timers"));
  std::filesystem::remove(path_);
  EXPECT_THAT(reload(), HasSubstr(path_));
  EXPECT_EQ(in_effect_, 0U);
}

// Such a command line loads nothing: the program would go on with what it had, and report success.
TEST_F(ReloadTest, ACommandLineThatAsksForATextIsARefusalWithASentence) {
  for (const char* asks : {"--help", "--version", "--print-options", "--check-config"}) {
    Options options;
    const auto refused = load_again(options.set, {"xbind-x", asks});
    ASSERT_TRUE(refused.has_value()) << asks;
    EXPECT_FALSE(refused->empty()) << asks;
  }
  Options wrong;
  EXPECT_THAT(load_again(wrong.set, {"xbind-x", "--timer-ms=9"}),
              ::testing::Optional(HasSubstr("timer-ms")));
  Options options;
  EXPECT_EQ(load_again(options.set, {"xbind-x", "--timer-ms=10"}), std::nullopt);
  EXPECT_EQ(options.timer_ms, 10U);
}

TEST_F(ReloadTest, WhatTheProgramRefusesChangesNothing) {
  refused_ = Error{ErrorCode::kBadInput, "the ledger refuses it"};
  write("timer-ms = 2500\n");
  EXPECT_EQ(reload(), "the ledger refuses it");
  EXPECT_EQ(value_of("timer-ms"), "2000 (" + path_ + " line 1)");
  refused_.reset();
  EXPECT_EQ(reload(), "timer-ms 2000 -> 2500 (" + path_ + " line 1)\n");
}

TEST_F(ReloadTest, TheProgramMayAddWhatTheTextsDoNotShow) {
  write("timer-ms = 2000\npairs = [\"a\", \"b\"]\n");
  EXPECT_EQ(reload(), "pairs (empty) -> a,b (" + path_ +
                          " line 2)\npairs (empty) -> (empty) (its content)\n");
}

TEST_F(ReloadTest, ATunedOptionGoesBeforeAllSourcesUntilItIsNotTuned) {
  const auto text_of = [](const Result<std::vector<OptionChange>>& changes) {
    if (!changes) return changes.error().text;
    return changes->empty() ? "" : to_string(changes->front());
  };
  EXPECT_EQ(text_of(reload_.tune("timer-ms", "500")), "timer-ms 2000 -> 500 (operator)");
  EXPECT_EQ(in_effect_, 500U);
  write("timer-ms = 4000\n");
  EXPECT_EQ(reload(), "");
  EXPECT_EQ(value_of("timer-ms"), "500 (operator)");
  EXPECT_EQ(text_of(reload_.tune("timer-ms", "5")),
            "option --timer-ms (operator): 5 is out of the range 10 to 60000");
  EXPECT_THAT(text_of(reload_.tune("threads", "9")), HasSubstr("threads 8 -> 9 (operator)"));
  EXPECT_THAT(text_of(reload_.tune("timers-ms", "9")),
              HasSubstr("unknown option timers-ms; did you mean timer-ms?"));
  EXPECT_EQ(reload(), "") << "what was refused is forgotten";
  EXPECT_EQ(text_of(reload_.untune("timer-ms")), "timer-ms 500 -> 4000 (" + path_ + " line 1)");
  EXPECT_EQ(text_of(reload_.untune("timer-ms")), "");
}

TEST_F(ReloadTest, AFileThatNeedsARestartIsNotReadForAnOperator) {
  paths_read.clear();
  const auto changes = reload_.tune("topology", "/etc/passwd");
  ASSERT_FALSE(changes);
  EXPECT_THAT(changes.error().text, HasSubstr("needs a restart: topology (empty) -> /etc/passwd"));
  EXPECT_TRUE(paths_read.empty());
}

TEST_F(ReloadTest, AnOperatorNamesFilesBesideTheConfiguredOneOnly) {
  namespace fs = std::filesystem;
  const fs::path directory = path_ + ".d";
  fs::create_directories(directory / "below");
  const auto file = [&](const char* name) { return (directory / name).string(); };
  for (const char* const name : {"a", "b", "below/c"}) std::ofstream(file(name)) << "words\n";
  fs::create_symlink("/etc/passwd", file("link"));
  const auto refusal = [&](const std::string& path) {
    paths_read.clear();
    const auto changes = reload_.tune("words", path);
    const bool read = std::ranges::count(paths_read, path) != 0;
    EXPECT_EQ(read, changes && !path.empty()) << path;
    return changes ? "" : changes.error().text;
  };
  EXPECT_THAT(refusal(file("b")), HasSubstr("option --words names no file in the configuration"));
  write("words = \"" + file("a") + "\"\n");
  EXPECT_NE(reload(), "");
  EXPECT_EQ(refusal(file("b")), "");
  EXPECT_EQ(value_of("words"), file("b") + " (operator)");
  EXPECT_EQ(refusal(""), "");
  EXPECT_EQ(refusal(file("a")), "");
  const std::string not_there = " is not in " + fs::canonical(directory).string() + ", ";
  for (const std::string& path :
       {std::string{"/etc/passwd"}, std::string{"/etc/not-there"}, file("below/c"), file("link"),
        file("../reload_test"), std::string{"a"}}) {
    EXPECT_THAT(refusal(path), HasSubstr(path + not_there)) << path;
  }
  EXPECT_THAT(refusal(file("below")), HasSubstr("below is no regular file"));
  EXPECT_THAT(refusal(file("c")), HasSubstr("c is no regular file"));
  EXPECT_EQ(value_of("words"), file("a") + " (operator)");
  fs::remove_all(directory);
}

// The same program, with a file that keeps what operators tune; each next() is a process.
class KeptReloadTest : public ReloadTest {
 protected:
  struct Process {
    Process(const std::vector<const char*>& arguments, const std::string& file, bool serves) {
      const int count = static_cast<int>(arguments.size());
      EXPECT_FALSE(options.set.load(count, arguments.data(),
                                    [](const std::string&) { return std::nullopt; }));
      reload.emplace(
          options, count, arguments.data(),
          [this](const Options&, const Options& wanted, auto&) -> Result<void> {
            if (refuses) return fail(ErrorCode::kBadInput, "it cannot take that");
            in_effect = wanted.timer_ms;
            return {};
          },
          file);
      in_effect = options.timer_ms;
      if (serves) {
        EXPECT_TRUE(reload->begin().has_value());
      }
    }
    std::string value(const std::string& name) {
      for (const OptionValue& value : reload->values()) {
        if (value.name == name) return value.text + " (" + value.source + ")";
      }
      return "not there";
    }
    Options options;
    bool refuses = false;
    std::uint32_t in_effect = 0;
    std::optional<Reload<Options>> reload;
  };
  KeptReloadTest() { std::filesystem::create_directories(directory_); }
  ~KeptReloadTest() override { std::filesystem::remove_all(directory_); }

  void next(bool serves = true) { process_ = std::make_unique<Process>(arguments_, file_, serves); }
  Process& now() { return *process_; }
  bool tune(const std::string& name, const std::string& value) {
    return now().reload->tune(name, value).has_value();
  }

  const std::string directory_ = path_ + ".state";
  const std::string file_ = settings_file_path(directory_, "x", "cm1");
  std::unique_ptr<Process> process_;
};

TEST_F(KeptReloadTest, ATunedOptionOutlivesItsProcess) {
  next();
  EXPECT_TRUE(tune("timer-ms", "500"));
  EXPECT_TRUE(tune("pairs", "a,b"));
  next();
  EXPECT_EQ(now().in_effect, 500U);
  EXPECT_EQ(now().value("timer-ms"), "500 (operator)");
  EXPECT_EQ(now().value("pairs"), "a,b (operator)");
  EXPECT_TRUE(now().reload->untune("timer-ms").has_value());
  next();
  EXPECT_EQ(now().value("timer-ms"), "2000 (" + path_ + " line 1)");
  EXPECT_EQ(now().value("pairs"), "a,b (operator)");
}

TEST_F(KeptReloadTest, AnOptionThatWasChangedSinceGoesBeforeIt) {
  next();
  EXPECT_TRUE(tune("timer-ms", "500"));
  write("timer-ms = 4000\n");
  next();
  EXPECT_EQ(now().in_effect, 4000U);
  EXPECT_EQ(now().value("timer-ms"), "4000 (" + path_ +
                                         " line 1; an operator's 500 is superseded: it was set "
                                         "when this was 2000)");
  write("timer-ms = 2000\n");
  next();
  EXPECT_EQ(now().in_effect, 2000U) << "it does not come back";
  EXPECT_EQ(now().value("timer-ms"), "2000 (" + path_ + " line 1)");
}

TEST_F(KeptReloadTest, AProcessThatDoesNotServeLeavesTheFileAsItIs) {
  next();
  EXPECT_TRUE(tune("timer-ms", "500"));
  write("timer-ms = 4000\n");
  next(false);
  EXPECT_EQ(now().in_effect, 4000U);
  EXPECT_EQ(*read_settings(file_), (KeptSettings{{"timer-ms", "500", "2000"}}));
}

TEST_F(KeptReloadTest, AnOrderThatTheEarlierProcessTakesWhileThisOneStartsIsNotLost) {
  next();
  const std::unique_ptr<Process> earlier = std::move(process_);
  next(false);
  EXPECT_TRUE(earlier->reload->tune("timer-ms", "500").has_value());
  EXPECT_TRUE(now().reload->begin().has_value());
  EXPECT_EQ(now().in_effect, 500U);
  EXPECT_TRUE(tune("pairs", "a"));
  EXPECT_EQ(*read_settings(file_), (KeptSettings{{"pairs", "a", ""}, {"timer-ms", "500", "2000"}}));
}

TEST_F(KeptReloadTest, AFileThatIsDamagedWhileTheProcessStartsIsNamedAndKept) {
  next(false);
  std::ofstream(file_) << "# xbind settings 1\n[[sett";
  const auto begun = now().reload->begin();
  ASSERT_FALSE(begun.has_value());
  EXPECT_EQ(begun.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(begun.error().text, HasSubstr(file_));
  EXPECT_FALSE(read_settings(file_).has_value());
}

TEST_F(KeptReloadTest, OptionsAreReadWhileAnOrderWaitsForTheDisk) {
  Options options;
  EXPECT_FALSE(options.set.load(static_cast<int>(arguments_.size()), arguments_.data(),
                                [](const std::string&) { return std::nullopt; }));
  std::promise<void> writing;
  std::promise<void> told;
  Reload<Options> reload(
      options, static_cast<int>(arguments_.size()), arguments_.data(),
      [](const Options&, const Options&, auto&) { return Result<void>{}; }, file_, {},
      [&](const std::string&, const KeptSettings&) -> Result<void> {
        writing.set_value();
        told.get_future().wait();
        return {};
      });
  const auto timer = [&] {
    for (const OptionValue& value : reload.values()) {
      if (value.name == "timer-ms") return value.text + " (" + value.source + ")";
    }
    return std::string{"not there"};
  };
  auto order = std::async(std::launch::async, [&] { return reload.tune("timer-ms", "500"); });
  writing.get_future().wait();
  auto read = std::async(std::launch::async, [&] {
    reload.note("timer-ms", "watched");
    return timer();
  });
  EXPECT_EQ(read.wait_for(std::chrono::seconds{10}), std::future_status::ready);
  told.set_value();
  EXPECT_EQ(read.get(), "2000 (" + path_ + " line 1; watched)");
  EXPECT_TRUE(order.get().has_value());
  EXPECT_EQ(timer(), "500 (operator)");
}

TEST_F(KeptReloadTest, SettingsCountAlsoIfTheFileCannotBeWritten) {
  next();
  EXPECT_TRUE(write_settings(file_, {{"pairs", "a", ""}, {"timer-ms", "500", "9000"}}));
  std::filesystem::create_directory(file_ + ".new");  // where the next text would be written
  next();
  EXPECT_EQ(now().value("pairs"), "a (operator)");
  EXPECT_EQ(now().in_effect, 2000U);
}

TEST_F(KeptReloadTest, AReloadThatLeavesItInEffectIsItsNewGround) {
  next();
  EXPECT_TRUE(tune("timer-ms", "500"));
  write("timer-ms = 4000\n");
  EXPECT_TRUE(now().reload->reload().has_value());
  EXPECT_EQ(now().in_effect, 500U);
  next();
  EXPECT_EQ(now().in_effect, 500U);
}

TEST_F(KeptReloadTest, ASettingThatIsRefusedNowIsLeftOutAndTheOthersAreNot) {
  next();
  EXPECT_TRUE(tune("pairs", "a"));
  EXPECT_TRUE(write_settings(file_, {{"factors", "3", ""},
                                     {"pairs", "a", ""},
                                     {"threads", "9", "8"},
                                     {"timer-ms", "5", "2000"}})
                  .has_value());
  next();
  EXPECT_EQ(now().value("pairs"), "a (operator)");
  EXPECT_THAT(now().value("threads"),
              HasSubstr("8 (default; an operator's 9 is refused: an option needs a restart"));
  EXPECT_THAT(now().value("timer-ms"), HasSubstr("5 is out of the range 10 to 60000"));
  EXPECT_EQ(*read_settings(file_), (KeptSettings{{"pairs", "a", ""}}));
}

TEST_F(KeptReloadTest, WhatCannotBeStoredDoesNotTakeEffect) {
  next();
  EXPECT_TRUE(tune("timer-ms", "500"));
  std::filesystem::remove_all(directory_);
  const auto refused = now().reload->tune("timer-ms", "600");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kSystem);
  EXPECT_THAT(refused.error().text, HasSubstr(file_));
  EXPECT_EQ(now().in_effect, 500U);
}

TEST_F(KeptReloadTest, WhatIsNotTakenIsNotStored) {
  next();
  EXPECT_TRUE(tune("timer-ms", "500"));
  now().refuses = true;
  EXPECT_FALSE(tune("timer-ms", "600"));
  EXPECT_EQ(*read_settings(file_), (KeptSettings{{"timer-ms", "500", "2000"}}));
}

TEST(LiveOptions, HelpAndDocumentSayWhichTheyAre) {
  Options options;
  EXPECT_THAT(options.set.help(), HasSubstr("(default 3000; 10 to 60000; live)"));
  EXPECT_THAT(options.set.help(), HasSubstr("An option marked live may change"));
  EXPECT_THAT(options.set.markdown(), HasSubstr("| A timer. *Live.* |"));
  EXPECT_THAT(options.set.markdown(), HasSubstr("| Threads. |"));
  OptionSet without("xbind-y", "Another.");
  EXPECT_THAT(without.help(), Not(HasSubstr("live")));
}

}  // namespace
}  // namespace xbind::config
