// Writes the report's file. The path is checked before the run, so that a typing error does not
// lose an hour's figures.
#pragma once

#include <string>

#include "core/result.hpp"

namespace xbind::callgen {

// kSystem with the operating system's reason if `path` cannot be opened for writing. An existing
// file is left unchanged; a file created by the check is removed.
Result<void> check_writable(const std::string& path);

// Replaces an existing file. kSystem, also when the disk is full.
Result<void> write_file(const std::string& path, const std::string& text);

}  // namespace xbind::callgen
