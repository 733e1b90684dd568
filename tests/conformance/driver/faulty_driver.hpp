// A correct driver turned into one with a single mistake, which the kit has to catch. Each mistake
// is one that the author of a driver might make.
#pragma once

#include <memory>
#include <vector>

#include "switchserver/drivers/running_driver.hpp"

namespace xbind::driver_kit {

enum class Mistake {
  kAnswersTwice,           // every answer to add, remove and move
  kForgetsAnAnswer,        // every second answer is lost
  kWrongCookie,            // each cookie is one too high
  kAddsBeforeRemoves,      // within one flush
  kWritesEachRequest,      // one write for each request
  kRefusesRepeatedAdd,     // of a cross-connect that exists
  kRefusesAbsentRemove,    // of a cross-connect that does not exist
  kMovesByAdding,          // and keeps the old place
  kHidesAbsence,           // reports no absence for a missing move or count
  kSaysAbsentAlways,       // reports absence for every refused move
  kHidesRefusals,          // reports a refused request as done
  kLosesCodes,             // reports failure code 0
  kRemovesWholeInputs,     // removes all branches of the input
  kOneInputAnOutput,       // an add takes the output from its present connection
  kAnyLabelWillDo,         // reports a refused add as done
  kDropsContracts,         // adds without the contract
  kHidesAPort,             // leaves out the last port
  kDownFirst,              // Down before the answers
  kLosesWhatWasQueued,     // requests not yet flushed when the channel breaks
  kSilentWhileDown,        // does not answer requests
  kKeepsRequestsForLater,  // sends requests made while the switch was away
  kNeverKept,              // Up.kept is false
  kAlwaysKept,             // Up.kept is true
  kNeverTimesOut,
  kTimesOutEarly,        // at the first tick
  kAnswersAfterTimeout,  // answers again
  kNoReason,             // why_away() is empty
  kShortTable,           // without the last entry
  kOwnTable,             // only the driver's own additions
  kTableOfOldPlaces,     // the first entry's output labels in every entry
  kInventsEntries,       // one entry too many
  kCountsThePort,        // instead of the connection
  kNothingRenewed,       // Ports without `renewed`
  kLinesStayUp,          // Ports reports all lines as up
  kWakesAfterItsEnd,
};

struct NamedMistake {
  Mistake mistake;
  const char* name;
};
const std::vector<NamedMistake>& mistakes();

std::unique_ptr<RunningDriver> with_mistake(Mistake mistake, std::unique_ptr<RunningDriver> good);

}  // namespace xbind::driver_kit
