// Why a hop or a call failed. Hop results, outcomes and logs share this list. A separate cause
// exists only where some caller acts differently on it. `asked` and `free` carry the numbers,
// `element` the place ("sw2 port 4").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace xbind {

enum class Cause : std::uint8_t {
  kNone = 0,           // success
  kInvalidRequest,     // the request contradicts itself; asked = the offending number
  kUnknownEndpoint,    // the topology has no such endpoint
  kNoRoute,            // the endpoints are known, but no path joins them
  kNoBandwidth,        // too little on a port (free cells/s) or on the widest path; asked, free
  kNoBuffer,           // too little free buffer on a port; asked, free in cells
  kNoLabel,            // every label of the port is taken, or the one that the call wants is (then
                       // asked = its value, from 16); free = 0
  kUnknownPort,        // the switch has no such port; asked = the port
  kForeignInputLabel,  // the input label belongs to another connection; asked = the label's value
  kLabelNotHeld,  // the output label was not granted to this manager; asked = the label's value
  kStale,         // a newer path generation of the connection exists; asked, free = both numbers
  kUnknownConnection,  // there is no connection of this id
  kSwitchRefused,      // the switch answered with a failure; asked = GSMP failure code (v3)
  kSwitchUnreachable,  // no session with the SwitchServer, or it has none with its switch
  kTimeout,            // no answer within the hop timer
  kBusy,               // a bounded queue is full; try again
  kBeingReleased,      // the connection is being released
  kUnknownService,     // the QOS specification names an unknown service
  kWithdrawn,          // undone because another hop refused (never the cause of a call)
  kNoRouteObject,      // no RouteObject answers and no route is cached
  kHoldExpired,        // the hold expired before its commit arrived
  kNotConnected,       // not up yet, no longer up, a hold, or not a connection
  kChangeUnderWay,     // another change of this connection is under way; try again
  kLastLeaf,           // the only destination left; release the connection instead
  kLeafExists,         // the endpoint is already a destination of the connection
  kUnknownLeaf,        // the endpoint is not a destination of the connection
  kNoQosMapper,        // the QOSMapper does not answer
  kOverShare,          // no label within the manager's share of the port; asked, free = its share
  kPathBound,          // no path within a bound; asked = the bound, free = the best possible
  kTooHard,            // the path search was abandoned; asked = its limit of partial paths
  kLinkDown,           // a link or line of the path is down; the element says which
  kIncomplete,         // not all hops of a call of an earlier epoch are known; element: the switch
};

// The highest number in use.
inline constexpr Cause kCauseLast = Cause::kIncomplete;

// "no bandwidth", "switch refused", ...: stable, one per cause.
std::string_view to_string(Cause cause);
// Returns the cause of that number; nullopt when a peer sends one that this version does not
// define.
std::optional<Cause> cause_from(std::uint8_t value);

}  // namespace xbind
