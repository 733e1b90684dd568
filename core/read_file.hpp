// Reads a whole small file (configuration, topology) as text. For start-up and operators' commands
// only: it blocks, and reads a pipe to its end.
#pragma once

#include <cstddef>
#include <string>

#include "core/result.hpp"

namespace xbind {

// kSystem: the file cannot be opened or read (for example, it is a directory). kBadInput: it is
// longer than `octets_max`. The error text has the path.
Result<std::string> read_file(const std::string& path, std::size_t octets_max);

}  // namespace xbind
