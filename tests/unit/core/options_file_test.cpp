#include "core/config/options_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/option_tables.hpp"
#include "core/config/unquoted_text.hpp"

namespace xbind::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(OptionsFileTest, SettingsComeInTheOrderOfTheFileWithKindAndLine) {
  const auto settings = parse_settings(
      "z = 'x#y' # z\nb = \"\"\nc = 0x10\n\nd = true\na = [\"p\", \"q\"]\ne = 1.50\n", "f", 1000);
  ASSERT_TRUE(settings.has_value()) << settings.error().text;
  std::vector<std::string> reported;
  for (const FileSetting& each : *settings) {
    reported.push_back(each.name + "=" + each.text + " " +
                       std::to_string(static_cast<int>(each.kind)) + " line " +
                       std::to_string(each.line));
  }
  EXPECT_THAT(reported, ElementsAre("z=x#y 0 line 1", "b= 0 line 2", "c=16 1 line 3",
                                    "d=true 3 line 5", "a=p,q 4 line 6", "e=1.5 2 line 7"));
}

// Also of undefined behaviour in toml++ 3.3, which the sanitizer build finds here.
TEST(OptionsFileTest, ARefusalIsSafeForATerminal) {
  const auto refusal = [](const std::string& text) {
    const auto settings = parse_settings(text, "f", 1000);
    return settings ? "accepted" : settings.error().text;
  };
  EXPECT_THAT(refusal("a = \xc3\xa9\n"), StartsWith("f line 1: not TOML: "));
  EXPECT_THAT(refusal("a = \x1b[31m\n"), HasSubstr("\\x1b[31m"));
  EXPECT_THAT(refusal("\"a\\u001b[31m\" = []"),
              StartsWith("f line 1: a\\x1b[31m is an empty list"));
  EXPECT_LT(refusal("\"" + std::string(900, '\x01') + "\" = []").size(), 1100U);
}

TEST(OptionTablesTest, TextWithAnOctet0IsRefusedNotCut) {
  const OptionTableKind kind{"switch", {"name"}, {}};
  const auto tables = read_option_tables("[[switch]]\nname = \"a\\u0000b\"\n", "f", kind);
  ASSERT_FALSE(tables.has_value());
  EXPECT_EQ(tables.error().text, "f line 2: 'name' has an octet 0 in its text");
}

TEST(UnquotedTextTest, OnlyTextWithoutQuotesIsMeant) {
  EXPECT_EQ(with_quotes("a = 1\nb = word", 2), "b = \"word\"");
  EXPECT_EQ(with_quotes("a = a#b # c\n", 1), "a = \"a#b\"");
  for (const char* line : {"", "a", "a =", "= b", "a b = c", "a = 5", "a = -1.5", "a = \"b",
                           "a = 'b", "a = [b]", "a = {b}", "a = b\"c", "a = b\\c", "a = # b"}) {
    EXPECT_EQ(with_quotes(line, 1), std::nullopt) << line;
  }
  EXPECT_EQ(with_quotes("a = b\n", 3), std::nullopt);
}

}  // namespace
}  // namespace xbind::config
