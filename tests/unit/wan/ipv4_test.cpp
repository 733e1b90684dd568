// Addresses, and whatever a device may bring that is no packet for the WAN.
#include "wan/ipv4.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/wan/wan_fixture.hpp"

namespace xbind::wan {
namespace {

using ::testing::HasSubstr;

TEST(Ipv4AddressTest, IsWrittenAsItIsRead) {
  for (const char* text : {"10.78.1.2", "1.0.0.0", "223.255.255.255", "192.168.0.1"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(to_string(*address), text);
  }
  EXPECT_EQ(parse_address("10.78.1.2")->value, 0x0a4e0102U);
}

TEST(Ipv4AddressTest, OtherTextsAreQuoted) {
  for (const char* text : {"", "10.78.1", "10.78.1.2.3", "10.78.1.256", "10.78.1.02", "10.78.1.-2",
                           "10..1.2", "10.78.1.2 ", "a.b.c.d", "10.78.1.0x1", "fd78::1"}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_THAT(address.error().text, HasSubstr(std::string("'") + text + "'"));
  }
  for (const char* text : {"0.1.2.3", "127.0.0.1", "224.0.0.1", "255.255.255.255"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
}

class Ipv4PacketTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kMtu = 1500;
  const Pair pair = pair_of("10.78.1.1", "10.78.2.1");

  // The packet with a changed octet, and its checksum right again.
  static Packet with(Packet packet, std::size_t at, std::uint32_t value) {
    packet[at] = static_cast<std::byte>(value);
    packet[10] = packet[11] = std::byte{0};
    const std::size_t header =
        std::min<std::size_t>(packet.size(), (std::to_integer<std::size_t>(packet[0]) & 15) * 4);
    const std::uint16_t sum = ipv4_checksum(std::span(packet).first(header));
    packet[10] = static_cast<std::byte>(sum >> 8);
    packet[11] = static_cast<std::byte>(sum & 255);
    return packet;
  }
  static Drop reason(const Packet& packet) {
    const auto read = read_packet(packet, kMtu);
    EXPECT_FALSE(read);
    return read ? Drop::kLost : read.error();
  }
};

TEST_F(Ipv4PacketTest, AddressesOfAWholePacket) {
  const auto read = read_packet(packet_of(pair, 100), kMtu);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, pair);
  EXPECT_TRUE(read_packet(packet_of(pair, kMtu), kMtu));
  // A header with four octets of options.
  EXPECT_TRUE(read_packet(with(packet_of(pair, 100), 0, 0x46), kMtu));
  // May not be fragmented: no fragment.
  EXPECT_TRUE(read_packet(with(packet_of(pair, 100), 6, 0x40), kMtu));
}

TEST_F(Ipv4PacketTest, WhateverElseHasAReason) {
  const Packet good = packet_of(pair, 100);
  EXPECT_EQ(reason({}), Drop::kEmpty);
  EXPECT_EQ(reason(with(good, 0, 0x60)), Drop::kIpv6);
  EXPECT_EQ(reason(with(good, 0, 0x05)), Drop::kNotIpv4);
  EXPECT_EQ(reason(Packet(good.begin(), good.begin() + 19)), Drop::kTruncated);
  EXPECT_EQ(reason(Packet(good.begin(), good.begin() + 99)), Drop::kTruncated);
  EXPECT_EQ(reason(with(good, 0, 0x44)), Drop::kBadHeader);  // a header of 16 octets
  EXPECT_EQ(reason(with(good, 3, 19)), Drop::kBadHeader);    // a total length below the header
  EXPECT_EQ(reason(with(good, 3, 99)), Drop::kBadHeader);    // an octet behind the packet
  Packet damaged = good;
  damaged[15] ^= std::byte{1};
  EXPECT_EQ(reason(damaged), Drop::kBadHeader);
  EXPECT_EQ(reason(packet_of(pair, kMtu + 1)), Drop::kAboveMtu);
  EXPECT_EQ(reason(with(good, 6, 0x20)), Drop::kFragment);  // more fragments
  EXPECT_EQ(reason(with(good, 7, 1)), Drop::kFragment);     // the second of two
}

TEST_F(Ipv4PacketTest, TheShortestHeaderWithoutItsOptions) {
  Packet packet = with(packet_of(pair, 24), 0, 0x4f);  // announces 60 octets of header
  EXPECT_EQ(reason(packet), Drop::kTruncated);
}

TEST(Ipv4ReasonTest, EachHasAWord) {
  for (std::size_t reason = 0; reason < kDrops; ++reason) {
    EXPECT_FALSE(to_string(static_cast<Drop>(reason)).empty());
  }
  EXPECT_EQ(to_string(Drop::kEmpty), "empty");
  EXPECT_EQ(to_string(Drop::kFragment), "fragment");
  EXPECT_EQ(to_string(Drop::kNoPath), "no-path");
  EXPECT_EQ(to_string(Drop::kDevice), "device");
  EXPECT_EQ(static_cast<std::size_t>(Drop::kDevice) + 1, kDrops);
}

}  // namespace
}  // namespace xbind::wan
