#include "cmgr/parts/aggregator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace xbind::cmgr {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr TimePoint kFirst{seconds{1}};

HopSetup setup(std::uint64_t connection) {
  HopSetup setup;
  setup.key.connection = ConnectionId{connection};
  return setup;
}
HopKey key(std::uint64_t connection) { return {ConnectionId{connection}, {}, 0, 0}; }
HopModify change(std::uint64_t connection) { return {key(connection), 1, {}}; }

AggregationPolicy fixed(std::size_t threshold) {
  Aggregation settings;
  settings.threshold = threshold;
  return AggregationPolicy(settings);
}
AggregationPolicy adaptive(std::size_t in_flight) {
  Aggregation settings;
  settings.mode = AggregationMode::kAdaptive;
  settings.threshold = 10;
  settings.in_flight = in_flight;
  return AggregationPolicy(settings);
}
// With a fixed threshold, neither the batches in flight nor the end of the step matters.
bool due(const Aggregator& queue, TimePoint now) {
  EXPECT_EQ(queue.due(now, 0, 0, true), queue.due(now, 256, 256, false));
  return queue.due(now, 0, 0, true);
}

TEST(AggregatorTest, IsDueWithExactlyTCommands) {
  const AggregationPolicy policy = fixed(3);
  Aggregator queue(policy);
  queue.add(setup(1), kFirst);
  queue.add(key(2), kFirst);
  EXPECT_FALSE(due(queue, kFirst)) << "two of three; adds and deletes both count";
  queue.add(setup(3), kFirst);
  EXPECT_TRUE(due(queue, kFirst));
  const HopBatch batch = queue.take();
  EXPECT_THAT(batch.setups, SizeIs(2));
  EXPECT_THAT(batch.removals, SizeIs(1));
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.deadline(), kNever);
}

TEST(AggregatorTest, ALoneCommandWaitsForTheFlushTimeoutOfTheOldest) {
  const AggregationPolicy policy = fixed(10);
  Aggregator queue(policy);
  queue.add(setup(1), kFirst);
  queue.add(setup(2), kFirst + milliseconds{4});
  EXPECT_EQ(queue.deadline(), kFirst + milliseconds{5});
  EXPECT_FALSE(due(queue, kFirst + milliseconds{4}));
  EXPECT_TRUE(due(queue, kFirst + milliseconds{5}));
}

TEST(AggregatorTest, LabelsOnTheirWayBackDoNotCountButGoInTheEnd) {
  const AggregationPolicy policy = fixed(1);
  Aggregator queue(policy);
  queue.give_back(PortId{1}, atm_label(0, 32), kFirst);
  queue.give_back(PortId{2}, atm_label(0, 33), kFirst);
  queue.give_back(PortId{1}, atm_label(0, 34), kFirst);
  EXPECT_FALSE(due(queue, kFirst));
  EXPECT_FALSE(queue.empty());
  EXPECT_TRUE(due(queue, kFirst + Aggregator::kReturnDelay));
  EXPECT_THAT(queue.returning(), SizeIs(2));
  EXPECT_THAT(queue.take().returned,
              ElementsAre(PortLabels{PortId{1}, {atm_label(0, 32), atm_label(0, 34)}},
                          PortLabels{PortId{2}, {atm_label(0, 33)}}));
}

TEST(AggregatorTest, TheyRideWithACommand) {
  const AggregationPolicy policy = fixed(1);
  Aggregator queue(policy);
  queue.give_back(PortId{1}, atm_label(0, 32), kFirst);
  queue.add(setup(1), kFirst);
  EXPECT_TRUE(due(queue, kFirst));
  EXPECT_THAT(queue.take().returned, SizeIs(1));
}

TEST(AggregatorTest, FlushingAnEmptyOneDoesNothing) {
  const AggregationPolicy policy = fixed(10);
  Aggregator queue(policy);
  queue.flush_now(kFirst);
  EXPECT_EQ(queue.deadline(), kNever);
  queue.add(setup(1), kFirst);
  queue.flush_now(kFirst);
  EXPECT_TRUE(due(queue, kFirst));
}

