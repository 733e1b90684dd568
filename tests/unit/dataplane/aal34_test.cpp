#include "dataplane/aal34.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <random>

namespace xbind::dataplane {
namespace {

constexpr TimePoint kSegmentsStart{std::chrono::seconds{100}};

wire::Buffer counting(std::size_t octets, std::uint8_t from = 0) {
  wire::Buffer frame(octets);
  for (std::size_t at = 0; at < octets; ++at) frame[at] = static_cast<std::byte>(at + from);
  return frame;
}

std::vector<Cell> cells_of(std::span<const std::byte> frame, std::uint16_t mid = 5,
                           std::uint8_t tag = 1) {
  std::vector<Cell> cells;
  EXPECT_TRUE(aal34_segment({}, frame, {.vpi = 1, .vci = 40, .mid = mid, .tag = tag}, cells));
  return cells;
}

std::vector<Aal34Outcome> pushed(Aal34Receiver& receiver, std::span<const Cell> cells) {
  std::vector<Aal34Outcome> outcomes;
  for (const Cell& cell : cells) outcomes.push_back(receiver.push(cell, kSegmentsStart));
  return outcomes;
}

wire::Buffer frame_of(const Aal34Receiver& receiver) {
  return {receiver.frame().begin(), receiver.frame().end()};
}

TEST(Aal34Test, AFrameComesBackInEveryLength) {
  Aal34Receiver receiver({});
  for (std::size_t octets = 1; octets <= 300; ++octets) {
    const wire::Buffer frame = counting(octets);
    const auto cells = cells_of(frame);
    ASSERT_EQ(cells.size(), aal34_cells(octets)) << octets;
    ASSERT_EQ(pushed(receiver, cells).back(), Aal34Outcome::kFrame) << octets;
    EXPECT_EQ(frame_of(receiver), frame) << octets;
  }
  const wire::Buffer longest = counting(kAal34FrameMax);
  EXPECT_EQ(pushed(receiver, cells_of(longest)).back(), Aal34Outcome::kFrame);
  EXPECT_EQ(frame_of(receiver), longest);
  std::vector<Cell> none;
  EXPECT_FALSE(aal34_segment({}, {}, {}, none));
  EXPECT_FALSE(aal34_segment({}, counting(kAal34FrameMax + 1), {}, none));
  EXPECT_TRUE(none.empty());
}

// The octets by hand from the picture in aal34.hpp.
TEST(Aal34Test, ACellHasItsFieldsWhereThePictureHasThem) {
  const auto one = cells_of(counting(4), 0x155, 7);
  ASSERT_EQ(one.size(), 1U);
  const Payload& single = one[0].payload;
  EXPECT_EQ(one[0].header, cell_header(1, 40));
  EXPECT_EQ(std::to_integer<int>(single[0]), 0xC1);  // ST 11, SN 0000, first two bits of the MID
  EXPECT_EQ(std::to_integer<int>(single[1]), 0x55);
  const std::uint8_t cpcs[] = {0, 7, 0, 4, 0, 1, 2, 3, 0, 7, 0, 4};
  for (std::size_t at = 0; at < sizeof cpcs; ++at) {
    EXPECT_EQ(std::to_integer<int>(single[2 + at]), cpcs[at]) << at;
  }
  EXPECT_EQ(std::to_integer<int>(single[46]) >> 2, 12);  // LI

  const auto three = cells_of(counting(100));
  ASSERT_EQ(three.size(), 3U);
  EXPECT_EQ(std::to_integer<int>(three[0].payload[0]), 0x80);  // begin
  EXPECT_EQ(std::to_integer<int>(three[1].payload[0]), 0x04);  // continuation, SN 1
  EXPECT_EQ(std::to_integer<int>(three[2].payload[0]), 0x48);  // end, SN 2
  EXPECT_EQ(std::to_integer<int>(three[2].payload[46]) >> 2, 108 - 88);
}

TEST(Aal34Test, FramesOfSeveralMidsMayInterleave) {
  Aal34Receiver receiver({});
  std::map<std::uint16_t, std::vector<Cell>> cells;
  for (const std::uint16_t mid : std::initializer_list<std::uint16_t>{0, 3, 1023}) {
    cells[mid] = cells_of(counting(500, static_cast<std::uint8_t>(mid)), mid);
  }
  std::vector<wire::Buffer> whole;
  for (std::size_t at = 0; at < cells[0].size(); ++at) {
    for (auto& [mid, of] : cells) {
      if (receiver.push(of[at], kSegmentsStart) == Aal34Outcome::kFrame) {
        whole.push_back(frame_of(receiver));
      }
    }
  }
  EXPECT_THAT(whole, testing::ElementsAre(counting(500, 0), counting(500, 3), counting(500, 255)));
}

TEST(Aal34Test, NamesWhatIsWrongWithACell) {
  const wire::Buffer frame = counting(200);
  const auto good = cells_of(frame);
  Aal34Receiver receiver({});
  auto broken = good;
  broken[2].payload[10] ^= std::byte{1};
  EXPECT_EQ(pushed(receiver, broken)[2], Aal34Outcome::kCrcError);
  // The cell after the one that is missing is out of sequence, and those after it have no begin.
  EXPECT_EQ(pushed(receiver, good).back(), Aal34Outcome::kFrame);
  auto lost = good;
  lost.erase(lost.begin() + 1);
  EXPECT_THAT(pushed(receiver, lost),
              testing::ElementsAre(Aal34Outcome::kMore, Aal34Outcome::kSequenceError,
                                   Aal34Outcome::kUnexpected, Aal34Outcome::kUnexpected));
  // The begin of one frame and the end of another: equal sequence numbers, different tags.
  auto mixed = good;
  mixed.back() = cells_of(frame, 5, 2).back();
  EXPECT_EQ(pushed(receiver, mixed).back(), Aal34Outcome::kTagError);
  EXPECT_EQ(receiver.counters().frames, 1U);
}

TEST(Aal34Test, AFrameWhoseEndIsLostGivesWayToTheNext) {
  Aal34Receiver receiver({});
  auto cells = cells_of(counting(200));
  cells.pop_back();
  pushed(receiver, cells);
  EXPECT_EQ(pushed(receiver, cells_of(counting(10, 3))).back(), Aal34Outcome::kFrame);
  EXPECT_EQ(receiver.counters().errors, 1U);
}

TEST(Aal34Test, HasRoomForSoManyAndDropsTheOld) {
  Aal34Receiver receiver({.mids_max = 2, .frame_timeout = std::chrono::seconds{1}});
  for (const std::uint16_t mid : std::initializer_list<std::uint16_t>{1, 2}) {
    EXPECT_EQ(receiver.push(cells_of(counting(200), mid)[0], kSegmentsStart), Aal34Outcome::kMore);
  }
  const Cell third = cells_of(counting(200), 3)[0];
  EXPECT_EQ(receiver.push(third, kSegmentsStart), Aal34Outcome::kNoRoom);
  EXPECT_EQ(receiver.push(third, kSegmentsStart + std::chrono::seconds{2}), Aal34Outcome::kMore);
  EXPECT_EQ(receiver.counters().timed_out, 2U);
  EXPECT_EQ(receiver.expire(kSegmentsStart + std::chrono::seconds{9}), 1U);
}

TEST(Aal34Test, AFrameIsAtMostAsLongAsItMay) {
  Aal34Receiver receiver({.frame_octets_max = 100});
  EXPECT_EQ(pushed(receiver, cells_of(counting(100))).back(), Aal34Outcome::kFrame);
  for (const std::size_t octets : {101, 104, 200, 5000}) {
    for (const Aal34Outcome outcome : pushed(receiver, cells_of(counting(octets)))) {
      EXPECT_NE(outcome, Aal34Outcome::kFrame) << octets;
    }
  }
}

// Cells of any octets, with a CRC that is right: never a frame of which no sender knows, never more
// than the bounds.
TEST(Aal34Test, AnyCellsKeepTheBounds) {
  std::mt19937 random(11);
  Aal34Receiver receiver({.frame_octets_max = 500, .mids_max = 3});
  auto good = cells_of(counting(300), 2);
  for (int round = 0; round < 200'000; ++round) {
    Cell cell = good[random() % good.size()];
    // A CRC is linear, so that of two cells whose CRC is right the sum has one as well.
    if (random() % 3 == 0) {
      const Cell& other = good[random() % good.size()];
      for (std::size_t at = 0; at < kPayloadOctets; ++at) cell.payload[at] ^= other.payload[at];
    }
    if (receiver.push(cell, kSegmentsStart) == Aal34Outcome::kFrame) {
      ASSERT_LE(receiver.frame().size(), 500U);
    }
  }
}

}  // namespace
}  // namespace xbind::dataplane
