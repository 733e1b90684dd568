// The standard input of a process that lives as long as who started it keeps it open.
#pragma once

#include <optional>
#include <string>

namespace xbind::callgen::null {

// The next line, without its end; nothing when there is none any more.
std::optional<std::string> read_line();
// Returns when standard input has ended, or SIGTERM or SIGINT has come; both are blocked by follow_parent().
void wait_for_end();

}  // namespace xbind::callgen::null
