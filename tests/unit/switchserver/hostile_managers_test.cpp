// Strangers that attach as managers: forged epochs, and names that never return.
#include "controller_fixture.hpp"

namespace xbind {
namespace {

using ::testing::HasSubstr;

TEST_F(SwitchControllerTest, AnEpochThatNoIdCanHaveIsRefused) {
  ASSERT_TRUE(controller.attach("a", Epoch{5}).has_value());
  for (const std::uint64_t forged : {~std::uint64_t{0}, kManagerEpochMax + 1}) {
    const auto refused = controller.attach("a", Epoch{forged});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(refused.error().text, HasSubstr("but 16777215 is the last one"));
  }
  EXPECT_EQ(controller.epochs_of("a").newest, Epoch{5});
}

TEST_F(SwitchControllerTest, ForgedEpochsAreRenewedAboveThoseOfStandingCalls) {
  constexpr std::uint64_t kCall = std::uint64_t{5} << kIdCounterBits | 1;
  ASSERT_TRUE(controller.attach("a", Epoch{5}).has_value());
  committed(kCall, 40);
  ASSERT_TRUE(controller.attach("a", Epoch{kManagerEpochMax}).has_value());
  EXPECT_THAT(controller.renew_epoch("a", Epoch{5}).error().text, HasSubstr("a is attached"));
  controller.detach("a");
  EXPECT_EQ(controller.attach("a", Epoch{6}).error().code, ErrorCode::kFenced);
  EXPECT_EQ(controller.epochs_of("a"), epochs_at_switch(Epoch{kManagerEpochMax}, 0, {5}));

  for (const std::uint64_t none : {std::uint64_t{0}, kManagerEpochMax + 1}) {
    EXPECT_EQ(controller.renew_epoch("a", Epoch{none}).error().code, ErrorCode::kBadInput);
  }
  ASSERT_TRUE(controller.renew_epoch("a", Epoch{5}).has_value());
  EXPECT_EQ(controller.epochs_of("a"), epochs_at_switch(Epoch{5}, 1, {5}));
  const auto again = controller.attach("a", Epoch{6});
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->hops, 1u);
  EXPECT_EQ(controller.known_managers(), (std::vector<KnownManager>{{"a", Epoch{6}, 1}}));
}

TEST_F(SwitchControllerTest, ANameThatIsNotKnownHasNothingToRenew) {
  EXPECT_TRUE(controller.renew_epoch("nobody", Epoch{5}).has_value());
  EXPECT_EQ(controller.epochs_of("nobody"), ManagerEpochs{});
}

TEST_F(SwitchControllerTest, NamesThatLeftNothingMakeRoomForANewManager) {
  SwitchController small({.name = "sw", .ledger = {.managers_max = 2}}, fake);
  ASSERT_TRUE(small.attach("a", Epoch{7}).has_value());
  for (const char* stranger : {"s1", "s2", "s3"}) {
    EXPECT_TRUE(small.attach(stranger, Epoch{1}).has_value()) << stranger;
    small.detach(stranger);
  }
  EXPECT_EQ(small.epochs_of("s2").newest, Epoch{0});
  EXPECT_EQ(small.epochs_of("a").newest, Epoch{7}) << "attached: it stays";
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
