// When a manager attaches to its SwitchServers and watches RouteObject: every duration and bound,
// for the daemon (remote_peers.hpp) and the simulator alike. What they mean: core/attaching.hpp.
#pragma once

#include <string>

#include "cmgr/parts/switch_desk.hpp"
#include "cmgr/parts/timers.hpp"
#include "core/attach_table.hpp"
#include "core/attaching.hpp"
#include "core/name_hash.hpp"

namespace xbind::cmgr {

// To a SwitchServer.
inline constexpr Attaching::Policy kSwitchAttaching{
    // After failures. It spares the network and the log while a SwitchServer is away; at most the
    // largest wait passes before one that is back is found.
    .back_off = {kManagerTimers["attach-back-off-min"], kManagerTimers["attach-back-off-max"]},
    // It guards against an attempt that never ends. Longer than the invocations of an attempt may
    // take: the look-up, the attach and the first batch, of connect and call timeouts
    // (orb/runtime.hpp).
    .answer_within = kManagerTimers["attach-answer"],
    // Calls over that switch wait, and a SwitchServer has few managers.
    .at_once_after_loss = true,
};

inline constexpr AttachTable::Limits kSwitchAttachLimits{
    .peers_max = SwitchDesk::kSwitches,
    // Each attempt under way has a thread in the daemon.
    .at_once = 8,
    // So that a stopped process with dozens of SwitchServers leaves half of the threads to others.
    .at_once_silent = 4,
    // One that is there answers within milliseconds; one that has stopped takes the call timeout.
    .silent_after = kManagerTimers["attach-silent"],
};

// Which part of half a wait is left out, 0 to 1: managers that share a SwitchServer, and the
// SwitchServers of a manager, are not tried in step. The same for the same names.
inline double attach_jitter(const std::string& manager, const std::string& switch_name) {
  return static_cast<double>(name_hash(manager, switch_name) % 1'000) / 1'000;
}

// Of RouteObject's topology. The refresh is RouteObject's validity time.
inline constexpr Attaching::Policy kTopologyWatching{
    .back_off = {kManagerTimers["topology-back-off-min"], kManagerTimers["topology-back-off-max"]},
};
// Bounds of the refresh, whatever RouteObject says: they guard against a storm of watches and
// against a lost notice that nobody misses. The least is also the pause before another try when the
// topology changed between two pages.
inline constexpr Duration kTopologyRefreshMin = kManagerTimers["topology-refresh-min"];
inline constexpr Duration kTopologyRefreshMax = kManagerTimers["topology-refresh-max"];

}  // namespace xbind::cmgr
