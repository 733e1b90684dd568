// What a Requester wants its owner to do. The owner performs it in the order of the members.
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

// Find the manager and invoke attach_client(); answer with Requester::attached() or attach_failed(),
// with the number of the attempt. A new attempt replaces an earlier one that is under way.
struct Attach {
  std::uint64_t attempt = 0;
  std::string client;
  Epoch epoch;
};

// A session has begun; or it was lost, with the reason. Notices of the time between are lost as well:
// describe() tells how a connection is.
struct SessionChange {
  std::optional<Error> lost;  // nothing: attached
};

// Requests that end without an outcome. Each request stands in one of the lists.
struct Failure {
  Error why;
  std::vector<RequestId> unsent;  // never sent: nothing has been done
  std::vector<RequestId>
      unknown;  // sent: the manager may have done it, and its connection may be up
};

struct Actions {
  // Transmit, in this order, in this session. A repeat is the same frame with the same number.
  SessionId session;
  std::vector<session::Frame<RequestBatch>> transmit;
  // Invoke detach_client(): the session is not wanted any more. No answer is needed.
  std::vector<SessionId> detach;
  std::optional<Attach> attach;
  // Outcomes, each the one of its request, and notices, in the manager's order.
  std::vector<std::shared_ptr<const OutcomeBatch>> told;
  // Outcomes that answer no open request: repeats in another batch, or of a number that was never
  // asked for. An application need not look at them; a program that checks the manager counts them.
  std::vector<Outcome> unexpected;
  std::vector<Failure> failed;
  std::vector<SessionChange> changes;
  // The client has ended, for this reason. Once; nothing but `detach` comes afterwards.
  std::optional<Error> ended;

  void clear() {
    session = SessionId{};
    transmit.clear();
    detach.clear();
    attach.reset();
    told.clear();
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
    a.told.swap(b.told);
    a.unexpected.swap(b.unexpected);
    a.failed.swap(b.failed);
    a.changes.swap(b.changes);
    a.ended.swap(b.ended);
  }
};

}  // namespace xbind::client
