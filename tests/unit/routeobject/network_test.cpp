// Changes of the network without a process: topologies as text, differences, edits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_network.hpp"
#include "routeobject/network/difference.hpp"
#include "routeobject/network/edit.hpp"
#include "routeobject/network/topology_text.hpp"
#include "routeobject/topology/topology_file.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kTriangle = R"(name = "triangle"
[[switch]]
name = "a"
endpoint = true
[[switch]]
name = "x"
[[switch]]
name = "b"
endpoint = true
media = { cells = "plain" }
[[link]]
between = ["a:2", "x:1"]
cells-per-s = 1000
[[link]]
between = ["x:2", "b:2"]
cells-per-s = 500
delay-us = 20
[[link]]
between = ["b:3", "a:3"]
cells-per-s = 200
[[demand]]
from = "a"
to = "b"
weight = 2.5
)";

Topology read(std::string_view text) {
  auto topology = parse_topology(text, "f");
  EXPECT_TRUE(topology.has_value()) << topology.error().text;
  return topology.value_or(Topology{});
}

const PortsOf kPortsUnknown = [](const std::string&) { return std::vector<PortId>{}; };

Topology triangle() { return read(kTriangle); }

// The triangle's text with its first `from` replaced.
std::string with(std::string_view from, std::string_view to) {
  std::string text{kTriangle};
  text.replace(text.find(from), from.size(), to);
  return text;
}

EditedNetwork apply(const Topology& network, const NetworkEdit& edit) {
  auto made = edited(network, edit, {}, kPortsUnknown);
  EXPECT_TRUE(made.has_value()) << made.error().text;
  return made.has_value() ? *std::move(made) : EditedNetwork{};
}

std::string refusal(const Topology& network, const NetworkEdit& edit) {
  const auto made = edited(network, edit, {}, kPortsUnknown);
  return made ? "" : made.error().text;
}

std::string refusal(const Topology& before, const Topology& after) {
  const auto made = difference(before, after);
  return made ? "" : made.error().text;
}

// "removed a:2-x:1", "changed x", in the order of the difference.
std::vector<std::string> words(const TopologyDifference& difference) {
  const auto word = [](ElementChange change) {
    return change == ElementChange::kAdded     ? "added"
           : change == ElementChange::kRemoved ? "removed"
                                               : "changed";
  };
  std::vector<std::string> all;
  for (const SwitchDifference& at : difference.switches) {
    all.push_back(fmt::format("{} {}", word(at.change), at.name));
  }
  for (const LinkDifference& link : difference.links) {
    all.push_back(fmt::format("{} {}:{}-{}:{}", word(link.change), link.first_end.switch_name,
                              link.first_end.output_port, link.second_end.switch_name,
                              link.second_end.output_port));
  }
  return all;
}

std::vector<std::string> changes(const Topology& before, const Topology& after) {
  return words(difference(before, after).value());
}

TEST(TopologyText, ReadsBackAsTheSameNetwork) {
  EXPECT_EQ(read(topology_as_toml(triangle())), triangle());
  const Topology lines = read(R"(name = "lines"
[[switch]]
name = "a"
endpoint = true
media = { labels = "mpls" }
[[switch]]
name = "o"
kind = "ovs"
endpoint = true
[[link]]
between = ["a", "o"]
cells-per-s = 7
rate-is-set = true
[[switch]]
name = "b"
[[link]]
between = ["a", "b"]
cells-per-s = 8
cells = "mpls"
addresses = ["127.0.0.1:6635", "127.0.0.2:6635"]
label = 1001
[[link]]
between = ["a", "b"]
cells-per-s = 9
labels = "mpls"
cells = "ring"
)");
  EXPECT_EQ(read(topology_as_toml(lines)), lines);
}

TEST(TopologyText, ReadsBackRandomNetworks) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    const RouteGraph graph = random_graph(random, 6, 9);
    EXPECT_EQ(read(topology_as_toml(graph.topology())), graph.topology());
  }
}

TEST(Difference, OfEqualNetworksIsEmpty) {
  EXPECT_TRUE(difference(triangle(), triangle())->empty());
}

TEST(Difference, NamesWhatGoesChangesAndComes) {
  const Topology after = read(R"(name = "triangle"
[[switch]]
name = "a"
endpoint = true
[[switch]]
name = "b"
media = { cells = "plain" }
endpoint = true
[[switch]]
name = "y"
endpoint = true
[[link]]
between = ["y:2", "b:2"]
cells-per-s = 5
[[link]]
between = ["a:3", "b:3"]
cells-per-s = 300
)");
  EXPECT_THAT(changes(triangle(), after),
              ElementsAre("removed x", "added y", "removed a:2-x:1", "removed x:2-b:2",
                          "changed b:3-a:3", "added y:2-b:2"));
  const TopologyDifference all = difference(triangle(), after).value();
  EXPECT_TRUE(all.demands);
  EXPECT_EQ(all.links[2].cells_per_s_before, 200u);
  EXPECT_EQ(all.links[2].cells_per_s_after, 300u);
}

