// Measures the resources of a run's processes before, during and after the run. Separate from the
// logic, because it reads clocks and /proc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "callgen/report/manifest.hpp"
#include "callgen/report/report.hpp"
#include "orb/process.hpp"

namespace xbind::callgen {

// One thread.
class ProcessWatch {
 public:
  // Also watches this process, as "xbind-callgen". Takes the first measurement.
  explicit ProcessWatch(const std::vector<std::pair<std::string, int>>& processes);

  // Takes a measurement while `calls_up` calls are up.
  void look(std::uint64_t calls_up);
  // Takes the last measurement, and writes processes, memory and machine load into the report.
  void finish(RunReport& report);

 private:
  struct Watched {
    int pid = 0;
    std::optional<orb::ProcessUse> before;
    ProcessCost cost;
  };

  std::map<std::string, Watched> watched_;
  std::uint64_t most_up_ = 0;
  MachineTime time_before_;
  std::string load_before_;
  std::string began_;
};

}  // namespace xbind::callgen
