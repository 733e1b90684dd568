// The null manager and the null switch as processes: the CORBA faces, the Serial, the timer and the sending
// are those of the real daemons, what they serve is in floor/.
//
// Neither is bound in the name service. A reference goes out as one line on standard output; a null manager
// reads those of its switches from standard input, one a line. Both end in order when standard input ends,
// at SIGTERM and SIGINT, and when the process that started them dies.
#pragma once

#include <cstddef>

#include "bench/null/gathering.hpp"
#include "orb/runtime.hpp"

namespace xbind::callgen::null {

// First thing in the process, before any thread.
void follow_parent();

// The exit code of the process: 0, or 1 with a sentence on standard error.
int serve_manager(orb::Runtime& runtime, const Gathering& rule, std::size_t switches);
int serve_switch(orb::Runtime& runtime);

}  // namespace xbind::callgen::null
