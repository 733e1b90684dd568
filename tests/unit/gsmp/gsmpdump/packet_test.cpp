#include "gsmp/gsmpdump/packet.hpp"

#include <gtest/gtest.h>

#include "tests/unit/gsmp/gsmpdump/packets.hpp"

namespace xbind::gsmpdump {
namespace {

using namespace test;

std::string text(std::span<const std::byte> payload) {
  std::string out;
  for (const std::byte octet : payload) out += static_cast<char>(octet);
  return out;
}

TEST(Packet, IsATcpSegmentWithItsAddresses) {
  const wire::Buffer whole = ethernet(ipv4(tcp({40000, 6068, 77, 99, kAck | kFin}, octets("abc"))));
  const auto segment = parse_packet(LinkLayer::kEthernet, whole);
  ASSERT_TRUE(segment);
  EXPECT_EQ(segment->from, "10.0.0.1:40000");
  EXPECT_EQ(segment->to, "10.0.0.2:6068");
  EXPECT_EQ(segment->from_port, 40000);
  EXPECT_EQ(segment->to_port, 6068);
  EXPECT_EQ(segment->sequence, 77U);
  EXPECT_EQ(segment->acknowledges, 99U);
  EXPECT_TRUE(segment->ack && segment->fin);
  EXPECT_FALSE(segment->syn || segment->rst);
  EXPECT_EQ(text(segment->payload), "abc");
  EXPECT_EQ(segment->sent_octets, 3U);
}

TEST(Packet, OptionsOfTheTcpHeaderAreNoPayload) {
  const wire::Buffer whole = ipv4(tcp({}, octets("abc"), 12));
  const auto segment = parse_packet(LinkLayer::kIp, whole);
  ASSERT_TRUE(segment);
  EXPECT_EQ(text(segment->payload), "abc");
}

TEST(Packet, PaddingOfTheLinkLayerIsNoPayload) {
  wire::Buffer whole = ethernet(ipv4(tcp({}, octets("abc"))));
  whole.resize(whole.size() + 20);
  const auto segment = parse_packet(LinkLayer::kEthernet, whole);
  ASSERT_TRUE(segment);
  EXPECT_EQ(text(segment->payload), "abc");
}

TEST(Packet, BehindEveryLinkLayer) {
  const wire::Buffer packet = ipv4(tcp({}, octets("abc")));
  const auto behind = [&packet](std::size_t octets_before, std::initializer_list<int> type = {}) {
    wire::Buffer out(octets_before);
    for (const int octet : type) out.push_back(static_cast<std::byte>(octet));
    out.insert(out.end(), packet.begin(), packet.end());
    return out;
  };
  const std::pair<LinkLayer, wire::Buffer> all[] = {
      {LinkLayer::kEthernet, ethernet(packet)},
      {LinkLayer::kEthernet, ethernet(packet, 0x0800, 1)},
      {LinkLayer::kEthernet, ethernet(packet, 0x0800, 2)},
      {LinkLayer::kEthernet, ethernet(packet, 0x0800, 2, 0x9100)},
      {LinkLayer::kEthernet, ethernet(packet, 0x0800, 2, 0x9200)},
      {LinkLayer::kIp, packet},
      {LinkLayer::kLoopback, behind(4)},
      {LinkLayer::kLinuxAny, behind(14, {8, 0})},
      {LinkLayer::kLinuxAny2, behind(20)},
  };
  for (const auto& [link, whole] : all) {
    const auto segment = parse_packet(link, whole);
    ASSERT_TRUE(segment) << static_cast<int>(link);
    EXPECT_EQ(text(segment->payload), "abc");
  }
}

TEST(Packet, OfIpVersion6WithAndWithoutOptions) {
  const wire::Buffer plain = tcp({}, octets("abc"));
  const wire::Buffer without = ethernet(ipv6(plain), 0x86dd);
  auto segment = parse_packet(LinkLayer::kEthernet, without);
  ASSERT_TRUE(segment);
  EXPECT_EQ(segment->from, "[::1]:40000");
  EXPECT_EQ(segment->to, "[2001:db8::2]:6068");
  EXPECT_EQ(text(segment->payload), "abc");

  wire::Buffer with_options = {std::byte{6}, std::byte{1}};  // 16 octets, then TCP
  with_options.resize(16);
  with_options.insert(with_options.end(), plain.begin(), plain.end());
  const wire::Buffer with = ipv6(with_options, 0);
  segment = parse_packet(LinkLayer::kIp, with);
  ASSERT_TRUE(segment);
  EXPECT_EQ(text(segment->payload), "abc");
}

TEST(Packet, OfSomethingElseIsNamed) {
  const wire::Buffer segment = tcp({}, octets("abc"));
  const auto why = [](LinkLayer link, const wire::Buffer& whole) {
    const auto parsed = parse_packet(link, whole);
    EXPECT_FALSE(parsed);
    return parsed ? NoSegment{} : parsed.error();
  };
  EXPECT_EQ(why(LinkLayer::kEthernet, ethernet(segment, 0x0806)), NoSegment::kNotIp);
  EXPECT_EQ(why(LinkLayer::kEthernet, ethernet(ipv4(segment, false, 17))), NoSegment::kNotTcp);
  EXPECT_EQ(why(LinkLayer::kIp, ipv6(segment, 17)), NoSegment::kNotTcp);
  EXPECT_EQ(why(LinkLayer::kIp, ipv4(segment, false, 6, 0x2000)), NoSegment::kFragment);
  EXPECT_EQ(why(LinkLayer::kIp, ipv4(segment, false, 6, 0x0010)), NoSegment::kFragment);
  EXPECT_EQ(why(LinkLayer::kIp, ipv6(segment, 44)), NoSegment::kFragment);
}

// Wherever the capture cuts a packet: incomplete headers are named, and a payload is shorter.
TEST(Packet, CutAnywhereIsReadAsFarAsItGoes) {
  for (const wire::Buffer& whole :
       {ethernet(ipv4(tcp({}, octets("abc")))), ethernet(ipv6(tcp({}, octets("abc"))), 0x86dd)}) {
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const auto segment = parse_packet(LinkLayer::kEthernet, std::span(whole).first(length));
      if (length < whole.size() - 3) {
        ASSERT_FALSE(segment) << length;
        EXPECT_EQ(segment.error(), NoSegment::kTruncated) << length;
      } else {
        ASSERT_TRUE(segment) << length;
        EXPECT_EQ(segment->payload.size(), length - (whole.size() - 3));
        EXPECT_EQ(segment->sent_octets, 3U);
      }
    }
  }
}

}  // namespace
}  // namespace xbind::gsmpdump
