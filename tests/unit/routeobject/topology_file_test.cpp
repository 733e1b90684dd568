#include "routeobject/topology/topology_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "routeobject/network/topology_text.hpp"
#include "tests/unit/source_dir.hpp"

namespace xbind {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal(const std::string& text) {
  const Result<Topology> topology = parse_topology(text, "t.toml");
  if (topology) return "it is a topology";
  EXPECT_EQ(topology.error().code, ErrorCode::kBadInput);
  return topology.error().text;
}

// Three switches in lines 1 to 10; the tests append theirs from line 11 on.
const std::string kSwitches =
    "name = \"t\"\n"
    "[[switch]]\n"
    "name = \"host-a\"\n"
    "endpoint = true\n"
    "[[switch]]\n"
    "name = \"sw\"\n"
    "[[switch]]\n"
    "name = \"host-b\"\n"
    "endpoint = true\n"
    "# from here on: the test\n";
std::string after_switches(const std::string& lines) { return refusal(kSwitches + lines); }

TEST(TopologyFileTest, TheShippedFilesAreRight) {
  struct Shipped {
    const char* name;
    std::size_t switches, links, demands;
  };
  for (const Shipped& file : {Shipped{"paper", 3, 2, 1},
                              {"ring6", 6, 6, 0},
                              {"mesh8", 8, 28, 0},
                              {"twotier12", 12, 22, 0},
                              {"coasts10", 10, 12, 35},
                              {"ovs-ring4", 4, 4, 0},
                              {"ovs-mixed", 4, 3, 0}}) {
    const auto topology = read_topology_file(
        test::source_path(std::string("deploy/topologies/") + file.name + ".toml"));
    ASSERT_TRUE(topology.has_value()) << topology.error().text;
    EXPECT_EQ(topology->name(), file.name);
    EXPECT_EQ(topology->switches().size(), file.switches) << file.name;
    EXPECT_EQ(topology->links().size(), file.links) << file.name;
    EXPECT_EQ(topology->demands().size(), file.demands) << file.name;
  }
}

TEST(TopologyFileTest, PortControllers) {
  const std::string begin = "name = \"t\"\n[[switch]]\nname = \"a\"\n";
  const auto topology = parse_topology(
      begin + "port-controller = \"cell-us:5\"\n[[switch]]\nname = \"b\"\n", "t.toml");
  ASSERT_TRUE(topology.has_value()) << topology.error().text;
  EXPECT_EQ(topology->switches()[0].port_controller, "cell-us:5");
  EXPECT_EQ(topology->switches()[1].port_controller, "");
  EXPECT_EQ(parse_topology(topology_as_toml(*topology), "t.toml"), *topology);
  EXPECT_THAT(describe_as_json(*topology), HasSubstr("\"port_controller\": \"cell-us:5\""));

  EXPECT_THAT(
      refusal(begin + "port-controller = \"fpc9\"\n"),
      StartsWith(
          "t.toml line 4: the port controllers of a: there is no 'fpc9'; there are fpc2-arm3"));
  EXPECT_EQ(refusal(begin + "port-controller = 3\n"),
            "t.toml line 4: 'port-controller' of a is no string");
  EXPECT_EQ(refusal(begin + "port-controller = \"fpc3\"\nkind = \"ovs\"\n"),
            "t.toml line 4: a is of kind ovs, its ports have no controllers");
}

TEST(TopologyFileTest, EveryKeyIsRead) {
  const auto topology = parse_topology(kSwitches +
                                           "[[link]]\n"
                                           "between = [\"host-a:2\", \"sw:7\"]\n"
                                           "cells-per-s = 353207\n"
                                           "[[link]]\n"
                                           "between = [\n  \"sw:1\",\n  \"host-b:3\" ]\n"
                                           "cells-per-s = 4294967295\n"
                                           "delay-us = 250\n"
                                           "[[demand]]\nfrom = \"host-a\"\nto = \"host-b\"\n"
                                           "[[demand]]\nfrom = \"host-b\"\nto = \"host-a\"\n"
                                           "weight = 3\n",
                                       "t.toml");
  ASSERT_TRUE(topology.has_value()) << topology.error().text;
  Topology expected("t");
  const SwitchIndex a = expected.add_switch("host-a", true).value();
  const SwitchIndex sw = expected.add_switch("sw", false).value();
  const SwitchIndex b = expected.add_switch("host-b", true).value();
  ASSERT_TRUE(expected.add_link({a, PortId{2}}, {sw, PortId{7}}, 353207).has_value());
  ASSERT_TRUE(expected.add_link({sw, PortId{1}}, {b, PortId{3}}, 4294967295).has_value());
  ASSERT_TRUE(expected.set_link_delay(1, 250).has_value());
  ASSERT_TRUE(expected.add_demand(a, b, 1.0).has_value());
  ASSERT_TRUE(expected.add_demand(b, a, 3.0).has_value());
  EXPECT_EQ(*topology, expected);
}

TEST(TopologyFileTest, PortsLeftOutAreTheLowestThatNoLinkNames) {
  const auto topology = parse_topology(
      kSwitches +
          "[[link]]\nbetween = [\"host-a\", \"sw\"]\ncells-per-s = 1\n"      // host-a:2 sw:2
          "[[link]]\nbetween = [\"host-a\", \"sw:1\"]\ncells-per-s = 2\n"    // host-a:4
          "[[link]]\nbetween = [\"host-a:3\", \"sw:4\"]\ncells-per-s = 3\n"  //
          "[[link]]\nbetween = [\"sw\", \"host-b\"]\ncells-per-s = 4\n"      // sw:3 host-b:2
          "[[link]]\nbetween = [\"sw\", \"host-b\"]\ncells-per-s = 5\n",     // sw:5 host-b:3
      "t.toml");
  ASSERT_TRUE(topology.has_value()) << topology.error().text;
  std::vector<std::string> links;
  for (const TopologyLink& link : topology->links()) {
    links.push_back(topology->end_text(link.a) + " " + topology->end_text(link.b));
  }
  EXPECT_THAT(links, ::testing::ElementsAre("host-a:2 sw:2", "host-a:4 sw:1", "host-a:3 sw:4",
                                            "sw:3 host-b:2", "sw:5 host-b:3"));
}

TEST(TopologyFileTest, UnreachableSwitchesAndTablesInAnyOrderAreLegal) {
  EXPECT_EQ(refusal("name = \"t\"\n[[switch]]\nname = \"alone\"\n"), "it is a topology");
  EXPECT_EQ(refusal("[[link]]\nbetween = [\"a\", \"b\"]\ncells-per-s = 1\n"
                    "[[switch]]\nname = \"a\"\n[[switch]]\nname = \"b\"\n"),
            "t.toml: the topology has no name");
  EXPECT_EQ(refusal("name = \"t\"\n[[link]]\nbetween = [\"a\", \"b\"]\ncells-per-s = 1\n"
                    "[[switch]]\nname = \"a\"\n[[switch]]\nname = \"b\"\n"),
            "it is a topology");
}

TEST(TopologyFileTest, EmptyFilesAndOtherFormatsAreRefused) {
  EXPECT_EQ(refusal(""), "t.toml: the file is empty");
  EXPECT_EQ(refusal("# nothing\n\n"), "t.toml: the file is empty");
  EXPECT_THAT(refusal("{\"switch\": []}"), StartsWith("t.toml line 1: not TOML: "));
  EXPECT_THAT(refusal("[[\n"), StartsWith("t.toml line 1: not TOML: "));
  EXPECT_THAT(refusal("<topology/>"), StartsWith("t.toml line 1: not TOML: "));
  EXPECT_THAT(refusal("---\nswitches:\n  - a\n"), StartsWith("t.toml line 1: not TOML: "));
  EXPECT_THAT(refusal("name = \"t\"\n\x1f\x8b\n"), StartsWith("t.toml line 2: not TOML: "));
  EXPECT_THAT(refusal("name = \"t\"\n\nname = \"u\"\n"), StartsWith("t.toml line 3: not TOML: "));
  EXPECT_EQ(refusal("[package]\nname = \"x\"\n"),
            "t.toml line 1: a topology has no 'package'; known are name, switch, link, demand");
}

TEST(TopologyFileTest, FilesThatCannotBeReadAreRefused) {
  const auto missing = read_topology_file("/nowhere/t.toml");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::kSystem);
  EXPECT_THAT(missing.error().text, HasSubstr("cannot read /nowhere/t.toml: No such file"));

