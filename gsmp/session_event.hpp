// What a Session tells its owner.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "gsmp/adjacency.hpp"
#include "gsmp/event.hpp"
#include "gsmp/message.hpp"

namespace xbind::gsmp {

// The adjacency is established: requests may be sent.
struct SessionUp {
  // kNewAdjacency: the switch has forgotten its connections; kRecoveredAdjacency: it has kept them
  // and they must be compared with ours.
  std::uint8_t effective_flag = 0;
  Endpoint peer;
  std::uint8_t partition = 0;
  std::uint8_t version = 3;  // of GSMP: 3 or 1
};

enum class DownReason : std::uint8_t {
  kClosed,       // the connection was closed under us
  kPeerLost,     // nothing heard for three of the peer's timers
  kPeerReset,    // the peer has begun anew; the handshake goes on over the same connection
  kStreamBroken  // what came is not GSMP
};

// The adjacency is gone. One RequestLost for each request follows, then nothing until SessionUp.
struct SessionDown {
  DownReason reason = DownReason::kClosed;
};

// The connection is of no use any more: drop it and call Session::closed(). Comes also before the
// adjacency was ever up.
struct DropTransport {
  std::string reason;
};

struct Response {
  std::uint64_t cookie = 0;
  MessageType type = MessageType::kAddBranch;
  bool success = false;
  bool more = false;  // success, and another Response to the same cookie follows
  FailureCode code = FailureCode::kNone;
  // The decoded answer, where it says more than the above: everything but the success of an Add Branch
  // or a Delete Branches.
  std::unique_ptr<Message> body;
};

// Not answered within the transaction timeout: whether it was done is unknown. Not repeated by
// itself.
struct RequestTimeout {
  std::uint64_t cookie = 0;
  MessageType type = MessageType::kAddBranch;
};

// The adjacency went while the request was outstanding.
struct RequestLost {
  std::uint64_t cookie = 0;
  MessageType type = MessageType::kAddBranch;
  bool sent = false;  // true: unknown whether it was done; false: it never left, so it was not
};

// The switch spoke unasked.
struct SwitchEvent {
  Event event;
};

using SessionEvent = std::variant<SessionUp, SessionDown, DropTransport, Response, RequestTimeout,
                                  RequestLost, SwitchEvent>;

std::string_view to_string(DownReason reason);

}  // namespace xbind::gsmp
