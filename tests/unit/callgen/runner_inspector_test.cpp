// An inspector looks into calls while they are up: the parts of the run that
// change, and those that do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "callgen/run/runner.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimePoint kInspectionStart{5s};
TimePoint inspection_at(Duration since_start) { return kInspectionStart + since_start; }

struct Inspector final : CallInspector {
  void offered(std::uint64_t call, Ends ends, TimePoint) override {
    seen.push_back("offered " + std::to_string(call) + " " + std::string(ends.from) + " " +
                   std::string(ends.to));
  }
  bool connected(std::uint64_t call, const Outcome& outcome, TimePoint, bool plain) override {
    seen.push_back("connected " + std::to_string(call) + " " + to_string(outcome.ingress));
    return plain && keeps.contains(call);
  }
  bool stopped(std::uint64_t call) override {
    seen.push_back("stopped " + std::to_string(call));
    return keeps_stopped.erase(call) > 0;
  }
  void over(std::uint64_t call, bool released, TimePoint) override {
    seen.push_back((released ? "released " : "over ") + std::to_string(call));
  }
  std::set<std::uint64_t> keeps;
  std::set<std::uint64_t> keeps_stopped;
  std::vector<std::string> seen;
};

// Calls every 10 ms from 10 ms on, held for 25 ms.
struct InspectedRun : testing::Test {
  static RunPlan plan() {
    RunPlan plan;
    plan.calls = 2;
    plan.calls_per_s = 100;
    plan.arrivals = Arrivals::kConstant;
    plan.hold_mean = 25ms;
    plan.drain_timeout = 1s;
    return plan;
  }
  InspectedRun() { runner.start(kInspectionStart); }

  // The numbers of the requests sent. Setups have 1 and 3, releases 2 and 4.
  std::vector<std::uint64_t> advance(Duration when) {
    std::vector<std::uint64_t> requests;
    for (const Dispatch& sent : runner.advance(inspection_at(when))) {
      for (const auto& request : sent.batch.connects) requests.push_back(request.request.value());
      for (const auto& request : sent.batch.releases) requests.push_back(request.request.value());
    }
    std::sort(requests.begin(), requests.end());
    return requests;
  }
  void answer(std::uint64_t request, OutcomeKind kind, Duration when) {
    Outcome outcome;
    outcome.request = RequestId{request};
    outcome.kind = kind;
    outcome.connection = ConnectionId{7};
    outcome.ingress = atm_label(0, 40);
    runner.outcome(outcome, inspection_at(when));
  }

  Inspector inspector;
  Runner runner{plan(), Workload::weighted({{"a", "b", 1}}, 1).value(), &inspector};
};

TEST_F(InspectedRun, TellsWhatBecomesOfEachCall) {
  advance(10ms);
  answer(1, OutcomeKind::kConnected, 11ms);
  advance(20ms);
  answer(3, OutcomeKind::kRefused, 21ms);
  EXPECT_THAT(advance(36ms), ElementsAre(2));
  answer(2, OutcomeKind::kReleased, 37ms);
  EXPECT_TRUE(runner.finished());
  EXPECT_THAT(inspector.seen, ElementsAre("offered 0 a b", "connected 0 0/40", "offered 1 a b",
                                          "over 1", "released 0"));
}

TEST_F(InspectedRun, AKeptCallIsReleasedWhenTheInspectorHasDone) {
  inspector.keeps = {0};
  advance(10ms);
  answer(1, OutcomeKind::kConnected, 11ms);
  advance(20ms);
  answer(3, OutcomeKind::kConnected, 21ms);
  EXPECT_THAT(advance(46ms), ElementsAre(4));  // the other call ends as usual
  answer(4, OutcomeKind::kReleased, 47ms);
  EXPECT_EQ(runner.next_deadline(), kNever);
  // Longer than the drain timeout: the runner still keeps the call.
  EXPECT_THAT(advance(5s), IsEmpty());
  EXPECT_FALSE(runner.finished());
  runner.inspected(0, inspection_at(5s));
  EXPECT_EQ(runner.next_deadline(), inspection_at(5s));
  EXPECT_THAT(advance(5s + 1ms), ElementsAre(2));
  answer(2, OutcomeKind::kReleased, 5s + 3ms);
  EXPECT_TRUE(runner.finished());
  // The wait for the inspector counts neither as latency nor as lateness of the generator.
  EXPECT_EQ(runner.figures().statistics.release_latency().max(), 3ms);
  EXPECT_EQ(runner.figures().statistics.slip().max(), 1ms);
  EXPECT_EQ(runner.figures().releases.released, 2U);
}

TEST_F(InspectedRun, ACallThatIsUpAtTheStopIsReleasedWhenTheInspectorHasDone) {
  inspector.keeps_stopped = {0, 1};
  advance(10ms);
  answer(1, OutcomeKind::kConnected, 11ms);
  advance(20ms);
  runner.stop(inspection_at(25ms));
  EXPECT_THAT(advance(25ms), IsEmpty());
  // The second setup was under way; its call stands as well.
  answer(3, OutcomeKind::kConnected, 26ms);
  EXPECT_THAT(advance(27ms), IsEmpty());
  runner.inspected(0, inspection_at(30ms));
  EXPECT_THAT(advance(30ms), ElementsAre(2));
  answer(2, OutcomeKind::kReleased, 31ms);
  EXPECT_FALSE(runner.finished());
  runner.inspected(1, inspection_at(32ms));
  EXPECT_THAT(advance(32ms), ElementsAre(4));
  answer(4, OutcomeKind::kReleased, 33ms);
  EXPECT_TRUE(runner.finished());
  EXPECT_THAT(inspector.seen, ElementsAre("offered 0 a b", "connected 0 0/40", "offered 1 a b",
                                          "stopped 0", "connected 1 0/40", "stopped 1", "stopped 0",
                                          "released 0", "stopped 1", "released 1"));
}

TEST_F(InspectedRun, AnInspectionThatIsQuickChangesNoEnd) {
  inspector.keeps = {0};
  advance(10ms);
  answer(1, OutcomeKind::kConnected, 11ms);
  runner.inspected(0, inspection_at(12ms));
  runner.inspected(0, inspection_at(13ms));  // a repeat has no effect
  advance(20ms);
  answer(3, OutcomeKind::kBusy, 21ms);
  EXPECT_EQ(runner.next_deadline(), inspection_at(36ms));
  EXPECT_THAT(advance(36ms), ElementsAre(2));
}

TEST_F(InspectedRun, ALostTargetEndsKeptCallsToo) {
  inspector.keeps = {0};
  advance(10ms);
  answer(1, OutcomeKind::kConnected, 11ms);
  runner.target_lost(inspection_at(12ms));
  EXPECT_TRUE(runner.finished());
  runner.inspected(0, inspection_at(13ms));
  EXPECT_EQ(runner.figures().releases.unanswered, 1U);
  EXPECT_EQ(runner.next_deadline(), kNever);
}

TEST(RunnerBothWays, EveryCallAsksForTheSameBack) {
  for (const bool both : {false, true}) {
    RunPlan plan = InspectedRun::plan();
    plan.both_ways = both;
    Runner runner(plan, Workload::weighted({{"a", "b", 1}}, 1).value());
    runner.start(kInspectionStart);
    const auto sent = runner.advance(inspection_at(10ms));
    ASSERT_EQ(sent.size(), 1U);
    const auto& request = sent.front().batch.connects.front();
    EXPECT_EQ(request.reverse, both ? std::optional(plan.service) : std::nullopt);
  }
}

}  // namespace
}  // namespace xbind::callgen
