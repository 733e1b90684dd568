#include "routeobject/import/link_rate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "routeobject/topology/topology.hpp"

namespace xbind {
namespace {

using Kind = RateInText::Kind;

TEST(LinkRateTest, ALineCarriesWholeCellsOf424Bits) {
  EXPECT_EQ(cells_per_s_of_bits(424), 1u);
  EXPECT_EQ(cells_per_s_of_bits(847), 1u);
  EXPECT_EQ(cells_per_s_of_bits(848), 2u);
  EXPECT_EQ(cells_per_s_of_bits(149.76e6), 353'207u);  // the payload of STM-1
  EXPECT_EQ(cells_per_s_of_bits(155e6), 365'566u);
  EXPECT_EQ(cells_per_s_of_bits(622e6), 1'466'981u);
  EXPECT_EQ(cells_per_s_of_bits(40e9), 94'339'622u);
}

TEST(LinkRateTest, TheRateIsRoundedToWholeBitsFirst) {
  // 4.24 is no binary fraction: 4.24 * 1e6 must not give one cell too few.
  EXPECT_EQ(cells_per_s_of_bits(4.24 * 1e6), 10'000u);
  EXPECT_EQ(cells_per_s_of_bits(423.5), 1u);
  EXPECT_EQ(cells_per_s_of_bits(423.4), 0u);
}

TEST(LinkRateTest, WhatIsNoRateOfALink) {
  EXPECT_EQ(cells_per_s_of_bits(0), 0u);
  EXPECT_EQ(cells_per_s_of_bits(423), 0u);
  EXPECT_EQ(cells_per_s_of_bits(-1), std::nullopt);
  EXPECT_EQ(cells_per_s_of_bits(std::nan("")), std::nullopt);
  EXPECT_EQ(cells_per_s_of_bits(std::numeric_limits<double>::infinity()), std::nullopt);
  EXPECT_EQ(cells_per_s_of_bits(424.0 * kLinkCellsPerSMax), kLinkCellsPerSMax);
  EXPECT_EQ(cells_per_s_of_bits(424.0 * (kLinkCellsPerSMax + 1)), std::nullopt);
}

TEST(LinkRateTest, LabelsThatStateARate) {
  struct Case {
    const char* label;
    std::uint64_t cells_per_s;
    const char* words;
  };
  for (const Case& one : {Case{"10 Gbps", 23'584'905, "10 Gbps"},
                          {"< 10Gbps", 23'584'905, "10Gbps"},
                          {"< 2.5 Gbps", 5'896'226, "2.5 Gbps"},
                          {"155 Mbit/s (leased)", 365'566, "155 Mbit/s"},
                          {"Link 3: 34 mb/s", 80'188, "34 mb/s"},
                          {"Link-10 Gbps", 23'584'905, "10 Gbps"},
                          {"155M", 365'566, "155M"},
                          {"64k", 150, "64k"},
                          {"10GE", 23'584'905, "10GE"},
                          {"GigE", 2'358'490, "GigE"},
                          {"10 Gigabit Ethernet", 23'584'905, "10 Gigabit Ethernet"},
                          {"100 Gb Ethernet", 235'849'056, "100 Gb"},
                          {"2 x 10 Gbps", 47'169'811, "2 x 10 Gbps"},
                          {"2x10G", 47'169'811, "2x10G"},
                          {"10G x 2", 47'169'811, "10G x 2"},
                          {"3\u00d7STM-1", 1'059'622, "3\u00d7STM-1"},
                          {"10 Gbps, 10 Gbps", 23'584'905, "10 Gbps"},
                          {"OC-3", 353'207, "OC-3"},
                          {"OC3c", 353'207, "OC3c"},
                          {"OC-12", 1'412'830, "OC-12"},
                          {"OC-192c", 22'605'283, "OC-192c"},
                          {"stm-16", 5'651'320, "stm-16"},
                          {"T3", 96'000, "T3"},
                          {"DS-3", 96'000, "DS-3"},
                          {"E3", 80'000, "E3"},
                          {"E1", 4'528, "E1"},
                          {"T1", 3'622, "T1"}}) {
    const RateInText found = rate_in_text(one.label);
    EXPECT_EQ(found.kind, Kind::kStated) << one.label;
    EXPECT_EQ(found.cells_per_s, one.cells_per_s) << one.label;
    EXPECT_EQ(found.words, one.words) << one.label;
  }
}

TEST(LinkRateTest, LabelsThatStateNone) {
  for (const char* label :
       {"", "SDH", "Optic Fiber", "Lit Fibre", "10", "10 km", "10 m", "2 x fibre", "e1/0", "OC-7",
        "STM-1/4", "Gbps", "1.2.3 G-net", "ring10Gbps", "10 Gbpsx", "x 10", "CWDM ring 3 of 4"}) {
    EXPECT_EQ(rate_in_text(label).kind, Kind::kNone) << label;
  }
}

TEST(LinkRateTest, LabelsThatStateMoreThanOneThing) {
  for (const char* label : {"1-10 Gbps", "1 - 10 Gbps", "45/155 Mbps", "2,5 Gbps",
                            "10 Gbps and 155 Mbps", "10 Gbps + 2.5 Gbps", "99999 Tbps"}) {
    EXPECT_EQ(rate_in_text(label).kind, Kind::kSeveral) << label;
  }
}

TEST(LinkRateTest, AStatedZeroIsARate) {
  const RateInText found = rate_in_text("0 Mbps");
  EXPECT_EQ(found.kind, Kind::kStated);
  EXPECT_EQ(found.cells_per_s, 0u);
}

TEST(LinkRateTest, OnlyTheBeginningOfALongTextIsRead) {
  EXPECT_EQ(rate_in_text(std::string(300, ' ') + "10 Gbps").kind, Kind::kNone);
  EXPECT_EQ(rate_in_text(std::string(1 << 20, '9')).kind, Kind::kNone);
  EXPECT_EQ(rate_in_text("10 Gbps" + std::string(300, ' ')).kind, Kind::kStated);
}

}  // namespace
}  // namespace xbind
