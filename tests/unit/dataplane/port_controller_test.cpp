// Rows F1 to F4 of docs/fairisle.md, on a clock of the test's own: what a port controller forwards,
// when, and what it loses.
#include "dataplane/port_controller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "cells.hpp"
#include "dataplane/switch_fabric.hpp"

namespace xbind::dataplane {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr TimePoint kBegin = TimePoint{} + 1000s;

double payload_mbit(std::uint64_t cells, Duration time) {
  return static_cast<double>(cells) * 384e3 / static_cast<double>(time.count());
}

PortControllerProfile profile_of(const std::string& text) {
  const auto read = parse_port_controller(text);
  EXPECT_TRUE(read.has_value()) << text;
  return read.value_or(PortControllerProfile{});
}

// Offers bursts of `burst` cells, as far apart as the load says, and counts what is forwarded.
struct Offered {
  double mbit;  // of payload
  std::size_t burst;
  Duration time = 500ms;
};

struct Seen {
  double mbit = 0;  // of payload, forwarded
  double busy = 0;  // share of the time
  PortControllerCounters counters;
};

Seen offer(const PortControllerProfile& profile, const Offered& load) {
  PortController controller(profile);
  std::vector<Cell> out(256);
  const double period_ns = static_cast<double>(load.burst) * 384e3 / load.mbit;
  for (std::uint64_t number = 0;; ++number) {
    const TimePoint now = kBegin + Duration{std::llround(period_ns * static_cast<double>(number))};
    if (now >= kBegin + load.time) break;
    while (controller.take(out, now) == out.size()) {
    }
    for (std::size_t cell = 0; cell < load.burst; ++cell) controller.arrive(make_cell(0, 32), now);
  }
  while (controller.take(out, kBegin + load.time) == out.size()) {
  }
  return {payload_mbit(controller.counters().forwarded, load.time),
          static_cast<double>(controller.counters().busy.count()) /
              static_cast<double>(load.time.count()),
          controller.counters()};
}

void expect_near_part(double value, double wanted, double part) {
  EXPECT_NEAR(value, wanted, wanted * part);
}

// ----- rates -----

TEST(PortController, TheLineCarriesThePayloadOfItsRate) {  // F1
  expect_near_part(offer(profile_of("mbit:100/overhead:2"), {200, 64, 5s}).mbit, 87.27, 0.005);
  expect_near_part(offer(profile_of("mbit:100/overhead:0"), {200, 64, 5s}).mbit, 90.57, 0.005);
  expect_near_part(offer(profile_of("mbit:34.368/overhead:0"), {200, 64, 5s}).mbit,
                   34.368 * 48 / 53, 0.005);
}

struct Plateau {
  const char* profile;
  double mbit;
};

class PortControllerPlateau : public ::testing::TestWithParam<Plateau> {};

TEST_P(PortControllerPlateau, IsThatOfThePaper) {  // F2
  const PortControllerProfile profile = profile_of(GetParam().profile);
  for (const std::size_t burst : {1U, 8U, 64U}) {
    SCOPED_TRACE(burst);
    expect_near_part(offer(profile, {200, burst, 2s}).mbit, GetParam().mbit, 0.01);
    const Seen below = offer(profile, {GetParam().mbit * 0.99, burst, 2s});
    EXPECT_EQ(below.counters.lost_line + below.counters.lost_buffer, 0U);
    expect_near_part(below.mbit, GetParam().mbit * 0.99, 0.002);
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, PortControllerPlateau,
                         ::testing::Values(Plateau{"fpc2-arm3", 73.4}, Plateau{"fpc2-arm600", 82.5},
                                           Plateau{"fpc3", 87.3}),
                         [](const auto& all) {
                           std::string name = all.param.profile;
                           std::erase(name, '-');
                           return name;
                         });

TEST(PortController, TheFirmwareLimitsTheArm600AndItsProcessorHasTimeToSpare) {
  const Seen seen = offer(profile_of("fpc2-arm600"), {200, 64, 1s});
  EXPECT_LT(seen.busy, 0.96);
  EXPECT_GT(seen.busy, 0.90);
  EXPECT_GT(offer(profile_of("fpc2-arm3"), {200, 64, 1s}).busy, 0.999);
}

// The highest rate at which the processor still leaves the interrupt routine.
double first_busy(const PortControllerProfile& profile, std::size_t burst) {
  double idle = 1;
  double busy = 87;
  while (busy - idle > 0.05) {
    const double at = (idle + busy) / 2;
    (offer(profile, {at, burst, 100ms}).busy < 0.999 ? idle : busy) = at;
  }
  return idle;
}

TEST(PortController, TheRateOfAlwaysBusyRisesWithTheBurstAndFlattens) {  // F3, F4
  const PortControllerProfile profile = profile_of("fpc2-arm3");
  const auto ns = [](Duration time) { return static_cast<double>(time.count()); };
  double before = 0;
  double last = 0;
  for (const std::size_t burst : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
    SCOPED_TRACE(burst);
    const double rate = first_busy(profile, burst);
    const auto cells = static_cast<double>(burst);
    expect_near_part(rate, cells * 384e3 / (ns(profile.burst) + cells * ns(profile.cell)), 0.01);
    EXPECT_GT(rate, last);
    // The absolute maximum does not: a processor that never leaves pays no interrupts.
    expect_near_part(offer(profile, {85, burst}).mbit, 73.4, 0.01);
    before = std::exchange(last, rate);
  }
  EXPECT_GT(before, last * 0.98);
}

TEST(PortController, SingleCellsTakeAllOfTheFpc3From40To50On) {  // F5
  const double knee = first_busy(profile_of("fpc3"), 1);
  EXPECT_GE(knee, 40);
  EXPECT_LE(knee, 50);
  // Nothing is left from there on, up to the whole line, which is forwarded all the same.
  for (const double mbit : {knee + 1, 60.0, 75.0, 87.0}) {
    const Seen seen = offer(profile_of("fpc3"), {mbit, 1});
    EXPECT_GT(seen.busy, 0.998) << mbit;
    expect_near_part(seen.mbit, mbit, 0.002);
  }
}

// ----- single cells -----

class PortControllerSingle : public ::testing::Test {
 protected:
  std::vector<Cell> take(Duration at, std::size_t most = 64) {
    std::vector<Cell> cells(most);
    cells.resize(controller.take(cells, kBegin + at));
    return cells;
  }
  bool arrive(std::uint32_t number, Duration at) {
    return controller.arrive(make_cell(0, 32, number), kBegin + at);
  }

  PortController controller{profile_of("burst-us:10/cell-us:4/mbit:440/overhead:2/buffer:3")};
};

TEST_F(PortControllerSingle, ABurstIsOneInterruptAndACellEach) {
  EXPECT_EQ(controller.next(), kNever);
  for (std::uint32_t number = 1; number <= 3; ++number) EXPECT_TRUE(arrive(number, 0us));
  EXPECT_EQ(controller.next(), kBegin + 4us);
  EXPECT_EQ(words(take(4us - 1ns)), "");
  EXPECT_EQ(words(take(4us)), "0/32:1");
  EXPECT_EQ(words(take(12us)), "0/32:2 0/32:3");
  EXPECT_EQ(controller.counters().interrupts, 1U);
  EXPECT_EQ(controller.counters().busy, 22us);
}

TEST_F(PortControllerSingle, ACellThatComesWhileItLeavesWaitsUntilItHasLeft) {
  EXPECT_TRUE(arrive(1, 0us));
  EXPECT_TRUE(arrive(2, 5us));  // it leaves from 4 to 14
  EXPECT_EQ(words(take(18us - 1ns)), "0/32:1");
  EXPECT_EQ(words(take(18us)), "0/32:2");
  EXPECT_TRUE(arrive(3, 28us + 1ns));  // it has left
  EXPECT_EQ(controller.next(), kBegin + 32us + 1ns);
  EXPECT_EQ(words(take(33us)), "0/32:3");
  EXPECT_EQ(controller.counters().interrupts, 3U);
}

TEST_F(PortControllerSingle, ACellThatComesBeforeTheLastIsForwardedInterruptsNothing) {
  EXPECT_TRUE(arrive(1, 0us));
  EXPECT_TRUE(arrive(2, 3us));
  EXPECT_EQ(words(take(8us)), "0/32:1 0/32:2");
  EXPECT_EQ(controller.counters().interrupts, 1U);
}

TEST_F(PortControllerSingle, TheLineDeliversACellAtATime) {
  PortController slow(profile_of("mbit:0.44/overhead:2"));  // 1 ms a cell
  for (std::uint32_t number = 0; number < 3; ++number) slow.arrive(make_cell(0, 32), kBegin);
  std::vector<Cell> out(8);
  EXPECT_EQ(slow.take(out, kBegin + 1ms - 1ns), 1U);
  EXPECT_EQ(slow.take(out, kBegin + 1ms), 1U);
  EXPECT_EQ(slow.take(out, kBegin + 2ms), 1U);
}

// The line delivers a cell each microsecond, and the first is forwarded after four.
TEST_F(PortControllerSingle, AFullBufferLosesWhatComesAndCountsIt) {
  for (std::uint32_t number = 1; number <= 8; ++number) {
    EXPECT_EQ(arrive(number, 0us), number <= 3 || number == 5) << number;
  }
  EXPECT_EQ(controller.counters().lost_buffer, 4U);
  EXPECT_EQ(words(take(16us)), "0/32:1 0/32:2 0/32:3 0/32:5");
  EXPECT_TRUE(arrive(9, 17us));
}

TEST_F(PortControllerSingle, TheLineLosesWhatItCannotCarry) {
  PortController slow(profile_of("mbit:0.44/buffer:1000000"));
  std::size_t lost = 0;
  for (std::uint32_t number = 0; number < 5'000; ++number) {
    lost += slow.arrive(make_cell(0, 32, number), kBegin) ? 0 : 1;
  }
  EXPECT_EQ(lost, 5'000 - 1 - PortController::kLineCellsMax);
  EXPECT_EQ(slow.counters().lost_line, lost);
}

// Arrivals at random; one owner calls at each, one seldom.
TEST(PortController, NothingDependsOnWhenTheOwnerCalls) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const PortControllerProfile profile = profile_of("burst-us:7/cell-us:5.1/gap-us:5.3/buffer:20");
    PortController eager(profile);
    PortController lazy(profile);
    std::vector<Cell> out(5'000);
    std::vector<std::uint32_t> of_eager;
    std::vector<std::uint32_t> of_lazy;
    const auto collect = [&out](PortController& from, TimePoint now,
                                std::vector<std::uint32_t>& into) {
      const std::size_t count = from.take(out, now);
      for (std::size_t at = 0; at < count; ++at) into.push_back(number_of(out[at]));
    };
    TimePoint now = kBegin;
    for (std::uint32_t number = 0; number < 4'000; ++number) {
      if (random() % 4 == 0) now += Duration{random() % 40'000};
      collect(eager, now, of_eager);
      const Cell cell = make_cell(0, 32, number);
      EXPECT_EQ(eager.arrive(cell, now), lazy.arrive(cell, now)) << number;
      if (random() % 500 == 0) collect(lazy, now, of_lazy);
    }
    collect(eager, now + 1s, of_eager);
    collect(lazy, now + 1s, of_lazy);
    EXPECT_EQ(of_eager, of_lazy);
    EXPECT_TRUE(std::ranges::is_sorted(of_lazy));
    EXPECT_EQ(eager.counters(), lazy.counters());
    // Any number: chance decides; without a loss the buffer was never full.
    EXPECT_GT(eager.counters().lost_buffer, 0U);
    EXPECT_EQ(of_lazy.size() + lazy.counters().lost_buffer, 4'000U);
  }
}

// ----- at a port of a switch -----

class PortControllerAtPort : public ::testing::Test {
 protected:
  PortControllerAtPort() {
    EXPECT_TRUE(fabric.table()
                    .add_branch({.port = PortId{1}, .vci = 32}, {.port = PortId{2}, .vci = 50})
                    .has_value());
    fabric.set_controller(PortId{1}, std::make_unique<PortController>(profile_of(
                                         "burst-us:10/cell-us:4/mbit:44000/overhead:2/buffer:4")));
  }
  void send(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t number = from; number < to; ++number) {
      fabric.receive(PortId{1}, std::vector{make_cell(0, 32, number)}, kBegin);
    }
  }
  std::string forwarded(Duration at) {
    fabric.pump(kBegin + at);
    std::vector<Cell> cells(64);
    cells.resize(fabric.transmit(PortId{2}, cells, kBegin + at));
    return words(cells);
  }

  SwitchFabric fabric{{.ports = 2}, {}};
};

TEST_F(PortControllerAtPort, CellsReachTheSwitchWhenTheyAreForwarded) {
  send(1, 3);
  EXPECT_EQ(fabric.counters(PortId{1}).input_cells, 0U);
  EXPECT_EQ(fabric.next_deadline(), kBegin + 4us);
  EXPECT_EQ(forwarded(3us), "");
  EXPECT_EQ(forwarded(4us), "0/50:1");
  EXPECT_EQ(forwarded(9us), "0/50:2");
  EXPECT_EQ(fabric.next_deadline(), kNever);
  EXPECT_EQ(fabric.counters(PortId{1}).input_cells, 2U);
}

TEST_F(PortControllerAtPort, WhatIsLostIsAnInputDiscard) {
  send(0, 10);
  EXPECT_EQ(forwarded(1ms), "0/50:0 0/50:1 0/50:2 0/50:3");
  EXPECT_EQ(fabric.counters(PortId{1}).input_cells, 10U);
  EXPECT_EQ(fabric.counters(PortId{1}).input_discards, 6U);
}

TEST_F(PortControllerAtPort, ALineThatGoesDownLosesWhatWaits) {
  send(0, 3);
  fabric.set_line(PortId{1}, false);
  EXPECT_EQ(fabric.next_deadline(), kNever);
  send(3, 4);
  fabric.set_line(PortId{1}, true);
  EXPECT_EQ(forwarded(1ms), "");
  EXPECT_EQ(fabric.counters(PortId{1}).input_cells, 4U);
  EXPECT_EQ(fabric.counters(PortId{1}).input_discards, 4U);
}

TEST_F(PortControllerAtPort, WithoutAControllerCellsAreForwardedAtOnce) {
  send(0, 2);
  fabric.set_controller(PortId{1}, nullptr);
  send(2, 3);
  std::vector<Cell> cells(64);
  cells.resize(fabric.transmit(PortId{2}, cells, kBegin));
  EXPECT_EQ(words(cells), "0/50:2");
  EXPECT_EQ(fabric.counters(PortId{1}).input_discards, 2U);
}

TEST_F(PortControllerAtPort, IdleCellsDoNotReachTheProcessor) {
  fabric.receive(PortId{1}, std::vector{Cell{.header = 1}}, kBegin);
  EXPECT_EQ(fabric.idle_cells(PortId{1}), 1U);
  EXPECT_EQ(fabric.next_deadline(), kNever);
}

// ----- profiles as text -----

TEST(PortControllerProfiles, AreNamesOrNumbers) {
  EXPECT_EQ(profile_of("fpc3").cell, 4'400ns);
  EXPECT_EQ(profile_of("overhead:0"), (PortControllerProfile{.overhead_octets = 0}));
  EXPECT_EQ(profile_of("burst-us:4/cell-us:5.2/gap-us:6/mbit:155.52/overhead:0/buffer:9"),
            (PortControllerProfile{.burst = 4us,
                                   .cell = 5'200ns,
                                   .gap = 6us,
                                   .line_bits_per_s = 155'520'000,
                                   .overhead_octets = 0,
                                   .buffer_cells = 9}));
}

TEST(PortControllerProfiles, ARefusalNamesTheValue) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "there is no ''; there are fpc2-arm3, fpc2-arm600, fpc3, or KEY:VALUE"},
      {"fpc4", "there is no 'fpc4'"},
      {"cell-us", "there is no 'cell-us'"},
      {"cell-us:", "'' of cell-us is not a number of 0 to 1000000"},
      {"cell-us:-1", "'-1' of cell-us"},
      {"cell-us:nan", "'nan' of cell-us"},
      {"cell-us:4x", "'4x' of cell-us"},
      {"cell-us:4/cell-us:5", "cell-us comes twice"},
      {"cell-us:4/", "there is no ''"},
      {"mbit:0", "'0' of mbit is not a number of 0.001 to 100000"},
      {"overhead:1.5", "'1.5' of overhead is not a whole number of 0 to 1000"},
      {"buffer:0", "'0' of buffer is not a whole number of 1 to 1000000"},
  };
  for (const auto& [text, reason] : wrong) {
    const auto read = parse_port_controller(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_THAT(read.error().text, HasSubstr(reason)) << text;
  }
}

}  // namespace
}  // namespace xbind::dataplane