  const std::string path = ::testing::TempDir() + "topology_file_test.toml";
  std::ofstream(path) << std::string(kTopologyOctetsMax + 1, '\n');
  const auto big = read_topology_file(path);
  std::remove(path.c_str());
  ASSERT_FALSE(big.has_value());
  EXPECT_EQ(big.error().text, path + " is longer than 16777216 octets");
  EXPECT_EQ(refusal(std::string(kTopologyOctetsMax, '\n')), "t.toml: the file is empty");
  EXPECT_EQ(refusal(std::string(kTopologyOctetsMax + 1, '\n')),
            "t.toml is longer than 16777216 octets");
}

TEST(TopologyFileTest, UnknownKeysAreRefusedWithTheirLine) {
  EXPECT_EQ(refusal("name = \"t\"\n[[swich]]\nname = \"a\"\n"),
            "t.toml line 2: a topology has no 'swich'; did you mean switch?");
  EXPECT_EQ(after_switches("[[switch]]\nname = \"c\"\nports = 4\n"),
            "t.toml line 13: a switch has no 'ports'; known are name, endpoint, kind, media, "
            "port-controller");
  EXPECT_EQ(after_switches("[[link]]\nbetween = [\"host-a\", \"sw\"]\ncells_per_s = 4\n"),
            "t.toml line 13: a link has no 'cells_per_s'; did you mean cells-per-s?");
  EXPECT_EQ(after_switches("[[demand]]\nfrom = \"host-a\"\nto = \"host-b\"\nwieght = 1\n"),
            "t.toml line 14: a demand has no 'wieght'; did you mean weight?");
  // Of several errors the first in the file is named.
  EXPECT_THAT(after_switches("[[switch]]\nzone = 1\narea = 2\n"), StartsWith("t.toml line 12: "));
}