TEST(Difference, OfALinkIsItsRateOrItsDelay) {
  const TopologyDifference slower =
      difference(triangle(), read(with("delay-us = 20", "delay-us = 21"))).value();
  ASSERT_THAT(words(slower), ElementsAre("changed x:2-b:2"));
  EXPECT_EQ(slower.links[0].delay_us_before, 20u);
  EXPECT_EQ(slower.links[0].delay_us_after, 21u);
  EXPECT_EQ(slower.links[0].cells_per_s_after, 500u);
  const TopologyDifference narrower =
      difference(triangle(), read(with("cells-per-s = 500", "cells-per-s = 499"))).value();
  ASSERT_THAT(words(narrower), ElementsAre("changed x:2-b:2"));
  EXPECT_EQ(narrower.links[0].cells_per_s_after, 499u);
  EXPECT_EQ(narrower.links[0].delay_us_after, 20u);
}

// A file may list a link the other way round, with its addresses turned as well.
TEST(Difference, ALinkIsTheSameInEitherOrderOfItsEnds) {
  const auto line = [](std::string_view ends, std::string_view addresses) {
    return read(fmt::format(R"(name = "line"
[[switch]]
name = "a"
[[switch]]
name = "b"
[[link]]
between = [{}]
cells-per-s = 8
cells = "mpls"
addresses = [{}]
label = 1001
)",
                            ends, addresses));
  };
  const char* const kThere = R"("127.0.0.1:6635", "127.0.0.2:6635")";
  const char* const kBack = R"("127.0.0.2:6635", "127.0.0.1:6635")";
  const char* const kForth = R"("a:1", "b:1")";
  const char* const kTurned = R"("b:1", "a:1")";
  EXPECT_TRUE(difference(line(kForth, kThere), line(kTurned, kBack)).value().empty());
  EXPECT_TRUE(difference(line(kTurned, kBack), line(kForth, kThere)).value().empty());
  for (const auto& [ends, addresses] : {std::pair(kForth, kBack), std::pair(kTurned, kThere)}) {
    EXPECT_THAT(refusal(line(kForth, kThere), line(ends, addresses)),
                HasSubstr("the link a:1 to b:1 has cells mpls, 127.0.0.1:6635 127.0.0.2:6635"));
  }
}

TEST(Difference, AnEndpointThatComesOrGoesIsAChangedSwitch) {
  Topology other = triangle();
  ASSERT_TRUE(other.add_switch("y", false).has_value());
  std::string text = topology_as_toml(other);
  const std::string y = "name = \"y\"\n";
  text.insert(text.find(y) + y.size(), "endpoint = true\n");
  EXPECT_THAT(changes(other, read(text)), ElementsAre("changed y"));
  EXPECT_TRUE(difference(other, read(text))->switches[0].endpoint_after);
}

TEST(Difference, RefusesWhatCannotChangeWhileCellsPass) {
  EXPECT_EQ(refusal(triangle(), read(with("cells = \"plain\"", "cells = \"none\""))),
            "the line of b to its host has cells plain, they cannot become none");
  EXPECT_EQ(refusal(triangle(), read(with("delay-us = 20", "cells = \"ring\""))),
            "the link x:2 to b:2 has cells mpls, they cannot become ring");
  EXPECT_EQ(refusal(triangle(), read(with("name = \"x\"", "name = \"x\"\nkind = \"ovs\""))),
            "x is of kind emulated, it cannot become one of kind ovs");
  EXPECT_EQ(
      refusal(triangle(), read(with("name = \"x\"", "name = \"x\"\nport-controller = \"fpc3\""))),
      "the port controllers of x are '', they cannot become 'fpc3' while it runs");
}

TEST(Difference, RefusesMoreThanItsBound) {
  Topology many("many");
  for (std::size_t i = 0; i < kNetworkChangesMax; ++i) {
    ASSERT_TRUE(many.add_switch(fmt::format("n{}", i), false).has_value());
  }
  Topology one("one");
  ASSERT_TRUE(one.add_switch("n0", false).has_value());
  ASSERT_TRUE(many.add_link({0, PortId{1}}, {1, PortId{1}}, 5).has_value());
  EXPECT_EQ(changes(one, many).size(), kNetworkChangesMax) << "switches and links";
  EXPECT_EQ(changes(many, one).size(), kNetworkChangesMax);
  ASSERT_TRUE(many.add_switch("last", false).has_value());
  const char* const kWhy = "2001 switches and links differ, at most 2000 can be changed at a time";
  EXPECT_EQ(refusal(one, many), kWhy);
  EXPECT_EQ(refusal(many, one), kWhy);
}

