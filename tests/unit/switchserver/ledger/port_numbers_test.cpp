#include "switchserver/ledger/port_numbers.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

TEST(PortNumbers, APortKeepsItsPlace) {
  PortNumbers numbers;
  EXPECT_EQ(numbers.find(PortId{70}), std::nullopt);
  const auto first = numbers.enter(PortId{70});
  const auto second = numbers.enter(PortId{7});
  EXPECT_EQ(first, PortIndex{0});
  EXPECT_EQ(second, PortIndex{1});
  EXPECT_EQ(numbers.enter(PortId{70}), first) << "known already";
  EXPECT_EQ(numbers.find(PortId{7}), second);
  EXPECT_EQ(numbers.id(*first), PortId{70});
  EXPECT_EQ(numbers.size(), 2U);
}

TEST(PortNumbers, ThereIsRoomForSoManyAndNoMore) {
  PortNumbers numbers;
  for (std::uint32_t i = 1; i <= PortNumbers::kPortsMax; ++i) {
    ASSERT_TRUE(numbers.enter(PortId{i}).has_value()) << i;
  }
  EXPECT_EQ(numbers.enter(PortId{0x10000}), std::nullopt);
  EXPECT_EQ(numbers.enter(PortId{PortNumbers::kPortsMax}), PortIndex{0xfffe}) << "known already";
}

}  // namespace
}  // namespace xbind
