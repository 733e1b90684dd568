#include "core/config/host_port.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

// "HOST PORT", "HOST -" without a port, or "refused"; every refusal shows the text.
std::string read(const std::string& text) {
  const auto parsed = parse_host_maybe_port(text);
  if (parsed) return parsed->host + (parsed->port ? " " + std::to_string(*parsed->port) : " -");
  EXPECT_EQ(parsed.error().code, ErrorCode::kBadInput);
  EXPECT_NE(parsed.error().text.find(text), std::string::npos) << parsed.error().text;
  return "refused";
}

TEST(HostPort, NamesAndAddressesWithAndWithoutAPort) {
  const std::pair<const char*, const char*> kCases[] = {
      {"localhost:6068", "localhost 6068"},
      {"127.0.1.1:0", "127.0.1.1 0"},
      {"Console.example_1-x.net", "Console.example_1-x.net -"},
      {"[::1]:65535", "::1 65535"},
      {"[::1]", "::1 -"},
      {"::1", "::1 -"},
      {"2001:DB8::0:1", "2001:db8::1 -"},
      {"[2001:0db8:0:0::1]:80", "2001:db8::1 80"},
      {"[fe80::1%eth0]:80", "fe80::1%eth0 80"},
      {"::ffff:127.0.0.1", "::ffff:127.0.0.1 -"},
  };
  for (const auto& [text, wanted] : kCases) EXPECT_EQ(read(text), wanted) << text;
}

TEST(HostPort, WhatIsNoAddressIsRefusedWithTheText) {
  for (const char* text : {"", ":6068", "localhost:", "localhost:65536", "a:-1", "a:60 68", "[]:1",
                           "[localhost]:1", "[127.0.0.1]:1", "[::1", "[::1]x:1", "[::1]:", "::1]:1",
                           "a b:1", "http://a:1", "::1:2:x", "fe80::1%:", "a/b", "[::1]:1:2"}) {
    EXPECT_EQ(read(text), "refused") << text;
    EXPECT_FALSE(parse_host_port(text)) << text;
  }
}

TEST(HostPort, APortIsRequiredWhereItIs) {
  EXPECT_EQ(parse_host_port("[::1]:7")->host, "::1");
  EXPECT_EQ(parse_host_port("localhost").error().text, "\"localhost\" is not HOST:PORT");
  // Is it ::1 and port 6068, or an address without port?
  EXPECT_EQ(parse_host_port("::1:6068").error().text,
            "\"::1:6068\" is not HOST:PORT; write [ADDRESS]:PORT");
}

TEST(HostPort, AnAddressInNumbers) {
  EXPECT_EQ(*parse_numeric_host("::1"), "::1");
  EXPECT_EQ(*parse_numeric_host("[::1]"), "::1");
  EXPECT_EQ(*parse_numeric_host("192.0.2.7"), "192.0.2.7");
  for (const char* text : {"localhost", "", "192.0.2", "192.0.2.7:80", "[::1]:80", "1.2.3.4.5"}) {
    const auto parsed = parse_numeric_host(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().text.find(text), std::string::npos);
  }
}

TEST(HostPort, TheTextHasBracketsWhereTheyAreNeeded) {
  for (const char* text : {"[::1]:6068", "127.0.0.1:80", "name:0"}) {
    EXPECT_EQ(to_string(*parse_host_port(text)), text);
  }
  EXPECT_EQ(bracketed("::1"), "[::1]");
  EXPECT_EQ(bracketed("a"), "a");
}

TEST(HostPort, LoopbackNamesAreThoseThatNoNameServerDecides) {
  for (const char* host :
       {"localhost", "LocalHost", "127.0.0.1", "127.9.8.7", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"127.evil.example", "127.0.0.1.evil.example", "localhost.evil.example",
                           "localhost.", "evil.localhost", "::2", "0.0.0.0", "", "127.1"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

}  // namespace
}  // namespace xbind
