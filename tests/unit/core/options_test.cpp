#include "core/config/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "core/config/nearest_name.hpp"

namespace xbind::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

enum class Durability { kNone, kProcess, kDisk };

// A daemon with one option of each kind, its command line, environment and file.
class Daemon : public ::testing::Test {
 protected:
  Daemon() : set("xbind-trial", "Tries every kind of option.") {
    set.add_string("name", &name, "t1", "Name bound in the name service.");
    set.add_uint("hop-timeout-ms", &hop_timeout_ms, 2000, {10, 60000},
                 "Milliseconds to wait for a hop.");
    set.add_uint("port", &port, 6068, {1, 65535}, "TCP port of the switch.");
    set.add_uint("seed", &seed, 0, {}, "Seed of the run.");
    set.add_double("overbooking", &overbooking, 1.0, {0.5, 4.0}, "Capacity factor of a port.");
    set.add_double("offset", &offset, 0.0, {}, "Any number.");
    set.add_flag("watch", &watch, "Release when the client dies.");
    set.add_choice("engine", &engine, "xbind", {"sequential", "threaded", "xbind"},
                   "How hops are invoked.");
    set.add_enum("durability", &durability, Durability::kNone,
                 {{"none", Durability::kNone},
                  {"process", Durability::kProcess},
                  {"disk", Durability::kDisk}},
                 "What a confirmed call survives.");
    set.add_strings("peer", &peers, "Peers to attach to.");
  }

  std::optional<Exit> load(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "xbind-trial");
    return set.load(static_cast<int>(arguments.size()), arguments.data(),
                    [this](const std::string& variable) -> std::optional<std::string> {
                      const auto found = environment.find(variable);
                      if (found == environment.end()) return std::nullopt;
                      return found->second;
                    });
  }
  // The first line of the error; "it runs" when the arguments are accepted.
  std::string refusal(const std::vector<const char*>& arguments) {
    const auto exit = load(arguments);
    if (!exit) return "it runs";
    EXPECT_EQ(exit->code, 2) << exit->text;
    EXPECT_THAT(exit->text, HasSubstr("xbind-trial: "));
    EXPECT_THAT(exit->text, HasSubstr("Try 'xbind-trial --help'.\n"));
    return exit->text.substr(0, exit->text.find('\n'));
  }
  const char* file(const std::string& text) {
    path = ::testing::TempDir() + "options_test." +
           ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml";
    std::ofstream(path, std::ios::binary) << text;
    return path.c_str();
  }
  ~Daemon() override {
    if (!path.empty()) std::remove(path.c_str());
  }

  OptionSet set;
  std::string name;
  std::uint64_t hop_timeout_ms = 1;
  std::uint16_t port = 1;
  std::uint64_t seed = 1;
  double overbooking = 9;
  double offset = 9;
  bool watch = true;
  std::string engine;
  Durability durability = Durability::kDisk;
  std::vector<std::string> peers{"left over"};
  std::map<std::string, std::string> environment;
  std::string path;
};

TEST_F(Daemon, DeclaringAndLoadingNothingGiveTheDefaults) {
  for (const bool loaded : {false, true}) {
    if (loaded) {
      ASSERT_EQ(load({}), std::nullopt);
    }
    EXPECT_EQ(name, "t1");
    EXPECT_EQ(hop_timeout_ms, 2000u);
    EXPECT_EQ(port, 6068);
    EXPECT_EQ(overbooking, 1.0);
    EXPECT_FALSE(watch);
    EXPECT_EQ(engine, "xbind");
    EXPECT_EQ(durability, Durability::kNone);
    EXPECT_THAT(peers, IsEmpty());
  }
  EXPECT_FALSE(set.given("name"));
  EXPECT_EQ(set.given_text(), "");
}

TEST_F(Daemon, EveryKindIsReadFromTheCommandLine) {
  ASSERT_EQ(load({"--name", "t2", "--hop-timeout-ms=10", "--port", "65535", "--seed",
                  "18446744073709551615", "--overbooking=0.5", "--offset", "-2.5e3", "--watch",
                  "--engine", "threaded", "--durability", "disk", "--peer", "a,b", "--peer=c"}),
            std::nullopt);
  EXPECT_EQ(name, "t2");
  EXPECT_EQ(hop_timeout_ms, 10u);
  EXPECT_EQ(port, 65535);
  EXPECT_EQ(seed, 18446744073709551615u);
  EXPECT_EQ(overbooking, 0.5);
  EXPECT_EQ(offset, -2500.0);
  EXPECT_TRUE(watch);
  EXPECT_EQ(engine, "threaded");
  EXPECT_EQ(durability, Durability::kDisk);
  EXPECT_THAT(peers, ElementsAre("a", "b", "c"));
}

