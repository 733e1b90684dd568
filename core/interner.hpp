// Shares values that many objects have in common. Each different value is stored once, has a number
// and counts its users. It is removed with its last user.
//
// take() and release() run in constant time on average, and no insertion takes long
// (chained_index.hpp). A vacant place is reused, so only growth allocates. There are at most as
// many values as users, whose number the owner bounds. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/chained_index.hpp"
#include "core/check.hpp"
#include "core/chunks.hpp"

namespace xbind {

// `kShift`: log2 of the number of values in a chunk.
template <class Value, unsigned kShift = 6>
class Interner {
 public:
  using Number = ChainedIndex::Number;

  struct Taken {
    Number number;
    bool made;  // this user is the first
  };
  // Adds a user of the value equal to `wanted`; a new value is assigned from `wanted`. Equal values
  // must have equal hashes; 32 bits of the hash are used.
  template <class Wanted>
  Taken take(const Wanted& wanted, std::uint64_t wide_hash) {
    const auto hash = static_cast<std::uint32_t>(wide_hash);
    for (Number at = index_.first(hash); at != ChainedIndex::kNone; at = places_[at].next) {
      Place& place = places_[at];
      if (place.hash != hash || !(place.value == wanted)) continue;
      ++place.users;
      return {at, false};
    }
    return {enter(wanted, hash), true};
  }
  // Adds a user of a number that already has users.
  void take_again(Number at) { ++places_[at].users; }
  // Removes a user. True: it was the last one; the value stays readable until the next take().
  bool release(Number at) {
    XB_CHECK(at < places_.size() && places_[at].users != 0, at, places_.size());
    if (--places_[at].users != 0) return false;
    forget(at);
    return true;
  }

  Value& operator[](Number at) { return places_[at].value; }
  const Value& operator[](Number at) const { return places_[at].value; }
  std::uint32_t users(Number at) const { return places_[at].users; }
  std::size_t size() const { return index_.size(); }
  std::size_t octets() const { return places_.octets() + index_.octets(); }

 private:
  struct Place {
    Value value{};
    std::uint32_t users = 0;
    Number next = ChainedIndex::kNone;  // next in its chain; of a vacant place, the next vacant one
    std::uint32_t hash = 0;
  };

  auto next_of() {
    return [this](Number at) -> Number& { return places_[at].next; };
  }
  template <class Wanted>
  Number enter(const Wanted& wanted, std::uint32_t hash) {
    if (vacant_ == ChainedIndex::kNone) vacant_ = places_.grow();
    const Number at = vacant_;
    Place& place = places_[at];
    place.value = wanted;
    vacant_ = place.next;
    place.users = 1;
    place.hash = hash;
    index_.insert(hash, at, next_of(), [this](Number it) { return places_[it].hash; });
    return at;
  }
  void forget(Number at) {
    index_.erase(places_[at].hash, at, next_of());
    places_[at].next = vacant_;
    vacant_ = at;
  }

  Chunks<Place, kShift> places_;
  ChainedIndex index_;
  Number vacant_ = ChainedIndex::kNone;
};

}  // namespace xbind
