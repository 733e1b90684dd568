// Names that peers, operators and files give, and text of theirs in logs and on terminals.
//
// Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace xbind {

// Octets of a name, at most. A switch of a topology has as many (routeobject/topology/topology.hpp), which
// is what a DNS label has.
inline constexpr std::size_t kNameOctetsMax = 63;

// Whether `name` is one: 1 to kNameOctetsMax octets of A-Z, a-z, 0-9 and ". - _ : @ +", the first
// one a letter or a digit. No blank, so that "switch-1 port 2" has one reading; no '/', which
// separates the steps of a path in the name service; no octet above 127, since ORBs differ in how
// they transmit it. kBadInput names `what` ("client", "endpoint") and the value, printable and
// shortened:
//   the client 'a\nb' is no name: '\n' at octet 2 is none of A-Z a-z 0-9 . - _ : @ +
Result<void> check_name(std::string_view what, std::string_view name);

// The same without a sentence, for the path of every call.
bool is_name(std::string_view name);

// The client of calls that come by a two-way operation, in ledgers and descriptions. It is no name,
// so that nobody can attach under it.
inline constexpr std::string_view kTwoWayClient = "(two-way)";

// Most octets of a peer's text in an error, a log line's field or a cell of a table.
inline constexpr std::size_t kShownOctetsMax = 80;

// `text` for a log line or a terminal: control characters (ANSI escapes begin with one),
// invisible and direction-changing characters and octets that are not UTF-8 become "\n", "\x1b"
// or "\u202e". A text that would be longer than `octets_max` (at least 40) is cut between
// characters and says how long it was: "aaaa... (100000 octets)". The result has at most
// `octets_max` octets. A backslash stays as it is, so that a result passes unchanged through a
// second call.
std::string printable(std::string_view text, std::size_t octets_max = kShownOctetsMax);

// Whether printable() has nothing to change, length apart. False for some that it leaves alone:
// every text with an octet above 126.
bool plainly_printable(std::string_view text);

}  // namespace xbind