TEST_F(Daemon, EveryKindIsReadFromAFile) {
  const char* config = file(
      "# a lab\n\nname = \"t # 3\"  # quoted\r\n  hop-timeout-ms=60_000\nwatch = true # yes\n"
      "engine = 'sequential'\ndurability = \"process\"\noverbooking = 2\noffset = -2.5\n"
      "peer = [\"a\",\n  \"b\", \"c\"]");
  ASSERT_EQ(load({"--config", config}), std::nullopt);
  EXPECT_EQ(name, "t # 3");
  EXPECT_EQ(hop_timeout_ms, 60000u);
  EXPECT_TRUE(watch);
  EXPECT_EQ(engine, "sequential");
  EXPECT_EQ(durability, Durability::kProcess);
  EXPECT_EQ(overbooking, 2.0);
  EXPECT_EQ(offset, -2.5);
  EXPECT_THAT(peers, ElementsAre("a", "b", "c"));
}

TEST_F(Daemon, CommandLineBeatsEnvironmentBeatsFileBeatsDefault) {
  const char* config =
      file("hop-timeout-ms = 300\nname = \"from-file\"\nseed = 3\npeer = [\"x\"]\n");
  environment = {{"XBIND_HOP_TIMEOUT_MS", "200"}, {"XBIND_NAME", "from-env"}, {"XBIND_PEER", "y"}};
  ASSERT_EQ(load({"--hop-timeout-ms", "100", "--config", config}), std::nullopt);
  EXPECT_EQ(hop_timeout_ms, 100u);
  EXPECT_EQ(name, "from-env");
  EXPECT_EQ(seed, 3u);
  EXPECT_EQ(port, 6068);
  EXPECT_THAT(peers, ElementsAre("y"));  // a list has one source; lists are not merged
  EXPECT_TRUE(set.given("seed"));
  EXPECT_FALSE(set.given("port"));
  EXPECT_EQ(set.given_text(),
            "name=from-env (environment XBIND_NAME) "
            "hop-timeout-ms=100 (command line) seed=3 (" +
                path + " line 3) peer=y (environment XBIND_PEER)");
}

TEST_F(Daemon, AFlagOfTheFileIsTurnedOffOnTheCommandLine) {
  const char* config = file("watch = true\n");
  ASSERT_EQ(load({"--watch=false", "--config", config}), std::nullopt);
  EXPECT_FALSE(watch);
}

TEST_F(Daemon, LoadingAgainStartsFromTheDefaults) {
  ASSERT_EQ(load({"--name", "t2", "--watch"}), std::nullopt);
  ASSERT_EQ(load({}), std::nullopt);
  EXPECT_EQ(name, "t1");
  EXPECT_FALSE(watch);
  EXPECT_FALSE(set.given("name"));
}

TEST_F(Daemon, ARefusedLoadChangesNothing) {
  ASSERT_EQ(load({"--name", "t2"}), std::nullopt);
  EXPECT_THAT(refusal({"--name", "t3", "--peer", ","}), HasSubstr("empty value"));
  EXPECT_EQ(name, "t2");
}

TEST_F(Daemon, VariablesOfOtherProgramsAreIgnored) {
  environment = {{"XBIND_THRESHOLD", "regions"}, {"XBIND_CONFIG", "/nowhere"}};
  EXPECT_EQ(load({}), std::nullopt);
}

TEST_F(Daemon, ABadVariableIsRefusedOnlyWhenItIsUsed) {
  environment = {{"XBIND_HOP_TIMEOUT_MS", "soon"}};
  EXPECT_EQ(refusal({}),
            "xbind-trial: option --hop-timeout-ms (environment XBIND_HOP_TIMEOUT_MS): 'soon' is "
            "not a whole number (range: 10 to 60000)");
  EXPECT_EQ(load({"--hop-timeout-ms", "50"}), std::nullopt);
  environment = {{"XBIND_HOP_TIMEOUT_MS", ""}};
  EXPECT_THAT(refusal({}), HasSubstr("'' is not a whole number"));
}

