#include "core/config/variable_names.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "core/config/options.hpp"

namespace xbind::config {
namespace {

using testing::HasSubstr;

TEST(VariableNames, TheListIsSortedAndHasNoNameTwice) {
  const auto names = option_names();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(VariableNames, OptionsOfAnyProgramAndVariablesOfTestsAreKnown) {
  EXPECT_EQ(fault_of_variables({"XBIND_LOG_LEVEL", "XBIND_HOP_TIMER_MS", "XBIND_BIN_DIR",
                                "XBIND_SIM_SEED", "XBIND_WATCH_PID"},
                               {}),
            std::nullopt);
}

TEST(VariableNames, AProgramKnowsItsOwnOptionsBeforeTheyAreListed) {
  const std::vector<std::string> own{"XBIND_BRAND_NEW"};
  EXPECT_EQ(fault_of_variables({"XBIND_BRAND_NEW"}, own), std::nullopt);
  EXPECT_NE(fault_of_variables({"XBIND_BRAND_NEW"}, {}), std::nullopt);
}

TEST(VariableNames, AMisspeltOneIsRefusedWithTheNearestName) {
  EXPECT_EQ(fault_of_variables({"XBIND_LOG_LEVEL", "XBIND_LOG_LEVLE"}, {}),
            "the environment variable XBIND_LOG_LEVLE names no option of any program; did you mean "
            "XBIND_LOG_LEVEL?");
  EXPECT_EQ(fault_of_variables({"XBIND_ENTIRELY_SOMETHING_ELSE_AT_ALL"}, {}),
            "the environment variable XBIND_ENTIRELY_SOMETHING_ELSE_AT_ALL names no option of any "
            "program");
}

TEST(VariableNames, AProgramRefusesItWithCodeTwoButStillHelps) {
  std::string name;
  OptionSet set("program", "Tests.");
  set.add_string("name", &name, "", "A name.");
  const auto load = [&](const char* word) {
    const char* const argv[] = {"program", word};
    return set.load(word == nullptr ? 1 : 2, argv, [](const auto&) { return std::nullopt; },
                    {"XBIND_NAMME"});
  };
  const auto refused = load(nullptr);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->code, 2);
  EXPECT_THAT(refused->text, HasSubstr("XBIND_NAMME names no option"));
  EXPECT_THAT(refused->text, HasSubstr("did you mean XBIND_NAME?"));
  EXPECT_EQ(load("--check-config")->code, 2);
  EXPECT_EQ(load("--help")->code, 0);
}

}  // namespace
}  // namespace xbind::config
