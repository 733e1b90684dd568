// Which files the operator of a running program may name: whoever reaches the operators' interface
// may not have the program read, and refuse with a quotation, any file of its host (decision 0088).
#pragma once

#include <string>

#include "core/result.hpp"

namespace xbind::config {

// Whether `asked` may be the value of a file option while the program runs: a regular file in the
// directory of `configured`, the value of the option's other sources; symbolic links are resolved
// first. An empty `asked` names no file and is right. kBadInput, with the same words whether a file
// outside of the directory exists or not. Reads directories; both paths are relative to the
// program's own.
Result<void> check_tuned_file(const std::string& option, const std::string& configured,
                              const std::string& asked);

}  // namespace xbind::config
