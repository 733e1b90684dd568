// How every command of xbindctl prints what it got, and what it says and returns when it failed.
#pragma once

#include <omniORB4/CORBA.h>

#include <cstdint>
#include <string>
#include <vector>

#include "orb/remote_error.hpp"
#include "types.hh"

namespace xbind::ctl {

// Exit codes of `audit` but 0, clean. 2 is wrong use, as everywhere; 3 means a void run to callgen.
inline constexpr int kAuditWrong = 1;  // something is stray, missing, changed, leaked or held twice
inline constexpr int kAuditOwed = 4;   // nothing but removals that are owed
inline constexpr int kAuditUnknown =
    5;  // a switch could not be asked; of the others nothing is wrong

// "fixed", "regions", "adaptive": one of aggregation_*.
std::string name_of_mode(CORBA::Octet mode);

// explain(), say() and print_table() alone print what a peer sent. They make it printable
// (core/name.hpp), since a peer may send anything.

// Prints on standard error why a command failed. Returns 1, the exit code.
int explain(const std::string& text);

// Prints one line on standard output; `line` has no line end.
void say(const std::string& line);

// Runs a command at `object`, which returns its exit code. A reason that `peer` ("the RouteObject")
// gives by its contract is printed as it is, unless one of `answers` takes the exception
// (orb::remote()). For every other exception the sentence names the peer and its address. Either is
// exit code 1.
template <class Command, class... Answers>
int guarded(const std::string& peer, CORBA::Object_ptr object, const Command& command,
            const Answers&... answers) {
  const Result<int> done = orb::remote(
      peer, object, command, answers...,
      [](const v2::Unavailable& refused) { return explain(refused.reason.in()); },
      [](const v2::BadRequest& refused) { return explain(refused.reason.in()); });
  return done ? *done : explain(done.error().text);
}

// "1 hop", "3 hops", "2 switches".
std::string counted(std::uint64_t count, const std::string& one, const std::string& ending = "s");

using Row = std::vector<std::string>;

// On standard output; columns as wide as their widest cell. The first `word_columns` are words, the
// others numbers. At least one row.
void print_table(std::size_t word_columns, std::vector<Row> rows);

}  // namespace xbind::ctl
