// Where the report goes. Checked before the run: an hour's figures must not be lost to a typing
// error.
#pragma once

#include <string>

#include "core/result.hpp"

namespace xbind::callgen {

// kSystem with the operating system's reason when `path` cannot be opened for writing. What is
// there stays as it is; a file that had to be created for the test is removed again.
Result<void> check_writable(const std::string& path);

// Replaces what is there. kSystem, also when the disk was full.
Result<void> write_file(const std::string& path, const std::string& text);

}  // namespace xbind::callgen
