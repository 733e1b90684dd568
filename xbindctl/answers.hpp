// How every command of xbindctl prints its results and its failures, and which code it returns.
#pragma once

#include <omniORB4/CORBA.h>

#include <cstdint>
#include <string>
#include <vector>

#include "connection_manager.hh"
#include "orb/remote_error.hpp"
#include "types.hh"
#include "xbindctl/failure.hpp"

namespace xbind::ctl {

// Exit codes of `audit` other than 0 (clean). 2 is wrong usage, as everywhere; 3 is a void run of
// callgen.
inline constexpr int kAuditWrong = 1;    // stray, missing, changed, leaked or doubly held
inline constexpr int kAuditOwed = 4;     // only removals that are owed
inline constexpr int kAuditUnknown = 5;  // a switch did not answer; the others are clean

// "fixed", "regions", "adaptive": one of aggregation_*.
std::string name_of_mode(CORBA::Octet mode);

// Only explain(), say() and print_table() print text of a peer. They make it printable
// (core/name.hpp), because a peer may send anything.

// Prints the reason of a failed command on standard error. Returns the exit code 1.
int explain(const std::string& text);

// The same for a peer's error, with advice on a second line if there is any (failure.hpp).
int explain(const Error& error, PeerKind peer = PeerKind::kManager);
int explain(const Failure& failure);

// Prints one line on standard output; `line` has no line end.
void say(const std::string& line);

// Runs a command at `object` and returns its exit code. If `peer` ("the RouteObject") states a
// reason by its contract, that reason is printed unchanged, unless one of `answers` takes the
// exception (orb::remote()). For every other exception the sentence names the peer and its address;
// the advice depends on the kind of the peer. Exit code 1 in both cases.
template <class Command, class... Answers>
int guarded(PeerKind kind, const std::string& peer, CORBA::Object_ptr object,
            const Command& command, const Answers&... answers) {
  const Result<int> done = orb::remote(
      peer, object, command, answers...,
      [](const v2::Unavailable& refused) { return explain(refused.reason.in()); },
      [](const v2::BadRequest& refused) { return explain(refused.reason.in()); });
  return done ? *done : explain(done.error(), kind);
}

// "1 hop", "3 hops", "2 switches".
std::string counted(std::uint64_t count, const std::string& one, const std::string& ending = "s");

// The words of docs/call-states.md.
const char* words_of_phase(v2::PhaseCode phase);

// "2026-03-01 12:00:00 UTC", of seconds since 1970.
std::string time_words(std::uint64_t second);

// "up", "down", "unknown": one of path_*.
const char* condition_word(v2::PathCondition condition);

// Why a call whose path is down or unknown is still on it, as the end of a sentence.
const char* why_it_stays(const v2::ConnectionState& state);

// "labels", "routes", ...: one of cache_*.
std::string name_of_cache(CORBA::Octet kind);

using Row = std::vector<std::string>;

// Prints a table on standard output; columns are as wide as their widest cell. The first
// `word_columns` are words, the others numbers. Requires at least one row.
void print_table(std::size_t word_columns, std::vector<Row> rows);

}  // namespace xbind::ctl
