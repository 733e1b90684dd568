#include "gsmp/framing.hpp"

#include <gtest/gtest.h>

#include "tests/unit/gsmp/hex.hpp"

namespace xbind::gsmp {
namespace {

using test::from_hex;
using test::golden;
using test::golden_message;

wire::Buffer stream_of(std::initializer_list<const char*> ids) {
  wire::Buffer stream;
  for (const char* id : ids) {
    const wire::Buffer frame = golden(id);
    stream.insert(stream.end(), frame.begin(), frame.end());
  }
  return stream;
}

// Collects the reader's output.
struct Sink {
  std::vector<wire::Buffer> messages;
  bool operator()(std::span<const std::byte> message) {
    messages.emplace_back(message.begin(), message.end());
    return true;
  }
};

const std::vector<wire::Buffer> kExpected = {golden_message("A1"), golden_message("B4"),
                                             golden_message("R3"), golden_message("C4")};

TEST(FrameReader, ManyMessagesInOneChunk) {
  FrameReader reader;
  Sink sink;
  EXPECT_FALSE(reader.feed(stream_of({"A1", "B4", "R3", "C4"}), sink));
  EXPECT_EQ(sink.messages, kExpected);
}

TEST(FrameReader, OneMessageOverManyChunks) {
  FrameReader reader;
  Sink sink;
  for (const std::byte octet : stream_of({"A1", "B4", "R3", "C4"})) {
    EXPECT_FALSE(reader.feed(std::span(&octet, 1), sink));
  }
  EXPECT_EQ(sink.messages, kExpected);
}

TEST(FrameReader, SplitAtEveryOctet) {
  const wire::Buffer stream = stream_of({"A1", "B4", "R3", "C4"});
  for (std::size_t split = 0; split <= stream.size(); ++split) {
    FrameReader reader;
    Sink sink;
    EXPECT_FALSE(reader.feed(std::span(stream).first(split), sink));
    EXPECT_FALSE(reader.feed(std::span(stream).subspan(split), sink));
    EXPECT_EQ(sink.messages, kExpected) << "split at " << split;
  }
}

TEST(FrameReader, TheLongestFrame) {
  wire::Buffer frame = from_hex("880cffff 03630200 00000001 8001ffff");
  frame.resize(kFrameOctetsMax);
  FrameReader reader;
  Sink sink;
  EXPECT_FALSE(reader.feed(std::span(frame).first(40000), sink));
  EXPECT_TRUE(sink.messages.empty());
  EXPECT_FALSE(reader.feed(std::span(frame).subspan(40000), sink));
  ASSERT_EQ(sink.messages.size(), 1U);
  EXPECT_EQ(sink.messages[0].size(), 0xffffU);
}

TEST(FrameReader, AnAdjacencyMessageWithATailIsWhole) {
  FrameReader reader;
  Sink sink;
  wire::Buffer frame = golden("A1");
  frame.resize(frame.size() + 4);
  frame[3] = std::byte{36};
  EXPECT_FALSE(reader.feed(frame, sink));
  ASSERT_EQ(sink.messages.size(), 1U);
  EXPECT_EQ(sink.messages[0].size(), 36U);
}

struct Broken {
  const char* what;
  const char* hex;
  DecodeError expected;
};
class BrokenStream : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenStream, YieldsWhatCameBeforeAndNothingAfter) {
  wire::Buffer stream = golden("R3");
  const wire::Buffer bad = from_hex(GetParam().hex);
  stream.insert(stream.end(), bad.begin(), bad.end());
  const wire::Buffer good = golden("A1");
  stream.insert(stream.end(), good.begin(), good.end());
  for (const std::size_t chunk_octets : {std::size_t{1}, std::size_t{7}, stream.size()}) {
    FrameReader reader;
    Sink sink;
    std::optional<DecodeError> broken;
    for (std::size_t at = 0; at < stream.size(); at += chunk_octets) {
      const std::size_t octets = std::min(chunk_octets, stream.size() - at);
      broken = reader.feed(std::span(stream).subspan(at, octets), sink);
    }
    ASSERT_TRUE(broken);
    EXPECT_EQ(*broken, GetParam().expected) << to_string(*broken);
    EXPECT_TRUE(breaks_stream(*broken));
    EXPECT_EQ(sink.messages, std::vector<wire::Buffer>(1, golden_message("R3")));
    // A new stream clears the error.
    reader.reset();
    EXPECT_FALSE(reader.feed(good, sink));
    EXPECT_EQ(sink.messages.size(), 2U);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenStream,
    ::testing::Values(Broken{"Type", "0800000c", {Refusal::kFrameType, 0x0800}},
                      Broken{"TooShort", "880c000b", {Refusal::kFrameLength, 11}},
                      Broken{"Empty", "880c0000", {Refusal::kFrameLength, 0}},
                      Broken{"ShortAdjacency", "880c001f 030a", {Refusal::kFrameLength, 31}}),
    [](const auto& name) { return name.param.what; });

TEST(FrameReader, StopsWhenTheSinkSaysSo) {
  FrameReader reader;
  int seen = 0;
  const auto stop = [&](std::span<const std::byte>) { return ++seen < 2; };
  EXPECT_FALSE(reader.feed(stream_of({"R3", "R3", "R3"}), stop));
  EXPECT_EQ(seen, 2);
}

TEST(StampRequest, WritesPartitionAndTransaction) {
  wire::Buffer frame = golden("B5");
  stamp_request(frame, 0, 7, 0xabcdef);
  EXPECT_EQ(test::to_hex(std::span(frame).first(16)), "880c0038 03100200 07abcdef 80010038");
}

}  // namespace
}  // namespace xbind::gsmp
