// xbind-switchserver as a function, so that a test can run the same program and reach its ledger.
#pragma once

#include <functional>

namespace xbind {

class SwitchServerDaemon;

// Called once for each switch, before its names are bound. May be empty.
using WhenServing = std::function<void(SwitchServerDaemon&)>;

// The whole program: options, ORB, signals. Returns the exit code.
int run_switch_server(int argc, char** argv, const WhenServing& when_serving = {});

}  // namespace xbind