TEST(Edit, AFileReplacesTheNetworkAndSetsTheRatesThatItChanges) {
  const EditedNetwork made =
      apply(triangle(), edit::Load{with("cells-per-s = 200", "cells-per-s = 250"), "f"});
  EXPECT_THAT(changes(triangle(), made.topology), ElementsAre("changed b:3-a:3"));
  EXPECT_THAT(made.topology.rates_set("a"), ElementsAre(PortRate{PortId{3}, 250}));
  EXPECT_THAT(made.topology.rates_set("x"), IsEmpty());
  // The next file leaves the rate as it is: the operator has set it all the same.
  const EditedNetwork next =
      apply(made.topology, edit::Load{with("cells-per-s = 200", "cells-per-s = 250"), "f"});
  EXPECT_EQ(next.topology, made.topology);
}

TEST(Edit, AFileIsRefusedWithItsLineAndValue) {
  EXPECT_THAT(refusal(triangle(), edit::Load{with("= 500", "= 0"), "new.toml"}),
              HasSubstr("new.toml line 14: 0 cells/s of the link x:2 to b:2 is not in 1 to"));
  EXPECT_EQ(refusal(triangle(), edit::Load{"", ""}), "network: the file is empty");
  const std::string large(kNetworkTextOctetsMax + 1, '#');
  EXPECT_EQ(refusal(triangle(), edit::Load{large, "f"}), "f: 4194305 octets, the most is 4194304");
  std::string largest{kTriangle};
  largest.resize(kNetworkTextOctetsMax, '\n');
  EXPECT_EQ(apply(triangle(), edit::Load{largest, "f"}).topology, triangle());
}

TEST(Edit, ASwitchGoesWithItsLinksAndDemands) {
  const Topology made = apply(triangle(), edit::RemoveSwitch{"a"}).topology;
  EXPECT_THAT(changes(triangle(), made),
              ElementsAre("removed a", "removed a:2-x:1", "removed b:3-a:3"));
  EXPECT_THAT(made.demands(), IsEmpty());
  EXPECT_EQ(made.links().front().delay_us, 20u);
  EXPECT_EQ(made.switches()[1].media.cells, CellsForm::kPlain);
  EXPECT_EQ(refusal(made, edit::RemoveSwitch{"a"}), "there is no switch 'a'");
}

TEST(Edit, TheLastSwitchStays) {
  Topology one("one");
  ASSERT_TRUE(one.add_switch("n", false).has_value());
  EXPECT_EQ(refusal(one, edit::RemoveSwitch{"n"}),
            "'n' is the only switch, a network has at least one");
}

TEST(Edit, ANewLinkTakesFreePortsAndItsRateIsSet) {
  Topology made = apply(triangle(), edit::AddSwitch{"y", true}).topology;
  made = apply(made, edit::AddLink{{"y", PortId{}}, {"a", PortId{}}, 70, 9}).topology;
  EXPECT_THAT(changes(triangle(), made), ElementsAre("added y", "added y:2-a:4"));
  EXPECT_EQ(made.links().back().delay_us, 9u);
  EXPECT_THAT(made.rates_set("y"), ElementsAre(PortRate{PortId{2}, 70}));
  EXPECT_EQ(refusal(made, edit::AddSwitch{"y", false}), "switch 'y' is already there");
  EXPECT_EQ(refusal(made, edit::AddLink{{"y", PortId{2}}, {"b", PortId{9}}, 1, 0}),
            "port 2 of y already has the link y:2 to a:4");
  EXPECT_EQ(refusal(made, edit::AddLink{{"y", PortId{3}}, {"q", PortId{9}}, 1, 0}),
            "there is no switch 'q'");
  EXPECT_THAT(refusal(made, edit::AddLink{{"y", PortId{3}}, {"b", PortId{9}}, 0, 0}),
              HasSubstr("0 cells/s of the link y:3 to b:9 is not in 1 to"));
  EXPECT_EQ(refusal(made, edit::AddLink{{"y", PortId{3}}, {"b", PortId{9}}, 1, 10'000'001}),
            "delay of 10000001 us on the new link is not in 0 to 10000000");
}

TEST(Edit, ALinkIsNamedByEitherEnd) {
  for (const PathElement& end : {PathElement{"x", PortId{2}}, PathElement{"b", PortId{2}}}) {
    EXPECT_THAT(changes(triangle(), apply(triangle(), edit::RemoveLink{end}).topology),
                ElementsAre("removed x:2-b:2"));
    const Topology slower = apply(triangle(), edit::SetRate{end, 90}).topology;
    EXPECT_THAT(changes(triangle(), slower), ElementsAre("changed x:2-b:2"));
    EXPECT_THAT(slower.rates_set("b"), ElementsAre(PortRate{PortId{2}, 90}));
  }
  EXPECT_EQ(refusal(triangle(), edit::RemoveLink{{"x", PortId{7}}}), "no link is at port 7 of 'x'");
}

