// Which driver an address of --switch selects, and which addresses are refused.
#include "switchserver/make_driver.hpp"

#include <gmock/gmock.h>

#include "switchserver/node_options.hpp"

namespace xbind {
namespace {

using testing::HasSubstr;

TEST(SwitchAddress, AnAddressWithoutASchemeIsGsmpOverTcp) {
  EXPECT_EQ(full_switch_address("127.0.0.1:6068"), "gsmp://127.0.0.1:6068");
  EXPECT_EQ(full_switch_address("gsmp://127.0.0.1:6068"), "gsmp://127.0.0.1:6068");
  EXPECT_EQ(full_switch_address("[::1]:6068"), "gsmp://[::1]:6068");
}

TEST(SwitchAddress, ASchemeThatNoDriverSpeaksIsRefusedByName) {
  const auto refused = full_switch_address("p4runtime://127.0.0.1:9559");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(refused.error().text, "no driver speaks \"p4runtime\"; there is one for: gsmp");
}

TEST(SwitchAddress, TheRestIsRefusedWithItsText) {
  const auto refused = full_switch_address("gsmp://here");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("\"here\" is not HOST:PORT"));
}

TEST(MakeDriver, TheDriverNamesItsSwitchAndIsNotStarted) {
  NodeOptions options;
  options.name = "sw1";
  options.switch_address = "gsmp://127.0.0.1:6068";
  options.window = 256;
  options.transaction_timeout_ms = 2'000;
  options.gsmp_versions = "3,1";
  const auto driver = make_driver(options, [] { return 1U; });
  EXPECT_EQ(driver->peer(), "127.0.0.1:6068");
  EXPECT_EQ(driver->why_away(), "");
  driver->stop();  // idempotent, and allowed without start()
}

}  // namespace
}  // namespace xbind
