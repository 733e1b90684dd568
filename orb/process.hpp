// What a process knows about itself, and what ends it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace xbind::orb {

// Exit codes of the daemons; 1 and 2 are those of every program (failed; options refused).
inline constexpr int kExitNameHeld = 3;  // at the start: a living daemon has the name
inline constexpr int kExitReplaced = 4;  // later: the name was taken over, or a newer epoch fences

// Before any thread is started: SIGTERM, SIGINT and SIGHUP are delivered to wait_for_end() only,
// SIGPIPE is ignored (a write to a dead peer is an error value).
void take_signals();

// How a daemon's life ends: after a signal, with exit code 0, or for a reason of its own.
struct Ending {
  int exit_code = 0;
  std::string why;  // "after SIGTERM", or a sentence; no trailing full stop
};
// Blocks until SIGTERM, SIGINT or end_process(). SIGHUP is logged and changes nothing: a closed
// terminal is no reason to drop calls. One thread.
Ending wait_for_end();
// The same for at most `patience`.
std::optional<Ending> wait_for_end(std::chrono::milliseconds patience);
// wait_for_end() returns this, unless another reason came first. From any thread; does not wait.
void end_process(int exit_code, std::string why);

// Resident memory of a process in KiB, from /proc; nothing when it is gone.
std::optional<std::uint64_t> resident_kib(int pid);
std::uint64_t own_resident_kib();

// What a process has taken since it started: processor time of all its threads, ended ones too, and
// how often those that there still are gave the processor away or lost it.
struct ProcessUse {
  std::chrono::nanoseconds cpu{};
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
};
// Nothing when it is gone.
std::optional<ProcessUse> process_use(int pid);

// What the wall clock says: for numbers that are to be higher in a process's next life (epochs,
// incarnations, versions), for nothing else.
std::chrono::nanoseconds since_1970();

}  // namespace xbind::orb
