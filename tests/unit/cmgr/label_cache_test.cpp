#include "cmgr/parts/label_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <queue>
#include <random>

#include "now.hpp"

namespace xbind::cmgr {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

LabelCache fixed(std::size_t target) { return LabelCache{LabelPolicy::kFixed, target, 0.99}; }

// Takes labels at an even rate. Each is replaced within 20 ms, as far as the cache requests it.
TimePoint load(LabelCache& cache, double per_s, Duration length, TimePoint from) {
  const auto gap = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / per_s));
  std::deque<std::pair<TimePoint, std::uint16_t>> answers;
  std::uint32_t vci = 1000;
  for (TimePoint now = from; now < from + length; now += gap) {
    while (!answers.empty() && answers.front().first <= now) {
      const auto [at, labels] = answers.front();
      answers.pop_front();
      for (std::uint16_t i = 0; i < labels; ++i) cache.put(atm_label(0, vci++ & 0xffff), at);
      cache.answered(labels);
    }
    (void)cache.take(now);
    answers.emplace_back(now + milliseconds{20}, cache.want(now));
  }
  for (const auto& [at, labels] : answers) {
    for (std::uint16_t i = 0; i < labels; ++i) cache.put(atm_label(0, vci++ & 0xffff), at);
    cache.answered(labels);
  }
  return from + length;
}

// ===== a fixed size =====

TEST(LabelCacheTest, TheLabelThatRestedLongestGoesFirst) {
  LabelCache cache = fixed(2);
  cache.put(atm_label(0, 40), kNow);
  cache.put(atm_label(0, 32), kNow);
  EXPECT_EQ(cache.take(kNow), atm_label(0, 40));
  EXPECT_EQ(cache.take(kNow), atm_label(0, 32));
  EXPECT_EQ(cache.take(kNow), std::nullopt);
  EXPECT_EQ(cache.hits(), 2U);
  EXPECT_EQ(cache.misses(), 1U);
}

TEST(LabelCacheTest, ItsLabelsCanBeLookedThroughAndHaveAnAge) {
  LabelCache cache = fixed(2);
  EXPECT_EQ(cache.age(kNow), Duration{0});
  cache.put(atm_label(0, 40), kNow);
  cache.put(atm_label(0, 32), kNow + seconds{1});
  std::vector<Label> seen;
  cache.for_each_label([&](Label label) { seen.push_back(label); });
  EXPECT_THAT(seen, ElementsAre(atm_label(0, 40), atm_label(0, 32)));
  EXPECT_EQ(cache.age(kNow + seconds{3}), seconds{3});
  (void)cache.take(kNow + seconds{3});
  EXPECT_EQ(cache.age(kNow + seconds{3}), seconds{2});
}

TEST(LabelCacheTest, ItWantsWhatIsMissingAndNotOnItsWay) {
  LabelCache cache = fixed(4);
  cache.put(atm_label(0, 32), kNow);
  EXPECT_EQ(cache.want(kNow), 3);
  EXPECT_EQ(cache.want(kNow), 0) << "three are on their way";
  cache.answered(3);  // the answer brought no label
  EXPECT_EQ(cache.want(kNow), 3);
}

TEST(LabelCacheTest, ReleasedLabelsAreTakenBackAsLongAsThereIsRoom) {
  LabelCache cache = fixed(2);
  EXPECT_TRUE(cache.wants_back(kNow));
  cache.put(atm_label(0, 32), kNow);
  EXPECT_EQ(cache.want(kNow), 1);
  EXPECT_FALSE(cache.wants_back(kNow)) << "the room is for the one on its way";
  cache.answered(1);
  EXPECT_TRUE(cache.wants_back(kNow));
}

TEST(LabelCacheTest, ATargetOfZeroSwitchesItOffWhateverThePolicy) {
  for (const LabelPolicy policy :
       {LabelPolicy::kFixed, LabelPolicy::kCompetitive, LabelPolicy::kCooperative}) {
    LabelCache cache{policy, 0, 0.99};
    (void)load(cache, 1000, seconds{1}, kNow);
    EXPECT_EQ(cache.hits(), 0U);
    EXPECT_EQ(cache.want(kNow + seconds{1}), 0);
    EXPECT_FALSE(cache.wants_back(kNow + seconds{1}));
  }
}

