// Whether whoever has made a two-way call still waits for its reply. An ORB that gives a call up
// closes the connection; the callee would learn of it only from a reply that nobody reads.
#pragma once

namespace xbind::orb {

// Once, after the ORB has been started: from then on upcalls know their caller.
void know_callers();

// Of the upcall that this thread runs: its connection has been closed by the caller. False where
// that cannot be told. Looks through all descriptors of the process: for rare, slow operations
// only.
bool caller_has_gone();

}  // namespace xbind::orb
