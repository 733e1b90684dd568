#include "ovs/openflow/framing.hpp"

#include <gtest/gtest.h>

#include "tests/unit/ovs/openflow/golden.hpp"

namespace xbind::ovs::openflow {
namespace {

using test::from_hex;
using test::golden;

const std::vector<std::string> kIds = {"hello", "flow-add-swap", "barrier-request", "group-modify"};

wire::Buffer stream_of(const std::vector<std::string>& ids) {
  wire::Buffer stream;
  for (const std::string& id : ids) {
    const wire::Buffer message = golden(id);
    stream.insert(stream.end(), message.begin(), message.end());
  }
  return stream;
}

std::vector<wire::Buffer> messages_of(const std::vector<std::string>& ids) {
  std::vector<wire::Buffer> messages;
  for (const std::string& id : ids) messages.push_back(golden(id));
  return messages;
}

// Collects the framer's output.
struct Sink {
  std::vector<wire::Buffer> messages;
  bool operator()(std::span<const std::byte> message) {
    messages.emplace_back(message.begin(), message.end());
    return true;
  }
};

TEST(Framer, ManyMessagesInOneChunk) {
  Framer framer;
  Sink sink;
  EXPECT_FALSE(framer.feed(stream_of(kIds), sink));
  EXPECT_EQ(sink.messages, messages_of(kIds));
}

TEST(Framer, SplitAtEveryOctet) {
  const wire::Buffer stream = stream_of(kIds);
  for (std::size_t split = 0; split <= stream.size(); ++split) {
    Framer framer;
    Sink sink;
    EXPECT_FALSE(framer.feed(std::span(stream).first(split), sink));
    EXPECT_FALSE(framer.feed(std::span(stream).subspan(split), sink));
    EXPECT_EQ(sink.messages, messages_of(kIds)) << "split at " << split;
  }
}

TEST(Framer, RefusesAnotherVersionAndStaysBroken) {
  Framer framer;
  Sink sink;
  wire::Buffer stream = golden("hello");
  const wire::Buffer barrier_1_3 = from_hex("04140008 00000001");
  stream.insert(stream.end(), barrier_1_3.begin(), barrier_1_3.end());
  const DecodeError broken{Refusal::kVersion, 4};
  EXPECT_EQ(framer.feed(stream, sink), broken);
  EXPECT_EQ(framer.feed(golden("hello"), sink), broken);
  EXPECT_EQ(sink.messages, messages_of({"hello"}));
  framer.reset();
  EXPECT_FALSE(framer.feed(golden("hello"), sink));
  EXPECT_EQ(sink.messages.size(), 2U);
}

TEST(Framer, RefusesALengthWithoutAHeader) {
  Framer framer;
  Sink sink;
  EXPECT_EQ(framer.feed(from_hex("05140007 00000001"), sink),
            (DecodeError{Refusal::kHeaderLength, 7}));
  EXPECT_TRUE(sink.messages.empty());
}

TEST(Framer, TakesHelloAndErrorOfAnyVersion) {
  Framer framer;
  Sink sink;
  EXPECT_FALSE(framer.feed(from_hex("06000008 00000001 0401000c 00000002 00000000"), sink));
  EXPECT_EQ(sink.messages.size(), 2U);
}

TEST(Framer, HoldsTheLongestMessage) {
  wire::Buffer longest =
      test::encoded_one(EchoRequest{std::vector<std::byte>(kMessageOctetsMax - kHeaderOctets)});
  ASSERT_EQ(longest.size(), kMessageOctetsMax);
  Framer framer;
  Sink sink;
  EXPECT_FALSE(framer.feed(std::span(longest).first(40000), sink));
  EXPECT_FALSE(framer.feed(std::span(longest).subspan(40000), sink));
  EXPECT_EQ(sink.messages, std::vector<wire::Buffer>{longest});
}

TEST(Framer, DropsTheRestOfTheChunkWhenTheSinkSaysSo) {
  Framer framer;
  std::size_t calls = 0;
  const auto stop = [&calls](std::span<const std::byte>) { return ++calls < 2; };
  EXPECT_FALSE(framer.feed(stream_of(kIds), stop));
  EXPECT_EQ(calls, 2U);
}

}  // namespace
}  // namespace xbind::ovs::openflow
