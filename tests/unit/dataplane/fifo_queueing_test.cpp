#include "dataplane/fifo_queueing.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "cells.hpp"
#include "queues.hpp"

namespace xbind::dataplane {
namespace {

// Whether no cell was lost.
bool put(Queueing& queue, const Cell& cell, std::uint8_t priority = 0, ConnectionRef from = {}) {
  return !queue.enqueue({cell.header, cell.payload, from, priority}, TimePoint{});
}

TEST(FifoQueueing, FirstInFirstOut) {
  FifoQueueing queue({.cells_max = 4});
  for (std::uint32_t number = 1; number <= 3; ++number) put(queue, make_cell(0, 32, number));
  EXPECT_EQ(words(take(queue, 2)), "0/32:1 0/32:2");
  EXPECT_EQ(words(take(queue, 2)), "0/32:3");
  EXPECT_EQ(words(take(queue, 2)), "");
}

TEST(FifoQueueing, WhatDoesNotFitIsRefusedAtTheTail) {
  FifoQueueing queue({.cells_max = 2});
  EXPECT_TRUE(put(queue, make_cell(0, 32, 1)));
  EXPECT_TRUE(put(queue, make_cell(0, 32, 2)));
  EXPECT_FALSE(put(queue, make_cell(0, 32, 3)));
  EXPECT_EQ(words(take(queue, 9)), "0/32:1 0/32:2");
}

TEST(FifoQueueing, CellsOfLowLossPriorityStopEarlier) {
  FifoQueueing queue({.cells_max = 3, .clp1_cells_max = 1});
  EXPECT_TRUE(put(queue, make_cell(0, 32, 1, 0, true)));
  EXPECT_FALSE(put(queue, make_cell(0, 32, 2, 0, true)));
  EXPECT_TRUE(put(queue, make_cell(0, 32, 3)));
  EXPECT_TRUE(put(queue, make_cell(0, 32, 4)));
  EXPECT_FALSE(put(queue, make_cell(0, 32, 5)));
  EXPECT_EQ(words(take(queue, 9)), "0/32:1+clp 0/32:3 0/32:4");
}

TEST(FifoQueueing, ABetterPriorityOvertakes) {
  FifoQueueing queue({.cells_max = 4, .priorities = 2});
  EXPECT_TRUE(put(queue, make_cell(0, 40, 1), 1));
  // Priority 7 does not exist: the cell joins the lowest one.
  EXPECT_TRUE(put(queue, make_cell(0, 40, 2), 7));
  EXPECT_TRUE(put(queue, make_cell(0, 32, 3), 0));
  EXPECT_EQ(words(take(queue, 2)), "0/32:3 0/40:1");
  EXPECT_EQ(queue.size(), 1u);
}

TEST(FifoQueueing, APriorityMayFillTheWholeBuffer) {
  for (const std::uint8_t priority : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
    FifoQueueing queue({.cells_max = 3, .priorities = 3});
    for (std::uint32_t number = 1; number <= 3; ++number)
      EXPECT_TRUE(put(queue, make_cell(0, 32, number), priority));
    EXPECT_FALSE(put(queue, make_cell(0, 32, 4), priority));
    EXPECT_EQ(words(take(queue, 9)), "0/32:1 0/32:2 0/32:3");
  }
}

TEST(FifoQueueing, AFullBufferGivesTheWorstCellsPlaceToABetterOne) {
  constexpr ConnectionRef kBest{1, 0}, kMiddle{2, 0}, kWorst{3, 0};
  FifoQueueing queue({.cells_max = 3, .priorities = 3});
  const auto lost = [&](std::uint32_t number, std::uint8_t priority, ConnectionRef from) {
    const Cell cell = make_cell(0, 30 + priority, number);
    return queue.enqueue({cell.header, cell.payload, from, priority}, TimePoint{});
  };
  EXPECT_EQ(lost(1, 2, kWorst), std::nullopt);
  EXPECT_EQ(lost(2, 1, kMiddle), std::nullopt);
  EXPECT_EQ(lost(3, 2, kWorst), std::nullopt);
  EXPECT_EQ(lost(4, 2, kWorst), kWorst);   // its own cell is refused
  EXPECT_EQ(lost(5, 1, kMiddle), kWorst);  // the last cell of the worst queue leaves
  EXPECT_EQ(lost(6, 0, kBest), kWorst);
  EXPECT_EQ(lost(7, 1, kMiddle), kMiddle);  // nothing worse waits
  EXPECT_EQ(lost(8, 0, kBest), kMiddle);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(words(take(queue, 9)), "0/30:6 0/30:8 0/31:2");
}

TEST(FifoQueueing, CellsOfLowLossPriorityDoNotStopForWorseQueues) {
  FifoQueueing queue({.cells_max = 4, .clp1_cells_max = 2, .priorities = 2});
  for (std::uint32_t number = 1; number <= 3; ++number) put(queue, make_cell(0, 40, number), 1);
  EXPECT_FALSE(put(queue, make_cell(0, 40, 4, 0, true), 1));
  EXPECT_TRUE(put(queue, make_cell(0, 32, 5, 0, true), 0));
  EXPECT_EQ(queue.size(), 4u);
}

TEST(FifoQueueing, AnotherBoundHoldsFromTheNextCellOn) {
  FifoQueueing queue({.cells_max = 3, .priorities = 2});
  for (std::uint32_t number = 1; number <= 3; ++number) put(queue, make_cell(0, 32, number));
  queue.set_buffer(1);
  EXPECT_EQ(words(take(queue, 1)), "0/32:1");
  EXPECT_FALSE(put(queue, make_cell(0, 32, 4)));
  EXPECT_EQ(words(take(queue, 2)), "0/32:2 0/32:3");
  EXPECT_TRUE(put(queue, make_cell(0, 32, 5)));
  EXPECT_FALSE(put(queue, make_cell(0, 32, 6)));
  queue.set_buffer(2);
  EXPECT_TRUE(put(queue, make_cell(0, 32, 7)));
  EXPECT_EQ(words(take(queue, 9)), "0/32:5 0/32:7");
}

TEST(FifoQueueing, ABufferOfManyBlocksIsFreedAndFilledAgain) {
  FifoQueueing queue({.cells_max = 1000, .clp1_cells_max = 1000});
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t number = 0; number < 1000; ++number)
      ASSERT_TRUE(put(queue, make_cell(0, 32, number)));
    ASSERT_FALSE(put(queue, make_cell(0, 32, 1000)));
    const auto cells = take(queue, 1000);
    ASSERT_EQ(cells.size(), 1000u);
    for (std::uint32_t number = 0; number < 1000; ++number)
      ASSERT_EQ(number_of(cells[number]), number);
    ASSERT_EQ(queue.size(), 0u);
  }
}

