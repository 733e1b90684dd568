#include "cmgr/parts/numbered_outcomes.hpp"

#include <gtest/gtest.h>

namespace xbind::cmgr {
namespace {

Outcome connected(std::uint64_t connection) {
  Outcome outcome;
  outcome.request = RequestId{99};  // the manager's own token
  outcome.connection = ConnectionId{connection};
  return outcome;
}

TEST(NumberedOutcomes, TheLatestOfANumberIsFoundUnderIt) {
  NumberedOutcomes outcomes;
  EXPECT_EQ(outcomes.find(RequestId{7}), std::nullopt);
  outcomes.remember(RequestId{7}, connected(1));
  outcomes.remember(RequestId{8}, connected(2));
  outcomes.remember(RequestId{7}, connected(3));
  EXPECT_EQ(outcomes.find(RequestId{7})->connection, ConnectionId{3});
  EXPECT_EQ(outcomes.find(RequestId{7})->request, RequestId{7});
  EXPECT_EQ(outcomes.find(RequestId{8})->connection, ConnectionId{2});
}

TEST(NumberedOutcomes, TheOldestNumberMakesRoom) {
  NumberedOutcomes outcomes;
  for (std::uint64_t i = 1; i <= NumberedOutcomes::kNumbers + 2; ++i) {
    outcomes.remember(RequestId{i}, connected(i));
  }
  EXPECT_EQ(outcomes.size(), NumberedOutcomes::kNumbers);
  EXPECT_EQ(outcomes.find(RequestId{2}), std::nullopt);
  EXPECT_TRUE(outcomes.find(RequestId{3}).has_value());
}

}  // namespace
}  // namespace xbind::cmgr
