#include "cmgr/parts/found_joints.hpp"

#include <algorithm>
#include <map>

#include "core/planted.hpp"

namespace xbind::cmgr {
namespace {

// Sorts the hops by place, and makes one group of those at the same place.
template <class Group, class PlaceOf>
void group(std::vector<std::size_t>& order, std::vector<Group>& groups, PlaceOf&& place_of) {
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return place_of(a) < place_of(b); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || place_of(order[i]) != place_of(order[i - 1])) groups.push_back({i, i});
    groups.back().end = i + 1;
  }
}

// Whether numbers and labels allow that cells go from one hop to the other.
bool follows(const FoundHop& from, const FoundHop& to) {
  if (from.at == to.at) return false;
  if (from.hop.cross_connect.output_label != to.hop.cross_connect.input_label) return false;
  const HopKey& one = from.hop.key;
  const HopKey& next = to.hop.key;
  if (to.hop.branch) return one.leg != 1 && one.leg < next.leg;
  if (one.leg != next.leg) return false;
  return one.generation != next.generation || one.hop + 1 == next.hop;
}

// The newest generation of the chain. One of a single hop counts for nothing where others have
// several: such a hop was claimed at a lost ledger (found_gaps.hpp).
Generation newest_of(const std::vector<const LedgerHop*>& chain) {
  std::map<Generation, std::size_t> hops;
  for (const LedgerHop* hop : chain) ++hops[hop->key.generation];
  for (auto it = hops.rbegin(); it != hops.rend(); ++it) {
    if (it->second > 1) return it->first;
  }
  return hops.rbegin()->first;
}

// Whether each hop of the chain's newest generation is where its number says, and the chain as long
// as it was then. Where such a generation left another path and came back to it, two hops are new
// at least: one that takes over and one that joins. One of them may be a rebuilt hop, whose
// generation is above the newest.
bool is_placed(const std::vector<const LedgerHop*>& chain) {
  if (chain.empty()) return true;
  const Generation newest = newest_of(chain);
  const bool ends = chain.back()->key.hop + 1 == chain.back()->hop_count;
  std::size_t run = 0;
  bool is_newest = false;  // a hop of the run, by its own generation
  for (std::size_t i = 0; i <= chain.size(); ++i) {
    if (i < chain.size() && chain[i]->key.generation >= newest) {
      ++run;
      if (chain[i]->key.generation > newest) continue;
      if (chain[i]->key.hop != i || (ends && chain[i]->hop_count != chain.size())) return false;
      is_newest = true;
      continue;
    }
    const bool cut_off = i == chain.size() && !ends;
    if (is_newest && run == 1 && chain.size() > 1 && !cut_off) return false;
    run = 0;
    is_newest = false;
  }
  return true;
}

// Leg by leg: other code expects leg 0 first, in the order of the path.
FoundTree in_order_of_legs(const FoundTree& tree, const std::vector<FoundHop>& hops) {
  std::vector<std::size_t> order(tree.nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto leg_of = [&](std::size_t node) { return hops[tree.nodes[node].hop].hop.key.leg; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return leg_of(a) < leg_of(b); });
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  FoundTree sorted;
  for (const std::size_t node : order) {
    const FoundTree::Node& from = tree.nodes[node];
    sorted.nodes.push_back(
        {from.hop, from.upstream == FoundTree::kNone ? FoundTree::kNone : place[from.upstream]});
  }
  const std::vector<bool> dead = dead_ends(sorted, hops);
  sorted.broken = std::find(dead.begin(), dead.end(), true) != dead.end();
  return sorted;
}

}  // namespace

