// Where and in which form the log of core/log.hpp is written. The options for it are declared in
// core/config/log_options.hpp.
//
//   text  2026-03-01 12:00:00.000 UTC info xbind-cmgr cm1: client east attached
//   json  {"time":"2026-03-01T12:00:00.000Z","level":"info","program":"xbind-cmgr","name":"cm1",
//          "text":"client east attached"}                                           (one line)
//
// JSON also has "subsystem" if the line is of one, and "call" (core/log_about.hpp). In a
// process of several objects "name" is the one that the line is about. "text" has at most 8 192
// octets before it is quoted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/log.hpp"

namespace xbind::log {

enum class Format : unsigned char { kText, kJson };

struct Output {
  Levels level = Level::kInfo;
  Format format = Format::kText;
  std::string file;  // lines are appended to it; empty: standard error
};

// Call it before the first line and before any thread. `program_and_name`: "xbind-cmgr cm1", the
// part after the first blank being the name, which may be missing. A file that cannot be opened
// ends the process with a sentence on standard error and exit code 2.
void start(std::string_view program_and_name, const Output& output);

// Changes the levels. Any thread.
void set_levels(const Levels& levels);
// Those of now, and those of start().
Levels levels();
Levels started_levels();

// What SIGHUP does, and a line that says so: opens the file again, so that lines go on in a new
// file once the old one has been renamed. If the file cannot be opened, the old one stays in use.
// No line is lost, and none is split. Returns false if lines do not go to a file: nothing was done
// or said. Any thread, but no signal handler.
bool hang_up();
// For programs in which SIGHUP does nothing else: the same, and a line when nothing was done.
void hang_up_only();

}  // namespace xbind::log
