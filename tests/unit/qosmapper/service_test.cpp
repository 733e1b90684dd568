#include "qosmapper/service.hpp"

#include <gtest/gtest.h>

#include "qosmapper/mapping.hpp"

namespace xbind {
namespace {

ServiceSpec cells(std::uint64_t per_s, std::uint64_t buffer = 0) {
  return {ServiceKind::kCells, per_s, buffer, 0, 0};
}
ServiceSpec video(std::uint64_t frames_per_1000_s, std::uint64_t frame_octets) {
  return {ServiceKind::kVideo, 0, 0, frames_per_1000_s, frame_octets};
}

TEST(ServiceTest, CellsAreTakenAsTheyAreUpToTheBound) {
  EXPECT_EQ(service_to_network(cells(1)).value(), (Resources{1, 0}));
  EXPECT_EQ(service_to_network(cells(kCellsPerSMax, 7)).value(), (Resources{kCellsPerSMax, 7}));
}

TEST(ServiceTest, CellsOutOfRangeAreRefusedWithTheNumberAndTheMost) {
  for (const std::uint64_t wrong : {std::uint64_t{0}, kCellsPerSMax + 1, UINT64_MAX}) {
    EXPECT_EQ(service_to_network(cells(wrong, 7)).error(),
              (ServiceRefusal{Cause::kInvalidRequest, "cells/s", wrong, kCellsPerSMax,
                              fmt::format("{} cells/s are not in 1 to 4294967295", wrong)}));
  }
}

TEST(ServiceTest, VideoIsMappedAsTheMappingMapsIt) {
  EXPECT_EQ(service_to_network(video(25'000, 4'792)).value(), (Resources{2'500, 100}));
  EXPECT_EQ(service_to_network(video(29'971, 65'536)).value(),
            to_network({29'971, 65'536}).value());
}

TEST(ServiceTest, VideoThatCannotBeIsRefusedWithTheMappingsSentence) {
  const auto none = service_to_network(video(25'000, 0));
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error(), (ServiceRefusal{Cause::kInvalidRequest, "frames/1000 s or frame octets",
                                          0, 0, "a frame of 0 octets needs no connection"}));
  const auto fast = service_to_network(video(UINT64_MAX, 1'000));
  ASSERT_FALSE(fast.has_value());
  EXPECT_EQ(fast.error().asked, UINT64_MAX);
  EXPECT_EQ(fast.error().text, to_network({UINT64_MAX, 1'000}).error().text);
}

TEST(ServiceTest, NumbersOfTheOtherKindAreNotLookedAt) {
  EXPECT_TRUE(service_to_network({ServiceKind::kCells, 1, 0, 0, UINT64_MAX}).has_value());
  EXPECT_TRUE(service_to_network({ServiceKind::kVideo, 0, UINT64_MAX, 1, 1}).has_value());
}

TEST(ServiceTest, AKindNobodyKnowsIsNamed) {
  EXPECT_EQ(service_to_network({static_cast<ServiceKind>(9), 1, 1, 1, 1}).error(),
            (ServiceRefusal{Cause::kUnknownService, "service", 9, 0, "no service is of kind 9"}));
}

}  // namespace
}  // namespace xbind
