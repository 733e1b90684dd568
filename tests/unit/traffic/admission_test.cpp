// What a contract is charged at a port: between mean and peak, by the
// formula, and without cell loss.
#include "traffic/admission.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "traffic/contract.hpp"
#include "worked_table.hpp"

namespace xbind {
namespace {

constexpr PortPolicy kPort{.cells_per_s = 353'207, .buffer_cells = 4'000};
constexpr TrafficContract kVbr{ServiceCategory::kNrtVbr, 50'000, 20, 5'000, 1'000};

Resources effective(const TrafficContract& contract, const PortPolicy& port,
                    const Resources& demand = {}) {
  return admission_of(AdmissionMode::kEffective, demand, contract, port);
}

// The number of such sources that fit into a port.
std::uint64_t sources(const Resources& each, const PortPolicy& port) {
  return std::min(port.cells_per_s * port.overbooking / 1'000 / each.cells_per_s,
                  port.buffer_cells / each.buffer_cells);
}

TEST(AdmissionTest, TheWorkedExampleOfTheDocument) {
  PortPolicy twice = kPort;
  twice.overbooking = 2'000;
  const Resources once = effective(kVbr, kPort);
  const Resources half = effective(kVbr, twice);
  EXPECT_EQ(half.cells_per_s, once.cells_per_s);
  EXPECT_EQ(worked_table("admission"), (std::map<std::string, std::uint64_t>{
                                           {"E", once.cells_per_s},
                                           {"buffer", once.buffer_cells},
                                           {"sources", sources(once, kPort)},
                                           {"buffer at overbooking 2", half.buffer_cells},
                                           {"sources at overbooking 2", sources(half, twice)}}));
}

// A switch may report any number; a product of larger ones would not fit.
TEST(AdmissionTest, ABufferAndARateBeyondTheirBoundsCountAsTheBounds) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;  // of it, an even multiple is 0
  for (const auto category : {ServiceCategory::kNrtVbr, ServiceCategory::kRtVbr}) {
    SCOPED_TRACE(static_cast<int>(category));
    TrafficContract contract = kVbr;
    contract.category = category;
    PortPolicy bound{.cells_per_s = 353'207, .buffer_cells = PortPolicy::kBufferCellsMax};
    const std::uint64_t with_buffer = effective_cells_per_s(contract, bound);
    for (const std::uint64_t beyond : {PortPolicy::kBufferCellsMax + 1, kHalf, ~std::uint64_t{0}}) {
      bound.buffer_cells = beyond;
      EXPECT_EQ(effective_cells_per_s(contract, bound), with_buffer) << beyond;
    }
    bound = {.cells_per_s = PortPolicy::kCellsPerSMax, .buffer_cells = 4'000};
    const std::uint64_t with_rate = effective_cells_per_s(contract, bound);
    for (const std::uint64_t beyond : {PortPolicy::kCellsPerSMax + 1, kHalf, ~std::uint64_t{0}}) {
      bound.cells_per_s = beyond;
      EXPECT_EQ(effective_cells_per_s(contract, bound), with_rate) << beyond;
    }
  }
  const PortPolicy lossless{.cells_per_s = 353'207, .buffer_cells = PortPolicy::kBufferCellsMax};
  TrafficContract bursty = kVbr;
  bursty.category = ServiceCategory::kRtVbr;
  EXPECT_EQ(effective_cells_per_s(bursty, lossless), effective_cells_per_s(bursty, kPort))
      << "cells of rt-VBR wait no longer than in the small buffer";
}

TEST(AdmissionTest, WhatEachCategoryTakes) {
  PortPolicy overbooked = kPort;
  overbooked.overbooking = 4'000;
  PortPolicy reserved = kPort;
  reserved.overbooking = 500;
  const Resources demand{7, 9};
  const TrafficContract cbr{ServiceCategory::kCbr, 4'528, 250};
  const TrafficContract gfr{ServiceCategory::kGfr, 353'207, 3, 1'000, 100, 50};
  EXPECT_EQ(effective(cbr, kPort, demand), (Resources{4'528, 9}));
  EXPECT_EQ(effective(cbr, reserved, demand), (Resources{4'528, 9}));
  EXPECT_EQ(effective(cbr, overbooked, demand), (Resources{4 * 4'528, 9}))
      << "its cells always come";
  EXPECT_EQ(effective(gfr, kPort, demand), (Resources{1'000, 101}));
  EXPECT_EQ(effective(gfr, reserved, demand), (Resources{1'000, 101}));
  EXPECT_EQ(effective(gfr, overbooked, demand), (Resources{1'000, 26}));
  for (const PortPolicy& port : {kPort, overbooked}) {
    EXPECT_EQ(effective({ServiceCategory::kUbr, 353'207, 3}, port, demand), Resources{});
    EXPECT_EQ(effective({}, port, demand), demand) << "by priority alone";
  }
}

TEST(AdmissionTest, ACbrChargeIsRoundedUp) {
  const auto charged = [](std::uint32_t overbooking, std::uint32_t pcr) {
    PortPolicy port = kPort;
    port.overbooking = overbooking;
    return effective({ServiceCategory::kCbr, pcr, 250}, port).cells_per_s;
  };
  EXPECT_EQ(charged(1'500, 4'529), 6'794U) << "1.5 x 4529 = 6793.5";
  EXPECT_EQ(charged(1'500, 4'528), 6'792U) << "nothing to round";
  EXPECT_EQ(charged(1'001, 1), 2U);
}

TEST(AdmissionTest, VbrByItsPeakAndEverythingByDemand) {
  const Resources demand{7, 9};
  for (const ServiceCategory category : {ServiceCategory::kRtVbr, ServiceCategory::kNrtVbr}) {
    TrafficContract vbr = kVbr;
    vbr.category = category;
    EXPECT_EQ(admission_of(AdmissionMode::kPeak, demand, vbr, kPort), (Resources{50'000, 2}));
    EXPECT_EQ(admission_of(AdmissionMode::kDemand, demand, vbr, kPort), demand);
  }
  EXPECT_EQ(admission_of(AdmissionMode::kPeak, demand, {ServiceCategory::kCbr, 4'528, 250}, kPort),
            (Resources{4'528, 9}));
}

TEST(AdmissionTest, ByHand) {
  // B/C = 10 ms: 10000 x 100 / (100 + 10000 x 0.01) = 5000.
  const PortPolicy port{.cells_per_s = 100'000, .buffer_cells = 1'000};
  EXPECT_EQ(effective_cells_per_s({ServiceCategory::kNrtVbr, 10'000, 0, 100, 100}, port), 5'000U);
  // rt-VBR may wait at most 1 ms: 10000 x 100 / (100 + 10) = 9090.9.
  EXPECT_EQ(effective_cells_per_s({ServiceCategory::kRtVbr, 10'000, 0, 100, 100}, port), 9'091U);
  // Small burst and large buffer: the mean suffices. No buffer: the peak.
  EXPECT_EQ(effective_cells_per_s({ServiceCategory::kNrtVbr, 10'000, 0, 5'001, 100}, port), 5'001U);
  EXPECT_EQ(
      effective_cells_per_s({ServiceCategory::kNrtVbr, 10'000, 0, 100, 100}, {.cells_per_s = 1}),
      10'000U);
}

// Computes the paper's rate independently, by bisection: the rate at which a fluid burst of MBS at
// PCR just fills a buffer of rate x B/C.
double by_halving(const TrafficContract& vbr, double buffer_over_rate) {
  const double burst_s = vbr.mbs_cells / static_cast<double>(vbr.pcr_cells_per_s);
  double low = 0;
  double high = vbr.pcr_cells_per_s;
  for (int i = 0; i < 100; ++i) {
    const double rate = (low + high) / 2;
    const bool overflows = (vbr.pcr_cells_per_s - rate) * burst_s > rate * buffer_over_rate;
    (overflows ? low : high) = rate;
  }
  return std::max<double>(high, vbr.guaranteed_cells_per_s);
}

// The largest backlog, in cells, that the worst conforming source causes at a server of this rate.
double worst_backlog(const TrafficContract& vbr, double rate) {
  const double peak = 1.0 / vbr.pcr_cells_per_s;
  const double sustained = 1.0 / vbr.guaranteed_cells_per_s;
  const double cdvt = vbr.cdvt_us * 1e-6;
  const double tolerance = (vbr.mbs_cells - 1) * (sustained - peak) + cdvt;
  double due_peak = 0, due_sustained = 0, now = 0, busy_until = 0, most = 0;
  for (int cell = 0; cell < 5'000; ++cell) {
    now = std::max({now, due_peak - cdvt, due_sustained - tolerance});
    due_peak = std::max(due_peak, now) + peak;
    due_sustained = std::max(due_sustained, now) + sustained;
    busy_until = std::max(busy_until, now) + 1 / rate;
    most = std::max(most, (busy_until - now) * rate);
  }
  return most;
}

TEST(AdmissionTest, BetweenMeanAndPeakAsComputedAnotherWayAndWithoutLoss) {
  for (const std::uint64_t buffer : {0, 10, 500, 4'000, 200'000}) {
    for (const std::uint32_t scr : {10U, 5'000U, 40'000U}) {
      for (const std::uint32_t mbs : {1U, 2U, 50U, 2'000U}) {
        for (const std::uint32_t cdvt : {0U, 20U, 3'000U}) {
          const TrafficContract vbr{ServiceCategory::kNrtVbr, 50'000, cdvt, scr, mbs};
          PortPolicy port = kPort;
          port.buffer_cells = buffer;
          const Resources taken = effective(vbr, port);
          EXPECT_GE(taken.cells_per_s, scr);
          EXPECT_LE(taken.cells_per_s, 50'000U);
          EXPECT_EQ(static_cast<double>(taken.cells_per_s),
                    std::ceil(by_halving(vbr, static_cast<double>(buffer) / 353'207) - 1e-6));
          EXPECT_LE(worst_backlog(vbr, static_cast<double>(taken.cells_per_s)),
                    static_cast<double>(taken.buffer_cells) + 1e-6)
              << to_string(vbr) << ", buffer " << buffer;
        }
      }
    }
  }
}

TEST(AdmissionTest, MoreIsNeverCheaper) {
  const auto rate = [](TrafficContract vbr, PortPolicy port) {
    return effective(vbr, port).cells_per_s;
  };
  for (std::uint32_t step = 1; step < 4'000; step += 37) {
    TrafficContract more = kVbr;
    more.pcr_cells_per_s += step;
    EXPECT_GE(rate(more, kPort), rate(kVbr, kPort));
    more = kVbr;
    more.guaranteed_cells_per_s += step * 10;
    EXPECT_GE(rate(more, kPort), rate(kVbr, kPort));
    more = kVbr;
    more.mbs_cells += step;
    EXPECT_GE(rate(more, kPort), rate(kVbr, kPort));
    PortPolicy port = kPort;
    port.buffer_cells += step;
    EXPECT_LE(rate(kVbr, port), rate(kVbr, kPort));
    port = kPort;
    port.overbooking += step;
    EXPECT_LE(effective(kVbr, port).buffer_cells, effective(kVbr, kPort).buffer_cells);
    TrafficContract rt = kVbr;
    rt.category = ServiceCategory::kRtVbr;
    port = kPort;
    port.rt_wait_us = step;
    EXPECT_GE(rate(rt, port), rate(kVbr, port));
  }
}

TEST(AdmissionTest, TheLargestNumbers) {
  constexpr std::uint32_t kMost = TrafficContract::kFieldMax;
  const PortPolicy port{.cells_per_s = PortPolicy::kCellsPerSMax,
                        .buffer_cells = PortPolicy::kBufferCellsMax,
                        .rt_wait_us = UINT32_MAX};
  // B/C is 1 s and a burst lasts 1 s: half the peak.
  EXPECT_EQ(effective_cells_per_s({ServiceCategory::kRtVbr, kMost, 0, 1, kMost}, port),
            (kMost + 1) / 2);
}

TEST(AdmissionTest, APortWithoutARateHasRoomForNothing) {
  EXPECT_EQ(effective(kVbr, {}).cells_per_s, 50'000U);
  EXPECT_EQ(effective_cells_per_s(kVbr, {.cells_per_s = UINT64_MAX, .buffer_cells = UINT64_MAX}),
            effective_cells_per_s(kVbr, {.cells_per_s = PortPolicy::kCellsPerSMax,
                                         .buffer_cells = PortPolicy::kBufferCellsMax}));
}

// Whatever a port's mode, factor and buffer, and whatever the manager demands.
TEST(AdmissionTest, NoPortChargesLessThanTheLeast) {
  constexpr std::uint64_t kSeed = 1'984;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  const auto pick = [&](std::uint64_t most) { return 1 + random() % most; };
  int equal = 0;
  for (int round = 0; round < 100'000; ++round) {
    TrafficContract it;
    it.category = static_cast<ServiceCategory>(random() % 6);
    if (it.present()) {
      it.pcr_cells_per_s = static_cast<std::uint32_t>(pick(400'000));
      it.cdvt_us = static_cast<std::uint32_t>(pick(1'000));
    }
    if (has_guaranteed_rate(it.category)) {
      it.guaranteed_cells_per_s = static_cast<std::uint32_t>(pick(it.pcr_cells_per_s));
      it.mbs_cells = static_cast<std::uint32_t>(pick(2'000));
      if (it.category == ServiceCategory::kGfr) it.mfs_cells = 1;
    }
    ASSERT_FALSE(check(it));
    const bool derived = it.present() && random() % 2 == 0;
    const Resources demand = derived ? resources_of(it) : Resources{pick(400'000), pick(1'000)};
    const PortPolicy port{.cells_per_s = pick(400'000),
                          .buffer_cells = pick(40'000),
                          .overbooking = static_cast<std::uint32_t>(pick(4'000)),
                          .rt_wait_us = static_cast<std::uint32_t>(pick(3'000))};
    const std::uint64_t least = least_cells_per_s(demand, it);
    for (const auto mode :
         {AdmissionMode::kDemand, AdmissionMode::kPeak, AdmissionMode::kEffective}) {
      const std::uint64_t charged = admission_of(mode, demand, it, port).cells_per_s;
      ASSERT_LE(least, charged) << to_string(it) << ", round " << round;
      equal += least == charged ? 1 : 0;
    }
  }
  EXPECT_GT(equal, 100'000) << "a bound that is often too low excludes little";
}

}  // namespace
}  // namespace xbind
