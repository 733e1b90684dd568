// Bounds of options that have a reason, and those of a traffic contract.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/service_options.hpp"

namespace xbind::config {
namespace {

using ::testing::HasSubstr;

TEST(OptionSetTest, AReasonedBoundGivesItsReasonAboveItAlone) {
  std::uint64_t rate = 0;
  OptionSet set("xbind-trial", "Tries.");
  set.add_uint("rate", &rate, 5, {1, 10, "the wire has four bits"}, "A rate.");
  const auto refusal = [&set](const char* text) {
    const char* const args[] = {"xbind-trial", "--rate", text};
    const auto exit = set.load(3, args, [](const std::string&) { return std::nullopt; });
    return exit ? exit->sentence : std::string{};
  };
  EXPECT_EQ(refusal("10"), "");
  for (const char* const above : {"11", "99999999999999999999"}) {
    EXPECT_THAT(refusal(above), HasSubstr(std::string{above} +
                                          " is out of the range 1 to 10: the wire has four bits"));
  }
  EXPECT_THAT(refusal("0"), ::testing::EndsWith("0 is out of the range 1 to 10"));
}

TEST(ContractBounds, FramesThatNoContractCanSayAreRefused) {
  EXPECT_EQ(frames_beyond_contract(25'000, 9'000), std::nullopt);
  EXPECT_EQ(frames_beyond_contract(0, 0), std::nullopt);
  EXPECT_EQ(frames_beyond_contract(16'777'215'000, 48),
            std::nullopt);  // the QOSMapper knows better
  EXPECT_THAT(frames_beyond_contract(16'777'215'001, 48).value_or(""),
              HasSubstr("need more than 16777215 cells/s: GSMP's traffic fields have 24 bits"));
  EXPECT_THAT(frames_beyond_contract(1, 48ULL * 16'777'215 + 1).value_or(""),
              HasSubstr("has at least 16777216 cells, more than 16777215: GSMP's"));
}

}  // namespace
}  // namespace xbind::config
