// Which hop of a call follows which (found_call.hpp): by numbers, else by links, else by labels.
//
// Where neither numbers nor links say it, every way to join the rest is tried. The best way is one
// that reaches a destination; that agrees with the numbers of its newest generation; that leaves
// out the fewest hops; that follows the most links, in this order.
//
// A call of which a middle hop has been released may look whole, because equal labels on different
// links are common. So a joint by a label alone counts only if the numbers agree, if no call has
// shown another link at its ends, and if the topology has no link at one of them, or no hop is left
// out.
//
// The search is bounded. If it was cut, and its best way may not be the right one, the tree is
// undecided: nothing follows from what it leaves out. The same if a last hop leads to a hop that is
// left out: a lost hop was taken for the last one because nothing behind it was known (seed 166 of
// the simulator).
//
// Pure; used for one call and thrown away.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "cmgr/parts/found_call.hpp"

namespace xbind::cmgr {

// Where cells enter a switch, or leave it.
using FoundPlace = std::tuple<SwitchIndex, PortId, Label>;

inline FoundPlace input_of(const FoundHop& hop) {
  return {hop.at, hop.hop.cross_connect.input_port, hop.hop.cross_connect.input_label};
}
inline FoundPlace output_of(const FoundHop& hop) {
  return {hop.at, hop.hop.cross_connect.output_port, hop.hop.cross_connect.output_label};
}

// Visits each two hops, in any stage, whose numbers say that the second follows the first:
// visit(index, index of the second).
template <class Visit>
void for_each_pair(const std::vector<FoundHop>& hops, Visit&& visit) {
  std::vector<std::size_t> order(hops.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto number = [&](std::size_t i) {
    const HopKey& key = hops[i].hop.key;
    return std::tuple{key.leg, key.generation, key.hop};
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return number(a) < number(b); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const LedgerHop& one = hops[order[i - 1]].hop;
    const LedgerHop& next = hops[order[i]].hop;
    const Label label = one.cross_connect.output_label;
    if (one.key.leg == next.key.leg && one.key.generation == next.key.generation &&
        one.key.hop + 1 == next.key.hop && label.present() &&
        label == next.cross_connect.input_label) {
      visit(order[i - 1], order[i]);
    }
  }
}

class FoundJoints {
 public:
  // Both must outlive this object.
  FoundJoints(const std::vector<FoundHop>& hops, const KnownLinks& links);
  FoundTree tree();

 private:
  static constexpr std::size_t kNone = FoundTree::kNone;
  // Bounds of a search: inlets without an upstream that an outlet fits, and attempts.
  static constexpr std::size_t kHeadsMax = 8;
  static constexpr std::size_t kAttemptsMax = 20'000;

  // Hops that cells enter at one place with one label: one hop, or branches of a tree.
  struct Inlet {
    std::size_t begin = 0;  // of its hops in by_input_
    std::size_t end = 0;
    bool entrance = false;
    bool dead = false;  // the hops that led here carry no cells
    std::size_t upstream = kNone;
  };
  // A place where cells leave into a link with one label: of one hop, or of hops that share it.
  struct Outlet {
    std::size_t begin = 0;  // of its hops in by_output_
    std::size_t end = 0;
    bool closed = false;  // the hop that it leads to carries no cells
    std::size_t downstream = kNone;
  };
  // Of two ways to join the hops, the better one is greater.
  struct Score {
    bool whole = false;     // a destination is reached
    bool placed = false;    // the numbers of the newest generation agree
    std::size_t nodes = 0;  // hops that cells pass
    std::size_t links = 0;  // joints along links
    auto operator<=>(const Score&) const = default;
  };
  using Joints = std::vector<std::size_t>;  // the outlets of some inlets; kNone: left out

  std::span<const std::size_t> hops_at(const Inlet& inlet) const {
    return std::span{by_input_}.subspan(inlet.begin, inlet.end - inlet.begin);
  }
  std::span<const std::size_t> hops_at(const Outlet& outlet) const {
    return std::span{by_output_}.subspan(outlet.begin, outlet.end - outlet.begin);
  }
  const FoundHop& first_of(const Inlet& inlet) const { return hops_[by_input_[inlet.begin]]; }
  const FoundHop& first_of(const Outlet& outlet) const { return hops_[by_output_[outlet.begin]]; }
  // kNone: no hop that carries cells is there.
  std::size_t inlet_at(const FoundPlace& place) const;
  std::size_t outlet_at(const FoundPlace& place) const;
  bool begins(const FoundHop& hop) const;

  void join(std::size_t outlet, std::size_t inlet);
  void part(std::size_t inlet);
  void join_by_number();
  // Joins the rest of the reverse direction, or of all other legs.
  void join_rest(bool back);
  void join_by_link(std::size_t head);
  // Searches the upstreams of the heads, if an outlet fits them; the others are left out.
  void search_heads(const std::vector<std::size_t>& all, bool back);
  // Whether nothing that calls have shown contradicts the joint.
  bool may_join(std::size_t tail, std::size_t head) const;
  bool is_link(std::size_t tail, std::size_t head) const;
  // Whether the hops of the inlet may follow those of the outlet, wherever links lead.
  bool fits(std::size_t tail, std::size_t head) const;

  // Tries every way to join the heads from that one on, and keeps the best. `all`: the inlets whose
  // joints are kept.
  void search(std::size_t next, const std::vector<std::size_t>& all, bool back);
  void keep_best(const std::vector<std::size_t>& all, bool back);
  // Hops that may carry cells, as far as numbers say.
  std::size_t live_hops(bool back) const;
  // Without the joints along links.
  Score score(bool back) const;
  FoundTree built() const;
  // Whether a hop of the tree that calls itself the last one leads to a hop that the tree lacks.
  bool leads_out_of(const FoundTree& tree) const;

  const std::vector<FoundHop>& hops_;
  const KnownLinks& links_;
  std::vector<std::size_t> by_input_;   // the hops that carry cells, by input
  std::vector<std::size_t> by_output_;  // those of them that lead into links, by output
  std::vector<Inlet> inlets_;           // by place
  std::vector<Outlet> outlets_;         // by place
  std::vector<std::size_t> heads_;      // inlets whose outlet is searched
  std::vector<std::size_t> tails_;      // outlets that may lead to them
  Joints best_;                         // of the search; empty: none yet
  Score best_score_;
  std::size_t attempts_ = 0;
  bool cut_ = false;  // the last search
  bool by_label_ = false;
  bool undecided_ = false;
};

}  // namespace xbind::cmgr
