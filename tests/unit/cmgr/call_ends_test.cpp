// CallEndsTable: one shared object for each pair of endpoints.
#include <gtest/gtest.h>

#include <vector>

#include "cmgr/parts/call_ends.hpp"

namespace xbind::cmgr {
namespace {

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

// Pairs with the same hash, removed in every order.
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
