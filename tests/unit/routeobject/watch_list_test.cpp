#include "routeobject/watch_list.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimePoint kStart{};

class WatchListTest : public ::testing::Test {
 protected:
  WatchList list{seconds{15}};
};

TEST_F(WatchListTest, ALeaseIsOverUnlessItIsProlonged) {
  EXPECT_EQ(list.next_expiry(), kNever);
  EXPECT_TRUE(list.watch("m1", kStart));
  EXPECT_TRUE(list.watch("m2", kStart + seconds{5}));
  EXPECT_EQ(list.next_expiry(), kStart + seconds{15});
  EXPECT_TRUE(list.watch("m1", kStart + seconds{10}));
  EXPECT_EQ(list.size(), 2u);
  EXPECT_EQ(list.next_expiry(), kStart + seconds{20});
  EXPECT_THAT(list.expire(kStart + seconds{20} - Duration{1}), IsEmpty());
  EXPECT_THAT(list.expire(kStart + seconds{20}), ElementsAre("m2"));
  EXPECT_THAT(list.expire(kStart + seconds{30}), ElementsAre("m1"));
  EXPECT_EQ(list.size(), 0u);
}

TEST_F(WatchListTest, TheEndOfOneRegistrationSparesALaterOne) {
  const std::uint64_t first = list.watch("m1", kStart).value();
  const std::uint64_t second = list.watch("m1", kStart).value();
  EXPECT_GT(second, first);
  EXPECT_FALSE(list.end("m1", first));
  EXPECT_EQ(list.size(), 1u);
  EXPECT_TRUE(list.end("m1", second));
  EXPECT_FALSE(list.end("m1", second));
  EXPECT_EQ(list.size(), 0u);
}

TEST_F(WatchListTest, WhoEndsItselfIsGone) {
  EXPECT_TRUE(list.watch("m1", kStart));
  EXPECT_TRUE(list.unwatch("m1"));
  EXPECT_FALSE(list.unwatch("m1"));
  EXPECT_THAT(list.expire(kStart + seconds{60}), IsEmpty());
}

TEST_F(WatchListTest, ThereAreAtMostSoManyAndKnownOnesMayStay) {
  for (std::size_t i = 0; i < kWatchersMax; ++i) {
    ASSERT_TRUE(list.watch(fmt::format("m{}", i), kStart));
  }
  EXPECT_EQ(list.watch("one-more", kStart).error(),
            (Error{ErrorCode::kExhausted, "'one-more' is one watcher more than 256"}));
  EXPECT_TRUE(list.watch("m7", kStart));
  EXPECT_TRUE(list.unwatch("m7"));
  EXPECT_TRUE(list.watch("one-more", kStart));
}

TEST_F(WatchListTest, WhatIsNoNameIsRefused) {
  EXPECT_EQ(list.watch("", kStart).error(),
            (Error{ErrorCode::kBadInput, "the watcher '' is no name: it is empty"}));
  EXPECT_TRUE(list.watch(std::string(63, 'm'), kStart));
  EXPECT_EQ(list.watch(std::string(64, 'm'), kStart).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(list.watch("m\n1", kStart).error().text,
            "the watcher 'm\\n1' is no name: '\\n' at octet 2 is none of A-Z a-z 0-9 . - _ : @ +");
}

}  // namespace
}  // namespace xbind
