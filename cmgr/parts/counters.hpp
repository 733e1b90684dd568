// What a connection manager counts of requests, calls and the network.
#pragma once

#include <cstdint>

namespace xbind::cmgr {

struct CallCounters {
  std::uint64_t setups = 0;  // connect requests taken
  std::uint64_t connected = 0;
  std::uint64_t refused = 0;
  std::uint64_t busy = 0;
  std::uint64_t releases = 0;  // release requests taken
  std::uint64_t released = 0;
  std::uint64_t held = 0;
  std::uint64_t holds_expired = 0;
  std::uint64_t modified = 0;
  std::uint64_t leaves_added = 0;
  std::uint64_t leaves_dropped = 0;
  std::uint64_t undone = 0;      // calls whose other hops were removed after a refusal
  std::uint64_t crankbacks = 0;  // further routes tried
  std::uint64_t route_queries = 0;
  std::uint64_t service_queries = 0;  // to the QOSMapper
  std::uint64_t mapped_here = 0;      // services mapped by the code that is linked in
  std::uint64_t late_results = 0;     // answers for hops of connections that are gone
  std::uint64_t unknown_session = 0;
  std::uint64_t meaningless_events = 0;  // events without meaning in the procedure's state
  std::uint64_t table_hits = 0;    // changes and releases of connections that are in the table
  std::uint64_t table_misses = 0;  // and of others
  std::uint64_t waited = 0;        // requests that could not be begun at once
  std::uint64_t topologies = 0;    // news of the network
  std::uint64_t stale_topologies = 0;
  std::uint64_t reroutes_begun = 0;
  std::uint64_t reroutes_done = 0;
  std::uint64_t reroutes_failed = 0;
  std::uint64_t broken = 0;   // times that a connection's path was down and no other could be had
  std::uint64_t unknown = 0;  // times that its path led over an unknown switch, likewise
  std::uint64_t mended = 0;
};

}  // namespace xbind::cmgr