TEST(AggregatorTest, ARemovalKeepsItsPlaceAmongTheSetups) {
  const AggregationPolicy policy = fixed(1);
  Aggregator queue(policy);
  queue.add(key(1), kFirst);
  queue.add(setup(2), kFirst);
  queue.add(key(2), kFirst);
  queue.add(key(3), kFirst);
  const HopBatch batch = queue.take();
  EXPECT_THAT(batch.removals,
              ElementsAre(HopRemoval{key(1), 0}, HopRemoval{key(2), 1}, HopRemoval{key(3), 1}));
}

TEST(AggregatorTest, ASessionThatEndsTakesTheQueueWithIt) {
  const AggregationPolicy policy = fixed(10);
  Aggregator queue(policy);
  queue.add(setup(1), kFirst);
  queue.clear();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.deadline(), kNever);
}

TEST(AggregatorTest, IsFullAtItsBound) {
  const AggregationPolicy policy = fixed(1);
  Aggregator queue(policy);
  for (std::size_t i = 0; i + 1 < Aggregator::kCommandsQueued; ++i) queue.add(key(i), kFirst);
  EXPECT_FALSE(queue.full());
  queue.add(key(0), kFirst);
  EXPECT_TRUE(queue.full());
}

TEST(AggregatorTest, AChangeIsACommandToo) {
  const AggregationPolicy policy = fixed(2);
  Aggregator queue(policy);
  queue.add(setup(1), kFirst);
  queue.add(change(2), kFirst);
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_TRUE(due(queue, kFirst));
  EXPECT_THAT(queue.take().modifies, ElementsAre(change(2)));
}

TEST(AggregatorTest, QuotaOfAPortAddsUpAndOfItsDemandTheLatestIsTold) {
  const AggregationPolicy policy = fixed(1);
  Aggregator queue(policy);
  queue.give_back(PortId{1}, Resources{100, 2}, kFirst);
  queue.give_back(PortId{2}, Resources{7, 0}, kFirst);
  queue.give_back(PortId{1}, Resources{50, 3}, kFirst);
  queue.declare(PortId{1}, 20, kFirst + milliseconds{1});
  queue.declare(PortId{1}, 30, kFirst + milliseconds{2});
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_FALSE(queue.empty());
  EXPECT_FALSE(due(queue, kFirst + milliseconds{2}));
  EXPECT_EQ(queue.deadline(), kFirst + Aggregator::kReturnDelay);
  const HopBatch batch = queue.take();
  EXPECT_THAT(batch.quota_returned,
              ElementsAre(PortQuota{PortId{1}, {150, 5}}, PortQuota{PortId{2}, {7, 0}}));
  EXPECT_THAT(batch.declared, ElementsAre(PortDemand{PortId{1}, 30}));
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.deadline(), kNever);
}

// ===== settings that change while commands wait =====

TEST(AggregatorTest, ALowerThresholdCountsAtOnce) {
  AggregationPolicy policy = fixed(10);
  Aggregator queue(policy);
  queue.add(setup(1), kFirst);
  queue.add(setup(2), kFirst);
  EXPECT_FALSE(due(queue, kFirst));
  Aggregation settings = policy.settings();
  settings.threshold = 2;
  ASSERT_TRUE(policy.set(settings));
  EXPECT_TRUE(due(queue, kFirst));
  EXPECT_LE(queue.deadline(), kFirst) << "the clock need not wait either";
}

TEST(AggregatorTest, AnotherFlushTimeoutCountsFromWhenTheOldestCame) {
  AggregationPolicy policy = fixed(10);
  Aggregator queue(policy);
  queue.add(setup(1), kFirst);
  Aggregation settings = policy.settings();
  settings.flush_timeout = milliseconds{2};
  ASSERT_TRUE(policy.set(settings));
  EXPECT_EQ(queue.deadline(), kFirst + milliseconds{2});
  EXPECT_TRUE(due(queue, kFirst + milliseconds{2}));
  settings.flush_timeout = seconds{1};
  ASSERT_TRUE(policy.set(settings));
  EXPECT_FALSE(due(queue, kFirst + milliseconds{2}));
  EXPECT_TRUE(due(queue, kFirst + seconds{1}));
}

