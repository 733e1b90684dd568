#include "cmgr/parts/quota_cache.hpp"

#include <gtest/gtest.h>

#include "now.hpp"

namespace xbind::cmgr {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Resources kCall{100, 2};

Resources times(std::uint64_t count, Resources of) {
  return {count * of.cells_per_s, count * of.buffer_cells};
}
// A cache that has served one demand of kCall and was granted `quota`.
QuotaCache with_quota(Resources quota) {
  QuotaCache cache;
  (void)cache.take(kCall, kNow);
  cache.granted(quota, kNow);
  return cache;
}

TEST(QuotaCacheTest, ADemandWithinTheQuotaIsAHitAndOneBeyondIsBookedAllTheSame) {
  QuotaCache cache;
  cache.granted({250, 10}, kNow);
  EXPECT_TRUE(cache.take(kCall, kNow));
  EXPECT_TRUE(cache.take(kCall, kNow));
  EXPECT_FALSE(cache.take(kCall, kNow));
  EXPECT_EQ(cache.spent(), (Resources{300, 6}));
  EXPECT_EQ(cache.hits(), 2U);
  EXPECT_EQ(cache.misses(), 1U);
  cache.release(kCall);
  cache.release(kCall);
  EXPECT_TRUE(cache.take(kCall, kNow));
}

TEST(QuotaCacheTest, EitherComponentCanBeWhatIsMissing) {
  QuotaCache cache;
  cache.granted({1000, 3}, kNow);
  EXPECT_TRUE(cache.take(kCall, kNow));
  EXPECT_FALSE(cache.take(kCall, kNow)) << "four cells of buffer of three";
}

TEST(QuotaCacheTest, NothingIsWantedBeforeTheFirstDemandShowsHowMuch) {
  QuotaCache cache;
  EXPECT_EQ(cache.want(16, kNow), Resources{});
}

TEST(QuotaCacheTest, ItWantsThatManyCallsFreeAndCountsWhatIsOnItsWay) {
  QuotaCache cache;
  (void)cache.take(kCall, kNow);
  EXPECT_EQ(cache.want(4, kNow), times(5, kCall)) << "the one that is there, and four";
  EXPECT_EQ(cache.want(4, kNow), Resources{});
  cache.granted(times(5, kCall), kNow);
  cache.answered(times(5, kCall));
  EXPECT_EQ(cache.want(4, kNow), Resources{});
  (void)cache.take(kCall, kNow);
  EXPECT_EQ(cache.want(4, kNow), kCall);
  cache.answered(kCall);  // the answer brought no quota
  EXPECT_EQ(cache.want(4, kNow), kCall) << "requested again";
}

TEST(QuotaCacheTest, TheMeanFollowsTheDemands) {
  QuotaCache cache;
  (void)cache.take({100, 0}, kNow);
  for (int i = 0; i < 100; ++i) {
    (void)cache.take({500, 8}, kNow);
    cache.release({500, 8});
  }
  const Resources wanted = cache.want(10, kNow);
  EXPECT_NEAR(static_cast<double>(wanted.cells_per_s), 100 + 5000, 20);
  EXPECT_NEAR(static_cast<double>(wanted.buffer_cells), 80, 1);
}

TEST(QuotaCacheTest, SurplusBeginsAtTwiceWhatIsKept) {
  QuotaCache cache = with_quota(times(8, kCall));
  EXPECT_EQ(cache.surplus(4, kNow), Resources{}) << "seven calls are free";
  cache.release(kCall);
  EXPECT_EQ(cache.surplus(4, kNow), times(4, kCall));
  EXPECT_EQ(cache.quota(), times(4, kCall));
  EXPECT_EQ(cache.surplus(4, kNow), Resources{});
  EXPECT_EQ(cache.want(4, kNow), Resources{}) << "returned quota is not requested again at once";
}

TEST(QuotaCacheTest, OneComponentCanBeTooMuchAlone) {
  QuotaCache cache = with_quota({500, 1000});
  EXPECT_EQ(cache.surplus(4, kNow), (Resources{0, 1000 - 2 - 8}));
}

TEST(QuotaCacheTest, AnIdleOneGivesAllThatIsFree) {
  QuotaCache cache = with_quota(times(3, kCall));
  EXPECT_EQ(cache.surplus(4, kNow + QuotaCache::kIdle), times(2, kCall));
  EXPECT_EQ(cache.quota(), kCall) << "quota in use by a connection stays";
  EXPECT_EQ(cache.want(4, kNow + QuotaCache::kIdle), Resources{});
}

TEST(QuotaCacheTest, ARecallGetsWhatIsFreeButForOneCall) {
  QuotaCache cache = with_quota(times(10, kCall));
  EXPECT_EQ(cache.recalled({300, 1}, kNow), (Resources{300, 1}))
      << "no more than the recall requests";
  EXPECT_EQ(cache.recalled({10'000, 10'000}, kNow), (Resources{500, 15}));
  EXPECT_EQ(cache.quota(), times(2, kCall));
  EXPECT_EQ(cache.recalled({10'000, 10'000}, kNow), Resources{});
  EXPECT_TRUE(cache.take(kCall, kNow));
}

TEST(QuotaCacheTest, AfterARecallItAsksForOneCallAtATimeForASecond) {
  QuotaCache cache = with_quota(times(10, kCall));
  (void)cache.recalled(times(10, kCall), kNow);
  (void)cache.take(kCall, kNow);
  EXPECT_EQ(cache.want(16, kNow + QuotaCache::kModesty - Duration{1}), kCall);
  EXPECT_EQ(cache.want(16, kNow + QuotaCache::kModesty), times(15, kCall));
}

TEST(QuotaCacheTest, BeyondTheQuotaThereIsNothingToGiveBack) {
  QuotaCache cache = with_quota({50, 1});
  EXPECT_EQ(cache.recalled(kCall, kNow), Resources{});
  EXPECT_EQ(cache.surplus(0, kNow), Resources{});
  EXPECT_EQ(cache.quota(), (Resources{50, 1}));
}

TEST(QuotaCacheTest, WithTheSessionTheQuotaGoesAndTheConnectionsStay) {
  QuotaCache cache = with_quota(times(10, kCall));
  (void)cache.want(20, kNow);
  cache.lapse();
  EXPECT_EQ(cache.quota(), Resources{});
  EXPECT_EQ(cache.spent(), kCall);
  EXPECT_EQ(cache.want(4, kNow), times(5, kCall)) << "the new session knows of no quota";
  cache.answered(times(99, kCall));  // the count never falls below zero
  EXPECT_EQ(cache.want(4, kNow), times(5, kCall));
}

TEST(QuotaCacheTest, ItsAgeIsThatOfTheFirstQuota) {
  QuotaCache cache;
  EXPECT_EQ(cache.age(kNow), Duration{0});
  cache.granted(kCall, kNow);
  cache.granted(kCall, kNow + seconds{1});
  EXPECT_EQ(cache.age(kNow + seconds{3}), seconds{3});
  cache.lapse();
  EXPECT_EQ(cache.age(kNow + seconds{3}), Duration{0});
}

}  // namespace
}  // namespace xbind::cmgr
