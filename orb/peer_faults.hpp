// Faults of peers that no session and no upcall accounts for: each is counted for the whole
// process, and logged at most once a minute for each kind and each host (core/line_limits.hpp).
// The questions that every object has (orb/object_questions.hpp) are none, whatever the answer.
// Thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/metrics/metric_table.hpp"

namespace xbind::orb {

enum class PeerFault : std::uint8_t {
  kMalformed,         // the ORB could not decode a message, and closed its connection
  kUnknownObject,     // a request to an object that does not exist
  kUnknownOperation,  // a request for an operation that its object does not have
  kUndecodable,       // a batch with a value outside its contract
  kRefused,           // a connection beyond the limits (orb/accepted_connections.hpp)
};
inline constexpr std::size_t kPeerFaults = 5;

// `peer`: "127.0.0.1:46744", or empty if unknown; the log names its host. `detail`: for the log.
void note_fault(PeerFault fault, std::string_view peer, std::string_view detail);
// The same for the caller of this thread's upcall.
void note_callers_fault(PeerFault fault, std::string_view detail);
// How many faults of that kind there have been since the start.
std::uint64_t peer_faults(PeerFault fault);
// ConnectionGuard, which logs on its own, has closed idle connections.
void count_closed_idle(std::uint64_t connections);

// From here on omniORB's lines are lines of our log: level warn, subsystem "orb", each text at most
// once a minute. It also recognises malformed messages by them. Runtime calls it before the ORB
// starts.
void take_orb_log();

// Installs the interceptor that recognises unknown objects. Runtime calls it once the ORB has
// started; a second call does nothing.
void watch_peer_faults();

// Appends every count of this process, zeros included.
void append_peer_faults(Metrics& metrics);
void append_peer_faults(MetricTable& table);

}  // namespace xbind::orb
