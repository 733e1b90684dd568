// Two managers set up, hold, change, branch and remove hops, and move their connections to other
// paths. The switch refuses now and then, answers in any order and is lost; sessions lapse. After
// every step the ledger is consistent with itself and with its reports to the managers. After the
// last removal, return and lapse everything is free again.
#include "random_world.hpp"

namespace xbind {
namespace {

class RandomWorld : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWorld, KeepsItsBooks) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  RandomPlay world(GetParam());
  for (int i = 0; i < 6000 && !::testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    world.step();
  }
  if (::testing::Test::HasFailure()) return;
  world.wind_up();
  // The run must have exercised enough.
  const SwitchCounters& counted = world.counters();
  EXPECT_GT(counted.commits, 300U);
  EXPECT_GT(counted.removes, 300U);
  EXPECT_GT(counted.reserves, 50U);
  EXPECT_GT(counted.repeats, 10U);
  EXPECT_GT(counted.labels_returned, 50U);
  EXPECT_GT(counted.put_back, 5U);
  EXPECT_GT(counted.lapses, 5U);
  EXPECT_GT(counted.modifies, 100U);
  EXPECT_GT(counted.recalls, 5U);
  EXPECT_GT(world.branches_seen(), 500U);
  EXPECT_GT(world.joined_seen(), 500U);
  EXPECT_GT(world.superseded_seen(), 500U);
  EXPECT_GT(counted.taken_over, 20U);
  EXPECT_GT(counted.moved_back, 10U);
  // Any number: chance decides how often; each cause occurs.
  for (const Cause cause :
       {Cause::kNoBandwidth, Cause::kForeignInputLabel, Cause::kLabelNotHeld,
        Cause::kInvalidRequest, Cause::kStale, Cause::kSwitchRefused, Cause::kSwitchUnreachable,
        Cause::kBeingReleased, Cause::kUnknownConnection, Cause::kChangeUnderWay}) {
    EXPECT_GT(counted.refusals[static_cast<std::size_t>(cause)], 0U) << to_string(cause);
  }
  EXPECT_EQ(counted.unexpected_answers, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWorld, ::testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace xbind
