#include "routeobject/label_search.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <functional>
#include <optional>
#include <utility>

#include "core/check.hpp"
#include "routeobject/distances.hpp"

namespace xbind {
namespace {

using LabelIndex = std::uint32_t;
constexpr LabelIndex kRoot = 0;
// Comparisons with dominating labels per label that may be made: the second half of the bound.
constexpr std::size_t kComparisonsPerLabel = 128;
constexpr std::size_t kOnceMax = 64;  // switches that may be visited only once: bits of a word

struct Label {  // a partial path from the source to `at`
  std::uint64_t cost = 0;
  std::uint64_t delay_us = 0;
  std::uint64_t once = 0;  // those of the once-only switches that it has visited
  LabelIndex parent = kRoot;
  ArcIndex arc = kNoArc;  // the last one
  SwitchIndex at = 0;
  std::uint32_t links = 0;
  std::uint32_t met = 0;  // the required elements that it has met
};

class LabelSearch {
 public:
  LabelSearch(const RouteGraph& graph, const SearchSpec& spec)
      : graph_(graph),
        spec_(spec),
        usable_([this](ArcIndex arc) {
          return spec_.usable(graph_, arc) &&
                 std::ranges::find(spec_.blocked_start, arc) == spec_.blocked_start.end();
        }),
        cost_([this](ArcIndex arc) {
          return arc_cost(graph_, arc, spec_.metric, spec_.cells_per_s);
        }) {}

  SearchResult run() {
    if (spec_.blocked_switch[spec_.from] != 0) return {};
    all_met_ = (1u << (spec_.via_switches.size() + spec_.via_links.size())) - 1;
    to_go_ = distances_to(graph_, spec_.to, usable_, cost_);
    if (!to_go_[spec_.from].reached()) return {};
    SearchResult best = shortest();
    if (within_bounds(best)) return best;

    if (spec_.delay_us_max != kNoDelayBound) {
      delay_to_go_ = distances_to(graph_, spec_.to, usable_, [this](ArcIndex arc) -> std::uint64_t {
        return graph_.delay_us(arc);
      });
    }
    if (spec_.links_max != kNoLinkBound) {
      links_to_go_ =
          distances_to(graph_, spec_.to, usable_, [](ArcIndex) -> std::uint64_t { return 1; });
    }
    while (true) {
      const SearchEnd end = best_walk();
      if (end != SearchEnd::kFound) return {end, {}, 0, held()};
      SearchResult found = walk_to(settled_goal_);
      const std::vector<SwitchIndex> repeated = repeats(found.arcs);
      if (repeated.empty()) return found;
      if (once_.size() + repeated.size() > kOnceMax) {
        return {SearchEnd::kTooHard, {}, 0, held()};
      }
      once_.insert(once_.end(), repeated.begin(), repeated.end());
    }
  }

 private:
  SearchResult shortest() const {
    SearchResult found{SearchEnd::kFound, {}, to_go_[spec_.from].cost, 0};
    for (SwitchIndex at = spec_.from; at != spec_.to; at = graph_.to(found.arcs.back())) {
      const ArcIndex arc = best_arc(graph_, at, to_go_, usable_, cost_);
      XB_CHECK(arc != kNoArc, at);
      found.arcs.push_back(arc);
    }
    return found;
  }

  bool within_bounds(const SearchResult& found) const {
    std::uint64_t delay_us = 0;
    Label label;
    for (const ArcIndex arc : found.arcs) {
      delay_us += graph_.delay_us(arc);
      meet(label, arc);
    }
    return delay_us <= spec_.delay_us_max && found.arcs.size() <= spec_.links_max &&
           label.met == all_met_;
  }

  void meet(Label& label, ArcIndex arc) const {
    std::uint32_t bit = 1;
    for (const SwitchIndex via : spec_.via_switches) {
      if (graph_.to(arc) == via) label.met |= bit;
      bit <<= 1;
    }
    for (const std::uint32_t via : spec_.via_links) {
      if (graph_.link(arc) == via) label.met |= bit;
      bit <<= 1;
    }
  }

  // Whether `a` precedes `b`, assuming the best possible rest of the path for each.
  bool before(LabelIndex a, LabelIndex b) const {
    const PathLength length_a = promised(labels_[a]);
    const PathLength length_b = promised(labels_[b]);
    return length_a != length_b ? length_a < length_b : links_before(a, b);
  }

  PathLength promised(const Label& label) const {
    const PathLength rest = to_go_[label.at];
    return {label.cost + rest.cost, label.links + rest.links};
  }

