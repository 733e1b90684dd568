// The subcommands of xbind-callgen, one file each. A command declares its options in its own
// OptionSet (core/config/options.hpp), called "xbind-callgen WORD", and returns the exit code of
// the program:
//   0  done, with nothing against the figures
//   1  something failed: calls, an audit, an assertion, a file
//   2  refused options; nothing was run
//   3  void: nothing failed, but the load was not the requested one
//   4  interrupted: INT, TERM or HUP ended it early and in order, and nothing failed
//  74  done, but standard output could not be written (core/output.hpp)
#pragma once

#include <string>
#include <string_view>

#include "core/config/options.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

struct Command {
  std::string_view word;
  std::string_view purpose;  // a sentence, for the program's --help
  // argv[0] is the command's word; its options follow.
  int (*run)(int argc, char** argv);
};

// Print an error on standard error and return the exit code: 1; 2, and `word` names the command.
int fail_with(const Error& error);
int refuse(std::string_view word, const std::string& sentence);

// Whether the command line or the file of --config sets the option, after load(). A command refuses
// an option that it does not use only then: the environment serves all commands (XBIND_WATCH_PID in
// a lab, for example).
bool given_explicitly(const config::OptionSet& set, std::string_view name);

}  // namespace xbind::callgen