TEST(LabelCacheTest, NoMoreIsAskedForAtOnceThanTheMessageCanSay) {
  LabelCache cache = fixed(100'000);
  EXPECT_EQ(cache.want(kNow), 0xffff);
  EXPECT_EQ(cache.want(kNow), 100'000 - 0xffff);
}

TEST(LabelCacheTest, WithTheSessionEverythingLapses) {
  LabelCache cache = fixed(3);
  cache.put(atm_label(0, 32), kNow);
  (void)cache.want(kNow);
  cache.lapse();
  EXPECT_EQ(cache.size(), 0U);
  EXPECT_EQ(cache.want(kNow), 3);
  cache.answered(99);  // an answer of the old session: the count never falls below zero
  EXPECT_EQ(cache.want(kNow), 3);
}

TEST(LabelCacheTest, AFixedSizeHasNoSurplus) {
  LabelCache cache = fixed(1);
  for (std::uint32_t vci = 32; vci < 64; ++vci) cache.put(atm_label(0, vci), kNow);
  EXPECT_THAT(cache.surplus(kNow + seconds{3600}), IsEmpty());
}

// ===== the size that the load needs =====

TEST(LabelCacheTest, ACompetitiveOneGrowsWithTheLoadUpToItsBound) {
  LabelCache cache{LabelPolicy::kCompetitive, 20, 0.99};
  EXPECT_EQ(cache.target(kNow), 0U) << "nothing was wanted yet";
  TimePoint now = load(cache, 100, seconds{5}, kNow);
  EXPECT_GE(cache.target(now), cache_size_for(2, 0.99));
  EXPECT_LT(cache.target(now), 12U);
  now = load(cache, 2000, seconds{5}, now);
  EXPECT_EQ(cache.target(now), 20U);
}

TEST(LabelCacheTest, WhatTheLoadNeedsNoMoreGoesBack) {
  LabelCache cache{LabelPolicy::kCompetitive, 1000, 0.99};
  TimePoint now = load(cache, 1000, seconds{5}, kNow);
  EXPECT_GT(cache.size(), 20U);
  now = load(cache, 10, seconds{10}, now);
  (void)cache.surplus(now);
  EXPECT_LE(cache.size(), cache.target(now) + LabelCache::kSlack);
  EXPECT_GE(cache.size(), 1U);
  (void)cache.surplus(now + LabelSizing::kIdle);
  EXPECT_EQ(cache.size(), 0U) << "an idle manager keeps nothing";
}

TEST(LabelCacheTest, UnderASteadyLoadNothingGoesToAndFro) {
  LabelCache cache{LabelPolicy::kCooperative, 1000, 0.99};
  TimePoint now = load(cache, 200, seconds{10}, kNow);
  std::size_t returned = 0;
  for (int i = 0; i < 40; ++i) {
    now = load(cache, 200, milliseconds{250}, now);
    returned += cache.surplus(now).size();
  }
  EXPECT_EQ(returned, 0U);
}

// Simulates Poisson arrivals with calls held for 5 s on average. Each setup and each
// release is a command of one batch. A batch of T commands is answered after 1 ms
// with the labels that its setups requested.
struct Trial {
  double hit_ratio;
  double mean_target;
  double mean_size;
};
Trial simulate(double calls_per_s, std::size_t threshold, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> gap_s(calls_per_s);
  std::exponential_distribution<double> holding_s(0.2);
  LabelCache cache{LabelPolicy::kCompetitive, 1000, 0.995};
  std::priority_queue<double, std::vector<double>, std::greater<>> releases;
  std::vector<std::uint16_t> batch;
  std::deque<std::pair<double, std::vector<std::uint16_t>>> answers;
  std::uint32_t vci = 0;
  std::uint64_t warm_hits = 0;
  std::uint64_t warm_misses = 0;
  std::size_t calls = 0;
  double targets = 0;
  double sizes = 0;
  constexpr std::size_t kWarm = 2'000;
  constexpr std::size_t kCalls = 42'000;
  double next_call_s = gap_s(random);
  while (calls < kCalls) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const double release_s = releases.empty() ? kNone : releases.top();
    const double answer_s = answers.empty() ? kNone : answers.front().first;
    const double now_s = std::min({next_call_s, release_s, answer_s});
    const TimePoint now =
        kNow + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(now_s));
    if (now_s == answer_s) {
      for (const std::uint16_t asked : answers.front().second) {
        for (std::uint16_t i = 0; i < asked; ++i) cache.put(atm_label(0, vci++ & 0xffff), now);
        cache.answered(asked);
      }
      answers.pop_front();
      continue;
    }
    if (now_s == release_s) {
      releases.pop();
      batch.push_back(0);
    } else {
      (void)cache.take(now);
      batch.push_back(cache.want(now));
      releases.push(now_s + holding_s(random));
      next_call_s = now_s + gap_s(random);
      if (++calls == kWarm) {
        warm_hits = cache.hits();
        warm_misses = cache.misses();
      }
      if (calls > kWarm) {
        targets += static_cast<double>(cache.target(now));
        sizes += static_cast<double>(cache.size());
      }
    }
    if (batch.size() >= threshold) answers.emplace_back(now_s + 0.001, std::exchange(batch, {}));
  }
  const auto hits = static_cast<double>(cache.hits() - warm_hits);
  const auto misses = static_cast<double>(cache.misses() - warm_misses);
  return {hits / (hits + misses), targets / (kCalls - kWarm), sizes / (kCalls - kWarm)};
}

