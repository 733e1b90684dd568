#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

#include "random_network.hpp"
#include "routeobject/route_service.hpp"

namespace xbind {
namespace {

constexpr Epoch kOracleLife{1};

// Random networks, reports, drains and queries, compared with an enumeration of all paths.
TEST(RouteServiceOracleTest, AgreesWithAllPathsOneByOne) {
  constexpr std::uint64_t kSeed = 20240603;
  std::mt19937_64 random(kSeed);
  std::size_t with_room = 0, without = 0, refused = 0;
  for (int round = 0; round < 150; ++round) {
    DrawnNetwork net;
    const auto nodes = static_cast<SwitchIndex>(3 + random() % 5);
    for (SwitchIndex at = 0; at < nodes; ++at) net.node(fmt::format("n{}", at));
    for (std::uint64_t links = nodes + random() % 6; links != 0; --links) {
      const auto a = static_cast<SwitchIndex>(random() % nodes);
      const auto b = static_cast<SwitchIndex>((a + 1 + random() % (nodes - 1)) % nodes);
      net.link(a, b, 8, static_cast<std::uint32_t>(random() % 5));
    }
    RouteService service(net.topology, 5000);
    // The state of each link after the reports below, tracked independently.
    std::map<LinkEnd, PortReport> ports;
    std::vector<bool> drained(net.topology.links().size(), false);
    for (std::uint64_t number = 1; number <= 4; ++number) {
      const auto at = static_cast<SwitchIndex>(random() % nodes);
      std::vector<PortReport> reported;
      for (std::uint32_t port = 2; port <= net.topology.switches()[at].ports; ++port) {
        const std::uint64_t promised = 4 + random() % 6;
        reported.push_back({PortId{port}, random() % 8 != 0, promised, random() % (promised + 1)});
        ports[{at, PortId{port}}] = reported.back();
      }
      ASSERT_TRUE(service.report(fmt::format("n{}", at), kOracleLife, number, reported, TimePoint{})
                      .has_value());
    }
    if (random() % 2 == 0) {
      const std::size_t link = random() % drained.size();
      const LinkEnd end = net.topology.links()[link].a;
      drained[link] = true;
      ASSERT_TRUE(service.drain({net.topology.switches()[end.at].name, end.port}, true).value() ||
                  ports.contains(end) || ports.contains(net.topology.links()[link].b));
    }
    std::vector<LinkChange> room_of, lines_of;
    for (std::size_t link = 0; link < drained.size(); ++link) {
      const PortReport as_new{PortId{1}, true, 8, 8};
      const auto received = [&](LinkEnd end) { return ports.contains(end) ? ports[end] : as_new; };
      const PortReport a = received(net.topology.links()[link].a);
      const PortReport b = received(net.topology.links()[link].b);
      const bool usable = a.up && b.up && !drained[link];
      room_of.push_back({link, {usable, a.free_cells_per_s, b.free_cells_per_s}});
      lines_of.push_back({link, {usable, a.cells_per_s, b.cells_per_s}});
    }
    const RouteGraph room = net.graph().with(room_of).value();
    const RouteGraph lines = net.graph().with(lines_of).value();
    for (int asked = 0; asked < 30; ++asked) {
      SCOPED_TRACE(fmt::format("seed {} round {} query {}", kSeed, round, asked));
      PathQuery query{"n0", "n1", random() % 10};
      if (random() % 2 == 0) std::swap(query.from, query.to);
      if (random() % 2 == 0) {
        query.metric = static_cast<PathMetric>(random() % 3);
        if (random() % 2 == 0) query.delay_us_max = random() % 9;
        if (random() % 3 == 0) query.links_max = static_cast<std::uint32_t>(1 + random() % 4);
        if (random() % 3 == 0) {
          query.avoid.push_back({fmt::format("n{}", random() % nodes),
                                 PortId{static_cast<std::uint32_t>(2 + random() % 2)}});
        }
      }
      const RouteAnswer answer = service.answer(std::vector{query}).value().answers.at(0);
      const AllPaths roomy(room, query), any(lines, query);
      const AllPaths& expected = roomy.paths.empty() ? any : roomy;
      if (!answer) {
        EXPECT_TRUE(any.paths.empty()) << answer.error().text;
        ++refused;
        continue;
      }
      ASSERT_FALSE(expected.paths.empty()) << hops_text(answer->path);
      (roomy.paths.empty() ? without : with_room) += 1;
      std::vector<std::size_t> links;
      for (std::size_t hop = 0; hop + 1 < answer->path.hops.size(); ++hop) {
        const PathHop& at = answer->path.hops[hop];
        links.push_back(
            *net.topology.link_at({*net.topology.find(at.switch_name), at.output_port}));
      }
      EXPECT_EQ(links, expected.paths.front().links);
      EXPECT_EQ(answer->delay_us, expected.paths.front().delay_us);
      EXPECT_GE(answer->path.free_cells_per_s, query.cells_per_s);
    }
  }
  EXPECT_GT(with_room, 300u);
  EXPECT_GT(without, 100u);
  EXPECT_GT(refused, 300u);
}

}  // namespace
}  // namespace xbind
