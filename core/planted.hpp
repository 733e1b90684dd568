// Mistakes of the logic, planted on purpose, to see whether the simulator (tests/sim) finds them. In
// an ordinary build planted() is false at compile time and nothing of this is left; the simulator
// compiles the logic a second time, with XBIND_PLANTED_BUGS, and chooses one.
#pragma once

#include <cstdint>

namespace xbind {

enum class Bug : std::uint8_t {
  kNone,
  // sessions and clients
  kRepeatsApplied,    // a batch that comes twice is applied twice
  kRequestTwice,      // a client's repeated request is taken for a new one
  kOldEpochAccepted,  // a manager that has been restarted is not fenced off
  // a client (client/requester.hpp)
  kRepeatRenumbered,  // a request that is repeated in the next session has a new number
  kRepeatDropped,     // a request without an outcome is not repeated
  kOpenSentAgain,     // a request that the caller repeats is sent again in the same session
  kAnsweredTwice,     // an outcome that the manager repeats is handed out again
  kOldSessionHeard,   // a message of an earlier session is taken for one of the present
  // labels
  kNoQuarantine,          // the SwitchServer frees a released label at once
  kLabelBackTooEarly,     // the manager reuses it before the other end of the link has confirmed
  kLabelHandedOutTwice,   // a granted label stays free
  kLapseKeepsCaches,      // a session's cached labels do not return when it ends
  kForeignInputAccepted,  // an input label of another connection is accepted
  kSharedInputFreed,      // the first branch to go frees the label of those that stay
  // undoing
  kNoRollback,            // a refusal leaves the other hops as they are
  kCrankbackKeepsHops,    // another route is tried without removing the first one
  kModifyNotRolledBack,   // hops that had taken the new contract keep it
  kRemovalAnsweredEarly,  // before the switch has confirmed
  kDebtDropped,           // what is owed is forgotten with the session
  kHeldLapses,            // a hold does not outlive its session
  // another path
  kTakeOverFirst,         // the hops where it parts are told before the others have confirmed
  kOldPathNotRemoved,     // the hops of the old one stay
  kRerouteNotRolledBack,  // those of a new one that could not be had stay
  kNeverRerouted,         // a connection over something unusable is told to be broken, and left
  kOldTopologyBelieved,   // an older version takes the place of a newer one
  kMendedNotTold,         // the client is not told that its connection's path is up again
  kMovedByAdding,         // the switch is told to add the new output, not to move to it
  kJoinFreesLabel,        // the first hop to go frees the output label of the one that stays
  kSharedCountedTwice,    // what a hop that joins carries is counted once more
  // a driver and its switch
  kFlagsNotReset,        // an event of a port is not answered by resetting its flag
  kPortSessionKept,      // a port's first session number is used for ever
  kTimeoutTakenForDone,  // what the switch did not answer in time counts as done
  kLossTakenForDone,     // so does what was under way when the adjacency was lost
  kRefusalTakenForDone,  // so does an add or a move that the switch refuses
  kDeleteErrorIgnored,   // so does an element of a delete that it refuses
  kTableReadLost,        // what the switch reports of its table is not kept
  kPriorityIgnored,      // every category goes by the best priority
  kBurstForgotten,       // a contract's burst is not told to the switch
  kTableCleared,         // every adjacency empties the switch
  kDeleteTakesTree,      // deleting a branch takes its connection along
  kNotPutBack,           // what the switch has lost stays lost
  kStrangerNotBlocked,   // labels of what nobody claims are granted
  // the Router and who reports to it
  kAccessLineIgnored,  // the line of a host is always up
  kDrainedForEver,     // a link cannot be undrained
  kVersionKept,        // news have the version of what was before
  kUnknownForEver,     // an unknown switch is never trusted again
  kLossTrusted,        // a switch that its SwitchServer has lost stays trusted
  kLossNotReported,    // a SwitchServer does not say that it has lost its switch
  kNoRefresh,          // nor repeats its report when nothing happens
  // attachment
  kNoSecondAttempt,  // whoever fails to attach does not try again
  kGapSkipped,       // a batch behind a gap is applied, what is missing never
  // desks of a manager
  kDebtsNotSent,  // debts wait for another event when a switch is attached again
  kCacheKept,     // cached labels are used beyond their session
  // accounts
  kIngressKept,        // the ingress bandwidth of a hop that went is not given back
  kQuotaKept,          // a session's quota does not return when it ends
  kCapacityOfLine,     // a port may promise its line rate, whatever its overbooking
  kChargedAsDemanded,  // admission by contract charges what was demanded
};

#ifdef XBIND_PLANTED_BUGS
inline Bug planted_bug = Bug::kNone;
inline bool planted(Bug bug) { return planted_bug == bug; }
#else
constexpr bool planted(Bug) { return false; }
#endif

}  // namespace xbind
