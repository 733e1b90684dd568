// ATM cells to cells of a Cambridge Fast Ring, and back.
#include "dataplane/links/cfr_repacking.hpp"

#include <gmock/gmock.h>

#include <random>

#include "../cells.hpp"

namespace xbind::dataplane {
namespace {

using std::chrono::milliseconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Duration kWait = milliseconds{5};

// A frame of `count` cells with octets of its own.
std::vector<Cell> frame_of(std::size_t count, std::uint16_t vci, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Cell> cells(count);
  for (std::size_t at = 0; at < count; ++at) {
    cells[at].header = cell_header(0, vci, at + 1 == count ? kPtUserUser : 0);
    for (std::byte& octet : cells[at].payload) octet = static_cast<std::byte>(random());
  }
  return cells;
}

struct Gateway {
  std::vector<CfrCell> to_ring(const std::vector<Cell>& cells) {
    std::vector<CfrCell> ring;
    for (const Cell& cell : cells) repacking.to_ring(cell, now, ring);
    return ring;
  }
  std::vector<Cell> to_atm(const std::vector<CfrCell>& ring) {
    std::vector<Cell> cells;
    for (const CfrCell& cell : ring) repacking.from_ring(cell, now, cells);
    return cells;
  }
  // What has waited for kWait.
  void wait() {
    now += kWait;
    repacking.expire(now, waited_to_ring, waited_to_atm);
  }

