#include "dataplane/pacer.hpp"

#include <gtest/gtest.h>

namespace xbind::dataplane {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr TimePoint kStart{seconds{1000}};

TEST(Pacer, WithoutARateEverythingMayGo) {
  Pacer pacer;
  EXPECT_EQ(pacer.allowed(kStart, 64), 64u);
  pacer.spend(64);
  EXPECT_EQ(pacer.allowed(kStart, 64), 64u);
}

// 353207 cells/s is 155.52 Mbit/s; 1 s / 353207 is not a whole number of nanoseconds.
TEST(Pacer, ALongRunHasExactlyTheRate) {
  Pacer pacer(353207, Duration{0});
  pacer.allowed(kStart, 1);
  std::size_t sent = 0;
  for (TimePoint now = kStart; now < kStart + seconds{10}; now = pacer.next()) {
    ASSERT_EQ(pacer.allowed(now, 64), 1u);
    pacer.spend(1);
    ++sent;
  }
  EXPECT_EQ(sent, 3532070u);
}

TEST(Pacer, NothingGoesBeforeItsTime) {
  Pacer pacer(1'000'000, Duration{0});
  EXPECT_EQ(pacer.allowed(kStart, 64), 1u);
  pacer.spend(1);
  EXPECT_EQ(pacer.allowed(kStart + nanoseconds{999}, 64), 0u);
  EXPECT_EQ(pacer.next(), kStart + microseconds{1});
  EXPECT_EQ(pacer.allowed(kStart + microseconds{1}, 64), 1u);
}

TEST(Pacer, ALateCallerCatchesUp) {
  Pacer pacer(1'000'000, microseconds{100});
  pacer.spend(pacer.allowed(kStart, 1));
  // 50 microseconds late: 50 cells are allowed, and stay allowed until they are spent.
  const TimePoint late = pacer.next() + microseconds{49};
  const std::size_t may = pacer.allowed(late, 64);
  EXPECT_EQ(pacer.allowed(late, 64), may);
  pacer.spend(20);
  EXPECT_EQ(pacer.allowed(late, 64), may - 20);
}

TEST(Pacer, AnIdleLineSavesUpNoMoreThanItMayCatchUp) {
  Pacer pacer(1'000'000, microseconds{10});
  pacer.spend(pacer.allowed(kStart, 1));
  EXPECT_EQ(pacer.allowed(kStart + seconds{5}, 64), 11u);
}

}  // namespace
}  // namespace xbind::dataplane
