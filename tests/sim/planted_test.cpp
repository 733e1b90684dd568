// Checks that the simulator finds mistakes planted in the logic (core/planted.hpp) and crimes of
// the world around it (parts.hpp). Mistakes that few seeds would show have scenes
// (scenes_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <regex>
#include <string>

#include "core/log.hpp"
#include "tests/sim/seeds.hpp"
#include "tests/sim/world.hpp"

namespace xbind::sim {
namespace {

using ::testing::ContainsRegex;

struct Mistake {
  const char* name;
  Bug bug;
  std::uint64_t seeds;          // must be found within this many
  const char* noticed;          // text of the check that must find it
  bool restarts = false;        // of managers
  bool servers_die = false;     // SwitchServers are killed and come back
  bool wrong_networks = false;  // for a while, when managers come back
  bool crash_together = false;  // managers and SwitchServers
  bool forgers = false;
};

class MistakeTest : public ::testing::TestWithParam<Mistake> {
 protected:
  static void SetUpTestSuite() { log::start("sim", log::Level::kOff); }
};

// Only that check counts; other checks may fail first in some seeds. The same world without the
// mistake must not fail it.
TEST_P(MistakeTest, IsFound) {
  std::string said;
  const std::regex noticed(GetParam().noticed);
  for (std::uint64_t seed = 1; seed <= GetParam().seeds; ++seed) {
    const auto lived = [&](Bug bug) {
      World world({.seed = seed,
                   .bug = bug,
                   .restarts = GetParam().restarts,
                   .servers_die = GetParam().servers_die,
                   .wrong_networks = GetParam().wrong_networks,
                   .crash_together = GetParam().crash_together,
                   .forgers = GetParam().forgers,
                   .some_forge = false});
      return world.run();
    };
    const std::string found = lived(GetParam().bug);
    if (std::regex_search(found, noticed)) {
      if (std::getenv("XBIND_SIM_VERBOSE") != nullptr) std::cerr << found << "\n";
      if (!std::regex_search(lived(Bug::kNone), noticed)) return;
      said += "also without the mistake: ";
    }
    if (!found.empty()) said += found + "\n";
  }
  FAIL() << "no check reported '" << GetParam().noticed << "' in " << GetParam().seeds
         << " seeds, but\n"
         << said;
}

INSTANTIATE_TEST_SUITE_P(
    Planted, MistakeTest,
    ::testing::Values(
        Mistake{"RepeatsApplied", Bug::kRepeatsApplied, 20, "in the cache of manager-., twice"},
        Mistake{"RequestTwice", Bug::kRequestTwice, 60, "has two outcomes"},
        Mistake{"OldEpochAccepted", Bug::kOldEpochAccepted, 80, "was let in with an older epoch"},
        Mistake{"RepeatRenumbered", Bug::kRepeatRenumbered, 120, "is sent and was never made"},
        Mistake{"RepeatDropped", Bug::kRepeatDropped, 20, "has no outcome of"},
        Mistake{"OpenSentAgain", Bug::kOpenSentAgain, 60, "has two outcomes"},
        Mistake{"AnsweredTwice", Bug::kAnsweredTwice, 20, "has two outcomes"},
        Mistake{"OldSessionHeard", Bug::kOldSessionHeard, 200, "peer confirms batch"},
        Mistake{"NoQuarantine", Bug::kNoQuarantine, 20,
                "in the cache of manager-., but the ledger has it in place"},
        Mistake{"LabelBackTooEarly", Bug::kLabelBackTooEarly, 40,
                "at the other end of the link another manager has it, or it is free|in the cache "
                "of manager-., but the ledger has it in place"},
        Mistake{"LabelHandedOutTwice", Bug::kLabelHandedOutTwice, 20,
                "in the cache of manager-., but the ledger has it in place"},
        Mistake{"LapsedAtOnceFree", Bug::kLapsedAtOnceFree, 200,
                "at the other end of the link another manager has it, or it is free"},
        Mistake{"LapseKeepsCaches", Bug::kLapseKeepsCaches, 20,
                "its cached labels have not returned"},
        Mistake{"ForeignInputAccepted", Bug::kForeignInputAccepted, 600,
                "an add made a branch of another call"},
        Mistake{"SharedInputFreed", Bug::kSharedInputFreed, 20, "it does not arrive at"},
        Mistake{"NoRollback", Bug::kNoRollback, 20,
                "in the cache of manager-., but the ledger has it in place"},
        Mistake{"CrankbackKeepsHops", Bug::kCrankbackKeepsHops, 20,
                "in the cache of manager-., but the ledger has it in place"},
        Mistake{"ModifyNotRolledBack", Bug::kModifyNotRolledBack, 20, "has another contract than"},
        Mistake{"RemovalAnsweredEarly", Bug::kRemovalAnsweredEarly, 20,
                "was released, hop . of leg . is left behind"},
        Mistake{"DebtDropped", Bug::kDebtDropped, 200,
                "audit of manager-.: (leaked label|stray hop)|cross-connects, [0-9]+ are of calls"},
        Mistake{"TimerForgotten", Bug::kTimerForgotten, 120,
                "ended by force because no timer had ended them"},
        Mistake{"HeldLapses", Bug::kHeldLapses, 20,
                "is held, hop . of leg . at switch-. is not there"},
        Mistake{"TakeOverFirst", Bug::kTakeOverFirst, 20, "do not come out at"},
        Mistake{"OldPathNotRemoved", Bug::kOldPathNotRemoved, 20,
                "was released, hop . of leg . is left behind"},
        Mistake{"RerouteNotRolledBack", Bug::kRerouteNotRolledBack, 20,
                "was released, hop . of leg . is left behind"},
        Mistake{"NeverRerouted", Bug::kNeverRerouted, 60, "there is another way with room"},
        Mistake{"OldTopologyBelieved", Bug::kOldTopologyBelieved, 20,
                "believes an old version of the topology"},
        Mistake{"MendedNotTold", Bug::kMendedNotTold, 40,
                "was reported as (broken|unknown), but is not"},
        Mistake{"MovedByAdding", Bug::kMovedByAdding, 20, "come out at switch-. 2 times"},
        Mistake{"JoinFreesLabel", Bug::kJoinFreesLabel, 20,
                "leaked bandwidth: .* the account says"},
        Mistake{"SharedCountedTwice", Bug::kSharedCountedTwice, 20,
                "leaked bandwidth: .* the account says"},
        Mistake{"IngressKept", Bug::kIngressKept, 20, "first hops in receive direction"},
        Mistake{"QuotaKept", Bug::kQuotaKept, 40, "its quota has not returned"},
        Mistake{"FlagsNotReset", Bug::kFlagsNotReset, 40, "the Router believes link"},
        Mistake{"PortSessionKept", Bug::kPortSessionKept, 20,
                "cross-connects, [0-9]+ are of calls that are up"},
        Mistake{"TimeoutTakenForDone", Bug::kTimeoutTakenForDone, 60, "do not come out at"},
        Mistake{"LossTakenForDone", Bug::kLossTakenForDone, 40, "do not come out at"},
        Mistake{"RefusalTakenForDone", Bug::kRefusalTakenForDone, 20, "do not come out at"},
        Mistake{"DeleteErrorIgnored", Bug::kDeleteErrorIgnored, 20,
                "an add made a branch of another call"},
        Mistake{"TableReadLost", Bug::kTableReadLost, 40, "unattributed, but its ledger state is"},
        Mistake{"PriorityIgnored", Bug::kPriorityIgnored, 20, "the switch has another"},
        Mistake{"BurstForgotten", Bug::kBurstForgotten, 20, "the switch has another"},
        Mistake{"TableCleared", Bug::kTableCleared, 20, "do not come out at"},
        Mistake{"DeleteTakesTree", Bug::kDeleteTakesTree, 20, "do not come out at"},
        Mistake{"NotPutBack", Bug::kNotPutBack, 80,
                "cross-connects, [0-9]+ are of calls that are up"},
        Mistake{"StrangerNotBlocked", Bug::kStrangerNotBlocked, 160,
                "unattributed, but its ledger state is|an add made a branch of another call"},
        Mistake{"AccessLineIgnored", Bug::kAccessLineIgnored, 60,
                "the Router believes the line of switch-. to be up, it is down"},
        Mistake{"DrainedForEver", Bug::kDrainedForEver, 20,
                "the Router believes link .* drained, it is up"},
        Mistake{"VersionKept", Bug::kVersionKept, 60, "when all has settled"},
        Mistake{"UnknownForEver", Bug::kUnknownForEver, 20,
                "the Router believes switch-. to be unknown"},
        Mistake{"LossTrusted", Bug::kLossTrusted, 40,
                "the Router believes switch-. to be under control"},
        Mistake{"LossNotReported", Bug::kLossNotReported, 40,
                "the Router believes switch-. to be under control"},
        Mistake{"NoRefresh", Bug::kNoRefresh, 20, "the Router believes switch-. to be unknown"},
        Mistake{"NoSecondAttempt", Bug::kNoSecondAttempt, 20, "the audit was refused: no manager"},
        Mistake{"GapSkipped", Bug::kGapSkipped, 40, "has no outcome of"},
        Mistake{"PartsNotRemoved", Bug::kPartsNotRemoved, 200, "stray hop|is left behind at", true},
        Mistake{"UnreadTakenForGone", Bug::kUnreadTakenForGone, 60,
                "is up; it|do not come out at|came back for nobody|it was up", true},
        Mistake{"LinksTrusted", Bug::kLinksTrusted, 20, "is up; it|do not come out at|it was up",
                true, false, true},
        Mistake{"LostNotAsked", Bug::kLostNotAsked, 20, "is incomplete, but can be found", false,
                false, false, true},
        Mistake{"AttachEndsWait", Bug::kAttachEndsWait, 20,
                "is up no more, and not incomplete either|do not come out at|is up; it|it was up",
                false, false, false, true},
        Mistake{"IncompleteUndone", Bug::kIncompleteUndone, 20,
                "is up no more, and not incomplete either|do not come out at|is up; it|it was up",
                false, false, false, true},
        Mistake{"LostLetGo", Bug::kLostLetGo, 250,
                "is up no more, and not incomplete either|do not come out at|is up; it|it was up",
                false, false, false, true},
        Mistake{"SharedInputOverseen", Bug::kSharedInputOverseen, 500, "does not arrive at", false,
                false, false, true},
        Mistake{"RemovedKept", Bug::kRemovedKept, 40, "but its hop was removed, or never made",
                false, false, false, true},
        Mistake{"OutcomeNotRemembered", Bug::kOutcomeNotRemembered, 60, "came back for nobody",
                true},
        Mistake{"HandoverNotTold", Bug::kHandoverNotTold, 120,
                "is up; it|do not come out at|it was up", true},
        Mistake{"QuarantineKept", Bug::kQuarantineKept, 40, "leaked label", true},
        Mistake{"HoldBeginsAnew", Bug::kHoldBeginsAnew, 40,
                "hold [0-9]+ of [0-9]+ ms ends too late", true},
        Mistake{"NothingClaimed", Bug::kNothingClaimed, 20,
                "is up; it|do not come out at|missing hop|it was up", false, true},
        Mistake{"DebtsNotClaimed", Bug::kDebtsNotClaimed, 40, "cross-connects, [0-9]+ are of calls",
                false, true},
        Mistake{"TornFileTaken", Bug::kTornFileTaken, 20,
                "cut after [0-9]+ of [0-9]+ octets is "
                "believed"},
        Mistake{"EpochNotRaised", Bug::kEpochNotRaised, 40,
                "an earlier life has replaced a later one"},
        Mistake{"ForgedEpochKept", Bug::kForgedEpochKept, 20,
                "client-. has ended: .* is fenced off", false, false, false, false, true},
        Mistake{"Hoarded", Bug::kHoarded, 20, "a hoarder has", false, false, false, false, true},
        Mistake{"ReplacedComesBack", Bug::kReplacedComesBack, 40,
                "an earlier life has replaced a later one"},
        Mistake{"RestartOverlooked", Bug::kRestartOverlooked, 20,
                "has started, and its report is not taken", false, true},
        Mistake{"DebtsNotSent", Bug::kDebtsNotSent, 20, "owed at switch-.: the removal of"},
        Mistake{"CacheKept", Bug::kCacheKept, 20,
                "in the cache of manager-., but the ledger has it in place"},
        Mistake{"DriftNotSeen", Bug::kDriftNotSeen, 20, "which another controller has removed"},
        Mistake{"DriftMendedAtOnce", Bug::kDriftMendedAtOnce, 60,
                "cross-connects, [0-9]+ are of calls|made a branch of another call"},
        Mistake{"DriftFought", Bug::kDriftFought, 60, "is put back twice within a round"},
        Mistake{"NobodysRemoved", Bug::kNobodysRemoved, 60, "has removed [0-9]+ entries of nobody",
                false, true},
        Mistake{"HopChangeForgotten", Bug::kHopChangeForgotten, 60, "the switch has another"},
        Mistake{"HopDeleteNotSent", Bug::kHopDeleteNotSent, 20,
                "cross-connects, [0-9]+ are of calls"},
        Mistake{"HopFailureForgotten", Bug::kHopFailureForgotten, 60,
                "the switch has another|cross-connects, [0-9]+ are of calls"},
        Mistake{"HopRefusedStays", Bug::kHopRefusedStays, 20,
                "is up; it does not arrive at|at the other end of the link another manager has it"},
        Mistake{"HopUnansweredUndone", Bug::kHopUnansweredUndone, 60,
                "cross-connects, [0-9]+ are of calls|made a branch of another call"},
        Mistake{"HopLostUndone", Bug::kHopLostUndone, 60,
                "cross-connects, [0-9]+ are of calls|made a branch of another call"},
        Mistake{"HopFailedDeleted", Bug::kHopFailedDeleted, 20,
                "cross-connects, [0-9]+ are of calls|made a branch of another call"},
        Mistake{"HopMoveBackDeletes", Bug::kHopMoveBackDeletes, 20, "do not come out at"},
        Mistake{"HopWaitsBelow", Bug::kHopWaitsBelow, 20, "owed at switch-.: the removal of"},
        Mistake{"HopAddedAgain", Bug::kHopAddedAgain, 20,
                "cross-connects, [0-9]+ are of calls that are up"},
        Mistake{"CapacityOfLine", Bug::kCapacityOfLine, 20, "capacity is [0-9]+ cells/s and"},
        Mistake{"ChargedAsDemanded", Bug::kChargedAsDemanded, 20, "is charged [0-9]+ cells/s and"}),
    [](const auto& named) { return std::string{named.param.name}; });

struct Crime {
  const char* name;
  Planted planted;
  const char* noticed;
};

class CrimeTest : public ::testing::TestWithParam<Crime> {
 protected:
  static void SetUpTestSuite() { log::start("sim", log::Level::kOff); }
};

TEST_P(CrimeTest, IsNoticedInEverySeed) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    World world({.seed = seed, .fair = true, .planted = GetParam().planted});
    EXPECT_THAT(world.run(), ContainsRegex(GetParam().noticed)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Crimes, CrimeTest,
    ::testing::Values(
        Crime{"SwitchKeepsBranch", Planted::kSwitchKeepsBranch,
              "made a branch|cross-connects, |is programmed for it"},
        Crime{"SwitchForgetsAdd", Planted::kSwitchForgetsAdd,
              // The forgotten Add Branch may have been one that changes a contract.
              "cross-connect|the switch has another"},
        Crime{"ClientReusesRequest", Planted::kClientReusesRequest, "two outcomes|connections"},
        Crime{"LabelGrantedTwice", Planted::kLabelGrantedTwice, "in the cache of manager-"},
        Crime{"NumberBumped", Planted::kNumberBumped,
              "fair weather|audit|cross-connects|another contract|beyond the window|connection"},
        Crime{"DemandShrunk", Planted::kDemandShrunk,
              "another contract|leaked bandwidth|fair|is held"},
        Crime{"WrongEgress", Planted::kWrongEgress, "promised was"}),
    [](const auto& named) { return std::string{named.param.name}; });

}  // namespace
}  // namespace xbind::sim
