// Tests of TcpTransport that need no socket.
#include "gsmp/tcp_transport.hpp"

#include <gtest/gtest.h>

namespace xbind::gsmp {
namespace {

TEST(ParseHostPort, TakesNamesAndAddresses) {
  EXPECT_EQ(parse_host_port("localhost:6068")->host, "localhost");
  EXPECT_EQ(parse_host_port("127.0.1.1:0")->port, 0);
  const auto v6 = parse_host_port("[::1]:65535");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->port, 65535);
}

TEST(ParseHostPort, RefusesWithTheText) {
  for (const char* text : {"", "localhost", ":6068", "localhost:", "localhost:65536", "a:-1",
                           "a:60 68", "::1:6068", "[]:1"}) {
    const auto parsed = parse_host_port(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kBadInput);
    EXPECT_NE(parsed.error().text.find(text), std::string::npos);
  }
}

}  // namespace
}  // namespace xbind::gsmp
