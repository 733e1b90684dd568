#include "dataplane/links/ring.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "../cells.hpp"

namespace xbind::dataplane {
namespace {

std::vector<Cell> take(Link& link, std::size_t count) {
  std::vector<Cell> cells(count);
  cells.resize(link.receive(cells));
  return cells;
}

TEST(Ring, WhatGoesInAtOneEndComesOutAtTheOther) {
  const auto [left, right] = make_ring(8);
  const std::array cells{make_cell(0, 32, 1), make_cell(0, 33, 2)};
  EXPECT_EQ(left->send(cells), 2u);
  EXPECT_EQ(right->send(std::span(cells).last(1)), 1u);
  EXPECT_EQ(words(take(*right, 9)), "0/32:1 0/33:2");
  EXPECT_EQ(words(take(*left, 9)), "0/33:2");
  EXPECT_EQ(words(take(*left, 9)), "");
  EXPECT_EQ(left->counters(), (LinkCounters{.cells_in = 1, .cells_out = 2}));
}

TEST(Ring, AFullOneTakesWhatFits) {
  const auto [left, right] = make_ring(2);
  const std::array cells{make_cell(0, 32, 1), make_cell(0, 32, 2), make_cell(0, 32, 3)};
  EXPECT_EQ(left->send(cells), 2u);
  EXPECT_EQ(left->send(std::span(cells).last(1)), 0u);
  EXPECT_EQ(left->counters().full, 2u);
  EXPECT_EQ(words(take(*right, 1)), "0/32:1");
  EXPECT_EQ(left->send(std::span(cells).last(1)), 1u);
  EXPECT_EQ(words(take(*right, 9)), "0/32:2 0/32:3");
}

TEST(Ring, AnEndThatWentTakesNothingAlong) {
  auto [left, right] = make_ring(2);
  left->send(std::array{make_cell(0, 32, 1)});
  left.reset();
  EXPECT_EQ(words(take(*right, 9)), "0/32:1");
}

TEST(Ring, TwoThreadsSeeEveryCellOnceAndInOrder) {
  constexpr std::uint32_t kCells = 200000;
  auto [left, right] = make_ring(64);
  std::thread sender([&, &out = *left] {
    std::uint32_t next = 0;
    while (next < kCells) {
      std::array<Cell, 16> cells;
      for (std::uint32_t index = 0; index < 16; ++index)
        cells[index] = make_cell(0, 32, next + index);
      const std::size_t sent = out.send(std::span(cells).first(std::min(16U, kCells - next)));
      next += static_cast<std::uint32_t>(sent);
      if (sent == 0) std::this_thread::yield();
    }
  });
  std::uint32_t expected = 0;
  while (expected < kCells) {
    const auto cells = take(*right, 32);
    if (cells.empty()) std::this_thread::yield();
    for (const Cell& cell : cells) EXPECT_EQ(cell, make_cell(0, 32, expected++));
  }
  sender.join();
}

}  // namespace
}  // namespace xbind::dataplane
