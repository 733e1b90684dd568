// What operators see of a connection: the states of all procedures in one list, as idl/connection_manager.idl
// numbers them. docs/call-states.md has every procedure's own table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xbind::cmgr {

enum class State : std::uint8_t {
  kRouting,     // waits for RouteObject
  kReserving,   // phase one: waits for labels the cache did not have; or a hold is being made
  kHeld,        // every hop is reserved, no switch is programmed
  kCommitting,  // phase two: every hop is told at once
  kConnected,
  kSwitchingOver,  // another path is made: the hops where it parts from the old one are told
  kLingering,      // the connection goes the other way; the old path stays for a moment
  kModifying,      // every hop is asked for the greater of the old and the new contract
  kLowering,       // every hop is told the new contract, which is nowhere more
  kRestoring,      // a hop refused: the others are told the old contract
  kUndoing,        // a hop refused or did not answer: the others are being removed
  kReleasing,      // the client asked for it, or a hold's time is over
  kGone,           // answered and forgotten
};
inline constexpr std::size_t kStates = static_cast<std::size_t>(State::kGone) + 1;

constexpr std::string_view to_string(State state) {
  switch (state) {
    case State::kRouting: return "routing";
    case State::kReserving: return "reserving";
    case State::kHeld: return "held";
    case State::kCommitting: return "committing";
    case State::kConnected: return "connected";
    case State::kSwitchingOver: return "switching over";
    case State::kLingering: return "lingering";
    case State::kModifying: return "modifying";
    case State::kLowering: return "lowering";
    case State::kRestoring: return "restoring";
    case State::kUndoing: return "undoing";
    case State::kReleasing: return "releasing";
    case State::kGone: return "gone";
  }
  return "unknown state";
}

}  // namespace xbind::cmgr
