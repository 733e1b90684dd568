#include "console/guard.hpp"

#include <gmock/gmock.h>

namespace xbind::console {
namespace {

using testing::HasSubstr;

HttpRequest get(const std::string& host) {
  return {.method = "GET",
          .target = "/",
          .host = host,
          .origin = {},
          .site = {},
          .content_type = {},
          .if_none_match = {},
          .body = {}};
}

HttpRequest post(const std::string& host, const std::string& origin) {
  HttpRequest request = get(host);
  request.method = "POST";
  request.origin = origin;
  request.content_type = "application/json";
  return request;
}

std::string name_of(const std::optional<Problem>& problem) {
  return problem ? problem->name : "taken";
}

const HostPort kLoopback{"127.0.0.1", 9480};

TEST(Guard, TakesTheHostsUnderWhichTheServerIsReached) {
  const Guard guard(kLoopback, {}, false);
  EXPECT_EQ(name_of(guard.check(get("127.0.0.1:9480"))), "taken");
  EXPECT_EQ(name_of(guard.check(get("localhost:9480"))), "taken");
  EXPECT_EQ(name_of(guard.check(get("LocalHost:9480"))), "taken");
}

TEST(Guard, RefusesTheHostOfARebindingName) {
  const Guard guard(kLoopback, {}, true);
  const auto problem = guard.check(get("evil.example:9480"));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->status, 421);
  EXPECT_EQ(problem->name, "unknown-host");
  EXPECT_EQ(problem->value, "evil.example:9480");
  EXPECT_THAT(problem->detail, HasSubstr("127.0.0.1:9480"));
}

TEST(Guard, RefusesNoHostAndAnotherPortOfItsAddress) {
  const Guard guard({"10.0.0.5", 9480}, {}, false);
  EXPECT_EQ(name_of(guard.check(get(""))), "unknown-host");
  EXPECT_EQ(name_of(guard.check(get("10.0.0.5"))), "unknown-host");
  EXPECT_EQ(name_of(guard.check(get("10.0.0.5:9481"))), "unknown-host");
  EXPECT_EQ(name_of(guard.check(get("10.0.0.5:9480"))), "taken");
}

// ssh -L 8080:CONSOLE: the browser names its own machine and the tunnel's port (decision 0094).
TEST(Guard, TakesALoopbackNameWithEveryPort) {
  for (const HostPort& listen : {kLoopback, HostPort{"10.0.0.5", 9480}}) {
    const Guard guard(listen, {}, true);
    for (const char* host : {"localhost:8080", "LOCALHOST:8080", "localhost", "127.0.0.1:8080",
                             "127.0.0.9:1", "[::1]:8080", "[::1]"}) {
      EXPECT_EQ(name_of(guard.check(get(host))), "taken") << host;
      EXPECT_EQ(name_of(guard.check(post(host, std::string("http://") + host))), "taken") << host;
    }
    for (const char* host : {"127.evil.example:9480", "localhost.evil.example:8080",
                             "evil.localhost:9480", "127.0.0.1.evil.example", "localhost.:8080",
                             "[::1].evil.example:80", "::1:8080:x", "localhost:8080:8080"}) {
      EXPECT_EQ(name_of(guard.check(get(host))), "unknown-host") << host;
    }
  }
}

// Another port of the browser's machine is another site.
TEST(Guard, RefusesAPageOfAnotherLoopbackPort) {
  const Guard guard(kLoopback, {}, true);
  for (const char* origin : {"http://localhost:3000", "http://127.0.0.1:8081", "http://[::1]:8080",
                             "http://localhost"}) {
    EXPECT_EQ(name_of(guard.check(post("localhost:8080", origin))), "foreign-origin") << origin;
  }
  EXPECT_EQ(name_of(guard.check(post("localhost:8080", "http://localhost:8080"))), "taken");
}

TEST(Guard, TakesThePortOfHttpAwayAsBrowsersDo) {
  const Guard guard({"127.0.0.1", 80}, {}, false);
  EXPECT_EQ(name_of(guard.check(get("127.0.0.1"))), "taken");
}

TEST(Guard, TakesAnIpv6AddressInBrackets) {
  const Guard guard({"::1", 9480}, {}, false);
  EXPECT_EQ(name_of(guard.check(get("[::1]:9480"))), "taken");
  EXPECT_EQ(name_of(guard.check(get("[::2]:9480"))), "unknown-host");
  const Guard proxied(kLoopback, {{"2001:db8::1", {}}, {"2001:db8::2", 8443}}, false);
  EXPECT_EQ(name_of(proxied.check(get("[2001:db8::1]"))), "taken");
  EXPECT_EQ(name_of(proxied.check(get("[2001:DB8:0::1]:443"))), "taken");
  EXPECT_EQ(name_of(proxied.check(get("[2001:db8::2]:8443"))), "taken");
  EXPECT_EQ(name_of(proxied.check(get("[2001:db8::2]:8444"))), "unknown-host");
}

TEST(Guard, TakesTheNamesOfAProxy) {
  const Guard guard({"10.0.0.5", 9480},
                    {{"Console.example.net", {}}, {"other.example", 8443}, {"tls.example", 443}},
                    false);
  EXPECT_EQ(name_of(guard.check(get("console.example.net"))), "taken");
  EXPECT_EQ(name_of(guard.check(get("console.example.net:443"))), "taken");
  EXPECT_EQ(name_of(guard.check(get("other.example:8443"))), "taken");
  EXPECT_EQ(name_of(guard.check(get("other.example"))), "unknown-host");
  EXPECT_EQ(name_of(guard.check(get("tls.example"))), "taken");  // the port of https
}

TEST(Guard, RefusesAPageOfAnotherSite) {
  const Guard guard(kLoopback, {}, true);
  for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:81", "file://"}) {
    const auto problem = guard.check(post("127.0.0.1:9480", origin));
    ASSERT_TRUE(problem) << origin;
    EXPECT_EQ(problem->name, "foreign-origin");
    EXPECT_EQ(problem->status, 403);
    EXPECT_EQ(problem->value, origin);
  }
  HttpRequest reading = get("127.0.0.1:9480");
  reading.origin = "http://evil.example";
  EXPECT_EQ(name_of(guard.check(reading)), "foreign-origin");
}

