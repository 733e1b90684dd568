#include "ovs/openflow/match.hpp"

#include <gtest/gtest.h>

#include "tests/unit/ovs/openflow/golden.hpp"

namespace xbind::ovs::openflow {
namespace {

Decoded<Match> decode_hex(std::string_view hex) {
  const wire::Buffer octets = test::from_hex(hex);
  wire::Reader in(octets);
  auto match = decode_match(in);
  EXPECT_TRUE(!match || in.remaining() == 0);
  return match;
}

std::string hex_of(const Match& match) {
  wire::Buffer out;
  wire::Writer writer(out);
  encode(match, writer);
  return test::to_hex(out);
}

DecodeError match_refusal(std::string_view hex) {
  const auto match = decode_hex(hex);
  EXPECT_FALSE(match);
  return match ? DecodeError{} : match.error();
}

TEST(Match, TakesEveryPacketWhenEmpty) {
  EXPECT_EQ(hex_of(Match{}), "00010004 00000000");
  EXPECT_EQ(decode_hex("00010004 00000000"), Match{});
}

TEST(Match, TellsUntaggedFromATag) {
  EXPECT_EQ(hex_of({.vlan_vid = kVlanUntagged}), "0001000a 80000c02 00000000 00000000");
  EXPECT_EQ(hex_of({.vlan_vid = 100}), "0001000a 80000c02 10640000 00000000");
  EXPECT_EQ(decode_hex("0001000a 80000c02 00000000 00000000"), Match{.vlan_vid = kVlanUntagged});
  EXPECT_EQ(decode_hex("0001000a 80000c02 10640000 00000000"), Match{.vlan_vid = 100});
}

TEST(Match, SendsAPrefixWithoutTheBitsBeyondIt) {
  EXPECT_EQ(hex_of({.ipv4_dst = Ipv4Prefix{.address = 0x0a0102ff, .bits = 24}}),
            "00010010 80001908 0a010200 ffffff00");
  EXPECT_EQ(hex_of({.ipv4_dst = Ipv4Prefix{.address = 0x0a0102ff}}),
            "0001000c 80001804 0a0102ff 00000000");
}

// A field with a value, mask or class that Match does not have is a stranger's, not an error. The
// fields that it has are there.
TEST(Match, IsForeignWithAnythingElse) {
  const auto foreign = [](std::string_view field) {
    wire::Buffer octets = test::from_hex("00010000 80000004 00000001");
    const wire::Buffer more = test::from_hex(field);
    octets.insert(octets.end(), more.begin(), more.end());
    octets[3] = static_cast<std::byte>(octets.size());
    octets.resize((octets.size() + 7) / 8 * 8);
    wire::Reader in(octets);
    const auto match = decode_match(in);
    return match && match->foreign && match->in_port == 1;
  };
  EXPECT_TRUE(foreign("80001401 06")) << "IP protocol";
  EXPECT_TRUE(foreign("80000d04 10001000")) << "any VLAN tag";
  EXPECT_TRUE(foreign("80000c02 1000")) << "a priority tag";
  EXPECT_TRUE(foreign("80000c02 1fff")) << "VLAN id 4095";
  EXPECT_TRUE(foreign("80000c02 0064")) << "a VLAN id without its tag";
  EXPECT_TRUE(foreign("80004404 00100000")) << "a label of 21 bits";
  EXPECT_TRUE(foreign("80001908 0a000000 ff00ff00")) << "a mask with a hole";
  EXPECT_TRUE(foreign("80000004 00000002")) << "a second port";
  EXPECT_TRUE(foreign("00010004 00000002")) << "a class of Nicira";
}

TEST(Match, RefusesLengthsThatDoNotFit) {
  EXPECT_EQ(match_refusal("0001"), (DecodeError{Refusal::kTruncated, 2}));
  EXPECT_EQ(match_refusal("00000004 00000000"), (DecodeError{Refusal::kMatchType, 0}));
  EXPECT_EQ(match_refusal("00010003 00000000"), (DecodeError{Refusal::kMatchLength, 3}));
  EXPECT_EQ(match_refusal("0001000c 80000004 00000001"), (DecodeError{Refusal::kMatchLength, 12}));
  EXPECT_EQ(match_refusal("0001000a 80000002 00010000 00000000"),
            (DecodeError{Refusal::kFieldLength, 2}));
  EXPECT_EQ(match_refusal("0001000c 80000005 00000001 00000000"),
            (DecodeError{Refusal::kFieldLength, 5}));
}

TEST(MatchDeathTest, RefusesValuesBeyondTheirRange) {
  EXPECT_DEATH(hex_of({.mpls_label = kMplsLabelMax + 1}), "mpls_label");
  EXPECT_DEATH(hex_of({.vlan_vid = kVlanMax + 1}), "vlan_vid");
  EXPECT_DEATH(hex_of({.ipv4_dst = Ipv4Prefix{.bits = 33}}), "bits");
  EXPECT_DEATH(hex_of({.foreign = true}), "foreign");
}

}  // namespace
}  // namespace xbind::ovs::openflow