TEST(TopologyFileTest, WhatIsNoTableIsRefused) {
  EXPECT_EQ(refusal("name = \"t\"\nswitch = 3\n"),
            "t.toml line 2: switch is no table; write [[switch]]");
  EXPECT_EQ(refusal("name = \"t\"\n[switch]\nname = \"a\"\n"),
            "t.toml line 2: switch is no table; write [[switch]]");
  EXPECT_EQ(refusal("name = \"t\"\nswitch = [\n  { name = \"a\" },\n  \"b\"]\n"),
            "t.toml line 4: switch holds something that is no table; write [[switch]]");
  EXPECT_EQ(after_switches("[link]\n"), "t.toml line 11: link is no table; write [[link]]");
  EXPECT_EQ(after_switches("[demand]\n"), "t.toml line 11: demand is no table; write [[demand]]");
}

TEST(TopologyFileTest, NamesAreRefusedWithTheirLine) {
  EXPECT_EQ(refusal("[[switch]]\nname = \"a\"\n"), "t.toml: the topology has no name");
  EXPECT_EQ(refusal("name = 4\n[[switch]]\nname = \"a\"\n"),
            "t.toml line 1: 'name' of a topology is not a string");
  EXPECT_THAT(refusal("\nname = \"Paper\"\n[[switch]]\nname = \"a\"\n"),
              StartsWith("t.toml line 2: name 'Paper' does not begin with a lower-case letter"));
  EXPECT_EQ(refusal("name = \"t\"\n"), "t.toml: there is no [[switch]]");
  EXPECT_EQ(refusal("name = \"t\"\nswitch = []\n"), "t.toml: there is no [[switch]]");
  EXPECT_EQ(after_switches("[[switch]]\nendpoint = true\n"),
            "t.toml line 11: a switch needs 'name'");
  EXPECT_EQ(after_switches("[[switch]]\nname = true\n"),
            "t.toml line 12: 'name' of a switch is not a string");
  EXPECT_THAT(after_switches("[[switch]]\nname = \"a_b\"\n"),
              StartsWith("t.toml line 12: name 'a_b' has a '_'"));
  EXPECT_EQ(after_switches("[[switch]]\n\nname = \"sw\"\n"),
            "t.toml line 13: switch 'sw' is already there");
  EXPECT_EQ(after_switches("[[switch]]\nname = \"c\"\nendpoint = 1\n"),
            "t.toml line 13: 'endpoint' of c is neither true nor false");
}

