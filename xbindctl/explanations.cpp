#include "xbindctl/explanations.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xbind::ctl {
namespace {

constexpr Explanation kExplanations[] = {
    {Cause::kInvalidRequest,
     "The request contradicts itself or exceeds a bound. The reason names the broken rule.",
     "asked: the offending number", "correct the request; repeating it changes nothing"},
    {Cause::kUnknownEndpoint, "The topology of RouteObject has no endpoint of this name.", "",
     "correct the name, or add the endpoint to the topology file of xbind-routeobject"},
    {Cause::kNoRoute,
     "Both endpoints are known, but no usable path joins them. Links that are down, drained or at "
     "an unknown switch are not usable.",
     "",
     "`xbindctl links` shows the state of every link: mend what is down, `xbindctl undrain` what "
     "is drained"},
    {Cause::kNoBandwidth,
     "A port of the path has fewer free cells/s than the connection takes; or no path has lines "
     "that may carry the rate.",
     "asked, free: cells/s",
     "ask for at most the free rate, release calls of this port, or take another path: `xbindctl "
     "explain FROM TO --cells-per-s N` shows both"},
    {Cause::kNoBuffer, "A port of the path has less free buffer than the connection takes.",
     "asked, free: cells", "ask for less buffer, or release calls of this port"},
    {Cause::kNoLabel, "Every label of the port is in a connection, in a cache or in quarantine.",
     "free: 0",
     "release calls of this port, make its label range larger, or make the managers' caches "
     "smaller (`xbindctl caches` shows them)"},
    {Cause::kUnknownPort, "The switch has no such port: topology and switch differ.",
     "asked: the port",
     "compare the topology file with `xbindctl ports SWITCH`, and correct one of them"},
    {Cause::kForeignInputLabel, "The input label belongs to another connection.",
     "asked: the label's value",
     "`xbindctl audit` shows whether the tables of switch, ledger and manager differ; repeat the "
     "request"},
    {Cause::kLabelNotHeld, "The output label was not granted to this manager, or has lapsed.",
     "asked: the label's value",
     "repeat the request: the manager takes other labels; if it stays, run `xbindctl audit`"},
    {Cause::kStale,
     "A newer generation of the connection's path exists; the command came too late.",
     "asked, free: both generations", "none: the newer path is in force"},
    {Cause::kUnknownConnection,
     "The manager has no connection with this id: it has ended. Or it was set up before the "
     "manager's start, and the reason says where its hops may be.",
     "asked: the id",
     "`xbindctl list` shows the connections; check --manager; `xbindctl audit` shows entries that "
     "nobody has claimed"},
    {Cause::kSwitchRefused, "The switch answered a GSMP request with a failure.",
     "asked: the failure code (RFC 3292, section 12.1)",
     "look the code up; compare `xbindctl ports SWITCH` and `xbindctl audit`"},
    {Cause::kSwitchUnreachable,
     "The manager has no session with the SwitchServer, or the SwitchServer none with its switch.",
     "",
     "start the SwitchServer or the switch, or mend the control network; `xbindctl ports SWITCH` "
     "says since when it is away"},
    {Cause::kTimeout, "A switch did not answer within the hop timer; the call was undone.", "",
     "look at the load of the switch and of the control network; a longer hop timer of "
     "xbind-cmgr waits longer"},
    {Cause::kBusy, "A bounded queue is full, or a client has reached a limit of its own.",
     "asked, free: where a limit has numbers",
     "try again after the time that the answer gives; lower the offered rate"},
    {Cause::kBeingReleased, "The connection is being released.", "asked: the id",
     "none: wait until it has gone"},
    {Cause::kUnknownService, "The QOSMapper's catalogue has no service of this name or kind.", "",
     "`xbindctl services` lists the services"},
    {Cause::kWithdrawn,
     "The hop was undone because another hop of the call refused. It is never the cause of a call.",
     "", "none: look at the cause of the call"},
    {Cause::kNoRouteObject,
     "No RouteObject answers, and the manager has neither a cached route nor a path over the last "
     "known network.",
     "", "start xbind-routeobject; calls between ends with such a path continue"},
    {Cause::kHoldExpired, "The hold ended before its commit arrived; nothing is reserved any more.",
     "asked: the id", "connect again, with a longer --hold"},
    {Cause::kNotConnected,
     "The connection is not up: it is still being set up, is a hold, or has ended.",
     "asked: the id", "`xbindctl call ID` shows its state; commit a hold first"},
    {Cause::kChangeUnderWay, "Another change of the connection has not ended yet.", "asked: the id",
     "repeat the request in a moment"},
    {Cause::kLastLeaf, "This is the only destination left.", "asked: the id",
     "release the connection instead"},
    {Cause::kLeafExists, "The endpoint is already a destination of the connection.", "",
     "none: it receives the cells"},
    {Cause::kUnknownLeaf, "The endpoint is not a destination of the connection.", "",
     "`xbindctl describe ID` lists the destinations"},
    {Cause::kNoQosMapper, "The QOSMapper does not answer, so the service has no contract.", "",
     "start xbind-qosmapper, or run xbind-cmgr with --qos collocated"},
    {Cause::kOverShare, "The manager holds all labels of its share of the port.",
     "asked: labels held, free: the share",
     "release calls of this manager, or share labels competitively (--label-sharing of "
     "xbind-switchserver)"},
    {Cause::kPathBound, "No path meets a bound on delay or number of links.",
     "asked: the bound, free: the best possible",
     "use a bound that is not below the best possible"},
    {Cause::kTooHard, "The exact search of a path was abandoned, because it would take too long.",
     "asked: the limit of partial paths",
     "remove a bound or a required element, or ask for fewer alternates"},
    {Cause::kLinkDown, "A link or an access line that the path needs is down.", "",
     "mend the line; `xbindctl links` and `xbindctl ports SWITCH` show its state"},
    {Cause::kIncomplete,
     "The call is from before the manager's start, and the manager does not know all of its hops. "
     "Only release, clear and describe are taken. Its cells are not touched.",
     "asked: the id",
     "start the SwitchServer that the reason names, or correct the topology: the call then stands "
     "again by itself; `xbindctl release ID` ends it. `xbindctl explain ID` says what is missing"},
};

constexpr Explanation kNothing{};

}  // namespace

std::span<const Explanation> explanations() { return kExplanations; }

const Explanation& explanation_of(Cause cause) {
  const auto found = std::ranges::find(kExplanations, cause, &Explanation::cause);
  return found == std::end(kExplanations) ? kNothing : *found;
}

std::string word_of(Cause cause) {
  std::string word{to_string(cause)};
  std::ranges::replace(word, ' ', '-');
  return word;
}

std::optional<Cause> cause_from_word(std::string_view word) {
  for (const Explanation& row : kExplanations) {
    if (word_of(row.cause) == word) return row.cause;
  }
  return std::nullopt;
}

std::vector<std::string> cause_words() {
  std::vector<std::string> words;
  for (const Explanation& row : kExplanations) words.push_back(word_of(row.cause));
  return words;
}

std::string explanations_markdown() {
  std::string text = "| cause | meaning | numbers | what to do |\n| --- | --- | --- | --- |\n";
  for (const Explanation& row : kExplanations) {
    text += fmt::format("| {} | {} | {} | {} |\n", to_string(row.cause), row.meaning, row.numbers,
                        row.remedy);
  }
  return text;
}

}  // namespace xbind::ctl
