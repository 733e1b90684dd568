#include "cmgr/parts/service.hpp"

#include <gtest/gtest.h>

namespace xbind::cmgr {
namespace {

TEST(ServiceTest, CellsAreTakenAsTheyAre) {
  EXPECT_EQ(network_of({ServiceKind::kCells, 100, 7, 0, 0}).value(),
            (NetworkService{{100, 7}, {ServiceCategory::kCbr, 100, 10'000}}));
  EXPECT_EQ(network_of({ServiceKind::kCells, 0xff'ffff, 0, 0, 0}).value().resources.cells_per_s,
            0xff'ffffU);
}

TEST(ServiceTest, NoCellsAndTooManyAreRefusedWithTheNumber) {
  EXPECT_EQ(network_of({ServiceKind::kCells, 0, 7, 0, 0}).error().cause, Cause::kInvalidRequest);
  const auto many = network_of({ServiceKind::kCells, 0x100'0000, 7, 0, 0});
  ASSERT_FALSE(many.has_value());
  EXPECT_EQ(many.error().asked, 0x100'0000U);
  EXPECT_EQ(many.error().free, 0xff'ffffU);
}

TEST(ServiceTest, VideoIsMapped) {
  // 25 frames a second of 4792 octets, 100 cells each (AAL5 adds 8 octets).
  EXPECT_EQ(network_of({ServiceKind::kVideo, 0, 0, 25'000, 4'792}).value().resources,
            (Resources{2'500, 100}));
}

TEST(ServiceTest, VideoThatCannotBeIsRefusedWithTheNumber) {
  EXPECT_EQ(network_of({ServiceKind::kVideo, 0, 0, 25'000, 0}).error().asked, 0U);
  const auto fast = network_of({ServiceKind::kVideo, 0, 0, UINT64_MAX, 1'000});
  EXPECT_EQ(fast.error().cause, Cause::kInvalidRequest);
  EXPECT_EQ(fast.error().asked, UINT64_MAX);
}

TEST(ServiceTest, AKindNobodyKnowsIsNamed) {
  const auto unknown = network_of({static_cast<ServiceKind>(9), 1, 1, 1, 1});
  EXPECT_EQ(unknown.error().cause, Cause::kUnknownService);
  EXPECT_EQ(unknown.error().asked, 9U);
}

}  // namespace
}  // namespace xbind::cmgr
