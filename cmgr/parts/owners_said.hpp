// The owners of a batch of commands, each said once: a setup names its owner by number. Calls of
// one batch are mostly between a few dozen pairs of ends, so that a small table finds almost all
// that were said; one that it has lost sight of is said again.
//
// Not thread-safe; of one aggregator.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cmgr/parts/call_ends.hpp"
#include "core/hop.hpp"

namespace xbind::cmgr {

// Whose call a setup serves, as the manager has it. Refers to the client's name and the call's
// ends.
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

class OwnersSaid {
 public:
  // The position of `owner` in `owners`, which are those of the batch in hand: a place that was
  // noted for an earlier batch is found to name somebody else, or nobody.
  std::uint32_t place_of(const Owner& owner, std::vector<HopOwner>& owners) {
    // Ends are kept once for all calls between them: their address tells most of them apart.
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
