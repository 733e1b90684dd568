// A call as its hops in the ledgers show it: puts the hops that SwitchServers hold for a manager of
// an earlier epoch back together to a tree (hop_tree.hpp).
//
//     hop a, output port 10, label 40 ══ link ══▶ hop b, input port 20, label 40
//
// The label that hop a puts on its cells is the one with which hop b receives them. Which hop that
// is follows from the first of these that names one:
//
// 1. The numbers. In one leg and generation, hop n+1 follows hop n: they were set up as one path.
//    This is also known from hops that carry no cells any more, and it holds for every hop that
//    shares their output or input.
// 2. The links. After a re-route, hops of several generations carry the cells of one connection,
//    and each is numbered by its place in the path of its own generation.
// 3. The labels alone, if the result is a whole connection.
//
// So the topology may lack links, or have wrong ones. Where a connection begins is the ledger's
// word (FoundHop::begins), not a port without a link.
//
// Pure; no function keeps a reference to its arguments.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cmgr/parts/indices.hpp"
#include "core/audit.hpp"

namespace xbind::cmgr {

// Links, by their ends.
class LinkMap {
 public:
  using End = std::pair<SwitchIndex, PortId>;

  // A link, which leads in both directions. The same port of a switch has one link at most; a
  // second one replaces it.
  void add(End one, End other);
  // The other end of the port's link; nullopt: the port has none, an endpoint is there.
  std::optional<End> far_end(SwitchIndex at, PortId port) const;

 private:
  static std::uint64_t key(SwitchIndex at, PortId port) {
    return std::uint64_t{at.value()} << 32 | port.value();
  }
  void drop(End one);  // the link with that end
  std::unordered_map<std::uint64_t, End> far_ends_;
};

// One hop as a ledger holds it.
struct FoundHop {
  SwitchIndex at;
  LedgerHop hop;                                          // its `owner` is an index into `owners`
  std::shared_ptr<const std::vector<HopOwner>> owners{};  // of the page that it came with
  TimePoint read_at{};                                    // when `hop.hold_left` was true

  const HopOwner& owner() const {
    static const HopOwner kNobody;
    return hop.owner == kNoOwner ? kNobody : (*owners)[hop.owner];
  }
  bool last() const { return hop.key.hop + 1 == hop.hop_count; }
  // What is left of its hold.
  Duration hold_left(TimePoint now) const {
    return std::max(hop.hold_left - (now - read_at), Duration::zero());
  }
  // The connection's cells enter the network here.
  bool begins() const { return hop.enters || (hop.key.hop == 0 && !hop.branch); }
  // Cells pass it: the switch has it, and no other path has taken over.
  bool carries() const { return hop.stage == HopStage::kCommitted && !hop.superseded; }
};

// The links of the network: as the topology has them, and as the hops of calls have shown them.
class KnownLinks {
 public:
  using End = LinkMap::End;

  // Replaces the topology; what has been shown stays.
  void set_topology(LinkMap links) { topology_ = std::move(links); }
  // The hops of one path show the links between them. Returns the ends whose far end this may have
  // changed.
  std::vector<End> learn(const std::vector<FoundHop>& hops);
  // The other end of the port's link; nullopt: it is not known to have one. What has been shown
  // counts more than the topology.
  std::optional<End> far_end(SwitchIndex at, PortId port) const;
  // Where calls have shown that the port leads; nullopt: none has.
  std::optional<End> shown(SwitchIndex at, PortId port) const { return shown_.far_end(at, port); }
  // Both: as it has been shown, as the topology has it.
  std::array<std::optional<End>, 2> far_ends(SwitchIndex at, PortId port) const;
  const LinkMap& topology() const { return topology_; }

 private:
  LinkMap topology_;
  LinkMap shown_;
};

struct FoundTree {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Node {
    std::size_t hop = 0;           // index into the hops
    std::size_t upstream = kNone;  // index into the nodes; kNone: the connection begins here

    friend bool operator==(const Node&, const Node&) = default;
  };
  std::vector<Node> nodes;  // leg by leg; every node behind its upstream one
  // A hop leads into a link, but no hop of the connection receives its cells there.
  bool broken = false;
  // Two hops are joined because their labels are equal, and for no other reason.
  bool by_label = false;
  // The tree may lack hops that carry cells: there were too many ways to join them, or a last hop
  // leads to one that the tree lacks.
  bool undecided = false;

  bool contains(std::size_t hop) const;
};

// Of each node whether no other one follows it although its cells leave into a link.
std::vector<bool> dead_ends(const FoundTree& tree, const std::vector<FoundHop>& hops);
// The hops that cells pass from where they enter the network. Time: that of a look-up for each hop,
// and a bounded search where neither numbers nor links say which hop follows.
FoundTree tree_of(const std::vector<FoundHop>& hops, const KnownLinks& links);
// The same without the hops whose cells reach no destination; never broken.
FoundTree pruned(const FoundTree& tree, const std::vector<FoundHop>& hops);
// Whether the tree is a whole connection: it is not broken, and cells reach a destination, in both
// directions if the connection is bidirectional.
bool is_whole(const FoundTree& tree, const std::vector<FoundHop>& hops);
// Whether a hop of the call leads to a port, or begins at one, of which no link is known, and no
// other hop of the call shows one: hops at the other end may exist at a switch that is not known.
bool leaves_known_network(const std::vector<FoundHop>& hops, const KnownLinks& links);
// Whether the hops are a whole hold: every hop of each leg is reserved for a later commit.
bool is_whole_hold(const std::vector<FoundHop>& hops);

}  // namespace xbind::cmgr