TEST(AggregatorTest, FromTimeoutToAdaptiveAndBackNothingIsStuck) {
  AggregationPolicy policy = fixed(10);
  Aggregator queue(policy);
  queue.add(setup(1), kFirst);
  Aggregation settings = policy.settings();
  settings.mode = AggregationMode::kAdaptive;
  ASSERT_TRUE(policy.set(settings));
  EXPECT_TRUE(queue.due(kFirst, 0, 0, true));
  EXPECT_FALSE(queue.due(kFirst, settings.in_flight, settings.in_flight, true));
  EXPECT_EQ(queue.deadline(), kNever);
  settings.mode = AggregationMode::kFixed;
  ASSERT_TRUE(policy.set(settings));
  EXPECT_FALSE(due(queue, kFirst));
  EXPECT_EQ(queue.deadline(), kFirst + milliseconds{5});
}

// ===== owners =====

TEST(AggregatorTest, ABatchSaysEachOwnerOnceAndTheNextBatchSaysItAgain) {
  const AggregationPolicy policy = fixed(10);
  Aggregator queue(policy);
  CallEndsTable table;
  const CallEndsRef to_bob = table.get("ann", "bob");
  const CallEndsRef to_eve = table.get("ann", "eve");
  const std::string mia = "mia";
  const std::string noa = "noa";
  const std::vector<Owner> owners{{mia, Epoch{1}, *to_bob},
                                  {mia, Epoch{1}, *to_eve},
                                  {noa, Epoch{1}, *to_bob},
                                  {mia, Epoch{2}, *to_bob}};
  for (int batch = 0; batch < 3; ++batch) {
    std::vector<const Owner*> added;
    // Equal owners are adjacent, like the hops of several calls of one client.
    for (const Owner& owner : owners) {
      for (int again = 0; again < 3; ++again) {
        queue.add_setup(owner, kFirst, kNotTimed);
        added.push_back(&owner);
      }
    }
    const HopBatch taken = queue.take();
    EXPECT_THAT(taken.owners, SizeIs(owners.size()));
    ASSERT_THAT(taken.setups, SizeIs(added.size()));
    for (std::size_t i = 0; i < added.size(); ++i) {
      EXPECT_EQ(taken.owners.at(taken.setups[i].owner), added[i]->value());
    }
  }
}

TEST(AggregatorTest, BothPartsOfADividedBatchHaveTheOwnersOfTheirSetups) {
  const AggregationPolicy policy = fixed(10);
  Aggregator queue(policy);
  CallEndsTable table;
  const CallEndsRef ends = table.get("ann", "bob");
  const std::string mia = "mia";
  for (std::size_t i = 0; i < Aggregator::kCommandsPerBatch + 1; ++i) {
    queue.add_setup({mia, Epoch{1}, *ends}, kFirst, kNotTimed);
  }
  for (const std::size_t setups : {Aggregator::kCommandsPerBatch, std::size_t{1}}) {
    const HopBatch part = queue.take();
    ASSERT_THAT(part.setups, SizeIs(setups));
    EXPECT_THAT(part.owners, ElementsAre(HopOwner{"mia", Epoch{1}, "ann", "bob"}));
    EXPECT_EQ(part.setups.back().owner, 0U);
  }
}

// ===== adaptive =====

TEST(AggregatorTest, AdaptiveCommandsGoTogetherAtTheEndOfTheStep) {
  const AggregationPolicy policy = adaptive(2);
  Aggregator queue(policy);
  EXPECT_FALSE(queue.due(kFirst, 0, 0, true)) << "nothing is there";
  queue.add(setup(1), kFirst);
  queue.add(key(2), kFirst);
  EXPECT_FALSE(queue.due(kFirst, 0, 0, false));
  EXPECT_TRUE(queue.due(kFirst, 0, 0, true));
}

