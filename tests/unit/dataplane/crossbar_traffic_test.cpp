// Much traffic through a crossbar: what it carries, and that every cell arrives.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "cells.hpp"
#include "dataplane/crossbar.hpp"
#include "dataplane/switch_fabric.hpp"

namespace xbind::dataplane {
namespace {

constexpr TimePoint kTrafficBegins{std::chrono::seconds{100}};

CrossbarNetwork::Random traffic_chance(std::uint32_t seed) {
  return [bits = std::mt19937(seed)]() mutable { return std::uint32_t(bits()); };
}

// Row F13. The share of the slots in which an output of a switch takes a cell, when every input
// always has one, for any output alike.
double saturated_share(CrossbarSize size, std::uint32_t seed, int slots) {
  const std::uint32_t ports = ports_of(size);
  SwitchFabric fabric({.ports = ports}, {});
  fabric.set_crossbar(size, traffic_chance(seed));
  for (std::uint32_t in = 1; in <= ports; ++in) {
    for (std::uint32_t out = 1; out <= ports; ++out) {
      EXPECT_TRUE(
          fabric.table()
              .add_branch({.port = PortId{in}, .vci = static_cast<std::uint16_t>(31 + out)},
                          {.port = PortId{out}, .vci = static_cast<std::uint16_t>(100 + in)})
              .has_value());
    }
  }
  std::mt19937 bits(seed + 1000);
  TimePoint now = kTrafficBegins;
  std::size_t moved = 0;
  std::array<Cell, 4> taken;
  for (int slot = 0; slot < slots; ++slot, now += Crossbar::kSlot) {
    for (std::uint32_t in = 1; in <= ports; ++in) {
      if (fabric.crossbar()->waiting(PortId{in}) > 0) continue;
      const Cell cell = make_cell(0, 32 + static_cast<std::uint32_t>(bits()) % ports);
      fabric.receive(PortId{in}, std::span(&cell, 1), now);
    }
    moved += fabric.pump(now);
    for (std::uint32_t out = 1; out <= ports; ++out) fabric.transmit(PortId{out}, taken, now);
  }
  return static_cast<double>(moved) / slots / ports;
}

TEST(CrossbarSaturation, AFourByFourCarriesWhatKarolHluchyjAndMorganSay) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const double carried = saturated_share(CrossbarSize::k4x4, seed, 50'000);
    RecordProperty("seed_" + std::to_string(seed), std::to_string(carried));
    EXPECT_NEAR(carried, 0.655, 0.01) << "seed " << seed;
  }
}

// By the links between its stages it is worse than one element of 16 would be (0.60).
TEST(CrossbarSaturation, ASixteenBySixteenCarriesLess) {
  const double carried = saturated_share(CrossbarSize::k16x16, 1, 20'000);
  RecordProperty("seed_1", std::to_string(carried));
  EXPECT_GT(carried, 0.40);
  EXPECT_LT(carried, 0.58);
}

// Random traffic with trees: every cell arrives once at each of its connection's outputs, in order.
class CrossedRandomly : public ::testing::TestWithParam<CrossbarSize> {};
INSTANTIATE_TEST_SUITE_P(Both, CrossedRandomly,
                         ::testing::Values(CrossbarSize::k4x4, CrossbarSize::k16x16),
                         [](const auto& size) {
                           return "of" + std::string(to_string(size.param));
                         });

TEST_P(CrossedRandomly, NoCellIsLostDoubledOrOvertaken) {
  const std::uint32_t ports = ports_of(GetParam());
  constexpr std::uint32_t kConnections = 12;  // of each input
  for (const std::uint32_t seed : {11U, 12U, 13U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 bits(seed);
    const auto below = [&](std::uint32_t bound) { return std::uint32_t(bits()) % bound; };
    SwitchFabric fabric({.ports = ports}, {.cells_max = 1'000'000});
    fabric.set_crossbar(GetParam(), traffic_chance(seed));
    // By output and label: the number of the next cell that must come there.
    std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint32_t> next;
    std::map<std::pair<std::uint32_t, std::uint16_t>, std::pair<std::uint32_t, std::uint32_t>> of;
    for (std::uint32_t in = 1; in <= ports; ++in) {
      for (std::uint32_t index = 0; index < kConnections; ++index) {
        const std::uint32_t leaves = index < 2 ? 2 + below(3) : 1;
        for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
          const std::uint32_t out = 1 + below(ports);
          const auto vci = static_cast<std::uint16_t>(100 + in * 100 + index * 4 + leaf);
          const Branch branch{.port = PortId{out},
                              .vci = vci,
                              .service = below(4) == 0 ? ServiceClass::kCbr : ServiceClass::kUbr};
          ASSERT_TRUE(fabric.table().add_branch(
              {.port = PortId{in}, .vci = static_cast<std::uint16_t>(32 + index)}, branch));
          next[{out, vci}] = 0;
          of[{out, vci}] = {in, index};
        }
      }
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> sent;
    std::array<Cell, 64> out;
    const auto take = [&] {
      for (std::uint32_t port = 1; port <= ports; ++port) {
        const std::size_t count = fabric.transmit(PortId{port}, out, TimePoint{});
        for (const Cell& cell : std::span(out).first(count)) {
          ASSERT_EQ(number_of(cell), next.at({port, cell.vci()})++)
              << "output " << port << " label " << cell.vci();
        }
      }
    };
    TimePoint now = kTrafficBegins;
    for (int turn = 0; turn < 20'000; ++turn) {
      const std::uint32_t in = 1 + below(ports), index = below(kConnections);
      if (fabric.crossbar()->waiting(PortId{in}) < 2'000) {
        const Cell cell = make_cell(0, 32 + index, sent[{in, index}]++);
        fabric.receive(PortId{in}, std::span(&cell, 1), now);
      }
      now += Duration{below(2'000)};
      fabric.pump(now);
      ASSERT_NO_FATAL_FAILURE(take());
    }
    for (int more = 0; fabric.next_deadline() != kNever; ++more) {
      ASSERT_LT(more, 1'000'000);
      now = std::max(now, fabric.next_deadline());
      fabric.pump(now);
      ASSERT_NO_FATAL_FAILURE(take());
    }
    for (const auto& [place, number] : next) {
      EXPECT_EQ(number, (sent[of.at(place)]))
          << "output " << place.first << " label " << place.second;
    }
    std::uint64_t nacks = 0;
    for (std::uint32_t in = 1; in <= ports; ++in) {
      const CrossbarCounters& counters = fabric.crossbar()->counters(PortId{in});
      EXPECT_EQ(counters.lost, 0U);
      nacks += counters.nacks;
    }
    EXPECT_GT(nacks, 1'000U) << "they must have met";
  }
}

}  // namespace
}  // namespace xbind::dataplane
