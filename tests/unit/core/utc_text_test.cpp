#include "core/utc_text.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <limits>

namespace xbind {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(UtcText, NamesItsZoneInEveryUnit) {
  EXPECT_EQ(utc_text(seconds{1'772'366'400}), "2026-03-01 12:00:00 UTC");
  EXPECT_EQ(utc_text(milliseconds{1'772'366'400'007}), "2026-03-01 12:00:00.007 UTC");
  EXPECT_EQ(utc_text(microseconds{1'772'366'400'000'007}), "2026-03-01 12:00:00.000007 UTC");
  EXPECT_EQ(utc_iso(seconds{1'772'366'400}), "2026-03-01T12:00:00Z");
  EXPECT_EQ(utc_iso(milliseconds{1'772'366'400'120}), "2026-03-01T12:00:00.120Z");
  EXPECT_EQ(utc_date(seconds{1'772'366'400}), "2026-03-01");
}

TEST(UtcText, IsTheSameInEveryZoneOfTheProcess) {
  ASSERT_EQ(::setenv("TZ", "Asia/Kathmandu", 1), 0);
  ::tzset();
  EXPECT_EQ(utc_text(seconds{1'772'366'400}), "2026-03-01 12:00:00 UTC");
  EXPECT_EQ(utc_iso(seconds{1'772'366'400}), "2026-03-01T12:00:00Z");
  ::unsetenv("TZ");
  ::tzset();
}

TEST(UtcText, CountsBackFromTheStart) {
  EXPECT_EQ(utc_text(seconds{0}), "1970-01-01 00:00:00 UTC");
  EXPECT_EQ(utc_text(milliseconds{-1}), "1969-12-31 23:59:59.999 UTC");
  EXPECT_EQ(utc_text(microseconds{-1}), "1969-12-31 23:59:59.999999 UTC");
}

TEST(UtcText, TakesWhateverAPeerSends) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(utc_text(seconds{kMost}), "9223372036854775807 s since 1970 UTC");
  EXPECT_EQ(utc_text(milliseconds{kMost}), "292278994-08-17 07:12:55.807 UTC");
  EXPECT_EQ(utc_iso(milliseconds{kMost}), "292278994-08-17T07:12:55.807Z");
}

}  // namespace
}  // namespace xbind
