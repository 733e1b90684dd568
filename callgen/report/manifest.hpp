// What machine a run was made on, as far as it bears on its figures: for the manifest of a report.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace xbind::callgen {

// Processor time of the whole machine since it started, in ticks, of /proc/stat.
struct MachineTime {
  std::uint64_t all = 0;
  std::uint64_t idle = 0;    // waiting for a disk included
  std::uint64_t stolen = 0;  // wanted, and given to another machine by the host
};

// "cpu model", "cpus", "kernel", "virtualisation", "governor", "memory MB": from `root`/proc and `root`/sys,
// where `root` is empty but for tests. What cannot be read is "unknown", never left out.
std::map<std::string, std::string> machine_of(const std::string& root = {});
// Zeros when it cannot be read.
MachineTime machine_time(const std::string& root = {});
// "0.52 0.61 0.70": the load averages; "unknown".
std::string load_average(const std::string& root = {});
// Of /proc/PID/status: on which CPUs the process may run, "0-1"; "unknown".
std::string allowed_cpus(int pid, const std::string& root = {});

// "busy share" and "stolen share" between two looks, for people: "41.3 %".
std::string busy_share(const MachineTime& before, const MachineTime& after);
std::string stolen_share(const MachineTime& before, const MachineTime& after);

}  // namespace xbind::callgen
