// ChainedIndex: finds the numbers of items by the hashes of the items.
#include "core/chained_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace xbind {
namespace {

constexpr auto kNone = ChainedIndex::kNone;

// Items that are their own hashes.
struct Thing {
  std::uint64_t hash = 0;
  ChainedIndex::Number next = kNone;
};

class Things {
  std::vector<Thing> things_;
  ChainedIndex index_;

  auto next_of() {
    return [this](ChainedIndex::Number it) -> ChainedIndex::Number& { return things_[it].next; };
  }

 public:
  void insert(ChainedIndex::Number number, std::uint64_t hash) {
    if (number >= things_.size()) things_.resize(number + 1);
    things_[number].hash = hash;
    index_.insert(hash, number, next_of(), [this](auto it) { return things_[it].hash; });
  }
  void erase(ChainedIndex::Number number) { index_.erase(things_[number].hash, number, next_of()); }
  std::multiset<ChainedIndex::Number> of_hash(std::uint64_t hash) const {
    std::multiset<ChainedIndex::Number> found;
    for (auto at = index_.first(hash); at != kNone; at = things_[at].next) {
      if (things_[at].hash == hash) found.insert(at);
    }
    return found;
  }
  std::size_t longest_chain(std::uint64_t hashes) const {
    std::size_t longest = 0;
    for (std::uint64_t hash = 0; hash < hashes; ++hash) {
      std::size_t length = 0;
      for (auto at = index_.first(hash); at != kNone; at = things_[at].next) ++length;
      longest = std::max(longest, length);
    }
    return longest;
  }
  const ChainedIndex& index() const { return index_; }
};

using Numbers = std::multiset<ChainedIndex::Number>;

TEST(ChainedIndexTest, AnEmptyTableHasNoChains) {
  const ChainedIndex index;
  EXPECT_EQ(index.first(0), kNone);
  EXPECT_EQ(index.first(~std::uint64_t{0}), kNone);
  EXPECT_EQ(index.size(), 0U);
}

TEST(ChainedIndexTest, SeveralThingsMayHaveOneHash) {
  Things things;
  things.insert(0, 7);
  things.insert(1, 7);
  things.insert(2, 8);
  EXPECT_EQ(things.of_hash(7), (Numbers{0, 1}));
  things.erase(0);
  EXPECT_EQ(things.of_hash(7), Numbers{1});
  EXPECT_EQ(things.of_hash(8), Numbers{2});
  EXPECT_EQ(things.index().size(), 2U);
}

// Covers every size between two powers of two, not only the sizes at which
// every chain has been split.
TEST(ChainedIndexTest, EachInsertionSplitsOneChain) {
  Things things;
  for (std::uint32_t number = 0; number < 1'000; ++number) {
    things.insert(number, number);
    for (std::uint32_t known = 0; known <= number; ++known) {
      ASSERT_EQ(things.of_hash(known), Numbers{known}) << "of " << number + 1;
    }
    ASSERT_LE(things.longest_chain(number + 1), 2U) << "of " << number + 1;
  }
}

TEST(ChainedIndexTest, FindsWhatAMultisetHasThroughManyChanges) {
  constexpr std::uint32_t kSeed = 11;
  std::mt19937 random(kSeed);
  Things things;
  std::vector<std::uint64_t> hash_of(400, 0);
  std::set<ChainedIndex::Number> in;
  for (int i = 0; i < 50'000; ++i) {
    const auto number = static_cast<ChainedIndex::Number>(random() % hash_of.size());
    if (in.erase(number) != 0) {
      things.erase(number);
    } else {
      // Few hashes, so that items share chains. Some hashes have high bits beyond any chain number.
      hash_of[number] = std::uint64_t{random() % 50} << (random() % 2 * 32);
      things.insert(number, hash_of[number]);
      in.insert(number);
    }
    ASSERT_EQ(things.index().size(), in.size());
    const std::uint64_t hash = hash_of[random() % hash_of.size()];
    Numbers expected;
    for (const auto it : in) {
      if (hash_of[it] == hash) expected.insert(it);
    }
    ASSERT_EQ(things.of_hash(hash), expected) << "seed " << kSeed << ", change " << i;
  }
}

}  // namespace
}  // namespace xbind
