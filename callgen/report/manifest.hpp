// The properties of the machine that affect a run's figures, for the manifest of a report.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace xbind::callgen {

// Processor time of the whole machine since its start, in ticks, from /proc/stat.
struct MachineTime {
  std::uint64_t all = 0;
  std::uint64_t idle = 0;    // includes waiting for a disk
  std::uint64_t stolen = 0;  // requested by this machine, but given to another one by the host
};

// "cpu model", "cpus", "kernel", "virtualisation", "governor", "memory MB", from `root`/proc and
// `root`/sys; `root` is empty except in tests. Values that cannot be read are "unknown", never left
// out.
std::map<std::string, std::string> machine_of(const std::string& root = {});
// Zeros if it cannot be read.
MachineTime machine_time(const std::string& root = {});
// The load averages, "0.52 0.61 0.70"; or "unknown".
std::string load_average(const std::string& root = {});
// The CPUs on which the process may run, "0-1", from /proc/PID/status; or "unknown".
std::string allowed_cpus(int pid, const std::string& root = {});

// "busy share" and "stolen share" between two readings, for people: "41.3 %".
std::string busy_share(const MachineTime& before, const MachineTime& after);
std::string stolen_share(const MachineTime& before, const MachineTime& after);

}  // namespace xbind::callgen
