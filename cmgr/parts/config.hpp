// The settings of a connection manager's logic; main.cpp fills them from options.
#pragma once

#include <cstdint>
#include <memory>

#include "cmgr/parts/aggregation.hpp"
#include "cmgr/parts/label_sizing.hpp"
#include "cmgr/parts/timers.hpp"
#include "core/clock.hpp"
#include "core/session/session.hpp"
#include "core/trace/sampling.hpp"
#include "traffic/catalogue.hpp"

namespace xbind::cmgr {

enum class Engine : std::uint8_t { kXbind = 0, kSequential = 1, kThreaded = 2 };

// What one client may have; the callers of two-way operations together are one client.
struct ClientLimits {
  std::size_t attached_max = 1'024;    // clients at a time
  std::size_t requests_max = 200'000;  // whose outcome is not confirmed
  // 0: no limit.
  std::uint64_t calls_max = 0;        // connections, also those being set up or released
  std::uint64_t cells_per_s_max = 0;  // of their contracts, both directions together
  double setups_per_s_max = 0;        // with bursts of one second's setups
};

struct Config {
  std::uint64_t epoch = 1;  // of this process; part of every connection id (24 bits)

  // Reported by status only; the members below implement it. xbind: as set. sequential and
  // threaded, the paper's baselines: one_by_one, operations_at_once 1 or the number of threads, and
  // no caches.
  Engine engine = Engine::kXbind;
  bool one_by_one = false;  // two-way invocations, one hop of a call after another
  // Requests begun and not answered; more wait, see cmgr/parts/operation_gate.hpp.
  std::size_t operations_at_once = 20'000;
  std::size_t operations_waiting = 100'000;

  // Caches.
  bool route_cache = true;
  bool remote_qos = false;  // query the QOSMapper; otherwise use its code, which is linked in
  bool qos_cache = true;    // caches its answers
  // Maps services by name in this process; never null.
  std::shared_ptr<const Catalogue> catalogue{std::shared_ptr<void>{}, &shipped_catalogue()};
  LabelPolicy label_policy = LabelPolicy::kFixed;
  // Labels kept for each (switch, output port), or the limit of that number; 0 disables the cache.
  std::size_t label_cache_target = 64;
  double hit_ratio = 0.995;            // target of competitive and cooperative caches
  bool quotas = false;                 // keep bandwidth and buffer in advance
  std::size_t quota_calls_ahead = 16;  // quota is kept for so many calls of the mean demand

  trace::Settings traces;  // which calls are recorded

  Aggregation aggregation;
  std::size_t crankbacks = 2;  // further routes that a call tries; 0..8

  // Named timers.
  Duration queue_timer =
      kManagerTimers["queue-timer-ms"];  // a request that has not begun by then is answered busy
  // for the answers of RouteObject and the QOSMapper
  Duration route_timer = kManagerTimers["route-timer-ms"];
  Duration hop_timer =
      kManagerTimers["hop-timer-ms"];  // for the reserve, commit and modify answers of all hops
  Duration undo_timer =
      kManagerTimers["undo-timer-ms"];  // for removal answers; afterwards the removal is owed

  // Re-routes of connections whose path has become unusable.
  std::size_t reroutes_at_once = 1'000;  // more wait
  // after a re-route that found no path
  Duration reroute_retry = kManagerTimers["reroute-retry-ms"];
  // How long an old path stays once the new one carries the connection, for cells in transit.
  Duration break_delay = kManagerTimers["break-delay-ms"];

  // Bounds.
  std::size_t connections_max = 1'000'000;
  ClientLimits clients;
  std::size_t debts_max = 100'000;  // commands owed; at this number new calls are refused
  std::size_t pools_max = 1'024;    // pairs with connections prepared in advance

  session::Limits client_session{.lease = kManagerTimers["client-lease"]};
  session::Limits switch_session;
};

// Copies the settings that a running manager takes (decision 0069); main.cpp marks their options.
// What a session, a cache's kind or an engine was made with stays.
inline void take_live_settings(Config& config, const Config& wanted) {
  config.operations_at_once = wanted.operations_at_once;
  config.catalogue = wanted.catalogue;
  config.label_cache_target = wanted.label_cache_target;
  config.hit_ratio = wanted.hit_ratio;
  config.quota_calls_ahead = wanted.quota_calls_ahead;
  config.aggregation = wanted.aggregation;
  config.crankbacks = wanted.crankbacks;
  config.queue_timer = wanted.queue_timer;
  config.route_timer = wanted.route_timer;
  config.hop_timer = wanted.hop_timer;
  config.undo_timer = wanted.undo_timer;
  config.reroutes_at_once = wanted.reroutes_at_once;
  config.reroute_retry = wanted.reroute_retry;
  config.break_delay = wanted.break_delay;
  config.connections_max = wanted.connections_max;
  config.clients = wanted.clients;
}

// No request takes longer: each try may take all the timers; a change has two steps.
inline Duration longest_call(const Config& config) {
  return config.queue_timer + config.route_timer +
         (config.hop_timer * 2 + config.undo_timer) *
             static_cast<std::int64_t>(config.crankbacks + 1) +
         kManagerTimers["two-way-margin"];
}

}  // namespace xbind::cmgr