TEST_F(Daemon, NumbersOutOfBoundsAreRefusedWithTheBounds) {
  EXPECT_EQ(refusal({"--hop-timeout-ms", "9"}),
            "xbind-trial: option --hop-timeout-ms (command line): 9 is out of the range 10 to "
            "60000");
  EXPECT_THAT(refusal({"--hop-timeout-ms", "60001"}), HasSubstr("60001 is out of the range"));
  EXPECT_THAT(refusal({"--port", "65536"}), HasSubstr("65536 is out of the range 1 to 65535"));
  EXPECT_THAT(refusal({"--seed", "18446744073709551616"}),
              HasSubstr("18446744073709551616 is out of the range 0 to 18446744073709551615"));
  EXPECT_THAT(refusal({"--overbooking", "4.01"}), HasSubstr("4.01 is out of the range 0.5 to 4"));
  EXPECT_THAT(refusal({"--offset", "1e999"}), HasSubstr("1e999 is out of the range of finite"));
  EXPECT_THAT(refusal({"--offset", "inf"}), HasSubstr("inf is out of the range of finite"));
}

TEST_F(Daemon, WhatIsNoNumberIsRefused) {
  for (const char* text : {"-5", "+5", "5s", "0x10", "1e3", " 5", "5.0", ""}) {
    EXPECT_THAT(refusal({"--hop-timeout-ms", text}),
                HasSubstr(std::string("'") + text + "' is not a whole number"));
  }
  for (const char* text : {"fast", "1.5x", "nan", ""}) {
    EXPECT_THAT(refusal({"--overbooking", text}),
                HasSubstr(std::string("'") + text + "' is not a number (range: 0.5 to 4)"));
  }
}

TEST_F(Daemon, OtherBadValuesAreRefused) {
  EXPECT_THAT(
      refusal({"--engine", "fast"}),
      HasSubstr("option --engine (command line): 'fast' is not one of sequential, threaded, "
                "xbind"));
  EXPECT_THAT(refusal({"--durability", "Disk"}),
              HasSubstr("'Disk' is not one of none, process, disk"));
  EXPECT_THAT(refusal({"--watch=maybe"}), HasSubstr("'maybe' is neither true nor false"));
  EXPECT_THAT(refusal({"--peer", "a,,b"}), HasSubstr("'a,,b' has an empty value"));
  EXPECT_THAT(refusal({"--peer", ""}), HasSubstr("'' has an empty value"));
}

TEST_F(Daemon, MissingAndSuperfluousValuesAreRefused) {
  EXPECT_THAT(refusal({"--name"}), HasSubstr("'--name' is missing"));
  EXPECT_THAT(refusal({"--name", "--seed", "1"}),
              HasSubstr("value of option --name is missing before --seed"));
  EXPECT_THAT(refusal({"--config", "--watch"}),
              HasSubstr("value of option --config is missing before --watch"));
  EXPECT_THAT(refusal({"--name="}), HasSubstr("'--name'"));
  EXPECT_THAT(refusal({"--help=yes"}), HasSubstr("'--help' does not take any arguments"));
  ASSERT_EQ(load({"--name", ""}), std::nullopt);
  EXPECT_EQ(name, "");
}

TEST_F(Daemon, AValueMayLookLikeANumberOrAnUnknownOption) {
  ASSERT_EQ(load({"--name", "-x"}), std::nullopt);
  EXPECT_EQ(name, "-x");
  ASSERT_EQ(load({"--name=--seed"}), std::nullopt);
  EXPECT_EQ(name, "--seed");
}

TEST_F(Daemon, AValueGivenTwiceIsRefused) {
  EXPECT_THAT(refusal({"--seed", "1", "--seed", "1"}),
              HasSubstr("option --seed is given twice: 1 and 1"));
  EXPECT_THAT(refusal({"--watch", "--watch"}), HasSubstr("option --watch is given twice"));
  EXPECT_THAT(refusal({"--config", "a", "--config", "b"}),
              HasSubstr("option --config is given twice: a and b"));
  const char* config = file("seed = 1\nname = \"x\"\nseed = 2\n");
  EXPECT_THAT(
      refusal({"--config", config}),
      AllOf(HasSubstr(path + " line 3: "), HasSubstr("cannot redefine"), HasSubstr("'seed'")));
  config = file("watch = true\nwatch = true\n");
  EXPECT_THAT(refusal({"--config", config}),
              AllOf(HasSubstr(" line 2: "), HasSubstr("'watch'"), Not(HasSubstr("quotes"))));
}

