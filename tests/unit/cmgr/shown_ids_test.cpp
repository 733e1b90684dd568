// ShownIds compared with a std::set: pages, and blocks of ids that become empty in any order.
#include "cmgr/parts/shown_ids.hpp"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace xbind::cmgr {
namespace {

// At least the number of ids in a block.
constexpr std::uint64_t kFarApart = 1'024;

std::vector<std::uint64_t> page(const ShownIds& shown, std::uint64_t after, std::size_t limit) {
  std::vector<std::uint64_t> values;
  for (const ConnectionId id : shown.page(ConnectionId{after}, limit)) values.push_back(id.value());
  return values;
}

std::vector<std::uint64_t> ids(std::initializer_list<std::uint64_t> values) { return values; }

TEST(ShownIdsTest, APageHoldsTheIdsAboveTheLastOneInAscendingOrder) {
  ShownIds shown;
  for (const int id : {5'000, 7, 64, 63, 1'023, 1'024}) {
    shown.insert(ConnectionId(static_cast<std::uint64_t>(id)));
  }
  EXPECT_EQ(page(shown, 0, 3), ids({7, 63, 64}));
  EXPECT_EQ(page(shown, 64, 3), ids({1'023, 1'024, 5'000}));
  EXPECT_EQ(page(shown, 5'000, 3), ids({}));
  EXPECT_EQ(page(shown, 0, 0), ids({}));
}

TEST(ShownIdsTest, TheLargestIdsAreShown) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  ShownIds shown;
  shown.insert(ConnectionId{kLargest});
  shown.insert(ConnectionId{kLargest - 1});
  EXPECT_EQ(page(shown, kLargest - 2, 9), ids({kLargest - 1, kLargest}));
  EXPECT_EQ(page(shown, kLargest, 9), ids({}));
}

// The block that was looked up last is not the newest one when it becomes empty. The next id of its
// range must be stored in a new block, not in the freed one.
TEST(ShownIdsTest, ARangeThatBecameEmptyAfterAnOlderOneWasLookedUpTakesIdsAgain) {
  ShownIds shown;
  const ConnectionId older{kFarApart + 1};
  const ConnectionId newer{2 * kFarApart + 1};
  const ConnectionId next{2 * kFarApart + 2};
  shown.insert(older);
  shown.insert(ConnectionId{kFarApart + 2});
  shown.insert(newer);
  shown.erase(older);
  shown.erase(newer);
  shown.insert(next);
  EXPECT_EQ(page(shown, 0, 9), ids({kFarApart + 2, next.value()}));
  shown.erase(next);
  EXPECT_EQ(page(shown, 0, 9), ids({kFarApart + 2}));
}

// Ids are added in increasing order, as connections are set up, and removed in any order.
TEST(ShownIdsTest, ShowsWhatASetShowsWhateverOrderTheIdsGoIn) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto below = [&random](std::size_t bound) { return random() % bound; };
    const std::size_t most = 1 + below(2'000);
    ShownIds shown;
    std::set<std::uint64_t> expected;
    std::vector<std::uint64_t> living;
    std::uint64_t newest = 0;
    for (int step = 0; step < 20'000; ++step) {
      if (living.empty() || (living.size() < most && below(2) == 0)) {
        newest += below(50) == 0 ? 1 + below(3 * kFarApart) : 1;
        shown.insert(ConnectionId{newest});
        expected.insert(newest);
        living.push_back(newest);
      } else {
        const std::size_t gone = below(living.size());
        shown.erase(ConnectionId{living[gone]});
        expected.erase(living[gone]);
        living[gone] = living.back();
        living.pop_back();
      }
      if (step % 20 != 0) continue;
      const std::uint64_t after = below(newest + 2);
      const std::size_t limit = below(100);
      std::vector<std::uint64_t> listed;
      for (auto id = expected.upper_bound(after); id != expected.end() && listed.size() < limit;
           ++id) {
        listed.push_back(*id);
      }
      ASSERT_EQ(page(shown, after, limit), listed) << "after " << after << ", at most " << limit;
    }
  }
}

}  // namespace
}  // namespace xbind::cmgr
