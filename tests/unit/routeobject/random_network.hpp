// Small random networks, and an enumeration of all paths through them, with which the path searches
// must agree. The enumeration uses neither labels nor dominance nor distances.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "routeobject/path_query.hpp"

namespace xbind {

class DrawnNetwork {
 public:
  DrawnNetwork();
  ~DrawnNetwork();

  SwitchIndex node(const std::string& name, bool endpoint = true);
  void link(SwitchIndex a, SwitchIndex b, std::uint64_t rate, std::uint32_t delay_us = 0);
  RouteGraph graph() const;
  Topology topology{"drawn"};

 private:
  std::vector<std::uint32_t> next_port_;
};

// Switches n0, n1, ..., all of them endpoints. Parallel links and isolated switches occur. Links
// are used and failed differently in each direction.
RouteGraph random_graph(std::mt19937_64& random, std::uint32_t nodes, std::uint32_t links);

// "a>2 1>sw>2 2>b" style: each switch with its ports.
std::string hops_text(const Path& path);

struct WalkedPath {
  std::uint64_t cost = 0;
  std::uint64_t delay_us = 0;
  std::vector<std::size_t> links;
  std::vector<SwitchIndex> switches;

  friend bool operator<(const WalkedPath& a, const WalkedPath& b);
};

// All loop-free paths that meet the query, best first. Uses the names in the query.
class AllPaths {
 public:
  AllPaths(const RouteGraph& graph, const PathQuery& query);

  std::vector<WalkedPath> paths;

 private:
  void walk(WalkedPath& path);
  bool has(const WalkedPath& path, const PathElement& element) const;
  bool meets(const WalkedPath& path) const;

  const RouteGraph& graph_;
  const Topology& topology_;
  const PathQuery& query_;
};

// The links of a found path.
std::vector<std::size_t> links_of(const RouteGraph& graph, const FoundPath& found);

}  // namespace xbind
