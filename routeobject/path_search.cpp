#include "routeobject/path_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/property_map/property_map.hpp>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "core/check.hpp"

namespace xbind {
namespace {

struct Arc {  // one direction of a link
  std::uint32_t link = 0;
  std::uint64_t cells_per_s = 0;
};

using Csr = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Arc>;
using Vertex = boost::graph_traits<Csr>::vertex_descriptor;

// What a query excludes, as far as the topology knows it.
struct Avoided {
  std::vector<std::uint32_t> links;
  std::vector<SwitchIndex> switches;
  std::vector<SwitchIndex> access_ports;  // of endpoints
  std::vector<std::string> words;         // "switch-1 port 2", for refusals

  bool cuts_off(SwitchIndex end) const {
    return std::ranges::find(switches, end) != switches.end() ||
           std::ranges::find(access_ports, end) != access_ports.end();
  }
};

Avoided known_of(std::span<const PathElement> elements, const Topology& topology) {
  Avoided avoided;
  for (const PathElement& element : elements) {
    const auto at = topology.find(element.switch_name);
    if (!at) continue;
    if (element.output_port == PortId{}) {
      avoided.switches.push_back(*at);
      avoided.words.push_back(element.switch_name);
      continue;
    }
    if (const auto link = topology.link_at({*at, element.output_port})) {
      avoided.links.push_back(static_cast<std::uint32_t>(*link));
    } else if (topology.switches()[*at].endpoint && element.output_port == kEndpointPort) {
      avoided.access_ports.push_back(*at);
    } else {
      continue;
    }
    avoided.words.push_back(fmt::format("{} port {}", element.switch_name, element.output_port));
  }
  return avoided;
}

struct Usable {
  const Csr* graph = nullptr;
  const Avoided* avoided = nullptr;
  std::uint64_t cells_per_s = 0;
  template <class Edge>
  bool operator()(const Edge& edge) const {
    const Arc& arc = (*graph)[edge];
    const auto target = static_cast<SwitchIndex>(boost::target(edge, *graph));
    return arc.cells_per_s >= cells_per_s &&
           std::ranges::find(avoided->links, arc.link) == avoided->links.end() &&
           std::ranges::find(avoided->switches, target) == avoided->switches.end();
  }
};
using UsableGraph = boost::filtered_graph<Csr, Usable>;

constexpr std::uint32_t kNoLink = std::numeric_limits<std::uint32_t>::max();

// Remembers the link by which each switch was reached first.
struct ReachedBy : boost::default_bfs_visitor {
  const Csr* graph;
  std::vector<std::uint32_t>* link_into;
  ReachedBy(const Csr& csr, std::vector<std::uint32_t>& into) : graph(&csr), link_into(&into) {}
  template <class Edge, class G>
  void tree_edge(const Edge& edge, const G& searched) const {
    (*link_into)[boost::target(edge, searched)] = (*graph)[edge].link;
  }
};

// The highest rate that some way from `from` to `to` has on all its links; 0: there is no way.
std::uint64_t widest_rate(const Csr& csr, const Avoided& avoided, Vertex from, Vertex to) {
  const UsableGraph graph(csr, Usable{&csr, &avoided, 0});
  std::vector<std::uint64_t> rate(boost::num_vertices(csr));
  const auto index = boost::get(boost::vertex_index, csr);
  // Dijkstra with "the narrowest link so far" for distance and "wider" for nearer.
  boost::dijkstra_shortest_paths(
      graph, from,
      boost::weight_map(boost::get(&Arc::cells_per_s, csr))
          .vertex_index_map(index)
          .distance_map(boost::make_iterator_property_map(rate.begin(), index))
          .distance_compare(std::greater<std::uint64_t>{})
          .distance_combine([](std::uint64_t a, std::uint64_t b) { return std::min(a, b); })
          .distance_inf(std::uint64_t{0})
          .distance_zero(std::numeric_limits<std::uint64_t>::max()));
  return rate[to];
}

}  // namespace

struct PathSearch::Graph {
  Csr csr;
};

PathSearch::PathSearch(const Topology& topology) : topology_(topology) {
  std::vector<std::pair<Vertex, Vertex>> ends;
  std::vector<Arc> arcs;
  const auto& links = topology.links();
  for (std::uint32_t index = 0; index < links.size(); ++index) {
    const TopologyLink& link = links[index];
    for (const auto& [from, to] : {std::pair{link.a.at, link.b.at}, {link.b.at, link.a.at}}) {
      ends.emplace_back(from, to);
      arcs.push_back({index, link.cells_per_s});
    }
  }
  // Keeps the order of a vertex's arcs, on which find()'s choice between equal ways rests.
  graph_ = std::make_unique<const Graph>(
      Graph{Csr(boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), arcs.begin(),
                topology.switches().size())});
}

