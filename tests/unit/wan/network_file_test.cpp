// The file of --sites: what it says, and every mistake with its line.
#include "wan/network_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/wan/wan_fixture.hpp"

namespace xbind::wan {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kSites = R"([[site]]
name = "london"
nodes = ["n1", "n2"]
[[site]]
name = "paris"
addresses = ["10.9.0.1"]
namespace = "p"
interface = "tun7"
)";

std::string refusal(const std::string& text) {
  const auto network = parse_network(text, "wan.toml");
  EXPECT_FALSE(network);
  return network ? "" : network.error().text;
}
std::string with_path(const std::string& lines) {
  return std::string(kSites) + "[[path]]\n" + lines;
}

TEST(NetworkFile, SitesAndRules) {
  const auto network = parse_network(
      with_path("from = \"london\"\nto = \"paris\"\nboth = true\noctets-per-s = 100000\n"
                "delay-us = 25000\nloss = 0.02\n"),
      "wan.toml");
  ASSERT_TRUE(network) << network.error().text;
  ASSERT_EQ(network->sites.size(), 2U);
  const Site& london = network->sites[0];
  EXPECT_THAT(london.addresses,
              ElementsAre(address("10.78.1.1"), address("10.78.1.2"), address("10.78.1.3")));
  EXPECT_EQ(london.interface, "wan0");
  EXPECT_EQ(london.network_namespace, "");
  EXPECT_EQ(network->sites[1].network_namespace, "p");
  EXPECT_EQ(network->sites[1].interface, "tun7");
  EXPECT_EQ(network->rules.size(), 6U);
  const Rule rule = network->rules.at(pair_of("10.9.0.1", "10.78.1.3"));
  EXPECT_EQ(rule, (Rule{.octets_per_s = 100'000, .delay = 25ms, .loss = 0.02}));
  EXPECT_EQ(to_string(rule),
            "octets-per-s=100000 delay-us=25000 loss=0.02 duplicate=0 reorder=0 reorder-us=0 "
            "queue-octets=262144");
}

TEST(NetworkFile, ARuleForOneDirectionOfTwoAddresses) {
  const auto network =
      parse_network(with_path("from = \"10.78.1.2\"\nto = \"10.9.0.1\"\n"), "wan.toml");
  ASSERT_TRUE(network) << network.error().text;
  ASSERT_EQ(network->rules.size(), 1U);
  EXPECT_EQ(network->rules.begin()->first, pair_of("10.78.1.2", "10.9.0.1"));
  EXPECT_EQ(network->rules.begin()->second, Rule{});
}

TEST(NetworkFile, BadRules) {
  const std::string ends = "from = \"london\"\nto = \"paris\"\n";
  EXPECT_THAT(refusal(with_path(ends + "octets-per-s = 0\n")),
              HasSubstr("wan.toml line 12: option --octets-per-s"));
  EXPECT_THAT(refusal(with_path(ends + "loss = 1.5\n")), HasSubstr("line 12: option --loss"));
  EXPECT_THAT(refusal(with_path(ends + "loss = nan\n")), HasSubstr("line 12"));
  EXPECT_THAT(refusal(with_path(ends + "delay-us = -1\n")), HasSubstr("line 12"));
  EXPECT_THAT(refusal(with_path(ends + "rate = 5\n")),
              HasSubstr("line 12: a path has no 'rate'; known are"));
  EXPECT_THAT(refusal(with_path(ends + "delay-ms = 5\n")), HasSubstr("did you mean delay-us?"));
  EXPECT_THAT(refusal(with_path(ends + "reorder = 0.1\n")),
              HasSubstr("line 12: --reorder needs reorder-us"));
  EXPECT_THAT(refusal(with_path("from = \"london\"\n")), HasSubstr("a path needs 'to'"));
  EXPECT_THAT(refusal(std::string("[path]\n") + kSites), HasSubstr("wan.toml line 1"));
}

TEST(NetworkFile, RulesForAddressesWithoutASite) {
  EXPECT_THAT(refusal(with_path("from = \"rome\"\nto = \"paris\"\n")),
              HasSubstr("line 10: 'rome' is neither a site nor an IPv4 address; sites are london, "
                        "paris"));
  EXPECT_THAT(refusal(with_path("from = \"london\"\nto = \"10.9.0.2\"\n")),
              HasSubstr("line 11: 10.9.0.2 is not an address of any site"));
  EXPECT_THAT(refusal(with_path("from = \"10.78.1.1\"\nto = \"10.78.1.2\"\n")),
              HasSubstr("line 11: both ends are at london"));
}

TEST(NetworkFile, TwoRulesForOnePair) {
  const std::string one = "from = \"london\"\nto = \"paris\"\n";
  EXPECT_THAT(refusal(with_path(one + "[[path]]\nfrom = \"10.78.1.2\"\nto = \"10.9.0.1\"\n")),
              HasSubstr("wan.toml line 13: a second rule from 10.78.1.2 to 10.9.0.1; the first is "
                        "at wan.toml line 10"));
  EXPECT_THAT(
      refusal(with_path(one + "both = true\n[[path]]\nfrom = \"paris\"\nto = \"london\"\n")),
      HasSubstr("line 14: a second rule from 10.9.0.1 to 10.78.1.1"));
}

TEST(NetworkFile, BadSites) {
  EXPECT_THAT(refusal(""), HasSubstr("wan.toml: there is no [[site]]"));
  EXPECT_THAT(refusal("[[site]]\nname = \"a b\"\n"), HasSubstr("line 2"));
  EXPECT_THAT(refusal("[[site]]\nnode = [\"n1\"]\n"), HasSubstr("did you mean nodes?"));
  EXPECT_THAT(refusal("[[site]]\nname = \"a\"\n[[site]]\nname = \"a\"\n"),
              HasSubstr("line 4: another site is called 'a'"));
  EXPECT_THAT(refusal("[[site]]\nname = \"a\"\naddresses = [\"10.0.0.300\"]\n"),
              HasSubstr("line 3: --addresses: '10.0.0.300' is no IPv4 address"));
  EXPECT_THAT(refusal("[[site]]\nname = \"a\"\naddresses = [\"127.0.0.1\"]\n"),
              HasSubstr("line 3"));
  EXPECT_THAT(
      refusal("[[site]]\nname = \"a\"\n[[site]]\nname = \"b\"\naddresses = [\"10.78.1.1\"]\n"),
      HasSubstr("line 5: the address 10.78.1.1 comes twice"));
  EXPECT_THAT(refusal("[[site]]\nname = \"a\"\nnamespace = \"../x\"\n"), HasSubstr("line 3"));
  EXPECT_THAT(refusal("[[site]]\nname = \"a\"\ninterface = \"sixteen-letters0\"\n"),
              HasSubstr("line 3: --interface 'sixteen-letters0' is no name for it"));
  EXPECT_THAT(refusal("[[site]]\nname = \"a\"\nnamespace = \"n\"\n[[site]]\nname = \"b\"\n"
                      "namespace = \"n\"\n"),
              HasSubstr("line 6: another site is in 'n'"));
  EXPECT_THAT(refusal("[[site]]\nname = \"a\"\nnodes = [\"x\"]\n[[site]]\nname = \"b\"\n"
                      "programs = [\"x\"]\n"),
              HasSubstr("line 6: 'x' is empty, or at a site already"));
  EXPECT_THAT(
      refusal("[[site]]\nname = \"a\"\naddresses = [\"10.0.0.1\"]\nnodes = [\"x\"]\n"),
      HasSubstr("line 3: --addresses 10.0.0.1: 1 nodes need as many, and the site its own"));
}

TEST(NetworkFile, ASiteHasABoundedNumberOfAddresses) {
  std::string nodes;
  for (std::size_t node = 0; node < kSiteAddressesMax; ++node) {
    nodes += (node > 0 ? ", \"n" : "\"n") + std::to_string(node) + "\"";
  }
  EXPECT_THAT(refusal("[[site]]\nname = \"a\"\nnodes = [" + nodes + "]\n"),
              HasSubstr("line 3: --nodes a: a site has at most 250 addresses"));
}

TEST(NetworkFile, NumbersOfSitesAndPairsAreBounded) {
  std::string text;
  for (std::size_t site = 0; site <= kSitesMax; ++site) {
    text += "[[site]]\nname = \"s" + std::to_string(site) + "\"\n";
  }
  EXPECT_THAT(refusal(text), HasSubstr("line 129: more than 64 [[site]]"));
}

TEST(NetworkFile, WordsOfAnOrderChangeARule) {
  const Rule rule{.octets_per_s = 1'000, .delay = 5ms, .loss = 0.5};
  const auto changed = changed_rule(rule, {"delay-us=7000", "loss=0"});
  ASSERT_TRUE(changed);
  EXPECT_EQ(*changed, (Rule{.octets_per_s = 1'000, .delay = 7ms}));
  for (const char* word : {"delay-us", "config=/etc/passwd", "help=1", "delay-us=x", "loss=2",
                           "octets-per-s=0", "=1", "reorder=0.5"}) {
    EXPECT_FALSE(changed_rule(rule, {word})) << word;
  }
}

TEST(NetworkFile, ChangesBetweenTwoFiles) {
  const std::string ends = "from = \"london\"\nto = \"10.9.0.1\"\n";
  const auto before = parse_network(with_path(ends), "wan.toml");
  const auto after = parse_network(with_path(ends + "loss = 0.25\n"), "wan.toml");
  ASSERT_TRUE(before && after);
  EXPECT_THAT(changes_of(*before, *before).value(), IsEmpty());
  const auto changes = changes_of(*before, *after);
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->size(), 3U);
  EXPECT_EQ(changes->front().name, "loss from 10.78.1.1 to 10.9.0.1");
  EXPECT_EQ(changes->front().before, "0");
  EXPECT_EQ(changes->front().after, "0.25");
  EXPECT_TRUE(changes->front().live);

  const auto others = parse_network(with_path(ends + "both = true\n"), "wan.toml");
  ASSERT_TRUE(others);
  const auto refused = changes_of(*before, *others);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("needs a restart"));
}

}  // namespace
}  // namespace xbind::wan
