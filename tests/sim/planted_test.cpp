// Whether the simulator finds what is wrong: mistakes planted in the logic (core/planted.hpp), and
// crimes of the world around it (parts.hpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
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
  std::uint64_t seeds;  // within so many it is found
  const char* noticed;  // what one of the checks says
};

class MistakeTest : public ::testing::TestWithParam<Mistake> {
 protected:
  static void SetUpTestSuite() { log::start("sim", log::Level::kOff); }
};

TEST_P(MistakeTest, IsFound) {
  std::string found;
  std::uint64_t seed = 0;
  while (found.empty() && seed < GetParam().seeds) {
    World world({.seed = ++seed, .bug = GetParam().bug});
    found = world.run();
  }
  EXPECT_THAT(found, ContainsRegex(GetParam().noticed)) << "within " << seed << " seeds";
  if (std::getenv("XBIND_SIM_VERBOSE") != nullptr) std::cerr << seed << " seeds: " << found << "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Planted, MistakeTest,
    ::testing::Values(
        Mistake{"RepeatsApplied", Bug::kRepeatsApplied, 5, "in the cache of manager-"},
        Mistake{"RequestTwice", Bug::kRequestTwice, 5, "two outcomes|being released"},
        Mistake{"OldEpochAccepted", Bug::kOldEpochAccepted, 60, "let in with an older epoch"},
        Mistake{"RepeatRenumbered", Bug::kRepeatRenumbered, 5, "is sent and was never made"},
        Mistake{"RepeatDropped", Bug::kRepeatDropped, 20, "has no outcome of"},
        Mistake{"OpenSentAgain", Bug::kOpenSentAgain, 60, "has two outcomes|connections"},
        Mistake{"AnsweredTwice", Bug::kAnsweredTwice, 5, "has two outcomes"},
        Mistake{"OldSessionHeard", Bug::kOldSessionHeard, 200,
                "peer confirms batch|has no outcome of|beyond the window"},
        Mistake{"NoQuarantine", Bug::kNoQuarantine, 5,
                "in the cache of manager-|at the other end of the link|ledger has it"},
        Mistake{
            "LabelBackTooEarly", Bug::kLabelBackTooEarly, 5,
            "at the other end of the link|in the cache of manager-|goes into another connection"},
        Mistake{"LabelHandedOutTwice", Bug::kLabelHandedOutTwice, 5, "in the cache of manager-"},
        Mistake{"LapseKeepsCaches", Bug::kLapseKeepsCaches, 20,
                "cached labels have not returned|cached in the ledger under the manager's name"},
        Mistake{"ForeignInputAccepted", Bug::kForeignInputAccepted, 80,
                "goes into another connection|a branch of another call|label"},
        Mistake{"SharedInputFreed", Bug::kSharedInputFreed, 5, "does not arrive at|label"},
        Mistake{"NoRollback", Bug::kNoRollback, 5,
                "in the cache of manager-|left behind|cross-connects|audit|at the other end of the "
                "link"},
        Mistake{"CrankbackKeepsHops", Bug::kCrankbackKeepsHops, 5,
                "left behind|cross-connects|audit|in the cache of manager-"},
        Mistake{"ModifyNotRolledBack", Bug::kModifyNotRolledBack, 5, "another contract"},
        Mistake{"RemovalAnsweredEarly", Bug::kRemovalAnsweredEarly, 5,
                "left behind|at the other end of the link|a branch of another call|"
                "in the cache of manager-"},
        Mistake{"DebtDropped", Bug::kDebtDropped, 10, "cross-connects|left behind|audit"},
        Mistake{"HeldLapses", Bug::kHeldLapses, 20,
                "is held, hop . of leg . at switch-. is not there"},
        Mistake{"TakeOverFirst", Bug::kTakeOverFirst, 20, "do not come out|does not arrive"},
        Mistake{"OldPathNotRemoved", Bug::kOldPathNotRemoved, 20,
                "left behind|cross-connects|audit|are theirs"},
        Mistake{"RerouteNotRolledBack", Bug::kRerouteNotRolledBack, 20,
                "left behind|cross-connects|audit|are theirs"},
        Mistake{"NeverRerouted", Bug::kNeverRerouted, 60, "there is another way with room"},
        Mistake{"OldTopologyBelieved", Bug::kOldTopologyBelieved, 20, "when all has settled"},
        Mistake{"MendedNotTold", Bug::kMendedNotTold, 20,
                "was said to be (broken|unknown), and is not"},
        Mistake{"MovedByAdding", Bug::kMovedByAdding, 20, "times|made a branch"},
        Mistake{"JoinFreesLabel", Bug::kJoinFreesLabel, 20,
                "held twice|are theirs|label|leaked bandwidth"},
        Mistake{"SharedCountedTwice", Bug::kSharedCountedTwice, 20, "are theirs|leaked bandwidth"},
        Mistake{"IngressKept", Bug::kIngressKept, 5, "leaked bandwidth|to come in"},
        Mistake{"QuotaKept", Bug::kQuotaKept, 30, "quota has not returned"}),
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
              // The Add Branch that was forgotten may have been one that changes a contract.
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