PathSearch::~PathSearch() = default;

tl::expected<Path, RouteRefusal> PathSearch::find(std::string_view from, std::string_view to,
                                                  std::uint64_t cells_per_s,
                                                  std::span<const PathElement> avoid) const {
  const std::string ends = fmt::format("{} -> {}", from, to);
  auto refuse = [&](Cause cause, std::string text, std::string_view element,
                    std::uint64_t free = 0) {
    return tl::make_unexpected(
        RouteRefusal{cause, std::move(text), cells_per_s, free, std::string{element}});
  };
  const auto source = topology_.find(from);
  const auto destination = topology_.find(to);
  for (const auto& [name, index] : {std::pair{from, source}, {to, destination}}) {
    if (!index) {
      return refuse(Cause::kUnknownEndpoint, fmt::format("there is no endpoint '{}'", name), name);
    }
    if (!topology_.switches()[*index].endpoint) {
      return refuse(Cause::kUnknownEndpoint, fmt::format("'{}' is a switch but no endpoint", name),
                    name);
    }
  }
  if (source == destination) {
    return refuse(Cause::kInvalidRequest, fmt::format("source and destination are both '{}'", from),
                  ends);
  }

  const Avoided avoided = known_of(avoid, topology_);
  auto no_route = [&] {
    std::string text = fmt::format("no path joins '{}' and '{}'", from, to);
    if (!avoided.words.empty()) {
      text += fmt::format(" that avoids {}", fmt::join(avoided.words, ", "));
    }
    return refuse(Cause::kNoRoute, std::move(text), ends);
  };
  if (avoided.cuts_off(*source) || avoided.cuts_off(*destination)) return no_route();

  const Csr& csr = graph_->csr;
  std::vector<std::uint32_t> link_into(boost::num_vertices(csr), kNoLink);
  // Breadth first in arc order: of all shortest ways the first in link order reaches a switch
  // first.
  const UsableGraph usable(csr, Usable{&csr, &avoided, cells_per_s});
  boost::breadth_first_search(usable, Vertex{*source}, boost::visitor(ReachedBy(csr, link_into)));
  if (link_into[*destination] == kNoLink) {
    const std::uint64_t widest = widest_rate(csr, avoided, Vertex{*source}, Vertex{*destination});
    if (widest == 0) return no_route();
    return refuse(Cause::kNoBandwidth,
                  fmt::format("asked {} cells/s from '{}' to '{}', the widest path has {}",
                              cells_per_s, from, to, widest),
                  ends, widest);
  }

  // Walk back from the destination; the hops come out last first.
  Path path;
  path.free_cells_per_s = std::numeric_limits<std::uint64_t>::max();
  SwitchIndex at = *destination;
  PortId output = kEndpointPort;
  while (at != *source) {
    const TopologyLink& link = topology_.links()[link_into[at]];
    const bool from_a = link.b.at == at;
    const LinkEnd here = from_a ? link.b : link.a;
    const LinkEnd there = from_a ? link.a : link.b;
    path.hops.push_back({topology_.switches()[at].name, here.port, output});
    path.free_cells_per_s = std::min(path.free_cells_per_s, link.cells_per_s);
    output = there.port;
    at = there.at;
    XB_CHECK(path.hops.size() < topology_.switches().size(), path.hops.size());
  }
  path.hops.push_back({topology_.switches()[at].name, kEndpointPort, output});
  std::ranges::reverse(path.hops);
  return path;
}

}  // namespace xbind
