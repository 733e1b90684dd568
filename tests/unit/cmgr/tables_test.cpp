// What every call is kept in: objects in chunks, and the ends of calls.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cmgr/call_ends.hpp"
#include "cmgr/pool.hpp"

namespace xbind::cmgr {
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
