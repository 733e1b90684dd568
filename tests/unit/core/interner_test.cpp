// Interner: stores each different value once for all its users.
#include "core/interner.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/name_hash.hpp"

namespace xbind {
namespace {

class Names {
 public:
  Interner<std::string>::Taken take(std::string_view name) {
    return values.take(name, name_hash(name));
  }
  Interner<std::string> values;
};

TEST(InternerTest, EqualValuesShareANumber) {
  Names names;
  const auto [ann, made] = names.take("ann");
  EXPECT_TRUE(made);
  const auto again = names.take("ann");
  EXPECT_EQ(again.number, ann);
  EXPECT_FALSE(again.made);
  EXPECT_NE(names.take("bob").number, ann);
  EXPECT_EQ(names.values[ann], "ann");
  EXPECT_EQ(names.values.users(ann), 2U);
  EXPECT_EQ(names.values.size(), 2U);
}

TEST(InternerTest, AValueGoesWithItsLastUser) {
  Names names;
  const auto ann = names.take("ann").number;
  names.values.take_again(ann);
  EXPECT_FALSE(names.values.release(ann));
  EXPECT_TRUE(names.values.release(ann));
  EXPECT_EQ(names.values[ann], "ann") << "until the next take()";
  EXPECT_EQ(names.values.size(), 0U);
  const auto bob = names.take("bob");
  EXPECT_TRUE(bob.made);
  EXPECT_EQ(bob.number, ann) << "the vacant place";
  EXPECT_TRUE(names.take("ann").made);
}

TEST(InternerTest, ValuesOfOneHashAreDistinguished) {
  constexpr std::uint64_t kHash = 5;
  Interner<std::string> values;
  const auto ann = values.take(std::string_view{"ann"}, kHash).number;
  const auto bob = values.take(std::string_view{"bob"}, kHash).number;
  EXPECT_NE(ann, bob);
  EXPECT_TRUE(values.release(ann));
  EXPECT_EQ(values.take(std::string_view{"bob"}, kHash).number, bob);
}

TEST(InternerTest, CountsUsersAsAMapDoes) {
  constexpr std::uint32_t kSeed = 3;
  std::mt19937 random(kSeed);
  Names names;
  std::map<std::string, std::uint32_t> users;
  std::map<std::string, std::uint32_t> numbers;
  std::size_t most = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string name = "name-" + std::to_string(random() % 300);
    // The number of values first grows, then shrinks.
    if (random() % 8 < (i < 25'000 ? 5U : 3U)) {
      const auto taken = names.take(name);
      ASSERT_EQ(taken.made, users[name]++ == 0) << "seed " << kSeed << ", change " << i;
      numbers[name] = taken.number;
    } else if (users[name] != 0) {
      const bool last = --users[name] == 0;
      ASSERT_EQ(names.values.release(numbers[name]), last) << "seed " << kSeed << ", change " << i;
    }
    std::size_t in_use = 0;
    for (const auto& [known, count] : users) in_use += count == 0 ? 0 : 1;
    ASSERT_EQ(names.values.size(), in_use);
    if (users[name] != 0) {
      ASSERT_EQ(names.values[numbers[name]], name);
    }
    most = std::max<std::size_t>(most, numbers[name]);
  }
  EXPECT_LT(most, 300U) << "vacant places are taken first";
}

// The user count, link and hash need 16 octets with padding, the table at most 8.
TEST(InternerTest, AValueTakesAtMostTwentyFourOctetsBesideItself) {
  constexpr std::uint32_t kValues = 100'000;
  Interner<std::uint64_t> values;
  for (std::uint64_t value = 0; value < kValues; ++value) values.take(value, mix_hash(value));
  EXPECT_LE(values.octets(), kValues * (sizeof(std::uint64_t) + 24));
}

TEST(InternerDeathTest, ANumberWithoutUsersIsOurOwnBug) {
  Names names;
  const auto ann = names.take("ann").number;
  names.values.release(ann);
  EXPECT_DEATH(names.values.release(ann), "users != 0");
}

}  // namespace
}  // namespace xbind
