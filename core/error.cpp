#include "core/error.hpp"

#include "core/name.hpp"

namespace xbind {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadInput: return "bad input";
    case ErrorCode::kNotFound: return "not found";
    case ErrorCode::kExhausted: return "exhausted";
    case ErrorCode::kUnreachable: return "unreachable";
    case ErrorCode::kTimeout: return "timeout";
    case ErrorCode::kProtocol: return "protocol error";
    case ErrorCode::kVersion: return "version mismatch";
    case ErrorCode::kFenced: return "fenced";
    case ErrorCode::kSystem: return "system error";
  }
  return "unknown error";
}

Error printable_error(ErrorCode code, std::string text) {
  return {code, printable(text, kRefusalOctetsMax)};
}

}  // namespace xbind
