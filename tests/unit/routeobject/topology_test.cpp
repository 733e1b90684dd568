#include "routeobject/topology/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

LinkEnd end(SwitchIndex at, std::uint32_t port) { return {at, PortId{port}}; }

// host-a:2 -- 1:sw:2 -- 2:host-b
class ThreeSwitches : public ::testing::Test {
 protected:
  ThreeSwitches() : topology("three") {
    a = topology.add_switch("host-a", true).value();
    sw = topology.add_switch("sw", false).value();
    b = topology.add_switch("host-b", true).value();
    EXPECT_EQ(topology.add_link(end(a, 2), end(sw, 1), 1000).value(), 0u);
    EXPECT_EQ(topology.add_link(end(sw, 2), end(b, 2), 500).value(), 1u);
  }
  std::string link_refusal(LinkEnd one, LinkEnd other, std::uint64_t rate = 10) {
    const Topology before = topology;
    const auto added = topology.add_link(one, other, rate);
    EXPECT_EQ(topology, before);
    return added ? "added" : added.error().text;
  }
  std::string demand_refusal(SwitchIndex from, SwitchIndex to, double weight) {
    const Topology before = topology;
    const auto added = topology.add_demand(from, to, weight);
    EXPECT_EQ(topology, before);
    return added ? "added" : added.error().text;
  }

  Topology topology;
  SwitchIndex a, sw, b;
};

TEST_F(ThreeSwitches, KnowsItsSwitchesPortsAndRates) {
  EXPECT_EQ(topology.find("host-b"), b);
  EXPECT_EQ(topology.find("host-c"), std::nullopt);
  EXPECT_EQ(topology.find("Host-b"), std::nullopt);
  EXPECT_EQ(topology.switches()[a].ports, 2u);
  EXPECT_EQ(topology.switches()[sw].ports, 2u);
  EXPECT_THAT(topology.port_cells_per_s(a), ElementsAre(1000, 1000));
  EXPECT_THAT(topology.port_cells_per_s(sw), ElementsAre(1000, 500));
  EXPECT_FALSE(topology.port_is_free(end(a, 1)));  // it leads to the endpoint's host
  EXPECT_FALSE(topology.port_is_free(end(a, 2)));
  EXPECT_TRUE(topology.port_is_free(end(a, 3)));
  EXPECT_FALSE(topology.port_is_free(end(a, kPortsMax + 1)));
  EXPECT_EQ(topology.end_text(end(sw, 2)), "sw:2");
  EXPECT_EQ(topology.link_at(end(sw, 2)), 1u);
  EXPECT_EQ(topology.link_at(end(b, 2)), 1u);
  EXPECT_EQ(topology.link_at(end(a, 1)), std::nullopt);  // it leads to the endpoint's host
  EXPECT_EQ(topology.link_at(end(sw, 3)), std::nullopt);
}

TEST_F(ThreeSwitches, AnEndpointsPortCarriesAllItsLinksAndAHoleNothing) {
  ASSERT_TRUE(topology.add_link(end(a, 5), end(sw, 3), 300).has_value());
  EXPECT_EQ(topology.switches()[a].ports, 5u);
  EXPECT_THAT(topology.port_cells_per_s(a), ElementsAre(1300, 1000, 0, 0, 300));
  ASSERT_TRUE(topology.add_link(end(a, 3), end(b, 3), kLinkCellsPerSMax).has_value());
  EXPECT_EQ(topology.port_cells_per_s(a)[0], kLinkCellsPerSMax);
}

TEST_F(ThreeSwitches, ParallelLinksAndASwitchWithoutLinksAreLegal) {
  EXPECT_TRUE(topology.add_link(end(a, 3), end(sw, 3), 1000).has_value());
  const SwitchIndex alone = topology.add_switch("alone", false).value();
  EXPECT_EQ(topology.switches()[alone].ports, 1u);
  EXPECT_THAT(topology.port_cells_per_s(alone), ElementsAre(0));
}