// A file with a link whose second line is `between`, with a rate.
std::string with_between(const std::string& between) {
  return after_switches("[[link]]\nbetween = " + between + "\ncells-per-s = 9\n");
}

TEST(TopologyFileTest, EndsOfLinksAreRefusedWithTheirLine) {
  EXPECT_EQ(with_between("[\"host-a\", \"sw9\"]"), "t.toml line 12: there is no switch 'sw9'");
  EXPECT_EQ(with_between("[\n\"host-a:2\",\n\"sw9:2\"]"),
            "t.toml line 14: there is no switch 'sw9'");
  for (const char* end :
       {"sw:0", "sw:4097", "sw:", "sw:x", "sw:1:2", "sw:-1", "sw: 1", "sw:99999999999"}) {
    EXPECT_EQ(
        with_between(std::string("[\"host-a\", \"") + end + "\"]"),
        std::string("t.toml line 12: '") + end + "' has no port of 1 to 4096 after its colon");
  }
  EXPECT_EQ(with_between("[\"host-a\", 3]"), "t.toml line 12: an end of 'between' is not a string");
  for (const char* between :
       {"[]", "[\"sw\"]", "[\"sw\", \"host-a\", \"host-b\"]", "\"sw\"", "2"}) {
    EXPECT_THAT(with_between(between), StartsWith("t.toml line 12: 'between' is not two ends"));
  }
  EXPECT_EQ(after_switches("[[link]]\ncells-per-s = 9\n"),
            "t.toml line 11: a link needs 'between'");
}

TEST(TopologyFileTest, WrongLinksAreRefusedWithTheirLine) {
  EXPECT_EQ(with_between("[\"sw:1\", \"sw:2\"]"),
            "t.toml line 11: the link sw:1 to sw:2 joins a switch with itself");
  EXPECT_EQ(with_between("[\"sw\", \"sw\"]"),
            "t.toml line 11: the link sw:1 to sw:2 joins a switch with itself");
  EXPECT_EQ(with_between("[\"host-a:1\", \"sw\"]"),
            "t.toml line 11: port 1 of host-a is its endpoint's, links begin at port 2");
  EXPECT_EQ(with_between("[\"host-a:2\", \"sw:1\"]\ncells-per-s = 4\n[[link]]\nbetween = "
                         "[\"host-b:2\", \"sw:1\"]"),
            "t.toml line 14: port 1 of sw already has the link host-a:2 to sw:1");
}

TEST(TopologyFileTest, AStarOfMoreLinksThanPortsIsRefused) {
  std::string text = kSwitches;
  for (std::uint32_t i = 0; i < kPortsMax + 1; ++i) {
    text += fmt::format(
        "[[switch]]\nname = \"leaf-{0}\"\n"
        "[[link]]\nbetween = [\"sw\", \"leaf-{0}\"]\ncells-per-s = 1\n",
        i);
  }
  // Each leaf has five lines; the link of the last one is the third of them.
  EXPECT_EQ(refusal(text), fmt::format("t.toml line {}: port 4097 of sw is not in 1 to 4096",
                                       11 + 5 * kPortsMax + 2));
}

