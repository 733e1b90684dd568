// The CORBA side of a session with a ConnectionManager, in pieces, for whoever drives a Requester
// (client/requester.hpp): ManagerLink with threads of its own, callgen with several managers in one
// Serial.
//
//   upcalls of the manager ──▶ Observer ──▶ ManagerMessage ──▶ Requester ──▶ Actions
//                                                                              │
//   attach_client(), detach_client() ◀── attach(), detach() ◀── Attach, detach ┤
//   submit_requests()                ◀── RequestSender      ◀──────── transmit ┘
//
// Nothing here throws: what an invocation throws becomes an Error that names the manager and its
// address (orb/remote_error.hpp).
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

// One upcall of a manager, converted. It may come from another session than the present one: the
// Requester drops it then.
struct ManagerMessage {
  SessionId session;
  TimePoint arrived;  // read before the conversion
  // A frame; why the frame was not understood; or that the session has ended, as a sentence.
  std::variant<session::Frame<OutcomeBatch>, Error, std::string> content;

  // Passes the content to the requester. The caller is the only thread that uses the requester. A
  // frame that was not understood fails the session: its repeats would not be understood either.
  void tell(Requester& requester, TimePoint now) &&;
};

// The object that a manager sends outcomes and notices to.
//
// Threads: `on_message` runs on the ORB's threads, several at a time; it must not block. All
// functions may be called by any thread, forget() and the destructor not from `on_message`.
// Ownership: the POA owns the servant. The Observer owns the servant's activation and ends it;
// `runtime` outlives the Observer.
class Observer {
 public:
  Observer(orb::Runtime& runtime, std::function<void(ManagerMessage)> on_message);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // What attach() tells the manager.
  v2::OutcomeObserver_ptr reference() const { return reference_; }
  // Waits for the upcalls that run. Afterwards `on_message` is not called any more.
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
};

// Invokes attach_client(), and opens the connection for batches, so that no thread of the owner's
// logic waits for it later. Blocks for up to two call timeouts of the ORB. `peer` names the manager
// in errors: "manager default". Errors: kFenced, kVersion, kBadInput (the client's name or epoch),
// kExhausted; kUnreachable and kTimeout, the manager does not answer.
Result<Attachment> attach(const std::string& peer, v2::ConnectionManager_ptr manager,
                          const Attach& wanted, v2::OutcomeObserver_ptr observer);

// Invokes detach_client(). Blocks for up to one call timeout. After an error the manager ends the
// session when its lease is over.
Result<void> detach(const std::string& peer, v2::ConnectionManager_ptr manager, SessionId session);

// Sends frames to the inbox of a session. One thread at a time: that of the owner's logic.
class RequestSender {
 public:
  // `peer` as for attach().
  explicit RequestSender(std::string peer) : peer_(std::move(peer)) {}

  // The inbox of the present session, which replaces the one before.
  void open(const v2::RequestInbox_var& inbox) { inbox_ = inbox; }
  // Requires an inbox. A oneway invocation: it does not wait for the manager as long as the octets
  // of the session fit into the connection's socket (orb::within_connection()). After an error the
  // session cannot go on: Requester::session_failed().
  Result<void> send(SessionId session, const session::Frame<RequestBatch>& frame);

 private:
  std::string peer_;
  v2::RequestInbox_var inbox_;
  v2::RequestBatch on_the_wire_;  // the batch that is sent; kept for its memory
};

}  // namespace xbind::client
