// What can go wrong outside our own code, as a value: a peer, a network, a file or an operator caused
// it. What only our own bug can cause is XB_CHECK's business (check.hpp).
//
// A new ErrorCode exists when some caller would act differently on it; the text is for humans and
// always names the value that earned the refusal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xbind {

enum class ErrorCode : unsigned char {
  kBadInput,     // the caller's data cannot be right: fix it, do not retry
  kNotFound,     // a name or an id that nobody knows
  kExhausted,    // a bounded thing is full or spent: retry later or ask for less
  kUnreachable,  // a peer or a name service is not there: retry with back-off
  kTimeout,      // a peer did not answer within a named time: the outcome is unknown
  kProtocol,     // a peer broke its protocol: do not trust this stream any longer
  kVersion,      // a peer speaks another version: give up, tell the operator
  kFenced,       // a newer epoch of ourselves is alive: stop
  kSystem,       // the operating system refused (file, socket)
};

// "bad input", "not found", ...: stable words for logs and messages.
std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string text;          // one sentence, no trailing full stop, with the offending value
  std::uint64_t newest = 0;  // kFenced: the highest epoch of the name that has been here

  friend bool operator==(const Error&, const Error&) = default;
};

}  // namespace xbind
