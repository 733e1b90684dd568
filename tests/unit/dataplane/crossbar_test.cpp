// A switch with a crossbar between its inputs and its outputs' queues.
#include "dataplane/crossbar.hpp"

#include <gtest/gtest.h>

#include <random>

#include "cells.hpp"
#include "dataplane/cells/aal5_frame.hpp"
#include "dataplane/links/ring.hpp"
#include "dataplane/oam/loopback_cell.hpp"
#include "dataplane/switch_fabric.hpp"

namespace xbind::dataplane {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TimePoint kFirstSlot{seconds{100}};

CrossbarNetwork::Random crossbar_chance(std::uint32_t seed) {
  return [bits = std::mt19937(seed)]() mutable { return std::uint32_t(bits()); };
}

class Crossed : public ::testing::Test {
 protected:
  explicit Crossed(CrossbarSize size = CrossbarSize::k4x4, std::uint32_t seed = 1)
      : ports(ports_of(size)),
        fabric({.ports = ports, .labels = {atm_range(0, 15, 32, 1023)}},
               {.cells_max = 100'000, .priorities = 4}) {
    fabric.set_crossbar(size, crossbar_chance(seed));
  }

  // Label 0/32 + `index` of input `in` to 0/100 + `in` * 100 + `index` of output `out`.
  void add(std::uint32_t in, std::uint32_t index, std::uint32_t out,
           ServiceClass service = ServiceClass::kUbr, bool frames = false) {
    Branch branch{.port = PortId{out},
                  .vci = static_cast<std::uint16_t>(100 + 100 * in + index),
                  .service = service};
    branch.frames = FrameDiscard(frames);
    const auto added = fabric.table().add_branch(input(in, index), branch);
    ASSERT_TRUE(added.has_value()) << added.error().text;
  }
  static VirtualLink input(std::uint32_t in, std::uint32_t index = 0) {
    return channel(PortId{in}, 0, static_cast<std::uint16_t>(32 + index));
  }
  void remove(std::uint32_t in, std::uint32_t index, std::uint32_t out) {
    const Branch branch{.port = PortId{out},
                        .vci = static_cast<std::uint16_t>(100 + 100 * in + index)};
    ASSERT_TRUE(fabric.table().delete_branch(input(in, index), branch));
  }
  void come(std::uint32_t in, std::uint32_t number, std::uint32_t index = 0, std::uint32_t pt = 0) {
    const Cell cell = make_cell(0, 32 + index, number, pt);
    fabric.receive(PortId{in}, std::span(&cell, 1), now);
  }
  std::string sent(std::uint32_t out, std::size_t count = 64) {
    std::vector<Cell> cells(count);
    cells.resize(fabric.transmit(PortId{out}, cells, now));
    return words(cells);
  }
  // One slot from now.
  void slot() {
    fabric.pump(now);
    now += Crossbar::kSlot;
  }
  const CrossbarCounters& counters(std::uint32_t in) const {
    return fabric.crossbar()->counters(PortId{in});
  }

  std::uint32_t ports;
  SwitchFabric fabric;
  TimePoint now = kFirstSlot;
};

class CrossedOf16 : public Crossed {
 protected:
  CrossedOf16() : Crossed(CrossbarSize::k16x16) {}
};

TEST_F(Crossed, ACellWaitsAtItsInputForASlot) {
  add(1, 0, 2);
  EXPECT_EQ(fabric.next_deadline(), kNever);
  come(1, 7);
  EXPECT_EQ(sent(2), "");
  EXPECT_EQ(fabric.crossbar()->waiting(PortId{1}), 1U);
  EXPECT_EQ(fabric.next_deadline(), now);
  EXPECT_EQ(fabric.pump(now), 1U);
  EXPECT_EQ(sent(2), "0/200:7");
  EXPECT_EQ(counters(1), (CrossbarCounters{.cells = 1, .passed = 1}));
  EXPECT_EQ(fabric.counters(input(1)), (ConnectionCounters{.input_cells = 1, .output_cells = 1}));
  EXPECT_EQ(fabric.next_deadline(), kNever);
}

TEST_F(Crossed, ASlotTakesOneCellOfAnInput) {
  add(1, 0, 2);
  for (std::uint32_t number = 0; number < 4; ++number) come(1, number);
  EXPECT_EQ(fabric.pump(now), 1U);
  EXPECT_EQ(fabric.pump(now), 0U) << "the slot lasts";
  EXPECT_EQ(fabric.crossbar()->next_slot(), now + Crossbar::kSlot);
  EXPECT_EQ(fabric.pump(now + Crossbar::kSlot - Duration{1}), 0U);
  EXPECT_EQ(fabric.pump(now + Crossbar::kSlot), 1U);
  EXPECT_EQ(fabric.pump(now + 3 * Crossbar::kSlot), 2U) << "a late caller catches up";
  EXPECT_EQ(sent(2), "0/200:0 0/200:1 0/200:2 0/200:3");
}

TEST_F(Crossed, ItCarries312500CellsASecond) {
  add(1, 0, 2);
  std::uint32_t number = 0;
  std::size_t moved = 0;
  for (const TimePoint end = now + milliseconds{100}; now < end;
       now += std::chrono::microseconds{100}) {
    for (int each = 0; each < 40; ++each) come(1, number++);
    moved += fabric.pump(now);
  }
  EXPECT_EQ(moved, 31'250U - 31U) << "but for the slots after the last call";
}

TEST_F(Crossed, SlotsOfAnIdleOrVeryLateNetworkAreLost) {
  add(1, 0, 2);
  come(1, 0);
  fabric.pump(now);
  now += seconds{1};
  for (std::uint32_t number = 1; number < 2'000; ++number) come(1, number);
  EXPECT_EQ(fabric.pump(now), 1U) << "it was idle";
  now += seconds{1};
  std::size_t moved = 0;
  while (const std::size_t some = fabric.pump(now)) {
    EXPECT_LE(some, Crossbar::kSlotsAtOnce);
    moved += some;
  }
  EXPECT_EQ(moved, 313U) << "of a millisecond, and that which begins now";
}

TEST_F(Crossed, TheFirstCellOfAQueueHoldsBackThoseBehindIt) {
  add(1, 0, 3);
  add(1, 1, 4);
  add(2, 0, 3, ServiceClass::kCbr);
  come(1, 10);
  come(1, 11, 1);
  come(2, 20);
  come(2, 21);
  slot();
  slot();
  EXPECT_EQ(sent(3), "0/300:20 0/300:21");
  EXPECT_EQ(sent(4), "") << "output 4 was idle twice";
  slot();
  slot();
  EXPECT_EQ(sent(3), "0/200:10");
  EXPECT_EQ(sent(4), "0/201:11");
  EXPECT_EQ(counters(1), (CrossbarCounters{.cells = 2, .passed = 2, .nacks = 2}));
  EXPECT_EQ(counters(2), (CrossbarCounters{.cells = 2, .passed = 2}));
}

TEST_F(Crossed, PriorityCellsWin) {
  add(1, 0, 4);
  add(2, 0, 4, ServiceClass::kNrtVbr);
  add(3, 0, 4, ServiceClass::kRtVbr);
  for (std::uint32_t number = 0; number < 50; ++number) {
    come(1, 100 + number);
    come(2, 200 + number);
    come(3, 300 + number);
  }
  for (int turn = 0; turn < 50; ++turn) slot();
  EXPECT_EQ(counters(3), (CrossbarCounters{.cells = 50, .passed = 50}));
  EXPECT_EQ(counters(1).passed + counters(2).passed, 0U);
  for (int turn = 0; turn < 100; ++turn) slot();
  EXPECT_EQ(counters(1).passed + counters(2).passed, 100U);
  EXPECT_GT(counters(1).nacks, 50U);
}

TEST_F(CrossedOf16, PairsOfPortsBlockEachOther) {
  for (const std::uint32_t in : {0U, 1U, 4U}) {
    for (const std::uint32_t out : {5U, 6U, 8U}) add(in + 1, out, out + 1);
  }
  const auto nacks_of = [&](std::uint32_t one, std::uint32_t to, std::uint32_t two,
                            std::uint32_t other) {
    const std::uint64_t before = counters(one + 1).nacks + counters(two + 1).nacks;
    come(one + 1, 0, to);
    come(two + 1, 0, other);
    slot();
    slot();
    return counters(one + 1).nacks + counters(two + 1).nacks - before;
  };
  EXPECT_EQ(nacks_of(0, 5, 1, 6), 1U);
  EXPECT_EQ(nacks_of(0, 5, 4, 6), 0U);
  EXPECT_EQ(nacks_of(0, 5, 1, 8), 0U);
}

TEST_F(Crossed, AFullInputLosesCellsAndCountsThem) {
  add(1, 0, 2);
  add(2, 0, 2);
  for (std::uint32_t number = 0; number < Crossbar::kInputCellsMax + 5; ++number) come(1, number);
  come(2, 7);
  EXPECT_EQ(fabric.crossbar()->waiting(PortId{1}), Crossbar::kInputCellsMax);
  EXPECT_EQ(counters(1).lost, 5U);
  EXPECT_EQ(fabric.counters(PortId{1}),
            (PortCounters{.input_cells = Crossbar::kInputCellsMax + 5, .input_discards = 5}));
  EXPECT_EQ(fabric.counters(PortId{2}), (PortCounters{.input_cells = 1}));
  const Connection* const connection = fabric.table().find(input(1));
  EXPECT_EQ(fabric.crossbar()->lost_of(connection->self), 5U);
  EXPECT_EQ(fabric.crossbar()->lost_of(fabric.table().find(input(2))->self), 0U);
  // Another connection of the same slot has lost nothing.
  const ConnectionRef before = connection->self;
  ASSERT_TRUE(fabric.table().delete_connection(input(1)));
  add(1, 0, 2);
  const ConnectionRef after = fabric.table().find(input(1))->self;
  ASSERT_EQ(after.slot, before.slot);
  EXPECT_EQ(fabric.crossbar()->lost_of(after), 0U);
}

TEST_F(Crossed, WhatAFullInputCostsIsWholeFrames) {
  add(1, 0, 2, ServiceClass::kUbr, true);
  add(1, 1, 2, ServiceClass::kUbr, true);
  std::vector<Cell> frame;
  const std::vector<std::byte> octets(30 * kPayloadOctets - 8);
  ASSERT_TRUE(aal5_segment(octets, {.vci = 32}, frame).has_value());
  // Four cells come in the time of one.
  for (int frames = 0, cells = 0; frames < 400; ++frames) {
    for (const Cell& cell : frame) {
      fabric.receive(PortId{1}, std::span(&cell, 1), now);
      Cell other = cell;
      other.header = cell_header(0, 33, cell.pt());
      fabric.receive(PortId{1}, std::span(&other, 1), now);
      if (++cells % 2 == 0) slot();
    }
  }
  for (std::size_t left = Crossbar::kInputCellsMax; left > 0; --left) slot();
  Aal5Reassembly sink(octets.size());
  std::size_t whole = 0, cells = 0;
  std::array<Cell, 64> sent_now;
  while (const std::size_t count = fabric.transmit(PortId{2}, sent_now, now)) {
    for (const Cell& cell : std::span(sent_now).first(count)) {
      if (cell.vci() != 200) continue;
      ++cells;
      if (sink.push(cell) == Aal5Outcome::kFrame) ++whole;
    }
  }
  EXPECT_GT(counters(1).lost, 1'000U);
  EXPECT_GT(whole, 60U);
  EXPECT_GE(whole * frame.size(), cells * 9 / 10) << "of the cells that arrive few are of no use";
}

TEST_F(Crossed, ATreeHasACopyForEachBranchOneAfterTheOther) {
  add(1, 0, 2);
  add(1, 0, 3);
  add(1, 0, 4);
  add(1, 1, 3);
  come(1, 7);
  come(1, 8, 1);
  slot();
  EXPECT_EQ(sent(2) + sent(3) + sent(4), "0/200:7");
  slot();
  EXPECT_EQ(sent(3), "0/200:7");
  slot();
  EXPECT_EQ(sent(4), "0/200:7");
  EXPECT_EQ(fabric.crossbar()->waiting(PortId{1}), 1U);
  slot();
  EXPECT_EQ(sent(3), "0/201:8");
  EXPECT_EQ(counters(1), (CrossbarCounters{.cells = 2, .passed = 4}));
  EXPECT_EQ(fabric.counters(input(1)), (ConnectionCounters{.input_cells = 1, .output_cells = 3}));
}

TEST_F(Crossed, ARefusedCopyOfATreeIsRepeatedAlone) {
  add(1, 0, 2);
  add(1, 0, 3);
  add(2, 0, 3, ServiceClass::kCbr);
  come(1, 7);
  slot();
  come(2, 8);
  slot();
  EXPECT_EQ(counters(1), (CrossbarCounters{.cells = 1, .passed = 1, .nacks = 1}));
  slot();
  EXPECT_EQ(sent(2), "0/200:7");
  EXPECT_EQ(sent(3), "0/300:8 0/200:7");
}

TEST_F(Crossed, ABranchThatIsDeletedMeanwhileGetsNoCopy) {
  for (const std::uint32_t out : {2U, 3U, 4U}) add(1, 0, out);
  come(1, 7);
  come(1, 8);
  slot();
  remove(1, 0, 3);
  for (int turn = 0; turn < 4; ++turn) slot();
  EXPECT_EQ(sent(2), "0/200:7 0/200:8");
  EXPECT_EQ(sent(3), "");
  EXPECT_EQ(sent(4), "0/200:7 0/200:8");
  EXPECT_EQ(fabric.counters(PortId{1}).input_discards, 0U);
  EXPECT_EQ(fabric.next_deadline(), kNever);
}

TEST_F(Crossed, ABranchThatIsAddedMeanwhileGetsCellsThatAreNotFirstYet) {
  add(1, 0, 2);
  add(1, 0, 3);
  come(1, 7);
  come(1, 8);
  slot();
  add(1, 0, 4);
  for (int turn = 0; turn < 4; ++turn) slot();
  EXPECT_EQ(sent(2), "0/200:7 0/200:8");
  EXPECT_EQ(sent(3), "0/200:7 0/200:8");
  EXPECT_EQ(sent(4), "0/200:8");
}

TEST_F(Crossed, ABranchThatIsMovedGetsEachCellOnce) {
  const auto move = [&](std::uint16_t from, std::uint16_t to) {
    ASSERT_TRUE(fabric.table().replace_branch(input(1), {.port = PortId{from}, .vci = 200},
                                              {.port = PortId{to}, .vci = 200}));
  };
  add(1, 0, 2);
  come(1, 1);
  come(1, 2);
  slot();
  move(2, 3);
  slot();
  EXPECT_EQ(sent(2), "0/200:1");
  EXPECT_EQ(sent(3), "0/200:2");
  // Of a tree: one that is still to get the first cell, and one that has it.
  add(1, 0, 4);
  come(1, 3);
  slot();
  move(4, 2);
  slot();
  EXPECT_EQ(sent(3), "0/200:3");
  EXPECT_EQ(sent(2), "0/200:3");
  come(1, 4);
  slot();
  move(3, 4);
  slot();
  EXPECT_EQ(sent(3), "0/200:4");
  EXPECT_EQ(sent(2), "0/200:4");
  EXPECT_EQ(sent(4), "");
  EXPECT_EQ(fabric.next_deadline(), kNever);
}

TEST_F(Crossed, CellsOfAConnectionThatHasEndedAreLostAndCounted) {
  add(1, 0, 2);
  add(1, 1, 3);
  come(1, 7);
  come(1, 8);
  come(1, 9, 1);
  ASSERT_TRUE(fabric.table().delete_connection(input(1)));
  add(1, 0, 4);  // the label is somebody else's
  EXPECT_EQ(fabric.pump(now), 3U) << "two lost, and the slot is not";
  EXPECT_EQ(sent(2) + sent(4), "");
  EXPECT_EQ(sent(3), "0/201:9");
  EXPECT_EQ(counters(1), (CrossbarCounters{.cells = 3, .lost = 2, .passed = 1}));
  EXPECT_EQ(fabric.counters(PortId{1}), (PortCounters{.input_cells = 3, .input_discards = 2}));
  EXPECT_EQ(fabric.crossbar()->lost_of(fabric.table().find(input(1))->self), 0U);
}

TEST_F(Crossed, ALineThatFailsLosesItsInputsCells) {
  add(1, 0, 2);
  add(2, 0, 1);
  for (std::uint32_t number = 0; number < 3; ++number) come(1, number);
  come(2, 9);
  fabric.set_line(PortId{1}, false);
  EXPECT_EQ(fabric.counters(PortId{1}), (PortCounters{.input_cells = 3, .input_discards = 3}));
  EXPECT_EQ(fabric.crossbar()->lost_of(fabric.table().find(input(1))->self), 3U);
  EXPECT_EQ(counters(1), (CrossbarCounters{.cells = 3, .lost = 3}));
  slot();
  EXPECT_EQ(sent(2), "");
  // The cell for the line that is down crosses and is lost at its output.
  EXPECT_EQ(fabric.counters(PortId{1}).output_discards, 1U);
  EXPECT_EQ(fabric.counters(input(2)),
            (ConnectionCounters{.input_cells = 1, .output_discards = 1}));
  fabric.set_line(PortId{1}, true);
  come(1, 4);
  slot();
  EXPECT_EQ(sent(2), "0/200:4");
}

// A tree's first cell loses its place in the middle.
TEST_F(Crossed, ALineThatFailsForgetsWhichCopyWasNext) {
  add(1, 0, 2);
  add(1, 0, 3);
  add(1, 1, 4);
  come(1, 1);
  slot();
  fabric.set_line(PortId{1}, false);
  fabric.set_line(PortId{1}, true);
  come(1, 2);
  come(1, 3, 1);
  for (int turn = 0; turn < 3; ++turn) slot();
  EXPECT_EQ(sent(2), "0/200:1 0/200:2");
  EXPECT_EQ(sent(3), "0/200:2");
  EXPECT_EQ(sent(4), "0/201:3");
}

TEST_F(Crossed, PumpCarriesCellsFromLineToLine) {
  add(1, 0, 2);
  auto [near, host] = make_ring(256);
  auto [other, far] = make_ring(256);
  fabric.attach(PortId{1}, std::move(near));
  fabric.attach(PortId{2}, std::move(other));
  std::vector<Cell> cells;
  for (std::uint32_t number = 0; number < 200; ++number) cells.push_back(make_cell(0, 32, number));
  ASSERT_EQ(host->send(cells), cells.size());
  for (TimePoint due = now; due != kNever; due = fabric.next_deadline()) {
    now = std::max(now, due);
    while (fabric.pump(now) > 0) {
    }
  }
  EXPECT_GE(now, kFirstSlot + 199 * Crossbar::kSlot);
  std::vector<Cell> arrived(300);
  arrived.resize(far->receive(arrived));
  ASSERT_EQ(arrived.size(), 200U);
  for (std::uint32_t number = 0; number < 200; ++number)
    EXPECT_EQ(number_of(arrived[number]), number);
}

TEST_F(Crossed, AnOamRequestForAPointBeyondCrossesAndItsAnswerReturns) {
  fabric.set_node_name("a");
  add(1, 0, 2);
  const LoopbackPoint beyond{
      .node = node_number("b"), .side = Direction::kIn, .port = PortId{1}, .label = 200};
  LoopbackCell request{.tag = 5, .location = location_id(beyond), .source = source_id(77)};
  const auto cell_of = [](const LoopbackCell& loopback, std::uint16_t vci) {
    return Cell{.header = cell_header(0, vci, 5), .payload = encode_loopback(loopback)};
  };
  const Cell asked = cell_of(request, 32);
  fabric.receive(PortId{1}, std::span(&asked, 1), now);
  EXPECT_EQ(sent(2), "");
  slot();
  std::array<Cell, 2> out;
  ASSERT_EQ(fabric.transmit(PortId{2}, out, now), 1U);
  request.request = false;
  const Cell answered = cell_of(request, 200);
  fabric.receive(PortId{2}, std::span(&answered, 1), now);
  ASSERT_EQ(fabric.transmit(PortId{1}, out, now), 1U);
  EXPECT_EQ(out[0].vci(), 32);
  EXPECT_EQ(fabric.loopback_counters().returned, 1U);
}

}  // namespace
}  // namespace xbind::dataplane
