// The elements of a crossbar alone: who blocks whom, and who wins.
#include "dataplane/crossbar_network.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>

namespace xbind::dataplane {
namespace {

struct OfferedCell {
  std::uint32_t input;
  std::uint32_t output;
  bool priority = false;
};

CrossbarNetwork network_of(CrossbarSize size, std::uint32_t seed = 1) {
  return {size, [bits = std::mt19937(seed)]() mutable { return std::uint32_t(bits()); }};
}
// The inputs whose cells pass, a bit each.
std::uint32_t passed_inputs(CrossbarNetwork& network, const std::vector<OfferedCell>& cells) {
  CrossbarOffers offers;
  for (const OfferedCell& cell : cells) offers.add(cell.input, cell.output, cell.priority);
  return network.pass(offers);
}

class CrossbarNetworks : public ::testing::TestWithParam<CrossbarSize> {
 protected:
  CrossbarNetwork network = network_of(GetParam());
  std::uint32_t ports = ports_of(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Both, CrossbarNetworks,
                         ::testing::Values(CrossbarSize::k4x4, CrossbarSize::k16x16),
                         [](const auto& size) {
                           return "of" + std::string(to_string(size.param));
                         });

TEST_P(CrossbarNetworks, ACellAloneReachesEveryOutput) {
  for (std::uint32_t input = 0; input < ports; ++input) {
    for (std::uint32_t output = 0; output < ports; ++output) {
      EXPECT_EQ(passed_inputs(network, {{input, output}}), 1U << input)
          << input << " to " << output;
    }
  }
}

TEST_P(CrossbarNetworks, TwoCellsBlockEachOtherAtOneOutputOrOneLink) {
  for (std::uint32_t one = 0; one < ports; ++one) {
    for (std::uint32_t two = one + 1; two < ports; ++two) {
      for (std::uint32_t to = 0; to < ports; ++to) {
        for (std::uint32_t other = 0; other < ports; ++other) {
          const bool link =
              GetParam() == CrossbarSize::k16x16 && one / 4 == two / 4 && to / 4 == other / 4;
          const int expected = to == other || link ? 1 : 2;
          ASSERT_EQ(std::popcount(passed_inputs(network, {{one, to}, {two, other}})), expected)
              << one << " to " << to << ", " << two << " to " << other;
        }
      }
    }
  }
}

// The pair of the laboratory's notes.
TEST(CrossbarOf16, Port0To5And1To6BlockEachOther) {
  CrossbarNetwork network = network_of(CrossbarSize::k16x16);
  std::map<std::uint32_t, int> winners;
  for (int turn = 0; turn < 1000; ++turn) ++winners[passed_inputs(network, {{0, 5}, {1, 6}})];
  EXPECT_EQ(winners.size(), 2U);
  EXPECT_GT(winners[0b01], 400);
  EXPECT_GT(winners[0b10], 400);
  EXPECT_EQ(passed_inputs(network, {{0, 5}, {4, 6}}), 0b1'0001U);  // by the links A to F and B to F
  EXPECT_EQ(passed_inputs(network, {{0, 5}, {1, 8}}), 0b11U);      // by the links A to F and A to G
}

TEST(CrossbarOf16, APermutationWithoutSharedLinksPassesWhole) {
  CrossbarNetwork network = network_of(CrossbarSize::k16x16);
  std::vector<OfferedCell> turned, straight;
  for (std::uint32_t input = 0; input < 16; ++input) {
    turned.push_back({input, input % 4 * 4 + input / 4});
    straight.push_back({input, input});
  }
  EXPECT_EQ(passed_inputs(network, turned), 0xffffU);
  // Four cells of each first element want one link.
  EXPECT_EQ(std::popcount(passed_inputs(network, straight)), 4);
}

TEST(CrossbarOf16, ACellRefusedInTheSecondStageHasKeptItsLink) {
  CrossbarNetwork network = network_of(CrossbarSize::k16x16);
  bool in_vain = false;
  for (int turn = 0; turn < 1000 && !in_vain; ++turn) {
    // 0 wins the link from 1, and output 4 goes to 8 for its priority: 1 does not get output 5.
    in_vain = passed_inputs(network, {{0, 4}, {1, 5}, {8, 4, true}}) == 1U << 8;
  }
  EXPECT_TRUE(in_vain);
}

TEST_P(CrossbarNetworks, PriorityExcludesOthersAndChanceDecidesAmongEquals) {
  std::map<std::uint32_t, int> winners;
  for (int turn = 0; turn < 3000; ++turn) {
    ++winners[passed_inputs(network, {{0, 2}, {1, 2, true}, {2, 2}, {3, 2, true}})];
  }
  EXPECT_EQ(winners.size(), 2U);
  EXPECT_GT(winners[1U << 1], 1350);
  EXPECT_GT(winners[1U << 3], 1350);
  winners.clear();
  for (int turn = 0; turn < 3000; ++turn)
    ++winners[passed_inputs(network, {{0, 2}, {1, 2}, {3, 2}})];
  EXPECT_EQ(winners.size(), 3U);
  for (const auto& [winner, times] : winners) EXPECT_GT(times, 850) << winner;
}

TEST_P(CrossbarNetworks, PriorityCountsAtItsOutputAlone) {
  for (int turn = 0; turn < 100; ++turn) {
    EXPECT_EQ(passed_inputs(network, {{0, 2, true}, {1, 2}, {2, 0}, {3, 3}}),
              GetParam() == CrossbarSize::k4x4 ? 0b1101U : 0b0001U);
  }
}

// Whatever is offered: no output has two cells, none that was not offered passes, and a cell that
// had no rival passes.
TEST_P(CrossbarNetworks, OfRandomOffersNoOutputTakesTwo) {
  const std::uint32_t seed = 20;
  RecordProperty("seed", static_cast<int>(seed));
  std::mt19937 bits(seed);
  for (int turn = 0; turn < 20'000; ++turn) {
    CrossbarOffers offers;
    for (std::uint32_t input = 0; input < ports; ++input) {
      if (bits() % 4 != 0)
        offers.add(input, static_cast<std::uint32_t>(bits()) % ports, bits() % 3 == 0);
    }
    const std::uint32_t winners = network.pass(offers);
    ASSERT_EQ(winners & ~offers.offered, 0U);
    std::uint32_t taken = 0;
    for (std::uint32_t input = 0; input < ports; ++input) {
      if ((winners >> input & 1) == 0) continue;
      const std::uint32_t output = 1U << offers.outputs[input];
      ASSERT_EQ(taken & output, 0U) << "output " << int{offers.outputs[input]} << " took two";
      taken |= output;
    }
    ASSERT_EQ(winners == 0, offers.offered == 0);
    if (GetParam() == CrossbarSize::k4x4) {
      std::uint32_t wanted = 0;
      for (std::uint32_t input = 0; input < ports; ++input) {
        if ((offers.offered >> input & 1) != 0) wanted |= 1U << offers.outputs[input];
      }
      ASSERT_EQ(taken, wanted) << "an output that was wanted stays idle";
    }
  }
}

}  // namespace
}  // namespace xbind::dataplane
