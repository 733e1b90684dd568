#include "gsmp/gsmpdump/hex_text.hpp"

#include <gtest/gtest.h>

#include "tests/unit/gsmp/hex.hpp"

namespace xbind::gsmpdump {
namespace {

std::vector<std::string> messages(std::string_view text) {
  std::vector<std::string> out;
  const auto parsed = parse_hex(text);
  EXPECT_TRUE(parsed) << parsed.error().text;
  if (!parsed) return out;
  for (const wire::Buffer& message : *parsed) out.push_back(gsmp::test::to_hex(message));
  return out;
}

std::string refusal(std::string_view text) {
  const auto parsed = parse_hex(text);
  return parsed ? "none" : parsed.error().text;
}

using Texts = std::vector<std::string>;

TEST(HexText, BlanksLineEndsAndCommentsAreNoMatter) {
  EXPECT_EQ(messages("880c 0010\t03 4 1\r\n0200 # port configuration\n"),
            Texts{"880c0010 03410200"});
  EXPECT_EQ(messages("AbCdEf01"), Texts{"abcdef01"});
}

TEST(HexText, AnEmptyLineEndsAMessage) {
  EXPECT_EQ(messages("\n\n0102\n0304\n\n \n0506\n"), (Texts{"01020304", "0506"}));
  EXPECT_EQ(messages("0102\n# a comment is no empty line\n0304"), Texts{"01020304"});
}

TEST(HexText, NothingIsNoMessage) {
  EXPECT_EQ(messages(""), Texts{});
  EXPECT_EQ(messages("# only words\n\n"), Texts{});
}

TEST(HexText, RefusesWhatIsNoDigitAndHalfAnOctet) {
  EXPECT_EQ(refusal("0102\n03g4"), "'g' in line 2 is no hexadecimal digit");
  EXPECT_EQ(refusal("0x10"), "'x' in line 1 is no hexadecimal digit");
  EXPECT_EQ(refusal("010"), "half an octet before line 2");
  EXPECT_EQ(refusal("010\n\n0203"), "half an octet before line 2");
}

}  // namespace
}  // namespace xbind::gsmpdump
