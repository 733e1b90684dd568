#include "core/pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace xbind {
namespace {

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

#if defined(__SANITIZE_ADDRESS__)
TEST(PoolDeathTest, TheSanitizerFindsAUseAfterTheEnd) {
  struct Numbers {
    std::uint64_t first = 1;
    std::uint64_t second = 2;
  };
  Pool<Numbers> pool;
  Numbers& numbers = pool.make();
  volatile std::uint64_t* const second = &numbers.second;
  pool.destroy(numbers);
  EXPECT_DEATH((void)*second, "use-after-poison");
  Numbers& again = pool.make();
  EXPECT_EQ(again.second, 2U);
  pool.destroy(again);
}
#endif

}  // namespace
}  // namespace xbind
