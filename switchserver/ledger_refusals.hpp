// Helpers that build refusals and compare resources, shared by the ledger's source files.
#pragma once

#include "switchserver/ledger.hpp"

namespace xbind {

inline Admission refuse(Cause cause, PortId port, std::uint64_t asked, std::uint64_t free = 0) {
  Admission refused;
  refused.cause = cause;
  refused.port = port;
  refused.asked = asked;
  refused.free = free;
  return refused;
}

inline bool is_active(HopStage state) {
  return state == HopStage::kCommitting || state == HopStage::kCommitted;
}

// Whether the manager holds the label without a hop: in its cache, or in quarantine.
inline bool is_loose(const LabelPlace& place, ManagerIndex manager) {
  const bool loose =
      place.holder == LabelHolder::kCached || place.holder == LabelHolder::kQuarantine;
  return loose && place.manager == manager;
}

// The free label of the pool that the manager wants at the end of a call, and no other.
inline std::optional<Admission> choose_wanted(const LabelPool& pool, PortId port, Label wanted,
                                              LabelPool::Spot& chosen) {
  const auto spot = pool.find_spot(wanted);
  if (!spot) return refuse(Cause::kInvalidRequest, port, wanted.value);
  if (pool.place_of(*spot).holder > LabelHolder::kFree) {
    return refuse(Cause::kNoLabel, port, wanted.value);
  }
  chosen = *spot;
  return std::nullopt;
}

// Whether this SwitchServer allots the input label: at the first hop, unless a label is already in
// use.
inline bool allots_input(const HopSetup& setup) { return setup.first() && !setup.takes_over; }

}  // namespace xbind
