// Addresses of control sockets.
#include "net/control_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/tcp_server.hpp"

namespace xbind::net {
namespace {

using ::testing::HasSubstr;

TEST(ControlAddressTest, APathOrTcp) {
  const auto path = parse_control_address("./control");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->path, "./control");
  const auto tcp = parse_control_address("tcp:127.0.0.1:700");
  ASSERT_TRUE(tcp);
  EXPECT_EQ(tcp->path, "");
  EXPECT_EQ(tcp->tcp.port, 700);
}

TEST(ControlAddressTest, OtherTextsAreQuoted) {
  for (const char* text : {"", "control", "127.0.0.1:700", "tcp:127.0.0.1"}) {
    EXPECT_FALSE(parse_control_address(text)) << text;
  }
  EXPECT_THAT(parse_control_address("control").error().text, HasSubstr("'control' is no path"));
  const std::string longest = "/" + std::string(kUnixPathMax - 1, 'x');
  EXPECT_TRUE(parse_control_path(longest));
  EXPECT_THAT(parse_control_address(longest + "x").error().text, HasSubstr("at most 107 octets"));
  EXPECT_FALSE(parse_control_path("tcp:127.0.0.1:700"));
}

}  // namespace
}  // namespace xbind::net
