// Numbers of reports, as a person would round them.
#include "callgen/report/rounding.hpp"

#include <gtest/gtest.h>

namespace xbind::callgen {
namespace {

TEST(Rounding, KeepsAboutThreeDigits) {
  EXPECT_EQ(rounded(0), "0.000");
  EXPECT_EQ(rounded(0.000123), "0.0001");
  EXPECT_EQ(rounded(0.0000712), "0.00007");
  EXPECT_EQ(rounded(0.0314), "0.031");
  EXPECT_EQ(rounded(0.314), "0.31");
  EXPECT_EQ(rounded(3.149), "3.15");
  EXPECT_EQ(rounded(9.996), "10.0");
  EXPECT_EQ(rounded(31.49), "31.5");
  EXPECT_EQ(rounded(99.96), "100");
  EXPECT_EQ(rounded(3149.6), "3 150");
  EXPECT_EQ(rounded(-2.5), "-2.50");
  EXPECT_EQ(rounded(1e18), "1e+18");
}

TEST(Rounding, GroupsThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(23'998), "23 998");
  EXPECT_EQ(grouped(1'234'567, kNarrowSpace), "1\u202f234\u202f567");
}

}  // namespace
}  // namespace xbind::callgen
