// FlatMap, the hash table from numbers to values that every call uses.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "core/flat_map.hpp"
#include "core/ids.hpp"

namespace xbind {

// Slots of the old array that are not moved yet, which users of the map cannot see.
struct FlatMapProbe {
  template <class Map>
  static std::size_t left_to_move(const Map& map) {
    return map.old_.capacity() - map.moved_;
  }
};

namespace {

using Map = FlatMap<ConnectionId, std::uint32_t>;

std::size_t left_to_move(const Map& map) { return FlatMapProbe::left_to_move(map); }

ConnectionId id(std::uint64_t value) { return ConnectionId{value}; }

std::map<std::uint64_t, std::uint32_t> all_of(const Map& map) {
  std::map<std::uint64_t, std::uint32_t> all;
  for (const auto& [key, value] : map) {
    EXPECT_TRUE(all.emplace(key.value(), value).second) << key.value() << " is there twice";
  }
  return all;
}

TEST(FlatMapTest, FindsWhatWasInsertedAndNothingElse) {
  Map map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.find(id(1)), 0U) << "nothing in an empty one";
  EXPECT_TRUE(map.insert(id(1), 10));
  EXPECT_TRUE(map.insert(id(0), 20)) << "0 is a key as any other";
  EXPECT_FALSE(map.insert(id(1), 30)) << "it is there";
  EXPECT_EQ(map.find(id(1)), 10U);
  EXPECT_EQ(map.find(id(0)), 20U);
  EXPECT_FALSE(map.contains(id(2)));
  EXPECT_EQ(map.size(), 2U);
}

TEST(FlatMapTest, ErasingReturnsWhatWasThere) {
  Map map;
  EXPECT_EQ(map.erase(id(1)), 0U);
  map.insert(id(1), 10);
  EXPECT_EQ(map.erase(id(1)), 10U);
  EXPECT_EQ(map.erase(id(1)), 0U);
  EXPECT_TRUE(map.empty());
  EXPECT_TRUE(all_of(map).empty());
}

// Keys of several patterns: consecutive like ids, far apart, and different
// only in their highest bits.
TEST(FlatMapTest, DoesAsAnOrderedMapThroughManyChanges) {
  const std::vector<std::pair<std::uint64_t, unsigned>> kinds{{1, 0}, {97, 0}, {1, 48}, {1, 56}};
  for (const auto& [factor, shift] : kinds) {
    SCOPED_TRACE(::testing::Message() << "factor " << factor << ", shift " << shift);
    Map map;
    std::map<std::uint64_t, std::uint32_t> model;
    constexpr std::uint32_t kSeed = 7;
    std::mt19937 random(kSeed);
    for (std::uint32_t i = 1; i <= 20'000; ++i) {
      const std::uint64_t key = random() % 250 * factor << shift;
      // The map first grows, then shrinks.
      if (random() % 8 < (i < 10'000 ? 5U : 3U)) {
        ASSERT_EQ(map.insert(id(key), i), model.emplace(key, i).second) << "seed " << kSeed;
      } else {
        const auto there = model.find(key);
        ASSERT_EQ(map.erase(id(key)), there == model.end() ? 0 : there->second) << "seed " << kSeed;
        if (there != model.end()) model.erase(there);
      }
      ASSERT_EQ(map.size(), model.size());
      if (i % 100 == 0) {
        ASSERT_EQ(all_of(map), model) << "seed " << kSeed << ", change " << i;
      }
      const std::uint64_t other = random() % 250 * factor << shift;
      const auto there = model.find(other);
      ASSERT_EQ(map.find(id(other)), there == model.end() ? 0 : there->second) << "seed " << kSeed;
    }
  }
}

TEST(FlatMapTest, DoesNotGrowWhileAsManyComeAsGo) {
  Map map;
  for (std::uint64_t key = 1; key <= 48; ++key) map.insert(id(key), 1);
  EXPECT_EQ(map.capacity(), 64U) << "three quarters full";
  for (std::uint64_t key = 49; key <= 100'000; ++key) {
    EXPECT_EQ(map.erase(id(key - 48)), 1U);
    EXPECT_TRUE(map.insert(id(key), 1));
  }
  EXPECT_EQ(map.capacity(), 64U);
  EXPECT_EQ(map.size(), 48U);
}

// Entries come and go while the old array is being moved: none is lost, and none is there twice.
TEST(FlatMapTest, DoesAsAnOrderedMapWhileItMoves) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Map map;
    std::map<std::uint64_t, std::uint32_t> model;
    std::mt19937 random(seed);
    std::size_t steps_of_moving = 0;
    for (std::uint32_t i = 1; i <= 60'000; ++i) {
      const std::uint64_t key = random() % 30'000;
      if (random() % 8 < 6) {
        ASSERT_EQ(map.insert(id(key), i), model.emplace(key, i).second);
      } else {
        const auto there = model.find(key);
        ASSERT_EQ(map.erase(id(key)), there == model.end() ? 0 : there->second);
        if (there != model.end()) model.erase(there);
      }
      ASSERT_EQ(map.size(), model.size());
      const std::uint64_t other = random() % 30'000;
      const auto there = model.find(other);
      ASSERT_EQ(map.find(id(other)), there == model.end() ? 0 : there->second);
      if (left_to_move(map) == 0) continue;
      if (++steps_of_moving % 100 == 0) {
        ASSERT_EQ(all_of(map), model);
      }
    }
    EXPECT_GT(steps_of_moving, 500U);
    EXPECT_EQ(all_of(map), model);
  }
}

