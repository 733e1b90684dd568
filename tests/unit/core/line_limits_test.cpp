#include "core/line_limits.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace xbind {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TimePoint kBegin{seconds{1'000}};

TEST(MinuteLog, IsLoggedAtOnceAndThenOnceAMinuteWithTheirNumber) {
  MinuteLog log;
  EXPECT_EQ(log.noted("malformed 127.0.0.1", kBegin), 1U);
  for (int i = 1; i < 60; ++i) {
    EXPECT_EQ(log.noted("malformed 127.0.0.1", kBegin + seconds{i}), std::nullopt);
  }
  EXPECT_EQ(log.noted("malformed 127.0.0.1", kBegin + seconds{60}), 60U);
  EXPECT_EQ(log.noted("malformed 127.0.0.1", kBegin + seconds{61}), std::nullopt);
}

TEST(MinuteLog, AnotherPeerOrCauseHasItsOwnLine) {
  MinuteLog log;
  EXPECT_EQ(log.noted("malformed 127.0.0.1", kBegin), 1U);
  EXPECT_EQ(log.noted("malformed 127.0.0.2", kBegin), 1U);
  EXPECT_EQ(log.noted("refused 127.0.0.1", kBegin), 1U);
}

TEST(MinuteLog, KeysBeyondTheBoundShareOneUntilOthersAreOld) {
  MinuteLog log;
  for (std::size_t i = 0; i < MinuteLog::kKeysMax; ++i) log.noted(std::to_string(i), kBegin);
  EXPECT_EQ(log.noted("one more", kBegin + seconds{1}), 1U);
  EXPECT_EQ(log.noted("and another", kBegin + seconds{1}), std::nullopt);
  EXPECT_EQ(log.noted("later", kBegin + seconds{60}), 1U);
  EXPECT_EQ(log.noted("later still", kBegin + seconds{60}), 1U);
}

TEST(LineLimit, AThousandLinesOfATextThenOneASecond) {
  LineLimit limit;
  const char text = 1;
  const char other = 2;
  for (std::uint64_t i = 0; i < LineLimit::kBurst; ++i) EXPECT_EQ(limit.admit(&text, kBegin), 0U);
  EXPECT_EQ(limit.admit(&text, kBegin), std::nullopt);
  EXPECT_EQ(limit.admit(&other, kBegin), 0U);
  EXPECT_EQ(limit.admit(&text, kBegin + milliseconds{999}), std::nullopt);
  EXPECT_EQ(limit.admit(&text, kBegin + milliseconds{1'000}), 2U);
  EXPECT_EQ(limit.admit(&text, kBegin + milliseconds{1'001}), std::nullopt);
}

}  // namespace
}  // namespace xbind
