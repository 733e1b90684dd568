// A whole small file (configuration, topology) as text. For start-up and operators' commands: it
// blocks, and a path that names a pipe is read to its end.
#pragma once

#include <cstddef>
#include <string>

#include "core/result.hpp"

namespace xbind {

// kSystem: it cannot be opened or read (also: it is a directory); kBadInput: it is longer than
// `octets_max`. The text names the path.
Result<std::string> read_file(const std::string& path, std::size_t octets_max);

}  // namespace xbind
