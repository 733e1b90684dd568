// How every command of xbindctl says what it got: what a peer throws is a sentence and an exit code.
#pragma once

#include <omniORB4/CORBA.h>

#include <functional>
#include <string>
#include <vector>

namespace xbind::ctl {

// Longer than the manager's own timers together.
inline constexpr CORBA::ULong kCallTimeoutMs = 15'000;

// Says on standard error why nothing came of it; 1, the exit code.
int explain(const std::string& text);

// Runs a command; what `peer` ("the manager") or the ORB throws becomes a sentence and exit code 1.
int guarded(const std::string& peer, const std::function<int()>& command);

using Row = std::vector<std::string>;

// On standard output; columns as wide as their widest cell. The first `word_columns` are words, the
// others numbers. At least one row.
void print_table(std::size_t word_columns, const std::vector<Row>& rows);

}  // namespace xbind::ctl
