// The owners in a batch of commands, each listed once: a setup names its owner by number. Most
// calls of one batch are between a few dozen pairs of endpoints, so a small table finds almost all
// that are listed already. An owner that the table has lost is listed again.
//
// Not thread-safe; owned by one aggregator.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cmgr/parts/call_ends.hpp"
#include "core/hop.hpp"

namespace xbind::cmgr {

// The owner of the call that a setup serves, in the manager's form. Refers to the client's name and
// the call's endpoints.
struct Owner {
  const std::string& client;
  Epoch epoch;
  const CallEnds& ends;

  friend bool operator==(const HopOwner& said, const Owner& owner) {
    return said.epoch == owner.epoch && said.from == owner.ends.from && said.to == owner.ends.to &&
           said.client == owner.client;
  }
  HopOwner value() const { return {client, epoch, ends.from, ends.to}; }
};

class BatchOwners {
 public:
  // The position of `owner` in `owners`, the list of the present batch. Entries of the table from
  // earlier batches need no clearing: the list is compared at that position.
  std::uint32_t place_of(const Owner& owner, std::vector<HopOwner>& owners) {
    // Calls between the same endpoints share one CallEnds, so its address distinguishes most
    // owners.
    const auto address = reinterpret_cast<std::uintptr_t>(&owner.ends);
    std::uint32_t& place = places_[address / sizeof(CallEnds) % places_.size()];
    if (place < owners.size() && owners[place] == owner) return place;
    place = static_cast<std::uint32_t>(owners.size());
    owners.push_back(owner.value());
    return place;
  }

 private:
  std::array<std::uint32_t, 64> places_{};
};

}  // namespace xbind::cmgr
