// The topology for path searches: arcs in compressed rows, each with its present free rate.
//
// An arc is one direction of a link. The arcs of a switch are numbered consecutively in link order;
// path_query.hpp states what that order decides. All versions of a graph share shape and names;
// each has its own rates and failures. A change makes a new graph and copies 10 octets per arc. A
// graph is immutable: any number of threads may query it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {

using ArcIndex = std::uint32_t;
inline constexpr ArcIndex kNoArc = std::numeric_limits<ArcIndex>::max();

// The rates that calls have left free on a link, in each direction; at most kLinkCellsPerSMax each.
struct LinkState {
  bool up = true;  // false: no path may use the link, at any rate
  std::uint64_t free_a_to_b = 0;
  std::uint64_t free_b_to_a = 0;

  friend bool operator==(const LinkState&, const LinkState&) = default;
};

struct LinkChange {
  std::size_t link = 0;  // index into Topology::links()
  LinkState state;
};

class RouteGraph {
 public:
  // All links are up, and all their rates are free. `topology` must not be null.
  explicit RouteGraph(std::shared_ptr<const Topology> topology);

  // Returns the graph after these changes, in their order. kNotFound: no such link; kBadInput: a
  // rate above kLinkCellsPerSMax.
  Result<RouteGraph> with(std::span<const LinkChange> changes) const;

  const Topology& topology() const { return *shape_->topology; }
  LinkState link_state(std::size_t link) const;

  std::uint32_t switches() const {
    return static_cast<std::uint32_t>(shape_->first_arc.size() - 1);
  }
  std::uint32_t arcs() const { return static_cast<std::uint32_t>(shape_->to.size()); }
  // The arcs that leave a switch: first_arc(at) to first_arc(at + 1).
  ArcIndex first_arc(SwitchIndex at) const { return shape_->first_arc[at]; }
  SwitchIndex to(ArcIndex arc) const { return shape_->to[arc]; }
  SwitchIndex from(ArcIndex arc) const { return shape_->to[shape_->twin[arc]]; }
  // The opposite direction of the same link.
  ArcIndex twin(ArcIndex arc) const { return shape_->twin[arc]; }
  std::uint32_t link(ArcIndex arc) const { return shape_->link[arc]; }
  std::uint32_t delay_us(ArcIndex arc) const { return shape_->delay_us[arc]; }
  std::uint64_t free(ArcIndex arc) const { return free_[arc]; }
  bool usable(ArcIndex arc, std::uint64_t cells_per_s) const {
    return up_[arc] != 0 && free_[arc] >= cells_per_s;
  }
  // The arc that leaves the link's end `a`; its twin leaves `b`.
  ArcIndex arc_from_a(std::size_t link) const { return shape_->arc_from_a[link]; }
  // The link's ends, seen along the arc.
  LinkEnd output_end(ArcIndex arc) const;
  LinkEnd input_end(ArcIndex arc) const;

 private:
  struct Shape {
    std::shared_ptr<const Topology> topology;
    std::vector<ArcIndex> first_arc;  // one more than switches
    std::vector<SwitchIndex> to;
    std::vector<ArcIndex> twin;
    std::vector<std::uint32_t> link;
    std::vector<std::uint32_t> delay_us;
    std::vector<ArcIndex> arc_from_a;
  };

  std::shared_ptr<const Shape> shape_;
  std::vector<std::uint64_t> free_;  // by arc
  std::vector<std::uint8_t> up_;
};

}  // namespace xbind
