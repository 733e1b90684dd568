// The stacks of generations (make before break, core/hop.hpp).
//
// A commit that takes over (HopSetup::takes_over) stands above the earlier hop of its leg on that
// input, from set_up() until either of them is gone. Once it is committed, the hop below is
// *superseded*: it keeps its labels, resources and record, but the switch does not have it. The hop
// below becomes live again when the upper one goes. If it is removed first, it goes without any
// request to the switch. Several hops may stand on one another. Only the uppermost can be taken
// over from, and only while nothing is under way between it and the switch.
//
//      above()      generation 5   committing: the move to it is under way
//        ▲          generation 3   live until then
//        ▼          generation 2   superseded by 3
//      below()
//
// Invariants: the two neighbours of a stack refer to each other. The hops of a stack are of one leg
// on one input, and generations rise from the lowest to the uppermost. A hop is in one stack at
// most. The caller checks this before link(), and calls remove() before a hop ends.
//
// A hop with neighbours takes about 40 octets here, any other none. Constant time on average;
// stands_on() and top_on() by the hops on the input. `hops` must outlive this object. One thread;
// no errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "switchserver/ledger/hop_table.hpp"

namespace xbind {

class HopStacks {
 public:
  static constexpr std::uint32_t kNil = HopRecord::kNil;

  explicit HopStacks(HopTable& hops) : hops_(hops) {}

  // The hop that has taken over from this hop, or is about to.
  std::optional<HopRef> above(HopRef ref) const { return optional(above_of(ref.value())); }
  // The hop from which this one takes or took over, as long as that hop exists.
  std::optional<HopRef> below(HopRef ref) const { return optional(below_of(ref.value())); }
  // The same by number; kNil: none.
  std::uint32_t above_of(std::uint32_t at) const {
    return hops_[at].stacked_ ? neighbours_of(at).above : kNil;
  }
  std::uint32_t below_of(std::uint32_t at) const {
    return hops_[at].stacked_ ? neighbours_of(at).below : kNil;
  }
  bool stacked(HopRef ref) const { return hops_[ref.value()].stacked_; }  // has a neighbour
  // Another hop has taken over from this one, and the switch has confirmed it: this one is in no
  // switch.
  bool superseded(HopRef ref) const {
    const std::uint32_t above = above_of(ref.value());
    return above != kNil && hops_[above].settled();
  }
  // Whether `lower` is `upper` itself or stands below it.
  bool stands_on(std::uint32_t upper, std::uint32_t lower) const;
  // The hop from which a hop with that key takes over: the uppermost of its leg on that input, or
  // none. If there are several, a settled one is preferred.
  std::uint32_t top_on(LabelPlace input, const HopKey& key) const;

  // `upper` stands directly above `lower` now; what stood between them is linked next, or gone.
  void link(HopRef lower, HopRef upper);
  // Takes the hop out; its neighbours are each other's then.
  void remove(HopRef ref);

  std::size_t octets() const;  // memory

 private:
  struct Neighbours {
    std::uint32_t above = kNil;
    std::uint32_t below = kNil;
  };

  static std::optional<HopRef> optional(std::uint32_t at) {
    return at == kNil ? std::nullopt : std::optional(HopRef{at});
  }
  const Neighbours& neighbours_of(std::uint32_t at) const;
  Neighbours& edit(std::uint32_t at);  // created on first use
  void drop_lone(std::uint32_t at);

  HopTable& hops_;
  std::unordered_map<std::uint32_t, Neighbours> neighbours_;  // by HopRef
};

}  // namespace xbind
