// Whole frames under overload: early and partial packet discard of one branch.
#include "dataplane/frame_discard.hpp"

#include <gtest/gtest.h>

namespace xbind::dataplane {
namespace {

constexpr bool kRoom = true;
constexpr bool kNoRoom = false;

TEST(FrameDiscard, AFrameWithoutRoomIsLeftOutAsAWhole) {
  FrameDiscard branch(true);
  EXPECT_FALSE(branch.offers(false, kNoRoom));
  EXPECT_FALSE(branch.offers(false, kRoom)) << "what began without room stays out";
  EXPECT_FALSE(branch.offers(true, kRoom));
  EXPECT_TRUE(branch.offers(false, kRoom)) << "the next frame";
}

TEST(FrameDiscard, AFrameThatHasBegunGoesOnWithoutRoom) {
  FrameDiscard branch(true);
  EXPECT_TRUE(branch.offers(false, kRoom));
  EXPECT_TRUE(branch.offers(false, kNoRoom));
  EXPECT_TRUE(branch.offers(true, kNoRoom));
  EXPECT_FALSE(branch.offers(false, kNoRoom)) << "the next frame";
}

TEST(FrameDiscard, AfterARefusedCellOnlyTheLastOneIsOffered) {
  FrameDiscard branch(true);
  EXPECT_TRUE(branch.offers(false, kRoom));
  branch.refused();
  EXPECT_FALSE(branch.offers(false, kRoom));
  EXPECT_FALSE(branch.offers(false, kRoom));
  EXPECT_TRUE(branch.offers(true, kRoom)) << "it keeps the next frame apart";
  EXPECT_TRUE(branch.offers(false, kRoom)) << "the next frame";
}

TEST(FrameDiscard, ARefusedLastCellDoesNotCostTheNextFrame) {
  FrameDiscard branch(true);
  EXPECT_TRUE(branch.offers(false, kRoom));
  EXPECT_TRUE(branch.offers(true, kRoom));
  branch.refused();
  EXPECT_TRUE(branch.offers(false, kRoom));
}

TEST(FrameDiscard, WhatHasNoFramesIsNotLeftOutForEver) {
  FrameDiscard branch(true);
  EXPECT_TRUE(branch.offers(false, kRoom));
  branch.refused();
  int left_out = 0;
  while (!branch.offers(false, kRoom)) ++left_out;
  EXPECT_EQ(left_out, FrameDiscard::kFrameCellsMax - 1);
}

}  // namespace
}  // namespace xbind::dataplane
