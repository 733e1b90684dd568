// A trace of calls, one per line, in the order of their starts:
//
//  # start in seconds, optionally the holding time, optionally the two ends
//  0.250
//  0.300  12.5
//  0.310  0.8   host-a host-b
//  0.310  host-b host-a
//
// Words are separated by blanks or tabs; a line that is empty or begins with # is skipped. What a
// line leaves out is drawn as in a run without a trace.
//
// Refused (kBadInput, "FILE line N: ..."): a start or holding time that is not a number, negative
// or above a year; a start before the previous one; a name without its other end; an end that calls
// itself; extra words; more than kTraceCallsMax calls; no call at all. kSystem: the file cannot be
// read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "callgen/load/workload.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

inline constexpr std::size_t kTraceCallsMax = 1'000'000;
inline constexpr std::size_t kTraceOctetsMax = 64U << 20;

struct TraceCall {
  static constexpr Duration kDrawn = Duration::min();
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  Duration start{};
  Duration hold = kDrawn;
  std::uint32_t from = kNobody;  // an index into Trace::names; both or neither
  std::uint32_t to = kNobody;
};

struct Trace {
  std::vector<TraceCall> calls;    // at least one, in the order of their starts
  std::vector<std::string> names;  // every named endpoint, once each
  std::string file;                // name for the manifest

  bool has_ends(std::uint64_t call) const { return calls[call].from != TraceCall::kNobody; }
  Ends ends(std::uint64_t call) const { return {names[calls[call].from], names[calls[call].to]}; }
};

Result<Trace> parse_trace(std::string_view text, const std::string& file);
Result<Trace> read_trace(const std::string& file);

}  // namespace xbind::callgen
