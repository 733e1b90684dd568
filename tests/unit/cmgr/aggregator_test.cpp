#include "cmgr/aggregator.hpp"

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

constexpr TimePoint kNow{seconds{1}};

HopSetup setup(std::uint64_t connection) {
  HopSetup setup;
  setup.key.connection = ConnectionId{connection};
  return setup;
}
HopKey key(std::uint64_t connection) { return {ConnectionId{connection}, {}, 0, 0}; }

TEST(AggregatorTest, IsDueWithExactlyTCommands) {
  Aggregator queue{{3, milliseconds{5}}};
  queue.add(setup(1), kNow);
  queue.add(key(2), kNow);
  EXPECT_FALSE(queue.due(kNow)) << "two of three; adds and deletes both count";
  queue.add(setup(3), kNow);
  EXPECT_TRUE(queue.due(kNow));
  const HopBatch batch = queue.take();
  EXPECT_THAT(batch.setups, SizeIs(2));
  EXPECT_THAT(batch.removals, SizeIs(1));
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.deadline(), kNever);
}

TEST(AggregatorTest, ALoneCommandWaitsForTheFlushTimeoutOfTheOldest) {
  Aggregator queue{{10, milliseconds{5}}};
  queue.add(setup(1), kNow);
  queue.add(setup(2), kNow + milliseconds{4});
  EXPECT_EQ(queue.deadline(), kNow + milliseconds{5});
  EXPECT_FALSE(queue.due(kNow + milliseconds{4}));
  EXPECT_TRUE(queue.due(kNow + milliseconds{5}));
}

TEST(AggregatorTest, LabelsOnTheirWayBackDoNotCountButGoInTheEnd) {
  Aggregator queue{{1, milliseconds{5}}};
  queue.give_back(PortId{1}, atm_label(0, 32), kNow);
  queue.give_back(PortId{2}, atm_label(0, 33), kNow);
  queue.give_back(PortId{1}, atm_label(0, 34), kNow);
  EXPECT_FALSE(queue.due(kNow));
  EXPECT_FALSE(queue.empty());
  EXPECT_TRUE(queue.due(kNow + Aggregator::kReturnDelay));
  EXPECT_THAT(queue.returning(), SizeIs(2));
  EXPECT_THAT(queue.take().returned,
              ElementsAre(PortLabels{PortId{1}, {atm_label(0, 32), atm_label(0, 34)}},
                          PortLabels{PortId{2}, {atm_label(0, 33)}}));
}

TEST(AggregatorTest, TheyRideWithACommand) {
  Aggregator queue{{1, milliseconds{5}}};
  queue.give_back(PortId{1}, atm_label(0, 32), kNow);
  queue.add(setup(1), kNow);
  EXPECT_TRUE(queue.due(kNow));
  EXPECT_THAT(queue.take().returned, SizeIs(1));
}

TEST(AggregatorTest, FlushingAnEmptyOneDoesNothing) {
  Aggregator queue{{10, milliseconds{5}}};
  queue.flush_now(kNow);
  EXPECT_EQ(queue.deadline(), kNever);
  queue.add(setup(1), kNow);
  queue.flush_now(kNow);
  EXPECT_TRUE(queue.due(kNow));
}

TEST(AggregatorTest, ARemovalKeepsItsPlaceAmongTheSetups) {
  Aggregator queue{{1, milliseconds{5}}};
  queue.add(key(1), kNow);
  queue.add(setup(2), kNow);
  queue.add(key(2), kNow);
  queue.add(key(3), kNow);
  const HopBatch batch = queue.take();
  EXPECT_THAT(batch.removals,
              ElementsAre(HopRemoval{key(1), 0}, HopRemoval{key(2), 1}, HopRemoval{key(3), 1}));
}

TEST(AggregatorTest, ASessionThatEndsTakesTheQueueWithIt) {
  Aggregator queue{{10, milliseconds{5}}};
  queue.add(setup(1), kNow);
  queue.clear();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.deadline(), kNever);
}

TEST(AggregatorTest, IsFullAtItsBound) {
  Aggregator queue{{1, milliseconds{5}}};
  for (std::size_t i = 0; i + 1 < Aggregator::kCommandsQueued; ++i) queue.add(key(i), kNow);
  EXPECT_FALSE(queue.full());
  queue.add(key(0), kNow);
  EXPECT_TRUE(queue.full());
}

// A queue longer than a batch is cut; put together again, the parts say what was queued, in order.
TEST(AggregatorTest, ALongQueueGoesInPartsThatKeepTheOrder) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Aggregator queue{{4096, milliseconds{5}}};
    std::vector<std::uint64_t> queued;  // setups even, removals odd
    for (std::uint64_t i = 1; i <= 3 * Aggregator::kCommandsPerBatch + 17; ++i) {
      const bool removal = random() % 3 == 0;
      queued.push_back(2 * i + removal);
      if (removal) {
        queue.add(key(i), kNow);
      } else {
        queue.add(setup(i), kNow);
      }
    }
    queue.give_back(PortId{1}, atm_label(0, 32), kNow);
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
