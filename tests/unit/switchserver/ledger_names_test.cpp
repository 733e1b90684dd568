#include "switchserver/ledger/owner_names.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace xbind {
namespace {

HopOwner owner(std::string client, std::string from, std::string to) {
  return {std::move(client), Epoch{4}, std::move(from), std::move(to)};
}

TEST(OwnerNames, TheSameThreeAreKeptOnce) {
  OwnerNames names;
  const std::uint32_t one = names.take(owner("c", "ann", "bob"));
  EXPECT_EQ(names.take(owner("c", "ann", "bob")), one);
  const std::uint32_t other = names.take(owner("c", "bob", "ann"));
  EXPECT_NE(other, one);
  EXPECT_EQ(names.take(owner("c", "ann", "bob")), one) << "also when another was the latest";
  EXPECT_EQ(names.owners(), 2U);
  EXPECT_EQ(names.names(), 3U);
  EXPECT_EQ(names.owner(other), owner("c", "bob", "ann"));
}

TEST(OwnerNames, GoWithTheLastThatHasThem) {
  OwnerNames names;
  const std::uint32_t one = names.take(owner("c", "ann", "bob"));
  names.take(owner("c", "ann", "bob"));
  names.release(one);
  EXPECT_EQ(names.owner(one), owner("c", "ann", "bob"));
  names.release(one);
  EXPECT_EQ(names.owners(), 0U);
  EXPECT_EQ(names.names(), 0U);
  const std::uint32_t again = names.take(owner("c", "ann", "eve"));
  EXPECT_EQ(again, one) << "the vacant place";
  EXPECT_EQ(names.owner(again), owner("c", "ann", "eve"));
}

TEST(OwnerNames, AClientThatHasStartedAnewIsAnotherOwnerOfTheSameCall) {
  OwnerNames names;
  const std::uint32_t one = names.take({"c", Epoch{4}, "ann", "bob"});
  const std::uint32_t later = names.take({"c", Epoch{5}, "ann", "bob"});
  const std::uint32_t other = names.take({"d", Epoch{4}, "ann", "bob"});
  EXPECT_NE(one, later);
  EXPECT_EQ(names.names(), 4U);
  EXPECT_EQ(names.owner(later).epoch, Epoch{5});
  EXPECT_TRUE(names.same_call(one, later));
  EXPECT_FALSE(names.same_call(one, other));
  EXPECT_FALSE(names.same_call(one, kNoOwner));
  EXPECT_TRUE(names.same_call(kNoOwner, kNoOwner));
}

// Two names differ also by their last octet and by their length.
TEST(OwnerNames, DifferInEveryOctet) {
  OwnerNames names;
  const std::vector<std::string> different{"",
                                           "a",
                                           std::string(1, '\0'),
                                           std::string(2, '\0'),
                                           "abcdefgh",
                                           "abcdefg",
                                           "abcdefghi",
                                           "abcdefgi",
                                           "bbcdefgh",
                                           std::string(8, '\0'),
                                           "12345678",
                                           "1234567812345678"};
  std::map<std::uint32_t, std::pair<std::string, std::string>> known;
  for (const std::string& from : different) {
    for (const std::string& to : different) {
      const auto id = names.take(owner("c", from, to));
      EXPECT_TRUE(known.emplace(id, std::pair{from, to}).second) << from << " " << to;
    }
  }
  for (const auto& [id, ends] : known) {
    EXPECT_EQ(names.owner(id), owner("c", ends.first, ends.second));
  }
}

TEST(OwnerNames, KeepCountThroughAnyOrder) {
  const std::uint64_t seed = 20'401;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  OwnerNames names;
  std::vector<std::pair<std::uint32_t, HopOwner>> taken;
  for (int step = 0; step < 20'000; ++step) {
    if (taken.empty() || (random() % 100 < 55 && taken.size() < 2'000)) {
      const HopOwner some =
          owner("c" + std::to_string(random() % 3), "from" + std::to_string(random() % 30),
                "a longer name than a string keeps in itself " + std::to_string(random() % 30));
      taken.emplace_back(names.take(some), some);
    } else {
      std::swap(taken[random() % taken.size()], taken.back());
      ASSERT_EQ(names.owner(taken.back().first), taken.back().second);
      names.release(taken.back().first);
      taken.pop_back();
    }
  }
  for (const auto& [id, what] : taken) {
    ASSERT_EQ(names.owner(id), what);
    names.release(id);
  }
  EXPECT_EQ(names.owners(), 0U);
  EXPECT_EQ(names.names(), 0U);
}

TEST(OwnerNamesDeathTest, ANumberThatNobodyHasIsOurOwnBug) {
  OwnerNames names;
  const std::uint32_t one = names.take(owner("c", "ann", "bob"));
  names.release(one);
  EXPECT_DEATH(names.release(one), "users != 0");
}

}  // namespace
}  // namespace xbind
