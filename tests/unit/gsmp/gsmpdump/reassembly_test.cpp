#include "gsmp/gsmpdump/reassembly.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/gsmp/gsmpdump/packets.hpp"

namespace xbind::gsmpdump {
namespace {

// Records the output; a gap of 3 octets is shown as "[3]".
class ReassemblyTest : public ::testing::Test {
 protected:
  Reassembly make(ReassemblyLimits limits = {}) {
    return Reassembly(
        limits, {[this](std::span<const std::byte> octets) {
                   for (const std::byte octet : octets) out_ += static_cast<char>(octet);
                 },
                 [this](std::uint64_t missing) { out_ += '[' + std::to_string(missing) + ']'; }});
  }
  static void see(Reassembly& tcp, std::uint32_t sequence, std::string_view text) {
    tcp.segment(sequence, test::octets(text));
  }

  std::string out_;
};

TEST_F(ReassemblyTest, InOrderGoesThroughAsItComes) {
  Reassembly tcp = make();
  tcp.start(100);
  see(tcp, 100, "abc");
  EXPECT_EQ(out_, "abc");
  see(tcp, 103, "def");
  EXPECT_EQ(out_, "abcdef");
}

TEST_F(ReassemblyTest, WithoutABeginningTheFirstSegmentSeenBegins) {
  Reassembly tcp = make();
  see(tcp, 5000, "abc");
  see(tcp, 4997, "xyz");  // from before the connection
  see(tcp, 5003, "def");
  EXPECT_EQ(out_, "abcdef");
}

TEST_F(ReassemblyTest, SwappedTwiceAndOverlapping) {
  Reassembly tcp = make();
  tcp.start(0);
  see(tcp, 3, "def");
  EXPECT_EQ(out_, "");
  see(tcp, 5, "fgh");
  see(tcp, 0, "abcd");
  see(tcp, 0, "abc");
  see(tcp, 6, "ghij");
  EXPECT_EQ(out_, "abcdefghij");
}

TEST_F(ReassemblyTest, SequenceNumbersGoRound) {
  Reassembly tcp = make();
  tcp.start(0xfffffffe);
  see(tcp, 1, "def");
  see(tcp, 0xfffffffe, "abc");
  see(tcp, 4, "ghi");
  EXPECT_EQ(out_, "abcdefghi");
}

TEST_F(ReassemblyTest, WhatTheReceiverHasAndNobodySawIsAGap) {
  Reassembly tcp = make();
  tcp.start(0);
  see(tcp, 0, "abc");
  see(tcp, 6, "ghi");
  tcp.acknowledged(3);
  EXPECT_EQ(out_, "abc");
  tcp.acknowledged(9);
  EXPECT_EQ(out_, "abc[3]ghi");
}

TEST_F(ReassemblyTest, HoldsNoMoreThanItsLimits) {
  Reassembly few_octets = make({8, 100});
  few_octets.start(0);
  see(few_octets, 2, "cdef");
  see(few_octets, 8, "ijkl");
  EXPECT_EQ(out_, "");
  see(few_octets, 14, "o");
  EXPECT_EQ(out_, "[2]cdef");

  out_.clear();
  Reassembly few_segments = make({1000, 2});
  few_segments.start(0);
  see(few_segments, 1, "b");
  see(few_segments, 3, "d");
  EXPECT_EQ(out_, "");
  see(few_segments, 5, "f");
  EXPECT_EQ(out_, "[1]b");
}

TEST_F(ReassemblyTest, AtTheEndWhatIsHeldComesOutWithItsGaps) {
  Reassembly tcp = make();
  tcp.start(0);
  see(tcp, 1, "b");
  see(tcp, 4, "ef");
  tcp.fin(8);
  EXPECT_FALSE(tcp.complete());
  tcp.finish();
  EXPECT_EQ(out_, "[1]b[2]ef[2]");
  EXPECT_TRUE(tcp.complete());
}

TEST_F(ReassemblyTest, IsCompleteWhenAllBeforeItsEndWasSeen) {
  Reassembly tcp = make();
  tcp.start(0);
  tcp.fin(3);
  EXPECT_FALSE(tcp.complete());
  see(tcp, 0, "abc");
  EXPECT_TRUE(tcp.complete());
}

// Any segmentation, any order, any repetition: the same octets in the same order.
TEST_F(ReassemblyTest, AnyOrderOfAnySegmentsGivesTheStream) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::string stream(300, ' ');
    for (char& letter : stream) letter = static_cast<char>('a' + random() % 26);
    std::vector<std::pair<std::size_t, std::size_t>> pieces;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t length = std::min<std::size_t>(1 + random() % 20, stream.size() - at);
      pieces.emplace_back(at, length);
      at += length;
    }
    for (int i = 0; i < 20; ++i) {
      const std::size_t at = random() % stream.size();
      pieces.emplace_back(at, std::min<std::size_t>(1 + random() % 40, stream.size() - at));
    }
    std::shuffle(pieces.begin(), pieces.end(), random);
    const std::uint32_t first = static_cast<std::uint32_t>(random());
    out_.clear();
    Reassembly tcp = make();
    tcp.start(first);
    for (const auto& [at, length] : pieces) {
      see(tcp, first + static_cast<std::uint32_t>(at), std::string_view(stream).substr(at, length));
    }
    EXPECT_EQ(out_, stream);
  }
}

}  // namespace
}  // namespace xbind::gsmpdump
