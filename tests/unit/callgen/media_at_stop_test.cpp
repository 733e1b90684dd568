// The media check of the calls that are up when a run is stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/callgen/media_rig.hpp"

namespace xbind::callgen {
namespace {

using namespace media_test;
using testing::ElementsAre;

TEST(MediaAtStop, AtTheStopEveryCallThatStandsIsCheckedAndNoOther) {
  MediaRig rig({.at_stop = true, .run = kRun});
  EXPECT_FALSE(rig.connect(0, k40, k50));
  rig.release(0, k40, 10ms);
  EXPECT_FALSE(rig.connect(1, k40, k50, 20ms));  // on the labels of the released call
  EXPECT_FALSE(rig.connect(2, k41, k51, 20ms));
  rig.turn(30ms);
  EXPECT_EQ(rig.figures().cells_sent, 0U);
  rig.network.cut({"a", k41});
  EXPECT_TRUE(rig.check.stopped(1));
  EXPECT_TRUE(rig.check.stopped(2));
  rig.turn(40ms);
  EXPECT_THAT(rig.check.take_inspected(), ElementsAre(1));
  rig.turn(2040ms);
  EXPECT_THAT(rig.check.take_inspected(), ElementsAre(2));
  EXPECT_FALSE(rig.check.stopped(1));  // a call is checked once
  rig.release(1, k40, 2050ms);
  rig.turn(2050ms);
  const MediaFigures& figures = rig.check.finish();
  EXPECT_EQ(figures.calls_wanted, 2U);
  EXPECT_EQ(figures.calls_checked, 2U);
  EXPECT_EQ(figures.calls_on_reused_labels, 1U);
  EXPECT_EQ(figures.reused_checked, 1U);
  EXPECT_EQ(figures.calls_failed, 1U);
  EXPECT_THAT(figures.failed_calls, ElementsAre(2));
  EXPECT_EQ(figures.lost, kCheckCells);
  EXPECT_EQ(figures.probes_sent, kProbeCells);
}

TEST(MediaAtStop, WithoutTheOptionAStopChecksNothing) {
  MediaRig rig(1);
  EXPECT_TRUE(rig.connect(0, k40, k50));
  EXPECT_FALSE(rig.connect(1, k41, k51));
  EXPECT_FALSE(rig.check.stopped(0));
  EXPECT_FALSE(rig.check.stopped(1));
}

}  // namespace
}  // namespace xbind::callgen
