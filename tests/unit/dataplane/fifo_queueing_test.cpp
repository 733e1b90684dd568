#include "dataplane/fifo_queueing.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "cells.hpp"

namespace xbind::dataplane {
namespace {

bool put(Queueing& queue, const Cell& cell, std::uint8_t priority = 0, ConnectionRef from = {}) {
  return queue.enqueue({cell.header, cell.payload, from, priority}, TimePoint{});
}
std::vector<Cell> take(Queueing& queue, std::size_t count) {
  std::vector<Cell> cells(count);
  std::vector<ConnectionRef> from(count);
  cells.resize(queue.dequeue(cells, from, TimePoint{}));
  return cells;
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

TEST(FifoQueueing, ABetterPriorityOvertakesAndHasItsOwnRoom) {
  FifoQueueing queue({.cells_max = 2, .priorities = 2});
  EXPECT_TRUE(put(queue, make_cell(0, 40, 1), 1));
  // Priority 7 does not exist: the cell joins the lowest one.
  EXPECT_TRUE(put(queue, make_cell(0, 40, 2), 7));
  EXPECT_FALSE(put(queue, make_cell(0, 40, 3), 1));
  EXPECT_TRUE(put(queue, make_cell(0, 32, 4), 0));
  EXPECT_EQ(words(take(queue, 2)), "0/32:4 0/40:1");
  EXPECT_EQ(queue.size(), 1u);
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

TEST(FifoQueueing, DroppingAllLeavesItEmpty) {
  FifoQueueing queue({.cells_max = 2, .priorities = 2});
  put(queue, make_cell(0, 32, 1));
  put(queue, make_cell(0, 32, 2), 1);
  EXPECT_EQ(queue.drop_all(), 2u);
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