  // Compares the links from the source on; a path precedes its own continuation.
  bool links_before(LabelIndex a, LabelIndex b) const {
    const bool shorter = labels_[a].links < labels_[b].links;
    while (labels_[a].links > labels_[b].links) a = labels_[a].parent;
    while (labels_[b].links > labels_[a].links) b = labels_[b].parent;
    bool first = shorter;
    for (; a != b; a = labels_[a].parent, b = labels_[b].parent) {
      const std::uint32_t link_a = graph_.link(labels_[a].arc);
      const std::uint32_t link_b = graph_.link(labels_[b].arc);
      if (link_a != link_b) first = link_a < link_b;
    }
    return first;
  }

  // The best walk that meets everything, but may repeat switches that are not in once_.
  SearchEnd best_walk() {
    const auto later = [this](LabelIndex a, LabelIndex b) { return before(b, a); };
    labels_.clear();
    settled_.assign(graph_.switches(), {});
    Label root;
    root.at = spec_.from;
    labels_.push_back(root);
    std::vector<LabelIndex> heap{kRoot};
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), later);
      const LabelIndex index = heap.back();
      heap.pop_back();
      const Label label = labels_[index];
      if (label.at == spec_.to) {
        settled_goal_ = index;
        return SearchEnd::kFound;
      }
      if (dominated(label)) continue;
      settle(index, label);
      for (ArcIndex arc = graph_.first_arc(label.at); arc < graph_.first_arc(label.at + 1); ++arc) {
        const auto next = extended(label, index, arc);
        if (!next || dominated(*next)) continue;
        if (made_ == spec_.labels_max) return SearchEnd::kTooHard;
        ++made_;
        labels_.push_back(*next);
        heap.push_back(static_cast<LabelIndex>(labels_.size() - 1));
        std::push_heap(heap.begin(), heap.end(), later);
      }
      if (compared_ > spec_.labels_max * kComparisonsPerLabel) return SearchEnd::kTooHard;
    }
    return SearchEnd::kNone;
  }

  std::optional<Label> extended(const Label& label, LabelIndex index, ArcIndex arc) const {
    const SwitchIndex at = graph_.to(arc);
    if (at == spec_.from || !usable_(arc) || !to_go_[at].reached()) return std::nullopt;
    Label next = label;
    next.at = at;
    next.arc = arc;
    next.parent = index;
    next.cost += cost_(arc);
    next.links += 1;
    next.delay_us += graph_.delay_us(arc);
    if (!delay_to_go_.empty() && next.delay_us + delay_to_go_[at].cost > spec_.delay_us_max) {
      return std::nullopt;
    }
    if (!links_to_go_.empty() && next.links + links_to_go_[at].links > spec_.links_max) {
      return std::nullopt;
    }
    for (std::size_t bit = 0; bit < once_.size(); ++bit) {
      if (once_[bit] != at) continue;
      if ((next.once >> bit & 1) != 0) return std::nullopt;
      next.once |= std::uint64_t{1} << bit;
    }
    meet(next, arc);
    if (at == spec_.to && next.met != all_met_) return std::nullopt;
    return next;
  }

  // Labels settle in order, so a settled label of the same switch precedes this one.
  bool dominated(const Label& label) {
    const std::vector<LabelIndex>& settled = settled_[label.at];
    for (auto index = settled.rbegin(); index != settled.rend(); ++index) {
      ++compared_;
      const Label& other = labels_[*index];
      if (other.delay_us > label.delay_us && !delay_to_go_.empty()) continue;
      if (other.links > label.links && !links_to_go_.empty()) continue;
      if ((label.met & ~other.met) != 0 || (other.once & ~label.once) != 0) continue;
      return true;
    }
    return false;
  }

  void settle(LabelIndex index, const Label& label) {
    std::vector<LabelIndex>& settled = settled_[label.at];
    // With only one bounded quantity, the label settled last has the least of it.
    if (all_met_ == 0 && (delay_to_go_.empty() || links_to_go_.empty())) settled.clear();
    settled.push_back(index);
  }

  SearchResult walk_to(LabelIndex index) const {
    SearchResult found{SearchEnd::kFound, {}, labels_[index].cost, held()};
    for (; index != kRoot; index = labels_[index].parent) found.arcs.push_back(labels_[index].arc);
    std::ranges::reverse(found.arcs);
    return found;
  }

  // The cost of the search in labels; comparisons count instead where they cost more.
  std::size_t held() const { return std::max(made_, compared_ / kComparisonsPerLabel); }

  std::vector<SwitchIndex> repeats(const std::vector<ArcIndex>& arcs) const {
    std::vector<SwitchIndex> seen;
    seen.reserve(arcs.size());
    for (const ArcIndex arc : arcs) seen.push_back(graph_.to(arc));
    std::ranges::sort(seen);
    std::vector<SwitchIndex> twice;
    for (std::size_t i = 1; i < seen.size(); ++i) {
      if (seen[i] == seen[i - 1] && (twice.empty() || twice.back() != seen[i])) {
        twice.push_back(seen[i]);
      }
    }
    return twice;
  }

  const RouteGraph& graph_;
  const SearchSpec& spec_;
  const std::function<bool(ArcIndex)> usable_;
  const std::function<std::uint64_t(ArcIndex)> cost_;
  std::vector<PathLength> to_go_;        // in the metric
  std::vector<PathLength> delay_to_go_;  // its cost is the delay; empty: no delay bound
  std::vector<PathLength> links_to_go_;  // empty: no bound on links
  std::uint32_t all_met_ = 0;
  std::vector<SwitchIndex> once_;
  std::vector<Label> labels_;
  std::vector<std::vector<LabelIndex>> settled_;  // by switch
  LabelIndex settled_goal_ = kRoot;
  std::size_t made_ = 0;
  std::size_t compared_ = 0;
};

}  // namespace

