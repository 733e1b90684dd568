// The states of connections as operators see them: the states of all procedures in one list,
// numbered as in idl/connection_manager.idl. docs/call-states.md has a table for each procedure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xbind::cmgr {

enum class State : std::uint8_t {
  kRouting,    // waits for RouteObject
  kReserving,  // phase one: waits for labels that the cache did not have; or a hold is being set up
  kHeld,       // every hop is reserved, no switch is programmed
  kCommitting,  // phase two: commits are sent to all hops at once
  kConnected,
  // another path is being set up: the hops where it parts from the old path are changed
  kSwitchingOver,
  kLingering,  // cells take the new path; the old one stays for a moment
  kModifying,  // every hop reserves the greater of the old and the new contract
  kLowering,   // every hop gets the new contract, which is nowhere greater
  kRestoring,  // a hop refused: the others get the old contract back
  kUndoing,    // a hop refused or did not answer: the others are being removed
  kReleasing,  // the client requested it, or a hold has expired
  kGone,       // answered and forgotten
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
