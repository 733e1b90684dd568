// Events that a Session reports to its owner.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "gsmp/message.hpp"
#include "gsmp/messages/adjacency.hpp"
#include "gsmp/messages/event.hpp"

namespace xbind::gsmp {

// The adjacency is established: requests may be sent.
struct SessionUp {
  // kNewAdjacency: the switch has deleted its connections. kRecoveredAdjacency: it has kept them;
  // the owner must compare them with its own.
  std::uint8_t effective_flag = 0;
  Endpoint peer;
  std::uint8_t partition = 0;
  std::uint8_t version = 3;  // of GSMP: 3 or 1
};

enum class DownReason : std::uint8_t {
  kClosed,       // the transport connection closed
  kPeerLost,     // no message for three periods of the peer's Timer
  kPeerReset,    // the peer restarted; the handshake continues on the same connection
  kStreamBroken  // the received octets are not GSMP
};

// The adjacency is lost. One RequestLost follows for each request, then no event until SessionUp.
struct SessionDown {
  DownReason reason = DownReason::kClosed;
};

// The connection is unusable: close it and call Session::closed(). May come before the first
// SessionUp.
struct DropTransport {
  std::string reason;
};

struct Response {
  std::uint64_t cookie = 0;
  MessageType type = MessageType::kAddBranch;
  bool success = false;
  bool more = false;  // a success; another Response with the same cookie follows
  FailureCode code = FailureCode::kNone;
  // The decoded answer; null for the success of Add Branch and Delete Branches, which carry no more
  // information.
  std::unique_ptr<Message> body;
};

// No answer within the transaction timeout. The outcome is unknown. The session does not retry.
struct RequestTimeout {
  std::uint64_t cookie = 0;
  MessageType type = MessageType::kAddBranch;
};

// The adjacency was lost while the request was outstanding or queued.
struct RequestLost {
  std::uint64_t cookie = 0;
  MessageType type = MessageType::kAddBranch;
  bool sent = false;  // true: the outcome is unknown; false: never sent, so not done
};

// An unsolicited message of the switch.
struct SwitchEvent {
  Event event;
};

using SessionEvent = std::variant<SessionUp, SessionDown, DropTransport, Response, RequestTimeout,
                                  RequestLost, SwitchEvent>;

std::string_view to_string(DownReason reason);

}  // namespace xbind::gsmp