TEST(AggregatorTest, TheyGatherWhileBatchesAreOnTheirWay) {
  const AggregationPolicy policy = adaptive(2);
  Aggregator queue(policy);
  for (std::uint64_t i = 1; i <= 100; ++i) queue.add(setup(i), kFirst);
  EXPECT_FALSE(queue.due(kFirst + seconds{1}, 2, 2, true)) << "no clock sends them";
  EXPECT_EQ(queue.deadline(), kNever);
  EXPECT_TRUE(queue.due(kFirst + seconds{1}, 1, 1, true)) << "a confirmation does";
}

TEST(AggregatorTest, WhereManyAreOnTheirWayEachSwitchHasOneAtATime) {
  constexpr std::size_t kMany = Aggregation::kBatchesToAll;
  const AggregationPolicy policy = adaptive(4);
  Aggregator queue(policy);
  queue.add(setup(1), kFirst);
  EXPECT_TRUE(queue.due(kFirst, 3, kMany - 1, true));
  EXPECT_FALSE(queue.due(kFirst, 3, kMany, true));
  EXPECT_FALSE(queue.due(kFirst, 1, kMany, true));
  EXPECT_TRUE(queue.due(kFirst, 0, 10 * kMany, true)) << "nothing is on its way to this one";
}

TEST(AggregatorTest, AFullBatchGoesHoweverManyAreOnTheirWay) {
  const AggregationPolicy policy = adaptive(1);
  Aggregator queue(policy);
  for (std::size_t i = 1; i < Aggregator::kCommandsPerBatch; ++i) queue.add(setup(i), kFirst);
  EXPECT_FALSE(queue.due(kFirst, 1, 1, true));
  queue.add(setup(0), kFirst);
  EXPECT_TRUE(queue.due(kFirst, 1, 1, true));
}

TEST(AggregatorTest, WhatIsGivenBackKeepsItsOwnDelay) {
  const AggregationPolicy policy = adaptive(1);
  Aggregator queue(policy);
  queue.give_back(PortId{1}, atm_label(0, 32), kFirst);
  EXPECT_FALSE(queue.due(kFirst, 0, 0, true));
  EXPECT_EQ(queue.deadline(), kFirst + Aggregator::kReturnDelay);
  EXPECT_TRUE(queue.due(kFirst + Aggregator::kReturnDelay, 1, 1, false));
}

TEST(AggregatorTest, AFlushSendsAdaptiveCommandsToo) {
  const AggregationPolicy policy = adaptive(1);
  Aggregator queue(policy);
  queue.add(setup(1), kFirst);
  queue.flush_now(kFirst);
  EXPECT_TRUE(queue.due(kFirst, 1, 1, false));
  (void)queue.take();
  queue.add(setup(2), kFirst);
  EXPECT_FALSE(queue.due(kFirst, 1, 1, false)) << "commands added after the flush wait again";
}

// ===== long queues =====

TEST(AggregatorTest, ChangesGoBeforeAllElseAndAPartHoldsNoMoreThanABatch) {
  const AggregationPolicy policy = fixed(1);
  Aggregator queue(policy);
  constexpr std::size_t kChanges = Aggregator::kCommandsPerBatch + 10;
  queue.add(setup(1), kFirst);
  queue.add(key(1), kFirst);
  for (std::uint64_t i = 0; i < kChanges; ++i) queue.add(change(i), kFirst);
  for (std::size_t i = 0; i < Aggregator::kCommandsPerBatch; ++i) queue.add(key(2 + i), kFirst);

  const HopBatch first = queue.take();
  EXPECT_THAT(first.modifies, SizeIs(Aggregator::kCommandsPerBatch));
  EXPECT_EQ(first.commands(), Aggregator::kCommandsPerBatch);
  const HopBatch second = queue.take();
  ASSERT_THAT(second.modifies, SizeIs(10));
  EXPECT_EQ(second.modifies.front(), change(Aggregator::kCommandsPerBatch));
  EXPECT_THAT(second.setups, SizeIs(1));
  ASSERT_THAT(second.removals, SizeIs(Aggregator::kCommandsPerBatch - 11));
  EXPECT_EQ(second.removals.front(), (HopRemoval{key(1), 1}));
  const HopBatch third = queue.take();
  ASSERT_THAT(third.removals, SizeIs(12));
  EXPECT_EQ(third.removals.front().after, 0U);
  EXPECT_TRUE(queue.empty());
}

