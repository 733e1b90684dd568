// A driver with one mistake, made of one without: what the kit has to catch. Each mistake is one that
// somebody who writes a driver may make.
#pragma once

#include <memory>
#include <vector>

#include "switchserver/drivers/running_driver.hpp"

namespace xbind::driver_kit {

enum class Mistake {
  kAnswersTwice,           // every answer to add, remove and move
  kForgetsAnAnswer,        // to every second request
  kWrongCookie,            // one is added to each
  kAddsBeforeRemoves,      // of one flush
  kWritesEachRequest,      // a write for each
  kRefusesRepeatedAdd,     // of what is there
  kRefusesAbsentRemove,    // of what is not there
  kMovesByAdding,          // and leaves the old place
  kHidesAbsence,           // of what is to be moved or counted
  kSaysAbsentAlways,       // of every refused move
  kHidesRefusals,          // says done
  kLosesCodes,             // failure code 0
  kRemovesWholeInputs,     // all branches of it
  kOneInputAnOutput,       // an add takes the output from whoever has it
  kAnyLabelWillDo,         // says done, and does nothing, when the switch refuses an add
  kDropsContracts,         // adds without
  kHidesAPort,             // the last one
  kDownFirst,              // before the answers
  kLosesWhatWasQueued,     // and not flushed, when the channel goes
  kSilentWhileDown,        // requests without an answer
  kKeepsRequestsForLater,  // of the time when the switch was away
  kNeverKept,              // Up.kept is false
  kAlwaysKept,             // Up.kept is true
  kNeverTimesOut,
  kTimesOutEarly,        // at the first tick
  kAnswersAfterTimeout,  // once more
  kNoReason,             // why_away() is empty
  kShortTable,           // without its last entry
  kOwnTable,             // only what it added itself
  kTableOfOldPlaces,     // output labels of the first entry for all
  kInventsEntries,       // one more than there is
  kCountsThePort,        // for the connection
  kNothingRenewed,       // Ports without `renewed`
  kLinesStayUp,          // Ports says all are up
  kWakesAfterItsEnd,
};

struct NamedMistake {
  Mistake mistake;
  const char* name;
};
const std::vector<NamedMistake>& mistakes();

std::unique_ptr<RunningDriver> with_mistake(Mistake mistake, std::unique_ptr<RunningDriver> good);

}  // namespace xbind::driver_kit