FoundJoints::FoundJoints(const std::vector<FoundHop>& hops, const KnownLinks& links)
    : hops_(hops), links_(links) {
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (!hops[i].carries()) continue;
    by_input_.push_back(i);
    if (!hops[i].last()) by_output_.push_back(i);
  }
  group(by_input_, inlets_, [&](std::size_t i) { return input_of(hops[i]); });
  group(by_output_, outlets_, [&](std::size_t i) { return output_of(hops[i]); });
  // One that is being removed shows the entrance to the branches beside it as well.
  for (const FoundHop& hop : hops) {
    if (!begins(hop)) continue;
    if (const std::size_t inlet = inlet_at(input_of(hop)); inlet != kNone) {
      inlets_[inlet].entrance = true;
    }
  }
}

FoundTree FoundJoints::tree() {
  if (!planted(Bug::kLinksTrusted)) join_by_number();
  for (const bool back : {false, true}) join_rest(back);
  FoundTree tree = built();
  tree.by_label = by_label_;
  tree.undecided = undecided_ || leads_out_of(tree);
  return tree;
}

bool FoundJoints::leads_out_of(const FoundTree& tree) const {
  return std::ranges::any_of(tree.nodes, [&](const FoundTree::Node& node) {
    const FoundHop& from = hops_[node.hop];
    const CrossConnect& leaves = from.hop.cross_connect;
    const auto far = links_.far_end(from.at, leaves.output_port);
    if (!from.last() || !far) return false;
    const std::size_t inlet = inlet_at({far->first, far->second, leaves.output_label});
    // The hops of one inlet are all in the tree, or none is.
    return inlet != kNone && !inlets_[inlet].entrance &&
           !tree.contains(by_input_[inlets_[inlet].begin]);
  });
}

// ===== places =====

std::size_t FoundJoints::inlet_at(const FoundPlace& place) const {
  const auto found = std::lower_bound(
      inlets_.begin(), inlets_.end(), place,
      [&](const Inlet& it, const FoundPlace& at) { return input_of(first_of(it)) < at; });
  const bool there = found != inlets_.end() && input_of(first_of(*found)) == place;
  return there ? static_cast<std::size_t>(found - inlets_.begin()) : kNone;
}

std::size_t FoundJoints::outlet_at(const FoundPlace& place) const {
  const auto found = std::lower_bound(
      outlets_.begin(), outlets_.end(), place,
      [&](const Outlet& it, const FoundPlace& at) { return output_of(first_of(it)) < at; });
  const bool there = found != outlets_.end() && output_of(first_of(*found)) == place;
  return there ? static_cast<std::size_t>(found - outlets_.begin()) : kNone;
}

bool FoundJoints::begins(const FoundHop& hop) const {
  if (!planted(Bug::kLinksTrusted)) return hop.begins();
  return !links_.topology().far_end(hop.at, hop.hop.cross_connect.input_port);
}

// ===== joints =====

void FoundJoints::join(std::size_t outlet, std::size_t inlet) {
  outlets_[outlet].downstream = inlet;
  inlets_[inlet].upstream = outlet;
}

void FoundJoints::part(std::size_t inlet) {
  outlets_[inlets_[inlet].upstream].downstream = kNone;
  inlets_[inlet].upstream = kNone;
}

void FoundJoints::join_by_number() {
  for_each_pair(hops_, [&](std::size_t one, std::size_t next) {
    const std::size_t outlet = outlet_at(output_of(hops_[one]));
    const std::size_t inlet = inlet_at(input_of(hops_[next]));
    if (inlet != kNone && inlets_[inlet].entrance) return;
    if (outlet != kNone && inlet != kNone) {
      const bool free = outlets_[outlet].downstream == kNone && inlets_[inlet].upstream == kNone;
      if (free) join(outlet, inlet);
    } else if (inlet != kNone) {
      inlets_[inlet].dead = true;
    } else if (outlet != kNone) {
      outlets_[outlet].closed = true;
    }
  });
  // Of an inlet with several hops, one may have shown that cells arrive.
  for (Inlet& inlet : inlets_) inlet.dead = inlet.dead && inlet.upstream == kNone;
  // No cells pass what follows a dead inlet alone.
  for (bool more = true; more;) {
    more = false;
    for (const Outlet& outlet : outlets_) {
      if (outlet.downstream == kNone || inlets_[outlet.downstream].dead) continue;
      const auto from = hops_at(outlet);
      const bool dead = std::all_of(from.begin(), from.end(), [&](std::size_t hop) {
        return inlets_[inlet_at(input_of(hops_[hop]))].dead;
      });
      more = more || dead;
      inlets_[outlet.downstream].dead = dead;
    }
  }
}

