#include "cmgr/parts/route_cache.hpp"

#include <gtest/gtest.h>

#include "now.hpp"

namespace xbind::cmgr {
namespace {

using std::chrono::seconds;

constexpr TimePoint kLater = kNow + seconds{10};

std::shared_ptr<const RouteReply> found(const std::string& to, std::uint64_t free,
                                        const std::string& by = "sw1") {
  auto reply = std::make_shared<RouteReply>();
  reply->query = {"ann", to, 1};
  reply->path = {{{by, PortId{1}, PortId{2}}}, free};
  return reply;
}
std::shared_ptr<const RouteReply> refusal(Cause cause, std::uint64_t asked) {
  auto reply = std::make_shared<RouteReply>();
  reply->query = {"ann", "bob", asked};
  reply->cause = cause;
  return reply;
}
RouteQuery query(std::uint64_t cells_per_s, const std::string& to = "bob") {
  return {"ann", to, cells_per_s};
}

TEST(RouteCacheTest, AnAnswerServesUntilItsTimeIsOver) {
  RouteCache cache;
  EXPECT_EQ(cache.find(query(1), kNow), nullptr);
  cache.store(found("bob", 100), kLater, kNow);
  EXPECT_NE(cache.find(query(1), kLater - Duration{1}), nullptr);
  EXPECT_EQ(cache.find(query(1), kLater), nullptr);
  EXPECT_EQ(cache.find({"bob", "ann", 1}, kNow), nullptr) << "the other way round is another pair";
  EXPECT_EQ(cache.hits(), 1U);
  EXPECT_EQ(cache.misses(), 3U);
}

TEST(RouteCacheTest, PastItsTimeItServesWhenAStaleOneWillDo) {
  RouteCache cache;
  cache.store(found("bob", 100), kLater, kNow);
  EXPECT_NE(cache.find(query(1), kLater + seconds{3600}, true), nullptr);
  EXPECT_EQ(cache.find(query(101), kLater, true), nullptr) << "but not for more than the path has";
}

TEST(RouteCacheTest, APathServesDemandsUpToItsRateAndAnAlternateTheOthers) {
  RouteCache cache;
  cache.store(found("bob", 100, "narrow"), kLater, kNow);
  EXPECT_EQ(cache.find(query(101), kNow), nullptr);
  cache.store(found("bob", 500, "wide"), kLater, kNow);
  EXPECT_EQ(cache.find(query(100), kNow)->path.hops[0].switch_name, "narrow");
  EXPECT_EQ(cache.find(query(101), kNow)->path.hops[0].switch_name, "wide");
}

TEST(RouteCacheTest, TheSamePathAgainTakesTheOldOnesPlace) {
  RouteCache cache;
  cache.store(found("bob", 100, "a"), kLater, kNow);
  cache.store(found("bob", 100, "a"), kLater + seconds{1}, kNow);
  EXPECT_NE(cache.find(query(1), kLater), nullptr);
}

TEST(RouteCacheTest, TheOldestAlternateMakesRoom) {
  RouteCache cache;
  for (std::uint64_t i = 0; i <= RouteCache::kAlternates; ++i) {
    cache.store(found("bob", 100 + i, "by " + std::to_string(i)), kLater, kNow);
  }
  EXPECT_EQ(cache.find(query(1), kNow)->path.hops[0].switch_name, "by 1");
}

TEST(RouteCacheTest, ANarrowNetworkIsThatForAsMuchAndMore) {
  RouteCache cache;
  cache.store(refusal(Cause::kNoBandwidth, 500), kLater, kNow);
  EXPECT_EQ(cache.find(query(499), kNow), nullptr) << "less might go";
  ASSERT_NE(cache.find(query(500), kNow), nullptr);
  EXPECT_EQ(cache.find(query(501), kNow)->cause, Cause::kNoBandwidth);
}

TEST(RouteCacheTest, NoPathIsNoPathForAnyDemand) {
  RouteCache cache;
  cache.store(refusal(Cause::kNoRoute, 500), kLater, kNow);
  EXPECT_NE(cache.find(query(1), kNow), nullptr);
}

TEST(RouteCacheTest, ANewAnswerReplacesARefusal) {
  RouteCache cache;
  cache.store(refusal(Cause::kNoRoute, 500), kLater, kNow);
  cache.store(found("bob", 100), kLater, kNow);
  EXPECT_EQ(cache.find(query(1), kNow)->cause, Cause::kNone);
  EXPECT_EQ(cache.find(query(1000), kNow), nullptr);
}

// ===== avoided elements =====

std::shared_ptr<const RouteReply> around(std::vector<PathElement> avoid, const std::string& by,
                                         std::uint64_t free = 100) {
  auto reply = std::make_shared<RouteReply>(*found("bob", free, by));
  reply->query.avoid = std::move(avoid);
  return reply;
}
std::shared_ptr<const RouteReply> refused_around(std::vector<PathElement> avoid, Cause cause,
                                                 std::uint64_t asked) {
  auto reply = std::make_shared<RouteReply>(*refusal(cause, asked));
  reply->query.avoid = std::move(avoid);
  return reply;
}
RouteQuery avoiding(std::vector<PathElement> avoid, std::uint64_t cells_per_s = 1) {
  return {"ann", "bob", cells_per_s, std::move(avoid)};
}
const PathElement kSw1{"sw1", {}};
const PathElement kSw2{"sw2", {}};

TEST(RouteCacheTest, APathServesWhoAvoidsNothingOfIt) {
  RouteCache cache;
  cache.store(found("bob", 100, "sw1"), kLater, kNow);  // enters by port 1, leaves by port 2
  EXPECT_EQ(cache.find(avoiding({kSw1}), kNow), nullptr);
  EXPECT_EQ(cache.find(avoiding({kSw2, {"sw1", PortId{2}}}), kNow), nullptr) << "its link";
  EXPECT_NE(cache.find(avoiding({{"sw1", PortId{1}}}), kNow), nullptr) << "the link back";
  EXPECT_NE(cache.find(avoiding({kSw2}), kNow), nullptr);
}

TEST(RouteCacheTest, AnAnswerToACrankbackIsAnAlternateForTheNext) {
  RouteCache cache;
  cache.store(found("bob", 100, "sw1"), kLater, kNow);
  cache.store(around({kSw1}, "sw2"), kLater, kNow);
  EXPECT_EQ(cache.find(query(1), kNow)->path.hops[0].switch_name, "sw1");
  EXPECT_EQ(cache.find(avoiding({kSw1}), kNow)->path.hops[0].switch_name, "sw2");
}

TEST(RouteCacheTest, AFirstChoiceThatComesLaterStandsBeforeTheAlternates) {
  RouteCache cache;
  cache.store(around({kSw1}, "sw2"), kLater, kNow);
  cache.store(found("bob", 100, "sw1"), kLater, kNow);
  EXPECT_EQ(cache.find(query(1), kNow)->path.hops[0].switch_name, "sw1");
}

TEST(RouteCacheTest, AlternatesMakeRoomBeforeTheFirstChoice) {
  RouteCache cache;
  cache.store(found("bob", 100, "sw1"), kLater, kNow);
  for (std::size_t i = 0; i < RouteCache::kAlternates; ++i) {
    cache.store(around({kSw1}, "by " + std::to_string(i)), kLater, kNow);
  }
  EXPECT_EQ(cache.find(query(1), kNow)->path.hops[0].switch_name, "sw1");
  EXPECT_EQ(cache.find(avoiding({kSw1}), kNow)->path.hops[0].switch_name, "by 1");
}

TEST(RouteCacheTest, ARefusalHoldsForThoseWhoAvoidAsMuchAndMore) {
  RouteCache cache;
  cache.store(refused_around({kSw1}, Cause::kNoRoute, 1), kLater, kNow);
  EXPECT_EQ(cache.find(query(1), kNow), nullptr) << "by sw1 it might go";
  EXPECT_EQ(cache.find(avoiding({kSw2}), kNow), nullptr);
  EXPECT_NE(cache.find(avoiding({kSw1}), kNow), nullptr);
  EXPECT_NE(cache.find(avoiding({kSw2, kSw1}), kNow), nullptr);
}

TEST(RouteCacheTest, ARefusalOfADetourAndTheDirectPathAreBothRemembered) {
  RouteCache cache;
  cache.store(refused_around({kSw1}, Cause::kNoRoute, 1), kLater, kNow);
  cache.store(found("bob", 100, "sw1"), kLater, kNow);
  EXPECT_EQ(cache.find(query(1), kNow)->cause, Cause::kNone);
  EXPECT_EQ(cache.find(avoiding({kSw1}), kNow)->cause, Cause::kNoRoute);
}

TEST(RouteCacheTest, APathThatServesWhatWasRefusedEndsTheRefusal) {
  RouteCache cache;
  cache.store(refusal(Cause::kNoBandwidth, 500), kLater, kNow);
  cache.store(around({kSw1}, "sw2", 400), kLater, kNow);
  EXPECT_EQ(cache.find(query(500), kNow)->cause, Cause::kNoBandwidth) << "400 is not enough";
  cache.store(around({kSw1}, "sw3", 600), kLater, kNow);
  EXPECT_EQ(cache.find(query(500), kNow)->cause, Cause::kNone);
}

// ===== pairs by use =====

TEST(RouteCacheTest, ThePairsAreListedByTheirUse) {
  RouteCache cache;
  EXPECT_EQ(cache.find(query(1, "cat"), kNow), nullptr);
  cache.store(found("cat", 100), kLater, kNow);
  EXPECT_EQ(cache.find(query(1), kNow), nullptr);
  cache.store(found("bob", 100, "a"), kLater, kNow);
  cache.store(found("bob", 200, "b"), kLater + seconds{5}, kNow + seconds{5});
  EXPECT_NE(cache.find(query(1), kNow), nullptr);
  EXPECT_NE(cache.find(query(1), kNow), nullptr);
  EXPECT_EQ(cache.find(query(1000), kNow), nullptr);

  const auto pairs = cache.pairs(10, kNow + seconds{6});
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].from, "ann");
  EXPECT_EQ(pairs[0].to, "bob");
  EXPECT_EQ(pairs[0].hits, 2U);
  EXPECT_EQ(pairs[0].misses, 2U) << "the first one, and that for 1000";
  EXPECT_EQ(pairs[0].entries, 2U);
  EXPECT_EQ(pairs[0].age, seconds{6});
  EXPECT_EQ(pairs[1].to, "cat");
  EXPECT_EQ(pairs[1].misses, 1U);