TEST_F(Daemon, UnknownOptionsAreRefusedWithTheNearestName) {
  EXPECT_THAT(refusal({"--hop-timout-ms", "5"}),
              HasSubstr("unknown option --hop-timout-ms; did you mean hop-timeout-ms?"));
  EXPECT_THAT(refusal({"--hop_timeout_ms=5"}), HasSubstr("did you mean hop-timeout-ms?"));
  // An abbreviation is not accepted.
  EXPECT_THAT(refusal({"--hop"}), HasSubstr("unknown option --hop"));
  EXPECT_THAT(refusal({"--colour", "red"}),
              AllOf(HasSubstr("unknown option --colour"), Not(HasSubstr("did you mean"))));
  EXPECT_THAT(
      refusal({"-name", "x"}),
      HasSubstr("unknown option -name; options begin with two hyphens; did you mean name?"));
}

TEST_F(Daemon, UnknownOptionsOfAFileAreRefusedWithTheirLine) {
  const char* config = file("name = \"x\"\n\n# here\nsede = 3\n");
  EXPECT_EQ(refusal({"--config", config}),
            "xbind-trial: " + path + " line 4: unknown option sede; did you mean seed?");
  config = file("config = \"other\"\n");
  EXPECT_THAT(refusal({"--config", config}), HasSubstr("line 1: unknown option config"));
}

TEST_F(Daemon, ABadValueOfAFileIsRefusedEvenWhenOverridden) {
  const char* config = file("name = \"x\"\nport = 65536\n");
  EXPECT_THAT(
      refusal({"--config", config, "--port", "1"}),
      HasSubstr("option --port (" + path + " line 2): 65536 is out of the range 1 to 65535"));
  config = file("engine = \"fast\"\n");
  EXPECT_THAT(refusal({"--config", config}), HasSubstr("line 1): 'fast' is not one of sequential"));
}

TEST_F(Daemon, AValueOfAnotherKindIsRefusedWithTheWayToWriteIt) {
  const std::map<std::string, std::string> files{
      {"name = 5\n", "option name takes text, not a whole number; write name = \"5\""},
      {"engine = true\n", "option engine takes text, not true or false; write engine = \"true\""},
      {"seed = \"4\"\n", "option seed takes a whole number, not text; write seed = 4"},
      {"seed = \"many\"\n", "option seed takes a whole number, not text"},
      {"seed = 4.0\n", "option seed takes a whole number, not a number"},
      {"overbooking = \"2\"\n",
       "option overbooking takes a number, not text; write overbooking = 2"},
      {"watch = \"true\"\n", "option watch takes true or false, not text; write watch = true"},
      {"watch = 1\n", "option watch takes true or false, not a whole number"},
      {"name = [\"a\"]\n", "option name takes text, not a list of texts"},
      {"peer = \"a\"\n", "option peer takes a list of texts, not text; write peer = [\"a\"]"},
      {"peer = [1]\n", "peer has an element that is not text; write peer = [\"...\"]"},
      {"peer = [\"a,b\"]\n", "'a,b' of peer has a comma in it; write it as two elements"},
      {"peer = []\n", "peer is an empty list; leave it out"},
      {"name = 2026-01-02\n",
       "name is a date or a time, which no option takes; write text in quotes"},
  };
  for (const auto& [text, sentence] : files) {
    const std::string reported = refusal({"--config", file("# first\n" + text)});
    EXPECT_THAT(reported, ::testing::StartsWith("xbind-trial: " + path + " line 2: "));
    EXPECT_THAT(reported, ::testing::EndsWith(sentence));
  }
}

TEST_F(Daemon, TextWithoutQuotesIsRefusedWithTheWayToWriteIt) {
  const std::map<std::string, std::string> files{
      {"name = x\n", "name = \"x\""},
      {"  engine=sequential  # the paper's\n", "engine = \"sequential\""},
      {"name = tcp:1.2.3.4:5\r\n", "name = \"tcp:1.2.3.4:5\""},
      {"peer = a,b\n", "peer = \"a,b\""},
      {"name = 10.0.0.1:6068\n", "name = \"10.0.0.1:6068\""},
  };
  for (const auto& [text, meant] : files) {
    EXPECT_THAT(refusal({"--config", file("seed = 1\n" + text)}),
                AllOf(HasSubstr(path + " line 2: not TOML: "),
                      ::testing::EndsWith("; text needs quotes: " + meant)));
  }
}

