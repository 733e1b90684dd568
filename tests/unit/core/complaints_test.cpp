// When a repeated error is logged, and when it is suppressed.
#include "core/complaints.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart{1h};

TEST(Complaints, says_the_first_failure_and_each_new_cause_at_once) {
  Complaints complaints;
  EXPECT_EQ(complaints.failed("a", "refused", kStart), "refused");
  EXPECT_EQ(complaints.failed("a", "refused", kStart + 1s), std::nullopt);
  EXPECT_EQ(complaints.failed("a", "silent", kStart + 2s), "silent");
  EXPECT_EQ(complaints.failed("a", "refused", kStart + 3s), std::nullopt);
  EXPECT_EQ(complaints.failed("b", "refused", kStart + 3s), "refused");
}

TEST(Complaints, a_cause_that_stays_is_said_ever_more_rarely) {
  Complaints complaints;
  std::vector<int> said;
  for (int second = 0; second < 7'200; ++second) {
    if (complaints.failed("a", "refused", kStart + std::chrono::seconds{second})) {
      said.push_back(second);
    }
  }
  const std::vector<int> first(said.begin(), said.begin() + 7);
  EXPECT_EQ(first, (std::vector<int>{0, 10, 30, 70, 150, 310, 630}));
  EXPECT_LE(said.size(), 20U);
  EXPECT_EQ(said.back() - *(said.end() - 2), 600);
}

TEST(Complaints, the_line_that_repeats_counts_the_tries) {
  Complaints complaints;
  complaints.failed("a", "refused", kStart);
  complaints.failed("a", "refused", kStart + 5s);
  EXPECT_EQ(complaints.failed("a", "refused", kStart + 12s), "refused; 3 tries failed in 12 s");
}

TEST(Complaints, causes_that_take_turns_or_never_repeat_do_not_fill_the_log) {
  Complaints complaints;
  int said = 0;
  for (int second = 0; second < 3'600; ++second) {
    const std::string cause = "port " + std::to_string(second);
    if (complaints.failed("a", cause, kStart + std::chrono::seconds{second})) ++said;
  }
  EXPECT_LE(said, 24);
}

TEST(Complaints, the_end_of_trouble_is_said_once_and_begins_anew) {
  Complaints complaints;
  EXPECT_EQ(complaints.well("a"), std::nullopt);
  complaints.failed("a", "refused", kStart);
  complaints.failed("a", "refused", kStart + 1s);
  EXPECT_EQ(complaints.well("a"), 2U);
  EXPECT_EQ(complaints.well("a"), std::nullopt);
  EXPECT_EQ(complaints.failed("a", "refused", kStart + 2s), "refused");
}

TEST(Complaints, peers_beyond_the_bound_are_said_and_not_remembered) {
  Complaints complaints;
  for (std::size_t peer = 0; peer < Complaints::kPeersMax; ++peer) {
    complaints.failed(std::to_string(peer), "refused", kStart);
  }
  EXPECT_EQ(complaints.failed("one more", "refused", kStart), "refused");
  EXPECT_EQ(complaints.well("one more"), std::nullopt);
  EXPECT_EQ(complaints.well("0"), 1U);
}

}  // namespace
}  // namespace xbind
