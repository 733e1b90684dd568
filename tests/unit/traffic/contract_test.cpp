// The formulas of contract.hpp, and their guarantee: conforming cells never find the buffer full.
#include "traffic/contract.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace xbind {
namespace {

TEST(ContractTest, CdvtIsTheGreaterOfOneIntervalAndTheWaitInMultiplexers) {
  EXPECT_EQ(cdvt_us_for(1), 1'000'000U);  // one interval
  EXPECT_EQ(cdvt_us_for(100), 10'000U);
  EXPECT_EQ(cdvt_us_for(4'528), 224U);  // 80 x 2.83 us x (1 - 4528/353207) = 223.6; T = 220.8
  EXPECT_EQ(cdvt_us_for(100'000), 163U);
  // The rate of the line itself: one interval again.
  EXPECT_EQ(cdvt_us_for(kReferenceLineCellsPerS), 3U);
  EXPECT_EQ(cdvt_us_for(TrafficContract::kFieldMax), 1U);
}

TEST(ContractTest, CdvtNeverGrowsWithTheRate) {
  std::uint32_t last = TrafficContract::kFieldMax;
  for (std::uint64_t pcr = 1; pcr <= TrafficContract::kFieldMax; pcr += 1 + pcr / 7) {
    EXPECT_LE(cdvt_us_for(pcr), last) << pcr;
    EXPECT_GE(cdvt_us_for(pcr), 1U);
    last = cdvt_us_for(pcr);
  }
}

TEST(ContractTest, WhatEachCategoryTakes) {
  EXPECT_EQ(resources_of({ServiceCategory::kCbr, 4'528, 250}), (Resources{4'528, 3}));
  EXPECT_EQ(resources_of({ServiceCategory::kCbr, 4'528, 0}), (Resources{4'528, 1}));
  EXPECT_EQ(resources_of({ServiceCategory::kRtVbr, 4'528, 1'000, 100, 30}), (Resources{4'528, 6}));
  EXPECT_EQ(resources_of({ServiceCategory::kNrtVbr, 353'207, 1'000, 4'700, 188}),
            (Resources{4'700, 191}));
  EXPECT_EQ(resources_of({ServiceCategory::kUbr, 353'207, 3}), Resources{});
  EXPECT_EQ(resources_of({ServiceCategory::kGfr, 353'207, 3, 1'000, 100, 50}),
            (Resources{1'000, 101}));
  EXPECT_EQ(resources_of({ServiceCategory::kGfr, 353'207, 3, 0, 100, 50}), Resources{});
  EXPECT_EQ(resources_of({}), Resources{});
}

// The worst conforming source against a server at the charged rate. It sends every cell that the
// generic cell rate algorithm allows, as early as possible.
struct Backlog {
  double interval = 0;   // 1/rate
  double tolerance = 0;  // tau
  double due = 0;        // theoretical arrival time
  double earliest() const { return due - tolerance; }
  void send(double now) { due = std::max(due, now) + interval; }
};

std::uint64_t worst_backlog(const TrafficContract& contract, std::uint64_t served_per_s) {
  const double cdvt = contract.cdvt_us * 1e-6;
  const double peak = 1.0 / contract.pcr_cells_per_s;
  Backlog by_peak{peak, cdvt};
  Backlog by_burst{peak, cdvt};
  if (has_guaranteed_rate(contract.category)) {
    const double sustained = 1.0 / contract.guaranteed_cells_per_s;
    by_burst = {sustained, (contract.mbs_cells - 1) * (sustained - peak) + cdvt};
  }
  const double service = 1.0 / static_cast<double>(served_per_s);
  double now = 0;
  double busy_until = 0;
  double most = 0;
  for (int cell = 0; cell < 3'000; ++cell) {
    now = std::max({now, by_peak.earliest(), by_burst.earliest()});
    by_peak.send(now);
    by_burst.send(now);
    busy_until = std::max(busy_until, now) + service;
    most = std::max(most, (busy_until - now) / service);
  }
  return static_cast<std::uint64_t>(std::ceil(most - 1e-6));
}

TEST(ContractTest, TheBufferHoldsTheWorstThatConforms) {
  for (const TrafficContract& contract :
       {TrafficContract{ServiceCategory::kCbr, 4'528, 250},
        TrafficContract{ServiceCategory::kCbr, 100'000, 5'000},
        TrafficContract{ServiceCategory::kRtVbr, 100'000, 1'000, 5'000, 100},
        TrafficContract{ServiceCategory::kNrtVbr, 353'207, 3, 4'700, 188},
        TrafficContract{ServiceCategory::kNrtVbr, 50'000, 2'000, 49'000, 1'000},
        TrafficContract{ServiceCategory::kNrtVbr, 50'000, 20'000, 10, 1},
        TrafficContract{ServiceCategory::kGfr, 200'000, 500, 3'000, 60, 30}}) {
    const Resources taken = resources_of(contract);
    EXPECT_LE(worst_backlog(contract, taken.cells_per_s), taken.buffer_cells)
        << to_string(contract);
  }
}

}  // namespace
}  // namespace xbind
