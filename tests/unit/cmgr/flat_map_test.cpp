// The tables that every call looks up: numbers to values, objects in chunks, and the ends of calls.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cmgr/call_ends.hpp"
#include "cmgr/flat_map.hpp"
#include "cmgr/pool.hpp"
#include "core/ids.hpp"

namespace xbind::cmgr {
namespace {

using Map = FlatMap<ConnectionId, std::uint32_t>;

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

// Keys of all kinds of neighbourhood: one after another as ids come, far apart, and all alike but for
// their highest bits.
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
      // First it fills, then it empties.
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

TEST(PoolTest, AFreePlaceIsTakenAgainAndAddressesStay) {
  Pool<std::string> pool;
  std::vector<std::string*> made;
  for (int i = 0; i < 3'000; ++i) made.push_back(&pool.make(std::to_string(i)));
  for (int i = 0; i < 3'000; ++i) {
    EXPECT_EQ(*made[static_cast<std::size_t>(i)], std::to_string(i));
  }
  EXPECT_EQ(std::set<std::string*>(made.begin(), made.end()).size(), 3'000U);
  const std::size_t capacity = pool.capacity();
  EXPECT_GE(capacity, 3'000U);
  std::string* const gone = made[1'234];
  pool.destroy(*gone);
  EXPECT_EQ(pool.live(), 2'999U);
  EXPECT_EQ(&pool.make("again"), gone);
  EXPECT_EQ(pool.capacity(), capacity);
  for (std::string* const each : made) pool.destroy(*each);
  EXPECT_EQ(pool.live(), 0U);
}

TEST(PoolTest, WhatItHoldsIsDestroyedOnce) {
  const auto shared = std::make_shared<int>(1);
  Pool<std::shared_ptr<int>> pool;
  auto& one = pool.make(shared);
  auto& second = pool.make(shared);
  EXPECT_EQ(shared.use_count(), 3);
  pool.destroy(one);
  EXPECT_EQ(shared.use_count(), 2);
  auto& other = pool.make(nullptr);
  EXPECT_EQ(&other, &one);
  pool.destroy(other);
  pool.destroy(second);
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(CallEndsTest, CallsOfOnePairShareOneObject) {
  CallEndsTable table;
  CallEndsRef call = table.get("ann", "bob");
  const CallEndsRef another = table.get("ann", "bob");
  EXPECT_EQ(call, another);
  EXPECT_EQ(call->from, "ann");
  EXPECT_EQ(call->to, "bob");
  const CallEndsRef back = table.get("bob", "ann");
  EXPECT_NE(call, back);
  EXPECT_EQ(table.size(), 2U);
  call.reset();
  EXPECT_EQ(table.size(), 2U) << "the other call has them yet";
}

TEST(CallEndsTest, APairGoesWithItsLastCall) {
  CallEndsTable table;
  table.get("ann", "bob");
  EXPECT_EQ(table.size(), 0U);
  {
    const CallEndsRef call = table.get("ann", "bob");
    const CallEndsRef copy = call;
    EXPECT_EQ(table.size(), 1U);
  }
  EXPECT_EQ(table.size(), 0U);
}

// Pairs whose hashes are alike, gone in every order.
TEST(CallEndsTest, PairsOfOneHashAreToldApart) {
  constexpr std::uint64_t kHash = 5;
  for (const std::vector<std::size_t>& order :
       {std::vector<std::size_t>{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}}) {
    CallEndsTable table;
    std::vector<CallEndsRef> calls;
    for (const char* to : {"bob", "dan", "eve"}) calls.push_back(table.get("ann", to, kHash));
    EXPECT_EQ(table.size(), 3U);
    EXPECT_EQ(table.get("ann", "dan", kHash), calls[1]);
    std::size_t left = 3;
    for (const std::size_t gone : order) {
      calls[gone].reset();
      EXPECT_EQ(table.size(), --left);
      for (const CallEndsRef& call : calls) {
        if (call) {
          EXPECT_EQ(table.get("ann", call->to, kHash), call);
        }
      }
    }
  }
}

}  // namespace
}  // namespace xbind::cmgr
