// A map from a growing number: the open calls of a run by their index. It consists of a slab, whose
// slots are reused, and a flat hash table of slots. Once both have the size that the run needs,
// nothing is allocated. Memory is bounded by the greatest number of entries at a time.
//
//  index ──▶ flat table ──▶ slot ──▶ T
//
// It exists beside core/flat_map.hpp for speed: half full and with 4 octets per slot, it costs the
// generator 10 % less of its time per call (decision 0050), and the generator affects what it
// measures.
//
// A slot is valid until its entry is erased; references are valid until the next insert.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/check.hpp"

namespace xbind::callgen {

template <class T>
class CallTable {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot kNowhere = UINT32_MAX;

  // The index must not be present.
  Slot insert(std::uint64_t index, const T& thing) {
    if (2 * (size_ + 1) > places_.size()) grow();
    Slot slot = 0;
    if (free_.empty()) {
      XB_CHECK(slab_.size() < kNowhere);
      slot = static_cast<Slot>(slab_.size());
      slab_.push_back({index, true, thing});
    } else {
      slot = free_.back();
      free_.pop_back();
      slab_[slot] = {index, true, thing};
    }
    put(index, slot);
    ++size_;
    return slot;
  }

  Slot find(std::uint64_t index) const {
    if (places_.empty()) return kNowhere;
    for (std::size_t at = home_of(index);; at = next(at)) {
      const Slot slot = places_[at];
      if (slot == kNowhere || slab_[slot].index == index) return slot;
    }
  }

  void erase(Slot slot) {
    std::size_t at = home_of(slab_[slot].index);
    while (places_[at] != slot) at = next(at);
    // Backward-shift deletion: move later entries into the gap unless their home place lies after
    // it.
    std::size_t gap = at;
    for (std::size_t other = next(at); places_[other] != kNowhere; other = next(other)) {
      const std::size_t home = home_of(slab_[places_[other]].index);
      const std::size_t mask = places_.size() - 1;
      if (((other - home) & mask) >= ((other - gap) & mask)) {
        places_[gap] = places_[other];
        gap = other;
      }
    }
    places_[gap] = kNowhere;
    slab_[slot].used = false;
    free_.push_back(slot);
    --size_;
  }

  T& operator[](Slot slot) { return slab_[slot].thing; }
  const T& operator[](Slot slot) const { return slab_[slot].thing; }
  std::uint64_t index_of(Slot slot) const { return slab_[slot].index; }
  std::size_t size() const { return size_; }

  // Calls visit(slot) for each entry; nothing may be inserted or erased meanwhile.
  template <class Visit>
  void for_each(Visit visit) const {
    for (Slot slot = 0; slot < slab_.size(); ++slot)
      if (slab_[slot].used) visit(slot);
  }

 private:
  struct Place {
    std::uint64_t index;
    bool used;
    T thing;
  };

  // Spreads neighbouring indices: a run of occupied places slows down every look-up that hits it.
  std::size_t home_of(std::uint64_t index) const {
    return static_cast<std::size_t>((index * 0x9e3779b97f4a7c15) >> shift_);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }
  void put(std::uint64_t index, Slot slot) {
    std::size_t at = home_of(index);
    while (places_[at] != kNowhere) at = next(at);
    places_[at] = slot;
  }
  void grow() {
    const std::size_t size = places_.empty() ? 64 : 2 * places_.size();
    places_.assign(size, kNowhere);
    shift_ = 64;
    for (std::size_t rest = size; rest > 1; rest /= 2) --shift_;
    for_each([this](Slot slot) { put(slab_[slot].index, slot); });
  }

  std::vector<Place> slab_;
  std::vector<Slot> free_;
  std::vector<Slot> places_;  // a power of two in size, at most half full
  unsigned shift_ = 64;
  std::size_t size_ = 0;
};

}  // namespace xbind::callgen
