// Every shape that a call takes is put together again although the topology lacks a link of it, has
// two links exchanged, or has one that does not exist. Paths change as reroute.cpp changes them.
//
// The port of switch a towards switch b is 100 + b; port 1 leads to the endpoint.
#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "cmgr/parts/found_call.hpp"
#include "cmgr/parts/found_gaps.hpp"
#include "cmgr/parts/path_change.hpp"

namespace xbind::cmgr {
namespace {

using Path = std::vector<std::uint32_t>;  // switches
using Link = std::pair<std::uint32_t, std::uint32_t>;

constexpr PortId kEnd{1};
PortId towards(std::uint32_t at) { return PortId{100 + at}; }

enum class LabelShape { kAlike, kOfTheLink };
// How far the last change of the path had come when the manager ended.
enum class Change { kOver, kOldRemoved, kOldStays, kNotTakenOver };

// One call in the ledgers.
class Shape {
 public:
  explicit Shape(LabelShape labels) : labels_(labels) {}

  void set_up(const Path& path, bool both = false) {
    both_ = both;
    lay(path, 0);
    if (both) lay({path.rbegin(), path.rend()}, 1);
  }
  void move(const Path& path, Change change = Change::kOver) {
    ++generation_;
    is_moving = change != Change::kOver;
    move_leg(path, 0, change);
    if (both_) move_leg({path.rbegin(), path.rend()}, 1, change);
  }
  // A leaf whose path leaves the call at path.front().
  void add_leaf(const Path& path) {
    const std::uint16_t leg = next_leg_++;
    laid.push_back(path);
    const auto at = std::find_if(hops.begin(), hops.end(), [&](const FoundHop& hop) {
      return hop.at.value() == path.front() && hop.carries();
    });
    const std::uint32_t before = at->hop.key.hop == 0 && !at->hop.branch ? kNobody : upstream(*at);
    for (std::size_t i = 0; i < path.size(); ++i) {
      const std::uint32_t from = i == 0 ? before : path[i - 1];
      FoundHop hop = hop_at(path[i], from, i + 1 < path.size() ? path[i + 1] : kNobody);
      hop.hop.key = {ConnectionId{7}, Generation{1}, leg, static_cast<std::uint16_t>(i)};
      hop.hop.hop_count = static_cast<std::uint16_t>(path.size());
      hop.hop.branch = i == 0;
      hops.push_back(hop);
    }
  }
  // Leg 0 ends before that switch, where a leaf branches off.
  void drop_first_end(std::uint32_t from) {
    std::uint16_t number = 0;
    for (const FoundHop& hop : hops) {
      if (hop.hop.key.leg == 0 && hop.at.value() == from) number = hop.hop.key.hop;
    }
    std::erase_if(hops, [&](const FoundHop& hop) {
      return hop.hop.key.leg == 0 && hop.hop.key.hop >= number;
    });
    if (number != 0) return;
    for (FoundHop& hop : hops) {
      if (hop.at.value() != from || !hop.hop.branch) continue;
      hop.hop.enters = true;
      return;
    }
  }

  // The links of every path that it has had.
  std::vector<Link> links() const {
    std::set<Link> all;
    for (const Path& path : laid) {
      for (std::size_t i = 1; i < path.size(); ++i) {
        all.emplace(std::min(path[i - 1], path[i]), std::max(path[i - 1], path[i]));
      }
    }
    return {all.begin(), all.end()};
  }
  // The hops that must stand, with their upstream hops. As the cells go, not as the topology says.
  std::map<std::size_t, std::size_t> standing() const {
    std::map<std::size_t, std::size_t> found;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < hops.size(); ++i) {
      if (!hops[i].carries() || hops[i].hop.cross_connect.input_port != kEnd) continue;
      if (hops[i].hop.key.hop != 0) continue;
      found[i] = FoundTree::kNone;
      open.push_back(i);
    }
    while (!open.empty()) {
      const std::size_t from = open.back();
      open.pop_back();
      const CrossConnect& out = hops[from].hop.cross_connect;
      if (out.output_port == kEnd) continue;
      for (std::size_t i = 0; i < hops.size(); ++i) {
        const CrossConnect& in = hops[i].hop.cross_connect;
        if (!hops[i].carries() || found.contains(i) ||
            hops[i].at.value() + 100U != out.output_port.value() ||
            in.input_port != towards(hops[from].at.value()) || in.input_label != out.output_label) {
          continue;
        }
        found[i] = from;
        open.push_back(i);
      }
    }
    return found;
  }