TEST(TopologyFileTest, RatesAreRefusedWithTheirLine) {
  const std::string link = "[[link]]\nbetween = [\"host-a\", \"sw\"]\n";
  EXPECT_EQ(after_switches(link), "t.toml line 11: a link needs 'cells-per-s'");
  EXPECT_EQ(after_switches(link + "cells-per-s = 0\n"),
            "t.toml line 11: 0 cells/s of the link host-a:2 to sw:1 is not in 1 to 4294967295");
  EXPECT_EQ(after_switches(link + "cells-per-s = 4294967296\n"),
            "t.toml line 11: 4294967296 cells/s of the link host-a:2 to sw:1 is not in 1 to "
            "4294967295");
  for (const char* rate : {"-1", "1.5", "\"353207\"", "true", "[1]"}) {
    EXPECT_EQ(after_switches(link + "cells-per-s = " + rate + "\n"),
              "t.toml line 13: 'cells-per-s' of a link is not a whole number of 1 to 4294967295");
  }
  EXPECT_THAT(after_switches(link + "cells-per-s = 99999999999999999999\n"),
              StartsWith("t.toml line 13: not TOML: "));
}

TEST(TopologyFileTest, ADelayIsAWholeNumberWithinItsBound) {
  const std::string link = "[[link]]\nbetween = [\"host-a\", \"sw\"]\ncells-per-s = 1\ndelay-us = ";
  EXPECT_EQ(after_switches(link + "10000000\n"), "it is a topology");
  for (const char* delay : {"-1", "10000001", "1.5", "\"1\""}) {
    EXPECT_EQ(after_switches(link + delay + "\n"),
              "t.toml line 14: 'delay-us' of a link is not a whole number of 0 to 10000000");
  }
}

TEST(TopologyFileTest, HowCellsTravelIsReadOrLeftToTheLab) {
  const auto topology = parse_topology(
      kSwitches +
          "[[switch]]\nname = \"host-c\"\nendpoint = true\n"
          "media = { cells = \"plain\", addresses = [\"127.0.0.1:7001\", \"[::1]:7002\"] }\n"
          "[[link]]\nbetween = [\"host-a\", \"sw\"]\ncells-per-s = 1\n"
          "[[link]]\nbetween = [\"host-b\", \"sw\"]\ncells-per-s = 1\ncells = \"mpls\"\n"
          "addresses = [\"127.0.0.1:6635\", \"127.0.0.2:6635\"]\nlabel = 16\n"
          "[[link]]\nbetween = [\"host-c\", \"sw\"]\ncells-per-s = 1\ncells = \"ring\"\n"
          "[[link]]\nbetween = [\"host-c\", \"sw\"]\ncells-per-s = 1\ncells = \"none\"\n",
      "t.toml");
  ASSERT_TRUE(topology.has_value()) << topology.error().text;
  using Addresses = std::array<std::string, 2>;
  EXPECT_EQ(topology->switches()[0].media, MediaLine{});
  EXPECT_EQ(topology->switches()[3].media,
            (MediaLine{.cells = CellsForm::kPlain,
                       .addresses = Addresses{"127.0.0.1:7001", "[::1]:7002"}}));
  EXPECT_EQ(topology->links()[0].media, MediaLine{});
  EXPECT_EQ(topology->links()[1].media,
            (MediaLine{.addresses = Addresses{"127.0.0.1:6635", "127.0.0.2:6635"}, .label = 16}));
  EXPECT_EQ(topology->links()[2].media.cells, CellsForm::kRing);
  EXPECT_EQ(topology->links()[3].media.cells, CellsForm::kNone);
}

TEST(TopologyFileTest, AnMplsLineHasItsOwnWaysOfCells) {
  const auto topology =
      parse_topology(kSwitches +
                         "[[switch]]\nname = \"host-c\"\nendpoint = true\n"
                         "media = { labels = \"mpls\" }\n"
                         "[[link]]\nbetween = [\"host-a\", \"sw\"]\ncells-per-s = 1\n"
                         "labels = \"mpls\"\naddresses = [\"127.0.0.1:1\", \"127.0.0.2:1\"]\n"
                         "[[link]]\nbetween = [\"host-b\", \"sw\"]\ncells-per-s = 1\n"
                         "labels = \"mpls\"\ncells = \"ring\"\n"
                         "[[link]]\nbetween = [\"host-c\", \"sw\"]\ncells-per-s = 1\n"
                         "labels = \"atm\"\n",
                     "t.toml");
  ASSERT_TRUE(topology.has_value()) << topology.error().text;
  const MediaLine lsp{.cells = CellsForm::kLsp, .labels = LabelKind::kMpls};
  EXPECT_EQ(topology->switches()[3].media, lsp);
  EXPECT_EQ(topology->links()[0].media.cells, CellsForm::kLsp);
  EXPECT_TRUE(topology->links()[0].media.addresses.has_value());
  EXPECT_EQ(topology->links()[1].media,
            (MediaLine{.cells = CellsForm::kRing, .labels = LabelKind::kMpls}));
  EXPECT_EQ(topology->links()[2].media, MediaLine{});
}

