#include "switchserver/ledger/hop_stacks.hpp"

#include <utility>

namespace xbind {

bool HopStacks::stands_on(std::uint32_t upper, std::uint32_t lower) const {
  for (; upper != kNil; upper = below_of(upper)) {
    if (upper == lower) return true;
  }
  return false;
}

std::uint32_t HopStacks::top_on(LabelPlace input, const HopKey& key) const {
  if (input.holder != LabelHolder::kConnection) return kNil;
  std::uint32_t found = kNil;
  for (std::uint32_t i = input.hop.value(); i != kNil; i = hops_[i].next_on_input()) {
    if (hops_[i].key.leg != key.leg || above_of(i) != kNil) continue;
    if (found == kNil || !hops_[found].settled()) found = i;
  }
  return found;
}

const HopStacks::Neighbours& HopStacks::neighbours_of(std::uint32_t at) const {
  return neighbours_.at(at);
}

HopStacks::Neighbours& HopStacks::edit(std::uint32_t at) {
  hops_[at].stacked_ = true;
  return neighbours_[at];
}

void HopStacks::drop_lone(std::uint32_t at) {
  const auto found = neighbours_.find(at);
  if (found->second.above != kNil || found->second.below != kNil) return;
  neighbours_.erase(found);
  hops_[at].stacked_ = false;
}

void HopStacks::link(HopRef lower, HopRef upper) {
  edit(lower.value()).above = upper.value();
  edit(upper.value()).below = lower.value();
}

void HopStacks::remove(HopRef ref) {
  if (!stacked(ref)) return;
  const auto own = neighbours_.find(ref.value());
  const auto [above, below] = own->second;
  neighbours_.erase(own);
  hops_[ref.value()].stacked_ = false;
  if (below != kNil) {
    neighbours_.at(below).above = above;
    drop_lone(below);
  }
  if (above != kNil) {
    neighbours_.at(above).below = below;
    drop_lone(above);
  }
}

std::size_t HopStacks::octets() const {
  // A node of a map: the element, its link and the allocator's overhead.
  constexpr std::size_t kNode = sizeof(std::pair<std::uint32_t, Neighbours>) + 2 * sizeof(void*);
  return neighbours_.size() * kNode + neighbours_.bucket_count() * sizeof(void*);
}

}  // namespace xbind
