// The classes of edge ports: their text, and the labels of a port that has them.
#include "core/frame_classes.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

std::string refusal(const std::vector<std::string>& texts) {
  const auto classes = parse_frame_classes(texts);
  return classes ? "" : classes.error().text;
}

TEST(FrameClasses, APrefixContainsItsAddresses) {
  const Ipv4Prefix net{0x0a010000, 16};
  EXPECT_TRUE(net.contains(0x0a01ffff));
  EXPECT_FALSE(net.contains(0x0a020000));
  const Ipv4Prefix host{0x0a010203, 32};
  EXPECT_TRUE(host.contains(0x0a010203));
  EXPECT_FALSE(host.contains(0x0a010202));
  EXPECT_TRUE((Ipv4Prefix{0x80000000, 1}).contains(0xffffffff));
}

TEST(FrameClasses, ATextIsANumberAndItsPrefix) {
  EXPECT_EQ(parse_frame_class("0=1.2.3.4/32")->second, (Ipv4Prefix{0x01020304, 32}));
  const auto one = parse_frame_class("7=10.1.0.0/16");
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(*one, (std::pair<std::uint16_t, Ipv4Prefix>{7, {0x0a010000, 16}}));
  for (const char* text :
       {"", "7", "=10.0.0.0/8", "7=", "4096=10.0.0.0/8", "7=10.0.0.0/33", "7=10.0.0.0/0", "7=::/8",
        "x=10.0.0.0/8", "7=10.0.0/8", "7=10.0.0.0", "7=256.0.0.0/8", "7=010.0.0.0/8",
        "07=10.0.0.0/8", "7=10.0.0.0/08", "7=10.0.0.0.0/8", "7= 10.0.0.0/8"}) {
    EXPECT_FALSE(parse_frame_class(text).has_value()) << text;
  }
}

TEST(FrameClasses, RepetitionsAreRefused) {
  EXPECT_EQ(refusal({"7=10.1.0.0/16", "8=10.2.0.0/16"}), "");
  EXPECT_EQ(refusal({"7=10.1.0.0/16", "7=10.2.0.0/16"}), "7 comes twice");
  EXPECT_EQ(refusal({"7=10.1.0.0/16", "8=10.1.0.0/16"}), "7 and 8 take the same packets");
  EXPECT_EQ(refusal({"7=10.1.0.1/16"}), "'7=10.1.0.1/16' has bits beyond its prefix");
}

TEST(FrameClasses, APortHasAtMostSixteenRangesOfLabels) {
  std::vector<std::string> texts;
  for (int number = 0; number < 14; ++number)
    texts.push_back(std::to_string(2 * number) + "=10." + std::to_string(number) + ".0.0/16");
  EXPECT_EQ(refusal(texts), "");
  EXPECT_EQ(frame_labels(*parse_frame_classes(texts)).size(), kLabelRangesMax);
  texts.push_back("100=11.0.0.0/8");
  EXPECT_EQ(refusal(texts), "their numbers form more than 14 ranges; give neighbouring numbers");
}

TEST(FrameClasses, TheLabelsAreThePortTheVlansAndTheClasses) {
  EXPECT_EQ(to_string(frame_labels({})), "mpls 16-16, mpls 4097-8190");
  EXPECT_EQ(to_string(frame_labels({{0, {}}, {1, {}}, {5, {}}})),
            "mpls 16-16, mpls 4097-8190, mpls 8192-8193, mpls 8197-8197");
}

}  // namespace
}  // namespace xbind
