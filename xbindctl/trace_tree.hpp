// Joins what the processes have recorded of one call to a tree, and says what is missing in it.
//
//     setup                                xbind-cmgr default
//       switches
//         commit switch-1
//           switchserver                   xbind-switchserver switch-1
//             ledger, gsmp, answer
//         commit switch-2                  its SwitchServer does not answer
//
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/span.hpp"

namespace xbind::ctl {

// A SwitchServer that could not be asked.
struct MissingPart {
  std::string switch_name;
  std::string why;
};

struct TraceParts {
  trace::Part manager;
  std::vector<trace::Part> switch_servers;
  std::vector<MissingPart> missing;
};

struct TraceNode {
  const trace::Span* span = nullptr;  // of the parts
  const trace::Part* part = nullptr;  // that has recorded it
  std::size_t depth = 0;              // 0: an operation
  std::uint64_t begin_of_operation_ns = 0;
  std::string note;  // what is missing below it; empty: nothing
};

// The switches that the call's commands went to, in the order of the first command.
std::vector<std::string> switches_of(const trace::Part& manager);

// Depth first: every node behind its parent. Spans of a SwitchServer whose command the manager has
// not recorded stand alone, with a note. `parts` outlives the result.
std::vector<TraceNode> tree_of(const TraceParts& parts);

}  // namespace xbind::ctl