TEST(Guard, LetsALinkOfAnotherSiteOpenThePageAndAskNothing) {
  const Guard guard(kLoopback, {}, false);
  HttpRequest link = get("127.0.0.1:9480");
  link.site = "cross-site";
  EXPECT_EQ(name_of(guard.check(link)), "taken");
  link.target = "/api/v1/calls/default/7/ledgers";  // as an image
  EXPECT_EQ(name_of(guard.check(link)), "foreign-origin");
  link.site = "same-origin";
  EXPECT_EQ(name_of(guard.check(link)), "taken");
}

TEST(Guard, TakesItsOwnPageAndProgramsWithoutAnOrigin) {
  const Guard guard(kLoopback, {}, true);
  EXPECT_EQ(name_of(guard.check(post("127.0.0.1:9480", "http://127.0.0.1:9480"))), "taken");
  EXPECT_EQ(name_of(guard.check(post("127.0.0.1:9480", "http://localhost:9480"))), "taken");
  EXPECT_EQ(name_of(guard.check(post("127.0.0.1:9480", ""))), "taken");
}

TEST(Guard, OnlyShowsUnlessItIsWritable) {
  const Guard guard(kLoopback, {}, false);
  for (const char* method : {"POST", "DELETE", "PUT", "BREW"}) {
    HttpRequest request = post("127.0.0.1:9480", "");
    request.method = method;
    const auto problem = guard.check(request);
    ASSERT_TRUE(problem) << method;
    EXPECT_EQ(problem->name, "read-only");
    EXPECT_EQ(problem->status, 403);
    EXPECT_EQ(problem->value, method);
    EXPECT_THAT(problem->advice, HasSubstr("--writable"));
  }
  HttpRequest head = get("127.0.0.1:9480");
  head.method = "HEAD";
  EXPECT_EQ(name_of(guard.check(head)), "taken");
}

TEST(Guard, TakesNothingFromAFormOfHtml) {
  const Guard guard(kLoopback, {}, true);
  HttpRequest request = post("127.0.0.1:9480", "");
  request.content_type = "text/plain";
  EXPECT_EQ(name_of(guard.check(request)), "not-json");
  request.content_type = "Application/JSON ; charset=utf-8";
  EXPECT_EQ(name_of(guard.check(request)), "taken");
}

}  // namespace
}  // namespace xbind::console
