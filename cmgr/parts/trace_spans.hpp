// Turns the records of a call (call_traces.hpp) into spans:
//
//     setup                       one operation
//       admission ... switches    its stages; or the states of its procedure
//         commit switch-1         a command, from its departure until its result
//
// Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cmgr/parts/call_traces.hpp"
#include "core/trace/span.hpp"

namespace xbind::cmgr {

using SwitchName = std::function<const std::string&(SwitchIndex)>;

// A recorded operation of a call, without its parts.
struct TracedOperation {
  ConnectionId shown_id;
  trace::Span whole;
};

// The call of that id, as client or SwitchServers know it; its newest spans, at most
// trace::kSpansMax. nullopt: nothing is recorded of it. The members of the result
// that describe the process are not set.
std::optional<trace::Part> spans_of(const trace::Ring<CallRecord>& records, ConnectionId id,
                                    const SwitchName& name_of, const trace::WallClock& clock);

// The latest operations, the newest first, at most `limit`.
std::vector<TracedOperation> traced_operations(const trace::Ring<CallRecord>& records,
                                               std::size_t limit, const SwitchName& name_of,
                                               const trace::WallClock& clock);

}  // namespace xbind::cmgr