  EXPECT_EQ(cache.pairs(1, kNow).size(), 1U);
  const auto later = cache.pairs(1, kLater);
  EXPECT_EQ(later[0].entries, 1U) << "the other one is past its time";
  EXPECT_EQ(later[0].age, seconds{5});
}

TEST(RouteCacheTest, OneThatIsNotEnabledFindsNothing) {
  RouteCache cache(false);
  cache.store(found("bob", 100), kLater, kNow);
  EXPECT_EQ(cache.find(query(1), kNow), nullptr);
  EXPECT_EQ(cache.find(query(1), kNow, true), nullptr);
  EXPECT_EQ(cache.size(), 0U);
  EXPECT_EQ(cache.misses(), 2U);
}

// ===== bounds =====

TEST(RouteCacheTest, PairsAreBoundedAndTheStaleOnesGoFirst) {
  RouteCache cache;
  for (std::size_t i = 0; i < RouteCache::kPairs - 1; ++i) {
    cache.store(found("stale " + std::to_string(i), 1), kNow + Duration{1}, kNow);
  }
  cache.store(found("bob", 1), kLater, kNow);
  EXPECT_EQ(cache.size(), RouteCache::kPairs);
  cache.store(found("one more", 1), kLater, kNow + Duration{1});
  EXPECT_LE(cache.size(), RouteCache::kPairs);
  EXPECT_NE(cache.find(query(1), kNow + Duration{1}), nullptr);
}

