// A call as its hops in the ledgers show it: puts the hops that SwitchServers hold for a manager of
// an earlier epoch back together to a tree (hop_tree.hpp).
//
//     hop a, output port 10, label 40 ══ link ══▶ hop b, input port 20, label 40
//
// Hop b follows hop a if a link leads from a's output port to b's input port, and the label that a
// puts on its cells is the one with which b receives them. Numbers and generations of hops are not
// needed for that: after a re-route, hops of several generations carry the cells of one connection,
// and each is numbered by its place in the path of its own generation.
//
// Pure; no function keeps a reference to its arguments.
#pragma once

#include <algorithm>
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

// The links of the network.
class LinkMap {
 public:
  using End = std::pair<SwitchIndex, PortId>;

  // A link, which leads in both directions. The same port of a switch has one link at most; a
  // second one replaces it.
  void add(End one, End other);
  // The other end of the port's link; nullopt: the port has none, an endpoint is there.
  std::optional<End> far_end(SwitchIndex at, PortId port) const;
  std::size_t size() const { return far_ends_.size() / 2; }

 private:
  static std::uint64_t key(SwitchIndex at, PortId port) {
    return std::uint64_t{at.value()} << 32 | port.value();
  }
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
  // Cells pass it: the switch has it, and no other path has taken over.
  bool carries() const { return hop.stage == HopStage::kCommitted && !hop.superseded; }
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

  bool contains(std::size_t hop) const;
};

// The hops that cells pass from the connection's first switch on. Time: that of a look-up for each.
FoundTree tree_of(const std::vector<FoundHop>& hops, const LinkMap& links);
// The same without the hops whose cells reach no destination; never broken.
FoundTree pruned(const FoundTree& tree, const std::vector<FoundHop>& hops);
// Whether the tree is a whole connection: it is not broken, and cells reach a destination, in both
// directions if the connection is bidirectional.
bool is_whole(const FoundTree& tree, const std::vector<FoundHop>& hops);
// Whether the hops are a whole hold: every hop of each leg is reserved for a later commit.
bool is_whole_hold(const std::vector<FoundHop>& hops);

}  // namespace xbind::cmgr
