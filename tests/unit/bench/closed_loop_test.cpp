#include "bench/search/closed_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

const LoopPlan kPlan{
    .in_flight = 5, .max_batch = 2, .warm_up = 1s, .measured = 2s, .drain_timeout = 3s};

Workload a_to_b() { return *Workload::weighted({{"a", "b", 1.0}}, 1); }

OutcomeBatch answers_to(const std::vector<Dispatch>& sent, std::uint64_t& connections) {
  OutcomeBatch batch;
  for (const Dispatch& dispatch : sent) {
    for (const ConnectRequest& request : dispatch.batch.connects) {
      Outcome outcome;
      outcome.request = request.request;
      outcome.connection = ConnectionId{++connections};
      batch.outcomes.push_back(outcome);
    }
    for (const ReleaseRequest& request : dispatch.batch.releases) {
      Outcome outcome;
      outcome.request = request.request;
      outcome.kind = OutcomeKind::kReleased;
      outcome.connection = request.connection;
      batch.outcomes.push_back(outcome);
    }
  }
  return batch;
}

TEST(ClosedLoop, KeepsTheNumberUnderWayAndCountsWhatIsMeasured) {
  ClosedLoop loop(kPlan, a_to_b());
  TimePoint now{1h};
  const TimePoint start = now;
  loop.start(now);
  std::uint64_t connections = 0;
  std::uint64_t counted = 0;
  std::set<std::uint64_t> requests;
  while (!loop.finished()) {
    const auto sent = loop.advance(now);
    std::size_t in_all = 0;
    for (const Dispatch& dispatch : sent) {
      const std::size_t size = dispatch.batch.connects.size() + dispatch.batch.releases.size();
      EXPECT_LE(size, kPlan.max_batch);
      in_all += size;
    }
    if (now < start + 3s) {
      EXPECT_EQ(in_all, kPlan.in_flight);
      EXPECT_THAT(loop.advance(now), IsEmpty());  // the limit of calls under way is reached
    }
    now += 100ms;
    const OutcomeBatch answers = answers_to(sent, connections);
    for (const Outcome& outcome : answers.outcomes) {
      EXPECT_TRUE(requests.insert(outcome.request.value()).second) << "a number twice";
    }
    if (now >= start + 1s && now < start + 3s) counted += answers.outcomes.size();
    loop.answered(answers, 0, now);
  }
  EXPECT_EQ(loop.figures().operations, counted);
  EXPECT_EQ(loop.figures().all_operations, requests.size());
  EXPECT_EQ(loop.figures().latency.count(), counted);
  EXPECT_EQ(loop.figures().latency.min(), 100ms);
  EXPECT_EQ(loop.figures().unanswered, 0U);
  EXPECT_NEAR(loop.figures().operations_per_s(), 50, 5);
}

TEST(ClosedLoop, WhatIsUpIsReleasedAtTheEnd) {
  ClosedLoop loop(kPlan, a_to_b());
  TimePoint now{1h};
  loop.start(now);
  std::uint64_t connections = 0;
  loop.answered(answers_to(loop.advance(now), connections), 0, now);
  now += 3s;  // the measurement is over, and all five are up
  const auto releases = loop.advance(now);
  EXPECT_FALSE(loop.finished());
  const OutcomeBatch answers = answers_to(releases, connections);
  ASSERT_THAT(answers.outcomes, SizeIs(5));
  EXPECT_EQ(answers.outcomes[0].kind, OutcomeKind::kReleased);
  loop.answered(answers, 0, now);
  EXPECT_THAT(loop.advance(now), IsEmpty());
  EXPECT_TRUE(loop.finished());
  EXPECT_EQ(loop.next_deadline(), kNever);
}

TEST(ClosedLoop, GivesUpWhatIsNotAnswered) {
  ClosedLoop loop(kPlan, a_to_b());
  TimePoint now{1h};
  loop.start(now);
  EXPECT_THAT(loop.advance(now), SizeIs(3));
  EXPECT_EQ(loop.next_deadline(), now + 6s);
  now = loop.next_deadline();
  EXPECT_THAT(loop.advance(now), IsEmpty());
  EXPECT_TRUE(loop.finished());
  EXPECT_EQ(loop.figures().unanswered, 5U);
  EXPECT_EQ(loop.figures().operations_per_s(), 0);
}

TEST(ClosedLoop, RefusalsAreNoOperationsAndFreeTheirPlace) {
  ClosedLoop loop(kPlan, a_to_b());
  TimePoint now{1h};
  loop.start(now);
  const auto sent = loop.advance(now);
  now += 1s;
  OutcomeBatch busy;
  busy.outcomes.emplace_back();
  busy.outcomes[0].request = sent[0].batch.connects[0].request;
  busy.outcomes[0].kind = OutcomeKind::kBusy;
  loop.answered(busy, 0, now);
  loop.answered(busy, 0, now);  // a repeat changes nothing
  EXPECT_EQ(loop.figures().refused, 1U);
  EXPECT_EQ(loop.figures().operations, 0U);
  const auto next = loop.advance(now);
  ASSERT_THAT(next, SizeIs(1));
  EXPECT_THAT(next[0].batch.connects, SizeIs(1));
}

TEST(ClosedLoop, ManagersTakeTurnsAndReleaseWhatTheyHaveSetUp) {
  LoopPlan plan = kPlan;
  plan.managers = 2;
  ClosedLoop loop(plan, a_to_b());
  TimePoint now{1h};
  loop.start(now);
  std::uint64_t connections = 0;
  std::map<ConnectionId, std::size_t> owners;
  for (const Dispatch& dispatch : loop.advance(now)) {
    const OutcomeBatch answers = answers_to({dispatch}, connections);
    for (const Outcome& outcome : answers.outcomes) owners[outcome.connection] = dispatch.manager;
    loop.answered(answers, dispatch.manager, now);
  }
  EXPECT_THAT(owners, SizeIs(5));
  std::size_t releases = 0;
  for (const Dispatch& dispatch : loop.advance(now)) {
    for (const ReleaseRequest& request : dispatch.batch.releases) {
      EXPECT_EQ(owners.at(request.connection), dispatch.manager);
      ++releases;
    }
  }
  EXPECT_EQ(releases, 5U);
  EXPECT_EQ(std::ranges::count(owners, std::size_t{0},
                               &std::pair<const ConnectionId, std::size_t>::second),
            3);
}

TEST(ClosedLoop, CallsWhomTheWorkloadSays) {
  ClosedLoop loop(kPlan, *Workload::uniform({"a", "b", "c"}, 7));
  Workload same = *Workload::uniform({"a", "b", "c"}, 7);
  loop.start(TimePoint{1h});
  for (const Dispatch& dispatch : loop.advance(TimePoint{1h})) {
    for (const ConnectRequest& request : dispatch.batch.connects) {
      const Ends ends = same.next();
      EXPECT_EQ(request.from, ends.from);
      EXPECT_EQ(request.to, ends.to);
    }
  }
}

TEST(ClosedLoop, EndsWhenTheManagerIsLost) {
  ClosedLoop loop(kPlan, a_to_b());
  loop.start(TimePoint{1h});
  EXPECT_FALSE(loop.advance(TimePoint{1h}).empty());
  loop.target_lost(TimePoint{1h});
  EXPECT_TRUE(loop.finished());
  EXPECT_TRUE(loop.figures().target_lost);
  EXPECT_EQ(loop.figures().unanswered, 5U);
}

}  // namespace
}  // namespace xbind::callgen
