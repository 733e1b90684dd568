// One run against several managers: which manager receives which call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "callgen/run/runner.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

constexpr TimePoint kManagersStart{5s};
TimePoint managers_at(Duration since_start) { return kManagersStart + since_start; }

// A call every 10 ms, the first at 10 ms, held for 25 ms, distributed over three managers.
class ThreeManagers : public testing::Test {
 protected:
  static RunPlan plan_of(std::uint64_t calls, std::size_t max_batch) {
    RunPlan plan;
    plan.calls = calls;
    plan.calls_per_s = 100;
    plan.arrivals = Arrivals::kConstant;
    plan.hold_mean = 25ms;
    plan.max_batch = max_batch;
    plan.managers = 3;
    return plan;
  }
  struct Started : Runner {
    Started(std::uint64_t calls, std::size_t max_batch)
        : Runner(plan_of(calls, max_batch),
                 Workload::weighted({{"host-1", "host-2", 1}}, 1).value()) {
      start(kManagersStart);
    }
  };
  static Outcome connected(RequestId request, std::uint64_t connection) {
    Outcome outcome;
    outcome.request = request;
    outcome.kind = OutcomeKind::kConnected;
    outcome.connection = ConnectionId{connection};
    return outcome;
  }
  static Outcome released(RequestId request) {
    Outcome outcome;
    outcome.request = request;
    outcome.kind = OutcomeKind::kReleased;
    return outcome;
  }
};

TEST_F(ThreeManagers, AreCalledInTurn) {
  Started runner(6, 64);
  for (std::size_t call = 0; call < 6; ++call) {
    const auto sent = runner.advance(managers_at((call + 1) * 10ms));
    ASSERT_THAT(sent, SizeIs(1));
    EXPECT_EQ(sent[0].manager, call % 3);
    EXPECT_THAT(sent[0].batch.connects, SizeIs(1));
  }
}

TEST_F(ThreeManagers, GetWhatIsDueAtOnceInABatchEach) {
  Started runner(7, 64);
  const auto sent = runner.advance(managers_at(70ms));
  ASSERT_THAT(sent, SizeIs(3));
  EXPECT_THAT(sent[0].batch.connects, SizeIs(3));  // calls 0, 3 and 6
  EXPECT_THAT(sent[1].batch.connects, SizeIs(2));
  EXPECT_THAT(sent[2].batch.connects, SizeIs(2));
  EXPECT_EQ(sent[0].batch.connects[2].request, RequestId{1 + 2 * 6});
  EXPECT_EQ(runner.figures().batches, 3u);
}

TEST_F(ThreeManagers, GetNoBatchBeyondItsBound) {
  Started runner(9, 2);
  const auto sent = runner.advance(managers_at(90ms));
  ASSERT_THAT(sent, SizeIs(6));  // 2 + 1 for each manager
  std::set<std::uint64_t> requests;
  for (const Dispatch& dispatch : sent) {
    EXPECT_LE(dispatch.batch.connects.size(), 2u);
    for (const ConnectRequest& request : dispatch.batch.connects) {
      requests.insert(request.request.value());
    }
  }
  EXPECT_THAT(requests, SizeIs(9));
}

TEST_F(ThreeManagers, ReleaseWhatTheyHaveSetUpThemselves) {
  Started runner(3, 64);
  // callgen --> managers: one connect each; each numbers its connection 7
  const auto setups = runner.advance(managers_at(30ms));
  ASSERT_THAT(setups, SizeIs(3));
  for (const Dispatch& setup : setups) {
    runner.outcome(connected(setup.batch.connects[0].request, 7), managers_at(31ms), setup.manager);
  }
  EXPECT_EQ(runner.figures().setups.connected, 3u);

  // callgen --> managers: release of number 7, each where it was set up
  const auto releases = runner.advance(managers_at(56ms));
  ASSERT_THAT(releases, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_THAT(releases[i].batch.releases, SizeIs(1));
    const ReleaseRequest& release = releases[i].batch.releases[0];
    EXPECT_EQ(release.connection, ConnectionId{7});
    EXPECT_EQ(releases[i].manager, (release.request.value() - 1) / 2 % 3);
    runner.outcome(released(release.request), managers_at(57ms), releases[i].manager);
  }
  EXPECT_TRUE(runner.finished());
  EXPECT_EQ(runner.figures().releases.released, 3u);
}

TEST_F(ThreeManagers, CannotAnswerForOneAnother) {
  Started runner(1, 64);
  const auto sent = runner.advance(managers_at(10ms));
  ASSERT_THAT(sent, SizeIs(1));
  const RequestId request = sent[0].batch.connects[0].request;
  runner.outcome(connected(request, 7), managers_at(11ms), 1);
  EXPECT_EQ(runner.figures().odd, (OddOutcomes{.unknown = 1}));
  EXPECT_EQ(runner.figures().setups.connected, 0u);
  runner.outcome(connected(request, 7), managers_at(12ms), 0);
  EXPECT_EQ(runner.figures().setups.connected, 1u);
}

TEST_F(ThreeManagers, EndTheRunTogetherWhenOneIsLost) {
  Started runner(9, 64);
  runner.advance(managers_at(30ms));
  runner.target_lost(managers_at(31ms));
  EXPECT_TRUE(runner.finished());
  EXPECT_EQ(runner.figures().setups, (SetupCounts{.attempted = 3, .unanswered = 3}));
  EXPECT_THAT(runner.advance(managers_at(90ms)), IsEmpty());
}

}  // namespace
}  // namespace xbind::callgen
