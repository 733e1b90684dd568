// The engine: order, times, bounds, and that its output follows from its input alone.
#include "wan/wan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/unit/wan/wan_fixture.hpp"

namespace xbind::wan {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Pair kForth = pair_of("10.78.1.1", "10.78.2.1");
const Pair kBack = pair_of("10.78.2.1", "10.78.1.1");
const Pair kSecond = pair_of("10.78.1.2", "10.78.2.1");

Wan wan_with(const Rule& rule, const WanOptions& options = {}) {
  return {two_sites(rule), options};
}

std::uint64_t drops(const Wan& wan, std::size_t site, Drop reason) {
  return count_of(wan.counters(site).drops, reason);
}

TEST(WanTest, APacketTakesItsTimeOnTheLineAndTheDelay) {
  Wan wan = wan_with({.octets_per_s = 100'000, .delay = 25ms});
  EXPECT_EQ(wan.next_deadline(), kNever);
  const Packet packet = packet_of(kForth, 1'000, 7);
  wan.accept(kA, packet, at(1s));
  EXPECT_EQ(wan.next_deadline(), at(1s + 10ms + 25ms));
  EXPECT_THAT(run(wan, at(1034ms)), IsEmpty());
  EXPECT_THAT(run(wan, at(2s)), ElementsAre(Delivered{at(1035ms), kB, packet}));
  EXPECT_EQ(wan.held_packets(), 0U);
  EXPECT_EQ(wan.held_octets(), 0U);
}

TEST(WanTest, PacketsOfOnePairWaitForEachOther) {
  Wan wan = wan_with({.octets_per_s = 100'000, .delay = 1ms});
  for (std::uint32_t number = 0; number < 3; ++number) {
    wan.accept(kA, packet_of(kForth, 1'000, number), at(0ms));
  }
  wan.accept(kA, packet_of(kSecond, 1'000, 3), at(0ms));  // a line of its own
  wan.accept(kB, packet_of(kBack, 1'000, 4), at(0ms));
  const auto seen = run(wan, at(1s));
  ASSERT_EQ(seen.size(), 5U);
  EXPECT_THAT(numbers_of(seen), ElementsAre(0, 3, 4, 1, 2));
  EXPECT_EQ(seen[0].at, at(11ms));
  EXPECT_EQ(seen[3].at, at(21ms));
  EXPECT_EQ(seen[4].at, at(31ms));
  EXPECT_EQ(seen[2].site, kA);
}

// 7 octets at 3 octets/s are no whole number of nanoseconds.
TEST(WanTest, ARateIsExactOverAnyTime) {
  Wan wan = wan_with({.octets_per_s = 3'000'007, .queue_octets = kQueueOctetsMax});
  constexpr std::uint32_t kMany = 100'000;
  for (std::uint32_t number = 0; number < kMany; ++number) {
    wan.accept(kA, packet_of(kForth, 100, number), at(0ms));
  }
  const auto seen = run(wan, at(10s));
  ASSERT_EQ(seen.size(), kMany);
  const double exact = 100.0 * kMany / 3'000'007 * 1e9;
  EXPECT_NEAR(static_cast<double>(seen.back().at.time_since_epoch().count()), exact, 1);
}

TEST(WanTest, TheQueueIsBounded) {
  Wan wan = wan_with({.octets_per_s = 1'000, .queue_octets = 250});
  for (std::uint32_t number = 0; number < 5; ++number) {
    wan.accept(kA, packet_of(kForth, 100, number), at(0ms));
  }
  // One is on the line, two wait.
  EXPECT_EQ(wan.line(kForth)->queued_octets(), 200U);
  EXPECT_EQ(drops(wan, kA, Drop::kQueueFull), 2U);
  wan.accept(kA, packet_of(kForth, 50, 5), at(0ms));  // as much as there is room for
  EXPECT_THAT(numbers_of(run(wan, at(10s))), ElementsAre(0, 1, 2, 5));
  const LineCounters& line = wan.line(kForth)->counters;
  EXPECT_EQ(line.queue_full, 2U);
  EXPECT_EQ(line.queued_most, 250U);
  EXPECT_EQ(line.packets, 6U);
  EXPECT_EQ(line.delivered, 4U);
}

TEST(WanTest, WithoutAQueueNoPacketWaits) {
  Wan wan = wan_with({.octets_per_s = 1'000, .queue_octets = 0});
  wan.accept(kA, packet_of(kForth, 100, 0), at(0ms));
  wan.accept(kA, packet_of(kForth, 100, 1), at(99ms));
  wan.accept(kA, packet_of(kForth, 100, 2), at(100ms));
  EXPECT_THAT(numbers_of(run(wan, at(1s))), ElementsAre(0, 2));
}

TEST(WanTest, ALineThatWasIdleBeginsAnew) {
  Wan wan = wan_with({.octets_per_s = 1'000});
  wan.accept(kA, packet_of(kForth, 100, 0), at(0ms));
  wan.accept(kA, packet_of(kForth, 100, 1), at(500ms));
  const auto seen = run(wan, at(1s));
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[1].at, at(600ms));
}

TEST(WanTest, ASmallerDelayDoesNotReorder) {
  Wan wan = wan_with({.delay = 100ms});
  wan.accept(kA, packet_of(kForth, 100, 0), at(0ms));
  ASSERT_TRUE(wan.change(kForth, {.delay = 10ms}, at(1ms)));
  wan.accept(kA, packet_of(kForth, 100, 1), at(2ms));
  wan.accept(kA, packet_of(kForth, 100, 2), at(200ms));
  const auto seen = run(wan, at(1s));
  EXPECT_THAT(numbers_of(seen), ElementsAre(0, 1, 2));
  EXPECT_EQ(seen[0].at, seen[1].at);
  EXPECT_LT(seen[2].at, at(211ms));
}

TEST(WanTest, AnotherRateHoldsForTheNextPacket) {
  Wan wan = wan_with({.octets_per_s = 1'000});
  for (std::uint32_t number = 0; number < 3; ++number) {
    wan.accept(kA, packet_of(kForth, 100, number), at(0ms));
  }
  ASSERT_TRUE(wan.change(kForth, {.octets_per_s = 10'000}, at(50ms)));
  const auto seen = run(wan, at(1s));
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0].at, at(100ms));
  EXPECT_EQ(seen[1].at, at(110ms));
  EXPECT_EQ(seen[2].at, at(120ms));
}

TEST(WanTest, EachPairHasARuleOfItsOwn) {
  Wan wan = wan_with({.delay = 5ms});
  ASSERT_TRUE(wan.change(kSecond, {.loss = 1}, at(0ms)));
  wan.accept(kA, packet_of(kForth, 100, 0), at(0ms));
  wan.accept(kA, packet_of(kSecond, 100, 1), at(0ms));
  EXPECT_THAT(numbers_of(run(wan, at(1s))), ElementsAre(0));
  EXPECT_EQ(drops(wan, kA, Drop::kLost), 1U);
  EXPECT_EQ(wan.line(kSecond)->counters.lost, 1U);
  EXPECT_EQ(wan.line(kForth)->counters.lost, 0U);
}

TEST(WanTest, APairWithoutARuleIsNamed) {
  Wan wan = wan_with({});
  const auto changed = wan.change(pair_of("10.78.1.1", "10.78.1.2"), {}, at(0ms));
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(changed.error().text, "no path leads from 10.78.1.1 to 10.78.1.2");
}

TEST(WanTest, PacketsOfStrangersAreCounted) {
  Wan wan = wan_with({});
  wan.accept(kA, packet_of(kBack, 100), at(0ms));  // b's address
  wan.accept(kA, packet_of(pair_of("10.9.9.9", "10.78.2.1"), 100), at(0ms));
  wan.accept(kA, packet_of(pair_of("10.78.1.1", "10.78.2.2"), 100), at(0ms));
  wan.accept(kA, packet_of(pair_of("10.78.1.1", "10.78.1.2"), 100), at(0ms));
  wan.accept(kA, {}, at(0ms));
  EXPECT_THAT(run(wan, at(1s)), IsEmpty());
  EXPECT_EQ(drops(wan, kA, Drop::kForeignSource), 2U);
  EXPECT_EQ(drops(wan, kA, Drop::kNoDestination), 1U);
  EXPECT_EQ(drops(wan, kA, Drop::kNoPath), 1U);
  EXPECT_EQ(drops(wan, kA, Drop::kEmpty), 1U);
  EXPECT_EQ(wan.counters(kA).packets_in, 5U);
  EXPECT_EQ(wan.held_packets(), 0U);
}

TEST(WanTest, TheMtuIsThatOfTheWan) {
  Wan wan(two_sites({}), {.mtu = 600});
  wan.accept(kA, packet_of(kForth, 600, 1), at(0ms));
  wan.accept(kA, packet_of(kForth, 601, 2), at(0ms));
  EXPECT_THAT(numbers_of(run(wan, at(1s))), ElementsAre(1));
  EXPECT_EQ(drops(wan, kA, Drop::kAboveMtu), 1U);
}

TEST(WanTest, WhatAllLinesHoldIsBounded) {
  Wan wan(two_sites({.delay = 1s, .duplicate = 1}), {.held_octets_max = 5 * (100 + kPacketCost)});
  for (std::uint32_t number = 0; number < 4; ++number) {
    wan.accept(kA, packet_of(kForth, 100, number), at(0ms));
  }
  // Two packets and their copies, then one without room for a copy.
  EXPECT_EQ(wan.held_packets(), 5U);
  EXPECT_EQ(wan.line(kForth)->counters.duplicated, 2U);
  EXPECT_EQ(wan.line(kForth)->counters.copies_left_out, 1U);
  EXPECT_EQ(drops(wan, kA, Drop::kHeldMost), 1U);
  EXPECT_THAT(numbers_of(run(wan, at(2s))), ElementsAre(0, 0, 1, 1, 2));
  EXPECT_EQ(wan.held_octets(), 0U);
}

TEST(WanTest, APacketThatTheDeviceRefusesIsDropped) {
  Wan wan = wan_with({});
  wan.accept(kA, packet_of(kForth, 100), at(0ms));
  EXPECT_EQ(wan.deliver(at(1s), 16, [](std::size_t, std::span<const std::byte>) { return false; }),
            1U);
  EXPECT_EQ(drops(wan, kA, Drop::kDevice), 1U);
  EXPECT_EQ(wan.counters(kB).packets_out, 0U);
  EXPECT_EQ(wan.line(kForth)->counters.device, 1U);
}

TEST(WanTest, PacketsThatTheHostDeliversLateAreCounted) {
  Wan wan = wan_with({.octets_per_s = 100'000, .delay = 10ms});
  const auto take = [](std::size_t, std::span<const std::byte>) { return true; };
  TimePoint now = at(1s);
  for (const Duration late : {Duration(0us), Duration(500us), Duration(501us), Duration(7ms)}) {
    now += 1s;
    wan.accept(kA, packet_of(kForth, 100), now);
    EXPECT_EQ(wan.deliver(now + 11ms + late, 16, take), 1U);
  }
  EXPECT_EQ(wan.counters(kB).packets_out, 4U);
  EXPECT_EQ(wan.counters(kB).packets_late, 2U);
}

TEST(WanTest, AtMostThisManyAreDeliveredAtOnce) {
  Wan wan = wan_with({});
  for (std::uint32_t number = 0; number < 3; ++number) {
    wan.accept(kA, packet_of(kForth, 100, number), at(0ms));
  }
  std::vector<std::uint32_t> seen;
  const auto take = [&](std::size_t, std::span<const std::byte> packet) {
    seen.push_back(number_of(Packet(packet.begin(), packet.end())));
    return true;
  };
  EXPECT_EQ(wan.deliver(at(1s), 2, take), 2U);
  EXPECT_LE(wan.next_deadline(), at(1s));
  EXPECT_EQ(wan.deliver(at(1s), 2, take), 1U);
  EXPECT_THAT(seen, ElementsAre(0, 1, 2));
  EXPECT_EQ(wan.next_deadline(), kNever);
}

// ----- the same input, the same output -----

struct Input {
  TimePoint at;
  std::size_t site;
  Packet packet;
};

std::vector<Input> random_input(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Input> input;
  TimePoint now{};
  for (std::uint32_t number = 0; number < 5'000; ++number) {
    now += std::chrono::microseconds(random() % 300);
    const std::array pairs{kForth, kSecond, kBack};
    const std::size_t which = random() % pairs.size();
    input.push_back(
        {now, which == 2 ? kB : kA, packet_of(pairs[which], 60 + random() % 1'400, number)});
  }
  return input;
}

// Delivers also at times of its own, by `more` of them between two packets.
std::vector<Delivered> played(const std::vector<Input>& input, std::uint64_t seed, unsigned more) {
  Wan wan(two_sites({.octets_per_s = 2'000'000,
                     .delay = 3ms,
                     .loss = 0.05,
                     .duplicate = 0.05,
                     .reorder = 0.1,
                     .reorder_by = 2ms,
                     .queue_octets = 8'000}),
          {.seed = seed});
  std::vector<Delivered> all;
  const auto take_until = [&](TimePoint until) {
    std::ranges::move(run(wan, until), std::back_inserter(all));
  };
  for (const Input& one : input) {
    // Not at a packet's own time: what is due then may come before the packet or after it.
    if (more > 0) take_until(one.at - 1ns);
    wan.accept(one.site, one.packet, one.at);
    for (unsigned again = 1; again < more; ++again) take_until(one.at);
  }
  take_until(at(1h));
  return all;
}

TEST(WanTest, TheSameSeedAndInputGiveTheSameOutputOctetByOctet) {
  for (const std::uint64_t seed : {1U, 2U, 77U}) {
    const std::vector<Input> input = random_input(seed);
    const auto once = played(input, seed, 1);
    EXPECT_GT(once.size(), input.size() / 2) << seed;
    EXPECT_TRUE(once == played(input, seed, 1)) << seed;
    EXPECT_TRUE(once == played(input, seed, 3)) << seed;
    EXPECT_FALSE(once == played(input, seed + 1, 1)) << seed;
  }
}

TEST(WanTest, LinesDrawApart) {
  const std::vector<Input> input = random_input(5);
  std::vector<Input> alone;
  std::ranges::copy_if(input, std::back_inserter(alone), [](const Input& one) {
    return read_packet(one.packet, 1500).value() == kForth;
  });
  auto all = played(input, 9, 1);
  std::erase_if(
      all, [](const Delivered& one) { return read_packet(one.packet, 1500).value() != kForth; });
  EXPECT_TRUE(all == played(alone, 9, 1));
}

TEST(WanTest, EveryPacketIsDeliveredHeldOrCounted) {
  for (const std::uint64_t seed : {3U, 4U, 5U}) {
    Wan wan(two_sites({.octets_per_s = 400'000,
                       .delay = 50ms,
                       .loss = 0.1,
                       .duplicate = 0.2,
                       .queue_octets = 4'000}),
            {.seed = seed, .held_octets_max = 20'000});
    std::size_t delivered = 0;
    for (const Input& one : random_input(seed)) {
      wan.accept(one.site, one.packet, one.at);
      delivered += run(wan, one.at).size();
      const DropCounts &a = wan.counters(kA).drops, &b = wan.counters(kB).drops;
      const std::uint64_t copies = wan.line(kForth)->counters.duplicated +
                                   wan.line(kSecond)->counters.duplicated +
                                   wan.line(kBack)->counters.duplicated;
      ASSERT_EQ(wan.counters(kA).packets_in + wan.counters(kB).packets_in + copies,
                delivered + wan.held_packets() + std::accumulate(a.begin(), a.end(), 0UL) +
                    std::accumulate(b.begin(), b.end(), 0UL))
          << seed;
      ASSERT_LE(wan.held_octets(), 20'000U) << seed;
    }
    EXPECT_GT(drops(wan, kA, Drop::kQueueFull) + drops(wan, kA, Drop::kHeldMost), 1'000U) << seed;
  }
}

}  // namespace
}  // namespace xbind::wan
