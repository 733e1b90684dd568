#include "ovs/number_pool.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace xbind::ovs {
namespace {

TEST(NumberPool, HandsOutTheRangeInOrderAndThenNothing) {
  NumberPool pool(7, 9);
  EXPECT_EQ(pool.take(), 7U);
  EXPECT_EQ(pool.take(), 8U);
  EXPECT_EQ(pool.take(), 9U);
  EXPECT_EQ(pool.take(), std::nullopt);
  EXPECT_EQ(pool.used(), 3U);
}

TEST(NumberPool, PrefersNumbersThatWereNeverHandedOut) {
  NumberPool pool(7, 9);
  pool.take();
  pool.give_back(7);
  EXPECT_EQ(pool.take(), 8U);
  EXPECT_EQ(pool.take(), 9U);
  EXPECT_EQ(pool.take(), 7U) << "now the one that came back";
  EXPECT_EQ(pool.take(), std::nullopt);
}

TEST(NumberPool, NeverHandsOutWhatIsSetAside) {
  NumberPool pool(7, 10);
  pool.set_aside(8);
  EXPECT_EQ(pool.take(), 7U);
  EXPECT_EQ(pool.take(), 9U);
  pool.give_back(7);
  pool.set_aside(7);
  EXPECT_EQ(pool.take(), 10U);
  EXPECT_EQ(pool.take(), std::nullopt);
  EXPECT_EQ(pool.used(), 4U);
}

TEST(NumberPool, TakesBackWhatWasSetAsideAboveTheNextNumber) {
  NumberPool pool(7, 9);
  pool.set_aside(9);
  pool.give_back(9);
  EXPECT_EQ(pool.take(), 7U);
  EXPECT_EQ(pool.take(), 8U);
  EXPECT_EQ(pool.take(), 9U);
  EXPECT_EQ(pool.take(), std::nullopt);
}

TEST(NumberPool, IgnoresNumbersThatItDidNotHandOut) {
  NumberPool pool(7, 8);
  pool.set_aside(6);
  pool.set_aside(9);
  pool.give_back(7);
  pool.give_back(100);
  EXPECT_EQ(pool.used(), 0U);
  EXPECT_EQ(pool.take(), 7U);
  pool.give_back(7);
  pool.give_back(7);
  EXPECT_EQ(pool.take(), 8U);
  EXPECT_EQ(pool.take(), 7U);
  EXPECT_EQ(pool.take(), std::nullopt) << "given back twice, handed out once";
}

TEST(NumberPool, ReachesTheLastNumberThereIs) {
  constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();
  NumberPool pool(kLast, kLast);
  EXPECT_TRUE(pool.contains(kLast));
  EXPECT_FALSE(pool.contains(kLast - 1));
  EXPECT_EQ(pool.take(), kLast);
  EXPECT_EQ(pool.take(), std::nullopt);
  pool.give_back(kLast);
  EXPECT_EQ(pool.take(), kLast);
}

}  // namespace
}  // namespace xbind::ovs