TEST(TopologyFileTest, AHostsLineMayCarryFrames) {
  const MediaLine frames{.cells = CellsForm::kFrames, .labels = LabelKind::kMpls};
  for (const char* media : {"cells = \"frames\"", "labels = \"mpls\", cells = \"frames\""}) {
    const auto topology = parse_topology(
        kSwitches + "[[switch]]\nname = \"host-c\"\nendpoint = true\nmedia = { " + media + " }\n",
        "t.toml");
    ASSERT_TRUE(topology.has_value()) << topology.error().text;
    EXPECT_EQ(topology->switches()[3].media, frames);
    const auto again = parse_topology(topology_as_toml(*topology), "again.toml");
    ASSERT_TRUE(again.has_value()) << again.error().text;
    EXPECT_EQ(again->switches()[3].media, frames);
  }
}

TEST(TopologyFileTest, FramesAreRefusedElsewhere) {
  const std::string host = "[[switch]]\nname = \"host-c\"\nendpoint = true\nmedia = ";
  EXPECT_THAT(after_switches(host + "{ labels = \"atm\", cells = \"frames\" }\n"),
              EndsWith("cells = \"frames\" has MPLS labels, which say which frames: labels = "
                       "\"mpls\""));
  EXPECT_THAT(after_switches(host + "{ cells = \"frames\", label = 16 }\n"),
              EndsWith("cells = \"frames\" has no label"));
  EXPECT_THAT(after_switches(host + "{ cells = \"frames\", addresses = [\"127.0.0.1:1\", "
                                    "\"127.0.0.1:2\"] }\n"),
              EndsWith("cells = \"frames\" has no addresses"));
  EXPECT_THAT(after_switches("[[link]]\nbetween = [\"host-a\", \"sw\"]\ncells-per-s = 1\n"
                             "cells = \"frames\"\n"),
              EndsWith("cells = \"frames\" is for the line to a host: between switches cells "
                       "travel"));
}

// host-a, sw and an Open vSwitch "host-c", whose table ends with line 15.
std::string after_ovs(const std::string& lines) {
  return after_switches("[[switch]]\nname = \"host-c\"\nendpoint = true\nkind = \"ovs\"\n" + lines);
}

TEST(TopologyFileTest, EveryLineOfAnOpenVSwitchHasMplsLabelsAndNoCells) {
  const auto topology =
      parse_topology(kSwitches +
                         "[[switch]]\nname = \"host-c\"\nendpoint = true\nkind = \"ovs\"\n"
                         "[[switch]]\nname = \"said\"\nkind = \"emulated\"\n"
                         "[[link]]\nbetween = [\"sw\", \"host-c\"]\ncells-per-s = 1\n"
                         "[[link]]\nbetween = [\"host-c\", \"said\"]\ncells-per-s = 1\n"
                         "labels = \"mpls\"\ncells = \"none\"\n"
                         "[[link]]\nbetween = [\"host-a\", \"sw\"]\ncells-per-s = 1\n",
                     "t.toml");
  ASSERT_TRUE(topology.has_value()) << topology.error().text;
  EXPECT_EQ(topology->switches()[0].kind, SwitchKind::kEmulated);
  EXPECT_EQ(topology->switches()[3].kind, SwitchKind::kOvs);
  EXPECT_EQ(topology->switches()[4].kind, SwitchKind::kEmulated);
  const MediaLine frames{.cells = CellsForm::kNone, .labels = LabelKind::kMpls};
  EXPECT_EQ(topology->switches()[3].media, frames);
  EXPECT_EQ(topology->links()[0].media, frames);
  EXPECT_EQ(topology->links()[1].media, frames);
  EXPECT_EQ(topology->links()[2].media, MediaLine{});
}

