// Signals, exit codes and resource usage of a process.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/resident_memory.hpp"

namespace xbind::orb {

// Exit codes of the daemons; 1 and 2 have the meaning that they have in every program (failed;
// options refused), and so has kExitShortage (core/shortage.hpp).
inline constexpr int kExitNameHeld = 3;  // at the start: a living daemon has the name
inline constexpr int kExitReplaced = 4;  // later: the name was taken over, or a newer epoch fences
                                         // us

// Call it before any thread starts. SIGTERM, SIGINT and SIGHUP are then delivered to wait_for_end()
// only. SIGPIPE is ignored: a write to a dead peer returns an error.
void take_signals();

// How a daemon ends: after a signal with exit code 0, or for a reason of its own.
struct Ending {
  int exit_code = 0;
  std::string why;  // "after SIGTERM", or a sentence; no trailing full stop
};
// Blocks until SIGTERM, SIGINT or end_process(). SIGHUP opens the log again (log::hang_up()) and
// calls what on_hang_up() has set: a closed terminal must not drop calls. One thread.
Ending wait_for_end();
// Blocks for at most `patience`.
std::optional<Ending> wait_for_end(std::chrono::milliseconds patience);
// Sets what SIGHUP calls, on the thread that waits for the end; empty: nothing more. Only that
// thread may call this.
void on_hang_up(std::function<void()> call);
// Makes wait_for_end() return this reason, unless there is an earlier one. Any thread; does not
// block.
void end_process(int exit_code, std::string why);

using xbind::own_resident_kib;
using xbind::resident_kib;

// Usage of a process since its start: processor time of all its threads, including ended ones, and
// how often its present threads yielded or lost the processor.
struct ProcessUse {
  std::chrono::nanoseconds cpu{};
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
};
// nullopt when the process has ended.
std::optional<ProcessUse> process_use(int pid);

// Wall-clock time. Use it only for times that people read, and for numbers that must be higher
// after a restart (epochs, incarnations, versions, ids of alarms).
std::chrono::nanoseconds since_1970();

}  // namespace xbind::orb
