// Orders to a running WAN.
#include "wan/control.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/wan/wan_fixture.hpp"

namespace xbind::wan {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class WanOrders : public ::testing::Test {
 protected:
  std::string tell(const std::string& line) {
    return answer_order(
        line, wan,
        [this](const std::string& option, const std::optional<std::string>& value)
            -> Result<std::vector<config::OptionChange>> {
          tuned.push_back(option + "=" + value.value_or("(none)"));
          if (option != "log-level") return fail(ErrorCode::kBadInput, "no option {}", option);
          return std::vector<config::OptionChange>{
              {option, "info", value.value_or("info"), "", true}};
        },
        at(1s));
  }
  const Rule& rule(const std::string& from, const std::string& to) const {
    return wan.line(pair_of(from, to))->rule();
  }

  Wan wan{two_sites({.delay = 5ms}), {}};
  std::vector<std::string> tuned;
};

TEST_F(WanOrders, APathOfTwoAddresses) {
  EXPECT_EQ(tell("path 10.78.1.1 10.78.2.1 loss=0.5 octets-per-s=1000"), "ok pairs=1");
  EXPECT_EQ(rule("10.78.1.1", "10.78.2.1"),
            (Rule{.octets_per_s = 1'000, .delay = 5ms, .loss = 0.5}));
  EXPECT_EQ(rule("10.78.1.2", "10.78.2.1"), (Rule{.delay = 5ms}));
  EXPECT_EQ(rule("10.78.2.1", "10.78.1.1"), (Rule{.delay = 5ms}));
}

TEST_F(WanOrders, APathOfSitesIsThatOfAllTheirAddresses) {
  EXPECT_EQ(tell("  path a   b delay-us=1"), "ok pairs=2");
  EXPECT_EQ(rule("10.78.1.1", "10.78.2.1").delay, 1us);
  EXPECT_EQ(rule("10.78.1.2", "10.78.2.1").delay, 1us);
}

TEST_F(WanOrders, RefusedOrdersChangeNothing) {
  EXPECT_THAT(tell("path a b loss=0.5 octets-per-s=0"),
              AllOf(StartsWith("error bad-value: "), HasSubstr("--octets-per-s")));
  EXPECT_THAT(tell("path a b delay=5"), StartsWith("error bad-value: a path has no 'delay'"));
  EXPECT_THAT(tell("path a b loss"), StartsWith("error bad-value: 'loss' is not NAME=VALUE"));
  EXPECT_THAT(tell("path a c loss=1"), StartsWith("error no-such-path: 'c' is neither a site"));
  EXPECT_THAT(tell("path a 10.1.1.1 loss=1"),
              StartsWith("error no-such-path: 10.1.1.1 is not an address of any site"));
  EXPECT_EQ(tell("path a a loss=1"), "error no-such-path: no path leads from a to a");
  EXPECT_EQ(tell("path a b"),
            "error arguments: 2 words after path; it is: path FROM TO KEY=VALUE ...");
  EXPECT_THAT(tell("explode"), StartsWith("error unknown-command: 'explode'; there are: path, "));
  EXPECT_THAT(tell(""), StartsWith("error unknown-command: ''"));
  EXPECT_THAT(tell("status\x01"), StartsWith("error not-text: "));
  EXPECT_EQ(rule("10.78.1.1", "10.78.2.1"), (Rule{.delay = 5ms}));
}

TEST_F(WanOrders, Statistics) {
  wan.accept(kA, packet_of(pair_of("10.78.1.1", "10.78.2.1"), 100), at(0ms));
  wan.accept(kA, packet_of(pair_of("10.78.1.2", "10.78.2.1"), 50), at(0ms));
  EXPECT_THAT(tell("statistics a b"),
              AllOf(StartsWith("ok pairs=2 packets=2 octets=150 delivered=0 "),
                    HasSubstr(" delay-us=5000 ")));
  EXPECT_THAT(tell("statistics 10.78.1.2 b"), StartsWith("ok pairs=1 packets=1 octets=50 "));
  ASSERT_EQ(tell("path 10.78.1.1 b loss=1"), "ok pairs=1");
  EXPECT_THAT(tell("statistics a b"), HasSubstr(" rules=differ"));
}

TEST_F(WanOrders, Status) {
  wan.accept(kA, packet_of(pair_of("10.78.1.1", "10.78.2.1"), 100), at(0ms));
  wan.accept(kB, {}, at(0ms));
  EXPECT_EQ(tell("status"),
            "ok sites=2 pairs=4 packets-in=2 octets-in=100 packets-out=0 octets-out=0 "
            "packets-late=0 held-packets=1 held-octets=228 empty=1 ipv6=0 not-ipv4=0 truncated=0 "
            "bad-header=0 "
            "above-mtu=0 fragment=0 foreign-source=0 no-destination=0 no-path=0 queue-full=0 "
            "held-most=0 lost=0 device=0");
}

TEST_F(WanOrders, OptionsOfTheProcess) {
  EXPECT_EQ(tell("tune log-level=debug"), "ok log-level=debug");
  EXPECT_EQ(tell("tune log-level"), "ok log-level=info");
  EXPECT_EQ(tell("tune mtu=9000"), "error bad-value: no option mtu");
  EXPECT_THAT(tuned, ::testing::ElementsAre("log-level=debug", "log-level=(none)", "mtu=9000"));
}

TEST_F(WanOrders, WhatIsAnOrder) {
  EXPECT_TRUE(is_order("path"));
  EXPECT_TRUE(is_order(" status x"));
  EXPECT_FALSE(is_order("GET / HTTP/1.1"));
  EXPECT_FALSE(is_order(""));
  EXPECT_FALSE(is_order("path\r"));
}

}  // namespace
}  // namespace xbind::wan
