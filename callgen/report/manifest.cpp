#include "callgen/report/manifest.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace xbind::callgen {
namespace {

constexpr const char* kUnknown = "unknown";

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line.empty()) return kUnknown;
  return line;
}

// "model name\t: AMD ..." -> "AMD ...", from the first line with that name.
std::string field_of(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? kUnknown : line.substr(begin);
  }
  return kUnknown;
}

std::string virtualisation_of(const std::string& root) {
  const std::string type = first_line(root + "/sys/hypervisor/type");
  if (type != kUnknown) return type;
  const std::string flags = field_of(root + "/proc/cpuinfo", "flags");
  if (flags == kUnknown) return kUnknown;
  if ((" " + flags + " ").find(" hypervisor ") == std::string::npos) return "none seen";
  const std::string vendor = first_line(root + "/sys/class/dmi/id/sys_vendor");
  return vendor == kUnknown ? "a hypervisor" : "a hypervisor (" + vendor + ")";
}

std::size_t processors(const std::string& root) {
  std::ifstream file(root + "/proc/cpuinfo");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("processor")) ++count;
  }
  return count;
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return kUnknown;
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

std::map<std::string, std::string> machine_of(const std::string& root) {
  const std::size_t cpus = processors(root);
  return {
      {"cpu model", field_of(root + "/proc/cpuinfo", "model name")},
      {"cpus", cpus == 0 ? kUnknown : fmt::format("{}", cpus)},
      {"kernel", first_line(root + "/proc/sys/kernel/osrelease")},
      {"virtualisation", virtualisation_of(root)},
      {"governor", first_line(root + "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
      {"memory", field_of(root + "/proc/meminfo", "MemTotal")},
  };
}

MachineTime machine_time(const std::string& root) {
  // cpu user nice system idle iowait irq softirq steal ...: user includes guests.
  std::istringstream line(first_line(root + "/proc/stat"));
  std::string word;
  line >> word;
  MachineTime time;
  std::uint64_t ticks = 0;
  for (int column = 0; column < 8 && line >> ticks; ++column) {
    time.all += ticks;
    if (column == 3 || column == 4) time.idle += ticks;
    if (column == 7) time.stolen = ticks;
  }
  return time;
}

std::string load_average(const std::string& root) {
  std::istringstream line(first_line(root + "/proc/loadavg"));
  std::string one;
  std::string five;
  std::string fifteen;
  if (!(line >> one >> five >> fifteen)) return kUnknown;
  return one + " " + five + " " + fifteen;
}

std::string allowed_cpus(int pid, const std::string& root) {
  return field_of(fmt::format("{}/proc/{}/status", root, pid), "Cpus_allowed_list");
}

std::string busy_share(const MachineTime& before, const MachineTime& after) {
  const std::uint64_t all = after.all - before.all;
  return share(all - (after.idle - before.idle), all);
}

std::string stolen_share(const MachineTime& before, const MachineTime& after) {
  return share(after.stolen - before.stolen, after.all - before.all);
}

}  // namespace xbind::callgen