TEST(RouteCacheTest, AFullCacheMakesRoomPairByPair) {
  RouteCache cache;
  for (std::size_t i = 0; i < RouteCache::kPairs; ++i) {
    cache.store(found(std::to_string(i), 1), kNow + Duration{1}, kNow);
  }
  for (std::size_t i = 0; i < 100; ++i) {
    const std::size_t before = cache.size();
    cache.store(found("late " + std::to_string(i), 1), kLater, kNow + Duration{1});
    // All pairs are stale, but one step drops no more of them than it looks at.
    EXPECT_GE(cache.size() + RouteCache::kLookedAt, before);
  }
}

TEST(RouteCacheTest, NewsOfTheNetworkCostsTheAnswersThatAreLookedUp) {
  RouteCache cache;
  for (std::size_t i = 0; i < 1'000; ++i) {
    cache.store(found(std::to_string(i), 1, i % 2 == 0 ? "sw1" : "sw2"), kLater, kNow);
  }
  std::size_t judged = 0;
  cache.doubt(1, [&](const RouteReply& reply, std::uint64_t) {
    ++judged;
    return reply.path.hops[0].switch_name == "sw1";
  });
  EXPECT_EQ(judged, 0U) << "the step with the news";
  EXPECT_EQ(cache.find(query(1, "0"), kNow), nullptr);
  EXPECT_NE(cache.find(query(1, "1"), kNow), nullptr);
  EXPECT_NE(cache.find(query(1, "1"), kNow), nullptr);
  EXPECT_EQ(judged, 2U) << "an answer is judged once";
}

