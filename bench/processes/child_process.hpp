// Runs another program to its end: its arguments, output and exit code. For commands that need a
// lab or a run of callgen in a separate process.
//
// The child has its own process group, so that a Ctrl-C in the terminal reaches this process only.
// This process then ends the child, and the processes it started in the group, before it is
// interrupted itself (interrupts.hpp). The child's standard input is /dev/null.
//
// run_child() blocks its thread; several threads may each run a child.
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
  std::vector<std::string> command;  // a path, or a name found in PATH; then its arguments
  // added to the inherited environment, or replacing variables of it
  std::map<std::string, std::string> environment{};
  Duration timeout = kCallgenTimers["child"];
};

struct ChildEnd {
  int exit_code = 0;
  // The last kOutputKept octets of each stream.
  std::string out;
  std::string err;
};
inline constexpr std::size_t kOutputKept = 1U << 20;

// Errors carry the end of the child's standard error:
//  kSystem       it could not be started, or a signal ended it
//  kTimeout      it took longer than `timeout`: SIGINT, and SIGKILL to the group after 15 s
//  kUnreachable  this process was interrupted (Interrupts): ended in the same way
// An exit code other than 0 is not an error.
Result<ChildEnd> run_child(const ChildPlan& plan);

// The last `lines` lines, without the final newline.
std::string last_lines(std::string_view text, std::size_t lines);

}  // namespace xbind::callgen
