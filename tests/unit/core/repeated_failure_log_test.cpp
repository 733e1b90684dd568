// When a repeated error is logged, and when it is suppressed.
#include "core/repeated_failure_log.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

using namespace std::chrono_literals;

const TimePoint kFirst{1h};

TEST(RepeatedFailureLog, says_the_first_failure_and_each_new_cause_at_once) {
  RepeatedFailureLog failure_log;
  EXPECT_EQ(failure_log.failed("a", "refused", kFirst), "refused");
  EXPECT_EQ(failure_log.failed("a", "refused", kFirst + 1s), std::nullopt);
  EXPECT_EQ(failure_log.failed("a", "silent", kFirst + 2s), "silent");
  EXPECT_EQ(failure_log.failed("a", "refused", kFirst + 3s), std::nullopt);
  EXPECT_EQ(failure_log.failed("b", "refused", kFirst + 3s), "refused");
}

TEST(RepeatedFailureLog, a_cause_that_stays_is_said_ever_more_rarely) {
  RepeatedFailureLog failure_log;
  std::vector<int> said;
  for (int second = 0; second < 7'200; ++second) {
    if (failure_log.failed("a", "refused", kFirst + std::chrono::seconds{second})) {
      said.push_back(second);
    }
  }
  const std::vector<int> first(said.begin(), said.begin() + 7);
  EXPECT_EQ(first, (std::vector<int>{0, 10, 30, 70, 150, 310, 630}));
  EXPECT_LE(said.size(), 20U);
  EXPECT_EQ(said.back() - *(said.end() - 2), 600);
}

TEST(RepeatedFailureLog, the_line_that_repeats_counts_the_tries) {
  RepeatedFailureLog failure_log;
  failure_log.failed("a", "refused", kFirst);
  failure_log.failed("a", "refused", kFirst + 5s);
  EXPECT_EQ(failure_log.failed("a", "refused", kFirst + 12s), "refused; 3 tries failed in 12 s");
}

TEST(RepeatedFailureLog, causes_that_take_turns_or_never_repeat_do_not_fill_the_log) {
  RepeatedFailureLog failure_log;
  int said = 0;
  for (int second = 0; second < 3'600; ++second) {
    const std::string cause = "port " + std::to_string(second);
    if (failure_log.failed("a", cause, kFirst + std::chrono::seconds{second})) ++said;
  }
  EXPECT_LE(said, 24);
}

TEST(RepeatedFailureLog, the_end_of_trouble_is_said_once_and_begins_anew) {
  RepeatedFailureLog failure_log;
  EXPECT_EQ(failure_log.well("a"), std::nullopt);
  failure_log.failed("a", "refused", kFirst);
  failure_log.failed("a", "refused", kFirst + 1s);
  EXPECT_EQ(failure_log.well("a"), 2U);
  EXPECT_EQ(failure_log.well("a"), std::nullopt);
  EXPECT_EQ(failure_log.failed("a", "refused", kFirst + 2s), "refused");
}

TEST(RepeatedFailureLog, peers_beyond_the_bound_are_said_and_not_remembered) {
  RepeatedFailureLog failure_log;
  for (std::size_t peer = 0; peer < RepeatedFailureLog::kPeersMax; ++peer) {
    failure_log.failed(std::to_string(peer), "refused", kFirst);
  }
  EXPECT_EQ(failure_log.failed("one more", "refused", kFirst), "refused");
  EXPECT_EQ(failure_log.well("one more"), std::nullopt);
  EXPECT_EQ(failure_log.well("0"), 1U);
}

}  // namespace
}  // namespace xbind