TEST(AggregatorTest, AFlushedQueueStaysDueUntilItsLastPart) {
  const AggregationPolicy policy = fixed(4096);
  Aggregator queue(policy);
  for (std::size_t i = 0; i < Aggregator::kCommandsPerBatch + 1; ++i) queue.add(key(i), kFirst);
  queue.flush_now(kFirst);
  (void)queue.take();
  EXPECT_TRUE(due(queue, kFirst)) << "one of 4096";
  (void)queue.take();
  EXPECT_EQ(queue.deadline(), kNever);
}

// A queue longer than a batch is split. The concatenated parts hold the queued commands in order.
TEST(AggregatorTest, APartListsItsOwnRecordedConnections) {
  const AggregationPolicy policy = fixed(1);
  Aggregator queue(policy);
  constexpr std::uint64_t kBatch = Aggregator::kCommandsPerBatch;
  for (const std::uint64_t id : {std::uint64_t{1}, kBatch + 1}) {
    queue.trace(ConnectionId{id});
    queue.add(setup(id), kFirst);
    for (std::uint64_t i = id + 1; i < id + kBatch; ++i) queue.add(setup(i), kFirst);
  }
  queue.trace(ConnectionId{1});
  queue.add(key(1), kFirst);
  EXPECT_THAT(queue.take().traced, ElementsAre(ConnectionId{1}));
  EXPECT_THAT(queue.take().traced, ElementsAre(ConnectionId{kBatch + 1}));
  EXPECT_THAT(queue.take().traced, ElementsAre(ConnectionId{1}));
  queue.add(setup(7), kFirst);
  EXPECT_THAT(queue.take().traced, IsEmpty());
}

TEST(AggregatorTest, ALongQueueGoesInPartsThatKeepTheOrder) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const AggregationPolicy policy = fixed(4096);
    Aggregator queue(policy);
    std::vector<std::uint64_t> queued;  // setups even, removals odd
    for (std::uint64_t i = 1; i <= 3 * Aggregator::kCommandsPerBatch + 17; ++i) {
      const bool removal = random() % 3 == 0;
      queued.push_back(2 * i + removal);
      if (removal) {
        queue.add(key(i), kFirst);
      } else {
        queue.add(setup(i), kFirst);
      }
    }
    queue.give_back(PortId{1}, atm_label(0, 32), kFirst);
    std::vector<std::uint64_t> said;
    std::size_t parts = 0;
    while (!queue.empty()) {
      const HopBatch part = queue.take();
      EXPECT_LE(part.commands(), Aggregator::kCommandsPerBatch);
      EXPECT_EQ(part.returned.size(), parts == 0 ? 1U : 0U);
      ++parts;
      auto removal = part.removals.begin();
      for (std::size_t applied = 0; applied <= part.setups.size(); ++applied) {
        for (; removal != part.removals.end() && removal->after == applied; ++removal) {
          said.push_back(2 * removal->key.connection.value() + 1);
        }
        if (applied < part.setups.size()) {
          said.push_back(2 * part.setups[applied].key.connection.value());
        }
      }
      EXPECT_EQ(removal, part.removals.end()) << "`after` beyond the batch";
    }
    EXPECT_EQ(parts, 4U);
    EXPECT_EQ(said, queued);
  }
}

}  // namespace
}  // namespace xbind::cmgr
