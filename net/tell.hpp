// `PROGRAM tell ADDRESS COMMAND...`: gives an order to a running program over its control socket,
// and prints the answer.
#pragma once

#include <string>

namespace xbind::net {

// The whole command, with the arguments behind PROGRAM. `purpose`: one sentence for --help. Returns
// the exit code. 0: the answer is "ok", perhaps with words behind it; 1: it is something else, or
// there is none; 2: wrong usage; 74: the answer could not be printed.
int tell(const std::string& program, const std::string& purpose, int argc, char** argv);

}  // namespace xbind::net
