#include "switchserver/ledger_names.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace xbind {
namespace {

CallRecord call(std::string client, std::string from, std::string to) {
  return {std::move(client), RequestId{4}, std::move(from), std::move(to)};
}

TEST(CallNames, TheSameThreeAreKeptOnce) {
  CallNames names;
  const std::uint32_t one = names.take(call("c", "ann", "bob"));
  EXPECT_EQ(names.take(call("c", "ann", "bob")), one);
  const std::uint32_t other = names.take(call("c", "bob", "ann"));
  EXPECT_NE(other, one);
  EXPECT_EQ(names.take(call("c", "ann", "bob")), one) << "also when another was the latest";
  EXPECT_EQ(names.sets(), 2U);
  EXPECT_EQ(names.names(), 3U);
  EXPECT_EQ(names.call(other, RequestId{4}), call("c", "bob", "ann"));
}

TEST(CallNames, GoWithTheLastThatHasThem) {
  CallNames names;
  const std::uint32_t one = names.take(call("c", "ann", "bob"));
  names.take(call("c", "ann", "bob"));
  names.release(one);
  EXPECT_TRUE(names.same(one, call("c", "ann", "bob")));
  names.release(one);
  EXPECT_EQ(names.sets(), 0U);
  EXPECT_EQ(names.names(), 0U);
  const std::uint32_t again = names.take(call("c", "ann", "eve"));
  EXPECT_EQ(again, one) << "the vacant place";
  EXPECT_TRUE(names.same(again, call("c", "ann", "eve")));
}

// What a name ends with, and where it does, belongs to it.
TEST(CallNames, DifferInEveryOctet) {
  CallNames names;
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
      const auto id = names.take(call("c", from, to));
      EXPECT_TRUE(known.emplace(id, std::pair{from, to}).second) << from << " " << to;
    }
  }
  for (const auto& [id, ends] : known) {
    EXPECT_EQ(names.call(id, RequestId{4}), call("c", ends.first, ends.second));
  }
}

TEST(CallNames, KeepCountThroughAnyOrder) {
  const std::uint64_t seed = 20'401;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  CallNames names;
  std::vector<std::pair<std::uint32_t, CallRecord>> taken;
  for (int step = 0; step < 20'000; ++step) {
    if (taken.empty() || (random() % 100 < 55 && taken.size() < 2'000)) {
      const CallRecord some =
          call("c" + std::to_string(random() % 3), "from" + std::to_string(random() % 30),
               "a longer name than a string keeps in itself " + std::to_string(random() % 30));
      taken.emplace_back(names.take(some), some);
    } else {
      std::swap(taken[random() % taken.size()], taken.back());
      ASSERT_EQ(names.call(taken.back().first, RequestId{4}), taken.back().second);
      names.release(taken.back().first);
      taken.pop_back();
    }
  }
  for (const auto& [id, what] : taken) {
    ASSERT_EQ(names.call(id, RequestId{4}), what);
    names.release(id);
  }
  EXPECT_EQ(names.sets(), 0U);
  EXPECT_EQ(names.names(), 0U);
}

TEST(CallNamesDeathTest, ANumberThatNobodyHasIsOurOwnBug) {
  CallNames names;
  const std::uint32_t one = names.take(call("c", "ann", "bob"));
  names.release(one);
  EXPECT_DEATH(names.release(one), "users != 0");
}

}  // namespace
}  // namespace xbind