bool FoundJoints::fits(std::size_t tail, std::size_t head) const {
  if (outlets_[tail].downstream != kNone) return false;
  for (const std::size_t from : hops_at(outlets_[tail])) {
    for (const std::size_t to : hops_at(inlets_[head])) {
      if (!follows(hops_[from], hops_[to])) return false;
    }
  }
  return true;
}

bool FoundJoints::may_join(std::size_t tail, std::size_t head) const {
  const FoundHop& from = first_of(outlets_[tail]);
  const FoundHop& to = first_of(inlets_[head]);
  const auto shown = links_.shown(from.at, from.hop.cross_connect.output_port);
  const auto back = links_.shown(to.at, to.hop.cross_connect.input_port);
  return (!shown && !back) || is_link(tail, head);
}

void FoundJoints::join_by_link(std::size_t head) {
  const FoundHop& to = first_of(inlets_[head]);
  const CrossConnect& ports = to.hop.cross_connect;
  for (const auto& from : links_.far_ends(to.at, ports.input_port)) {
    if (!from) continue;
    const std::size_t tail = outlet_at({from->first, from->second, ports.input_label});
    if (tail == kNone || outlets_[tail].closed || !fits(tail, head)) continue;
    join(tail, head);
    return;
  }
}

bool FoundJoints::is_link(std::size_t tail, std::size_t head) const {
  const FoundHop& to = first_of(inlets_[head]);
  const FoundHop& from = first_of(outlets_[tail]);
  const KnownLinks::End end{from.at, from.hop.cross_connect.output_port};
  const auto ends = links_.far_ends(to.at, to.hop.cross_connect.input_port);
  return std::find(ends.begin(), ends.end(), end) != ends.end();
}

void FoundJoints::join_rest(bool back) {
  heads_.clear();
  tails_.clear();
  for (std::size_t at = 0; at < inlets_.size(); ++at) {
    const Inlet& inlet = inlets_[at];
    if (inlet.entrance || inlet.dead || inlet.upstream != kNone) continue;
    if ((first_of(inlet).hop.key.leg == 1) == back) heads_.push_back(at);
  }
  for (std::size_t at = 0; at < outlets_.size(); ++at) {
    const Outlet& outlet = outlets_[at];
    if (outlet.closed || outlet.downstream != kNone) continue;
    if ((first_of(outlet).hop.key.leg == 1) == back) tails_.push_back(at);
  }
  if (heads_.empty() || tails_.empty()) return;
  for (const std::size_t head : heads_) join_by_link(head);
  if (planted(Bug::kLinksTrusted)) return;
  const std::vector<std::size_t> all = heads_;
  best_.clear();
  keep_best(all, back);
  // First what the links have left, then everything anew.
  std::erase_if(heads_, [&](std::size_t head) { return inlets_[head].upstream != kNone; });
  search_heads(all, back);
  if (!(best_score_.whole && best_score_.placed)) {
    heads_ = all;
    for (const std::size_t head : all) {
      if (inlets_[head].upstream != kNone) part(head);
    }
    search_heads(all, back);
  }
  for (const std::size_t head : all) {
    if (inlets_[head].upstream != kNone) part(head);
  }
  bool by_label = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (best_[i] == kNone) continue;
    join(best_[i], all[i]);
    by_label = by_label || !is_link(best_[i], all[i]);
  }
  by_label_ = by_label_ || by_label;
  const bool complete = best_score_.whole && best_score_.nodes == live_hops(back);
  const bool sure = complete && (best_score_.placed || !by_label);
  undecided_ = undecided_ || (cut_ && !sure);
}

