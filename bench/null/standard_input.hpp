// The standard input of a process that lives as long as its parent keeps the input open.
#pragma once

#include <optional>
#include <string>

namespace xbind::callgen::null {

// The next line, without its newline; nothing at the end of the input.
std::optional<std::string> read_line();
// Returns when standard input has ended, or on SIGTERM or SIGINT, which follow_parent() has
// blocked.
void wait_for_end();

}  // namespace xbind::callgen::null
