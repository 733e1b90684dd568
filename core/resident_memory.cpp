#include "core/resident_memory.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace xbind {

std::optional<std::uint64_t> resident_kib(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoull(line.substr(6));
  }
  return std::nullopt;
}

std::uint64_t own_resident_kib() { return resident_kib(getpid()).value_or(0); }

}  // namespace xbind
