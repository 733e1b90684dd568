// How a program ends when the host refuses it memory or a thread, or an exception that nobody
// handles says that descriptors are used up: one line on standard error that names what could not
// be had and the limit of it, and exit code kExitShortage. Otherwise a SIGSEGV or SIGABRT would
// say nothing to an operator.
//
//   xbind-cmgr: no memory: the host has refused an allocation (ulimit -v: 40000 KiB)
//
// A program that links this file has the handlers from before the constructors of its libraries
// on. Any exception of another kind is named in a line too, and aborts: it is a defect. A SIGSEGV
// counts as a lack of memory if the process cannot get 16 MiB at that moment: jemalloc 5.3 crashes
// in a new thread that gets no arena. Else the signal ends the process as ever.
#pragma once

namespace xbind {

inline constexpr int kExitShortage = 5;

// Links the handlers into the program; installs them if they are not yet. First in main().
void name_shortages();
// Called when an operation has failed that opens `needed` descriptors, at most 32: ends the process
// as above if the host does not give it so many.
void end_if_short_of_descriptors(int needed);

}  // namespace xbind
