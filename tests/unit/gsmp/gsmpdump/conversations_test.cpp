#include "gsmp/gsmpdump/conversations.hpp"

#include <gtest/gtest.h>

#include "tests/unit/gsmp/gsmpdump/packets.hpp"
#include "tests/unit/gsmp/hex.hpp"

namespace xbind::gsmpdump {
namespace {

using namespace test;
using gsmp::test::golden;
using Lines = std::vector<std::string>;

const std::string kTime = "1970-01-01 00:00:00.000001 UTC ";
const std::string kUp = kTime + "10.0.0.1:40000 > 10.0.0.2:6068 ";
const std::string kDown = kTime + "10.0.0.2:6068 > 10.0.0.1:40000 ";
const std::string kPort1 = "port configuration request, transaction 2: port 1";
const std::string kAllPorts = "all ports configuration request, transaction 3";
const std::string kReceived = "delete branches success, transaction 513: 0 elements";

class ConversationsTest : public ::testing::Test {
 protected:
  void see(const Tcp& header, const wire::Buffer& payload = {}) {
    see_packet(test::packet(header, payload));
  }
  void see_packet(const wire::Buffer& octets) {
    conversations_.packet(1, LinkLayer::kEthernet, octets);
  }

  Lines lines_;
  Dump dump_{false, [this](std::string_view line) { lines_.emplace_back(line); }};
  Conversations conversations_{dump_, {6068, 4, {}}};
};

TEST_F(ConversationsTest, BothDirectionsOfAConnectionFromSynToFin) {
  see({40000, 6068, 99, 0, kSyn});
  see({6068, 40000, 499, 100, kSyn | kAck});
  see({40000, 6068, 100, 500, kAck}, golden("C3"));
  see({6068, 40000, 500, 120, kAck}, golden("D2"));
  see({40000, 6068, 120, 520, kAck | kFin});
  see({6068, 40000, 520, 121, kAck | kFin});
  conversations_.finish();
  EXPECT_EQ(lines_, (Lines{kUp + kPort1, kDown + kReceived}));
}

TEST_F(ConversationsTest, ASegmentThatComesLateIsPutInItsPlace) {
  see({40000, 6068, 99, 0, kSyn});
  see({40000, 6068, 120, 0, kAck}, golden("C5"));
  EXPECT_TRUE(lines_.empty());
  see({40000, 6068, 100, 0, kAck}, golden("C3"));
  EXPECT_EQ(lines_, (Lines{kUp + kPort1, kUp + kAllPorts}));
}

TEST_F(ConversationsTest, ASegmentThatIsMissingIsAGap) {
  see({40000, 6068, 99, 0, kSyn});
  see({40000, 6068, 120, 0, kAck}, golden("C5"));
  EXPECT_TRUE(lines_.empty());
  see({6068, 40000, 500, 140, kAck});  // the switch has received all of it
  EXPECT_EQ(lines_, (Lines{kUp + "gap: 20 octets were not seen", kUp + kAllPorts}));
}

// The capture has only the beginning of a packet.
TEST_F(ConversationsTest, APacketThatWasCutShortLeavesAGap) {
  see({40000, 6068, 99, 0, kSyn});
  wire::Buffer cut = test::packet({40000, 6068, 100, 0, kAck}, golden("C3"));
  cut.resize(cut.size() - 8);
  see_packet(cut);
  see({40000, 6068, 120, 0, kAck}, golden("C5"));
  conversations_.finish();
  EXPECT_EQ(lines_, (Lines{kUp + "gap: 8 octets were not seen",
                           kUp + "passed over: 12 octets up to the next frame", kUp + kAllPorts}));
}

TEST_F(ConversationsTest, OtherPortsAreNotLookedAt) {
  see({40000, 80, 99, 0, kSyn});
  see({40000, 80, 100, 0, kAck}, golden("C3"));
  conversations_.finish();
  EXPECT_TRUE(lines_.empty());
}

TEST_F(ConversationsTest, TheSamePortsAgainAreANewConnection) {
  see({40000, 6068, 99, 0, kSyn});
  see({40000, 6068, 100, 0, kAck}, golden("C3"));
  see({40000, 6068, 70000, 0, kSyn});
  see({40000, 6068, 70001, 0, kAck}, golden("C5"));
  EXPECT_EQ(lines_, (Lines{kUp + kPort1, kUp + kAllPorts}));
}

TEST_F(ConversationsTest, AResetEndsBothDirections) {
  see({40000, 6068, 99, 0, kSyn});
  wire::Buffer half = golden("C3");
  half.resize(9);
  see({40000, 6068, 100, 0, kAck}, half);
  see({6068, 40000, 500, 109, kRst | kAck});
  EXPECT_EQ(lines_, Lines{kUp + "incomplete frame: the stream ends after 9 octets of it"});
}

TEST_F(ConversationsTest, BeyondTheBoundTheMostSilentIsLetGo) {
  for (std::uint16_t port = 40000; port < 40004; ++port) see({port, 6068, 99, 0, kSyn});
  see({40000, 6068, 100, 0, kAck}, golden("C3"));
  see({40004, 6068, 99, 0, kSyn});
  EXPECT_EQ(lines_, (Lines{kUp + kPort1, kTime + "10.0.0.1:40001 > 10.0.0.2:6068 let go: too many "
                                                 "connections at a time"}));
}

TEST_F(ConversationsTest, AFragmentIsReported) {
  see_packet(ethernet(ipv4(tcp({}, golden("C3")), false, 6, 0x2000)));
  EXPECT_EQ(lines_, Lines{kTime + "? fragment: a piece of an IP packet is not read"});
}

TEST_F(ConversationsTest, WhatWasSeenOfACaptureWithoutMessages) {
  EXPECT_EQ(conversations_.seen(), "0 packets");
  see({40000, 7000, 99, 0, kSyn});
  EXPECT_EQ(conversations_.seen(), "1 packet: 1 of other TCP ports (40000, 7000)");
  see({6068, 40000, 99, 0, kSyn});
  see_packet(ethernet(octets("anything"), 0x8847, 1));
  see_packet(ethernet(octets("anything"), 0x0806));
  see_packet(ethernet(ipv4(octets("anything"), false, 17)));
  see_packet(ethernet(octets("E")));
  see_packet({});
  for (std::uint16_t port = 1; port < 9; ++port) see({port, 7000, 99, 0, kSyn});
  EXPECT_EQ(conversations_.seen(),
            "15 packets: 1 of TCP port 6068, 9 of other TCP ports (40000, 7000, 1, 2), 1 not TCP, "
            "2 not IP (EtherType 0x8847), 2 with incomplete headers");
  conversations_.finish();
  EXPECT_TRUE(lines_.empty());
}

}  // namespace
}  // namespace xbind::gsmpdump
