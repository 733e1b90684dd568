// Why a hop or a call was not done. One list for hop results, outcomes and logs; a new cause exists
// when some caller would act differently on it. `asked` and `free` beside it carry the numbers, the
// element says where ("sw2 port 4").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace xbind {

enum class Cause : std::uint8_t {
  kNone = 0,         // done
  kInvalidRequest,   // the request contradicts itself; asked = the offending number
  kUnknownEndpoint,  // no such end in the topology
  kNoRoute,          // the ends are known, no path joins them
  kNoBandwidth,  // a port's free cells/s, or the widest path's rate, do not suffice; asked, free
  kNoBuffer,     // a port's free buffer does not suffice; asked, free in cells
  kNoLabel,      // every label of the port is taken; free = 0
  kUnknownPort,  // the switch has no such port; asked = the port
  kForeignInputLabel,  // the input label belongs to another connection; asked = the label's value
  kLabelNotHeld,  // the output label was not granted to this manager; asked = the label's value
  kStale,         // a newer path generation of the connection exists; asked, free = both numbers
  kUnknownConnection,  // nobody of that id here
  kSwitchRefused,      // the switch answered with a failure; asked = GSMP failure code (v3)
  kSwitchUnreachable,  // no session with the SwitchServer, or it has none with its switch
  kTimeout,            // no answer within the hop timer
  kBusy,               // a bounded queue is full; try again
  kBeingReleased,      // the connection is on its way down
  kUnknownService,     // the QOS specification names no service we know
  kWithdrawn,          // undone because another hop refused (never a call's own cause)
  kNoRouteObject,      // no RouteObject answers and no route is cached
  kHoldExpired,        // the hold's time was over before the commit came
  kNotConnected,       // the connection is not up yet, or no more; or it is a hold, or it is none
  kChangeUnderWay,     // another change of the same connection has not ended yet; try again
  kLastLeaf,           // the only destination left: release the connection instead
  kLeafExists,         // the endpoint is a destination of the connection already
  kUnknownLeaf,        // it is none
  kNoQosMapper,        // the QOSMapper does not answer
  kOverShare,          // no label within the manager's share of the port; asked, free = its share
  kPathBound,          // no path within a bound; asked = the bound, free = the best there is
  kTooHard,            // the search for a path was given up; asked = the partial paths it may hold
  kLinkDown,           // a link or line of the path is down; the element says which
};

// The highest number there is.
inline constexpr Cause kCauseLast = Cause::kLinkDown;

// "no bandwidth", "switch refused", ...: stable, one per cause.
std::string_view to_string(Cause cause);
// The cause with that number, or nothing when a peer sends one that this version does not know.
std::optional<Cause> cause_from(std::uint8_t value);

}  // namespace xbind
