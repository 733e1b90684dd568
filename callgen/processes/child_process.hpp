// Another program, run to its end: its words, what it printed, how it ended. For commands that need a lab
// or a run of callgen in a process of its own.
//
// The child has a process group of its own, so that a Ctrl-C in the terminal reaches us alone: we end
// the child, and what it has started in the group, and only then are interrupted ourselves (interrupts.hpp).
// It reads nothing: its standard input is /dev/null.
//
// run_child() blocks its thread; several threads may run a child each.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "callgen/timers.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

struct ChildPlan {
  std::vector<std::string> command;  // a path, or a name that PATH knows; then its words
  std::map<std::string, std::string> environment{};  // beside or instead of ours
  Duration timeout = kCallgenTimers["child"];
};

struct ChildEnd {
  int exit_code = 0;
  // The last kOutputKept octets of each.
  std::string out;
  std::string err;
};
inline constexpr std::size_t kOutputKept = 1U << 20;

// Errors carry the end of what the child wrote to standard error:
//   kSystem       it could not be started, or a signal has ended it
//   kTimeout      it took longer than `timeout`: SIGINT, and SIGKILL to the group after 15 s
//   kUnreachable  we have been interrupted (Interrupts): likewise
// An exit code other than 0 is no error.
Result<ChildEnd> run_child(const ChildPlan& plan);

// The last `lines` lines, without the newline at the end.
std::string last_lines(std::string_view text, std::size_t lines);

}  // namespace xbind::callgen
