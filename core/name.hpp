// Checks names that peers, operators and files supply, and makes their text safe for logs and
// terminals.
//
// Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace xbind {

// Longest name, in octets. The same as for a switch of a topology
// (routeobject/topology/topology.hpp) and as for a DNS label.
inline constexpr std::size_t kNameOctetsMax = 63;

// Checks a name: 1 to kNameOctetsMax octets of A-Z, a-z, 0-9 and ". - _ : @ +", the first one a
// letter or a digit. No blank, so that "switch-1 port 2" is unambiguous; no '/', which separates
// the parts of a path in the name service; no octet above 127, since ORBs transmit those
// differently. The text of kBadInput has `what` ("client", "endpoint") and the value, printable and
// shortened:
//   the client 'a\nb' is no name: '\n' at octet 2 is none of A-Z a-z 0-9 . - _ : @ +
Result<void> check_name(std::string_view what, std::string_view name);

// The same check without an error text, for the path of every call.
bool is_name(std::string_view name);

// The client name, in ledgers and descriptions, of calls that arrive by a two-way operation. It is
// no valid name, so that no client can attach under it.
inline constexpr std::string_view kTwoWayClient = "(two-way)";

// Longest text of a peer, in octets, in an error, a log field or a table cell.
inline constexpr std::size_t kShownOctetsMax = 80;

// Longest text, in octets, of an error that quotes a file or an argument.
inline constexpr std::size_t kRefusalOctetsMax = 1000;

// Makes `text` safe for a log line or a terminal. Control characters (ANSI escapes begin with one),
// invisible and direction-changing characters, and octets that are not UTF-8 become "\n", "\x1b" or
// "\u202e". A text that would exceed `octets_max` (at least 40) is cut between characters and
// states its length: "aaaa... (100000 octets)". The result has at most `octets_max` octets. A
// backslash is kept, so that a second call does not change the result.
std::string printable(std::string_view text, std::size_t octets_max = kShownOctetsMax);

// Whether printable() would keep the text, apart from its length. It may return false for a text
// that printable() keeps: every text with an octet above 126.
bool plainly_printable(std::string_view text);

}  // namespace xbind
