// tests/golden/gsmp: octets (*.hex, with the TCP frame header) and their text (*.txt), in both
// directions. XBIND_REWRITE_GOLDEN=1 writes the text anew; a review shows the changes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/unit/gsmp/hex.hpp"

namespace xbind::gsmp {
namespace {

std::vector<std::string> golden_ids() {
  std::vector<std::string> ids;
  for (const auto& entry : std::filesystem::directory_iterator(test::golden_path(""))) {
    if (entry.path().extension() == ".hex") ids.push_back(entry.path().stem());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, ReadsAsItsWords) {
  const auto message = decode(test::golden_message(GetParam()));
  ASSERT_TRUE(message) << to_string(message.error());
  const std::string path = test::golden_path(GetParam() + ".txt");
  if (std::getenv("XBIND_REWRITE_GOLDEN") != nullptr)
    std::ofstream(path) << to_string(*message) << '\n';
  EXPECT_EQ(to_string(*message) + "\n", test::read_text(path));
}

TEST_P(Golden, IsWrittenAsItWasRead) {
  const auto message = decode(test::golden_message(GetParam()));
  ASSERT_TRUE(message) << to_string(message.error());
  EXPECT_EQ(test::to_hex(test::framed(*message)), test::to_hex(test::golden(GetParam())));
}

// Wherever the message is cut, its Length reveals it before a field beyond the end is read.
TEST_P(Golden, IsRefusedWhenCutShort) {
  const wire::Buffer whole = test::golden_message(GetParam());
  for (std::size_t octets = 0; octets < whole.size(); ++octets) {
    EXPECT_FALSE(decode(std::span(whole).first(octets))) << octets << " octets";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Golden, ::testing::ValuesIn(golden_ids()),
                         [](const auto& name) { return name.param; });

TEST(GoldenFolder, HoldsEveryWorkedMessage) { EXPECT_GE(golden_ids().size(), 56U); }

TEST(GoldenFolder, OnlyATypeThatIsGoneStaysOpaque) {
  std::vector<std::string> opaque;
  for (const std::string& id : golden_ids()) {
    const auto message = decode(test::golden_message(id));
    if (message && std::holds_alternative<Opaque>(*message)) opaque.push_back(id);
  }
  EXPECT_EQ(opaque, std::vector<std::string>{"F1"});
}

// Messages of other versions have no frame header. A SYN of version 2 is recognised by its number.
// Messages of version 1.1 are in v1_codec_test.cpp.
TEST(OtherVersions, AreDistinguishedAndRefused) {
  const auto refusal = [](const std::string& file) {
    const auto message = decode(test::from_hex(test::read_text(test::golden_path(file))));
    return message ? to_string(*message) : to_string(message.error());
  };
  EXPECT_EQ(refusal("v2/V4.hex"), "version 2, not 3 or 1");
}

}  // namespace
}  // namespace xbind::gsmp
