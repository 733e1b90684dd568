// Identifies the caller of the upcall on this thread, and whether it still waits for the reply. An
// ORB that abandons a call closes the connection. Without this check the callee would notice only
// when it writes a reply that nobody reads.
#pragma once

#include <string_view>

namespace xbind::orb {

// Installs the interceptor that records the caller of each upcall. Runtime calls it; a second call
// does nothing.
void record_callers();

// The caller of this thread's upcall: "127.0.0.1:46744", or "unix:..." and the like for another
// transport; empty outside an upcall. The text is valid until the upcall ends.
std::string_view caller_address();

// Whether the caller of this thread's upcall has closed its connection. False when the ORB does not
// report the caller's address. It queries the kernel about every descriptor of the process, so use
// it in rare operations only.
bool caller_disconnected();

}  // namespace xbind::orb
