// The path that RouteService returns for a plain query: names, ties, avoided elements, refusals.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <queue>
#include <random>

#include "routeobject/route_service.hpp"

namespace xbind {
namespace {

// Builds a topology: "host" names are endpoints, ports are assigned in order.
class Drawn {
 public:
  SwitchIndex node(const std::string& name, bool endpoint = false) {
    next_port_.push_back(endpoint ? 2 : 1);
    return topology.add_switch(name, endpoint).value();
  }
  void link(SwitchIndex a, SwitchIndex b, std::uint64_t rate) {
    ASSERT_TRUE(topology.add_link({a, PortId{next_port_[a]++}}, {b, PortId{next_port_[b]++}}, rate)
                    .has_value());
  }
  Topology topology{"drawn"};

 private:
  std::vector<std::uint32_t> next_port_;
};

// Sends one query at a time.
class Routes {
 public:
  explicit Routes(const Topology& topology) : service_(topology, kRouteValidityMsDefault) {}

  tl::expected<Path, RouteRefusal> find(const std::string& from, const std::string& to,
                                        std::uint64_t cells_per_s,
                                        const std::vector<PathElement>& avoid = {}) const {
    PathQuery query{.from = from, .to = to, .cells_per_s = cells_per_s};
    query.avoid = avoid;
    const RouteAnswer answer = service_.answer(std::vector{query}).value().answers.at(0);
    if (!answer) return tl::make_unexpected(answer.error());
    return answer->path;
  }

