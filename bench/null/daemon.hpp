// The null manager and the null switch as processes. CORBA interfaces, Serial, timer and sending
// are those of the real daemons; null_manager.hpp and null_switch.hpp have the logic.
//
// Neither is bound in the name service. Each prints its reference as one line on standard output; a
// null manager reads the references of its switches from standard input, one a line. Both end in
// order when standard input ends, on SIGTERM and SIGINT, and when the parent process dies.
#pragma once

#include <cstddef>

#include "bench/null/gathering.hpp"
#include "orb/runtime.hpp"

namespace xbind::callgen::null {

// Call first in the process, before any thread starts.
void follow_parent();

// Returns the exit code of the process: 0, or 1 after an error message on standard error.
int serve_manager(orb::Runtime& runtime, const Gathering& rule, std::size_t switches);
int serve_switch(orb::Runtime& runtime);

}  // namespace xbind::callgen::null
