// Deliberate bugs in the logic, which prove that the simulator (tests/sim) finds them. In an
// ordinary build planted() is false at compile time, so no trace remains. The simulator compiles
// the logic a second time, with XBIND_PLANTED_BUGS, and selects one bug.
#pragma once

#include <cstdint>

namespace xbind {

enum class Bug : std::uint8_t {
  kNone,
  // sessions and clients
  kRepeatsApplied,    // a batch that comes twice is applied twice
  kRequestTwice,      // a client's repeated request is taken as a new one
  kOldEpochAccepted,  // the old epoch of a restarted manager is not fenced off
  // a client (client/requester.hpp)
  kRepeatRenumbered,  // a request that is repeated in the next session has a new number
  kRepeatDropped,     // a request without an outcome is not repeated
  kOpenSentAgain,     // a request that the caller repeats is sent again in the same session
  kAnsweredTwice,     // a repeated outcome of the manager is reported again
  kOldSessionHeard,   // a message of an earlier session is taken as one of the present
  // labels
  kNoQuarantine,          // the SwitchServer frees a released label at once
  kLabelBackTooEarly,     // the manager reuses it before the other end of the link has confirmed
  kLabelHandedOutTwice,   // a granted label stays free
  kLapsedAtOnceFree,      // cached labels are free as soon as the session has ended
  kLapseKeepsCaches,      // the cached labels of an ended session do not return
  kForeignInputAccepted,  // an input label of another connection is accepted
  kSharedInputFreed,      // the first removed branch frees the label of the remaining ones
  // undoing
  kNoRollback,            // a refusal leaves the other hops in place
  kCrankbackKeepsHops,    // another route is tried before the first one is removed
  kModifyNotRolledBack,   // hops that had accepted the new contract keep it
  kRemovalAnsweredEarly,  // a removal is answered before the switch has confirmed
  kDebtDropped,           // owed removals are forgotten with the session
  kHeldLapses,            // a hold does not outlive its session
  kTimerForgotten,        // nothing ends the wait for removals
  // another path
  kTakeOverFirst,         // hops where the paths part are committed before the others confirm
  kOldPathNotRemoved,     // the hops of the old path stay
  kRerouteNotRolledBack,  // the hops of a new path that failed stay
  kNeverRerouted,         // a connection over something unusable is reported broken and kept there
  kOldTopologyBelieved,   // an older version replaces a newer one
  kMendedNotTold,         // the client is not notified that its path is up again
  kMovedByAdding,         // the switch adds the new output instead of moving to it
  kJoinFreesLabel,        // the first of two joined hops frees the output label of the other
  kSharedCountedTwice,    // the load of a joining hop is counted again
  // a driver and its switch
  kFlagsNotReset,        // an event of a port is not answered by resetting its flag
  kPortSessionKept,      // the first session number of a port is used for ever
  kTimeoutTakenForDone,  // a request that timed out counts as done
  kLossTakenForDone,     // requests under way when the adjacency was lost count as done
  kRefusalTakenForDone,  // an add or a move that the switch refuses counts as done
  kDeleteErrorIgnored,   // a refused element of a delete counts as done
  kTableReadLost,        // the switch's report of its table is dropped
  kPriorityIgnored,      // every category gets the best priority
  kBurstForgotten,       // the switch is not given a contract's burst
  kTableCleared,         // every adjacency empties the switch
  kDeleteTakesTree,      // deleting a branch deletes its connection too
  kNotPutBack,           // what the switch has lost is not restored
  kStrangerNotBlocked,   // labels of unclaimed cross-connects are granted
  // the Router and who reports to it
  kAccessLineIgnored,  // the access line of a host is always up
  kDrainedForEver,     // a link cannot be undrained
  kVersionKept,        // a change keeps the previous version
  kUnknownForEver,     // an unknown switch is never trusted again
  kLossTrusted,        // a switch that its SwitchServer has lost stays trusted
  kLossNotReported,    // a SwitchServer does not report the loss of its switch
  kNoRefresh,          // a SwitchServer does not repeat its report while nothing changes
  // attachment
  kNoSecondAttempt,  // a failed attachment is not retried
  kGapSkipped,       // a batch behind a gap is applied, the missing ones never
  // desks of a manager
  kDebtsNotSent,  // debts wait for another event after a switch is attached again
  kCacheKept,     // cached labels are used after their session
  // a manager that comes back
  kPartsNotRemoved,       // hops of calls that are not whole stay
  kUnreadTakenForGone,    // a call is rolled back although a switch on its path has not been read
  kOutcomeNotRemembered,  // a repeated request makes a second call
  kHandoverNotTold,       // no ledger knows who has a prepared connection
  kLinksTrusted,          // the links of the topology alone say how a call's hops are joined
  // ledgers that were lost before a new epoch could read them
  kLostNotAsked,          // the new epoch does not ask for what they had
  kClaimsAllAtOnce,       // it says that it has claimed all when it has read nobody else
  kAttachEndsWait,        // attaching ends the SwitchServer's wait for claims
  kRebuiltUnseen,         // a rebuilt hop is taken although the switch does not have it
  kFirstOfSeveral,        // of several entries that fit the first one is taken
  kIncompleteUndone,      // a call whose hops cannot be found is rolled back
  kSharedInputOverseen,   // an entry that nobody knows on a call's input is overlooked
  kRemovedKept,           // a call whose hop was removed stays incomplete for ever
  kLostLetGo,             // the wait ends although an incomplete call needs the switch
  kRebuiltOldGeneration,  // a rebuilt hop has the generation of the hop beside it
  kQuarantineKept,        // labels in quarantine for the earlier epoch are not returned
  kHoldBeginsAnew,        // a hold that comes back lasts for the longest time from then on
  // hops that managers claim after a SwitchServer has lost its ledger (docs/decisions/0058)
  kNothingClaimed,    // the manager attaches as if the ledger were the old one
  kDebtsNotClaimed,   // hops whose removal is owed are not claimed
  kUnclaimedGranted,  // a port admits new hops before all its entries have been claimed
  // state files, names and epochs
  kTornFileTaken,      // a state file that was cut short is believed
  kEpochNotRaised,     // a client that starts gets the newest epoch of its name, not a higher one
  kForgedEpochKept,    // an epoch of a client far ahead outlives its session
  kReplacedComesBack,  // a client that was replaced takes a newer epoch itself
  kRestartOverlooked,  // reports of a SwitchServer that starts anew are taken for late ones
  // switches whose table drifts
  kDriftNotSeen,       // an entry that the switch has lost is not looked for
  kDriftMendedAtOnce,  // one look is enough, also while a command is under way
  kDriftFought,        // what is lost again within the round is put back again
  kNobodysRemoved,     // an entry of nobody is removed by the comparison
  // a hop at its switch (switchserver/ledger/hop_fsm.hpp)
  kHopChangeForgotten,   // what was not sent to the switch is not sent later
  kHopDeleteNotSent,     // a delete counts as open, and is not sent
  kHopFailureForgotten,  // an add that fails leaves a hop set
  kHopRefusedStays,      // an add that the switch refuses counts as done
  kHopUnansweredUndone,  // an add without an answer counts as refused
  kHopLostUndone,        // the same, when the switch has gone away
  kHopFailedDeleted,     // a delete that fails counts as done
  kHopMoveBackDeletes,   // the removal of a hop that has taken over deletes the cross-connect
  kHopWaitsBelow,        // the removal of a superseded hop waits for the one above
  kHopAddedAgain,        // the answer to its add makes a removed hop live again
  // accounts
  kIngressKept,        // the ingress bandwidth of a removed hop is not released
  kQuotaKept,          // a session's quota does not return when it ends
  kHoarded,            // a manager is granted as much as it asks for
  kCapacityOfLine,     // a port may promise its line rate, without its overbooking
  kChargedAsDemanded,  // admission by contract charges the demand instead
};

#ifdef XBIND_PLANTED_BUGS
inline constexpr bool kPlanting = true;
inline Bug planted_bug = Bug::kNone;
inline bool planted(Bug bug) { return planted_bug == bug; }
#else
inline constexpr bool kPlanting = false;
constexpr bool planted(Bug) { return false; }
#endif

}  // namespace xbind
