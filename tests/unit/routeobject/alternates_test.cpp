#include "routeobject/alternates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_network.hpp"

namespace xbind {
namespace {

TEST(AlternatesTest, TheBestPathsInTheirOrder) {
  DrawnNetwork net;
  const auto a = net.node("a"), b = net.node("b"), x = net.node("x"), y = net.node("y");
  net.link(y, b, 5);
  net.link(a, y, 5);
  net.link(a, x, 5);
  net.link(x, b, 5);
  net.link(x, y, 5);
  net.link(a, y, 5);  // parallel to the second link
  const auto found =
      find_alternates(net.graph(), {.from = "a", .to = "b", .cells_per_s = 5}, kAlternatesMax);
  ASSERT_TRUE(found.has_value());
  std::vector<std::string> paths;
  for (const FoundPath& path : *found) paths.push_back(hops_text(path.path));
  EXPECT_THAT(paths, ::testing::ElementsAre("1>a>2 3>y>2 2>b>1",        // links 1, 0
                                            "1>a>3 2>x>3 3>b>1",        // links 2, 3
                                            "1>a>4 5>y>2 2>b>1",        // links 5, 0
                                            "1>a>2 3>y>4 4>x>3 3>b>1",  // links 1, 4, 3
                                            "1>a>3 2>x>4 4>y>2 2>b>1",  // links 2, 4, 0
                                            "1>a>4 5>y>4 4>x>3 3>b>1"));
}

TEST(AlternatesTest, RefusalsAreThoseOfTheBestPath) {
  DrawnNetwork net;
  const auto a = net.node("a"), b = net.node("b");
  net.link(a, b, 5);
  const RouteGraph graph = net.graph();
  const auto narrow = find_alternates(graph, {.from = "a", .to = "b", .cells_per_s = 6}, 2);
  ASSERT_FALSE(narrow.has_value());
  EXPECT_EQ(narrow.error().text, "asked 6 cells/s from 'a' to 'b', the widest path has 5");
  EXPECT_EQ(find_alternates(graph, {.from = "a", .to = "q"}, 2).error().fault,
            PathFault::kUnknownEnd);
  EXPECT_EQ(find_alternates(graph, {.from = "a", .to = "b"}, 2)->size(), 1u);
}

TEST(AlternatesTest, TheirNumberIsBounded) {
  DrawnNetwork net;
  const auto a = net.node("a"), b = net.node("b");
  net.link(a, b, 5);
  const RouteGraph graph = net.graph();
  const PathQuery query{.from = "a", .to = "b"};
  EXPECT_EQ(find_alternates(graph, query, 0).error(),
            (PathRefusal{PathFault::kContradiction,
                         "0 alternates from 'a' to 'b' are not in 1 to 64", 0, 64, "a -> b"}));
  EXPECT_TRUE(find_alternates(graph, query, kAlternatesMax).has_value());
  EXPECT_EQ(find_alternates(graph, query, kAlternatesMax + 1).error().fault,
            PathFault::kTooManyElements);
}

TEST(AlternatesTest, AgreeWithAllPathsOfRandomNetworks) {
  constexpr std::uint64_t kSeed = 20240308;
  std::mt19937_64 random(kSeed);
  std::size_t compared = 0, cut_short = 0, required = 0;
  for (int round = 0; round < 1200; ++round) {
    SCOPED_TRACE(fmt::format("seed {} round {}", kSeed, round));
    const auto nodes = static_cast<std::uint32_t>(3 + random() % 5);
    const RouteGraph graph =
        random_graph(random, nodes, static_cast<std::uint32_t>(nodes + random() % 6));
    PathQuery query{.from = "n0", .to = "n1", .cells_per_s = random() % 3};
    query.metric = static_cast<PathMetric>(random() % 3);
    if (random() % 2 == 0) query.delay_us_max = 3 + random() % 10;
    if (random() % 3 == 0) query.links_max = static_cast<std::uint32_t>(2 + random() % 4);
    if (random() % 3 == 0) {
      query.require.push_back({fmt::format("n{}", 2 + random() % (nodes - 2)), PortId{}});
    }
    const std::size_t count = 1 + random() % 12;
    const std::vector<WalkedPath> all = AllPaths(graph, query).paths;
    const auto found = find_alternates(graph, query, count);
    ASSERT_EQ(found.has_value(), !all.empty());
    if (!found) continue;
    ASSERT_EQ(found->size(), std::min(count, all.size()));
    for (std::size_t index = 0; index < found->size(); ++index) {
      ASSERT_EQ(links_of(graph, (*found)[index]), all[index].links) << index;
      EXPECT_EQ((*found)[index].cost, all[index].cost);
    }
    compared += found->size();
    cut_short += all.size() > count ? 1 : 0;
    required += query.require.empty() ? 0 : 1;
  }
  EXPECT_GT(compared, 1500u);
  EXPECT_GT(cut_short, 100u);
  EXPECT_GT(required, 50u);
}

}  // namespace
}  // namespace xbind
