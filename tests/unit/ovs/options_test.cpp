#include "ovs/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind::ovs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class OvsCommand : public ::testing::Test {
 protected:
  // The error, or "" when the options are accepted.
  std::string refusal(std::vector<const char*> words) {
    words.insert(words.begin(), {"xbind-gsmp-ovs", "--bridge", "unix:/run/br0.mgmt"});
    return load(words);
  }
  std::string load(const std::vector<const char*>& words) {
    config::OptionSet set("xbind-gsmp-ovs", "A switch.");
    options = {};
    declare(set, options);
    const auto exit = set.load(static_cast<int>(words.size()), words.data(),
                               [](const std::string&) { return std::nullopt; });
    if (!exit) return "";
    // Without the program's name before it, and the line about --help behind it.
    const std::string& text = exit->text;
    const std::size_t first = text.starts_with("xbind-gsmp-ovs: ") ? text.find(": ") + 2 : 0;
    return text.substr(first, text.find('\n') - first);
  }
  SwitchParts parts(std::vector<const char*> words) {
    EXPECT_EQ(refusal(std::move(words)), "");
    return parts_of(options);
  }
  Options options;
};

TEST_F(OvsCommand, Defaults) {
  const SwitchParts made = parts({});
  EXPECT_EQ(to_string(made.bridge), "unix:/run/br0.mgmt");
  EXPECT_EQ(made.fabric.ports, 4U);
  EXPECT_EQ(to_string(made.fabric.port_labels.at(PortId(4))), "mpls 16-1048575");
  EXPECT_FALSE(made.fabric.vp_switching);
  EXPECT_EQ(made.fabric.max_reservations, 0U);
  EXPECT_TRUE(made.table.layout.edges.empty());
  EXPECT_EQ(made.table.layout.priority, 22594);
  EXPECT_EQ(made.table.groups.first, 0x58420000U);
  EXPECT_EQ(made.table.groups.last, 0x5851ffffU);
  EXPECT_EQ(made.table.meters.first, 131'073U);
  EXPECT_EQ(made.agent.window, 1024);
  EXPECT_THAT(made.agent.versions, ElementsAre(3)) << "version 1.1 has no MPLS labels";
}

TEST_F(OvsCommand, LinksArePolicedOnlyWhenAnOptionSaysSo) {
  const PortId edge(1);
  const PortId link(2);
  const Layout usual = parts({"--edge-ports", "1"}).table.layout;
  EXPECT_TRUE(usual.polices(edge));
  EXPECT_FALSE(usual.polices(link));
  const Layout all = parts({"--edge-ports", "1", "--police-links"}).table.layout;
  EXPECT_TRUE(all.polices(edge));
  EXPECT_TRUE(all.polices(link));
}

TEST_F(OvsCommand, NeedsABridge) {
  EXPECT_THAT(load({"xbind-gsmp-ovs"}), HasSubstr("--bridge"));
  EXPECT_THAT(load({"xbind-gsmp-ovs", "--bridge", "br0"}), HasSubstr("br0"));
  EXPECT_EQ(load({"xbind-gsmp-ovs", "--bridge", "tcp:127.0.0.1:6653"}), "");
}

TEST_F(OvsCommand, EveryPartHasItsOption) {
  const SwitchParts made = parts({"--ports",
                                  "3",
                                  "--edge-ports",
                                  "1",
                                  "--classes",
                                  "7=10.1.0.0/16,8=10.2.3.4/32",
                                  "--port-labels",
                                  "2=mpls:1000-1999",
                                  "--port-cells-per-s",
                                  "3=1000",
                                  "--link-cells-per-s",
                                  "2000",
                                  "--table",
                                  "5",
                                  "--priority",
                                  "100",
                                  "--groups",
                                  "1-9",
                                  "--meters",
                                  "3-3",
                                  "--branches-max",
                                  "50"});
  EXPECT_THAT(made.table.layout.edges, ElementsAre(PortId(1)));
  EXPECT_THAT(made.table.layout.classes,
              ElementsAre(Pair(7, openflow::Ipv4Prefix{0x0a010000, 16}),
                          Pair(8, openflow::Ipv4Prefix{0x0a020304, 32})));
  EXPECT_EQ(to_string(made.fabric.port_labels.at(PortId(1))),
            "mpls 16-16, mpls 4097-8190, mpls 8199-8200");
  EXPECT_EQ(to_string(made.fabric.port_labels.at(PortId(2))), "mpls 1000-1999");
  EXPECT_EQ(made.fabric.port_cells_per_s.at(PortId(3)), 1000U);
  EXPECT_EQ(made.fabric.link_cells_per_s, 2000U);
  EXPECT_EQ(made.table.layout.table, 5);
  EXPECT_EQ(made.table.bridge.table, 5) << "the contents that are read";
  EXPECT_EQ(made.table.layout.priority, 100);
  EXPECT_EQ(made.table.groups.last, 9U);
  EXPECT_EQ(made.table.meters.first, 3U);
  EXPECT_EQ(made.fabric.branches_max, 50U);
}

TEST_F(OvsCommand, TheBridgesPathIsNoLongerThanASocketsMayBe) {
  const std::string longest(107, 'p');
  EXPECT_EQ(parse_bridge_address("unix:" + longest)->path, longest);
  EXPECT_THAT(parse_bridge_address("unix:" + longest + "p").error().text,
              HasSubstr("the path has 108 octets, a socket's at most 107"));
}

TEST_F(OvsCommand, ALinkMayHaveAtmLabels) {
  const SwitchParts made = parts({"--port-labels", "2=0-15/32-1023"});
  EXPECT_THAT(made.table.layout.atm, ElementsAre(PortId(2)));
  EXPECT_EQ(to_string(made.fabric.port_labels.at(PortId(2))), "0-15/32-1023");
}

TEST_F(OvsCommand, TheCookieIsOfTheName) {
  const std::uint64_t one = parts({"--name", "ams1"}).table.layout.cookie;
  const std::uint64_t other = parts({"--name", "ams2"}).table.layout.cookie;
  EXPECT_EQ(one >> 48, 0x5842U);
  EXPECT_EQ(one & ~kCookieMask, 0U);
  EXPECT_NE(one, other);
  EXPECT_EQ(parts({"--name", "ams1"}).table.layout.cookie, one);
}

TEST_F(OvsCommand, RefusesEdgePorts) {
  EXPECT_EQ(refusal({"--edge-ports", "5"}), "--edge-ports: '5' is no port of 1 to 4");
  EXPECT_EQ(refusal({"--edge-ports", "x"}), "--edge-ports: 'x' is no port of 1 to 4");
  EXPECT_EQ(refusal({"--edge-ports", "1,2,1"}), "--edge-ports: 1 comes twice");
}

TEST_F(OvsCommand, RefusesLabels) {
  EXPECT_THAT(refusal({"--port-labels", "2=mpls:5-9"}), HasSubstr("--port-labels: "));
  EXPECT_EQ(refusal({"--port-labels", "2=0-16/32-99"}),
            "--port-labels: port 2 has a VPI of 16; above 15 none fits into an MPLS label");
  EXPECT_THAT(refusal({"--edge-ports", "2", "--port-labels", "2=mpls:16-99"}),
              HasSubstr("--port-labels: port 2 is an edge port"));
  EXPECT_EQ(refusal({"--port-cells-per-s", "5=1000"}),
            "--port-cells-per-s: '5=1000' names a port beyond --ports 4");
  EXPECT_EQ(refusal({"--port-cells-per-s", "5"}), "--port-cells-per-s: '5' is not PORT=RATE");
}

TEST_F(OvsCommand, RefusesClasses) {
  const auto form = [](const std::string& text) {
    return "--classes: '" + text + "' is not NUMBER=PREFIX, as in 7=10.1.0.0/16";
  };
  for (const char* text : {"7", "=10.1.0.0/16", "x=10.1.0.0/16", "4096=10.1.0.0/16", "7=10.1.0.0",
                           "7=10.1.0.0/33", "7=0.0.0.0/0", "7=fe80::/64", "-1=10.1.0.0/16"}) {
    EXPECT_EQ(refusal({"--classes", text}), form(text));
  }
  EXPECT_EQ(refusal({"--classes", "7=10.1.2.0/16"}),
            "--classes: '7=10.1.2.0/16' has bits beyond its prefix");
  EXPECT_EQ(refusal({"--classes", "7=10.1.0.0/16,7=10.2.0.0/16"}), "--classes: 7 comes twice");
  EXPECT_EQ(refusal({"--classes", "7=10.1.0.0/16,8=10.1.0.0/16"}),
            "--classes: 7 and 8 take the same packets");
  EXPECT_EQ(refusal({"--classes", "0=10.0.0.0/8,4095=11.0.0.0/8"}), "") << "the outermost numbers";
}

TEST_F(OvsCommand, RefusesClassesOfMoreRangesThanAPortHas) {
  std::string classes;
  for (int number = 0; number < 15; ++number)
    classes += fmt::format("{}{}=10.{}.0.0/16", number == 0 ? "" : ",", 2 * number, number);
  EXPECT_EQ(refusal({"--classes", classes.c_str()}),
            "--classes: their numbers form more than 14 ranges; give neighbouring numbers");
}

TEST_F(OvsCommand, RefusesRanges) {
  EXPECT_EQ(refusal({"--groups", "9-1"}),
            "--groups: '9-1' is not FIRST-LAST within 1 to 4294967040");
  EXPECT_EQ(refusal({"--groups", "0-1"}),
            "--groups: '0-1' is not FIRST-LAST within 1 to 4294967040");
  EXPECT_EQ(refusal({"--meters", "5"}), "--meters: '5' is not FIRST-LAST within 1 to 4294901760");
}

TEST_F(OvsCommand, RefusesNames) {
  EXPECT_EQ(refusal({"--name", ""}), "--name is empty");
  EXPECT_EQ(refusal({"--name", "a b"}), "--name 'a b' has a blank in it");
  EXPECT_THAT(refusal({"--listen", "nowhere"}), HasSubstr("--listen: "));
}

TEST(BridgeAddress, IsUnixOrTcp) {
  EXPECT_EQ(parse_bridge_address("unix:/a/b")->path, "/a/b");
  const auto tcp = parse_bridge_address("tcp:192.0.2.1:6653");
  ASSERT_TRUE(tcp);
  EXPECT_EQ(tcp->host, "192.0.2.1");
  EXPECT_EQ(tcp->port, 6653);
  EXPECT_EQ(to_string(*tcp), "tcp:192.0.2.1:6653");
  for (const char* text : {"", "unix:", "tcp:", "tcp:host", "tcp:host:6653", "tcp:1.2.3.4:0",
                           "ssl:1.2.3.4:6653", "/run/br0.mgmt"}) {
    const auto wrong = parse_bridge_address(text);
    ASSERT_FALSE(wrong) << text;
    EXPECT_EQ(wrong.error().code, ErrorCode::kBadInput);
  }
  EXPECT_FALSE(parse_bridge_address("unix:/" + std::string(200, 'x'))) << "longer than a socket's";
}

}  // namespace
}  // namespace xbind::ovs
