// Helpers that build refusals and compare resources, shared by the ledger's source files.
#pragma once

#include <cstdint>
#include <optional>

#include "core/audit.hpp"
#include "core/hop.hpp"
#include "switchserver/ledger/label_pool.hpp"
#include "switchserver/ledger/values.hpp"

namespace xbind {

// nullopt: not refused.
using Refusal = std::optional<Admission>;

inline std::uint64_t less(std::uint64_t from, std::uint64_t taken) {
  return from > taken ? from - taken : 0;
}

inline Admission refuse(Cause cause, PortId port, std::uint64_t asked, std::uint64_t free = 0) {
  Admission refused;
  refused.cause = cause;
  refused.port = port;
  refused.asked = asked;
  refused.free = free;
  return refused;
}

inline Admission no_label(PortId port) { return refuse(Cause::kNoLabel, port, 1); }

// Whether the output port has too little room for the charge, and of what.
inline Refusal exceeds(PortId port, Resources charge, Resources room) {
  if (charge.fits_within(room)) return std::nullopt;
  Admission refused = charge.cells_per_s > room.cells_per_s
                          ? refuse(Cause::kNoBandwidth, port, charge.cells_per_s, room.cells_per_s)
                          : refuse(Cause::kNoBuffer, port, charge.buffer_cells, room.buffer_cells);
  refused.quota_missing = {less(charge.cells_per_s, room.cells_per_s),
                           less(charge.buffer_cells, room.buffer_cells)};
  return refused;
}

// The same for the receive side of the port where cells enter the network.
inline Refusal exceeds_ingress(PortId port, std::uint64_t demand, std::uint64_t room) {
  if (demand <= room) return std::nullopt;
  return refuse(Cause::kNoBandwidth, port, demand, room);
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
inline Refusal choose_wanted(const LabelPool& pool, PortId port, Label wanted,
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
