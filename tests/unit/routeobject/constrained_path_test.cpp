#include "routeobject/constrained_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>

#include "random_network.hpp"

namespace xbind {
namespace {

PathElement port(const char* name, std::uint32_t number) { return {name, PortId{number}}; }
PathElement whole(const char* name) { return {name, PortId{}}; }

// Links in this order, each with its rate and its delay in us:
//
//   a:2 --1000, 50-- 1:x:2 --400, 50-- 2:b
//   a:3 --500, 10-- 1:y:2 --700, 10-- 1:z:2 --600, 10-- 3:b
//   x:3 --900, 5-- 3:y               c has no link
class SixSwitches : public ::testing::Test {
 protected:
  SixSwitches() : graph(draw()) {}
  static RouteGraph draw() {
    DrawnNetwork net;
    const auto a = net.node("a"), b = net.node("b"), x = net.node("x", false),
               y = net.node("y", false), z = net.node("z", false);
    net.node("c");
    net.link(a, x, 1000, 50);
    net.link(x, b, 400, 50);
    net.link(a, y, 500, 10);
    net.link(y, z, 700, 10);
    net.link(z, b, 600, 10);
    net.link(x, y, 900, 5);
    return net.graph();
  }
  std::string path(const PathQuery& asked) const {
    const auto found = find_path(graph, asked);
    return found ? hops_text(found->path) : found.error().text;
  }
  // The refusal of a query that must be refused.
  PathRefusal refusal(const PathQuery& asked) const {
    const auto found = find_path(graph, asked);
    if (!found) return found.error();
    ADD_FAILURE() << "there is " << hops_text(found->path);
    return {};
  }
  RouteGraph graph;
  PathQuery query{.from = "a", .to = "b"};
  const std::string short_way = "1>a>2 1>x>2 2>b>1";
  const std::string long_way = "1>a>3 1>y>2 1>z>2 3>b>1";
};

TEST_F(SixSwitches, ThePathAndItsFigures) {
  const auto found = find_path(graph, query);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(hops_text(found->path), short_way);
  EXPECT_EQ(found->path.free_cells_per_s, 400u);
  EXPECT_EQ(found->cost, 2u);
  EXPECT_EQ(found->delay_us, 100u);
}

TEST_F(SixSwitches, EachMetricHasItsPath) {
  query.metric = PathMetric::kDelay;
  EXPECT_EQ(path(query), long_way);
  query.metric = PathMetric::kLoad;
  query.cells_per_s = 399;  // leaves 1 free on x - b, and 101 on a - y
  const auto found = find_path(graph, query);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(hops_text(found->path), "1>a>2 1>x>3 3>y>2 1>z>2 3>b>1");
  EXPECT_EQ(found->cost,
            kLoadCostMax / 602 + kLoadCostMax / 502 + kLoadCostMax / 302 + kLoadCostMax / 202);
}

TEST_F(SixSwitches, BoundsAreMetExactly) {
  query.cells_per_s = 401;
  EXPECT_EQ(path(query), long_way);
  query.cells_per_s = 0;
  query.delay_us_max = 100;
  EXPECT_EQ(path(query), short_way);
  query.delay_us_max = 99;
  EXPECT_EQ(path(query), long_way);
  query.metric = PathMetric::kDelay;
  query.delay_us_max.reset();
  query.links_max = 2;
  EXPECT_EQ(path(query), short_way);
}

TEST_F(SixSwitches, WhatIsRequiredIsMetInAnyOrder) {
  query.require = {whole("z"), whole("x")};
  EXPECT_EQ(path(query), "1>a>2 1>x>3 3>y>2 1>z>2 3>b>1");
  query.require = {port("y", 3), port("b", 2)};  // passes x - y in the reverse direction
  EXPECT_EQ(path(query), "1>a>3 1>y>3 3>x>2 2>b>1");
  query.require = {whole("a"), port("b", 1), whole("b")};  // the ends are on every path
  EXPECT_EQ(path(query), short_way);
}

TEST_F(SixSwitches, ADisjointPathSharesNothing) {
  query.disjoint_from = find_path(graph, query)->path.hops;
  for (const Disjoint kind : {Disjoint::kLinks, Disjoint::kSwitches}) {
    query.disjoint = kind;
    EXPECT_EQ(path(query), long_way);
  }
  // The second path over x and y leaves no path that shares no link.
  query.disjoint_from = {{"a", PortId{1}, PortId{2}},
                         {"x", PortId{1}, PortId{3}},
                         {"y", PortId{3}, PortId{2}},
                         {"z", PortId{1}, PortId{2}},
                         {"b", PortId{3}, PortId{1}}};
  query.disjoint = Disjoint::kLinks;
  EXPECT_EQ(refusal(query).fault, PathFault::kDisconnected);
  query.avoid = {whole("q"), whole("z")};
  EXPECT_EQ(path(query),
            "no path joins 'a' and 'b' that avoids z and shares no link with the path of 5 "
            "switches");
}

TEST_F(SixSwitches, ADisjointPathOfAnOlderTopologyExcludesWhatIsKnownOfIt) {
  query.disjoint = Disjoint::kSwitches;
  query.disjoint_from = {{"a", PortId{1}, PortId{9}}, {"old", PortId{1}, PortId{2}}, {"x", {}, {}}};
  EXPECT_EQ(path(query), long_way);
}

TEST_F(SixSwitches, AFailedLinkAndAFullDirectionAreGoneRound) {
  graph = graph.with(std::vector<LinkChange>{{1, {false, 400, 400}}}).value();
  EXPECT_EQ(path(query), long_way);
  graph = graph.with(std::vector<LinkChange>{{1, {true, 400, 0}}}).value();
  EXPECT_EQ(path(query), short_way);
  query.cells_per_s = 1;
  const PathQuery back{.from = "b", .to = "a", .cells_per_s = 1};
  EXPECT_EQ(path(back), "1>b>3 2>z>1 2>y>1 3>a>1");
}

TEST_F(SixSwitches, EachRefusalNamesItsValue) {
  PathQuery asked = query;
  asked.cells_per_s = 601;
  EXPECT_EQ(refusal(asked),
            (PathRefusal{PathFault::kNoBandwidth,
                         "asked 601 cells/s from 'a' to 'b', the widest path has 600", 601, 600,
                         "a -> b"}));
  asked = query;
  asked.delay_us_max = 29;
  EXPECT_EQ(refusal(asked), (PathRefusal{PathFault::kTooSlow,
                                         "asked at most 29 us from 'a' to 'b', the fastest path "
                                         "takes 30",
                                         29, 30, "a -> b"}));
  asked = query;
  asked.links_max = 1;
  EXPECT_EQ(refusal(asked), (PathRefusal{PathFault::kTooManyLinks,
                                         "asked at most 1 links from 'a' to 'b', the shortest path "
                                         "has 2",
                                         1, 2, "a -> b"}));
  asked = query;
  asked.links_max = 2;
  asked.delay_us_max = 99;
  EXPECT_EQ(refusal(asked),
            (PathRefusal{PathFault::kNoneMeetsAll,
                         "no loopless path from 'a' to 'b' has all of: 0 cells/s, at most 2 links, "
                         "at most 99 us",
                         0, 0, "a -> b"}));
  asked = query;
  asked.to = "c";
  EXPECT_EQ(refusal(asked),
            (PathRefusal{PathFault::kDisconnected, "no path joins 'a' and 'c'", 0, 0, "a -> c"}));
  asked.to = "q";
  EXPECT_EQ(refusal(asked),
            (PathRefusal{PathFault::kUnknownEnd, "there is no endpoint 'q'", 0, 0, "q"}));
  asked.to = "x";
  EXPECT_EQ(refusal(asked).text, "'x' is a switch but no endpoint");
}

TEST_F(SixSwitches, RequiredElementsMustBeThere) {
  query.require = {whole("q")};
  EXPECT_EQ(refusal(query), (PathRefusal{PathFault::kUnknownElement,
                                         "there is no switch 'q' to go through", 0, 0, "q"}));
  query.require = {port("x", 7)};
  EXPECT_EQ(refusal(query), (PathRefusal{PathFault::kUnknownElement,
                                         "x port 7 has no link to go through", 0, 0, "x port 7"}));
  query.require = {whole("c")};  // known, but on no path
  EXPECT_EQ(refusal(query).text,
            "no loopless path from 'a' to 'b' has all of: 0 cells/s, through c");
}

TEST_F(SixSwitches, ContradictionsAreRefused) {
  const auto contradiction = [&](const PathQuery& asked) {
    const PathRefusal refused = refusal(asked);
    EXPECT_EQ(refused.fault, PathFault::kContradiction) << refused.text;
    return refused.text;
  };
  PathQuery asked = query;
  asked.to = "a";
  EXPECT_EQ(contradiction(asked), "source and destination are both 'a'");
  asked = query;
  asked.links_max = 0;
  EXPECT_EQ(contradiction(asked), "at most 0 links cannot join 'a' and 'b'");
  asked = query;
  asked.avoid = asked.require = {whole("x")};
  EXPECT_EQ(contradiction(asked), "x is required and excluded");
  asked.require = {port("x", 3)};
  EXPECT_EQ(contradiction(asked), "x port 3 is required and excluded");
  asked = query;
  asked.disjoint = Disjoint::kLinks;
  EXPECT_EQ(contradiction(asked),
            "the path from 'a' to 'b' is to be disjoint from a path of 0 switches");
  asked.disjoint_from = find_path(graph, query)->path.hops;
  asked.require = {port("x", 2)};
  EXPECT_EQ(contradiction(asked), "x port 2 is required and excluded");
  asked = query;
  asked.require = {port("c", 1)};
  EXPECT_EQ(contradiction(asked), "c port 1 leads to a host that is no end of a -> b");
  asked.require = {port("a", 2), port("a", 3)};
  EXPECT_EQ(contradiction(asked),
            "2 of the required links end at 'a', a loopless path from 'a' to 'b' cannot have them "
            "all");
  asked.require = {port("x", 1), port("x", 2), port("x", 3)};
  EXPECT_EQ(contradiction(asked),
            "3 of the required links end at 'x', a loopless path from 'a' to 'b' cannot have them "
            "all");
  asked.require = {whole("x"), port("y", 2)};
  asked.links_max = 3;
  EXPECT_EQ(contradiction(asked),
            "the required elements take 4 links, at most 3 are allowed from 'a' to 'b'");
}

TEST_F(SixSwitches, QueriesAreBounded) {
  query.avoid.assign(kPathAvoidMax, whole("q"));
  query.require.assign(kPathRequiredMax, whole("x"));
  EXPECT_EQ(path(query), short_way);
  query.avoid.push_back(whole("q"));
  EXPECT_EQ(refusal(query), (PathRefusal{PathFault::kTooManyElements,
                                         "4097 elements to avoid from 'a' to 'b', the most is 4096",
                                         4097, 4096, "a -> b"}));
  query.avoid.clear();
  query.require.push_back(whole("x"));
  EXPECT_EQ(refusal(query).text, "9 elements to require from 'a' to 'b', the most is 8");
}

TEST(ConstrainedPathTest, TwoRequiredLinksBetweenTheSameSwitchesAreAContradiction) {
  DrawnNetwork net;
  const auto a = net.node("a"), x = net.node("x"), y = net.node("y"), b = net.node("b");
  net.link(a, x, 1);
  net.link(x, y, 1);
  net.link(x, y, 1);
  net.link(y, b, 1);
  PathQuery query{.from = "a", .to = "b", .require = {port("x", 4)}};
  EXPECT_EQ(hops_text(find_path(net.graph(), query)->path), "1>a>2 2>x>4 3>y>4 2>b>1");
  query.require.push_back(port("y", 2));
  EXPECT_EQ(find_path(net.graph(), query).error().fault, PathFault::kContradiction);
}

// Every step offers an expensive, fast link or a cheap, slow detour; the difference is about a
// power of two of its own. Of 2^20 paths hardly one dominates another.
TEST(ConstrainedPathTest, ASearchThatWouldTakeTooLongIsRefusedByName) {
  DrawnNetwork net;
  constexpr int kSteps = 20;
  SwitchIndex at = net.node("a");
  std::uint32_t half = 0;
  for (int step = 0; step < kSteps; ++step) {
    const SwitchIndex next = net.node(step + 1 == kSteps ? "b" : fmt::format("s{}", step));
    const SwitchIndex by = net.node(fmt::format("d{}", step));
    const std::uint32_t weight = 1u << step;
    net.link(at, next, (std::uint64_t{1} << 31) / weight, 0);
    net.link(at, by, 4'000'000'000, 1);
    net.link(by, next, 4'000'000'000, weight);
    half += weight;
    at = next;
  }
  const RouteGraph graph = net.graph();
  PathQuery query{.from = "a", .to = "b", .metric = PathMetric::kLoad};
  query.delay_us_max = half / 2 + 7;
  query.labels_max = 100;
  const auto refused = find_path(graph, query);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(),
            (PathRefusal{PathFault::kTooHard,
                         "the best path from 'a' to 'b' takes more than 100 labels to find", 100, 0,
                         "a -> b"}));
}

// A query on a random graph, sometimes with each kind of bound.
PathQuery random_query(std::mt19937_64& random, const RouteGraph& graph) {
  const std::uint32_t nodes = graph.switches();
  const auto element = [&]() -> PathElement {
    const std::string name = fmt::format("n{}", 2 + random() % (nodes - 2));
    return {name, PortId{random() % 2 == 0 ? 0 : static_cast<std::uint32_t>(2 + random() % 4)}};
  };
  PathQuery query{.from = "n0", .to = "n1"};
  query.cells_per_s = random() % 4;
  query.metric = static_cast<PathMetric>(random() % 3);
  if (random() % 2 == 0) query.delay_us_max = random() % 14;
  if (random() % 3 == 0) query.links_max = static_cast<std::uint32_t>(1 + random() % 6);
  if (random() % 3 == 0) query.avoid.push_back(element());
  for (std::uint64_t more = random() % 4; more > 1; --more) query.require.push_back(element());
  if (random() % 3 == 0) {
    PathQuery other{.from = "n0", .to = "n1"};
    if (const auto found = find_path(graph, other)) {
      query.disjoint = random() % 2 == 0 ? Disjoint::kLinks : Disjoint::kSwitches;
      query.disjoint_from = found->path.hops;
    }
  }
  return query;
}

TEST(ConstrainedPathTest, AgreesWithAllPathsOfRandomNetworks) {
  constexpr std::uint64_t kSeed = 20240305;
  std::mt19937_64 random(kSeed);
  std::size_t found_some = 0, bounds_bit = 0, refused = 0, met_required = 0;
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(fmt::format("seed {} round {}", kSeed, round));
    const auto nodes = static_cast<std::uint32_t>(3 + random() % 6);
    const RouteGraph graph =
        random_graph(random, nodes, static_cast<std::uint32_t>(nodes + random() % 8));
    const PathQuery query = random_query(random, graph);
    const std::vector<WalkedPath> all = AllPaths(graph, query).paths;
    const auto found = find_path(graph, query);
    if (!found) {
      ++refused;
      ASSERT_TRUE(all.empty()) << found.error().text;
      continue;
    }
    ++found_some;
    ASSERT_FALSE(all.empty());
    ASSERT_EQ(links_of(graph, *found), all.front().links);
    EXPECT_EQ(found->cost, all.front().cost);
    EXPECT_EQ(found->delay_us, all.front().delay_us);
    met_required += query.require.empty() ? 0 : 1;
    PathQuery free_query = query;
    free_query.delay_us_max.reset();
    free_query.links_max.reset();
    free_query.require.clear();
    bounds_bit += find_path(graph, free_query)->arcs != found->arcs ? 1 : 0;
  }
  EXPECT_GT(found_some, 500u);  // every kind of answer occurred
  EXPECT_GT(refused, 500u);
  EXPECT_GT(bounds_bit, 100u);
  EXPECT_GT(met_required, 100u);
}

// Compares each refusal's number with all paths of the query without the bound that it names.
TEST(ConstrainedPathTest, TheFiguresOfRefusalsAreRight) {
  constexpr std::uint64_t kSeed = 20240306;
  std::mt19937_64 random(kSeed);
  std::size_t seen[3] = {};
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(fmt::format("seed {} round {}", kSeed, round));
    const RouteGraph graph = random_graph(random, 6, static_cast<std::uint32_t>(4 + random() % 8));
    PathQuery query{.from = "n0", .to = "n1", .cells_per_s = random() % 9};
    if (random() % 2 == 0) query.links_max = static_cast<std::uint32_t>(1 + random() % 2);
    if (random() % 2 == 0) query.delay_us_max = random() % 5;
    const auto found = find_path(graph, query);
    if (found) continue;
    const PathRefusal& refusal = found.error();
    PathQuery loose{.from = "n0", .to = "n1", .cells_per_s = query.cells_per_s};
    if (refusal.fault == PathFault::kDisconnected) {
      loose.cells_per_s = 0;
      EXPECT_TRUE(AllPaths(graph, loose).paths.empty());
    } else if (refusal.fault == PathFault::kNoBandwidth) {
      ++seen[0];
      loose.cells_per_s = refusal.free;
      EXPECT_FALSE(AllPaths(graph, loose).paths.empty());
      loose.cells_per_s = refusal.free + 1;
      EXPECT_TRUE(AllPaths(graph, loose).paths.empty());
    } else if (refusal.fault == PathFault::kTooManyLinks) {
      ++seen[1];
      EXPECT_EQ(AllPaths(graph, loose).paths.front().links.size(), refusal.free);
    } else if (refusal.fault == PathFault::kTooSlow) {
      ++seen[2];
      loose.metric = PathMetric::kDelay;
      EXPECT_EQ(AllPaths(graph, loose).paths.front().cost, refusal.free);
    } else {
      EXPECT_EQ(refusal.fault, PathFault::kNoneMeetsAll);
    }
  }
  for (const std::size_t count : seen) EXPECT_GT(count, 20u);
}

// Networks too large to list all paths: compares the cost with Boost's own Dijkstra.
TEST(ConstrainedPathTest, CostsAgreeWithBoostOnLargerNetworks) {
  constexpr std::uint64_t kSeed = 20240307;
  std::mt19937_64 random(kSeed);
  using Weight = boost::property<boost::edge_weight_t, std::uint64_t>;
  using Reference =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Weight>;
  for (int round = 0; round < 12; ++round) {
    SCOPED_TRACE(fmt::format("seed {} round {}", kSeed, round));
    const RouteGraph graph = random_graph(random, 150, 400);
    const auto metric = static_cast<PathMetric>(round % 3);
    const std::uint64_t rate = random() % 3;
    Reference reference(graph.switches());
    for (std::size_t index = 0; index < graph.topology().links().size(); ++index) {
      const TopologyLink& link = graph.topology().links()[index];
      const LinkState state = graph.link_state(index);
      for (const auto& [from, to, free] : {std::tuple{link.a.at, link.b.at, state.free_a_to_b},
                                           {link.b.at, link.a.at, state.free_b_to_a}}) {
        if (!state.up || free < rate) continue;
        std::uint64_t weight = 1;
        if (metric == PathMetric::kDelay) weight = link.delay_us;
        if (metric == PathMetric::kLoad) weight = (std::uint64_t{1} << 40) / (free - rate + 1);
        boost::add_edge(from, to, weight, reference);
      }
    }
    std::vector<std::uint64_t> distance(graph.switches());
    boost::dijkstra_shortest_paths(reference, 0, boost::distance_map(distance.data()));
    for (SwitchIndex to = 1; to < graph.switches(); ++to) {
      const PathQuery query{
          .from = "n0", .to = fmt::format("n{}", to), .cells_per_s = rate, .metric = metric};
      const auto found = find_path(graph, query);
      const bool reached = distance[to] != std::numeric_limits<std::uint64_t>::max();
      ASSERT_EQ(found.has_value(), reached);
      if (found) {
        ASSERT_EQ(found->cost, distance[to]);
      }
    }
  }
}

}  // namespace
}  // namespace xbind