// ===== the search =====

void FoundJoints::search_heads(const std::vector<std::size_t>& all, bool back) {
  std::erase_if(heads_, [&](std::size_t head) {
    return std::none_of(tails_.begin(), tails_.end(),
                        [&](std::size_t tail) { return fits(tail, head) && may_join(tail, head); });
  });
  attempts_ = 0;
  cut_ = heads_.size() > kHeadsMax;
  if (!cut_) search(0, all, back);
}

void FoundJoints::search(std::size_t next, const std::vector<std::size_t>& all, bool back) {
  if (++attempts_ > kAttemptsMax) {
    cut_ = true;
    return;
  }
  if (next == heads_.size()) {
    keep_best(all, back);
    return;
  }
  for (const std::size_t tail : tails_) {
    if (!fits(tail, heads_[next]) || !may_join(tail, heads_[next])) continue;
    join(tail, heads_[next]);
    search(next + 1, all, back);
    part(heads_[next]);
  }
  search(next + 1, all, back);
}

void FoundJoints::keep_best(const std::vector<std::size_t>& all, bool back) {
  Score now = score(back);
  bool by_label = false;
  bool contradicts = false;
  for (const std::size_t head : all) {
    const std::size_t tail = inlets_[head].upstream;
    if (tail == kNone) continue;
    if (is_link(tail, head)) {
      ++now.links;
      continue;
    }
    by_label = true;
    const FoundHop& from = first_of(outlets_[tail]);
    const FoundHop& to = first_of(inlets_[head]);
    contradicts =
        contradicts || (links_.topology().far_end(from.at, from.hop.cross_connect.output_port) &&
                        links_.topology().far_end(to.at, to.hop.cross_connect.input_port));
  }
  if (by_label && (!now.placed || (contradicts && now.nodes < live_hops(back)))) return;
  if (!best_.empty() && now <= best_score_) return;
  best_score_ = now;
  best_.clear();
  for (const std::size_t head : all) best_.push_back(inlets_[head].upstream);
}

std::size_t FoundJoints::live_hops(bool back) const {
  std::size_t hops = 0;
  for (const Inlet& inlet : inlets_) {
    if (!inlet.dead && (first_of(inlet).hop.key.leg == 1) == back) hops += hops_at(inlet).size();
  }
  return hops;
}

FoundJoints::Score FoundJoints::score(bool back) const {
  const FoundTree tree = pruned(built(), hops_);
  Score score{false, true, 0, 0};
  std::vector<const LedgerHop*> chain;  // of leg 0 or 1
  const std::uint16_t leg = back ? 1 : 0;
  for (const FoundTree::Node& node : tree.nodes) {
    const FoundHop& hop = hops_[node.hop];
    if ((hop.hop.key.leg == 1) != back) continue;
    ++score.nodes;
    score.whole = score.whole || hop.last();
    if (hop.hop.key.leg == leg) chain.push_back(&hop.hop);
  }
  score.placed = is_placed(chain);
  return score;
}

FoundTree FoundJoints::built() const {
  FoundTree tree;
  std::vector<bool> seen(hops_.size());
  const auto enter = [&](const Inlet& inlet, std::size_t upstream) {
    for (const std::size_t hop : hops_at(inlet)) {
      if (seen[hop]) continue;
      seen[hop] = true;
      tree.nodes.push_back({hop, upstream});
    }
  };
  for (const Inlet& inlet : inlets_) {
    if (inlet.entrance) enter(inlet, kNone);
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const FoundHop& from = hops_[tree.nodes[i].hop];
    if (from.last()) continue;
    const Outlet& outlet = outlets_[outlet_at(output_of(from))];
    if (outlet.downstream != kNone) enter(inlets_[outlet.downstream], i);
  }
  return in_order_of_legs(tree, hops_);
}

}  // namespace xbind::cmgr
