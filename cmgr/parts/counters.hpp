// Counters of a connection manager: requests, calls and the network.
#pragma once

#include <cstdint>

#include "cmgr/parts/cause_counts.hpp"

namespace xbind::cmgr {

struct CallCounters {
  std::uint64_t setups = 0;  // connect requests accepted
  std::uint64_t connected = 0;
  std::uint64_t refused = 0;
  std::uint64_t busy = 0;
  std::uint64_t releases = 0;  // release requests accepted
  std::uint64_t released = 0;
  std::uint64_t held = 0;
  std::uint64_t holds_expired = 0;
  std::uint64_t modified = 0;
  std::uint64_t leaves_added = 0;
  std::uint64_t leaves_dropped = 0;
  std::uint64_t undone = 0;      // calls whose other hops were removed after a refusal
  std::uint64_t crankbacks = 0;  // further routes tried
  std::uint64_t route_queries = 0;
  std::uint64_t routes_expired = 0;  // expired paths that served while RouteObject was asked
  std::uint64_t routes_found_here = 0;  // paths over the last known network
  std::uint64_t service_queries = 0;  // to the QOSMapper
  std::uint64_t mapped_here = 0;      // services mapped by the linked-in code
  std::uint64_t late_results = 0;     // results for hops of connections that no longer exist
  std::uint64_t unknown_session = 0;
  std::uint64_t meaningless_events = 0;  // events without meaning in the procedure's state
  std::uint64_t table_hits = 0;          // changes and releases of connections in the table
  std::uint64_t table_misses = 0;        // changes and releases of unknown connections
  std::uint64_t waited = 0;              // requests that could not begin at once
  std::uint64_t topologies = 0;          // topology updates
  std::uint64_t stale_topologies = 0;
  std::uint64_t reroutes_begun = 0;
  std::uint64_t reroutes_done = 0;
  std::uint64_t reroutes_failed = 0;
  std::uint64_t broken = 0;   // connections whose path went down with no other path
  std::uint64_t unknown = 0;  // connections whose path uses an unknown switch, with no other path
  std::uint64_t mended = 0;
  std::uint64_t over_client_limit = 0;  // requests refused because of a limit for each client
  std::uint64_t ended_stuck = 0;        // calls that none of their timers had ended
  CauseCounts by_cause{};               // of refused and busy
};

}  // namespace xbind::cmgr