SearchResult search_path(const RouteGraph& graph, const SearchSpec& spec) {
  if (spec.via_switches.empty() && spec.via_links.empty()) return LabelSearch(graph, spec).run();
  const std::vector<std::uint8_t> useful = on_loopless_ways(graph, spec);
  for (const SwitchIndex at : spec.via_switches) {
    if (useful[at] == 0) return {};
  }
  for (const std::uint32_t link : spec.via_links) {
    const ArcIndex arc = graph.arc_from_a(link);
    if (useful[graph.from(arc)] == 0 || useful[graph.to(arc)] == 0) return {};
  }
  SearchSpec narrowed = spec;
  for (std::size_t at = 0; at < useful.size(); ++at) {
    if (useful[at] == 0) narrowed.blocked_switch[at] = 1;
  }
  return LabelSearch(graph, narrowed).run();
}

std::uint64_t widest_rate(const RouteGraph& graph, const SearchSpec& spec) {
  struct Entry {
    std::uint64_t rate;
    SwitchIndex at;
    bool operator<(const Entry& other) const { return rate < other.rate; }
  };
  if (spec.blocked_switch[spec.from] != 0) return 0;
  SearchSpec any = spec;
  any.cells_per_s = 1;  // excludes arcs with nothing free
  std::vector<std::uint64_t> rate(graph.switches(), 0);
  std::vector<Entry> heap{{std::numeric_limits<std::uint64_t>::max(), spec.from}};
  rate[spec.from] = heap.front().rate;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const Entry widest = heap.back();
    heap.pop_back();
    if (widest.at == spec.to) return widest.rate;
    if (widest.rate < rate[widest.at]) continue;
    for (ArcIndex arc = graph.first_arc(widest.at); arc < graph.first_arc(widest.at + 1); ++arc) {
      if (!any.usable(graph, arc)) continue;
      const std::uint64_t reached = std::min(widest.rate, graph.free(arc));
      if (reached <= rate[graph.to(arc)]) continue;
      rate[graph.to(arc)] = reached;
      heap.push_back({reached, graph.to(arc)});
      std::push_heap(heap.begin(), heap.end());
    }
  }
  return 0;
}

std::vector<std::uint8_t> on_loopless_ways(const RouteGraph& graph, const SearchSpec& spec) {
  // With an edge added between the ends, these switches form its biconnected component.
  struct Component {
    std::size_t number = 0;
  };
  using Undirected = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS,
                                           boost::no_property, Component>;
  Undirected net(graph.switches());
  const auto joint = boost::add_edge(spec.from, spec.to, net).first;
  for (ArcIndex arc = 0; arc < graph.arcs(); ++arc) {
    const SwitchIndex from = graph.from(arc), to = graph.to(arc);
    if (from > to) continue;  // each link once
    if (spec.blocked_switch[from] != 0 || spec.blocked_switch[to] != 0) continue;
    if (!spec.usable(graph, arc) && !spec.usable(graph, graph.twin(arc))) continue;
    boost::add_edge(from, to, net);
  }
  boost::biconnected_components(net, boost::get(&Component::number, net));
  std::vector<std::uint8_t> on_way(graph.switches(), 0);
  const std::size_t wanted = net[joint].number;
  for (auto [edge, end] = boost::edges(net); edge != end; ++edge) {
    if (net[*edge].number != wanted) continue;
    on_way[boost::source(*edge, net)] = on_way[boost::target(*edge, net)] = 1;
  }
  return on_way;
}

}  // namespace xbind
