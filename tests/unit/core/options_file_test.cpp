#include "core/config/options_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/unquoted_text.hpp"

namespace xbind::config {
namespace {

using ::testing::ElementsAre;

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
