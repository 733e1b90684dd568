#include "dataplane/policing.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "cells.hpp"
#include "dataplane/switch_fabric.hpp"

namespace xbind::dataplane {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSecond = 1'000'000'000;

// The arrival time of cell `index` in a stream of that rate, in whole nanoseconds.
TimePoint at(std::uint64_t index, std::uint64_t cells_per_s) {
  return TimePoint{Duration{index * kSecond / cells_per_s}};
}

// ----- the algorithm ----------------------------------------------------------------------------

TEST(Gcra, AStreamOfExactlyItsRateConformsForEver) {
  for (const std::uint32_t rate : {1U, 3U, 4528U, 96000U, 353207U, 0xffffffU}) {
    Gcra gcra(rate);
    for (std::uint64_t index = 0; index < 100'000; ++index) {
      ASSERT_TRUE(gcra.conforms(at(index, rate))) << rate << " cells/s, cell " << index;
      gcra.pass(at(index, rate));
    }
  }
}

TEST(Gcra, OneNanosecondTooEarlyDoesNotConform) {
  Gcra gcra(1000, 100us);
  gcra.pass(TimePoint{1s});
  EXPECT_FALSE(gcra.conforms(TimePoint{1s + 900us - 1ns}));
  EXPECT_TRUE(gcra.conforms(TimePoint{1s + 900us}));
}

TEST(Gcra, ASilenceSavesNothingUp) {
  Gcra gcra(1000, 100us);
  gcra.pass(TimePoint{});
  gcra.pass(TimePoint{10s});
  EXPECT_FALSE(gcra.conforms(TimePoint{10s + 1us}));
}

TEST(Gcra, JitterUpToTheToleranceLosesNothing) {
  std::mt19937_64 bits(11);
  for (int round = 0; round < 50; ++round) {
    const auto rate = static_cast<std::uint32_t>(1 + bits() % 400'000);
    const auto tolerance = static_cast<std::int64_t>(bits() % 1'000'000);
    Gcra gcra(rate, Duration{tolerance});
    TimePoint before{};
    for (std::uint64_t index = 0; index < 5000; ++index) {
      const auto late =
          static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(tolerance + 1));
      before = std::max(before, at(index, rate) + Duration{late});
      ASSERT_TRUE(gcra.conforms(before)) << rate << " cells/s, tolerance " << tolerance << " ns";
      gcra.pass(before);
    }
  }
}

// In a time D at most 1 + (D + tolerance) x rate cells conform. At least D x rate cells conform if
// the stream offers one within each tolerance.
TEST(Gcra, OfAStreamThatIsTooFastTheExcessDoesNotConform) {
  std::mt19937_64 bits(12);
  for (int round = 0; round < 50; ++round) {
    const std::uint64_t rate = 1000 + bits() % 100'000;
    const std::uint64_t sent_rate = rate + 1 + bits() % (4 * rate);
    const std::uint64_t tolerance = kSecond / sent_rate + 1 + bits() % 1'000'000;
    Gcra gcra(static_cast<std::uint32_t>(rate), Duration{tolerance});
    std::uint64_t passed = 0;
    const std::uint64_t count = 20'000;
    for (std::uint64_t index = 0; index < count; ++index) {
      const TimePoint now = at(index, sent_rate);
      if (!gcra.conforms(now)) continue;
      gcra.pass(now);
      ++passed;
    }
    const std::uint64_t time = (count - 1) * kSecond / sent_rate;
    EXPECT_LE(passed, 1 + (time + tolerance + 1) * rate / kSecond);
    EXPECT_GE(passed, time * rate / kSecond);
  }
}

// ----- one connection ---------------------------------------------------------------------------

struct Count {
  int passed = 0;
  int tagged = 0;
  int discarded = 0;
  friend bool operator==(const Count&, const Count&) = default;
};
// `count` cells of a stream of that rate, beginning at `begin`.
Count send(Policer& policer, int count, std::uint64_t cells_per_s, bool clp = false,
           TimePoint begin = {}) {
  Count met;
  for (int index = 0; index < count; ++index) {
    const TimePoint now =
        begin + at(static_cast<std::uint64_t>(index), cells_per_s).time_since_epoch();
    switch (policer.police(clp, now)) {
      case Verdict::kPass: ++met.passed; break;
      case Verdict::kTag: ++met.tagged; break;
      case Verdict::kDiscard: ++met.discarded; break;
    }
  }
  return met;
}

TEST(Policer, TwiceThePeakRateIsCutToIt) {
  Policer policer({.pcr_cells_per_s = 1000});
  EXPECT_EQ(send(policer, 2000, 2000), (Count{.passed = 1000, .discarded = 1000}));
}

TEST(Policer, WithoutARateEverythingPasses) {
  Policer policer({});
  EXPECT_EQ(send(policer, 1000, 1'000'000), (Count{.passed = 1000}));
}

TEST(Policer, ABurstOfTheMaximumSizePassesAtThePeakRateAndNoCellMore) {
  const PolicedContract contract{
      .pcr_cells_per_s = 10'000, .scr_cells_per_s = 1000, .mbs_cells = 50};
  EXPECT_EQ(burst_tolerance(contract), 49 * 900us);
  Policer policer(contract);
  EXPECT_EQ(send(policer, 51, 10'000), (Count{.passed = 50, .discarded = 1}));
  // From then on cells conform at the sustainable rate.
  EXPECT_EQ(send(policer, 100, 1000, false, TimePoint{6ms}), (Count{.passed = 100}));
  // After a silence of MBS / SCR the whole burst conforms again.
  EXPECT_EQ(send(policer, 51, 10'000, false, TimePoint{1s}), (Count{.passed = 50, .discarded = 1}));
}

TEST(Policer, TheToleranceOfALargeBurstDoesNotOverflow) {
  EXPECT_EQ(
      burst_tolerance({.pcr_cells_per_s = 0xffffff, .scr_cells_per_s = 1, .mbs_cells = 0xffffff}),
      Duration{16'777'214 * static_cast<std::int64_t>(kSecond)} -
          Duration{16'777'214 * static_cast<std::int64_t>(kSecond) / 0xffffff});
}

TEST(Policer, WithClp0AloneInTheSustainableRateTaggedCellsPassBeside) {
  Policer policer(
      {.pcr_cells_per_s = 10'000, .scr_cells_per_s = 1000, .mbs_cells = 1, .scr_of_clp0 = true});
  EXPECT_EQ(send(policer, 100, 10'000, true), (Count{.passed = 100}));
  EXPECT_EQ(send(policer, 100, 10'000, false, TimePoint{1s}),
            (Count{.passed = 10, .discarded = 90}));
}

TEST(Policer, WhatExceedsTheSustainableRateIsTaggedWhatExceedsThePeakRateDiscarded) {
  Policer policer({.pcr_cells_per_s = 10'000,
                   .scr_cells_per_s = 1000,
                   .mbs_cells = 1,
                   .scr_of_clp0 = true,
                   .tagging = true});
  EXPECT_EQ(send(policer, 100, 10'000), (Count{.passed = 10, .tagged = 90}));
  EXPECT_EQ(send(policer, 200, 20'000, false, TimePoint{1s}),
            (Count{.passed = 10, .tagged = 90, .discarded = 100}));
}

// ----- in the fabric ----------------------------------------------------------------------------

class SetVerdict final : public Policing {
 public:
  Verdict verdict = Verdict::kPass;
  int asked = 0;

  Verdict police(const Connection&, bool, TimePoint) override {
    ++asked;
    return verdict;
  }
  PolicingCounters counters(ConnectionRef) const override { return {}; }
};

class PolicedFabric : public ::testing::Test {
 protected:
  PolicedFabric() {
    EXPECT_TRUE(fabric.table().add_branch(channel(PortId(1), 0, 32), {PortId(2), 0, 40}));
    EXPECT_TRUE(fabric.table().add_branch(path(PortId(1), 5), {PortId(2), 6}));
    fabric.set_policing(&policing);
  }
  std::string sent(const Cell& cell) {
    fabric.receive(PortId(1), std::span(&cell, 1), TimePoint{});
    std::array<Cell, 4> cells;
    return words(std::span(cells).first(fabric.transmit(PortId(2), cells, TimePoint{})));
  }

  SetVerdict policing;
  SwitchFabric fabric{{.ports = 2, .labels = {atm_range(0, 9, 32, 99)}}, {}};
};

TEST_F(PolicedFabric, ATaggedCellLeavesWithClpSet) {
  EXPECT_EQ(sent(make_cell(0, 32, 1)), "0/40:1");
  policing.verdict = Verdict::kTag;
  EXPECT_EQ(sent(make_cell(0, 32, 2)), "0/40:2+clp");
}

TEST_F(PolicedFabric, ADiscardedCellIsCountedAtThePort) {
  policing.verdict = Verdict::kDiscard;
  EXPECT_EQ(sent(make_cell(0, 32, 1)), "");
  EXPECT_EQ(fabric.counters(PortId(1)).input_cells, 1U);
  EXPECT_EQ(fabric.counters(PortId(1)).input_discards, 1U);
  EXPECT_EQ(fabric.counters(PortId(2)).output_discards, 0U);
}

TEST_F(PolicedFabric, OamCellsAndUnknownLabelsAreNotPoliced) {
  policing.verdict = Verdict::kDiscard;
  EXPECT_EQ(sent(make_cell(0, 32, 1, 5)), "0/40:1+pt5");  // F5, end to end
  EXPECT_EQ(sent(make_cell(5, 3, 2)), "6/3:2");           // F4, a segment
  EXPECT_EQ(sent(make_cell(5, 4, 3)), "6/4:3");           // F4, end to end
  EXPECT_EQ(sent(make_cell(0, 99, 4)), "");
  EXPECT_EQ(policing.asked, 0);
  EXPECT_EQ(sent(make_cell(5, 40, 5)), "");
  EXPECT_EQ(policing.asked, 1);
}

TEST_F(PolicedFabric, NobodyIsPolicedOnceItIsOff) {
  policing.verdict = Verdict::kDiscard;
  fabric.set_policing(nullptr);
  EXPECT_EQ(sent(make_cell(0, 32, 1)), "0/40:1");
}

}  // namespace
}  // namespace xbind::dataplane