  std::vector<FoundHop> hops;
  std::vector<Path> laid;  // every path that it has had
  bool is_moving = false;  // hops of another path are there as well

 private:
  static constexpr std::uint32_t kNobody = 999;

  static std::uint32_t upstream(const FoundHop& hop) {
    return hop.hop.cross_connect.input_port.value() - 100;
  }
  Label label(std::uint32_t from, std::uint32_t to) const {
    return atm_label(0, labels_ == LabelShape::kAlike ? 40 : 100 + 10 * from + to);
  }
  FoundHop hop_at(std::uint32_t at, std::uint32_t from, std::uint32_t to) const {
    FoundHop hop;
    hop.at = SwitchIndex{static_cast<std::uint16_t>(at)};
    hop.hop.owner = kNoOwner;
    hop.hop.bidirectional = both_;
    hop.hop.cross_connect = {from == kNobody ? kEnd : towards(from),
                             from == kNobody ? atm_label(0, 40) : label(from, at),
                             to == kNobody ? kEnd : towards(to),
                             to == kNobody ? atm_label(0, 40) : label(at, to)};
    return hop;
  }
  FoundHop on_path(const Path& path, std::size_t i, std::uint16_t leg) const {
    FoundHop hop = hop_at(path[i], i == 0 ? kNobody : path[i - 1],
                          i + 1 == path.size() ? kNobody : path[i + 1]);
    hop.hop.key = {ConnectionId{7}, Generation{generation_}, leg, static_cast<std::uint16_t>(i)};
    hop.hop.hop_count = static_cast<std::uint16_t>(path.size());
    return hop;
  }
  void lay(const Path& path, std::uint16_t leg) {
    paths_[leg] = path;
    laid.push_back(path);
    for (std::size_t i = 0; i < path.size(); ++i) hops.push_back(on_path(path, i, leg));
  }
  static std::vector<PathStep> steps(const Path& path) {
    std::vector<PathStep> steps;
    for (std::size_t i = 0; i < path.size(); ++i) {
      steps.push_back({SwitchIndex{static_cast<std::uint16_t>(path[i])},
                       i == 0 ? kEnd : towards(path[i - 1]),
                       i + 1 == path.size() ? kEnd : towards(path[i + 1])});
    }
    return steps;
  }
  void move_leg(const Path& path, std::uint16_t leg, Change change) {
    const Path old = std::exchange(paths_[leg], path);
    laid.push_back(path);
    const auto changes = change_of_path(steps(old), steps(path));
    std::set<std::uint32_t> stay;
    std::set<std::uint32_t> taken_over;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (changes[i].kind == StepChange::Kind::kStays) stay.insert(path[i]);
      if (changes[i].kind == StepChange::Kind::kTakesOver) taken_over.insert(path[i]);
    }
    for (FoundHop& hop : hops) {
      if (hop.hop.key.leg != leg || !taken_over.contains(hop.at.value())) continue;
      hop.hop.superseded = change != Change::kNotTakenOver;
    }
    if (change == Change::kOver || change == Change::kOldRemoved) {
      std::erase_if(hops, [&](const FoundHop& hop) {
        if (hop.hop.key.leg != leg || stay.contains(hop.at.value())) return false;
        // Of an old path that is being removed, the hops where paths part have gone first.
        return change == Change::kOver || hop.hop.superseded;
      });
    }
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (changes[i].kind == StepChange::Kind::kStays) continue;
      const bool takes_over = changes[i].kind == StepChange::Kind::kTakesOver;
      if (takes_over && change == Change::kNotTakenOver) continue;  // not sent yet
      hops.push_back(on_path(path, i, leg));
    }
  }

  LabelShape labels_;
  bool both_ = false;
  std::uint32_t generation_ = 1;
  std::uint16_t next_leg_ = 2;
  std::map<std::uint16_t, Path> paths_;
};

struct Named {
  std::string name;
  std::function<void(Shape&)> make;
};

