// The owners of hops as numbers: a client in one of its lives, and the two endpoints of its call.
// Each name and each owner is stored once, however many hops it has. A network has many more
// connections than endpoints.
//
// take() and release() take constant time on average, in proportion to the names' lengths. Memory
// is allocated only for new names; vacant places are reused. One thread. XB_CHECK: the number is
// not in use.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/hop.hpp"
#include "core/interner.hpp"

namespace xbind {

class OwnerNames {
 public:
  OwnerNames() { recent_.fill(kNil); }

  // Returns the owner's number; release it once. Equal owners have equal numbers.
  std::uint32_t take(const HopOwner& owner);
  // Adds a user of a number that is in use.
  void take_again(std::uint32_t id) { sets_.take_again(id); }
  void release(std::uint32_t id);
  HopOwner owner(std::uint32_t id) const;
  // Whether both are calls of the same client, in any of its lives, between the same endpoints.
  // Either may be kNoOwner.
  bool same_call(std::uint32_t id, std::uint32_t other) const;

  std::size_t names() const { return names_.size(); }  // distinct ones
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

  Interner<std::string> names_;
  Interner<Life> lives_;
  Interner<Set> sets_;
  // The latest owners, by their endpoints: most calls through a switch are between a few dozen of
  // them.
  std::array<std::uint32_t, 64> recent_;
};

}  // namespace xbind
