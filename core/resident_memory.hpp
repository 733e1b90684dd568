// Resident memory of processes, from /proc.
#pragma once

#include <cstdint>
#include <optional>

namespace xbind {

// In KiB; nullopt when the process has ended.
std::optional<std::uint64_t> resident_kib(int pid);
std::uint64_t own_resident_kib();

}  // namespace xbind
