// `xbind-smds status`: what the servers have written into the directory of --status-dir.
#pragma once

#include <string>

#include "core/result.hpp"

namespace xbind::smds {

// A table for people, or an array for programs, of every NAME.json in the directory, by name.
// kNotFound: there is none. Else the errors of reading a file.
Result<std::string> status_text(const std::string& directory, bool json);

}  // namespace xbind::smds
