// A span: a part of the time of a call in one process (docs/operating.md, "Traces of calls"). The
// spans of a call form a tree, across processes: a SwitchServer's spans name the manager's span of
// the command that they serve. Both compute its id from the command, so that no message carries it.
//
// The trace of a call is known by the manager's name and the ConnectionId, whose high bits are the
// manager's epoch: the same number that logs and operators use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/cause.hpp"
#include "core/clock.hpp"
#include "core/hop.hpp"
#include "core/ids.hpp"
#include "core/name_hash.hpp"

namespace xbind::trace {

// Limit of the spans of a Part, the latest ones.
inline constexpr std::size_t kSpansMax = 2'000;
// Longest detail of a peer's span, in octets: a refusal that has four of the longest names.
inline constexpr std::size_t kDetailOctetsMax = 400;

struct Span {
  std::uint64_t id = 0;        // unique within the call; never 0
  std::uint64_t parent = 0;    // 0: none
  std::string name;            // "setup", "route", "commit", "gsmp"
  std::string place;           // the switch that it concerns; empty: none
  std::uint64_t begin_ns = 0;  // nanoseconds since 1970, by the process's clock
  std::uint64_t end_ns = 0;    // 0: not over
  HopKey key;                  // of the hop; generation 0: it concerns none
  Cause cause = Cause::kNone;  // why it failed
  std::string detail;          // for people

  friend bool operator==(const Span&, const Span&) = default;
};

// The spans of one call in one process, in the order in which they began.
struct Part {
  std::string process;  // "xbind-cmgr cm1"
  std::string manager;
  ConnectionId connection;        // between manager and SwitchServers
  ConnectionId shown_id;          // as the client knows it
  std::uint32_t sample = 0;       // of so many calls one is recorded; 0: none
  std::uint64_t overwritten = 0;  // records of all calls that newer ones have replaced
  std::vector<Span> spans;
};

// Turns times of a process into wall-clock times, by a reading of both clocks at the same moment.
class WallClock {
 public:
  WallClock(TimePoint now, std::uint64_t unix_ns) : now_(now), unix_ns_(unix_ns) {}
  std::uint64_t ns(TimePoint at) const {
    return unix_ns_ + static_cast<std::uint64_t>((at - now_).count());
  }

 private:
  TimePoint now_;
  std::uint64_t unix_ns_;
};

// Id of the span that stands for a hop's command in the manager.
inline std::uint64_t span_of_command(const HopKey& key, HopAction action, std::uint32_t revision) {
  std::uint64_t hash = mix_hash(std::uint64_t{key.generation.value()} << 32 ^ revision);
  hash = mix_hash(hash ^ std::uint64_t{key.leg} << 32 ^ std::uint64_t{key.hop} << 8 ^
                  static_cast<std::uint64_t>(action));
  return hash == 0 ? 1 : hash;
}
// Id of a part of another span: `number` differs among the parts of one span.
inline std::uint64_t span_within(std::uint64_t span, std::uint64_t number) {
  const std::uint64_t hash = mix_hash(span * 31 + mix_hash(number + 1));
  return hash == 0 ? 1 : hash;
}

// 32 hexadecimal digits, as OpenTelemetry writes them. The last 16 are the ConnectionId.
std::string trace_id(std::string_view manager, ConnectionId connection);
// 16 hexadecimal digits.
std::string span_id(std::uint64_t span);

}  // namespace xbind::trace
