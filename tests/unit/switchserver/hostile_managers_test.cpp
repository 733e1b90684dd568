// Strangers that attach as managers: forged epochs, and names that never return.
#include "controller_fixture.hpp"

namespace xbind {
namespace {

using ::testing::HasSubstr;

TEST_F(SwitchControllerTest, AnEpochThatNoneCanExceedIsRefused) {
  constexpr std::uint64_t kStep = SwitchController::kEpochStepMax;
  ASSERT_TRUE(controller.attach("a", Epoch{5}).has_value());
  for (const std::uint64_t forged : {~std::uint64_t{0}, 5 + kStep + 1}) {
    const auto refused = controller.attach("a", Epoch{forged});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(refused.error().text, HasSubstr("but 5 is the newest known here"));
  }
  EXPECT_EQ(controller.newest_epoch("a"), Epoch{5});
  EXPECT_EQ(controller.attach("new", Epoch{kStep + 1}).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(controller.newest_epoch("new"), Epoch{0});
  EXPECT_TRUE(controller.attach("a", Epoch{5 + kStep}).has_value());
}

TEST_F(SwitchControllerTest, NamesThatLeftNothingMakeRoomForANewManager) {
  SwitchController small({.name = "sw", .ledger = {.managers_max = 2}}, fake);
  ASSERT_TRUE(small.attach("a", Epoch{7}).has_value());
  for (const char* stranger : {"s1", "s2", "s3"}) {
    EXPECT_TRUE(small.attach(stranger, Epoch{1}).has_value()) << stranger;
    small.detach(stranger);
  }
  EXPECT_EQ(small.newest_epoch("s2"), Epoch{0});
  EXPECT_EQ(small.newest_epoch("a"), Epoch{7}) << "attached: it stays";
}

TEST_F(SwitchControllerTest, ANameWithALabelOrAHopIsNotForgotten) {
  SwitchController small({.name = "sw", .ledger = {.managers_max = 1}}, fake);
  small.on_driver(driver::Up{ports(), false}, now);
  ASSERT_TRUE(small.attach("a", Epoch{7}).has_value());
  ASSERT_TRUE(small.grant("a", kOut, 1, {}, now).has_value());
  small.detach("a");
  EXPECT_EQ(small.attach("b", Epoch{1}).error().code, ErrorCode::kExhausted);
}

}  // namespace
}  // namespace xbind
