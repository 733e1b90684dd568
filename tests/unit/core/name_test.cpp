#include "core/name.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace xbind {
namespace {

using namespace std::string_literals;

std::string fault(const std::string& name) {
  const auto checked = check_name("client", name);
  EXPECT_EQ(is_name(name), checked.has_value());
  if (checked) return "";
  EXPECT_EQ(checked.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(printable(checked.error().text, 8'192), checked.error().text);
  return checked.error().text;
}

TEST(Name, OrdinaryNamesAreTaken) {
  for (const std::string name : {"a", "host-a", "Duesseldorf", "switch-1", "callgen-4711-2",
                                 "st.-louis", "voice_g711", "alice@ward-7:5060", "A+B", "7"}) {
    EXPECT_EQ(fault(name), "");
  }
  EXPECT_EQ(fault(std::string(kNameOctetsMax, 'x')), "");
}

TEST(Name, WhatIsNoNameIsRefusedByItsValue) {
  EXPECT_EQ(fault(""), "the client '' is no name: it is empty");
  EXPECT_EQ(fault(std::string(64, 'x')),
            "the client '" + std::string(64, 'x') + "' is no name: 64 octets are more than 63");
  EXPECT_EQ(fault("a\nb"),
            "the client 'a\\nb' is no name: '\\n' at octet 2 is none of A-Z a-z 0-9 . - _ : @ +");
  EXPECT_EQ(fault("-a"), "the client '-a' is no name: it does not begin with a letter or a digit");
  for (const std::string& name :
       {"a b"s, "a/b"s, "a\\b"s, "a'b"s, "\xc3\xbc"s, "a\0b"s, "\x1b[2J"s}) {
    EXPECT_NE(fault(name), "") << name;
  }
}

TEST(Name, AHugeOneIsNotRepeatedInTheRefusal) {
  const std::string text = fault(std::string(100'000, 'x'));
  EXPECT_LT(text.size(), 200U);
  EXPECT_NE(text.find("... (100000 octets)"), std::string::npos) << text;
}

TEST(Printable, ControlCharactersAndWhatIsNotUtf8AreEscaped) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"plain text", "plain text"},
      {"", ""},
      {"a\nb\tc\rd", "a\\nb\\tc\\rd"},
      {"\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"},
      {"nul \0 del \x7f"s, "nul \\x00 del \\x7f"},
      {"Zürich, 東京, \U0001f600", "Zürich, 東京, \U0001f600"},
      {"\xff\xfe", "\\xff\\xfe"},
      {"cut \xe6\x9d", "cut \\xe6\\x9d"},
      {"overlong \xc0\xaf \xe0\x80\xaf", "overlong \\xc0\\xaf \\xe0\\x80\\xaf"},
      {"half \xed\xa0\x80", "half \\xed\\xa0\\x80"},
      {"beyond \xf4\x90\x80\x80", "beyond \\xf4\\x90\\x80\\x80"},
      {"C1 \xc2\x9b", "C1 \\u009b"},
      {"from right \u202e to left", "from right \\u202e to left"},
      {"no width\u200b", "no width\\u200b"},
      {"tag \U000e0041", "tag \\U000e0041"},
      {"line\u2028", "line\\u2028"},
      {R"(C:\temp)", R"(C:\temp)"},
  };
  for (const auto& [raw, wanted] : cases) {
    EXPECT_EQ(printable(raw), wanted);
    EXPECT_EQ(printable(wanted), wanted) << "a second time changes nothing";
  }
}

TEST(Printable, LengthIsBoundedAndTheCutIsSaid) {
  EXPECT_EQ(printable(std::string(80, 'x')), std::string(80, 'x'));
  EXPECT_EQ(printable(std::string(81, 'x')), std::string(65, 'x') + "... (81 octets)");
  for (const std::size_t most : {40U, 41U, 42U, 80U, 8192U}) {
    for (const std::string& piece : {"x"s, "\n"s, "東"s, "\xff"s, "\U000e0041"s}) {
      std::string text;
      while (text.size() < 20'000) text += piece;
      const std::string shown = printable(text, most);
      EXPECT_LE(shown.size(), most);
      EXPECT_GT(shown.size() + 12, most);
      EXPECT_TRUE(shown.ends_with(fmt::format("... ({} octets)", text.size()))) << shown;
      EXPECT_EQ(printable(shown, most), shown) << "cut between characters";
    }
  }
}

TEST(Printable, EveryOctetAloneIsHarmlessAfterwards) {
  for (int octet = 0; octet < 256; ++octet) {
    const std::string raw(1, static_cast<char>(octet));
    EXPECT_TRUE(plainly_printable(printable(raw))) << octet;
  }
}

TEST(Fail, ItsTextIsPrintableAndBoundedWhateverItQuotes) {
  EXPECT_EQ(fail(ErrorCode::kBadInput, "port '{}'", "1\n\xff").value().text, "port '1\\n\\xff'");
  const std::string text = fail(ErrorCode::kBadInput, "{}", std::string(20'000, '\0')).value().text;
  EXPECT_LE(text.size(), kRefusalOctetsMax);
  EXPECT_TRUE(text.ends_with("... (20000 octets)")) << text;
}

}  // namespace
}  // namespace xbind
