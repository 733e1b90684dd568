// The processes of a run and what they take: looked at before, while it lasts and after. Here and not
// with the logic, for it reads clocks and /proc.
#pragma once

#include <cstdint>
#include <map>
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
  // This process is watched as well, as "xbind-callgen". Looks for the first time.
  explicit ProcessWatch(const std::vector<std::pair<std::string, int>>& processes);

  // A look while `calls_up` calls are up.
  void look(std::uint64_t calls_up);
  // The last look, and everything into the report: processes, memory, and what the machine was.
  void finish(RunReport& report);

 private:
  struct Watched {
    int pid = 0;
    orb::ProcessUse before;
    ProcessCost cost;
  };

  std::map<std::string, Watched> watched_;
  std::uint64_t most_up_ = 0;
  MachineTime time_before_;
  std::string load_before_;
  std::string began_;
};

}  // namespace xbind::callgen
