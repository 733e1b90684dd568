// Failures caused outside our own code, by a peer, a network, a file or an operator, as values.
// Failures that only a bug of our own can cause belong to XB_CHECK (check.hpp).
//
// A separate ErrorCode exists only where some caller acts differently on it. The text is for people
// and always names the value that was refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xbind {

enum class ErrorCode : unsigned char {
  kBadInput,     // the caller's data is wrong: fix it, do not retry
  kNotFound,     // an unknown name or id
  kExhausted,    // a bounded resource is used up: retry later or request less
  kUnreachable,  // a peer or a name service does not respond: retry with back-off
  kTimeout,      // a peer did not answer within a named time: the outcome is unknown
  kProtocol,     // a peer broke its protocol: stop trusting this stream
  kVersion,      // a peer speaks another version: give up, tell the operator
  kFenced,       // a newer epoch of our own name is alive: stop
  kSystem,       // the operating system refused (file, socket)
};

// "bad input", "not found", ...: stable words for logs and messages.
std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string text;          // one sentence, no trailing full stop, with the offending value
  std::uint64_t newest = 0;  // kFenced: the highest epoch of the name seen so far

  friend bool operator==(const Error&, const Error&) = default;
};

// Whatever octets `text` quotes, the error's text is one line that is safe for logs and terminals,
// of at most kRefusalOctetsMax octets (core/name.hpp).
Error printable_error(ErrorCode code, std::string text);

}  // namespace xbind