 private:
  RouteService service_;
};

// "a>2 1>sw>2 2>b": each switch with its ports.
std::string words(const tl::expected<Path, RouteRefusal>& path) {
  if (!path) return path.error().text;
  std::string text;
  for (const PathHop& hop : path->hops) {
    text += fmt::format("{}{}>{}>{}", text.empty() ? "" : " ", hop.input_port, hop.switch_name,
                        hop.output_port);
  }
  return text;
}

//        1000       1000
//   a ---------x--------- b      c (no link)
//    \                   /
//     \500 y ---- z 500 /        700 between y and z
class TwoWays : public ::testing::Test {
 protected:
  TwoWays() {
    const auto a = net.node("a", true), b = net.node("b", true), x = net.node("x"),
               y = net.node("y"), z = net.node("z");
    net.node("c", true);
    net.link(a, x, 1000);
    net.link(x, b, 400);
    net.link(a, y, 500);
    net.link(y, z, 700);
    net.link(z, b, 600);
  }
  Drawn net;
};

TEST_F(TwoWays, TheFewestLinksThatAreWideEnoughAreTaken) {
  const Routes search(net.topology);
  const auto narrow = search.find("a", "b", 400);
  EXPECT_EQ(words(narrow), "1>a>2 1>x>2 2>b>1");
  EXPECT_EQ(narrow->free_cells_per_s, 400u);
  const auto wide = search.find("a", "b", 401);
  EXPECT_EQ(words(wide), "1>a>3 1>y>2 1>z>2 3>b>1");
  EXPECT_EQ(wide->free_cells_per_s, 500u);
  EXPECT_EQ(words(search.find("b", "a", 0)), "1>b>2 2>x>1 2>a>1");
}

TEST_F(TwoWays, TooMuchIsRefusedWithTheWidestPath) {
  const auto refused = Routes(net.topology).find("a", "b", 501);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(),
            (RouteRefusal{Cause::kNoBandwidth,
                          "asked 501 cells/s from 'a' to 'b', the widest path has 500", 501, 500,
                          "a -> b"}));
}

TEST_F(TwoWays, WhatCannotBeRoutedIsRefused) {
  const Routes search(net.topology);
  EXPECT_EQ(search.find("a", "c", 7).error(),
            (RouteRefusal{Cause::kNoRoute, "no path joins 'a' and 'c'", 0, 0, "a -> c"}));
  EXPECT_EQ(search.find("a", "q", 7).error(),
            (RouteRefusal{Cause::kUnknownEndpoint, "there is no endpoint 'q'", 0, 0, "q"}));
  EXPECT_EQ(search.find("q", "r", 7).error().text, "there is no endpoint 'q'");
  EXPECT_EQ(search.find("x", "b", 7).error(),
            (RouteRefusal{Cause::kUnknownEndpoint, "'x' is a switch but no endpoint", 0, 0, "x"}));
  EXPECT_EQ(search.find("b", "b", 7).error(),
            (RouteRefusal{Cause::kInvalidRequest, "source and destination are both 'b'", 0, 0,
                          "b -> b"}));
  EXPECT_EQ(Routes(Topology("empty")).find("a", "b", 0).error().cause, Cause::kUnknownEndpoint);
}

PathElement port(const char* name, std::uint32_t number) { return {name, PortId{number}}; }
PathElement whole(const char* name) { return {name, PortId{}}; }

TEST_F(TwoWays, AnAvoidedLinkIsGoneRoundAtEitherEndAndInBothDirections) {
  const Routes search(net.topology);
  const std::string round = "1>a>3 1>y>2 1>z>2 3>b>1";
  for (const PathElement& element : {port("a", 2), port("x", 1), port("x", 2), port("b", 2)}) {
    const std::vector<PathElement> avoid{element};
    EXPECT_EQ(words(search.find("a", "b", 0, avoid)), round) << element.switch_name;
  }
  EXPECT_EQ(words(search.find("b", "a", 0, std::vector{port("a", 2)})), "1>b>3 2>z>1 2>y>1 3>a>1");
}

TEST_F(TwoWays, AnAvoidedSwitchIsGoneRound) {
  EXPECT_EQ(words(Routes(net.topology).find("a", "b", 0, std::vector{whole("x")})),
            "1>a>3 1>y>2 1>z>2 3>b>1");
}

TEST_F(TwoWays, WhatNobodyKnowsExcludesNothing) {
  const std::vector<PathElement> avoid{whole("q"), port("q", 1), port("x", 3), port("a", 4096),
                                       port("x", 0x1'0001)};
  EXPECT_EQ(words(Routes(net.topology).find("a", "b", 0, avoid)), "1>a>2 1>x>2 2>b>1");
}

TEST_F(TwoWays, TheWidestPathLeftIsNamed) {
  const auto refused =
      Routes(net.topology).find("a", "b", 450, std::vector{port("y", 2), whole("q")});
  EXPECT_EQ(refused.error().cause, Cause::kNoBandwidth);
  EXPECT_EQ(refused.error().free, 400u);  // 500 by the path that is avoided
}

TEST_F(TwoWays, WhereEverythingIsAvoidedNoRouteIsLeft) {
  const auto refused =
      Routes(net.topology).find("a", "b", 7, std::vector{port("z", 2), whole("q"), whole("x")});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(),
            (RouteRefusal{Cause::kNoRoute, "no path joins 'a' and 'b' that avoids z port 2, x", 0,
                          0, "a -> b"}));
}

TEST_F(TwoWays, AnAvoidedEndOrItsAccessPortLeavesNoRoute) {
  const Routes search(net.topology);
  for (const PathElement& element : {whole("a"), port("a", 1), whole("b"), port("b", 1)}) {
    const auto refused = search.find("a", "b", 0, std::vector{element});
    ASSERT_FALSE(refused.has_value()) << element.switch_name << element.output_port.value();
    EXPECT_EQ(refused.error().cause, Cause::kNoRoute);
  }
  // Another endpoint's access port is on no path; the unknown end is still reported first.
  EXPECT_TRUE(search.find("a", "b", 0, std::vector{port("c", 1)}).has_value());
  EXPECT_EQ(search.find("q", "b", 0, std::vector{whole("b")}).error().cause,
            Cause::kUnknownEndpoint);
}

TEST(RouteQueryTest, ACallGoesRoundAnotherEndpointThatIsAvoided) {
  Drawn net;
  const auto a = net.node("a", true), b = net.node("b", true), c = net.node("c", true);
  net.link(a, b, 10);
  net.link(b, c, 10);
  const Routes search(net.topology);
  EXPECT_FALSE(search.find("a", "c", 10, std::vector{whole("b")}).has_value());
  EXPECT_TRUE(search.find("a", "c", 10, std::vector{port("b", 1)}).has_value());
}

TEST(RouteQueryTest, OfEqualWaysTheFirstInLinkOrderIsTaken) {
  Drawn net;
  const auto a = net.node("a", true), b = net.node("b", true), x = net.node("x"), y = net.node("y");
  net.link(y, b, 100);
  net.link(a, y, 100);  // a>2: the first link at a leads to y
  net.link(a, x, 100);
  net.link(x, b, 100);
  net.link(a, y, 100);  // parallel to the second
  EXPECT_EQ(words(Routes(net.topology).find("a", "b", 100)), "1>a>2 2>y>1 2>b>1");
  // From b the first link leads to y too, and the first of the parallel links is chosen.
  EXPECT_EQ(words(Routes(net.topology).find("b", "a", 100)), "1>b>2 1>y>2 2>a>1");
  // Without the first link at a, the order of the others decides: x precedes the parallel link.
  EXPECT_EQ(words(Routes(net.topology).find("a", "b", 100, std::vector{port("a", 2)})),
            "1>a>3 1>x>2 3>b>1");
}

TEST(RouteQueryTest, AParallelLinkIsTakenWhenOnlyItIsWideEnough) {
  Drawn net;
  const auto a = net.node("a", true), b = net.node("b", true);
  net.link(a, b, 100);
  net.link(a, b, 200);
  EXPECT_EQ(words(Routes(net.topology).find("a", "b", 100)), "1>a>2 2>b>1");
  EXPECT_EQ(words(Routes(net.topology).find("a", "b", 200)), "1>a>3 3>b>1");
  EXPECT_EQ(Routes(net.topology).find("a", "b", 201).error().free, 200u);
}

TEST(RouteQueryTest, CallsRunThroughOtherEndpoints) {
  Drawn net;
  const auto a = net.node("a", true), b = net.node("b", true), c = net.node("c", true);
  net.link(a, b, 10);
  net.link(b, c, 10);
  EXPECT_EQ(words(Routes(net.topology).find("a", "c", 10)), "1>a>2 2>b>3 2>c>1");
}

// Whether a path may use the link, checked element by element.
bool may_use(const Topology& topology, const TopologyLink& link,
             const std::vector<PathElement>& avoid) {
  return std::ranges::none_of(avoid, [&](const PathElement& element) {
    return std::ranges::any_of(std::array{link.a, link.b}, [&](LinkEnd end) {
      return topology.switches()[end.at].name == element.switch_name &&
             (element.output_port == PortId{} || element.output_port == end.port);
    });
  });
}

// The fewest hops at `rate`, by a simple search over the links; 0: no path.
std::size_t hops_by_hand(const Topology& topology, SwitchIndex from, SwitchIndex to,
                         std::uint64_t rate, const std::vector<PathElement>& avoid) {
  std::vector<std::size_t> hops(topology.switches().size(), 0);
  hops[from] = 1;
  for (std::size_t round = 1; round <= hops.size(); ++round) {
    for (const TopologyLink& link : topology.links()) {
      if (link.cells_per_s < rate || !may_use(topology, link, avoid)) continue;
      for (const auto& [here, there] : {std::pair{link.a.at, link.b.at}, {link.b.at, link.a.at}}) {
        if (hops[here] == round && hops[there] == 0) hops[there] = round + 1;
      }
    }
  }
  return hops[to];
}

TEST(RouteQueryTest, AgreesWithAPlainSearchOnRandomNetworks) {
  constexpr std::uint64_t kSeed = 20240229;
  std::mt19937_64 random(kSeed);
  std::size_t refused = 0;
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(fmt::format("seed {} round {}", kSeed, round));
    Drawn net;
    const auto nodes = static_cast<SwitchIndex>(2 + random() % 12);
    for (SwitchIndex i = 0; i < nodes; ++i) net.node(fmt::format("n{}", i), true);
    for (std::uint64_t links = random() % 24; links != 0; --links) {
      const auto a = static_cast<SwitchIndex>(random() % nodes);
      const auto b = static_cast<SwitchIndex>(random() % nodes);
      if (a != b) net.link(a, b, 1 + random() % 5);
    }
    const Routes search(net.topology);
    std::vector<PathElement> avoid;  // links and switches between the ends, known and unknown
    for (std::uint64_t elements = random() % 4; elements != 0; --elements) {
      avoid.push_back({fmt::format("n{}", 2 + random() % 12),
                       PortId{static_cast<std::uint32_t>(random() % 5)}});
    }
    for (std::uint64_t rate = 0; rate <= 6; ++rate) {
      const auto path = search.find("n0", "n1", rate, avoid);
      const std::size_t hops = hops_by_hand(net.topology, 0, 1, rate, avoid);
      if (!path) {
        ++refused;
        EXPECT_EQ(hops, 0u);
        // The reported widest rate has a path, and one cell/s more has none.
        const std::uint64_t free = path.error().free;
        EXPECT_EQ(path.error().cause == Cause::kNoRoute, free == 0);
        EXPECT_EQ(hops_by_hand(net.topology, 0, 1, free, avoid) != 0, free != 0);
        EXPECT_EQ(hops_by_hand(net.topology, 0, 1, free + 1, avoid), 0u);
        continue;
      }
      ASSERT_EQ(path->hops.size(), hops);
      EXPECT_GE(path->free_cells_per_s, rate);
      EXPECT_EQ(path->hops.front().input_port, kEndpointPort);
      EXPECT_EQ(path->hops.back().output_port, kEndpointPort);
      std::uint64_t narrowest = std::numeric_limits<std::uint64_t>::max();
      // Each step is a link of the topology.
      for (std::size_t i = 0; i + 1 < path->hops.size(); ++i) {
        const LinkEnd out{*net.topology.find(path->hops[i].switch_name), path->hops[i].output_port};
        const LinkEnd in{*net.topology.find(path->hops[i + 1].switch_name),
                         path->hops[i + 1].input_port};
        const auto link = std::ranges::find_if(net.topology.links(), [&](const TopologyLink& l) {
          return (l.a == out && l.b == in) || (l.a == in && l.b == out);
        });
        ASSERT_NE(link, net.topology.links().end());
        EXPECT_TRUE(may_use(net.topology, *link, avoid));
        narrowest = std::min(narrowest, link->cells_per_s);
      }
      EXPECT_EQ(path->free_cells_per_s, narrowest);
    }
  }
  EXPECT_GT(refused, 100u);  // both kinds of answer occurred
}

}  // namespace
}  // namespace xbind