  CfrRepacking repacking{kWait};
  TimePoint now{milliseconds{100}};
  std::vector<CfrCell> waited_to_ring;
  std::vector<Cell> waited_to_atm;
};

CfrCell ring_cell(std::uint16_t vci, int mark, bool first, bool last) {
  CfrCell cell{.vci = vci, .first = first, .last = last};
  cell.payload.fill(static_cast<std::byte>(mark));
  return cell;
}

// The paper's mapping: the payloads of 3 CFR cells are those of 2 ATM cells.
TEST(CfrRepacking, TwoCellsAreThree) {
  Gateway gateway;
  const std::vector<Cell> atm = frame_of(2, 40, 1);
  const std::vector<CfrCell> ring = gateway.to_ring(atm);
  ASSERT_THAT(ring, SizeIs(3));
  std::vector<std::byte> octets;
  for (const CfrCell& cell : ring) {
    EXPECT_EQ(cell.vci, 40);
    EXPECT_FALSE(cell.half);
    octets.insert(octets.end(), cell.payload.begin(), cell.payload.end());
  }
  EXPECT_TRUE(std::equal(atm[0].payload.begin(), atm[0].payload.end(), octets.begin()));
  EXPECT_TRUE(std::equal(atm[1].payload.begin(), atm[1].payload.end(), octets.begin() + 48));
  EXPECT_TRUE(ring[0].first && !ring[1].first && !ring[2].first);
  EXPECT_TRUE(!ring[0].last && !ring[1].last && ring[2].last);
  EXPECT_EQ(gateway.to_atm(ring), atm);
}

// The push indication (the paper, and row F9): what waits leaves with the end of the frame.
TEST(CfrRepacking, WhatWaitsLeavesAtOnceWhenTheFrameEnds) {
  Gateway gateway;
  std::vector<CfrCell> ring = gateway.to_ring(frame_of(1, 40, 2));
  ASSERT_THAT(ring, SizeIs(2));
  EXPECT_TRUE(ring[1].half && ring[1].last);
  EXPECT_EQ(gateway.repacking.next_due(), kNever);
  EXPECT_EQ(gateway.repacking.open(), 0U);

  // A frame of one cell that began on the ring.
  const std::vector<Cell> atm = gateway.to_atm({ring_cell(50, 7, true, true)});
  ASSERT_THAT(atm, SizeIs(1));
  EXPECT_EQ(atm[0].header, cell_header(0, 50, kPtUserUser));
  EXPECT_EQ(std::to_integer<int>(atm[0].payload[31]), 7);
  EXPECT_EQ(std::to_integer<int>(atm[0].payload[32]), 0);
}

TEST(CfrRepacking, WhatWaitsInTheMiddleLeavesWhenItHasWaited) {
  Gateway gateway;
  std::vector<Cell> atm = frame_of(1, 40, 3);
  atm[0].header = cell_header(0, 40);
  EXPECT_THAT(gateway.to_ring(atm), SizeIs(1));
  EXPECT_EQ(gateway.repacking.next_due(), gateway.now + kWait);
  EXPECT_THAT(gateway.to_atm({ring_cell(41, 9, false, false)}), IsEmpty());
  gateway.wait();
  ASSERT_THAT(gateway.waited_to_ring, SizeIs(1));
  EXPECT_TRUE(gateway.waited_to_ring[0].half);
  EXPECT_FALSE(gateway.waited_to_ring[0].last || gateway.waited_to_ring[0].first);
  ASSERT_THAT(gateway.waited_to_atm, SizeIs(1));
  EXPECT_EQ(gateway.waited_to_atm[0].header, cell_header(0, 41));
  EXPECT_EQ(gateway.repacking.next_due(), kNever);
  EXPECT_EQ(gateway.repacking.counters().half_cells, 1U);
  EXPECT_EQ(gateway.repacking.counters().filled_cells, 1U);
}

// Its sender may be slow: zeros in its middle would spoil it.
TEST(CfrRepacking, AFrameFromTheRingWaitsForItsEnd) {
  Gateway gateway;
  const std::vector<Cell> atm = frame_of(3, 40, 8);
  std::vector<Cell> arrived;
  for (const CfrCell& cell : gateway.to_ring(atm)) {
    for (const Cell& one : gateway.to_atm({cell})) arrived.push_back(one);
    gateway.wait();
    gateway.wait();
  }
  EXPECT_EQ(arrived, atm);
  EXPECT_THAT(gateway.waited_to_atm, IsEmpty());
}

// A stream without frames that pauses: the half cell does not move its octets.
TEST(CfrRepacking, APauseDoesNotMoveTheOctetsOfAStream) {
  Gateway gateway;
  std::vector<Cell> atm = frame_of(5, 40, 4);
  for (Cell& cell : atm) cell.header = cell_header(0, 40);
  std::vector<CfrCell> ring;
  for (const Cell& cell : atm) {
    gateway.repacking.to_ring(cell, gateway.now, ring);
    gateway.wait();
    ring.insert(ring.end(), gateway.waited_to_ring.begin(), gateway.waited_to_ring.end());
    gateway.waited_to_ring.clear();
  }
  EXPECT_EQ(gateway.to_atm(ring), atm);
}

TEST(CfrRepacking, TheTimeCountsFromTheLastOctets) {
  Gateway gateway;
  const auto stream = [&] {
    Cell cell = frame_of(1, 40, 5)[0];
    cell.header = cell_header(0, 40);
    return std::vector{cell};
  }();
  gateway.to_ring(stream);
  gateway.to_ring(stream);  // nothing waits
  gateway.now += milliseconds{3};
  gateway.to_ring(stream);
  gateway.now += milliseconds{3};
  gateway.repacking.expire(gateway.now, gateway.waited_to_ring, gateway.waited_to_atm);
  EXPECT_THAT(gateway.waited_to_ring, IsEmpty());
  EXPECT_EQ(gateway.repacking.next_due(), gateway.now + milliseconds{2});
  gateway.now += milliseconds{2};
  gateway.repacking.expire(gateway.now, gateway.waited_to_ring, gateway.waited_to_atm);
  EXPECT_THAT(gateway.waited_to_ring, SizeIs(1));
}

TEST(CfrRepacking, AFrameWithoutItsEndDoesNotSpoilTheFrameAfterTheNext) {
  Gateway gateway;
  const std::vector<CfrCell> lost =
      gateway.to_ring(frame_of(3, 40, 6));  // 5 cells; the last is lost
  std::vector<Cell> atm = gateway.to_atm({lost.begin(), lost.end() - 1});
  const std::vector<Cell> next = frame_of(3, 40, 7);
  const std::vector<Cell> arrived = gateway.to_atm(gateway.to_ring(next));
  EXPECT_EQ(arrived, next);
  EXPECT_EQ(gateway.repacking.counters().cut_frames, 1U);
}

// The property of the issue: every frame of 1 to 2 000 cells, several connections at once in random
// order, some in the middle of their frames when the time passes.
TEST(CfrRepacking, ThereAndBackIsTheIdentity) {
  constexpr std::uint32_t kSeed = 48;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (std::size_t cells = 1; cells <= 2'000; ++cells) {
    Gateway there;
    Gateway back;
    std::vector<std::vector<Cell>> frames;
    std::vector<std::size_t> sent(3);
    for (std::uint16_t each = 0; each < 3; ++each) {
      const std::size_t length = each == 0 ? cells : 1 + random() % 40;
      frames.push_back(frame_of(length, static_cast<std::uint16_t>(32 + each),
                                static_cast<std::uint32_t>(random())));
    }
    std::vector<std::vector<Cell>> arrived(3);
    std::size_t left = frames[0].size() + frames[1].size() + frames[2].size();
    std::size_t on_ring = 0;
    while (left != 0) {
      const std::size_t which = random() % 3;
      if (sent[which] == frames[which].size()) continue;
      const std::size_t burst =
          std::min<std::size_t>(1 + random() % 20, frames[which].size() - sent[which]);
      std::vector<CfrCell> ring;
      for (std::size_t at = 0; at < burst; ++at) {
        there.repacking.to_ring(frames[which][sent[which]++], there.now, ring);
      }
      left -= burst;
      if (which == 0) on_ring += ring.size();
      for (const Cell& cell : back.to_atm(ring)) arrived[cell.vci() - 32U].push_back(cell);
    }
    ASSERT_EQ(arrived, frames) << cells << " cells";
    ASSERT_EQ(on_ring, (3 * cells + 1) / 2) << cells << " cells";
    for (Gateway* gateway : {&there, &back}) {
      gateway->wait();
      ASSERT_EQ(gateway->repacking.open(), 0U) << cells << " cells";
      ASSERT_THAT(gateway->waited_to_ring, IsEmpty()) << cells << " cells";
      ASSERT_THAT(gateway->waited_to_atm, IsEmpty()) << cells << " cells";
    }
  }
}

// A peer may begin a frame on every VCI, as often as it likes.
TEST(CfrRepacking, WhatIsOpenIsBoundedByTheVcis) {
  Gateway gateway;
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t vci = 0; vci <= 0xffff; ++vci) {
      gateway.to_atm({ring_cell(static_cast<std::uint16_t>(vci), 1, true, false)});
    }
  }
  EXPECT_EQ(gateway.repacking.open(), 0x10000U);
  EXPECT_EQ(gateway.repacking.counters().cut_frames, 2 * 0x10000U);
  EXPECT_EQ(gateway.repacking.next_due(), kNever);
}

TEST(CfrRepacking, EachStreamLeavesOnce) {
  Gateway gateway;
  for (std::uint32_t vci = 0; vci <= 0xffff; ++vci) {
    gateway.to_atm({ring_cell(static_cast<std::uint16_t>(vci), 1, false, false)});
  }
  gateway.wait();
  EXPECT_THAT(gateway.waited_to_atm, SizeIs(0x10000));
  gateway.wait();
  EXPECT_THAT(gateway.waited_to_atm, SizeIs(0x10000));
}

}  // namespace
}  // namespace xbind::dataplane
