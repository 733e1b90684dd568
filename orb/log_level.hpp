// The operation set_log_level of the operators' interfaces.
#pragma once

namespace xbind::orb {

// Changes the level of the process's log, and logs the change. Throws BadRequest, with the text, if
// it is no level. Any thread.
void set_log_level(const char* level);

}  // namespace xbind::orb
