// The CORBA side of a session with a ConnectionManager, in parts, for code that drives a Requester
// (client/requester.hpp): ManagerLink with its own threads, callgen with several managers in one
// Serial.
//
//   upcalls of the manager ──▶ Observer ──▶ ManagerMessage ──▶ Requester ──▶ Actions
//                                                                              │
//   attach_client(), detach_client() ◀── attach(), detach() ◀── Attach, detach ┤
//   submit_requests()                ◀── RequestSender      ◀──────── transmit ┘
//
// Nothing here throws: the exception of an invocation becomes an Error that names the manager and
// its address (orb/remote_error.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "client/actions.hpp"
#include "client/requester.hpp"
#include "connection_manager.hh"
#include "core/clock.hpp"
#include "core/result.hpp"
#include "orb/runtime.hpp"

namespace xbind::client {

// One upcall of a manager, converted. It may belong to an earlier session; the Requester then drops
// it.
struct ManagerMessage {
  SessionId session;
  TimePoint arrived;  // measured before the conversion
  // A frame; the reason why a frame could not be converted; or the end of the session, as a
  // sentence.
  std::variant<session::Frame<OutcomeBatch>, Error, std::string> content;

  // Passes the content to the requester, which no other thread may use. A frame that could not be
  // converted fails the session, because its repeats would fail too.
  void tell(Requester& requester, TimePoint now) &&;
};

// The object to which a manager sends outcomes and notices.
//
// Threads: `on_message` runs on the ORB's threads, several at a time; it must not block. Any thread
// may call any function; do not call forget() or the destructor from `on_message`. Ownership: the
// POA owns the servant. The Observer owns the servant's activation and ends it; `runtime` must
// outlive the Observer.
class Observer {
 public:
  Observer(orb::Runtime& runtime, std::function<void(ManagerMessage)> on_message);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // The reference that attach() sends to the manager.
  v2::OutcomeObserver_ptr reference() const { return reference_; }
  // Waits for running upcalls. Afterwards `on_message` is not called any more.
  void forget();

 private:
  class Servant;
  Servant* servant_;
  v2::OutcomeObserver_var reference_;
};

// The manager's answer to attach_client().
struct Attachment {
  SessionId session;
  v2::RequestInbox_var inbox;
  std::uint32_t window = 0;  // batches that may be unconfirmed, in each direction
  Epoch epoch;               // with which it was opened
};

// Invokes attach_client(), after new_client_epoch() if no epoch is given, and opens the connection
// for batches, so that no thread of the owner's logic waits for it later. Blocks for up to three
// call timeouts of the ORB. `peer` names the manager in errors: "manager default". Errors: kFenced,
// kVersion, kBadInput (the client's name), kExhausted; kUnreachable and kTimeout when the manager
// does not answer.
Result<Attachment> attach(const std::string& peer, v2::ConnectionManager_ptr manager,
                          const Attach& wanted, v2::OutcomeObserver_ptr observer);

// Invokes detach_client(). Blocks for up to one call timeout. After an error the manager ends the
// session when the lease expires.
Result<void> detach(const std::string& peer, v2::ConnectionManager_ptr manager, SessionId session);

// Sends frames to the inbox of a session. One thread at a time, the one of the owner's logic.
class RequestSender {
 public:
  // `peer` as for attach().
  explicit RequestSender(std::string peer) : peer_(std::move(peer)) {}

  // Sets the inbox of the present session, which replaces the previous one.
  void open(const v2::RequestInbox_var& inbox) { inbox_ = inbox; }
  // Requires an inbox. A oneway invocation: it does not wait for the manager while the octets of
  // the session fit into the connection's socket (orb::within_connection()). After an error the
  // session cannot continue: call Requester::session_failed().
  Result<void> send(SessionId session, const session::Frame<RequestBatch>& frame);

 private:
  std::string peer_;
  v2::RequestInbox_var inbox_;
  v2::RequestBatch on_the_wire_;  // the batch being sent; kept to reuse its memory
};

}  // namespace xbind::client
