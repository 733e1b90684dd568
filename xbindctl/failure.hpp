// Why a command failed, in parts: for people on standard error, for programs as a JSON document.
#pragma once

#include <omniORB4/CORBA.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/call.hpp"
#include "core/name.hpp"
#include "core/result.hpp"
#include "orb/name_client.hpp"
#include "orb/remote_error.hpp"
#include "types.hh"

namespace xbind::ctl {

// The peers of xbindctl. The advice depends on the peer and on its failure.
enum class PeerKind : std::uint8_t {
  kNone,  // the failure is not a peer's
  kNameService,
  kManager,
  kSwitchServer,
  kRouteObject,
  kQosMapper,
  kKeeper,
};

struct Peer {
  PeerKind kind = PeerKind::kNone;
  std::string name;     // "the manager", "xbind/switchserver/host-a"
  std::string address;  // "127.0.0.1:41234"; empty: not known
};

struct Failure {
  std::string name;  // the cause of a refusal, "no bandwidth", or the kind of an error, "timeout"
  std::string text;  // one sentence for people
  std::string peer;  // as in Peer; empty: the failure is not a peer's
  std::string address;  // as in Peer
  std::string advice;   // what to do; empty: the text says it
  // A refusal's numbers, in the unit of its cause (idl/types.idl); nullopt: it is no refusal.
  std::optional<Outcome> refusal{};
};

template <class Value>
using OrFailure = tl::expected<Value, Failure>;

Peer name_service_at(const std::string& address);
// `name`: as the operator knows it. The address is read from the reference; no remote call.
Peer peer_of(PeerKind kind, const std::string& name, CORBA::Object_ptr object);

Failure failure_of(const Error& error, const Peer& peer);
// Why the name service is away, if addresses found earlier were used instead; nullopt: they were
// not.
std::optional<Failure> name_service_away(const orb::NameClient& names);
// Of a refused or busy outcome.
Failure failure_of(const Outcome& refused, const Peer& peer);

// What to do about an error of that peer; empty: the error's text says it.
std::string advice_for(ErrorCode code, PeerKind peer);

// "did you mean 'default'? Bound there: default, second". `bound`: the names in the same context of
// the name service. Lists at most ten of them.
std::string advice_for_unbound(const std::string& typed, const std::vector<std::string>& bound);

// Resolves the path of a peer, while the name service is away to the address found last. If it is
// not bound, the advice names what is bound beside it.
OrFailure<CORBA::Object_var> resolved(orb::NameClient& names, PeerKind kind,
                                      const std::string& path);

inline tl::unexpected<Failure> failed(const Error& error, const Peer& peer) {
  return tl::make_unexpected(failure_of(error, peer));
}
inline tl::unexpected<Failure> failed(const Outcome& refused, const Peer& peer) {
  return tl::make_unexpected(failure_of(refused, peer));
}
// A failure that is no peer's.
tl::unexpected<Failure> failed(ErrorCode code, std::string text, std::string advice = {});

// Runs remote calls at `object` that return an OrFailure. A reason that the peer's contract states
// is the text of the failure, unless one of `answers` takes the exception (orb::remote()).
template <class Call, class... Answers>
auto call_peer(const Peer& peer, CORBA::Object_ptr object, const Call& call,
               const Answers&... answers) -> decltype(call()) {
  using R = decltype(call());
  const auto stated = [&](ErrorCode code, const char* reason) {
    return R(failed(Error{code, printable(reason, 1'024)}, peer));
  };
  const Result<R> done = orb::remote(
      peer.name, object, call, answers...,
      [&](const v2::Unavailable& it) { return stated(ErrorCode::kExhausted, it.reason.in()); },
      [&](const v2::BadRequest& it) { return stated(ErrorCode::kBadInput, it.reason.in()); });
  return done ? *done : R(failed(done.error(), peer));
}

}  // namespace xbind::ctl