TEST_F(ThreeSwitches, WrongLinksAreRefused) {
  EXPECT_EQ(link_refusal(end(a, 2), end(b, 3)),
            "port 2 of host-a already has the link host-a:2 to sw:1");
  EXPECT_EQ(link_refusal(end(sw, 3), end(sw, 3)),
            "the link sw:3 to sw:3 joins a switch with itself");
  EXPECT_EQ(link_refusal(end(sw, 3), end(sw, 4)),
            "the link sw:3 to sw:4 joins a switch with itself");
  EXPECT_EQ(link_refusal(end(a, 1), end(sw, 3)),
            "port 1 of host-a is its endpoint's, links begin at port 2");
  EXPECT_EQ(link_refusal(end(sw, 0), end(b, 3)), "port 0 of sw is not in 1 to 4096");
  EXPECT_EQ(link_refusal(end(sw, 4097), end(b, 3)), "port 4097 of sw is not in 1 to 4096");
  EXPECT_EQ(link_refusal(end(7, 1), end(b, 3)), "switch number 7 is not there, 3 are");
  EXPECT_EQ(link_refusal(end(sw, 3), end(b, 3), 0),
            "0 cells/s of the link sw:3 to host-b:3 is not in 1 to 4294967295");
  EXPECT_EQ(link_refusal(end(sw, 3), end(b, 3), kLinkCellsPerSMax + 1),
            "4294967296 cells/s of the link sw:3 to host-b:3 is not in 1 to 4294967295");
}

TEST_F(ThreeSwitches, WrongDemandsAreRefused) {
  EXPECT_TRUE(topology.add_demand(a, b, 0.5).has_value());
  EXPECT_TRUE(topology.add_demand(a, b, 2).has_value());  // is added to the first
  EXPECT_EQ(demand_refusal(a, sw, 1), "sw is no endpoint, calls neither start nor end there");
  EXPECT_EQ(demand_refusal(a, a, 1), "the demand from host-a to itself joins nothing");
  EXPECT_EQ(demand_refusal(a, b, 0), "weight 0 from host-a to host-b is not above zero");
  EXPECT_EQ(demand_refusal(a, b, -1), "weight -1 from host-a to host-b is not above zero");
  EXPECT_THAT(demand_refusal(a, b, std::numeric_limits<double>::infinity()),
              HasSubstr("weight inf"));
  EXPECT_THAT(demand_refusal(a, b, std::numeric_limits<double>::quiet_NaN()), HasSubstr("nan"));
  EXPECT_EQ(demand_refusal(a, 9, 1), "switch number 9 is not there, 3 are");
}

TEST_F(ThreeSwitches, WrongNamesAreRefused) {
  for (const std::string& name : {std::string(64, 'a'), std::string("Host"), std::string("-a"),
                                  std::string(".a"), std::string("a_b"), std::string("a b"),
                                  std::string("a:1"), std::string("host-A"), std::string()}) {
    EXPECT_FALSE(topology.add_switch(name, false).has_value()) << name;
    EXPECT_TRUE(name_fault(name).has_value()) << name;
  }
  EXPECT_EQ(name_fault("host-A"),
            "name 'host-A' has a 'A': only a-z, 0-9, '.' and '-' are allowed");
  EXPECT_EQ(topology.add_switch("sw", true).error().text, "switch 'sw' is already there");
  EXPECT_EQ(topology.switches().size(), 3u);
  EXPECT_TRUE(topology.add_switch(std::string(63, 'a'), false).has_value());
  EXPECT_TRUE(topology.add_switch("7.pop-1.example", false).has_value());
}

TEST(TopologyTest, SwitchesAreBounded) {
  Topology topology("big");
  for (std::size_t i = 0; i < kSwitchesMax; ++i) {
    ASSERT_TRUE(topology.add_switch(fmt::format("s{}", i), false).has_value());
  }
  const auto added = topology.add_switch("last", false);
  ASSERT_FALSE(added.has_value());
  EXPECT_EQ(added.error().code, ErrorCode::kExhausted);
  EXPECT_EQ(added.error().text, "switch 'last' is one more than 16384");
}

TEST_F(ThreeSwitches, MediaOfWhatIsNotThereIsRefused) {
  EXPECT_EQ(topology.set_host_media(9, {}).error().text, "switch number 9 is not there, 3 are");
  EXPECT_EQ(topology.set_link_media(2, {}).error().text, "link number 2 is not there, 2 are");
}

