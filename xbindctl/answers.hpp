// How every command of xbindctl says what it got: what a peer throws is a sentence and an exit code.
#pragma once

#include <omniORB4/CORBA.h>

#include <functional>
#include <string>

namespace xbind::ctl {

// Longer than the manager's own timers together.
inline constexpr CORBA::ULong kCallTimeoutMs = 15'000;

// Says on standard error why nothing came of it; 1, the exit code.
int explain(const std::string& text);

// Runs a command; what `peer` ("the manager") or the ORB throws becomes a sentence and exit code 1.
int guarded(const std::string& peer, const std::function<int()>& command);

}  // namespace xbind::ctl
