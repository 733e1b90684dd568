// The propagation delay of a line, on a clock of the test's own.
#include "dataplane/propagation.hpp"

#include <gtest/gtest.h>

#include "cells.hpp"
#include "dataplane/links/ring.hpp"

namespace xbind::dataplane {
namespace {

using namespace std::chrono_literals;

class PropagationTest : public ::testing::Test {
 protected:
  std::vector<Cell> receive(Propagation& propagation, std::size_t most = 64) {
    std::vector<Cell> cells(most);
    cells.resize(propagation.receive(*near, cells, now));
    return cells;
  }
  void send(std::uint32_t number) { far->send(std::vector{make_cell(0, 32, number)}); }

  TimePoint now = TimePoint{} + 1000s;
  std::unique_ptr<Link> near;
  std::unique_ptr<Link> far;

  PropagationTest() { std::tie(near, far) = make_ring(4'096); }
};

TEST_F(PropagationTest, ACellArrivesAfterTheDelay) {
  Propagation line(5ms, 100);
  EXPECT_EQ(line.next(), kNever);
  send(1);
  EXPECT_TRUE(receive(line).empty());
  EXPECT_EQ(line.next(), now + 5ms);
  now += 2ms;
  send(2);
  EXPECT_TRUE(receive(line).empty());
  now += 3ms - 1ns;
  EXPECT_TRUE(receive(line).empty());
  now += 1ns;
  EXPECT_EQ(words(receive(line)), "0/32:1");
  EXPECT_EQ(line.next(), now + 2ms);
  now += 10ms;
  EXPECT_EQ(words(receive(line)), "0/32:2");
  EXPECT_EQ(line.next(), kNever);
}

TEST_F(PropagationTest, CellsKeepTheirOrderAndTheRestWaits) {
  Propagation line(1ms, 1'000);
  for (std::uint32_t number = 0; number < 300; ++number) send(number);
  EXPECT_TRUE(receive(line).empty());
  EXPECT_EQ(line.held(), 300U);
  now += 1ms;
  std::uint32_t next = 0;
  for (const std::size_t most : {100U, 64U, 200U}) {
    for (const Cell& cell : receive(line, most)) EXPECT_EQ(number_of(cell), next++);
  }
  EXPECT_EQ(next, 300U);
  EXPECT_EQ(line.lost(), 0U);
}

TEST_F(PropagationTest, TheLineHoldsNoMoreThanItsBound) {
  Propagation line(1ms, 10);
  for (std::uint32_t number = 0; number < 25; ++number) send(number);
  EXPECT_TRUE(receive(line).empty());
  EXPECT_EQ(line.held(), 10U);
  EXPECT_EQ(line.lost(), 15U);
  now += 1ms;
  EXPECT_EQ(receive(line).size(), 10U);
}

TEST_F(PropagationTest, OneCallTakesABoundedNumberOfCells) {
  Propagation line(1ms, 4'000);
  for (std::uint32_t number = 0; number < 2'000; ++number) send(number);
  EXPECT_TRUE(receive(line).empty());
  EXPECT_EQ(line.held(), Propagation::kTakenMax);
  for (int times = 0; times < 4; ++times) receive(line);
  EXPECT_EQ(line.held(), 2'000U);
}

TEST(PropagationCells, TheBoundIsTwiceWhatIsInFlight) {
  EXPECT_EQ(propagation_cells(353'207, 5ms), 2 * 1'766U + 4'096U);
  EXPECT_EQ(propagation_cells(353'207, 0ns), 4'096U);
}

}  // namespace
}  // namespace xbind::dataplane
