#include "cmgr/label_cache.hpp"

#include <gtest/gtest.h>

namespace xbind::cmgr {
namespace {

TEST(LabelCacheTest, TheLabelThatRestedLongestGoesFirst) {
  LabelCache cache{2};
  cache.put(atm_label(0, 40));
  cache.put(atm_label(0, 32));
  EXPECT_EQ(cache.take(), atm_label(0, 40));
  EXPECT_EQ(cache.take(), atm_label(0, 32));
  EXPECT_EQ(cache.take(), std::nullopt);
  EXPECT_EQ(cache.hits(), 2U);
  EXPECT_EQ(cache.misses(), 1U);
}

TEST(LabelCacheTest, ItWantsWhatIsMissingAndNotOnItsWay) {
  LabelCache cache{4};
  cache.put(atm_label(0, 32));
  EXPECT_EQ(cache.want(), 3);
  EXPECT_EQ(cache.want(), 0) << "three are on their way";
  cache.answered(3);  // none came
  EXPECT_EQ(cache.want(), 3);
}

TEST(LabelCacheTest, ReleasedLabelsAreTakenBackAsLongAsThereIsRoom) {
  LabelCache cache{2};
  EXPECT_TRUE(cache.wants_back());
  cache.put(atm_label(0, 32));
  EXPECT_EQ(cache.want(), 1);
  EXPECT_FALSE(cache.wants_back()) << "the room is for the one on its way";
  cache.answered(1);
  EXPECT_TRUE(cache.wants_back());
}

TEST(LabelCacheTest, ATargetOfZeroSwitchesItOff) {
  LabelCache cache{0};
  EXPECT_EQ(cache.want(), 0);
  EXPECT_FALSE(cache.wants_back());
}

TEST(LabelCacheTest, NoMoreIsAskedForAtOnceThanTheMessageCanSay) {
  LabelCache cache{100'000};
  EXPECT_EQ(cache.want(), 0xffff);
  EXPECT_EQ(cache.want(), 100'000 - 0xffff);
}

TEST(LabelCacheTest, WithTheSessionEverythingLapses) {
  LabelCache cache{3};
  cache.put(atm_label(0, 32));
  (void)cache.want();
  cache.lapse();
  EXPECT_EQ(cache.size(), 0U);
  EXPECT_EQ(cache.want(), 3);
  cache.answered(99);  // of the old session: never below nothing
  EXPECT_EQ(cache.want(), 3);
}

}  // namespace
}  // namespace xbind::cmgr
