#include "routeobject/route_graph.hpp"

#include <utility>

#include "core/check.hpp"

namespace xbind {

RouteGraph::RouteGraph(std::shared_ptr<const Topology> topology) {
  XB_CHECK(topology != nullptr);
  const auto& links = topology->links();
  const std::size_t switches = topology->switches().size();
  auto shape = std::make_shared<Shape>();
  shape->first_arc.assign(switches + 1, 0);
  for (const TopologyLink& link : links) {
    ++shape->first_arc[link.a.at + 1];
    ++shape->first_arc[link.b.at + 1];
  }
  for (std::size_t at = 0; at < switches; ++at) shape->first_arc[at + 1] += shape->first_arc[at];

  const std::size_t arcs = links.size() * 2;
  shape->to.resize(arcs);
  shape->twin.resize(arcs);
  shape->link.resize(arcs);
  shape->delay_us.resize(arcs);
  shape->arc_from_a.reserve(links.size());
  free_.resize(arcs);
  up_.assign(arcs, 1);
  std::vector<ArcIndex> next(shape->first_arc.begin(), shape->first_arc.end() - 1);
  for (std::uint32_t index = 0; index < links.size(); ++index) {
    const TopologyLink& link = links[index];
    const ArcIndex from_a = next[link.a.at]++;
    const ArcIndex from_b = next[link.b.at]++;
    shape->arc_from_a.push_back(from_a);
    for (const auto& [arc, twin, to] :
         {std::tuple{from_a, from_b, link.b.at}, {from_b, from_a, link.a.at}}) {
      shape->to[arc] = to;
      shape->twin[arc] = twin;
      shape->link[arc] = index;
      shape->delay_us[arc] = link.delay_us;
      free_[arc] = link.cells_per_s;
    }
  }
  shape->topology = std::move(topology);
  shape_ = std::move(shape);
}

Result<RouteGraph> RouteGraph::with(std::span<const LinkChange> changes) const {
  RouteGraph next = *this;
  const auto& links = topology().links();
  for (const LinkChange& change : changes) {
    if (change.link >= links.size()) {
      return fail(ErrorCode::kNotFound, "link number {} is not there, {} are", change.link,
                  links.size());
    }
    for (const std::uint64_t free : {change.state.free_a_to_b, change.state.free_b_to_a}) {
      if (free <= kLinkCellsPerSMax) continue;
      return fail(ErrorCode::kBadInput, "{} cells/s free on the link {} to {}, the most is {}",
                  free, topology().end_text(links[change.link].a),
                  topology().end_text(links[change.link].b), kLinkCellsPerSMax);
    }
    const ArcIndex from_a = arc_from_a(change.link);
    const ArcIndex from_b = twin(from_a);
    next.free_[from_a] = change.state.free_a_to_b;
    next.free_[from_b] = change.state.free_b_to_a;
    next.up_[from_a] = next.up_[from_b] = change.state.up ? 1 : 0;
  }
  return next;
}

LinkState RouteGraph::link_state(std::size_t link) const {
  const ArcIndex from_a = arc_from_a(link);
  return {up_[from_a] != 0, free_[from_a], free_[twin(from_a)]};
}

LinkEnd RouteGraph::output_end(ArcIndex arc) const {
  const TopologyLink& at = topology().links()[link(arc)];
  return arc_from_a(link(arc)) == arc ? at.a : at.b;
}

LinkEnd RouteGraph::input_end(ArcIndex arc) const { return output_end(twin(arc)); }

}  // namespace xbind
