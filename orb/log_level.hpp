// The operations of the operators' interfaces about the log (Logged in idl/operations.idl).
#pragma once

#include "operations.hh"

namespace xbind::orb {

// Changes the levels of the process's log, and logs the change. Throws BadRequest if the text is
// wrong. Any thread.
void set_log_level(const char* level);
v2::LogLevelSeq* log_levels();

}  // namespace xbind::orb
