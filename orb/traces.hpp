// The spans of calls (core/trace/span.hpp) in the operators' interfaces, and the wall clock of
// their times.
#pragma once

#include "core/result.hpp"
#include "core/trace/span.hpp"
#include "operations.hh"

namespace xbind::orb {

// A reading of both clocks of the process. The same for all calls, so that two answers about a span
// have the same times, until the wall clock has been set by more than a millisecond. Any thread.
trace::WallClock wall_clock();

void to_idl(const trace::Span& span, v2::Span& out);
// The caller owns the result. At most trace::kSpansMax spans, the latest.
v2::TracePart* to_idl(const trace::Part& part);
// kProtocol: a cause is unknown.
Result<trace::Span> to_core(const v2::Span& span);
Result<trace::Part> to_core(const v2::TracePart& part);

}  // namespace xbind::orb
