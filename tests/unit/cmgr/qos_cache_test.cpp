#include "cmgr/parts/qos_cache.hpp"

#include <gtest/gtest.h>

#include "now.hpp"

namespace xbind::cmgr {
namespace {

using std::chrono::seconds;

ServiceSpec video(std::uint64_t frames_per_1000_s) {
  ServiceSpec service;
  service.frames_per_1000_s = frames_per_1000_s;
  service.frame_octets = 4000;
  return service;
}

TEST(QosCacheTest, AnAnswerServesItsServiceAndNoOther) {
  QosCache cache;
  EXPECT_EQ(cache.find(video(25'000), kNow), std::nullopt);
  cache.store(video(25'000), {{2100, 84}}, kNow);
  EXPECT_EQ(cache.find(video(25'000), kNow), (NetworkService{{2100, 84}}));
  EXPECT_EQ(cache.find(video(25'001), kNow), std::nullopt);
  EXPECT_EQ(cache.hits(), 1U);
  EXPECT_EQ(cache.misses(), 2U);
}

TEST(QosCacheTest, ANewerAnswerTakesThePlaceOfTheOld) {
  QosCache cache;
  cache.store(video(1), {{1, 1}}, kNow);
  cache.store(video(1), {{2, 2}}, kNow + seconds{1});
  EXPECT_EQ(cache.find(video(1), kNow), (NetworkService{{2, 2}}));
  EXPECT_EQ(cache.size(), 1U);
}

// The QOSMapper may have loaded another catalogue in the meantime.
TEST(QosCacheTest, WhatANameStandsForIsAskedAgain) {
  QosCache cache;
  ServiceSpec named{ServiceKind::kClass};
  named.terms = ServiceTerms{"voice-g711"};
  cache.store(named, {{200, 2}}, kNow);
  cache.store(video(1), {{1, 1}}, kNow);
  EXPECT_EQ(cache.find(named, kNow + QosCache::kNamedFor), (NetworkService{{200, 2}}));
  const TimePoint later = kNow + QosCache::kNamedFor + Duration{1};
  EXPECT_EQ(cache.find(named, later), std::nullopt);
  EXPECT_EQ(cache.find(video(1), later), (NetworkService{{1, 1}}));
  cache.store(named, {{400, 3}}, later);
  EXPECT_EQ(cache.find(named, later), (NetworkService{{400, 3}}));
  EXPECT_EQ(cache.size(), 2U);
}

TEST(QosCacheTest, AtItsBoundTheOldestMakesRoom) {
  QosCache cache;
  EXPECT_EQ(cache.age(kNow), Duration{0});
  for (std::uint64_t i = 0; i <= QosCache::kServices; ++i) {
    cache.store(video(i), {i, 1}, i == 0 ? kNow : kNow + seconds{1});
    EXPECT_EQ(cache.age(kNow + seconds{3}), seconds{i < QosCache::kServices ? 3 : 2});
  }
  EXPECT_EQ(cache.size(), QosCache::kServices);
  EXPECT_EQ(cache.find(video(0), kNow), std::nullopt);
  EXPECT_NE(cache.find(video(1), kNow), std::nullopt);
  EXPECT_NE(cache.find(video(QosCache::kServices), kNow), std::nullopt);
}

}  // namespace
}  // namespace xbind::cmgr
