// The mapping between the text of an attachment's traffic and the label at an edge port.
#include "core/frame_traffic.hpp"

#include <gtest/gtest.h>

#include <string>

namespace xbind {
namespace {

Label mpls(std::uint32_t value) { return {LabelKind::kMpls, value}; }

TEST(FrameTraffic, EachTextHasItsLabelAndEachLabelItsText) {
  const struct {
    const char* text;
    std::uint32_t label;
  } rows[] = {{"port", 16},       {"vlan 1", 4'097},  {"vlan 100", 4'196},   {"vlan 4094", 8'190},
              {"class 0", 8'192}, {"class 7", 8'199}, {"class 4095", 12'287}};
  for (const auto& row : rows) {
    const auto frames = FrameTraffic::parse(row.text);
    ASSERT_TRUE(frames.has_value()) << row.text;
    EXPECT_EQ(frames->label(), mpls(row.label)) << row.text;
    EXPECT_EQ(frames->text(), row.text);
    EXPECT_EQ(FrameTraffic::of(mpls(row.label)), *frames) << row.text;
  }
}

TEST(FrameTraffic, NoTextIsThePort) {
  EXPECT_EQ(FrameTraffic::parse("").value(), FrameTraffic{});
  EXPECT_EQ(FrameTraffic{}.text(), "port");
}

TEST(FrameTraffic, OtherTextsAreRefusedByValue) {
  for (const char* text : {"vlan", "vlan ", "vlan 0", "vlan 4095", "vlan 01", "vlan +1", "vlan -1",
                           "vlan 1 ", "vlan  1", "vlan 1a", "VLAN 1", "vlan 99999999999",
                           "class 4096", "class 00", "class", "port 1", " port", "ip 10.0.0.0/8"}) {
    const auto frames = FrameTraffic::parse(text);
    ASSERT_FALSE(frames.has_value()) << text;
    EXPECT_EQ(frames.error().code, ErrorCode::kBadInput) << text;
    EXPECT_EQ(frames.error().text, "the traffic '" + std::string{text} +
                                       "' is none of port, vlan 1..4094, class 0..4095");
  }
  EXPECT_EQ(FrameTraffic::parse("a\nb").error().text,
            "the traffic 'a\\nb' is none of port, vlan 1..4094, class 0..4095");
}

TEST(FrameTraffic, OtherLabelsStandForNoFrames) {
  for (const std::uint32_t value : {15U, 17U, 4'096U, 8'191U, 12'288U, kMplsLabelMax}) {
    EXPECT_EQ(FrameTraffic::of(mpls(value)), std::nullopt) << value;
  }
  EXPECT_EQ(FrameTraffic::of(atm_label(0, 16)), std::nullopt);
  EXPECT_EQ(FrameTraffic::of({}), std::nullopt);
}

}  // namespace
}  // namespace xbind