// The paper's Table I: 4 % of the active calls (rate x 5 s) give 99 % of hits.
TEST(LabelCacheTest, FourLabelsForAHundredActiveCallsAreEnough) {
  const struct {
    double calls_per_s;
    std::size_t threshold;
  } cases[] = {{50, 5}, {50, 15}, {100, 5}, {100, 15}};
  for (const auto& one : cases) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(testing::Message()
                   << one.calls_per_s << " calls/s, T = " << one.threshold << ", seed " << seed);
      const Trial trial = simulate(one.calls_per_s, one.threshold, seed);
      EXPECT_GE(trial.hit_ratio, 0.99);
      EXPECT_LE(trial.mean_size, 0.04 * one.calls_per_s * 5);
      // Up to 15 labels of T = 15 commands are in flight: at 50 calls/s no smaller number suffices.
      EXPECT_LE(trial.mean_target,
                std::max<double>(0.04 * one.calls_per_s * 5, static_cast<double>(one.threshold)));
    }
  }
}

// ===== recall =====

TEST(LabelCacheTest, ARecallGetsWhatTheLoadDoesNotNeed) {
  for (const LabelPolicy policy : {LabelPolicy::kFixed, LabelPolicy::kCooperative}) {
    LabelCache cache{policy, 200, 0.99};
    const TimePoint now = load(cache, 100, seconds{5}, kNow);
    for (std::uint32_t vci = 32; vci < 132; ++vci) cache.put(atm_label(0, vci), now);
    const std::size_t before = cache.size();
    EXPECT_THAT(cache.recalled(5, now), SizeIs(5));
    const auto rest = cache.recalled(1000, now);
    EXPECT_EQ(cache.size(), before - 5 - rest.size());
    EXPECT_GE(cache.size(), cache_size_for(2, 0.99) - 1) << "calls that come are hits all the same";
    EXPECT_LE(cache.size(), cache_size_for(2, 0.99) + 2);
    EXPECT_THAT(cache.recalled(1000, now), IsEmpty());
  }
}

TEST(LabelCacheTest, WhoHasNoCallsGivesAll) {
  LabelCache cache = fixed(64);
  for (std::uint32_t vci = 32; vci < 96; ++vci) cache.put(atm_label(0, vci), kNow);
  EXPECT_THAT(cache.recalled(1000, kNow), SizeIs(64));
}

TEST(LabelCacheTest, AfterARecallItIsModestForASecond) {
  LabelCache cache = fixed(64);
  for (std::uint32_t vci = 32; vci < 96; ++vci) cache.put(atm_label(0, vci), kNow);
  (void)cache.recalled(64, kNow);
  const TimePoint soon = kNow + LabelCache::kModesty - Duration{1};
  EXPECT_EQ(cache.want(soon), 0);
  EXPECT_FALSE(cache.wants_back(soon)) << "released labels go back as well";
  (void)cache.take(soon);
  EXPECT_GE(cache.want(soon), 1) << "labels for the present need are requested";
  cache.answered(0xffff);
  const TimePoint later = kNow + LabelCache::kModesty;
  EXPECT_LE(cache.want(later), 4) << "what nobody needs would be recalled again";
}

TEST(LabelCacheTest, AfterARecallMissesDoubleAFixedSize) {
  LabelCache cache = fixed(64);
  for (std::uint32_t vci = 32; vci < 96; ++vci) cache.put(atm_label(0, vci), kNow);
  EXPECT_THAT(cache.recalled(61, kNow), SizeIs(61));
  EXPECT_EQ(cache.size(), 3U);
  const TimePoint later = kNow + seconds{60};  // the load is forgotten
  std::size_t size = cache.target(later);
  EXPECT_LE(size, 4U);
  for (int i = 0; i < 10; ++i) {
    while (cache.take(later)) {
    }
    EXPECT_GE(cache.target(later), std::min<std::size_t>(2 * size, 64));
    size = cache.target(later);
  }
  EXPECT_EQ(size, 64U);
}

}  // namespace
}  // namespace xbind::cmgr
