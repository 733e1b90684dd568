// Oneways that cannot block. A oneway of omniORB blocks in two cases: it opens a connection to an
// address that answers nothing, or it writes to a connection whose peer does not read. Both would
// stop a thread that serves all peers, because of one of them.
//
// So a connection is opened by open_for_oneways() on a thread that may wait for this peer, in
// general on the one that serves the peer's own request for a session. Afterwards send_oneway()
// does not wait:
//   - If no connection is open, or the open one has ended, it fails instead of opening another. The
//     owner then ends the session; a peer that lives attaches again.
//   - If more than connection_credit() octets of the connection wait to be received, it drops the
//     oneway, as a network does; sessions repeat what is not confirmed. One session has less than
//     that unconfirmed, but several may share a connection that their peer does not read, and
//     repeats come on top.
//   - While a thread opens a connection to the same address, it drops the oneway as well: omniORB
//     would have it wait for that thread.
//
// Thread-safe.
#pragma once

#include <omniORB4/CORBA.h>

#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "orb/descriptors.hpp"
#include "orb/remote_error.hpp"

namespace xbind::orb {

// Installs the interceptor that refuses such oneways. Runtime calls it; a second call does nothing.
void guard_oneways();

namespace oneway_detail {

// While one exists, every request of this thread is sent without waiting or not at all.
class Unblocked {
 public:
  explicit Unblocked(CORBA::Object_ptr object);
  ~Unblocked();
  Unblocked(const Unblocked&) = delete;
  Unblocked& operator=(const Unblocked&) = delete;

  // Whether a thread opens a connection to the object's address: a request would wait for it.
  bool must_wait() const { return must_wait_; }
  // What became of the requests of this thread since the construction.
  bool without_connection() const;  // one was refused
  bool without_room() const;        // one was dropped

 private:
  bool must_wait_;
};

// While one exists, the requests of this thread may open a connection and wait for that, but not
// for room in an open one. Oneways to the same address are dropped meanwhile.
class Opening {
 public:
  explicit Opening(CORBA::Object_ptr object);
  ~Opening();
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  // Whether there is an open connection already, which its peer does not read.
  bool without_room() const;

 private:
  std::string address_;
};

}  // namespace oneway_detail

// Opens the connection to `object` with `call`, a oneway that changes nothing. Waits at most for
// the connect timeout. kUnreachable: there is no such peer, or none that answers. kExhausted: few
// descriptors are left.
template <class Call>
Result<void> open_for_oneways(const std::string& peer, CORBA::Object_ptr object, Call&& call) {
  if (few_descriptors_left()) {
    return fail(ErrorCode::kExhausted, "{} is not connected to: few file descriptors are left",
                peer);
  }
  const oneway_detail::Opening opening(object);
  const Result<void> opened = remote(peer, object, call);
  if (opened) return {};
  if (opening.without_room()) {
    return fail(ErrorCode::kUnreachable, "{} does not read what it is sent",
                with_address(peer, object));
  }
  return fail(ErrorCode::kUnreachable, "no connection can be opened: {}", opened.error().text);
}

// The oneways that this process has dropped because there was no room for them.
std::uint64_t oneways_without_room();

// Sends the oneway `call` to `object`, or drops it. kUnreachable: no connection is open, or it
// broke and the oneway may have been lost.
template <class Call>
Result<void> send_oneway(const std::string& peer, CORBA::Object_ptr object, Call&& call) {
  const oneway_detail::Unblocked unblocked(object);
  if (unblocked.must_wait()) return {};
  Result<void> sent = remote(peer, object, call);
  if (unblocked.without_room()) return {};
  if (unblocked.without_connection()) {
    return fail(ErrorCode::kUnreachable, "{} has ended its connection", with_address(peer, object));
  }
  return sent;
}

}  // namespace xbind::orb
