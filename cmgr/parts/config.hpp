// What can be set about a connection manager's logic; main.cpp's options fill it.
#pragma once

#include <cstdint>
#include <memory>

#include "cmgr/parts/aggregation.hpp"
#include "cmgr/parts/label_sizing.hpp"
#include "cmgr/parts/timers.hpp"
#include "core/clock.hpp"
#include "core/session/session.hpp"
#include "qosmapper/catalogue.hpp"

namespace xbind::cmgr {

enum class Engine : std::uint8_t { kXbind = 0, kSequential = 1, kThreaded = 2 };

struct Config {
  std::uint64_t epoch = 1;  // of this process; part of every connection id (24 bits)

  // For status alone; what it means is in what follows. xbind: as set. sequential and threaded, the
  // paper's baselines: one_by_one, operations_at_once 1 or the size of the pool, and no caches.
  Engine engine = Engine::kXbind;
  bool one_by_one = false;  // every invocation is two-way, a call's hops are told one after another
  std::size_t operations_at_once = 20'000;   // requests begun and not answered; more wait, see
  std::size_t operations_waiting = 100'000;  // cmgr/parts/operation_gate.hpp

  // Caches.
  bool route_cache = true;
  bool remote_qos = false;  // ask the QOSMapper; else its code, which is linked in
  bool qos_cache = true;    // of its answers
  // What services by name are mapped with here; never null.
  std::shared_ptr<const Catalogue> catalogue{std::shared_ptr<void>{}, &shipped_catalogue()};
  LabelPolicy label_policy = LabelPolicy::kFixed;
  std::size_t label_cache_target =
      64;                    // labels kept for each (switch, output port), or at most kept;
                             // 0 switches the cache off
  double hit_ratio = 0.995;  // wanted of competitive and cooperative caches
  bool quotas = false;       // keep bandwidth and buffer in advance
  std::size_t quota_calls_ahead = 16;  // for so many more calls of the mean demand

  Aggregation aggregation;
  std::size_t crankbacks = 2;  // further routes that a call tries; 0..8

  // Named timers.
  Duration queue_timer =
      kManagerTimers["queue-timer-ms"];  // a request that could not be begun is busy then
  Duration route_timer = kManagerTimers["route-timer-ms"];  // RouteObject's and QOSMapper's answer
  Duration hop_timer =
      kManagerTimers["hop-timer-ms"];  // reserve, commit and modify answers of every hop
  Duration undo_timer =
      kManagerTimers["undo-timer-ms"];  // removal answers; afterwards the hop is owed

  // Another path for connections whose own has become unusable.
  std::size_t reroutes_at_once = 1'000;                         // more wait
  Duration reroute_retry = kManagerTimers["reroute-retry-ms"];  // for those that could not be had
  // How long an old path stays once the new one carries the connection: for the cells on their way.
  Duration break_delay = kManagerTimers["break-delay-ms"];

  // Bounds.
  std::size_t connections_max = 1'000'000;
  std::size_t clients_max = 1'024;            // attached at a time
  std::size_t requests_per_client = 200'000;  // without a confirmed outcome
  std::size_t debts_max = 100'000;            // commands owed; beyond it no new call is taken
  std::size_t pools_max = 1'024;              // pairs with connections prepared in advance

  session::Limits client_session{.lease = kManagerTimers["client-lease"]};
  session::Limits switch_session;
};

}  // namespace xbind::cmgr