TEST_F(Daemon, MalformedLinesOfAFileAreRefused) {
  const std::map<std::string, std::string> files{
      {"name\n", "line 1: not TOML: "},
      {"\n= 5\n", "line 2: not TOML: "},
      {"seed = 1\n[cmgr]\nname = \"x\"\n",
       "line 2: sections and other tables are not known here: [cmgr]"},
      {"[[peer]]\nname = \"x\"\n", "line 1: sections and other tables are not known here: [peer]"},
      {"name.first = \"x\"\n", "line 1: sections and other tables are not known here: [name]"},
      {"name = \"x\nseed = 1\n", "line 1: not TOML: "},
      {"name = \"x\" y\n", "line 1: not TOML: "},
      {"seed =\n", "line 1: not TOML: "},
      {"seed = 18446744073709551615\n", "line 1: not TOML: "},
  };
  for (const auto& [text, sentence] : files) {
    EXPECT_THAT(refusal({"--config", file(text)}),
                AllOf(HasSubstr(path + " " + sentence), Not(HasSubstr("needs quotes"))));
  }
}

TEST_F(Daemon, AFileThatCannotBeReadIsRefused) {
  EXPECT_THAT(refusal({"--config", "/nowhere/at-all"}),
              HasSubstr("cannot read /nowhere/at-all: No such file"));
  const std::string folder = ::testing::TempDir();
  EXPECT_THAT(refusal({"--config", folder.c_str()}), HasSubstr("Is a directory"));
  const char* config = file(std::string((1 << 20) + 1, '\n'));
  EXPECT_THAT(refusal({"--config", config}), HasSubstr("is longer than 1048576 octets"));
}

TEST_F(Daemon, StrayArgumentsAreRefused) {
  EXPECT_THAT(refusal({"up"}), HasSubstr("stray argument 'up': xbind-trial takes options only"));
  EXPECT_THAT(refusal({"--watch", "true"}), HasSubstr("stray argument 'true'"));
  EXPECT_THAT(refusal({"--", "--watch"}), HasSubstr("stray argument '--watch'"));
}

TEST_F(Daemon, DeclaredArgumentsAreTakenAndCounted) {
  std::vector<std::string> arguments;
  set.take_arguments("FROM TO", &arguments, 2, 2);
  ASSERT_EQ(load({"a", "--seed", "4", "--", "-b"}), std::nullopt);
  EXPECT_THAT(arguments, ElementsAre("a", "-b"));
  EXPECT_EQ(seed, 4u);
  EXPECT_THAT(refusal({"a"}), HasSubstr("1 of 2 arguments given; expected FROM TO"));
  EXPECT_THAT(refusal({"a", "b", "c"}),
              HasSubstr("stray argument 'c': at most 2 may be given (FROM TO)"));
  EXPECT_THAT(load({"--help"})->text, HasSubstr("Usage: xbind-trial [options] FROM TO"));
}

TEST_F(Daemon, OptionsOfTheOrbAreLeftAlone) {
  const std::vector<const char*> arguments{
      "-ORBInitRef", "NameService=corbaname::1.2.3.4", "--name", "t2", "-ORBtraceLevel", "--seed",
      "-ORBx"};
  ASSERT_EQ(load(arguments), std::nullopt);  // "--seed" is the value of -ORBtraceLevel here
  EXPECT_EQ(name, "t2");
  EXPECT_FALSE(set.given("seed"));
}

TEST_F(Daemon, ARequiredOptionMustComeFromSomewhere) {
  set.require("name");
  EXPECT_EQ(refusal({}),
            "xbind-trial: option --name must be given: Name bound in the name service.");
  environment = {{"XBIND_NAME", "t5"}};
  EXPECT_EQ(load({}), std::nullopt);
  environment.clear();
  EXPECT_EQ(load({"--help"})->code, 0);
  EXPECT_THAT(load({"--print-options"})->text, HasSubstr("| `--name` | must be given |"));
}

TEST_F(Daemon, ChecksSeeTheLoadedValues) {
  set.add_check([this]() -> std::optional<std::string> {
    if (seed < hop_timeout_ms) return std::nullopt;
    return "option --seed = " + std::to_string(seed) + " is not below --hop-timeout-ms";
  });
  EXPECT_EQ(load({"--seed", "1999"}), std::nullopt);
  EXPECT_THAT(refusal({"--seed", "2000"}), HasSubstr("--seed = 2000 is not below"));
  EXPECT_THAT(refusal({"--seed", "2000", "--check-config"}), HasSubstr("is not below"));
}

TEST_F(Daemon, CheckConfigJudgesEverythingAndDoesNotRun) {
  const auto exit = load({"--check-config", "--config", file("seed = 4\n")});
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
  EXPECT_EQ(exit->text, "xbind-trial: all options are right\n");
  EXPECT_THAT(refusal({"--check-config", "--config", file("seed = -4\n")}),
              HasSubstr("line 1): '-4' is not a whole number"));
}