TEST(FifoQueueing, TellsWhoseCellsTheyAre) {
  FifoQueueing queue({});
  put(queue, make_cell(0, 32), 0, {7, 3});
  put(queue, make_cell(0, 33), 0, {9, 0});
  std::array<Cell, 4> cells;
  std::array<ConnectionRef, 4> from;
  ASSERT_EQ(queue.dequeue(cells, from, TimePoint{}), 2u);
  EXPECT_EQ(from[0], (ConnectionRef{7, 3}));
  EXPECT_EQ(from[1], (ConnectionRef{9, 0}));
}

TEST(FifoQueueing, DroppingAllLeavesItEmptyAndTellsWhoseCellsTheyWere) {
  FifoQueueing queue({.cells_max = 2, .priorities = 2});
  put(queue, make_cell(0, 32, 1), 0, {7, 3});
  put(queue, make_cell(0, 32, 2), 1, {9, 0});
  std::vector<ConnectionRef> lost;
  queue.drop_all([&](ConnectionRef from) { lost.push_back(from); });
  EXPECT_EQ(lost, (std::vector<ConnectionRef>{{7, 3}, {9, 0}}));
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_TRUE(put(queue, make_cell(0, 32, 3)));
  EXPECT_EQ(words(take(queue, 9)), "0/32:3");
}

TEST(FifoQueueing, TheRingTurnsAsADequeWould) {
  std::mt19937_64 bits(5);
  FifoQueueing queue({.cells_max = 7, .clp1_cells_max = 7});
  std::deque<std::uint32_t> model;
  for (std::uint32_t number = 0; number < 20000; ++number) {
    if (bits() % 2 == 0) {
      ASSERT_EQ(put(queue, make_cell(0, 32, number)), model.size() < 7);
      if (model.size() < 7) model.push_back(number);
    } else {
      for (const Cell& cell : take(queue, bits() % 5)) {
        ASSERT_EQ(number_of(cell), model.front());
        model.pop_front();
      }
    }
    ASSERT_EQ(queue.size(), model.size());
  }
}

}  // namespace
}  // namespace xbind::dataplane
