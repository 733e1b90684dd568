#include "dataplane/aal5.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string_view>

namespace xbind::dataplane {
namespace {

constexpr TimePoint kNow{};

using Octets = std::vector<std::byte>;

Octets random_octets(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  Octets octets(count);
  for (std::byte& octet : octets) octet = static_cast<std::byte>(bits());
  return octets;
}

std::vector<Cell> cut(const Octets& frame, const Aal5Sending& sending = {.vpi = 0, .vci = 32}) {
  std::vector<Cell> cells;
  EXPECT_TRUE(aal5_segment(frame, sending, cells).has_value());
  return cells;
}

// Sets the length in the trailer of a PDU and corrects the CRC. `cells` must not be empty.
std::vector<Cell> with_length(std::vector<Cell> cells, std::uint16_t length) {
  Cell& last = cells.back();
  last.payload[42] = static_cast<std::byte>(length >> 8);
  last.payload[43] = static_cast<std::byte>(length & 0xff);
  std::uint32_t crc = 0;
  for (const Cell& cell : cells)
    crc = aal5_crc(std::span(cell.payload).first(&cell == &last ? 44 : kPayloadOctets), crc);
  put_u32(last.payload.data() + 44, crc);
  return cells;
}

Cell with_length(const Cell& cell, std::uint16_t length) {
  return with_length(std::vector{cell}, length).front();
}

std::uint32_t crc_of(const std::vector<Cell>& cells) {
  return get_u32(cells.back().payload.data() + 44);
}

TEST(Aal5, TheCrcIsTheOneOfTheCatalogues) {
  const std::string_view check = "123456789";  // CRC-32/BZIP2 is the CRC of AAL5
  EXPECT_EQ(aal5_crc(std::as_bytes(std::span(check))), 0xfc891918U);
}

// The example PDUs of ITU-T I.363.5: 40 octets, one cell.
TEST(Aal5, TheStandardsExamplesHaveTheStandardsCrc) {
  Octets counting(40);
  for (unsigned octet = 0; octet < 40; ++octet) counting[octet] = static_cast<std::byte>(octet + 1);
  EXPECT_EQ(crc_of(cut(Octets(40, std::byte{0}))), 0x864d7f99U);
  EXPECT_EQ(crc_of(cut(Octets(40, std::byte{0xff}))), 0xc55e457aU);
  EXPECT_EQ(crc_of(cut(counting)), 0xbf671ed0U);
  EXPECT_EQ(crc_of(cut(counting, {.uu = 0x11, .cpi = 0x22})), 0xacba602aU);
}

TEST(Aal5, OnlyTheLastCellHasTheUserUserBit) {
  const auto cells = cut(random_octets(100, 1), {.vpi = 300, .vci = 4000, .clp = true});
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[0].header, cell_header(300, 4000, 0, true));
  EXPECT_EQ(cells[1].header, cell_header(300, 4000, 0, true));
  EXPECT_EQ(cells[2].header, cell_header(300, 4000, 1, true));
}

TEST(Aal5, EveryFrameComesBackAsItWas) {
  std::mt19937_64 bits(3);
  Aal5Reassembly reassembly;
  for (std::size_t size = 1; size <= 400; ++size) {
    const Octets frame = random_octets(size, size);
    const auto uu = static_cast<std::uint8_t>(bits());
    const auto cells = cut(frame, {.vpi = 1, .vci = 50, .uu = uu, .cpi = 9});
    ASSERT_EQ(cells.size(), aal5_cells(size));
    for (std::size_t index = 0; index + 1 < cells.size(); ++index)
      ASSERT_EQ(reassembly.push(cells[index]), Aal5Outcome::kMore);
    ASSERT_EQ(reassembly.push(cells.back()), Aal5Outcome::kFrame) << size;
    const Aal5Frame& got = reassembly.frame();
    ASSERT_TRUE(std::equal(got.octets.begin(), got.octets.end(), frame.begin(), frame.end()));
    ASSERT_EQ(got.pdu.size(), cells.size() * kPayloadOctets);
    ASSERT_EQ(got.uu, uu);
    ASSERT_EQ(got.cpi, 9);
    ASSERT_EQ(reassembly.pending(), 0u);
  }
}

TEST(Aal5, TheLongestFrameFits) {
  const Octets frame = random_octets(kAal5FrameMax, 4);
  Aal5Reassembly reassembly;
  Aal5Outcome outcome = Aal5Outcome::kMore;
  for (const Cell& cell : cut(frame)) outcome = reassembly.push(cell);
  ASSERT_EQ(outcome, Aal5Outcome::kFrame);
  EXPECT_EQ(reassembly.frame().octets.size(), kAal5FrameMax);
}

TEST(Aal5, AFrameInTwoPartsIsCutAsOne) {
  for (const std::size_t octets : {1U, 4U, 40U, 44U, 48U, 52U, 500U}) {
    Octets frame(octets);
    for (std::size_t at = 0; at < octets; ++at) frame[at] = static_cast<std::byte>(at * 7);
    for (std::size_t head = 0; head <= octets; ++head) {
      std::vector<Cell> cells;
      const std::span<const std::byte> whole(frame);
      ASSERT_TRUE(aal5_segment(whole.first(head), whole.subspan(head), {.vci = 32}, cells));
      EXPECT_EQ(cells, cut(frame)) << octets << " octets, " << head << " of them before";
    }
  }
}

TEST(Aal5, EmptyAndTooLongFramesAreNotCut) {
  std::vector<Cell> cells(1);
  const auto empty = aal5_segment({}, {}, cells);
  EXPECT_EQ(empty.error(),
            (Error{ErrorCode::kBadInput, "a frame of 0 octets, AAL5 carries 1 to 65535"}));
  EXPECT_FALSE(aal5_segment(Octets(65536), {}, cells).has_value());
  EXPECT_EQ(cells.size(), 1u);
}

TEST(Aal5, ALostCellIsACrcErrorAndTheNextFrameIsWell) {
  const auto cells = cut(random_octets(200, 5));
  Aal5Reassembly reassembly;
  for (std::size_t index = 0; index + 1 < cells.size(); ++index) {
    if (index != 2) reassembly.push(cells[index]);
  }
  EXPECT_EQ(reassembly.push(cells.back()), Aal5Outcome::kCrcError);
  EXPECT_EQ(reassembly.push(cut(random_octets(9, 6)).front()), Aal5Outcome::kFrame);
}

TEST(Aal5, ALengthThatDoesNotGoWithTheCellsIsRefused) {
  const Cell cell = cut(random_octets(40, 7)).front();
  Aal5Reassembly reassembly;
  EXPECT_EQ(reassembly.push(with_length(cell, 41)), Aal5Outcome::kLengthError);
  EXPECT_EQ(reassembly.push(with_length(cell, 40)), Aal5Outcome::kFrame);
  EXPECT_EQ(reassembly.push(with_length(cell, 1)), Aal5Outcome::kFrame);
  EXPECT_EQ(reassembly.push(with_length(cell, 65535)), Aal5Outcome::kLengthError);
}

TEST(Aal5, APadOfMoreThan47OctetsIsRefused) {
  const auto cells = cut(random_octets(60, 7));
  ASSERT_EQ(cells.size(), 2u);
  const auto outcome_of = [&](std::uint16_t length) {
    Aal5Reassembly reassembly;
    const auto changed = with_length(cells, length);
    EXPECT_EQ(reassembly.push(changed[0]), Aal5Outcome::kMore);
    return reassembly.push(changed[1]);
  };
  EXPECT_EQ(outcome_of(1), Aal5Outcome::kLengthError);
  EXPECT_EQ(outcome_of(40), Aal5Outcome::kLengthError);  // one cell would suffice
  EXPECT_EQ(outcome_of(41), Aal5Outcome::kFrame);        // a pad of 47 octets
  EXPECT_EQ(outcome_of(88), Aal5Outcome::kFrame);        // no pad
  EXPECT_EQ(outcome_of(89), Aal5Outcome::kLengthError);
}

TEST(Aal5, LengthZeroIsAnAbort) {
  const Cell cell = cut(random_octets(40, 8)).front();
  EXPECT_EQ(Aal5Reassembly().push(with_length(cell, 0)), Aal5Outcome::kAborted);
}

TEST(Aal5, AFrameThatDoesNotEndIsDroppedAtItsBound) {
  Aal5Reassembly reassembly(100);  // three cells
  const Cell body{.header = cell_header(0, 32)};
  for (int round = 0; round < 3; ++round) EXPECT_EQ(reassembly.push(body), Aal5Outcome::kMore);
  EXPECT_EQ(reassembly.push(body), Aal5Outcome::kTooLong);
  EXPECT_EQ(reassembly.pending(), 0u);
  for (int round = 0; round < 1000; ++round)
    EXPECT_EQ(reassembly.push(body), Aal5Outcome::kSkipped);
  EXPECT_EQ(reassembly.pending(), 0u);
  // The end of the frame at last; the next cell begins another frame.
  EXPECT_EQ(reassembly.push(Cell{.header = cell_header(0, 32, 1)}), Aal5Outcome::kSkipped);
  EXPECT_EQ(reassembly.push(cut(random_octets(9, 9)).front()), Aal5Outcome::kFrame);
}

TEST(Aal5, AFrameWhoseLastCellIsOneTooManyIsOnlyThat) {
  Aal5Reassembly reassembly(100);
  const auto cells = cut(random_octets(140, 10));
  ASSERT_EQ(cells.size(), 4u);
  for (int index = 0; index < 3; ++index) reassembly.push(cells[index]);
  EXPECT_EQ(reassembly.push(cells[3]), Aal5Outcome::kTooLong);
  EXPECT_EQ(reassembly.push(cut(random_octets(9, 11)).front()), Aal5Outcome::kFrame);
}

TEST(Aal5, WhatIsNotUserDataGoesByUnseen) {
  const Octets frame = random_octets(90, 12);
  const auto cells = cut(frame);
  Aal5Reassembly reassembly;
  EXPECT_EQ(reassembly.push(cells[0]), Aal5Outcome::kMore);
  EXPECT_EQ(reassembly.push(Cell{.header = cell_header(0, 32, 5)}), Aal5Outcome::kSkipped);
  EXPECT_EQ(reassembly.push(Cell{.header = cell_header(0, 32, 6)}), Aal5Outcome::kSkipped);
  EXPECT_EQ(reassembly.push(cells[1]), Aal5Outcome::kMore);
  EXPECT_EQ(reassembly.push(cells[2]), Aal5Outcome::kFrame);
}

TEST(Aal5, CongestionAndLossPriorityOfTheCellsAreReported) {
  auto cells = cut(random_octets(90, 13));
  cells[1].header |= 1;                                  // CLP, set on the way
  cells[2].header |= std::uint32_t{kPtCongestion} << 1;  // EFCI
  Aal5Reassembly reassembly;
  for (const Cell& cell : cells) reassembly.push(cell);
  EXPECT_TRUE(reassembly.frame().clp);
  EXPECT_TRUE(reassembly.frame().congestion);
  for (const Cell& cell : cut(random_octets(90, 14))) reassembly.push(cell);
  EXPECT_FALSE(reassembly.frame().clp);
  EXPECT_FALSE(reassembly.frame().congestion);
}

TEST(Aal5Receiver, ConnectionsDoNotMix) {
  const Octets red = random_octets(150, 20), blue = random_octets(150, 21);
  const auto reds = cut(red, {.vpi = 0, .vci = 40}), blues = cut(blue, {.vpi = 0, .vci = 41});
  Aal5Receiver receiver({});
  for (std::size_t index = 0; index + 1 < reds.size(); ++index) {
    EXPECT_EQ(receiver.push(reds[index], kNow), Aal5Outcome::kMore);
    EXPECT_EQ(receiver.push(blues[index], kNow), Aal5Outcome::kMore);
  }
  EXPECT_EQ(receiver.push(blues.back(), kNow), Aal5Outcome::kFrame);
  EXPECT_EQ(Octets(receiver.frame().octets.begin(), receiver.frame().octets.end()), blue);
  EXPECT_EQ(receiver.push(reds.back(), kNow), Aal5Outcome::kFrame);
  EXPECT_EQ(Octets(receiver.frame().octets.begin(), receiver.frame().octets.end()), red);
  EXPECT_EQ(receiver.connections(), 2u);
}

TEST(Aal5Receiver, EveryOutcomeIsCounted) {
  Aal5Receiver receiver({.frame_octets_max = 40, .connections_max = 1});
  const Cell good = cut(random_octets(40, 22)).front();
  Cell wrong = good;
  wrong.payload[3] ^= std::byte{1};
  const Cell body{.header = cell_header(0, 32)};
  receiver.push(good, kNow);
  receiver.push(wrong, kNow);
  receiver.push(with_length(good, 44), kNow);
  receiver.push(with_length(good, 0), kNow);
  for (int round = 0; round < 3; ++round) receiver.push(body, kNow);
  EXPECT_EQ(receiver.push(Cell{.header = cell_header(0, 33)}, kNow), Aal5Outcome::kNoRoom);
  EXPECT_EQ(receiver.counters(), (Aal5Counters{.frames = 1,
                                               .crc_errors = 1,
                                               .length_errors = 1,
                                               .aborted = 1,
                                               .too_long = 1,
                                               .skipped_cells = 1,
                                               .no_room_cells = 1}));
}

TEST(Aal5Receiver, AForgottenConnectionLeavesNothingBehind) {
  Aal5Receiver receiver({.connections_max = 1});
  const auto cells = cut(random_octets(90, 23));
  receiver.push(cells[0], kNow);
  receiver.forget(0, 32);
  EXPECT_EQ(receiver.connections(), 0u);
  // The label serves another call, which must not receive half a frame of the last one.
  for (const Cell& cell : cut(random_octets(30, 24))) {
    EXPECT_EQ(receiver.push(cell, kNow), Aal5Outcome::kFrame);
  }
}

TEST(Aal5Receiver, AFrameWhoseEndWasLostDoesNotSpoilTheNext) {
  Aal5Receiver receiver({.frame_timeout = std::chrono::seconds(1)});
  const auto first = cut(random_octets(100, 20));
  const auto frame = random_octets(100, 21);
  TimePoint now = kNow;
  receiver.push(first[0], now);
  receiver.push(first[1], now + std::chrono::milliseconds(500));
  now += std::chrono::seconds(1) + Duration(1);  // since the first cell of the frame
  for (const Cell& cell : cut(frame)) receiver.push(cell, now);
  EXPECT_EQ(receiver.counters(), (Aal5Counters{.frames = 1, .timed_out = 1}));
  EXPECT_TRUE(std::ranges::equal(receiver.frame().octets, frame));
}

TEST(Aal5Receiver, AFrameMayTakeAsLongAsTheLimit) {
  Aal5Receiver receiver({.frame_timeout = std::chrono::seconds(1)});
  const auto cells = cut(random_octets(100, 22));
  receiver.push(cells[0], kNow);
  receiver.push(cells[1], kNow + std::chrono::seconds(1));
  EXPECT_EQ(receiver.push(cells[2], kNow + std::chrono::seconds(1)), Aal5Outcome::kFrame);
  // Silence between two frames does not count as a late frame.
  EXPECT_EQ(receiver.push(cells[0], kNow + std::chrono::hours(1)), Aal5Outcome::kMore);
  EXPECT_EQ(receiver.counters(), (Aal5Counters{.frames = 1}));
}

TEST(Aal5Receiver, SilentConnectionsExpire) {
  Aal5Receiver receiver({.frame_timeout = std::chrono::seconds(1)});
  receiver.push(cut(random_octets(100, 23))[0], kNow);
  receiver.push(Cell{.header = cell_header(0, 77)}, kNow + std::chrono::seconds(2));
  EXPECT_EQ(receiver.expire(kNow + std::chrono::seconds(2)), 1u);
  EXPECT_EQ(receiver.expire(kNow + std::chrono::seconds(2)), 0u);
  EXPECT_EQ(receiver.counters().timed_out, 1u);
  EXPECT_EQ(receiver.connections(), 2u);
}

TEST(Aal5Receiver, WithoutALimitNothingIsLate) {
  Aal5Receiver receiver({.frame_timeout = Duration::zero()});
  const auto cells = cut(random_octets(100, 24));
  receiver.push(cells[0], kNow);
  receiver.push(cells[1], kNow + std::chrono::hours(1000));
  EXPECT_EQ(receiver.push(cells[2], kNow + std::chrono::hours(2000)), Aal5Outcome::kFrame);
}

}  // namespace
}  // namespace xbind::dataplane
