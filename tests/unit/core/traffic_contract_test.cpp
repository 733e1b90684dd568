// The rules for a valid traffic contract.
#include "core/traffic_contract.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

constexpr std::uint32_t kMax = TrafficContract::kFieldMax;

ContractRefusal refusal(const TrafficContract& contract) {
  const auto refused = check(contract);
  EXPECT_TRUE(refused.has_value()) << to_string(contract);
  return refused.value_or(ContractRefusal{});
}

TEST(TrafficContractTest, OneOfEachCategoryCanBe) {
  for (const TrafficContract& contract :
       {TrafficContract{}, TrafficContract{ServiceCategory::kCbr, 1, 0},
        TrafficContract{ServiceCategory::kCbr, kMax, kMax},
        TrafficContract{ServiceCategory::kRtVbr, 100, 5, 100, 1},
        TrafficContract{ServiceCategory::kNrtVbr, kMax, kMax, kMax, kMax},
        TrafficContract{ServiceCategory::kUbr, 353'207, 0},
        TrafficContract{ServiceCategory::kGfr, 100, 5, 0, 30, 30}}) {
    EXPECT_EQ(check(contract), std::nullopt) << to_string(contract);
  }
}

TEST(TrafficContractTest, EachFaultIsNamedWithItsFieldAndValue) {
  EXPECT_EQ(refusal({static_cast<ServiceCategory>(9)}),
            (ContractRefusal{ContractFault::kUnknownCategory, "category", 9, 5}));
  EXPECT_EQ(refusal({ServiceCategory::kCbr, 0, 250}),
            (ContractRefusal{ContractFault::kZero, "PCR", 0, 1}));
  EXPECT_EQ(refusal({ServiceCategory::kCbr, kMax + 1}),
            (ContractRefusal{ContractFault::kAbove24Bits, "PCR", kMax + 1, kMax}));
  EXPECT_EQ(refusal({ServiceCategory::kCbr, 1, kMax + 1}),
            (ContractRefusal{ContractFault::kAbove24Bits, "CDVT", kMax + 1, kMax}));
  EXPECT_EQ(refusal({ServiceCategory::kCbr, 100, 0, 50}),
            (ContractRefusal{ContractFault::kNotOfCategory, "SCR", 50, 0}));
  EXPECT_EQ(refusal({ServiceCategory::kRtVbr, 100, 0, 0, 5}),
            (ContractRefusal{ContractFault::kZero, "SCR", 0, 1}));
  EXPECT_EQ(refusal({ServiceCategory::kRtVbr, 100, 0, 101, 5}),
            (ContractRefusal{ContractFault::kAbovePcr, "SCR", 101, 100}));
  EXPECT_EQ(refusal({ServiceCategory::kNrtVbr, 100, 0, 50, 0}),
            (ContractRefusal{ContractFault::kZero, "MBS", 0, 1}));
  EXPECT_EQ(refusal({ServiceCategory::kNrtVbr, 100, 0, 50, 5, 1}),
            (ContractRefusal{ContractFault::kNotOfCategory, "MFS", 1, 0}));
  EXPECT_EQ(refusal({ServiceCategory::kGfr, 100, 0, 101, 5, 5}),
            (ContractRefusal{ContractFault::kAbovePcr, "MCR", 101, 100}));
  EXPECT_EQ(refusal({ServiceCategory::kGfr, 100, 0, 50, 5, 6}),
            (ContractRefusal{ContractFault::kBelowFrame, "MBS", 5, 6}));
  EXPECT_EQ(refusal({ServiceCategory::kNone, 100}),
            (ContractRefusal{ContractFault::kNotOfCategory, "PCR", 100, 0}));
}

TEST(TrafficContractTest, InWords) {
  EXPECT_EQ(to_string(TrafficContract{}), "no contract");
  EXPECT_EQ(to_string(TrafficContract{ServiceCategory::kCbr, 4'528, 250}),
            "CBR pcr 4528 cdvt 250 us");
  EXPECT_EQ(to_string(TrafficContract{ServiceCategory::kNrtVbr, 353'207, 3, 4'700, 188}),
            "nrt-VBR pcr 353207 cdvt 3 us scr 4700 mbs 188");
  EXPECT_EQ(to_string(TrafficContract{ServiceCategory::kGfr, 100, 5, 10, 30, 20}),
            "GFR pcr 100 cdvt 5 us mcr 10 mbs 30 mfs 20");
  EXPECT_EQ(to_string(refusal({ServiceCategory::kCbr, kMax + 1})),
            "PCR 16777216 is above 24 bits: at most 16777215");
  EXPECT_EQ(to_string(refusal({ServiceCategory::kGfr, 100, 0, 50, 5, 6})),
            "MBS 5 is below the MFS: at least 6");
  EXPECT_EQ(to_string(refusal({ServiceCategory::kCbr, 100, 0, 50})),
            "SCR 50 is not of this category");
}

TEST(TrafficContractTest, TheGreaterOfTwoHasTheRatesOfBothAndTheToleranceThatIsWanted) {
  const TrafficContract slow{ServiceCategory::kGfr, 100, 500, 90, 10, 10};
  const TrafficContract fast{ServiceCategory::kGfr, 300, 20, 30, 40, 15};
  const TrafficContract both = greater(slow, fast);
  EXPECT_EQ(both, (TrafficContract{ServiceCategory::kGfr, 300, 20, 90, 40, 15}));
  EXPECT_EQ(check(both), std::nullopt);
  EXPECT_TRUE(asks_for_more(slow, fast));
  EXPECT_TRUE(asks_for_more(fast, slow)) << "a higher minimum";
  EXPECT_FALSE(asks_for_more(both, slow)) << "its tolerance does not count";
}

TEST(TrafficContractTest, TheLesserOfTwoAsksForNoMoreThanEither) {
  const TrafficContract slow{ServiceCategory::kGfr, 100, 500, 90, 10, 10};
  const TrafficContract fast{ServiceCategory::kGfr, 300, 20, 30, 40, 15};
  const TrafficContract least = lesser(slow, fast);
  EXPECT_EQ(least, (TrafficContract{ServiceCategory::kGfr, 100, 500, 30, 10, 10}));
  EXPECT_EQ(lesser(fast, slow), least);
  EXPECT_EQ(check(least), std::nullopt);
  EXPECT_FALSE(asks_for_more(slow, least));
  EXPECT_FALSE(asks_for_more(fast, least));
}

}  // namespace
}  // namespace xbind
