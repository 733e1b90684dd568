#include "core/alarms/alarm_kinds.hpp"

#include "core/timers.hpp"

namespace xbind {
namespace {

using enum AlarmSeverity;
using enum AlarmHold;

constexpr std::array<AlarmKindRow, kAlarmKinds> kRows{{
    {AlarmKind::kDaemonSilent, "daemon-silent", kCritical, kState, "each daemon",
     "the silent daemon's name", "A daemon is registered in the name service and does not answer.",
     "See whether its process lives and its host is reachable; start it again. A daemon that was "
     "ended for good leaves no name: `xbind-names clear` removes a stale one."},
    {AlarmKind::kKeeperSilent, "keeper-silent", kMajor, kState, "each daemon", "the keeper's name",
     "A keeper of permanent connections is registered in the name service and does not answer: "
     "its connections stay up, and nobody sets up again what is lost.",
     "Start the keeper again: it finds its connections. If it was ended for good, `xbind-names "
     "clear` removes its name."},
    {AlarmKind::kNameServiceUnreachable, "name-service-unreachable", kMinor, kState, "each daemon",
     "the name service",
     "The name service does not answer: sessions go on, but programs that start or attach again "
     "do not find each other.",
     "Start omniNames at the same address; every daemon binds its names again by itself."},
    {AlarmKind::kLogicSilent, "logic-silent", kCritical, kState, "each daemon", "the daemon's part",
     "The process lives, but its logic has not answered for seconds.",
     "Look at the load of the host and at the daemon's log. If it does not recover, take a stack "
     "trace for a report, then start it again."},
    {AlarmKind::kSwitchAway, "switch-away", kCritical, kState, "SwitchServer", "the switch",
     "The SwitchServer has no control session (GSMP adjacency) with its switch: nothing can be set "
     "up or released there.",
     "Check power and control network of the switch, and its address in the SwitchServer's "
     "options. Cells may still flow; calls come back by themselves."},
    {AlarmKind::kSwitchUnknown, "switch-unknown", kCritical, kState, "RouteObject", "the switch",
     "No SwitchServer is known to control the switch: no new path uses it.",
     "Look at the SwitchServer of that name: whether it lives, reaches its switch, and reaches "
     "RouteObject."},
    {AlarmKind::kSwitchServerUnreachable, "switchserver-unreachable", kCritical, kState,
     "ConnectionManager", "the switch",
     "The manager has no session with the SwitchServer: calls through this switch are refused or "
     "wait.",
     "Start the SwitchServer, or see what stops it; the manager attaches by itself."},
    {AlarmKind::kRouteObjectUnreachable, "routeobject-unreachable", kMajor, kState,
     "ConnectionManager, SwitchServer", "the RouteObject",
     "RouteObject does not answer: routes that are not cached cannot be found, and changes of the "
     "network are not learnt.",
     "Start RouteObject, or see what stops it; nothing else needs to be done."},
    {AlarmKind::kQosMapperUnreachable, "qosmapper-unreachable", kMajor, kState, "ConnectionManager",
     "the QOSMapper",
     "The QOSMapper does not answer: requests whose service is not cached are refused.",
     "Start the QOSMapper, or run the manager with its own mapping (`--qos collocated`)."},
    {AlarmKind::kLineDown, "line-down", kMajor, kState, "RouteObject", "the line, by one end",
     "A link or access line of the topology is down: no new path uses it, calls leave it where "
     "there is another way.",
     "Repair the line. If it is taken out of service for long, drain it or change the topology."},
    {AlarmKind::kPortDown, "port-down", kMinor, kState, "SwitchServer", "switch and port",
     "The switch reports that a port is down.",
     "Repair the line at that port, or the port; an unused port is best disabled at the switch."},
    {AlarmKind::kPermanentCallDown, "permanent-call-down", kCritical, kState, "keeper",
     "the connection, by its name in the keeper's file",
     "A permanent connection is not up, or its path is down.",
     "The cause says why. Mend what is down, make room, or correct the keeper's file; the keeper "
     "and the manager try again by themselves."},
    {AlarmKind::kCallsWithoutPath, "calls-without-path", kMajor, kState, "ConnectionManager",
     "the manager",
     "Connections stand over lines or switches that are unusable or drained: no other path was "
     "found, they have several destinations and do not move, or they have not been moved yet.",
     "Repair what is down (`line-down`, `switch-away`), or make room on another path; "
     "`xbindctl calls --unusable` lists the connections. The manager tries again by itself."},
    {AlarmKind::kCallsEndedByForce, "calls-ended-by-force", kMajor, kCounted, "ConnectionManager",
     "the manager",
     "Calls did not end by any of their timers and were ended by force: a defect of the manager.",
     "Nothing is left behind. Send the log lines of these calls as a report."},
    {AlarmKind::kCallsIncomplete, "calls-incomplete", kMajor, kState, "ConnectionManager",
     "the manager",
     "Calls of the manager's earlier epochs cannot be put together: a switch has not been read, "
     "its SwitchServer has lost its records, or the topology lacks links. Their cells are not "
     "touched. They can be released; other requests about them are refused.",
     "Start the SwitchServers that are missing (`switchserver-unreachable`), or correct the "
     "topology. `xbindctl calls --state incomplete` lists the calls, `xbindctl explain ID` says "
     "what is missing of one. Release those that do not come back."},
    {AlarmKind::kLinksDiffer, "links-differ", kMajor, kState, "ConnectionManager",
     "switch and port, one end of the link",
     "Calls of an earlier epoch stand over a link that the topology does not have, or that leads "
     "elsewhere in it. Their cells flow; new calls find no path there, or a wrong one.",
     "Compare RouteObject's topology with the network and correct it; the calls stay."},
    {AlarmKind::kClaimsAwaited, "claims-awaited", kMajor, kSlow, "SwitchServer", "the switch",
     "Managers have not claimed all connections that the switch had when the SwitchServer "
     "started: ports admit nothing new.",
     "Start the managers that are missing, or `xbindctl forget-manager` one that will not return."},
    {AlarmKind::kEntriesOfNobody, "entries-of-nobody", kMajor, kState, "SwitchServer", "the switch",
     "The switch has cross-connects that no manager has claimed since the SwitchServer lost its "
     "ledger. Cells pass them; their labels are not granted, and their contracts are not known: "
     "their bandwidth is not held.",
     "`xbindctl audit` shows the paths that they form, with their ends. `xbindctl repair` removes "
     "them; look at its dry run first. If a manager has not claimed all, start what it lacks: its "
     "own process, or SwitchServers that it cannot read."},
    {AlarmKind::kManagerGone, "manager-gone", kMajor, kState, "SwitchServer", "the manager",
     "A manager has connections at this switch and no session: nobody can change or release them.",
     "Start the manager again under its name; it takes its calls over. If it will not return, "
     "`xbindctl clear` its calls and `xbindctl forget-manager` it."},
    {AlarmKind::kClientGone, "client-gone", kWarning, kSlow, "ConnectionManager", "the client",
     "A client has connections and no session: its connections stay up.",
     "Nothing, if it will return. Else `xbindctl release --client NAME` releases them."},
    {AlarmKind::kRemovalsOwed, "removals-owed", kMinor, kSlow, "ConnectionManager", "the manager",
     "Removals could not be delivered to switches: their labels and bandwidth stay taken.",
     "Make the switches reachable; the manager delivers them by itself. `xbindctl audit` lists "
     "them. If `claims-awaited` or `entries-of-nobody` of a switch says that removals wait for a "
     "manager, start that manager, or `xbindctl forget-manager` one that will not return."},
    {AlarmKind::kOverload, "overload", kMajor, kCounted, "ConnectionManager", "the manager",
     "Requests were answered busy: more are under way or waiting than the manager takes.",
     "See whether a switch or a client is slow (`xbindctl top`). Limit the clients "
     "(--client-setups-per-s-max), or raise --operations-at-once."},
    {AlarmKind::kClientOverLimit, "client-over-limit", kWarning, kCounted, "ConnectionManager",
     "the manager", "Requests were refused because their client has reached a limit of its own.",
     "`xbindctl clients` shows what each has. If the use is right, raise the limit: "
     "--client-setups-per-s-max, --client-calls-max, --client-cells-per-s-max or "
     "--client-requests-max."},
    {AlarmKind::kLabelsShort, "labels-short", kMinor, kState, "SwitchServer", "switch and port",
     "At least 95 % of a port's output labels are taken; cleared below 90 %.",
     "Give the port a larger label range, or move load to other links. A manager that holds more "
     "than its calls use is named: find out who runs it."},
    {AlarmKind::kBandwidthShort, "bandwidth-short", kWarning, kState, "SwitchServer",
     "switch and port",
     "At least 95 % of the bandwidth that a port may promise is promised; cleared below 90 %.",
     "Nothing, if it is planned. Else drain the link in part, add capacity, or raise the port's "
     "overbooking."},
    {AlarmKind::kStateNotWritten, "state-not-written", kMajor, kState, "each daemon", "the file",
     "A file under --state-dir could not be written: a restart would not know what it says.",
     "Make room on the disk, or correct the owner of the directory. The daemon tries again by "
     "itself within 5 s, and the alarm is cleared."},
    {AlarmKind::kNetworkSmaller, "network-smaller", kMajor, kState, "RouteObject",
     "the topology file",
     "The file of --topology lacks switches or links of the network that was served before. It was "
     "not taken: the stored network is served on.",
     "Correct the file. If the network has become smaller, start RouteObject with "
     "--accept-smaller, or `xbindctl network load` it."},
    {AlarmKind::kSwitchDrift, "switch-drift", kMajor, kState, "SwitchServer", "the switch",
     "The switch has lost cross-connects of standing calls, although it has kept its session: "
     "another controller or a person has removed them. They were put back once; what was removed "
     "again is not put back within the same round. The alarm ends when nothing was lost for a "
     "whole round.",
     "Find who else controls the switch (`xbindctl ports` says how many do), and end it. `xbindctl "
     "audit` names what is missing, `xbindctl repair` puts it back."},
    {AlarmKind::kPeersRefused, "peers-refused", kWarning, kCounted, "each daemon", "the process",
     "Connections were closed because one host, or all together, had too many.",
     "Look in the log for the host. Raise --accepted-max or --accepted-per-host-max if they are "
     "right."},
    {AlarmKind::kPeerFaults, "peer-faults", kWarning, kCounted, "each daemon", "the process",
     "A peer sent messages that cannot be decoded, or for objects that do not exist.",
     "Look in the log for the host: a port scan, a program of another version, or a reference "
     "that is out of date."},
    {AlarmKind::kCallbacksNotRead, "callbacks-not-read", kMinor, kCounted, "each daemon",
     "the process",
     "Messages to a peer were dropped because it does not read its connection; sessions repeat "
     "them.",
     "Look in the log for the peer, and whether it is stopped or overloaded. Its session ends if "
     "it goes on."},
    {AlarmKind::kDescriptorsShort, "descriptors-short", kMajor, kState, "each daemon",
     "the process", "Few file descriptors are left: new connections and sessions are refused.",
     "Raise the process's limit (LimitNOFILE), or end peers that hold connections for nothing."},
    {AlarmKind::kLineDrained, "line-drained", kWarning, kState, "RouteObject",
     "the line, by one end", "An operator has drained the link: no new path uses it.",
     "`xbindctl undrain` it when the work is done."},
    {AlarmKind::kSwitchDrained, "switch-drained", kWarning, kState, "RouteObject", "the switch",
     "An operator has drained all links of the switch: no new path leads through it.",
     "`xbindctl undrain` it when the work is done."},
    {AlarmKind::kAlarmsLeftOut, "alarms-left-out", kWarning, kState, "each daemon",
     "the alarm list", "More states than the daemon lists are alarming: some are not listed.",
     "Repair what is listed; the others follow."},
}};

constexpr bool in_order() {
  for (std::size_t at = 0; at < kRows.size(); ++at) {
    if (static_cast<std::size_t>(kRows[at].kind) != at) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

const std::array<AlarmKindRow, kAlarmKinds>& alarm_kinds() { return kRows; }

const AlarmKindRow& row_of(AlarmKind kind) { return kRows[static_cast<std::size_t>(kind)]; }

std::optional<AlarmKind> alarm_kind_of(std::string_view name) {
  for (const AlarmKindRow& row : kRows) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

Duration raised_after(AlarmHold hold) {
  switch (hold) {
    case AlarmHold::kState: return kCoreTimers["alarm-raise"];
    case AlarmHold::kSlow: return kCoreTimers["alarm-raise-slow"];
    case AlarmHold::kCounted: break;
  }
  return Duration::zero();
}

Duration cleared_after(AlarmHold hold) {
  return hold == AlarmHold::kCounted ? kCoreTimers["alarm-clear-counted"]
                                     : kCoreTimers["alarm-clear"];
}

}  // namespace xbind
