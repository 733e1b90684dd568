// Standard output: whether what a program has printed was also written. A command that could not
// write its answer has failed, and says so (docs/decisions/0096-what-a-command-prints.md).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace xbind {

// Exit code of a program whose work succeeded and whose output could not be written: EX_IOERR of
// sysexits.h.
inline constexpr int kExitNotWritten = 74;

// Opens those of the descriptors 0, 1 and 2 that are closed, so that each use of them fails, and no
// file or connection gets their number. Call it before the program opens anything;
// config::load_or_explain() does.
void hold_standard_streams();

// Prints, and remembers why that failed: stdio forgets the reason when a text is longer than its
// buffer. Whoever prints a long text uses this.
void print_output(std::string_view text);

// Flushes standard output. Returns why something that was printed is not written, "No space left on
// device"; nullopt: all is written. Once failed, always failed.
std::optional<std::string> output_fault();

// Waits, and returns early when nobody can read standard output any more: the reading end of the
// pipe is closed. Returns whether that is so; output_fault() then reports it, even if nothing was
// printed since. Only for programs that print again and again.
bool reader_left_within(std::chrono::nanoseconds patience);

// For the end of main(): returns the program's exit code. If its output is not written, prints a
// line on standard error, and kExitNotWritten replaces the exit code 0. If the reader of a pipe has
// left, the process ends by SIGPIPE, without a word, as other programs do; this also applies when
// the ORB has made the process ignore that signal.
int end_output(std::string_view program, int exit_code);

// For daemons, at their start: from here on a write to a pipe that nobody reads is an error, for
// example of a log line when the reader of standard error has ended. SIGPIPE would end the process.
void ignore_broken_pipes();

// Prints the line by which a daemon says that it serves. A daemon goes on if nobody can read it:
// then the line goes to the log as a warning, and standard output counts as written.
void announce(const std::string& line);

}  // namespace xbind