std::vector<Named> shapes() {
  std::vector<Named> all;
  const auto add = [&](const std::string& name, std::function<void(Shape&)> make) {
    all.push_back({name, std::move(make)});
  };
  for (const bool both : {false, true}) {
    const std::string way = both ? ", both ways" : "";
    add("as set up" + way, [=](Shape& it) { it.set_up({0, 1, 2, 3, 4}, both); });
    add("one switch" + way, [=](Shape& it) { it.set_up({0}, both); });
    for (const auto& [change, when] :
         {std::pair{Change::kOver, ""}, std::pair{Change::kOldRemoved, ", old hops left"},
          std::pair{Change::kOldStays, ", old path stays"},
          std::pair{Change::kNotTakenOver, ", not taken over"}}) {
      add("moved in the middle" + way + when, [=](Shape& it) {
        it.set_up({0, 1, 2, 3, 4}, both);
        it.move({0, 1, 5, 3, 4}, change);
      });
      add("moved at the first switch" + way + when, [=](Shape& it) {
        it.set_up({0, 1, 2, 4}, both);
        it.move({0, 5, 6, 2, 4}, change);
      });
      add("moved twice at one place" + way + when, [=](Shape& it) {
        it.set_up({0, 1, 2, 3, 4}, both);
        it.move({0, 1, 5, 3, 4});
        it.move({0, 1, 6, 7, 3, 4}, change);
      });
      add("moved twice at two places" + way + when, [=](Shape& it) {
        it.set_up({0, 1, 2, 3, 4, 8}, both);
        it.move({0, 5, 6, 2, 3, 4, 8});
        it.move({0, 5, 6, 2, 3, 7, 8}, change);
      });
      add("moved and back" + way + when, [=](Shape& it) {
        it.set_up({0, 1, 2, 3, 4}, both);
        it.move({0, 1, 5, 3, 4});
        it.move({0, 1, 2, 3, 4}, change);
      });
    }
  }
  add("a tree", [](Shape& it) {
    it.set_up({0, 1, 2, 3});
    it.add_leaf({1, 4, 5});
    it.add_leaf({2, 6});
  });
  add("a tree that forks at its first switch", [](Shape& it) {
    it.set_up({0, 1, 2});
    it.add_leaf({0, 4, 5});
  });
  add("a moved tree", [](Shape& it) {
    it.set_up({0, 1, 2, 3});
    it.move({0, 7, 2, 3});
    it.add_leaf({7, 4, 5});
    it.add_leaf({2, 6});
  });
  add("first end dropped", [](Shape& it) {
    it.set_up({0, 1, 2, 3});
    it.add_leaf({1, 4, 5});
    it.drop_first_end(1);
  });
  add("first end dropped, two leaves", [](Shape& it) {
    it.set_up({0, 1, 2, 3});
    it.add_leaf({2, 4, 5});
    it.add_leaf({2, 6});
    it.drop_first_end(2);
  });
  add("first end dropped at the first switch", [](Shape& it) {
    it.set_up({0, 1, 2});
    it.add_leaf({0, 4, 5});
    it.add_leaf({0, 6});
    it.drop_first_end(0);
  });
  return all;
}

std::vector<std::pair<LabelShape, Named>> shapes_with_labels() {
  std::vector<std::pair<LabelShape, Named>> all;
  for (const LabelShape labels : {LabelShape::kAlike, LabelShape::kOfTheLink}) {
    for (const Named& named : shapes()) all.emplace_back(labels, named);
  }
  return all;
}

using Topology = std::map<Link, Link>;  // one end, other end; an end: switch, port

KnownLinks known(const Topology& topology) {
  LinkMap map;
  const auto end = [](const Link& of) {
    return LinkMap::End{SwitchIndex{static_cast<std::uint16_t>(of.first)}, PortId{of.second}};
  };
  for (const auto& [one, other] : topology) map.add(end(one), end(other));
  KnownLinks links;
  links.set_topology(std::move(map));
  return links;
}

Topology right(const Shape& shape) {
  Topology topology;
  for (const auto& [a, b] : shape.links()) topology[{a, 100 + b}] = {b, 100 + a};
  return topology;
}

// Visits the right topology and each wrong one: visit(words, topology, whether links lead
// elsewhere).
using Visit = std::function<void(const std::string&, const Topology&, bool)>;
void for_each_topology(const Shape& shape, const Visit& visit) {
  const Topology all = right(shape);
  visit("right", all, false);
  const auto words = [](const Link& end) {
    return std::to_string(end.first) + "." + std::to_string(end.second);
  };
  for (const auto& [end, other] : all) {
    Topology less = all;
    less.erase(end);
    visit("without " + words(end), less, false);
  }
  for (const auto& [end, other] : all) {
    for (const auto& [second, its_other] : all) {
      if (!(end < second)) continue;
      Topology exchanged = all;
      std::swap(exchanged[end], exchanged[second]);
      visit("exchanged " + words(end) + ", " + words(second), exchanged, true);
      exchanged = all;
      exchanged[end] = second;
      exchanged.erase(second);
      exchanged[other] = its_other;
      visit("crossed " + words(end) + ", " + words(second), exchanged, true);
    }
  }
  // The endpoint's port, of all places, has a link.
  Topology more = all;
  more[{shape.hops.front().at.value(), kEnd.value()}] = {77, 1};
  visit("with a link at the endpoint", more, false);
  visit("without any", {}, false);
}