TEST(FlatMapTest, ALargeOneMovesAFewEntriesAnInsertion) {
  Map map;
  std::uint64_t key = 0;
  while (map.capacity() < 2 * Map::kMovedWhole) map.insert(id(++key), 1);
  while (map.capacity() == 2 * Map::kMovedWhole) map.insert(id(++key), 1);
  EXPECT_EQ(map.capacity(), 4 * Map::kMovedWhole);
  EXPECT_EQ(left_to_move(map), 2 * Map::kMovedWhole - Map::kMovedAtOnce);
  std::size_t insertions = 1;
  for (std::size_t left = left_to_move(map); left > 0; ++insertions) {
    map.insert(id(++key), 1);
    ASSERT_LE(left - left_to_move(map), Map::kMovedAtOnce);
    left = left_to_move(map);
  }
  EXPECT_EQ(insertions, 2 * Map::kMovedWhole / Map::kMovedAtOnce);
  for (std::uint64_t each = 1; each <= key; ++each) ASSERT_EQ(map.find(id(each)), 1U);
}

TEST(FlatMapTest, TakesKeysThatAreKnownToBeNew) {
  Map map;
  constexpr std::uint64_t kKeys = 3 * Map::kMovedWhole;
  for (std::uint64_t key = 1; key <= kKeys; ++key) map.insert_new(id(key), 7);
  EXPECT_EQ(map.size(), kKeys);
  for (std::uint64_t key = 1; key <= kKeys; ++key) ASSERT_EQ(map.erase(id(key)), 7U);
  EXPECT_TRUE(map.empty());
}

TEST(FlatMapTest, CanBeMovedAway) {
  Map map;
  map.insert(id(1), 10);
  Map other{std::move(map)};
  EXPECT_EQ(other.find(id(1)), 10U);
  Map third;
  third.insert(id(2), 20);
  third = std::move(other);
  EXPECT_EQ(third.find(id(1)), 10U);
  EXPECT_FALSE(third.contains(id(2)));
}

TEST(FlatMapTest, HoldsAnyValueButItsAbsentOne) {
  FlatMap<std::uint64_t, std::uint32_t, AbsentIndex> indices;
  EXPECT_EQ(indices.find(7), AbsentIndex::kAbsent) << "nothing in an empty one";
  EXPECT_TRUE(indices.insert(7, 0));
  EXPECT_FALSE(indices.insert(7, 1)) << "it is there";
  EXPECT_EQ(indices.find(7), 0U);
  EXPECT_TRUE(indices.contains(7));
  EXPECT_EQ(indices.find(8), AbsentIndex::kAbsent);
  for (std::uint64_t key = 100; key < 200; ++key) EXPECT_TRUE(indices.insert(key, 0));
  EXPECT_EQ(indices.size(), 101U) << "after it has grown";
  EXPECT_EQ(indices.erase(7), 0U);
  EXPECT_EQ(indices.erase(7), AbsentIndex::kAbsent);
  std::size_t seen = 0;
  for (const auto& [key, value] : indices) seen += key >= 100 && value == 0 ? 1 : 0;
  EXPECT_EQ(seen, 100U);
}

TEST(FlatMapDeathTest, TheAbsentValueIsRefused) {
  FlatMap<std::uint64_t, std::uint32_t, AbsentIndex> indices;
  EXPECT_DEATH(indices.insert(7, AbsentIndex::kAbsent), "value != kAbsent");
}

// Port numbers as a switch assigns them, with any of 32 bits.
TEST(FlatMapTest, FindsEachOfManyPortsAndNoOther) {
  FlatMap<PortId, std::uint32_t> ports;
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    ASSERT_TRUE(ports.insert(PortId{i * 0x0001'0000 + 7}, 1 + i));
  }
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    EXPECT_EQ(ports.find(PortId{i * 0x0001'0000 + 7}), 1 + i);
    EXPECT_EQ(ports.find(PortId{i * 0x0001'0000 + 8}), 0U);
  }
}

}  // namespace
}  // namespace xbind