TEST(RouteCacheTest, AnAnswerIsJudgedByAllNewsSinceItsLastLookUp) {
  RouteCache cache;
  cache.store(found("bob", 100), kLater, kNow);
  std::vector<std::uint64_t> since;
  const auto hear = [&](const RouteReply&, std::uint64_t news) {
    since.push_back(news);
    return false;
  };
  cache.doubt(1, hear);
  EXPECT_NE(cache.find(query(1), kNow), nullptr);
  cache.doubt(2, hear);
  cache.doubt(3, hear);
  EXPECT_NE(cache.find(query(1), kNow), nullptr);
  EXPECT_EQ(since, (std::vector<std::uint64_t>{0, 1}));
}

TEST(RouteCacheTest, WithNothingStaleSomeValidOneMakesRoom) {
  RouteCache cache;
  for (std::size_t i = 0; i < RouteCache::kPairs; ++i) {
    cache.store(found(std::to_string(i), 1), kLater, kNow);
  }
  cache.store(found("bob", 1), kLater, kNow);
  EXPECT_LE(cache.size(), RouteCache::kPairs);
  EXPECT_NE(cache.find(query(1), kNow), nullptr);
}

TEST(RouteCacheTest, OctetsAreBoundedAsWell) {
  RouteCache cache;
  std::vector<PathHop> hops(256, PathHop{std::string(63, 's'), PortId{1}, PortId{2}});
  for (std::size_t i = 0; i < 8'000; ++i) {
    auto reply = std::make_shared<RouteReply>();
    reply->query = {"ann", std::to_string(i), 1};
    reply->path = {hops, 1};
    cache.store(std::move(reply), kLater, kNow);
    ASSERT_LE(cache.octets(), RouteCache::kOctets);
  }
  EXPECT_LT(cache.size(), 4'000U) << "each takes some 26 KiB";
  EXPECT_GT(cache.octets(), RouteCache::kOctets / 2);
  EXPECT_NE(cache.find(query(1, "7999"), kNow), nullptr);
}

TEST(RouteCacheTest, WhatIsDroppedAndReplacedIsNotCounted) {
  RouteCache cache;
  cache.store(found("bob", 100, "a"), kLater, kNow);
  const std::size_t one = cache.octets();
  for (int i = 0; i < 20; ++i) cache.store(found("bob", 100, "a"), kLater, kNow);
  EXPECT_EQ(cache.octets(), one);
  for (int i = 0; i < 20; ++i) cache.store(found("bob", 100, std::to_string(i)), kLater, kNow);
  EXPECT_LT(cache.octets(), 5 * one);
  cache.doubt(1, [](const RouteReply&, std::uint64_t) { return true; });
  EXPECT_EQ(cache.find(query(1), kNow), nullptr);
  EXPECT_LT(cache.octets(), one) << "the pair alone";
}

// ===== endpoints unknown to RouteObject =====

std::shared_ptr<const RouteReply> unknown(const std::string& from, const std::string& to,
                                          const std::string& which) {
  auto reply = std::make_shared<RouteReply>();
  reply->query = {from, to, 1};
  reply->cause = Cause::kUnknownEndpoint;
  reply->element = which;
  return reply;
}

TEST(RouteCacheTest, AnUnknownEndIsNoPairAndServesEveryQueryForIt) {
  RouteCache cache;
  cache.store(unknown("ann", "nobody", "nobody"), kLater, kNow);
  EXPECT_EQ(cache.size(), 0U);
  EXPECT_TRUE(cache.pairs(10, kNow).empty());
  EXPECT_EQ(cache.find({"ann", "nobody", 7}, kNow)->element, "nobody");
  EXPECT_EQ(cache.find({"nobody", "bob", 7}, kNow)->cause, Cause::kUnknownEndpoint);
  EXPECT_EQ(cache.find({"ann", "bob", 7}, kNow), nullptr);
}

TEST(RouteCacheTest, AnUnknownEndIsForgottenSoon) {
  RouteCache cache;
  cache.store(unknown("ann", "nobody", "nobody"), kLater, kNow);
  cache.store(unknown("ann", "brief", "brief"), kNow + Duration{1}, kNow);
  EXPECT_NE(cache.find(query(1, "nobody"), kNow + RouteCache::kUnknownFor - Duration{1}), nullptr);
  EXPECT_EQ(cache.find(query(1, "nobody"), kNow + RouteCache::kUnknownFor), nullptr);
  EXPECT_EQ(cache.find(query(1, "nobody"), kLater, true), nullptr) << "nor is it better than none";
  EXPECT_EQ(cache.find(query(1, "brief"), kNow + Duration{1}), nullptr);
  cache.store(unknown("ann", "nobody", "nobody"), kLater, kNow);
  cache.doubt(1, [](const RouteReply&, std::uint64_t) { return false; });
  EXPECT_EQ(cache.find(query(1, "nobody"), kNow), nullptr) << "the network has changed";
}

TEST(RouteCacheTest, UnknownEndsAreFewAndDriveNoPathOut) {
  RouteCache cache;
  cache.store(found("bob", 100), kLater, kNow);
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "nobody-" + std::to_string(i);
    cache.store(unknown("ann", name, name), kLater, kNow);
  }
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_NE(cache.find(query(1), kNow), nullptr);
  std::size_t known = 0;
  for (int i = 0; i < 20'000; ++i) {
    known += cache.find(query(1, "nobody-" + std::to_string(i)), kNow) != nullptr;
  }
  EXPECT_EQ(known, RouteCache::kUnknownEnds);
  EXPECT_EQ(cache.find(query(1, "nobody-0"), kNow), nullptr) << "the oldest one went";
  EXPECT_NE(cache.find(query(1, "nobody-19999"), kNow), nullptr);
}

}  // namespace
}  // namespace xbind::cmgr