TEST(FoundShapes, EachStandsWithAllItsHopsWhateverTheTopologySays) {
  for (const LabelShape labels : {LabelShape::kAlike, LabelShape::kOfTheLink}) {
    for (const Named& named : shapes()) {
      Shape shape(labels);
      named.make(shape);
      const auto wanted = shape.standing();
      for_each_topology(
          shape, [&](const std::string& words, const Topology& topology, bool lead_elsewhere) {
            SCOPED_TRACE(named.name + (labels == LabelShape::kAlike ? ", equal labels" : "") +
                         ", " + words);
            KnownLinks links = known(topology);
            links.learn(shape.hops);
            // Without another call, hops of two paths cannot be told apart here.
            for (const Path& path : shape.laid) {
              if (!shape.is_moving || !lead_elsewhere) continue;
              Shape other(labels);
              other.set_up(path);
              links.learn(other.hops);
            }
            const FoundTree tree = tree_of(shape.hops, links);
            EXPECT_TRUE(is_whole(tree, shape.hops));
            std::map<std::size_t, std::size_t> found;
            for (const FoundTree::Node& node : tree.nodes) {
              found[node.hop] = node.upstream == FoundTree::kNone ? FoundTree::kNone
                                                                  : tree.nodes[node.upstream].hop;
            }
            EXPECT_EQ(found, wanted);
          });
    }
  }
}

// What the right topology and whole ledgers do not show has been removed.
TEST(FoundShapes, NoneIsWholeWithoutOneOfItsHops) {
  for (const Named& named : shapes()) {
    Shape shape(LabelShape::kAlike);
    named.make(shape);
    const bool tree_like = std::any_of(shape.hops.begin(), shape.hops.end(),
                                       [](const FoundHop& hop) { return hop.hop.branch; });
    if (tree_like) continue;
    const KnownLinks links = known(right(shape));
    for (const auto& [gone, upstream] : shape.standing()) {
      std::vector<FoundHop> rest = shape.hops;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(gone));
      SCOPED_TRACE(named.name + " without the hop at " +
                   std::to_string(shape.hops[gone].at.value()));
      EXPECT_FALSE(is_whole(tree_of(rest, links), rest));
    }
  }
}

// What the SwitchServer takes of these claims: one that is the only one to fit an entry of the
// table which nobody has, those of which most is known first.
std::vector<FoundHop> taken_of(std::vector<Gap> gaps, std::vector<CrossConnect> table) {
  std::stable_sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) {
    return std::pair{a.in && a.out, a.out.has_value()} >
           std::pair{b.in && b.out, b.out.has_value()};
  });
  std::vector<FoundHop> taken;
  for (const Gap& gap : gaps) {
    const auto fits = [&](const CrossConnect& entry) {
      return (!gap.in ||
              (entry.input_port == gap.in->port && entry.input_label == gap.in->label)) &&
             (!gap.out ||
              (entry.output_port == gap.out->port && entry.output_label == gap.out->label));
    };
    if (std::count_if(table.begin(), table.end(), fits) != 1) continue;
    const auto entry = std::find_if(table.begin(), table.end(), fits);
    FoundHop hop;
    hop.at = gap.at();
    hop.hop = gap.claim;
    hop.hop.owner = 0;
    hop.owners = std::make_shared<const std::vector<HopOwner>>(1, gap.owner);
    hop.hop.cross_connect = *entry;
    taken.push_back(hop);
    table.erase(entry);
  }
  return taken;
}

// Where cells pass, at which switch.
std::multiset<std::pair<SwitchIndex, CrossConnect>> places_of(const FoundTree& tree,
                                                              const std::vector<FoundHop>& hops) {
  std::multiset<std::pair<SwitchIndex, CrossConnect>> places;
  for (const FoundTree::Node& node : tree.nodes) {
    places.emplace(hops[node.hop].at, hops[node.hop].hop.cross_connect);
  }
  return places;
}

