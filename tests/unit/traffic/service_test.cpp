#include "traffic/service.hpp"

#include <gtest/gtest.h>

#include "traffic/contract.hpp"
#include "traffic/mapping.hpp"

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
  EXPECT_EQ(service_to_network(cells(0, 7)).error(),
            (ServiceRefusal{Cause::kInvalidRequest, "cells/s", 0, kMax,
                            "0 cells/s are not in 1 to 16777215"}));
  for (const std::uint64_t wrong : {kMax + 1, UINT64_MAX}) {
    EXPECT_EQ(service_to_network(cells(wrong, 7)).error(),
              (ServiceRefusal{Cause::kInvalidRequest, "cells/s", wrong, kMax,
                              fmt::format("{} cells/s are not in 1 to 16777215: GSMP's traffic "
                                          "fields have 24 bits",
                                          wrong)}));
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
                            "the video needs 16777216 cells/s, the most is 16777215: GSMP's "
                            "traffic fields have 24 bits"}));
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

ServiceSpec named(ServiceTerms terms) {
  ServiceSpec service{ServiceKind::kClass};
  service.terms = std::move(terms);
  return service;
}

// Resources computed by hand: 1 + ceil(CDVT PCR) for CBR and rt-VBR; docs/qos.md has the contracts.
TEST(ServiceTest, AServiceOfTheCatalogueIsMappedByItsName) {
  struct Known {
    const char* name;
    NetworkService network;
  };
  for (const Known& known : std::vector<Known>{
           {"video-conference",
            {{14'075, 5}, {ServiceCategory::kRtVbr, 14'075, 218, 4'717, 1'126}}},
           {"voice-g711", {{200, 2}, {ServiceCategory::kCbr, 200, 5'000}}},
           {"constant-mpeg2", {{15'958, 5}, {ServiceCategory::kCbr, 15'958, 217}}},
           {"data-guaranteed",
            {{5'334, 1 + 409 + 2}, {ServiceCategory::kGfr, 26'667, 210, 5'334, 512, 32}}},
           {"data-best-effort", {{0, 0}, {ServiceCategory::kUbr, 353'207, 3}}}}) {
    const auto mapped = service_to_network(named({known.name}));
    ASSERT_TRUE(mapped.has_value()) << known.name;
    EXPECT_EQ(*mapped, known.network) << known.name;
  }
}

TEST(ServiceTest, EveryShippedServiceHasTheMappingThatTheCatalogueSays) {
  for (const std::string& name : shipped_catalogue().names()) {
    const auto mapped = map_service(named({name}));
    ASSERT_TRUE(mapped.has_value()) << name;
    EXPECT_EQ(mapped->quality, shipped_catalogue().find(name)->mapped.qos) << name;
    EXPECT_EQ(mapped->frames, shipped_catalogue().find(name)->service) << name;
  }
}

TEST(ServiceTest, AClassWithAllItsNumbersIsTheSameServiceWithoutAName) {
  ServiceTerms terms{"video"};
  terms.frames_per_1000_s = 25'000;
  terms.frame_octets = 9'000;
  terms.peak_to_mean = 3'000;
  terms.burst_frames = 2;
  terms.frame_loss = kLossWhole / 10'000;
  terms.delay_us = 150'000;
  EXPECT_EQ(map_service(named(terms)).value(), map_service(named({"video-conference"})).value());
}

TEST(ServiceTest, WhatTheTermsSayTakesThePlaceOfTheCatalogues) {
  ServiceTerms terms{"voice-g711"};
  terms.delay_us = 20'000;  // half of it remains for 4 cells: 400 cells/s
  EXPECT_EQ(service_to_network(named(terms)).value().contract.pcr_cells_per_s, 400U);
  ServiceTerms slower{"video-conference"};
  slower.frames_per_1000_s = 12'500;
  EXPECT_EQ(service_to_network(named(slower)).value().contract.guaranteed_cells_per_s,
            (12'500U * 188'646 + 999'999) / 1'000'000);
}

TEST(ServiceTest, WhatAClassDoesNotTakeIsRefusedWithItsNumber) {
  ServiceTerms terms{"voice-g711"};
  terms.burst_frames = 4;
  EXPECT_EQ(service_to_network(named(terms)).error().text, "burst frames of 4: voice takes none");
  terms = {"data-guaranteed"};
  terms.delay_us = 5;
  EXPECT_EQ(service_to_network(named(terms)).error().text, "delay in us of 5: data takes none");
  terms = {"video-conference"};
  terms.bits_per_s = 7;
  EXPECT_EQ(service_to_network(named(terms)).error().text, "bits/s of 7: video takes none");
}

TEST(ServiceTest, ANameThatTheCatalogueDoesNotHaveIsAnUnknownService) {
  EXPECT_EQ(service_to_network(named({"video-9"})).error(),
            (ServiceRefusal{Cause::kUnknownService, "service 'video-9'", 0, 0,
                            "the catalogue has no service 'video-9'"}));
  EXPECT_EQ(service_to_network(ServiceSpec{ServiceKind::kClass}).error().text,
            "the service names no class");
  EXPECT_EQ(service_to_network(named({"video"})).error().text,
            "video: frame octets 0 is not in 1 to 1000000000");
}

TEST(ServiceTest, AnotherCatalogueHasOtherServices) {
  Catalogue own;
  ASSERT_TRUE(own.add(
      "mine",
      {ServiceClass::kVoice, 50'000, 40, 1000, 1, 0, {}, false, {kLossWhole / 1000, 100'000}}));
  EXPECT_EQ(service_to_network(named({"mine"}), own).value().resources.cells_per_s, 50U);
  EXPECT_EQ(service_to_network(named({"voice-g711"}), own).error().cause, Cause::kUnknownService);
  EXPECT_FALSE(own.add("video", {})) << "it would hide the class";
}

TEST(ServiceTest, VideoInFramesIsTheClassWhoseFramesComeAtOnce) {
  const auto mapped = map_service(video(25'000, 9'000)).value();
  UserService frames;
  frames.frames_per_1000_s = 25'000;
  frames.frame_octets = 9'000;
  frames.at_once = true;
  EXPECT_EQ(mapped.frames, frames);
  EXPECT_EQ(mapped.network.contract, contract_for(frames).value());
  frames.at_once = false;  // spread over its interval
  EXPECT_EQ(contract_for(frames).value(),
            (TrafficContract{ServiceCategory::kNrtVbr, 4'700, cdvt_us_for(4'700), 4'700, 188}));
}

TEST(ServiceTest, NothingButVideoComesAtOnce) {
  UserService voice;
  voice.service = ServiceClass::kVoice;
  voice.frames_per_1000_s = 50'000;
  voice.frame_octets = 160;
  voice.at_once = true;
  EXPECT_EQ(contract_for(voice).error().text, "frames of voice do not come at once");
}

TEST(ServiceTest, TheWayBackIsNeverWorseThanWhatWasAsked) {
  const auto mapped = map_service(named({"video-conference"})).value();
  const NetworkQos share = share_of_hop(mapped.quality, 5).value();
  EXPECT_EQ(share, (NetworkQos{106'018, 22'000, 8'000}));
  const std::vector<NetworkQos> hops(5, share);
  // 530090 x 188.646 rounded up, and 5 x 22 ms with 40 ms of sending.
  EXPECT_EQ(network_to_service(named({"video-conference"}), mapped.network.contract, hops).value(),
            (UserQos{99'999'359, 150'000}));
}

TEST(ServiceTest, TheWayBackOfVideoInFramesCountsWhatItTakesToSendOne) {
  const TrafficContract contract = service_to_network(video(25'000, 9'000)).value().contract;
  const std::vector<NetworkQos> hops(2, NetworkQos{1'000'000, 5'000, 100});
  // 188 cells at the line's 353207 a second: 533 us.
  EXPECT_EQ(network_to_service(video(25'000, 9'000), contract, hops).value(),
            (UserQos{2 * 188 * std::uint64_t{1'000'000}, 10'533}));
}

TEST(ServiceTest, TheWayBackIsRefusedWhereThereAreNoFramesOrTheContractIsTooLow) {
  EXPECT_EQ(network_to_service(cells(100), contract_of_cells(100), {}).error().text,
            "a service of kind 0 names no frames");
  EXPECT_EQ(network_to_service(named({"voice-g711"}), contract_of_cells(199), {}).error().text,
            "the PCR of 199 cells/s does not carry the mean of 200 cells/s");
}

TEST(ServiceTest, AKindNobodyKnowsIsNamed) {
  EXPECT_EQ(service_to_network({static_cast<ServiceKind>(9), 1, 1, 1, 1}).error(),
            (ServiceRefusal{Cause::kUnknownService, "service", 9, 0, "no service is of kind 9"}));
}

}  // namespace
}  // namespace xbind
