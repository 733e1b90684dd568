// What a process knows about itself and the signals that end it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace xbind::orb {

// Before any thread is started: SIGTERM and SIGINT are delivered to wait_for_signal() only, SIGPIPE is
// ignored (a write to a dead peer is an error value).
void take_signals();
// Blocks until SIGTERM or SIGINT; returns its number.
int wait_for_signal();

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