TEST(TopologyFileTest, OtherLinesOfAnOpenVSwitchAreRefusedByName) {
  const std::string link = "[[link]]\nbetween = [\"sw\", \"host-c\"]\ncells-per-s = 1\n";
  EXPECT_EQ(
      after_ovs(link + "labels = \"atm\"\n"),
      "t.toml line 15: the link sw:1 to host-c:2: labels = \"atm\": lines of a switch of kind "
      "\"ovs\" have labels = \"mpls\"");
  for (const char* cells : {"lsp", "ring"}) {
    EXPECT_EQ(after_ovs(link + "cells = \"" + cells + "\"\n"),
              fmt::format("t.toml line 15: the link sw:1 to host-c:2: cells = \"{}\": lines of a "
                          "switch of kind \"ovs\" carry frames and have cells = \"none\"",
                          cells));
  }
  EXPECT_EQ(after_ovs("media = { cells = \"lsp\" }\n"),
            "t.toml line 15: the media of host-c: cells = \"lsp\": lines of a switch of kind "
            "\"ovs\" carry frames and have cells = \"none\"");
  for (const char* kind : {"\"OVS\"", "\"linux\"", "true", "1"}) {
    EXPECT_EQ(after_switches(std::string("[[switch]]\nname = \"c\"\nkind = ") + kind + "\n"),
              "t.toml line 13: 'kind' of c is neither \"emulated\" nor \"ovs\"");
  }
}

TEST(TopologyFileTest, CellsThatCannotCarryTheLabelsAreRefused) {
  const std::string link = "[[link]]\nbetween = [\"host-a\", \"sw\"]\ncells-per-s = 1\n";
  for (const char* cells : {"mpls", "plain"}) {
    EXPECT_EQ(after_switches(link + "labels = \"mpls\"\ncells = \"" + cells + "\"\n"),
              fmt::format("t.toml line 11: the link host-a:2 to sw:1: cells = \"{}\" carries ATM "
                          "labels: a line with labels = \"mpls\" has \"lsp\", \"ring\" or \"none\"",
                          cells));
  }
  EXPECT_EQ(
      after_switches(link + "cells = \"lsp\"\n"),
      "t.toml line 11: the link host-a:2 to sw:1: cells = \"lsp\" carries MPLS labels: the line "
      "needs labels = \"mpls\"");
  EXPECT_EQ(after_switches(link + "labels = \"mpls\"\nlabel = 16\n"),
            "t.toml line 11: the link host-a:2 to sw:1: cells = \"lsp\" has no label");
  for (const char* labels : {"\"fr\"", "1", "\"MPLS\""}) {
    EXPECT_EQ(after_switches(link + "labels = " + labels + "\n"),
              "t.toml line 14: 'labels' of a link is neither \"atm\" nor \"mpls\"");
  }
}

