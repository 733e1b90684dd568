// Programs with several commands: which options each accepts, and the content of its help.
#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "core/config/options.hpp"

namespace xbind::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Control : public ::testing::Test {
 protected:
  Control() : set("xbind-trial", "Tries commands.") {
    set.add_uint("seed", &seed, 1, {0, 9}, "Of every command.");
    set.add_flag("all", &all, "Every one.");
    set.add_string("reason", &reason, "", "Why.");
    set.take_commands({{"drain", {"SWITCH", "[PORT]"}, "Takes it out of use.", {"reason"}},
                       {"drop", {"ID"}, "Ends one.", {"all", "reason"}},
                       {"list", {}, "Lists them.", {}},
                       {"set", {"WHAT", "[A]", "[B]"}, "Sets it.", {}}},
                      &words);
  }
  std::optional<Exit> load(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "xbind-trial");
    return set.load(static_cast<int>(arguments.size()), arguments.data(),
                    [this](const std::string& variable) -> std::optional<std::string> {
                      if (variable != "XBIND_REASON" || !from_environment) return std::nullopt;
                      return "x";
                    });
  }
  // The first line of the error, or "it is not refused".
  std::string refusal(const std::vector<const char*>& arguments) {
    const auto exit = load(arguments);
    if (!exit || exit->code != 2) return "it is not refused";
    return exit->text.substr(0, exit->text.find('\n'));
  }

  OptionSet set;
  std::uint64_t seed = 0;
  bool all = false;
  std::string reason;
  std::vector<std::string> words;
  bool from_environment = false;
};

TEST_F(Control, ACommandHasItsArguments) {
  EXPECT_EQ(load({"drain", "sw1"}), std::nullopt);
  EXPECT_THAT(words, ElementsAre("drain", "sw1"));
  EXPECT_EQ(load({"drain", "sw1", "2", "--reason", "paint"}), std::nullopt);
  EXPECT_EQ(reason, "paint");
  EXPECT_THAT(refusal({}), HasSubstr("expected COMMAND [argument...]"));
  EXPECT_THAT(refusal({"drain"}), HasSubstr("drain with 0 arguments; it is: drain SWITCH [PORT]"));
  EXPECT_THAT(load({"drain"})->text, HasSubstr("Try 'xbind-trial drain --help'.\n"));
  EXPECT_THAT(load({"drian"})->text, HasSubstr("Try 'xbind-trial --help'.\n"));
  EXPECT_THAT(refusal({"list", "x"}),
              HasSubstr("list with 1 argument, 'x' is too much; it is: list"));
  EXPECT_THAT(refusal({"drian", "sw1"}), HasSubstr("'drian' is no command; did you mean drain?"));
}

TEST_F(Control, ArgumentsInBracketsAtTheEndMayBeMissing) {
  for (const std::vector<const char*>& typed :
       {std::vector{"set", "x"}, {"set", "x", "1"}, {"set", "x", "1", "2"}}) {
    EXPECT_EQ(load(typed), std::nullopt);
    EXPECT_EQ(words.size(), typed.size());
  }
  EXPECT_THAT(refusal({"set"}), HasSubstr("set with 0 arguments; it is: set WHAT [A] [B]"));
  EXPECT_THAT(refusal({"set", "x", "1", "2", "3"}), HasSubstr("with 4 arguments, '3' is too much"));
}

TEST_F(Control, AnOptionOfOthersIsRefusedOnTheCommandLineAlone) {
  EXPECT_THAT(refusal({"list", "--reason", "x"}),
              HasSubstr("option --reason does not go with list; it goes with drain, drop"));
  EXPECT_EQ(load({"list", "--seed", "4"}), std::nullopt);  // a common option of all commands
  from_environment = true;                                 // which applies to all commands
  EXPECT_EQ(load({"list"}), std::nullopt);
}

TEST_F(Control, HelpOfACommandHasItsOwnOptionsAndThoseOfAll) {
  for (const char* const asked : {"--help", "-h"}) {
    const std::string one = load({"drop", asked})->text;
    EXPECT_THAT(one, HasSubstr("xbind-trial drop ID: Ends one.\n"));
    EXPECT_THAT(one, HasSubstr("Usage: xbind-trial [options] drop ID\n"));
    EXPECT_THAT(one, HasSubstr("Options of this command:\n  --all "));
    EXPECT_THAT(one, HasSubstr("Options of every command:\n"));
    EXPECT_THAT(one, HasSubstr("--seed N"));
    EXPECT_THAT(one, Not(HasSubstr("drain")));
    const std::string whole = load({asked})->text;
    EXPECT_THAT(whole, HasSubstr("\n  drain SWITCH [PORT]  Takes it out of use.\n"
                                 "  drop ID              Ends one.\n"));
    EXPECT_THAT(whole, Not(HasSubstr("--reason")));
    EXPECT_THAT(whole, HasSubstr("--seed N"));
  }
  EXPECT_THAT(load({"list", "-h"})->text, Not(HasSubstr("of this command")));
  const std::string table = load({"--print-options"})->text;
  EXPECT_THAT(table, HasSubstr("| `drain SWITCH [PORT]` | Takes it out of use. |\n"));
  EXPECT_THAT(table, HasSubstr("| `--reason` | drain, drop | empty | any | Why. |\n"));
  EXPECT_THAT(table, HasSubstr("| `--seed` | all |"));
}

TEST(GroupedCommands, AreListedBelowTheirTitlesAndALongOneInALineOfItsOwn) {
  OptionSet set("xbind-trial", "Tries commands.");
  std::vector<std::string> words;
  set.add_timers({"trial", {}});
  set.take_commands({{"list", {}, "Lists them.", {}},
                     {"change", {"ONE-THING", "ANOTHER-THING"}, "Changes it.", {}},
                     {"drop", {"ID"}, "Ends one.", {}}},
                    &words, {{"Change", {"drop", "change"}}, {"See", {"list"}}});
  const std::string help = set.help();
  EXPECT_THAT(help, HasSubstr("\nChange\n"
                              "  drop ID  Ends one.\n"
                              "  change ONE-THING ANOTHER-THING\n"
                              "           Changes it.\n"
                              "\nSee\n"
                              "  list     Lists them.\n"));
  EXPECT_THAT(help, HasSubstr("`xbind-trial --print-timers` lists the timers."));
}

TEST(GroupedCommandsDeathTest, ACommandWithoutAGroupIsOurMistake) {
  OptionSet set("xbind-trial", "Tries commands.");
  std::vector<std::string> words;
  EXPECT_DEATH(set.take_commands({{"list", {}, "Lists them.", {}}, {"drop", {}, "Ends one.", {}}},
                                 &words, {{"See", {"list"}}}),
               "grouped");
}

}  // namespace
}  // namespace xbind::config
