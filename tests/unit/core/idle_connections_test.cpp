#include "core/idle_connections.hpp"

#include <gmock/gmock.h>

namespace xbind {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr IdleLimits kLimits{4, seconds{5}, milliseconds{250}, seconds{10}};

TEST(IdleConnections, WhoeverHasSaidNothingForLongIsClosed) {
  EXPECT_THAT(connections_to_close({}, kLimits), IsEmpty());
  EXPECT_THAT(
      connections_to_close({{7, false, seconds{5}}, {8, false, milliseconds{4'999}}}, kLimits),
      ElementsAre(7));
}

TEST(IdleConnections, WhoeverHasSaidSomethingStaysWhileThereIsRoom) {
  EXPECT_THAT(connections_to_close({{7, true, seconds{1'000'000}}}, kLimits), IsEmpty());
}

TEST(IdleConnections, WhereThereAreManyTheSilentGoFirstThenTheLongestIdle) {
  const std::vector<AcceptedConnection> many{
      {1, true, seconds{11}},       {2, false, milliseconds{300}}, {3, true, seconds{60}},
      {4, true, seconds{2}},        {5, true, seconds{12}},        {6, true, seconds{1}},
      {7, false, milliseconds{400}}};
  EXPECT_THAT(connections_to_close(many, kLimits), ElementsAre(7, 2, 3));
}

TEST(IdleConnections, SessionsAndNewcomersStayHoweverManyThereAre) {
  std::vector<AcceptedConnection> busy(100, {9, true, seconds{4}});
  busy.push_back({8, false, milliseconds{100}});
  EXPECT_THAT(connections_to_close(busy, kLimits), IsEmpty());
}

}  // namespace
}  // namespace xbind