TEST(TopologyFileTest, WrongWaysOfCellsAreRefusedWithTheirLine) {
  const std::string link = "[[link]]\nbetween = [\"host-a\", \"sw\"]\ncells-per-s = 1\n";
  for (const char* cells : {"\"udp\"", "\"\"", "3", "true"}) {
    EXPECT_EQ(after_switches(link + "cells = " + cells + "\n"),
              "t.toml line 14: 'cells' of a link is none of \"mpls\", \"plain\", \"ring\", "
              "\"none\", \"lsp\", \"frames\"");
  }
  for (const char* addresses : {"\"127.0.0.1:1\"", "[\"127.0.0.1:1\"]", "[1, 2]"}) {
    EXPECT_THAT(after_switches(link + "addresses = " + addresses + "\n"),
                StartsWith("t.toml line 14: 'addresses' of a link is not two strings: "));
  }
  for (const char* address : {"127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "localhost:1", "::1:1",
                              "[127.0.0.1]:1", ":1", "127.0.0.1:1x", ""}) {
    EXPECT_EQ(after_switches(link + "addresses = [\"127.0.0.1:1\", \"" + address + "\"]\n"),
              fmt::format("t.toml line 11: the link host-a:2 to sw:1: '{}' is not ADDRESS:PORT in "
                          "numbers with a port of 1 to 65535",
                          address));
  }
  EXPECT_EQ(after_switches(link + "addresses = [\"127.0.0.1:1\", \"127.0.0.1:1\"]\n"),
            "t.toml line 11: the link host-a:2 to sw:1: both ends have the address 127.0.0.1:1");
  EXPECT_EQ(after_switches(link + "cells = \"ring\"\n"
                                  "addresses = [\"127.0.0.1:1\", \"127.0.0.1:2\"]\n"),
            "t.toml line 11: the link host-a:2 to sw:1: cells = \"ring\" has no addresses");
  EXPECT_EQ(after_switches(link + "cells = \"plain\"\nlabel = 16\n"),
            "t.toml line 11: the link host-a:2 to sw:1: cells = \"plain\" has no label");
  for (const char* label : {"15", "1048576", "-1", "\"16\"", "1.5"}) {
    EXPECT_EQ(after_switches(link + "label = " + label + "\n"),
              "t.toml line 14: 'label' of a link is not a whole number of 16 to 1048575");
  }
}

TEST(TopologyFileTest, WrongMediaOfASwitchAreRefusedWithTheirLine) {
  const std::string host = "[[switch]]\nname = \"host-c\"\nendpoint = true\nmedia = ";
  EXPECT_EQ(after_switches(host + "\"plain\"\n"),
            "t.toml line 14: 'media' of host-c is no table: { cells = \"plain\" }");
  EXPECT_EQ(after_switches(host + "{ cell = \"plain\" }\n"),
            "t.toml line 14: media has no 'cell'; did you mean cells?");
  EXPECT_EQ(after_switches(host + "{ label = 3 }\n"),
            "t.toml line 14: 'label' of media is not a whole number of 16 to 1048575");
  EXPECT_EQ(after_switches(host + "{ cells = \"none\", label = 16 }\n"),
            "t.toml line 14: the media of host-c: cells = \"none\" has no label");
  EXPECT_EQ(after_switches("[[switch]]\nname = \"sw-2\"\nmedia = { cells = \"plain\" }\n"),
            "t.toml line 13: sw-2 is no endpoint, it has no line to a host");
}

TEST(TopologyFileTest, WrongDemandsAreRefusedWithTheirLine) {
  EXPECT_EQ(after_switches("[[demand]]\nto = \"host-b\"\n"),
            "t.toml line 11: a demand needs 'from'");
  EXPECT_EQ(after_switches("[[demand]]\nfrom = \"host-b\"\n"),
            "t.toml line 11: a demand needs 'to'");
  EXPECT_EQ(after_switches("[[demand]]\nfrom = \"host-a\"\nto = 2\n"),
            "t.toml line 13: 'to' of a demand is not a string");
  EXPECT_EQ(after_switches("[[demand]]\nfrom = \"host-a\"\nto = \"host-c\"\n"),
            "t.toml line 13: there is no switch 'host-c'");
  EXPECT_EQ(after_switches("[[demand]]\nfrom = \"host-a\"\nto = \"sw\"\n"),
            "t.toml line 11: sw is no endpoint, calls neither start nor end there");
  EXPECT_EQ(after_switches("[[demand]]\nfrom = \"host-a\"\nto = \"host-a\"\n"),
            "t.toml line 11: the demand from host-a to itself joins nothing");
  const std::string demand = "[[demand]]\nfrom = \"host-a\"\nto = \"host-b\"\nweight = ";
  EXPECT_EQ(after_switches(demand + "\"2\"\n"),
            "t.toml line 14: 'weight' of a demand is not a number");
  for (const char* weight : {"0", "-0.5", "nan", "inf"}) {
    EXPECT_THAT(after_switches(demand + weight + "\n"), HasSubstr("is not above zero")) << weight;
    EXPECT_THAT(after_switches(demand + weight + "\n"), StartsWith("t.toml line 11: weight "))
        << weight;
  }
}

}  // namespace
}  // namespace xbind
