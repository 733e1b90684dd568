#include "core/label_text.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

TEST(LabelText, ALabelOfEitherKind) {
  EXPECT_EQ(parse_label("0/32"), atm_label(0, 32));
  EXPECT_EQ(parse_label("4095/65535"), atm_label(4095, 65535));
  EXPECT_EQ(parse_label("mpls:1000"), (Label{LabelKind::kMpls, 1000}));
  EXPECT_EQ(parse_label("mpls 16"), (Label{LabelKind::kMpls, 16}));
}

TEST(LabelText, ARangeOfEitherKind) {
  EXPECT_EQ(parse_label_range("0-1/32-1023"), atm_range(0, 1, 32, 1023));
  EXPECT_EQ(parse_label_range("7/32-99"), atm_range(7, 7, 32, 99));
  EXPECT_EQ(parse_label_range("mpls:16-1048575"), mpls_range(16, 1048575));
  EXPECT_EQ(parse_label_range("mpls 20"), mpls_range(20, 20));
}

TEST(LabelText, WrittenAndReadAgainItIsTheSame) {
  for (const Label label : {atm_label(3, 99), Label{LabelKind::kMpls, 0xfffff}}) {
    EXPECT_EQ(parse_label(to_word(label)), label);
    EXPECT_EQ(parse_label(to_string(label)), label);
  }
  for (const LabelRange& range : {atm_range(0, 3, 32, 65535), mpls_range(16, 99)}) {
    EXPECT_EQ(parse_label_range(to_word(range)), range);
    EXPECT_EQ(parse_label_range(to_string(range)), range);
  }
}

TEST(LabelText, WhatIsNoneIsRefusedWithItsText) {
  for (const char* text :
       {"", "32", "0/", "/32", "4096/32", "0/65536", "0/32/1", "mpls", "mpls:", "mpls:15",
        "mpls:1048576", "mpls16", "MPLS:16", "0/32-33", "-1/32", "mpls:16-17", "0/32 "}) {
    const auto label = parse_label(text);
    ASSERT_FALSE(label.has_value()) << text;
    EXPECT_NE(label.error().text.find("'" + std::string(text) + "'"), std::string::npos);
  }
  EXPECT_EQ(parse_label("x").error(),
            (Error{ErrorCode::kBadInput,
                   "'x' is no label: VPI/VCI to 4095/65535, or mpls:16 to mpls:1048575"}));
  for (const char* text : {"", "0-1", "1-0/32", "0/33-32", "mpls:17-16", "mpls:15-20", "0-/32"})
    EXPECT_FALSE(parse_label_range(text).has_value()) << text;
}

}  // namespace
}  // namespace xbind