TEST(Edit, RatesAndDelaysAreTakenUpToTheirBounds) {
  const auto set = [](std::uint64_t rate) { return edit::SetRate{{"x", PortId{2}}, rate}; };
  EXPECT_EQ(refusal(triangle(), set(0)), "0 cells/s at port 2 of 'x' is not in 1 to 4294967295");
  EXPECT_EQ(refusal(triangle(), set(kLinkCellsPerSMax + 1)),
            "4294967296 cells/s at port 2 of 'x' is not in 1 to 4294967295");
  for (const std::uint64_t rate : {std::uint64_t{1}, kLinkCellsPerSMax}) {
    EXPECT_THAT(apply(triangle(), set(rate)).topology.rates_set("x"),
                ElementsAre(PortRate{PortId{2}, rate}));
  }
  const auto add = [](std::uint64_t rate, std::uint64_t delay) {
    return edit::AddLink{{"x", PortId{9}}, {"b", PortId{9}}, rate, delay};
  };
  EXPECT_THAT(refusal(triangle(), add(kLinkCellsPerSMax + 1, 0)),
              HasSubstr("4294967296 cells/s of the link x:9 to b:9 is not in 1 to 4294967295"));
  const Topology made = apply(triangle(), add(kLinkCellsPerSMax, kLinkDelayUsMax)).topology;
  EXPECT_EQ(made.links().back().cells_per_s, kLinkCellsPerSMax);
  EXPECT_EQ(made.links().back().delay_us, kLinkDelayUsMax);
}

// A switch that starts again is told every rate that an operator has set.
TEST(Edit, ARateThatIsSetStaysSetWhateverElseChanges) {
  const Topology one = apply(triangle(), edit::SetRate{{"x", PortId{2}}, 90}).topology;
  const Topology two = apply(one, edit::SetRate{{"a", PortId{3}}, 80}).topology;
  EXPECT_THAT(two.rates_set("x"), ElementsAre(PortRate{PortId{2}, 90}));
  EXPECT_THAT(two.rates_set("b"),
              ::testing::UnorderedElementsAre(PortRate{PortId{2}, 90}, PortRate{PortId{3}, 80}));
  EXPECT_THAT(two.rates_set("a"), ElementsAre(PortRate{PortId{3}, 80}));
  const NetworkEdit others[] = {edit::AddSwitch{"y", true}, edit::RemoveLink{{"a", PortId{2}}},
                                edit::RemoveSwitch{"a"},
                                edit::AddLink{{"x", PortId{9}}, {"a", PortId{9}}, 7, 0}};
  for (const NetworkEdit& other : others) {
    SCOPED_TRACE(other.index());
    EXPECT_THAT(apply(one, other).topology.rates_set("b"), ElementsAre(PortRate{PortId{2}, 90}));
  }
  EXPECT_THAT(apply(one, edit::RemoveLink{{"a", PortId{2}}}).topology.rates_set("a"), IsEmpty());
}

// An edit of one link copies the others whole.
TEST(Edit, OtherLinksKeepRateDelayAndCells) {
  const Topology lines = read(R"(name = "lines"
[[switch]]
name = "a"
port-controller = "fpc3"
[[switch]]
name = "b"
[[link]]
between = ["a:1", "b:1"]
cells-per-s = 8
delay-us = 5
cells = "mpls"
addresses = ["127.0.0.1:6635", "127.0.0.2:6635"]
label = 1001
[[link]]
between = ["a:2", "b:2"]
cells-per-s = 9
)");
  const Topology changed = apply(lines, edit::SetRate{{"a", PortId{2}}, 10}).topology;
  EXPECT_EQ(changed.links()[0], lines.links()[0]);
  EXPECT_THAT(changes(lines, changed), ElementsAre("changed a:2-b:2"));
  const Topology removed = apply(lines, edit::RemoveLink{{"b", PortId{2}}}).topology;
  ASSERT_EQ(removed.links().size(), 1u);
  EXPECT_EQ(removed.links()[0], lines.links()[0]);
  // Of the changed one, everything but the rate stays.
  EXPECT_EQ(changed.switches()[0].port_controller, "fpc3");
  const Topology same = apply(lines, edit::SetRate{{"b", PortId{1}}, 10}).topology;
  EXPECT_EQ(same.links()[0].delay_us, 5u);
  EXPECT_EQ(same.links()[0].media, lines.links()[0].media);
}

}  // namespace
}  // namespace xbind
