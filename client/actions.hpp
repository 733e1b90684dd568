// What a Requester requests from its owner. The owner performs it in the order of the members.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/call.hpp"
#include "core/error.hpp"
#include "core/ids.hpp"
#include "core/session/session.hpp"

namespace xbind::client {

// Resolve the manager and invoke attach_client(). Report the result with Requester::attached() or
// attach_failed() and the number of the attempt. A new attempt replaces an earlier one under way.
struct Attach {
  std::uint64_t attempt = 0;
  std::string client;
  Epoch epoch;  // 0: invoke new_client_epoch() first, and attach with its answer
};

// A session has begun, or was lost, with the reason. Notices sent between two sessions are lost as
// well: query the state of a connection with describe().
struct SessionChange {
  std::optional<Error> lost;  // nullopt: attached
};

// Requests that end without an outcome. Each request is in one of the lists.
struct Failure {
  Error why;
  std::vector<RequestId> unsent;  // never sent: the manager has not done them
  // Sent: the manager may have done them, and their connections may be up.
  std::vector<RequestId> unknown;
};

struct Actions {
  // Transmit these in order, in this session. A repeat is the same frame with the same number.
  SessionId session;
  std::vector<session::Frame<RequestBatch>> transmit;
  // Invoke detach_client() for these sessions. No answer is needed.
  std::vector<SessionId> detach;
  std::optional<Attach> attach;
  // Outcomes, each for an open request, and notices, in the manager's order.
  std::vector<std::shared_ptr<const OutcomeBatch>> deliveries;
  // Outcomes that answer no open request: repeats in another batch, or of a number that was never
  // requested. An application may ignore them; a program that checks the manager counts them.
  std::vector<Outcome> unexpected;
  std::vector<Failure> failed;
  std::vector<SessionChange> changes;
  // The client has ended, for this reason. Set once; only `detach` may follow.
  std::optional<Error> ended;

  void clear() {
    session = SessionId{};
    transmit.clear();
    detach.clear();
    attach.reset();
    deliveries.clear();
    unexpected.clear();
    failed.clear();
    changes.clear();
    ended.reset();
  }

  // Member by member: every flush() swaps, and three moves of nearly empty Actions cost far more.
  friend void swap(Actions& a, Actions& b) noexcept {
    std::swap(a.session, b.session);
    a.transmit.swap(b.transmit);
    a.detach.swap(b.detach);
    a.attach.swap(b.attach);
    a.deliveries.swap(b.deliveries);
    a.unexpected.swap(b.unexpected);
    a.failed.swap(b.failed);
    a.changes.swap(b.changes);
    a.ended.swap(b.ended);
  }
};

}  // namespace xbind::client
