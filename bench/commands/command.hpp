// The subcommands of xbind-callgen, one file each. A command declares its options in an OptionSet of its
// own (core/config/options.hpp) called "xbind-callgen WORD", and returns the program's exit code:
//   0  it did what was asked, and nothing speaks against the figures
//   1  something failed: calls, an audit, an assertion, a file
//   2  refused options; nothing was run
//   3  void: nothing failed, but the load was not the one asked for
//   4  interrupted: INT, TERM or HUP ended it before its time, in order, and nothing failed
#pragma once

#include <string_view>

namespace xbind::callgen {

struct Command {
  std::string_view word;
  std::string_view purpose;  // a sentence, for the program's --help
  // argv[0] is the command's word; what follows are its options.
  int (*run)(int argc, char** argv);
};

}  // namespace xbind::callgen
