// Who has made the call that this thread serves, and whether he still waits for its reply. An ORB
// that gives a call up closes the connection; the callee would learn of it only from a reply that
// nobody reads.
#pragma once

#include <string_view>

namespace xbind::orb {

// From then on upcalls know their caller. Runtime does it; again: nothing.
void know_callers();

// Of the upcall that this thread runs: "127.0.0.1:46744", or "unix:..." and the like of another
// transport; empty outside an upcall. The text is valid until the upcall ends.
std::string_view caller_address();

// Whether the caller of the upcall that this thread runs has closed its connection. False when the
// ORB does not name the caller's address. It asks the kernel about every descriptor of the process:
// call it in rare operations only.
bool caller_has_gone();

}  // namespace xbind::orb
