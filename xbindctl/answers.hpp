// How every command of xbindctl says what it got: what a peer throws is a sentence and an exit code.
#pragma once

#include <omniORB4/CORBA.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace xbind::ctl {

// What peers send may hold anything: these three are the only ones that print, and what they print
// is printable (core/name.hpp).

// Exit codes of `audit` but 0, clean. 2 is wrong use, as everywhere; 3 means a void run to callgen.
inline constexpr int kAuditWrong = 1;  // something is stray, missing, changed, leaked or held twice
inline constexpr int kAuditOwed = 4;   // nothing but removals that are owed
inline constexpr int kAuditUnknown =
    5;  // a switch could not be asked; of the others nothing is wrong

// "fixed", "regions", "adaptive": one of aggregation_*.
std::string name_of_mode(CORBA::Octet mode);

// Says on standard error why nothing came of it; 1, the exit code.
int explain(const std::string& text);

// One line on standard output, without its end.
void say(const std::string& line);

// Runs a command at `object`; what `peer` ("the manager") or the ORB throws becomes a sentence,
// which names the object's address where it cannot be reached, and exit code 1.
int guarded(const std::string& peer, CORBA::Object_ptr object, const std::function<int()>& command);

// "1 hop", "3 hops", "2 switches".
std::string counted(std::uint64_t count, const std::string& one, const std::string& ending = "s");

using Row = std::vector<std::string>;

// On standard output; columns as wide as their widest cell. The first `word_columns` are words, the
// others numbers. At least one row.
void print_table(std::size_t word_columns, std::vector<Row> rows);

}  // namespace xbind::ctl
