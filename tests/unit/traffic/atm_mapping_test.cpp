// Mapping services to the network and back: the returned quality is never
// worse than the requested one.
#include "traffic/atm_mapping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "traffic/aal5.hpp"

namespace xbind {
namespace {

UserService video() {
  UserService service;
  service.frames_per_1000_s = 25'000;
  service.frame_octets = 9'000;
  service.peak_to_mean = 3'000;
  service.burst_frames = 2;
  service.asked = {100'000'000, 150'000};
  return service;
}

UserService random_service(std::mt19937& random) {
  const auto up_to = [&](std::uint64_t most) {  // small numbers are as frequent as large ones
    const double exponent = std::uniform_real_distribution<>(0, std::log(most))(random);
    return static_cast<std::uint64_t>(std::exp(exponent));
  };
  UserService s;
  s.service = static_cast<ServiceClass>(random() % 4);
  const bool by_frames = s.service == ServiceClass::kVideo || s.service == ServiceClass::kVoice;
  s.frame_octets = up_to(200'000);
  if (by_frames) s.frames_per_1000_s = up_to(1'000'000);
  if (!by_frames) s.bits_per_s = up_to(1'000'000'000);
  if (s.service == ServiceClass::kVideo) s.peak_to_mean = 1'000 * up_to(20) + random() % 1'000;
  if (s.service == ServiceClass::kVideo || s.service == ServiceClass::kData)
    s.burst_frames = up_to(50);
  s.asked.frame_loss = up_to(kLossWhole - 1);
  const bool may_wait = s.service == ServiceClass::kVideo && random() % 2 == 0;
  if (s.service != ServiceClass::kData && !may_wait) s.asked.delay_us = 1 + up_to(1'000'000);
  return s;
}

TEST(AtmMappingTest, ThereAndBackIsNeverWorseThanAsked) {
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  int mapped_ones = 0;
  for (int i = 0; i < 20'000; ++i) {
    const UserService service = random_service(random);
    const auto mapped = to_atm(service);
    if (!mapped) continue;
    ++mapped_ones;
    ASSERT_FALSE(check(mapped->contract)) << to_string(mapped->contract);
    const auto back = to_user(service, *mapped);
    ASSERT_TRUE(back) << back.error().text;
    ASSERT_EQ(back->frame_loss.has_value(), service.asked.frame_loss.has_value());
    ASSERT_LE(*back->frame_loss, *service.asked.frame_loss);
    ASSERT_EQ(back->delay_us.has_value(), service.asked.delay_us.has_value());
    if (back->delay_us) {
      ASSERT_LE(*back->delay_us, *service.asked.delay_us);
      ASSERT_LE(*mapped->qos.cdv_us, *mapped->qos.ctd_us);
    }
  }
  EXPECT_GT(mapped_ones, 5'000);
}

TEST(AtmMappingTest, TheMeanIsNeverBelowThatOfAnyFrames) {
  constexpr unsigned kSeed = 6;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (const std::uint64_t largest : {50ULL, 1'000ULL, 65'535ULL, 300'000ULL}) {
    for (int i = 0; i < 300; ++i) {
      std::uint64_t octets = 0;
      std::uint64_t cells = 0;
      const std::uint64_t most = 1 + random() % largest;
      for (int frame = 0; frame < 100; ++frame) {
        const std::uint64_t size = 1 + random() % most;
        octets += size;
        cells += aal5::cells_of_frame(size);
      }
      UserService service = video();
      service.frame_octets = octets / 100;  // less than the mean
      service.burst_frames = 1;
      service.peak_to_mean =
          std::min<std::uint64_t>(kPeakToMeanMax, 1'000 * (most / service.frame_octets + 1));
      const auto shape = frame_shape(service);
      ASSERT_TRUE(shape) << shape.error().text;
      // The mean was rounded down by less than one octet, which is less than 1/40 of a cell.
      ASSERT_GE(shape->mean_cells + 25, cells * 10) << octets << " octets, " << cells << " cells";
    }
  }
}

// Frames within the source's limits, through a sender that sends each cell as early as the
// contract's two buckets allow.
TEST(AtmMappingTest, NoFrameLeavesTheSenderLaterThanSaid) {
  constexpr unsigned kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (const std::uint64_t burst : {1, 2, 5}) {
    for (const double shorter : {1.0, 0.5}) {  // the mapped MBS, and half of it
      UserService service = video();
      service.burst_frames = burst;
      const FrameShape shape = frame_shape(service).value();
      TrafficContract contract = to_atm(service)->contract;
      contract.mbs_cells = static_cast<std::uint32_t>(contract.mbs_cells * shorter);
      const double peak = 1.0 / contract.pcr_cells_per_s;
      const double sustained = 1.0 / contract.guaranteed_cells_per_s;
      const double tolerance = (contract.mbs_cells - 1) * (sustained - peak);
      const double mean = static_cast<double>(shape.mean_cells) / 1'000;
      const double largest = static_cast<double>(shape.largest_cells);
      const double limit = static_cast<double>(burst) * (largest - mean);
      double spare = limit;  // cells above the mean that the source may still send
      double due_peak = 0;
      double due_sustained = 0;
      double worst = 0;
      for (int frame = 0; frame < 500; ++frame) {
        const double there = frame / 25.0;
        const double may = std::min(largest, std::floor(spare + mean));
        const auto cells =
            random() % 4 == 0 ? static_cast<int>(1 + random() % 100) : static_cast<int>(may);
        spare = std::min(limit, spare + mean - std::min<double>(cells, may));
        for (int cell = 0; cell < std::min<int>(cells, static_cast<int>(may)); ++cell) {
          const double at = std::max({there, due_peak, due_sustained - tolerance});
          due_peak = at + peak;
          due_sustained = std::max(at, due_sustained) + sustained;
        }
        worst = std::max(worst, due_peak - there);
      }
      EXPECT_LE(worst * 1e6, static_cast<double>(sending_delay_us(shape, contract)) + 1e-3)
          << to_string(contract);
      // The bound is also tight.
      EXPECT_GE(worst * 1e6, 0.9 * static_cast<double>(sending_delay_us(shape, contract)));
    }
  }
}

TEST(AtmMappingTest, WhichCategory) {
  UserService service = video();
  EXPECT_EQ(to_atm(service)->contract.category, ServiceCategory::kRtVbr);
  service.asked.delay_us.reset();
  EXPECT_EQ(to_atm(service)->contract.category, ServiceCategory::kNrtVbr);
  EXPECT_FALSE(to_atm(service)->qos.ctd_us);
  UserService data;
  data.service = ServiceClass::kData;
  data.frame_octets = 1'500;
  EXPECT_EQ(to_atm(data)->contract.category, ServiceCategory::kUbr);
  EXPECT_EQ(to_atm(data)->qos, NetworkQos{});
  data.bits_per_s = 1'000'000;
  data.asked.frame_loss = 1'000'000;
  EXPECT_EQ(to_atm(data)->contract.category, ServiceCategory::kGfr);
}

TEST(AtmMappingTest, ShortDelayIsBoughtWithPeakRate) {
  UserService service = video();
  const std::uint64_t slow = to_atm(service)->contract.pcr_cells_per_s;
  service.asked.delay_us = 10'000;
  const auto quick = to_atm(service);
  ASSERT_TRUE(quick);
  EXPECT_EQ(quick->contract.pcr_cells_per_s, 112'600U);  // 2 x 563 cells / 10 ms
  EXPECT_GT(quick->contract.pcr_cells_per_s, slow);
}

void expect_refused(const UserService& service, const std::string& text) {
  const auto mapped = to_atm(service);
  ASSERT_FALSE(mapped) << text;
  EXPECT_EQ(mapped.error().code, ErrorCode::kBadInput);
  EXPECT_NE(mapped.error().text.find(text), std::string::npos) << mapped.error().text;
}

TEST(AtmMappingTest, RefusalsNameTheNumber) {
  UserService s = video();
  s.frame_octets = 0;
  expect_refused(s, "frame octets 0 is not in 1 to");
  s = video();
  s.frames_per_1000_s = 0;
  expect_refused(s, "frames in 1000 s 0 is not");
  s = video();
  s.peak_to_mean = 999;
  expect_refused(s, "peak to mean (thousandths) 999");
  s = video();
  s.burst_frames = TrafficContract::kFieldMax;
  expect_refused(s, "a burst of 16777215 frames of 563 cells");
  s = video();
  s.frames_per_1000_s = 100'000'000;
  expect_refused(s, "PCR 56300000 is not");
  s = video();
  s.asked.frame_loss = 100;
  expect_refused(s, "frame loss 1e-10 with 189 cells a frame");
  s = video();
  s.asked.frame_loss.reset();
  expect_refused(s, "video needs a frame loss");
  s = video();
  s.asked.delay_us = 1;
  expect_refused(s, "delay in us 1 is not in 2");
  s = video();
  s.service = ServiceClass::kVoice;
  expect_refused(s, "peak to mean (thousandths) 3000 is not in 1000 to 1000");
  s.peak_to_mean = 1'000;
  s.burst_frames = 1;
  s.asked.delay_us.reset();
  expect_refused(s, "voice needs a delay");
  UserService data;
  data.service = ServiceClass::kData;
  data.frame_octets = 1'500;
  data.asked.frame_loss = 1'000'000;
  expect_refused(data, "no frame loss of 1e-06 can be promised");
  data.asked = {std::nullopt, 7'000};
  expect_refused(data, "no delay of 7000 us");
}

TEST(AtmMappingTest, BackRefusesWhatCannotBe) {
  AtmService given = *to_atm(video());
  given.contract.guaranteed_cells_per_s -= 1;
  auto back = to_user(video(), given);
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().text,
            "the guaranteed rate of 4716 cells/s does not carry the mean of 4717 cells/s");
  given = *to_atm(video());
  given.qos.clr = kLossWhole + 1;
  EXPECT_FALSE(to_user(video(), given));
  given.qos.clr = kLossWhole;
  EXPECT_EQ(to_user(video(), given)->frame_loss, kLossWhole);
  EXPECT_FALSE(to_user(video(), AtmService{}));
}

TEST(AtmMappingTest, SharesOfHopsNeverAddUpToMore) {
  const NetworkQos whole{530'000, 127'403, 40'000};
  for (std::uint64_t hops = 1; hops <= kHopsMax; ++hops) {
    const auto share = share_of_hop(whole, hops);
    ASSERT_TRUE(share);
    const NetworkQos sum = over_hops(std::vector<NetworkQos>(hops, *share));
    EXPECT_LE(*sum.clr, *whole.clr);
    EXPECT_LE(*sum.ctd_us, *whole.ctd_us);
    EXPECT_LE(*sum.cdv_us, *whole.cdv_us);
    EXPECT_GT(*sum.ctd_us + hops, *whole.ctd_us);
  }
  EXPECT_EQ(share_of_hop({std::nullopt, 3, std::nullopt}, 4).error().text,
            "CTD in us 3 leaves nothing for each of 4 hops");
  EXPECT_FALSE(share_of_hop(whole, 0));
  EXPECT_EQ(over_hops({}), (NetworkQos{0, 0, 0}));
  EXPECT_EQ(over_hops(std::vector<NetworkQos>{whole, {}}), NetworkQos{});
}

TEST(AtmMappingTest, TheShareOfLossIsNearTheExactOneAndBelowIt) {
  for (const double loss : {0.1, 1e-3, 1e-6}) {
    for (const int hops : {2, 5, 20}) {
      const double exact = -std::expm1(std::log1p(-loss) / hops);
      const NetworkQos whole{static_cast<std::uint64_t>(loss * kLossWhole), {}, {}};
      const double ours = static_cast<double>(*share_of_hop(whole, hops)->clr) / kLossWhole;
      EXPECT_LE(ours, exact);
      EXPECT_GE(ours, exact * (1 - 0.6 * loss) - 1e-12);
    }
  }
}

}  // namespace
}  // namespace xbind
