// Rates and probabilities of the engine over many packets: each within its 99 % interval, for the
// seeds that stand here.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/wan/wan_fixture.hpp"

namespace xbind::wan {
namespace {

using namespace std::chrono_literals;

const Pair kPair = pair_of("10.78.1.1", "10.78.2.1");
constexpr std::uint32_t kPackets = 100'000;
constexpr double kSigmas99 = 2.576;

struct Counted {
  LineCounters line;
  std::vector<std::uint32_t> numbers;
};

Counted run_with(const Rule& rule, std::uint64_t seed) {
  Wan wan(two_sites(rule), {.seed = seed});
  Counted counted;
  for (std::uint32_t number = 0; number < kPackets; ++number) {
    const TimePoint now = at(number * 100us);
    wan.accept(kA, packet_of(kPair, 100, number), now);
    for (const Delivered& one : run(wan, now)) counted.numbers.push_back(number_of(one.packet));
  }
  for (const Delivered& one : run(wan, at(1h))) counted.numbers.push_back(number_of(one.packet));
  counted.line = wan.line(kPair)->counters;
  return counted;
}

void expect_binomial(std::uint64_t hits, std::uint64_t of, double probability, std::uint64_t seed) {
  const double mean = static_cast<double>(of) * probability;
  const double sigma = std::sqrt(mean * (1 - probability));
  EXPECT_LE(std::abs(static_cast<double>(hits) - mean), kSigmas99 * sigma + 0.5)
      << hits << " of " << of << " with " << probability << ", seed " << seed;
}

TEST(WanStatistics, LossDuplicationAndReorderingHaveTheirProbabilities) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (const double probability : {0.001, 0.02, 0.3}) {
      const Counted counted = run_with({.delay = 5ms,
                                        .loss = probability,
                                        .duplicate = probability,
                                        .reorder = probability,
                                        .reorder_by = 1ms},
                                       seed);
      const std::uint64_t kept = kPackets - counted.line.lost;
      expect_binomial(counted.line.lost, kPackets, probability, seed);
      expect_binomial(counted.line.duplicated, kept, probability, seed);
      expect_binomial(counted.line.reordered, kept, probability, seed);
      EXPECT_EQ(counted.line.delivered, kept + counted.line.duplicated);
    }
  }
}

TEST(WanStatistics, CertaintiesAreCertain) {
  EXPECT_EQ(run_with({.loss = 1}, 1).line.delivered, 0U);
  EXPECT_EQ(run_with({.duplicate = 1}, 1).line.delivered, 2 * kPackets);
  const Counted untouched = run_with({}, 1);
  EXPECT_EQ(untouched.line.delivered, kPackets);
  EXPECT_TRUE(std::ranges::is_sorted(untouched.numbers));
}

// A probability that changes moves no other draw.
TEST(WanStatistics, WhichPacketsAreLostDependsOnTheLossAlone) {
  const Counted plain = run_with({.loss = 0.1}, 7);
  Counted twice = run_with({.loss = 0.1, .duplicate = 0.5}, 7);
  const auto repeated = std::ranges::unique(twice.numbers);
  twice.numbers.erase(repeated.begin(), repeated.end());
  EXPECT_TRUE(plain.numbers == twice.numbers);
}

TEST(WanStatistics, ReorderedPacketsAreOvertaken) {
  const Counted counted = run_with({.delay = 5ms, .reorder = 0.05, .reorder_by = 1ms}, 11);
  std::uint64_t late = 0;
  std::uint32_t highest = 0;
  for (const std::uint32_t number : counted.numbers) {
    late += number < highest ? 1 : 0;
    highest = std::max(highest, number);
  }
  // Ten packets come in the time of one that is held; a few are held together with those behind.
  EXPECT_GT(late, counted.line.reordered * 9 / 10);
  EXPECT_LE(late, counted.line.reordered);
}

TEST(WanStatistics, ASaturatedLineHasItsRate) {
  for (const std::uint64_t rate : {30'000U, 100'000U, 1'250'000U}) {
    Wan wan(two_sites({.octets_per_s = rate, .delay = 25ms}), {});
    std::uint64_t octets = 0;
    for (TimePoint now{}; now < at(20s); now += 500us) {
      wan.accept(kA, packet_of(kPair, 1'424), now);
      for (const Delivered& one : run(wan, now)) octets += one.packet.size();
    }
    const double expected = static_cast<double>(rate) * (20.0 - 0.025);
    EXPECT_NEAR(static_cast<double>(octets), expected, std::max(0.005 * expected, 1'424.0)) << rate;
  }
}

}  // namespace
}  // namespace xbind::wan