TEST_F(Daemon, HelpNamesEveryOptionWithDefaultAndBounds) {
  environment = {{"XBIND_SEED", "broken"}};  // help must be shown nevertheless
  const auto exit = load({"--help"});
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
  EXPECT_THAT(exit->text, HasSubstr("xbind-trial: Tries every kind of option."));
  EXPECT_THAT(exit->text, HasSubstr("--hop-timeout-ms N"));
  EXPECT_THAT(exit->text, HasSubstr("(default 2000; 10 to"));
  EXPECT_THAT(exit->text, HasSubstr("--watch "));
  EXPECT_THAT(exit->text, HasSubstr("--config FILE"));
  EXPECT_THAT(exit->text, Not(HasSubstr("print-options")));
}

TEST_F(Daemon, VersionNamesTheProgram) {
  const auto exit = load({"--version"});
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
  EXPECT_THAT(exit->text, ::testing::MatchesRegex("xbind-trial [0-9.]+ \\(OpenXbind\\)\n"));
}

TEST(OptionSetTest, PrintOptionsWritesAMarkdownTable) {
  OptionSet set("xbind-callgen run", "Generates calls.");
  std::string text;
  std::uint64_t calls = 0;
  bool keep = false;
  set.add_string("json", &text, "", "File for the summary | a path.");
  set.add_uint("calls", &calls, 2000, {1, 1000000}, "Calls to set up.");
  set.add_flag("keep", &keep, "Leave the lab up.");
  const char* argv[] = {"run", "--print-options"};
  const auto exit = set.load(2, argv, [](const std::string&) { return std::nullopt; });
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
  EXPECT_EQ(exit->text,
            "## xbind-callgen run\n\nGenerates calls.\n\n"
            "| option | default | range | meaning |\n| --- | --- | --- | --- |\n"
            "| `--json` | empty | any | File for the summary \\| a path. |\n"
            "| `--calls` | `2000` | 1 to 1000000 | Calls to set up. |\n"
            "| `--keep` | `false` | true or false | Leave the lab up. |\n");
}

TEST(OptionSetDeathTest, MistakesInADeclarationAreOurBugs) {
  std::uint16_t target = 0;
  OptionSet set("xbind-trial", "Tries.");
  set.add_uint("once", &target, 1, {0, 9}, "A number.");
  EXPECT_DEATH(set.add_uint("once", &target, 1, {0, 9}, "A number."), "option.name = once");
  EXPECT_DEATH(set.add_uint("big", &target, 1, {0, 70000}, "A number."), "big; 70000; 65535");
  EXPECT_DEATH(set.add_uint("default", &target, 10, {0, 9}, "A number."), "default; 10");
  EXPECT_DEATH(set.add_uint("Bad_name", &target, 1, {0, 9}, "A number."), "Bad_name");
  EXPECT_DEATH(set.add_uint("version", &target, 1, {0, 9}, "A number."), "version");
  EXPECT_DEATH(set.require("never"), "never");
}

TEST(LoadOrExplainTest, PrintsAndReturnsTheExitCode) {
  OptionSet set("xbind-trial", "Tries.");
  const char* run[] = {"xbind-trial"};
  EXPECT_EQ(load_or_explain(set, 1, run), std::nullopt);
  const char* version[] = {"xbind-trial", "--version"};
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(load_or_explain(set, 2, version), 0);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("xbind-trial "));
  const char* wrong[] = {"xbind-trial", "--wrong"};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(load_or_explain(set, 2, wrong), 2);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("unknown option --wrong"));
  const char* escape[] = {"xbind-trial", "\x1b[31m"};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(load_or_explain(set, 2, escape), 2);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("'\\x1b[31m'"));
}

TEST(NearestNameTest, FewestDifferencesWinAndFarNamesAreNotMeant) {
  const std::vector<std::string> known{"rate", "hold", "seed", "hop-timeout-ms"};
  EXPECT_EQ(nearest_name("rat", known), "rate");
  EXPECT_EQ(nearest_name("sede", known), "seed");
  EXPECT_EQ(nearest_name("hopp-timeuot-ms", known), "hop-timeout-ms");
  EXPECT_EQ(nearest_name("completely", known), std::nullopt);
  EXPECT_EQ(nearest_name("x", known), std::nullopt);
  EXPECT_EQ(nearest_name("", known), std::nullopt);
}

}  // namespace
}  // namespace xbind::config