TEST_F(ThreeSwitches, ALinkHasADelayWithinItsBound) {
  EXPECT_EQ(topology.links()[1].delay_us, 0u);
  ASSERT_TRUE(topology.set_link_delay(1, kLinkDelayUsMax).has_value());
  EXPECT_EQ(topology.links()[1].delay_us, kLinkDelayUsMax);
  EXPECT_EQ(topology.links()[0].delay_us, 0u);
  const auto described = nlohmann::json::parse(describe_as_json(topology));
  EXPECT_EQ(described["links"][1]["delay_us"], kLinkDelayUsMax);
  EXPECT_FALSE(described["links"][0].contains("delay_us"));
  EXPECT_EQ(topology.set_link_delay(2, 1).error(),
            (Error{ErrorCode::kNotFound, "link number 2 is not there, 2 are"}));
  EXPECT_EQ(topology.set_link_delay(1, kLinkDelayUsMax + 1).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(topology.links()[1].delay_us, kLinkDelayUsMax);
}

TEST_F(ThreeSwitches, IsDescribedAsJson) {
  ASSERT_TRUE(topology.add_demand(a, b, 1.5).has_value());
  ASSERT_TRUE(topology.set_host_media(a, {.label = 900001}).has_value());
  const std::array<std::string, 2> addresses{"127.0.0.1:1", "127.0.0.2:1"};
  ASSERT_TRUE(
      topology.set_link_media(1, {.cells = CellsForm::kPlain, .addresses = addresses}).has_value());
  const std::string text = describe_as_json(topology);
  EXPECT_EQ(text.back(), '\n');
  const auto expected = nlohmann::json::parse(R"({
    "name": "three",
    "switches": [
      {"name": "host-a", "endpoint": true, "ports": 2, "port_cells_per_s": [1000, 1000],
       "media": {"cells": "mpls", "label": 900001}},
      {"name": "sw", "endpoint": false, "ports": 2, "port_cells_per_s": [1000, 500]},
      {"name": "host-b", "endpoint": true, "ports": 2, "port_cells_per_s": [500, 500],
       "media": {"cells": "mpls"}}],
    "links": [
      {"a": {"switch": "host-a", "port": 2}, "b": {"switch": "sw", "port": 1}, "cells_per_s": 1000,
       "media": {"cells": "mpls"}},
      {"a": {"switch": "sw", "port": 2}, "b": {"switch": "host-b", "port": 2}, "cells_per_s": 500,
       "media": {"cells": "plain", "addresses": ["127.0.0.1:1", "127.0.0.2:1"]}}],
    "demands": [{"from": "host-a", "to": "host-b", "weight": 1.5}]})");
  EXPECT_EQ(nlohmann::json::parse(text), expected) << text;
}

TEST_F(ThreeSwitches, AnMplsLineIsDescribedWithItsKind) {
  const MediaLine lsp{.cells = CellsForm::kLsp, .labels = LabelKind::kMpls};
  ASSERT_TRUE(topology.set_link_media(1, lsp).has_value());
  const auto described = nlohmann::json::parse(describe_as_json(topology));
  EXPECT_EQ(described["links"][1]["media"],
            nlohmann::json::parse(R"({"labels": "mpls", "cells": "lsp"})"));
  EXPECT_EQ(described["links"][0]["media"], nlohmann::json::parse(R"({"cells": "mpls"})"));
}

TEST(TopologyTest, AnOpenVSwitchIsDescribedWithItsKind) {
  Topology topology("real");
  const auto bridge = topology.add_switch("bridge", true, SwitchKind::kOvs).value();
  const auto emulated = topology.add_switch("emulated", false).value();
  ASSERT_TRUE(topology.add_link({bridge, PortId{2}}, {emulated, PortId{1}}, 7).has_value());
  const auto described = nlohmann::json::parse(describe_as_json(topology));
  EXPECT_EQ(described["switches"][0]["kind"], "ovs");
  EXPECT_FALSE(described["switches"][1].contains("kind"));
  const auto frames = nlohmann::json::parse(R"({"labels": "mpls", "cells": "none"})");
  EXPECT_EQ(described["switches"][0]["media"], frames);
  EXPECT_EQ(described["links"][0]["media"], frames);
}

TEST(TopologyTest, WhatIsNotThereIsDescribedAsEmptyLists) {
  const auto described = nlohmann::json::parse(describe_as_json(Topology("none")));
  EXPECT_EQ(described, nlohmann::json::parse(
                           R"({"name": "none", "switches": [], "links": [], "demands": []})"));
}

}  // namespace
}  // namespace xbind
