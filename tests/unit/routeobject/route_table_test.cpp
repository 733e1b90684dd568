#include "routeobject/route_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_network.hpp"
#include "routeobject/constrained_path.hpp"

namespace xbind {
namespace {

// a -- x -- b and a -- y -- b; c has no link
RouteGraph two_ways() {
  DrawnNetwork net;
  const auto a = net.node("a"), b = net.node("b"), x = net.node("x", false),
             y = net.node("y", false);
  net.node("c");
  net.link(a, x, 10);
  net.link(x, b, 10);
  net.link(a, y, 20);
  net.link(y, b, 20);
  return net.graph();
}

std::string answer_text(const PathAnswer& answer) {
  return answer ? hops_text(answer->path) : answer.error().text;
}

TEST(RouteTableTest, ABatchHasAnAnswerForEachPair) {
  const RouteTable table = RouteTable::compute(two_ways(), PathMetric::kHops, 0).value();
  const std::vector<PairQuery> queries{{"a", "b", 0},  {"b", "a", 10}, {"a", "b", 11},
                                       {"a", "b", 21}, {"a", "c", 1},  {"a", "q", 1},
                                       {"a", "a", 1},  {"x", "b", 1}};
  const auto answers = table.answer(queries);
  ASSERT_TRUE(answers.has_value());
  std::vector<std::string> texts;
  for (const PathAnswer& answer : *answers) texts.push_back(answer_text(answer));
  EXPECT_THAT(texts, ::testing::ElementsAre(
                         "1>a>2 1>x>2 2>b>1", "1>b>2 2>x>1 2>a>1", "1>a>3 1>y>2 3>b>1",
                         "asked 21 cells/s from 'a' to 'b', the widest path has 20",
                         "no path joins 'a' and 'c'", "there is no endpoint 'q'",
                         "source and destination are both 'a'", "'x' is a switch but no endpoint"));
  EXPECT_TRUE(table.answer({})->empty());
}

TEST(RouteTableTest, ABatchIsBounded) {
  const RouteTable table = RouteTable::compute(two_ways(), PathMetric::kHops, 0).value();
  const std::vector<PairQuery> queries(kPairQueriesMax + 1, PairQuery{"a", "b", 0});
  EXPECT_EQ(table.answer(queries).error(),
            (Error{ErrorCode::kBadInput, "65537 pairs in one batch, the most is 65536"}));
}

TEST(RouteTableTest, TooManySwitchesAreRefused) {
  DrawnNetwork net;
  for (std::size_t index = 0; index <= kRouteTableSwitchesMax; ++index) {
    net.node(fmt::format("n{}", index));
  }
  const auto table = RouteTable::compute(net.graph(), PathMetric::kHops, 0);
  ASSERT_FALSE(table.has_value());
  EXPECT_EQ(table.error(),
            (Error{ErrorCode::kExhausted,
                   "2049 switches are too many for a table of all pairs, the most is 2048"}));
}

TEST(RouteTableTest, AFailedLinkIsLeftAndComesBack) {
  const RouteTable before = RouteTable::compute(two_ways(), PathMetric::kHops, 0).value();
  const RouteTable cut = before.after(std::vector<LinkChange>{{0, {false, 10, 10}}}).value();
  EXPECT_EQ(answer_text(cut.find({"a", "b", 0})), "1>a>3 1>y>2 3>b>1");
  const RouteTable mended = cut.after(std::vector<LinkChange>{{0, {true, 10, 10}}}).value();
  EXPECT_EQ(answer_text(mended.find({"a", "b", 0})), "1>a>2 1>x>2 2>b>1");
  EXPECT_EQ(answer_text(before.find({"a", "b", 0})), "1>a>2 1>x>2 2>b>1");  // unchanged
}

TEST(RouteTableTest, OnlyRowsThatAChangeDisturbsAreComputed) {
  const RouteTable table = RouteTable::compute(two_ways(), PathMetric::kHops, 0).value();
  EXPECT_EQ(table.rows_computed(), 5u);
  // Less is free on the link, but the table's paths do not depend on that.
  EXPECT_EQ(table.after(std::vector<LinkChange>{{0, {true, 3, 3}}})->rows_computed(), 0u);
  // y -- b is on the trees to y and b; a and x are reached over the first links.
  EXPECT_EQ(table.after(std::vector<LinkChange>{{3, {false, 0, 0}}})->rows_computed(), 2u);
}

TEST(RouteTableTest, AnUnknownLinkIsRefused) {
  const RouteTable table = RouteTable::compute(two_ways(), PathMetric::kHops, 0).value();
  EXPECT_EQ(table.after(std::vector<LinkChange>{{4, {}}}).error(),
            (Error{ErrorCode::kNotFound, "link number 4 is not there, 4 are"}));
}

// Tables that are updated from change to change, compared with searches
// on the graph of that moment.
TEST(RouteTableTest, AgreesWithSearchesThroughManyChanges) {
  constexpr std::uint64_t kSeed = 20240309;
  std::mt19937_64 random(kSeed);
  std::size_t kept = 0, computed = 0, paths = 0;
  for (int round = 0; round < 60; ++round) {
    const auto nodes = static_cast<std::uint32_t>(3 + random() % 12);
    const auto links = static_cast<std::uint32_t>(nodes + random() % 14);
    const RouteGraph graph = random_graph(random, nodes, links);
    const auto metric = static_cast<PathMetric>(random() % 3);
    RouteTable table = RouteTable::compute(graph, metric, random() % 4).value();
    for (int step = 0; step < 8; ++step) {
      SCOPED_TRACE(fmt::format("seed {} round {} step {}", kSeed, round, step));
      std::vector<LinkChange> changes;
      for (std::uint64_t more = random() % 4; more != 0; --more) {
        changes.push_back({random() % links, {random() % 4 != 0, random() % 9, random() % 9}});
      }
      table = table.after(changes).value();
      computed += table.rows_computed();
      kept += nodes - table.rows_computed();
      for (SwitchIndex from = 0; from < nodes; ++from) {
        for (SwitchIndex to = 0; to < nodes; ++to) {
          if (from == to) continue;
          const PathQuery query{.from = fmt::format("n{}", from),
                                .to = fmt::format("n{}", to),
                                .cells_per_s = table.cells_per_s(),
                                .metric = metric};
          const auto searched = find_path(table.graph(), query);
          ASSERT_EQ(table.arcs(from, to), searched ? searched->arcs : std::vector<ArcIndex>{});
          ASSERT_EQ(table.distance(from, to).reached(), searched.has_value());
          if (searched) {
            ASSERT_EQ(table.distance(from, to).cost, searched->cost);
            ++paths;
          }
          PathQuery other = query;  // at a rate that is not the table's
          other.cells_per_s = random() % 8;
          ASSERT_EQ(table.find({other.from, other.to, other.cells_per_s}),
                    find_path(table.graph(), other));
        }
      }
    }
  }
  EXPECT_GT(kept, 500u);
  EXPECT_GT(computed, 500u);
  EXPECT_GT(paths, 5000u);
}

TEST(RouteGraphTest, ArcsStandInLinkOrderAndKnowTheirLink) {
  const RouteGraph graph = two_ways();
  EXPECT_EQ(graph.switches(), 5u);
  EXPECT_EQ(graph.arcs(), 8u);
  for (SwitchIndex at = 0; at < graph.switches(); ++at) {
    for (ArcIndex arc = graph.first_arc(at); arc < graph.first_arc(at + 1); ++arc) {
      EXPECT_EQ(graph.from(arc), at);
      EXPECT_EQ(graph.twin(graph.twin(arc)), arc);
      EXPECT_EQ(graph.topology().link_at(graph.output_end(arc)), graph.link(arc));
      EXPECT_EQ(graph.output_end(arc).at, at);
      EXPECT_EQ(graph.input_end(arc).at, graph.to(arc));
      if (arc > graph.first_arc(at)) {
        EXPECT_LT(graph.link(arc - 1), graph.link(arc));
      }
    }
  }
}

TEST(RouteGraphTest, AChangeIsOfTheNewGraphAlone) {
  const RouteGraph before = two_ways();
  const LinkState changed{false, 3, 4};
  const auto after = before.with(std::vector<LinkChange>{{1, changed}});
  ASSERT_TRUE(after.has_value());
  EXPECT_EQ(after->link_state(1), changed);
  EXPECT_EQ(before.link_state(1), (LinkState{true, 10, 10}));
  EXPECT_EQ(&after->topology(), &before.topology()) << "nothing of the network was copied";
}

TEST(RouteGraphTest, AChangeThatCannotBeIsRefused) {
  const RouteGraph graph = two_ways();
  EXPECT_EQ(graph.with(std::vector<LinkChange>{{9, {}}}).error(),
            (Error{ErrorCode::kNotFound, "link number 9 is not there, 4 are"}));
  EXPECT_EQ(graph.with(std::vector<LinkChange>{{0, {true, 1, kLinkCellsPerSMax + 1}}}).error(),
            (Error{ErrorCode::kBadInput,
                   "4294967296 cells/s free on the link a:2 to x:1, the most is 4294967295"}));
}

TEST(LoadCostTest, IsTheInverseOfWhatIsLeft) {
  EXPECT_EQ(load_cost(0, 0), kLoadCostMax);
  EXPECT_EQ(load_cost(7, 7), kLoadCostMax);
  EXPECT_EQ(load_cost(1, 0), kLoadCostMax / 2);
  EXPECT_EQ(load_cost(1023, 0), std::uint64_t{1} << 30);
  EXPECT_EQ(load_cost(kLinkCellsPerSMax, 0), 256u);
  for (const PathMetric metric : {PathMetric::kHops, PathMetric::kDelay, PathMetric::kLoad}) {
    EXPECT_EQ(path_metric_of(to_string(metric)), metric);
  }
  EXPECT_FALSE(path_metric_of("length").has_value());
}

}  // namespace
}  // namespace xbind
