// What can be set about a connection manager's logic; main.cpp's options fill it.
#pragma once

#include <cstdint>

#include "cmgr/aggregator.hpp"
#include "core/clock.hpp"
#include "core/session/session.hpp"

namespace xbind::cmgr {

struct Config {
  std::uint64_t epoch = 1;  // of this process; part of every connection id (24 bits)
  Aggregation aggregation;
  std::size_t label_cache_target =
      64;  // labels kept for each (switch, output port); 0 switches it off

  // Named timers.
  Duration route_timer = std::chrono::seconds{3};  // RouteObject's answer
  Duration hop_timer = std::chrono::seconds{3};    // reserve and commit answers of every hop
  Duration undo_timer = std::chrono::seconds{5};   // removal answers; afterwards the hop is owed

  // Bounds.
  std::size_t connections_max = 1'000'000;
  std::size_t clients_max = 1'024;            // attached at a time
  std::size_t requests_per_client = 200'000;  // without a confirmed outcome
  std::size_t debts_max = 100'000;            // removals owed; beyond it no new call is taken

  session::Limits client_session{.lease = std::chrono::seconds{60}};
  session::Limits switch_session;
};

}  // namespace xbind::cmgr
