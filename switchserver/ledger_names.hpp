// Whose hops they are: a client in one of its lives and the two endpoints of its call, as one number. Each
// name is kept once, and so is each owner, however many hops it has: there are as many endpoints as a
// network has, but a hop for every connection.
//
// take() and release() take constant time on the average, in proportion to the names' lengths, and memory
// only for what is new; a place that has become vacant is used again. One thread. XB_CHECK: a number that
// nobody has taken.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/chunks.hpp"
#include "core/hop.hpp"

namespace xbind {

// Values, each kept once and counted.
template <class Value>
class Interned {
 public:
  static constexpr std::uint32_t kNil = 0xffff'ffff;

  // The number of a value equal to `wanted`, of which there is one more user; `made` tells whether it is
  // its first. `hash` is the same for equal values.
  template <class Wanted>
  std::uint32_t take(const Wanted& wanted, std::uint64_t hash, bool& made);
  void take_again(std::uint32_t at) { ++places_[at].users; }
  // One user fewer; true when that was the last one. The value may be read until the next take().
  bool release(std::uint32_t at);
  const Value& operator[](std::uint32_t at) const { return places_[at].value; }
  std::size_t size() const { return used_; }
  std::size_t octets() const {
    return places_.octets() + buckets_.capacity() * sizeof(std::uint32_t);
  }

 private:
  struct Place {
    Value value{};
    std::uint32_t users = 0;
    std::uint32_t next = kNil;  // in the bucket, or vacant
    std::uint32_t hash = 0;
  };
  std::uint32_t& bucket(std::uint32_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
  void grow();

  Chunks<Place, 6> places_;
  std::vector<std::uint32_t> buckets_ = std::vector<std::uint32_t>(16, kNil);
  std::uint32_t vacant_ = kNil;
  std::size_t used_ = 0;
};

class OwnerNames {
 public:
  OwnerNames() { recent_.fill(kNil); }

  // The number of that owner, to be released once. Equal owners have equal numbers.
  std::uint32_t take(const HopOwner& owner);
  // One more user of a number that somebody has.
  void take_again(std::uint32_t id) { sets_.take_again(id); }
  void release(std::uint32_t id);
  HopOwner owner(std::uint32_t id) const;
  // Whether both are calls of the same client, in whatever life of it, between the same ends. Either may be
  // kNoOwner.
  bool same_call(std::uint32_t id, std::uint32_t other) const;

  std::size_t names() const { return names_.size(); }  // that differ
  std::size_t owners() const { return sets_.size(); }
  std::size_t octets() const { return names_.octets() + lives_.octets() + sets_.octets(); }

 private:
  struct Life {  // of a client; there are few of them
    std::uint32_t client = 0;
    Epoch epoch;
    friend bool operator==(const Life&, const Life&) = default;
  };
  struct Set {
    std::uint32_t life = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    friend bool operator==(const Set&, const Set&) = default;
  };
  static constexpr std::uint32_t kNil = 0xffff'ffff;

  std::uint32_t take_name(std::string_view name);
  std::uint32_t take_life(const HopOwner& owner);
  void release_life(std::uint32_t life);
  std::uint32_t& recent_of(std::string_view from, std::string_view to);
  bool same(std::uint32_t id, const HopOwner& owner) const;

  Interned<std::string> names_;
  Interned<Life> lives_;
  Interned<Set> sets_;
  // Owners that were taken last, by their ends: the calls through a switch are mostly between a few dozen.
  std::array<std::uint32_t, 64> recent_;
};

}  // namespace xbind