void expect_rebuilt(const Shape& shape, SwitchIndex lost, const Topology& topology) {
  KnownLinks links = known(topology);
  links.learn(shape.hops);
  const auto wanted = places_of(tree_of(shape.hops, links), shape.hops);
  std::vector<CrossConnect> table;
  std::vector<FoundHop> hops;
  for (const FoundHop& hop : shape.hops) {
    if (hop.at != lost) hops.push_back(hop);
    if (hop.at == lost && !hop.hop.superseded) table.push_back(hop.hop.cross_connect);
  }
  const auto gaps = gaps_of(hops, links, [&](SwitchIndex at) { return at == lost; });
  for (const FoundHop& hop : taken_of(gaps, table)) hops.push_back(hop);
  const FoundTree tree = tree_of(hops, links);
  EXPECT_TRUE(is_whole(tree, hops));
  EXPECT_EQ(places_of(tree, hops), wanted);
  std::set<HopKey> keys;
  for (const FoundHop& hop : hops) EXPECT_TRUE(keys.insert(hop.hop.key).second);
}

TEST(FoundShapes, EachIsRebuiltWhenOneOfItsLedgersIsLost) {
  for (const auto& [labels, named] : shapes_with_labels()) {
    Shape shape(labels);
    named.make(shape);
    std::set<SwitchIndex> switches;
    for (const FoundHop& hop : shape.hops) switches.insert(hop.at);
    if (shape.is_moving || switches.size() == 1) continue;
    for (const SwitchIndex lost : switches) {
      SCOPED_TRACE(named.name + (labels == LabelShape::kAlike ? ", equal labels" : "") + ", lost " +
                   std::to_string(lost.value()));
      expect_rebuilt(shape, lost, right(shape));
      // A link leads from there to where the call enters, of all places: no hop goes over it, also
      // where branches of a leaf enter with the call (seed 6629 of the simulator).
      SCOPED_TRACE("with a link between two endpoints");
      Topology more = right(shape);
      more[{lost.value(), kEnd.value()}] = {shape.laid.front().front(), kEnd.value()};
      if (lost.value() != shape.laid.front().front()) expect_rebuilt(shape, lost, more);
    }
  }
}

// The numbers of a call that has moved do not say where it enters.
TEST(FoundShapes, EachWithoutLeavesIsRebuiltWhateverLedgersAreLost) {
  const auto owners =
      std::make_shared<const std::vector<HopOwner>>(1, HopOwner{"mia", Epoch{1}, "from", "to"});
  for (const auto& [labels, named] : shapes_with_labels()) {
    Shape shape(labels);
    named.make(shape);
    std::set<SwitchIndex> switches;
    for (FoundHop& hop : shape.hops) {
      hop.owners = owners;
      hop.hop.owner = 0;
      switches.insert(hop.at);
    }
    if (shape.is_moving || shape.hops.back().hop.key.leg >= 2) continue;
    const EndsAt ends = [&](const std::string& end) -> std::optional<SwitchIndex> {
      const Path& path = shape.laid.front();
      return SwitchIndex{static_cast<std::uint16_t>(end == "from" ? path.front() : path.back())};
    };
    const KnownLinks links = known(right(shape));
    const auto wanted = places_of(tree_of(shape.hops, links), shape.hops);
    const std::vector<SwitchIndex> all(switches.begin(), switches.end());
    for (std::size_t lost = 1; lost + 1 < std::size_t{1} << all.size(); ++lost) {
      SCOPED_TRACE(named.name + (labels == LabelShape::kAlike ? ", equal labels" : "") + ", lost " +
                   std::to_string(lost));
      const auto is_lost = [&](SwitchIndex at) {
        const auto place = std::ranges::find(all, at) - all.begin();
        return place < std::ssize(all) && (lost >> place & 1U) != 0;
      };
      std::vector<FoundHop> hops;
      std::map<SwitchIndex, std::vector<CrossConnect>> tables;
      for (const FoundHop& hop : shape.hops) {
        if (!is_lost(hop.at)) hops.push_back(hop);
        if (is_lost(hop.at)) tables[hop.at].push_back(hop.hop.cross_connect);
      }
      for (std::size_t round = 0; round < all.size(); ++round) {
        std::map<SwitchIndex, std::vector<Gap>> gaps;
        for (const Gap& gap : gaps_of(hops, links, is_lost, {}, ends))
          gaps[gap.at()].push_back(gap);
        for (const auto& [at, asked] : gaps) {
          std::ranges::copy(taken_of(asked, tables[at]), std::back_inserter(hops));
        }
      }
      EXPECT_EQ(places_of(tree_of(hops, links), hops), wanted);
      std::set<HopKey> keys;
      for (const FoundHop& hop : hops) EXPECT_TRUE(keys.insert(hop.hop.key).second);
    }
  }
}

}  // namespace
}  // namespace xbind::cmgr
