#include "qosmapper/service.hpp"

#include <gtest/gtest.h>

#include "qosmapper/contract.hpp"
#include "qosmapper/mapping.hpp"

namespace xbind {
namespace {

constexpr std::uint64_t kMax = TrafficContract::kFieldMax;

ServiceSpec cells(std::uint64_t per_s, std::uint64_t buffer = 0) {
  return {ServiceKind::kCells, per_s, buffer, 0, 0};
}
ServiceSpec video(std::uint64_t frames_per_1000_s, std::uint64_t frame_octets) {
  return {ServiceKind::kVideo, 0, 0, frames_per_1000_s, frame_octets};
}

TEST(ServiceTest, CellsAreTakenAsTheyAreUpToTheBound) {
  EXPECT_EQ(service_to_network(cells(1)).value().resources, (Resources{1, 0}));
  EXPECT_EQ(service_to_network(cells(kMax, 7)).value().resources, (Resources{kMax, 7}));
}

TEST(ServiceTest, CellsOutOfRangeAreRefusedWithTheNumberAndTheMost) {
  for (const std::uint64_t wrong : {std::uint64_t{0}, kMax + 1, UINT64_MAX}) {
    EXPECT_EQ(service_to_network(cells(wrong, 7)).error(),
              (ServiceRefusal{Cause::kInvalidRequest, "cells/s", wrong, kMax,
                              fmt::format("{} cells/s are not in 1 to 16777215", wrong)}));
  }
}

TEST(ServiceTest, VideoIsMappedAsTheMappingMapsIt) {
  EXPECT_EQ(service_to_network(video(25'000, 4'792)).value().resources, (Resources{2'500, 100}));
  EXPECT_EQ(service_to_network(video(29'971, 65'536)).value().resources,
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

TEST(ServiceTest, CellsAreConstantBitRate) {
  EXPECT_EQ(service_to_network(cells(4'528)).value().contract,
            (TrafficContract{ServiceCategory::kCbr, 4'528, 224}));
}

TEST(ServiceTest, VideoIsNonRealTimeVariableBitRate) {
  const NetworkService mapped = service_to_network(video(25'000, 9'000)).value();
  EXPECT_EQ(mapped.contract, (TrafficContract{ServiceCategory::kNrtVbr, 353'207, 3, 4'700, 188}));
  EXPECT_TRUE(resources_of(mapped.contract).fits_within(mapped.resources))
      << "the buffer holds its burst";
}

TEST(ServiceTest, VideoOfMoreThan24BitsIsRefused) {
  const auto fast = service_to_network(video(kMax * 1'000 + 1, 40));
  ASSERT_FALSE(fast.has_value());
  EXPECT_EQ(fast.error(),
            (ServiceRefusal{Cause::kInvalidRequest, "cells/s", kMax + 1, kMax,
                            "the video needs 16777216 cells/s, the most is 16777215"}));
  const auto large = service_to_network(video(1, 48 * (kMax + 100)));
  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error().element, "cells a frame");
}

TEST(ServiceTest, AContractThatTheUserNamesTravelsAsItIs) {
  for (const TrafficContract& contract :
       {TrafficContract{ServiceCategory::kCbr, 4'528, 250},
        TrafficContract{ServiceCategory::kRtVbr, 4'528, 250, 1'000, 30},
        TrafficContract{ServiceCategory::kNrtVbr, 4'528, 250, 1'000, 30},
        TrafficContract{ServiceCategory::kUbr, 353'207, 0},
        TrafficContract{ServiceCategory::kGfr, 4'528, 250, 1'000, 30, 20}}) {
    ServiceSpec service{ServiceKind::kContract};
    service.contract = contract;
    const auto mapped = service_to_network(service);
    ASSERT_TRUE(mapped.has_value()) << to_string(contract);
    EXPECT_EQ(mapped->contract, contract);
    EXPECT_EQ(mapped->resources, resources_of(contract));
  }
}

TEST(ServiceTest, AContractThatCannotBeIsRefusedByItsField) {
  ServiceSpec service{ServiceKind::kContract};
  EXPECT_EQ(service_to_network(service).error().text, "the service names no contract");
  service.contract = {ServiceCategory::kNrtVbr, 100, 0, 101, 5};
  EXPECT_EQ(service_to_network(service).error(),
            (ServiceRefusal{Cause::kInvalidRequest, "SCR", 101, 100,
                            "SCR 101 is above the PCR: at most 100"}));
}

TEST(ServiceTest, AKindNobodyKnowsIsNamed) {
  EXPECT_EQ(service_to_network({static_cast<ServiceKind>(9), 1, 1, 1, 1}).error(),
            (ServiceRefusal{Cause::kUnknownService, "service", 9, 0, "no service is of kind 9"}));
}

}  // namespace
}  // namespace xbind
