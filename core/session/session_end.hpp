// Why a session has ended, as its peer is told it (idl/types.idl has the same numbers).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xbind {

enum class SessionEnd : std::uint8_t {
  kReplaced = 0,  // the name has attached again
  kSilent = 1,    // nothing was heard of the peer for its lease
  kProtocol = 2,  // the peer sent what the contract does not allow
  kFlooded = 3,   // the peer did not confirm as much as is kept for it
  kShutdown = 4,  // the process ends in order
  kDetached = 5,  // the peer has asked for it, or cannot be reached: nobody is told
};
inline constexpr SessionEnd kSessionEndToldLast = SessionEnd::kShutdown;

// "replaced", "silent", ...
constexpr std::string_view to_string(SessionEnd why) {
  switch (why) {
    case SessionEnd::kReplaced: return "replaced";
    case SessionEnd::kSilent: return "silent";
    case SessionEnd::kProtocol: return "broke the protocol";
    case SessionEnd::kFlooded: return "did not confirm";
    case SessionEnd::kShutdown: return "shut down";
    case SessionEnd::kDetached: return "detached";
  }
  return "unknown";
}

struct SessionEnding {
  SessionEnd why = SessionEnd::kDetached;
  std::string reason{};  // for people; empty: the word says it all

  friend bool operator==(const SessionEnding&, const SessionEnding&) = default;
};

}  // namespace xbind
