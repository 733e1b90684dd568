// A call of an earlier epoch that the manager cannot put together: of which it knows some hops and
// not the others. It is listed and described; its cells, labels and bandwidth stay as they are,
// until its hops come, its owner releases it or an operator clears it (docs/reliability.md).
//
// Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cmgr/parts/found_call.hpp"
#include "core/ids.hpp"

namespace xbind::cmgr {

// Why a hop is not known.
enum class Missing : std::uint8_t {
  kNotRead,        // the SwitchServer has not been read
  kUnknownSwitch,  // the call leads to a port of which no link is known
  kNoEntry,        // the SwitchServer has lost its ledger, and the switch has no such entry: it has
                   // restarted, too
  kSeveralEntries,  // the ledger was lost, and several entries of the switch's table fit
  kNoOutputs,       // the ledger was lost, and the switch does not report outputs (GSMP 1.1)
  kOtherEntry,      // the ledger was lost, and nobody knows an entry on an input of the call
  kNotClaimed,      // the ledger was lost, and its SwitchServer is still to be asked
  kUndecided,       // how the hops fit together is not certain
};

// "its SwitchServer has not been read", ...: follows the name of a switch and a colon.
constexpr std::string_view words_of(Missing why) {
  switch (why) {
    case Missing::kNotRead: return "its SwitchServer has not been read";
    case Missing::kUnknownSwitch: return "one of its ports leads to a switch that is not known";
    case Missing::kNoEntry: return "its SwitchServer lost its records, and the switch has no entry";
    case Missing::kSeveralEntries:
      return "its SwitchServer lost its records, and several entries of the switch fit";
    case Missing::kNoOutputs:
      return "its SwitchServer lost its records, and the switch does not report outputs";
    case Missing::kOtherEntry:
      return "its SwitchServer lost its records, and the switch has an entry that nobody knows";
    case Missing::kNotClaimed:
      return "its SwitchServer lost its records, and other switches have not been read";
    case Missing::kUndecided: return "it is not certain how its hops fit together";
  }
  return "unknown";
}

struct IncompleteCall {
  ConnectionId id;                    // this manager's own
  ConnectionId shown;                 // under which the owner knows it; the own one, or another
  const std::vector<FoundHop>& hops;  // the known hops, in no particular order
  std::string element;                // the switch of which a hop is not known; "switch-1"
  Missing why = Missing::kNotRead;

  // "switch-1: its SwitchServer has not been read"
  std::string words() const {
    std::string text = element;
    text += ": ";
    text += words_of(why);
    return text;
  }
};

// Its hops leg by leg, by their numbers; of a number that several paths have used, the oldest
// first.
// The pointers are into `call.hops`.
inline std::vector<const FoundHop*> hops_in_order(const IncompleteCall& call) {
  std::vector<const FoundHop*> hops;
  hops.reserve(call.hops.size());
  for (const FoundHop& hop : call.hops) hops.push_back(&hop);
  std::ranges::sort(hops, {}, [](const FoundHop* hop) {
    const HopKey& key = hop->hop.key;
    return std::tuple{key.leg, key.hop, key.generation};
  });
  return hops;
}

}  // namespace xbind::cmgr
