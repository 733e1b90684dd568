#include "core/cause.hpp"

#include <cstddef>
#include <iterator>

#include "core/cause_table.hpp"
#include "core/check.hpp"

namespace xbind {
namespace {

constexpr CauseRow kCauseRows[] = {
    {Cause::kNone, "none", ErrorCode::kProtocol, CauseClass::kInternal, Retry::kNowhere, "",
     Reason::kUnsaid, "", "", ""},
    {Cause::kInvalidRequest, "invalid request", ErrorCode::kBadInput, CauseClass::kBadRequest,
     Retry::kNowhere, "{asked}", Reason::kInstead,
     "The request contradicts itself or exceeds a bound. The reason names the broken rule.",
     "asked: the offending number", "correct the request; repeating it changes nothing"},
    {Cause::kUnknownEndpoint, "unknown endpoint", ErrorCode::kNotFound, CauseClass::kBadRequest,
     Retry::kNowhere, "", Reason::kUnsaid,
     "The topology of RouteObject has no endpoint of this name.", "",
     "correct the name, or add the endpoint to the topology file of xbind-routeobject"},
    {Cause::kNoRoute, "no route", ErrorCode::kUnreachable, CauseClass::kNoRoute, Retry::kNowhere,
     "", Reason::kUnsaid,
     "Both endpoints are known, but no usable path joins them. Links that are down, drained or at "
     "an unknown switch are not usable.",
     "",
     "`xbindctl links` shows the state of every link: mend what is down, `xbindctl undrain` what "
     "is drained"},
    {Cause::kNoBandwidth, "no bandwidth", ErrorCode::kExhausted, CauseClass::kNoBandwidth,
     Retry::kOtherPath, "asked {asked} cells/s, free {free}", Reason::kUnsaid,
     "A port of the path has fewer free cells/s than the connection takes; or no path has lines "
     "that may carry the rate.",
     "asked, free: cells/s",
     "ask for at most the free rate, release calls of this port, or take another path: `xbindctl "
     "explain FROM TO --cells-per-s N` shows both"},
    {Cause::kNoBuffer, "no buffer", ErrorCode::kExhausted, CauseClass::kNoBuffer, Retry::kOtherPath,
     "asked {asked} cells of buffer, free {free}", Reason::kUnsaid,
     "A port of the path has less free buffer than the connection takes.", "asked, free: cells",
     "request less buffer, or release calls of this port"},
    {Cause::kNoLabel, "no label", ErrorCode::kExhausted, CauseClass::kNoLabel, Retry::kOtherPath,
     "", Reason::kInstead,
     "Every label of the port is in a connection, in a cache or in quarantine.", "free: 0",
     "release calls of this port, make its label range larger, or make the managers' caches "
     "smaller (`xbindctl caches` shows them)"},
    {Cause::kUnknownPort, "unknown port", ErrorCode::kNotFound, CauseClass::kInternal,
     Retry::kOtherPath, "{asked}", Reason::kUnsaid,
     "The switch has no such port: topology and switch differ.", "asked: the port",
     "compare the topology file with `xbindctl ports SWITCH`, and correct one of them"},
    {Cause::kForeignInputLabel, "foreign input label", ErrorCode::kProtocol, CauseClass::kInternal,
     Retry::kOtherLabels, "", Reason::kUnsaid, "The input label belongs to another connection.",
     "asked: the label's value",
     "`xbindctl audit` shows whether the tables of switch, ledger and manager differ; repeat the "
     "request"},
    {Cause::kLabelNotHeld, "label not held", ErrorCode::kProtocol, CauseClass::kInternal,
     Retry::kOtherLabels, "", Reason::kUnsaid,
     "The output label was not granted to this manager, or has lapsed.", "asked: the label's value",
     "repeat the request: the manager takes other labels; if it stays, run `xbindctl audit`"},
    {Cause::kStale, "stale generation", ErrorCode::kProtocol, CauseClass::kInternal,
     Retry::kNowhere, "generation {asked}, newest {free}", Reason::kUnsaid,
     "A newer generation of the connection's path exists; the command came too late.",
     "asked, free: both generations", "none: the newer path is in force"},
    {Cause::kUnknownConnection, "unknown connection", ErrorCode::kNotFound, CauseClass::kBadRequest,
     Retry::kNowhere, "connection {asked}", Reason::kBeside,
     "The manager has no connection with this id: it has ended. Or it was set up before the "
     "manager's start, and the reason says where its hops may be.",
     "asked: the id",
     "`xbindctl list` shows the connections; check --manager; `xbindctl audit` shows unclaimed "
     "entries"},
    {Cause::kSwitchRefused, "switch refused", ErrorCode::kProtocol, CauseClass::kInternal,
     Retry::kOtherPath, "GSMP failure {asked}", Reason::kUnsaid,
     "The switch answered a GSMP request with a failure.",
     "asked: the failure code (RFC 3292, section 12.1)",
     "look the code up; compare `xbindctl ports SWITCH` and `xbindctl audit`"},
    {Cause::kSwitchUnreachable, "switch unreachable", ErrorCode::kUnreachable,
     CauseClass::kSwitchDown, Retry::kOtherPath, "", Reason::kUnsaid,
     "The manager has no session with the SwitchServer, or the SwitchServer none with its switch.",
     "",
     "start the SwitchServer or the switch, or mend the control network; `xbindctl ports SWITCH` "
     "says since when it is away"},
    {Cause::kTimeout, "timeout", ErrorCode::kTimeout, CauseClass::kTimedOut, Retry::kOtherPath, "",
     Reason::kUnsaid, "A switch did not answer within the hop timer; the call was undone.", "",
     "look at the load of the switch and of the control network; a longer hop timer of xbind-cmgr "
     "waits longer"},
    {Cause::kBusy, "busy", ErrorCode::kExhausted, CauseClass::kOverload, Retry::kNowhere, "",
     Reason::kInstead, "A bounded queue is full, or a client has reached a limit of its own.",
     "asked, free: where a limit has numbers",
     "try again after the time that the answer gives; lower the offered rate"},
    {Cause::kBeingReleased, "being released", ErrorCode::kNotFound, CauseClass::kBadRequest,
     Retry::kNowhere, "connection {asked}", Reason::kUnsaid, "The connection is being released.",
     "asked: the id", "none: wait until it has gone"},
    {Cause::kUnknownService, "unknown service", ErrorCode::kNotFound, CauseClass::kNoService,
     Retry::kNowhere, "", Reason::kUnsaid,
     "The QOSMapper's catalogue has no service of this name or kind.", "",
     "`xbindctl services` lists the services"},
    {Cause::kWithdrawn, "withdrawn", ErrorCode::kProtocol, CauseClass::kInternal, Retry::kNowhere,
     "", Reason::kUnsaid,
     "The hop was undone because another hop of the call refused. It is never the cause of a call.",
     "", "none: look at the cause of the call"},
    {Cause::kNoRouteObject, "no route object", ErrorCode::kUnreachable, CauseClass::kServerDown,
     Retry::kNowhere, "", Reason::kUnsaid,
     "No RouteObject answers, and the manager has neither a cached route nor a path over the last "
     "known network.",
     "", "start xbind-routeobject; calls between ends with such a path continue"},
    {Cause::kHoldExpired, "hold expired", ErrorCode::kNotFound, CauseClass::kBadRequest,
     Retry::kNowhere, "connection {asked}", Reason::kUnsaid,
     "The hold ended before its commit arrived; nothing is reserved any more.", "asked: the id",
     "connect again, with a longer --hold"},
    {Cause::kNotConnected, "not connected", ErrorCode::kNotFound, CauseClass::kBadRequest,
     Retry::kNowhere, "connection {asked}", Reason::kUnsaid,
     "The connection is not up: it is still being set up, is a hold, or has ended.",
     "asked: the id", "`xbindctl call ID` shows its state; commit a hold first"},
    {Cause::kChangeUnderWay, "change under way", ErrorCode::kExhausted, CauseClass::kBadRequest,
     Retry::kNowhere, "connection {asked}", Reason::kUnsaid,
     "Another change of the connection has not ended yet.", "asked: the id",
     "repeat the request in a moment"},
    {Cause::kLastLeaf, "last leaf", ErrorCode::kBadInput, CauseClass::kBadRequest, Retry::kNowhere,
     "connection {asked}", Reason::kUnsaid, "This is the only destination left.", "asked: the id",
     "release the connection instead"},
    {Cause::kLeafExists, "leaf exists", ErrorCode::kBadInput, CauseClass::kBadRequest,
     Retry::kNowhere, "", Reason::kUnsaid,
     "The endpoint is already a destination of the connection.", "", "none: it receives the cells"},
    {Cause::kUnknownLeaf, "unknown leaf", ErrorCode::kNotFound, CauseClass::kBadRequest,
     Retry::kNowhere, "", Reason::kUnsaid, "The endpoint is not a destination of the connection.",
     "", "`xbindctl describe ID` lists the destinations"},
    {Cause::kNoQosMapper, "no qos mapper", ErrorCode::kUnreachable, CauseClass::kServerDown,
     Retry::kNowhere, "", Reason::kUnsaid,
     "The QOSMapper does not answer, so the service has no contract.", "",
     "start xbind-qosmapper, or run xbind-cmgr with --qos collocated"},
    {Cause::kOverShare, "over share", ErrorCode::kExhausted, CauseClass::kPolicy, Retry::kOtherPath,
     "{asked} labels held, share {free}", Reason::kUnsaid,
     "The manager holds all labels of its share of the port.",
     "asked: labels held, free: the share",
     "release calls of this manager, or share labels competitively (--label-sharing of "
     "xbind-switchserver)"},
    {Cause::kPathBound, "path bound", ErrorCode::kExhausted, CauseClass::kNoRoute, Retry::kNowhere,
     "bound {asked}, best {free}", Reason::kUnsaid,
     "No path meets a bound on delay or number of links.",
     "asked: the bound, free: the best possible",
     "use a bound that is not below the best possible"},
    {Cause::kTooHard, "too hard", ErrorCode::kExhausted, CauseClass::kNoRoute, Retry::kNowhere,
     "{asked} partial paths", Reason::kUnsaid,
     "The exact search of a path was abandoned, because it would take too long.",
     "asked: the limit of partial paths",
     "remove a bound or a required element, or ask for fewer alternates"},
    {Cause::kLinkDown, "link down", ErrorCode::kUnreachable, CauseClass::kSwitchDown,
     Retry::kNowhere, "", Reason::kUnsaid, "A link or an access line that the path needs is down.",
     "", "mend the line; `xbindctl links` and `xbindctl ports SWITCH` show its state"},
    {Cause::kIncomplete, "incomplete", ErrorCode::kUnreachable, CauseClass::kSwitchDown,
     Retry::kNowhere, "", Reason::kWhole,
     "The call is from before the manager's start, and the manager does not know all of its hops. "
     "Only release, clear and describe are taken. Its cells are not touched.",
     "asked: the id",
     "start the SwitchServer that the reason names, or correct the topology: the call then stands "
     "again by itself; `xbindctl release ID` ends it. `xbindctl explain ID` says what is missing"},
};

// A row for each number, in their order.
constexpr bool causes_are_complete() {
  if (std::size(kCauseRows) != static_cast<std::size_t>(kCauseLast) + 1) return false;
  for (std::size_t i = 0; i < std::size(kCauseRows); ++i) {
    const CauseRow& row = kCauseRows[i];
    if (row.cause != static_cast<Cause>(i) || row.name.empty()) return false;
    const bool explained = !row.meaning.empty() && !row.remedy.empty();
    if (explained != (row.cause != Cause::kNone)) return false;
  }
  return true;
}
static_assert(causes_are_complete());

}  // namespace

std::span<const CauseRow> refusal_causes() { return std::span(kCauseRows).subspan(1); }

const CauseRow& row_of(Cause cause) {
  XB_CHECK(cause <= kCauseLast, static_cast<int>(cause));
  return kCauseRows[static_cast<std::size_t>(cause)];
}

std::string_view to_string(Cause cause) {
  return cause <= kCauseLast ? row_of(cause).name : "unknown cause";
}

std::optional<Cause> cause_from(std::uint8_t value) {
  if (value > static_cast<std::uint8_t>(kCauseLast)) return std::nullopt;
  return static_cast<Cause>(value);
}

}  // namespace xbind
