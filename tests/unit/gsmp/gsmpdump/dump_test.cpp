#include "gsmp/gsmpdump/dump.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/gsmp/hex.hpp"

namespace xbind::gsmpdump {
namespace {

using gsmp::test::from_hex;
using gsmp::test::golden;
using gsmp::test::golden_message;
using Lines = std::vector<std::string>;

class DumpTest : public ::testing::Test {
 protected:
  Dump make(bool octets = false) {
    return Dump(octets, [this](std::string_view line) { lines_.emplace_back(line); });
  }
  static std::string words(const std::string& id) {
    std::string text = gsmp::test::read_text(gsmp::test::golden_path(id + ".txt"));
    text.pop_back();  // the end of the line
    return text;
  }
  static std::string refusal(gsmp::Refusal refusal, std::uint32_t value) {
    return gsmp::to_string(gsmp::DecodeError{refusal, value});
  }
  static wire::Buffer joined(std::initializer_list<wire::Buffer> parts) {
    wire::Buffer out;
    for (const wire::Buffer& part : parts) out.insert(out.end(), part.begin(), part.end());
    return out;
  }

  Lines lines_;
  const Seen seen_{1'025'438'400'000'007, "a > b"};
  const std::string before_ = "2002-06-30 12:00:00.000007 UTC a > b ";
};

TEST(DumpTime, IsUtcWithMicroseconds) {
  EXPECT_EQ(to_string(Micros{0}), "1970-01-01 00:00:00.000000 UTC");
  EXPECT_EQ(to_string(Micros{1'025'438'400'000'007}), "2002-06-30 12:00:00.000007 UTC");
  EXPECT_EQ(to_string(Micros{-1}), "1969-12-31 23:59:59.999999 UTC");
}

TEST_F(DumpTest, EveryWorkedMessageTypedInFramedOrBareGivesItsWords) {
  Dump dump = make();
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(gsmp::test::golden_path(""))) {
    if (entry.path().extension() != ".hex") continue;
    const std::string id = entry.path().stem();
    ++count;
    lines_.clear();
    dump_typed(dump, golden(id));
    dump_typed(dump, golden_message(id));
    EXPECT_EQ(lines_, (Lines{words(id), words(id)}));
  }
  EXPECT_GE(count, 44U);
  EXPECT_EQ(dump.messages(), 2 * count);
  EXPECT_EQ(dump.troubles(), 0U);
}

TEST_F(DumpTest, WhatIsNoMessageIsNamed) {
  Dump dump = make();
  dump_typed(dump, from_hex("0341"));
  dump_typed(dump,
             from_hex("090a0a81 0200000a 00010000 00000000 00000001 00000000 0a1b2c3d 00000000"));
  EXPECT_EQ(lines_,
            (Lines{"not a message: " + refusal(gsmp::Refusal::kTruncated, 2) + "; 2 octets",
                   "not a message: " + refusal(gsmp::Refusal::kVersion, 9) + "; 32 octets"}));
  EXPECT_EQ(dump.troubles(), 2U);
}

TEST_F(DumpTest, OctetsStandBelowTheirMessage) {
  Dump dump = make(true);
  dump_typed(dump, golden("D1"));
  ASSERT_EQ(lines_.size(), 3U);
  EXPECT_EQ(lines_[0], words("D1"));
  EXPECT_EQ(lines_[1], "  03110200 00000201 80010030 00000001 00000020 5eed0001 00000001 00000002");
  EXPECT_EQ(lines_[2], "  01000004 00000064 01000004 000000c8");
}

TEST_F(DumpTest, AStreamInAnyChunksGivesTimeWayAndWords) {
  const wire::Buffer stream = joined({golden("B1"), golden("C3"), golden("A1")});
  for (std::size_t chunk = 1; chunk <= stream.size(); ++chunk) {
    lines_.clear();
    Dump dump = make();
    Stream way(dump, true);
    for (std::size_t at = 0; at < stream.size(); at += chunk) {
      way.feed(seen_, std::span(stream).subspan(at, std::min(chunk, stream.size() - at)));
    }
    way.end(seen_);
    EXPECT_EQ(lines_, (Lines{before_ + words("B1"), before_ + words("C3"), before_ + words("A1")}));
  }
}

TEST_F(DumpTest, AMessageThatDoesNotDecodeDoesNotStopTheStream) {
  wire::Buffer wrong = golden("C3");
  wrong[4] = std::byte{9};
  Dump dump = make();
  Stream way(dump, true);
  way.feed(seen_, joined({wrong, golden("C3")}));
  EXPECT_EQ(lines_, (Lines{before_ + "not a message: " + refusal(gsmp::Refusal::kVersion, 9) +
                               "; 16 octets",
                           before_ + words("C3")}));
}

TEST_F(DumpTest, AfterAGapItWaitsForTheNextFrame) {
  const wire::Buffer b1 = golden("B1");
  Dump dump = make();
  Stream way(dump, true);
  way.feed(seen_, std::span(b1).first(10));
  way.gap(seen_, 20);
  way.feed(seen_, std::span(b1).subspan(30));
  way.feed(seen_, golden("C3"));
  EXPECT_EQ(lines_, (Lines{before_ + "gap: 20 octets were not seen",
                           before_ + "passed over: 40 octets up to the next frame",
                           before_ + words("C3")}));
  EXPECT_EQ(dump.troubles(), 2U);
}

TEST_F(DumpTest, ABrokenStreamIsNamedAndTakenUpAgain) {
  Dump dump = make();
  Stream way(dump, true);
  way.feed(seen_, from_hex("08000010 00112233"));
  way.feed(seen_, golden("C3"));
  EXPECT_EQ(lines_,
            (Lines{before_ + "broken stream: frame type 0x0800, not 0x880c",
                   before_ + "passed over: 8 octets up to the next frame", before_ + words("C3")}));
}

TEST_F(DumpTest, InTheMiddleOfAConnectionItBeginsWithAFrame) {
  Dump dump = make();
  Stream way(dump, false);
  way.feed(seen_, from_hex("00112233"));
  way.feed(seen_, golden("C3"));
  EXPECT_EQ(lines_,
            (Lines{before_ + "passed over: 4 octets up to the next frame", before_ + words("C3")}));
}

TEST_F(DumpTest, TheEndTellsWhatWasNotWhole) {
  const wire::Buffer b1 = golden("B1");
  Dump dump = make();
  Stream way(dump, true);
  way.feed(seen_, std::span(b1).first(10));
  way.end(seen_);
  way.end(seen_);
  EXPECT_EQ(lines_, Lines{before_ + "incomplete frame: the stream ends after 10 octets of it"});

  lines_.clear();
  Stream middle(dump, false);
  middle.feed(seen_, from_hex("00112233"));
  middle.end(seen_);
  EXPECT_EQ(lines_, Lines{before_ + "passed over: 4 octets up to the end of the stream"});
}

}  // namespace
}  // namespace xbind::gsmpdump
