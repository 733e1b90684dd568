// Every duration and bound of attaching to SwitchServers and of watching RouteObject, for the
// daemon (remote_peers.hpp) and the simulator alike. core/attaching.hpp explains them.
#pragma once

#include <string>

#include "cmgr/parts/switch_desk.hpp"
#include "cmgr/parts/timers.hpp"
#include "core/attach_table.hpp"
#include "core/attaching.hpp"
#include "core/name_hash.hpp"

namespace xbind::cmgr {

// Attaching to a SwitchServer.
inline constexpr Attaching::Policy kSwitchAttaching{
    // The wait after a failure. It spares the network and the log while a SwitchServer is away. A
    // SwitchServer that returns is found after at most the largest wait.
    .back_off = {kManagerTimers["attach-back-off-min"], kManagerTimers["attach-back-off-max"]},
    // The limit for one attempt, in case it never ends. It is longer than the invocations of an
    // attempt may take: look-up, attach and first batch, by the connect and call timeouts
    // (orb/runtime.hpp).
    .answer_within = kManagerTimers["attach-answer"],
    // Calls over that switch wait, and few managers attach to one SwitchServer.
    .at_once_after_loss = true,
};

inline constexpr AttachTable::Limits kSwitchAttachLimits{
    .peers_max = SwitchDesk::kSwitches,
    // Each attempt under way has a thread in the daemon.
    .at_once = 16,
    // Stopped SwitchServers leave half of the threads to the others.
    .silent_at_once = 8,
    // A live SwitchServer answers within milliseconds; one that is silent gets the call timeout at
    // the next attempt.
    .silent_after = kManagerTimers["attach-silent"],
};

// The part of half a wait that is left out, 0 to 1, so that managers of one SwitchServer, or
// SwitchServers of one manager, are not tried in step. The same names give the same value.
inline double attach_jitter(const std::string& manager, const std::string& switch_name) {
  return static_cast<double>(name_hash(manager, switch_name) % 1'000) / 1'000;
}

// Watching RouteObject's topology. The refresh interval is RouteObject's validity time.
inline constexpr Attaching::Policy kTopologyWatching{
    .back_off = {kManagerTimers["topology-back-off-min"], kManagerTimers["topology-back-off-max"]},
};
// Bounds of the refresh interval, whatever RouteObject requests. They prevent a storm of watches,
// and limit how long a lost notice stays unnoticed. The minimum is also the pause before another
// try when the topology changed between two pages.
inline constexpr Duration kTopologyRefreshMin = kManagerTimers["topology-refresh-min"];
inline constexpr Duration kTopologyRefreshMax = kManagerTimers["topology-refresh-max"];

}  // namespace xbind::cmgr
