// Why a session has ended, as reported to its peer (idl/types.idl has the same numbers).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xbind {

enum class SessionEnd : std::uint8_t {
  kReplaced = 0,  // the name has attached again
  kSilent = 1,    // the peer sent nothing for its lease
  kProtocol = 2,  // the peer violated the contract
  kFlooded = 3,   // too many batches were kept for the peer to confirm
  kShutdown = 4,  // the process shuts down in order
  kDetached = 5,  // the peer detached or is unreachable: it is not notified
};
inline constexpr SessionEnd kSessionEndReportedLast = SessionEnd::kShutdown;

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
  std::string reason{};  // for people; empty: the kind says enough

  friend bool operator==(const SessionEnding&, const SessionEnding&) = default;
};

// "silent: nothing was received for 15 s"; the kind alone if there is no reason.
inline std::string text_of(const SessionEnding& ending) {
  std::string text{to_string(ending.why)};
  if (!ending.reason.empty()) text += ": " + ending.reason;
  return text;
}

}  // namespace xbind
