#include "smds/routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "tests/unit/smds/draws.hpp"
#include "tests/unit/smds/pdus.hpp"

namespace xbind::smds {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RoutesTest, ARingIsReachedByTheShorterWayAndATieByTheFirstServer) {
  const Adjacency ring = adjacency_of(network_of(ring_of_four()));
  EXPECT_THAT(ring[0], ElementsAre(1, 3));
  const Tree tree = tree_of(ring, 0);
  EXPECT_THAT(tree, ElementsAre(kNoServer, 0, 1, 0));
  EXPECT_THAT(next_hops(tree, 0), ElementsAre(kNoServer, 1, 1, 3));
}

TEST(RoutesTest, AServerPassesOnToTheBranchesWithMembers) {
  const Tree tree = tree_of(adjacency_of(network_of(ring_of_four())), 0);
  const std::uint32_t all[] = {1, 2, 3};
  EXPECT_THAT(branches(tree, 0, all), ElementsAre(1, 3));
  EXPECT_THAT(branches(tree, 1, all), ElementsAre(2));
  EXPECT_THAT(branches(tree, 2, all), IsEmpty());
  EXPECT_THAT(branches(tree, 3, all), IsEmpty());
  const std::uint32_t far[] = {2};
  EXPECT_THAT(branches(tree, 0, far), ElementsAre(1));
}

TEST(RoutesTest, AServerApartIsNotReached) {
  const Adjacency apart{{1}, {0}, {}};
  EXPECT_THAT(next_hops(tree_of(apart, 0), 0), ElementsAre(kNoServer, 1, kNoServer));
  const std::uint32_t members[] = {2};
  EXPECT_THAT(branches(tree_of(apart, 0), 0, members), IsEmpty());
}

// On random networks: each path is as short as any, and what a root sends to all servers reaches
// each of them once, although every server decides on its own.
TEST(RoutesTest, TreesAreShortestAndReachEveryServerOnce) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Draws random(seed);
    const std::uint32_t servers = 2 + random.below(15);
    std::vector<std::set<std::uint32_t>> links(servers);
    for (std::uint32_t at = 0; at < servers * 3 / 2; ++at) {
      const std::uint32_t one = random.below(servers);
      const std::uint32_t other = random.below(servers);
      if (one == other) continue;
      links[one].insert(other);
      links[other].insert(one);
    }
    Adjacency adjacency;
    for (const auto& of : links) adjacency.emplace_back(of.begin(), of.end());
    std::vector<std::uint32_t> all(servers);
    for (std::uint32_t at = 0; at < servers; ++at) all[at] = at;
    for (std::uint32_t root = 0; root < servers; ++root) {
      std::vector<int> far(servers, -1);
      std::deque<std::uint32_t> next{root};
      far[root] = 0;
      while (!next.empty()) {
        for (const std::uint32_t to : adjacency[next.front()]) {
          if (far[to] >= 0) continue;
          far[to] = far[next.front()] + 1;
          next.push_back(to);
        }
        next.pop_front();
      }
      const Tree tree = tree_of(adjacency, root);
      std::vector<int> copies(servers);
      std::deque<std::uint32_t> sending{root};
      while (!sending.empty()) {
        for (const std::uint32_t to : branches(tree, sending.front(), all)) {
          ++copies[to];
          sending.push_back(to);
        }
        sending.pop_front();
      }
      for (std::uint32_t server = 0; server < servers; ++server) {
        int hops = 0;
        for (std::uint32_t at = server; tree[at] != kNoServer; at = tree[at]) ++hops;
        EXPECT_EQ(hops, std::max(far[server], 0));
        EXPECT_EQ(copies[server], far[server] > 0 ? 1 : 0);
      }
    }
  }
}

}  // namespace
}  // namespace xbind::smds
