// The one place where what a remote call throws becomes a value that says what to do: cause, peer,
// address, advice. No exception of a remote call passes a function of this file, whatever the
// object behind a name is: system exceptions, those of our contracts, those of the name service and
// any that a foreign object may raise.
//
// Thread-safe. orb/peer_log.hpp logs such errors without filling the log.
#pragma once

#include <omniORB4/CORBA.h>

#include <string>
#include <utility>

#include "core/result.hpp"

namespace xbind::orb {

// "switchserver host-a cannot be reached (TRANSIENT, ...): is it running?"
//
// The peer did not serve: kUnreachable, kTimeout, kVersion (it does not understand us). It refused
// by its contract or the name service's: kBadInput (BadRequest), kExhausted (Unavailable), kFenced,
// kVersion, kNotFound. Text of the peer is made printable and cut.
Error to_error(const CORBA::Exception& exception, const std::string& peer);

// Where the reference leads, "127.0.0.1:41234"; empty where it does not say.
std::string address_of(CORBA::Object_ptr object);

// `peer` with that address: "switchserver host-a at 127.0.0.1:41234".
std::string with_address(const std::string& peer, CORBA::Object_ptr object);

// Runs a remote call; whatever it throws becomes an Error that names the peer. A caller for which
// an exception of the contract is an answer catches it within `call`.
template <class Call>
auto remote(const std::string& peer, Call&& call) -> Result<decltype(call())> {
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return {};
    } else {
      return call();
    }
  } catch (const CORBA::Exception& exception) {
    return tl::make_unexpected(to_error(exception, peer));
  } catch (const omniORB::fatalException& fatal) {
    return fail(ErrorCode::kVersion, "{} does not understand us (the ORB: {})", peer,
                fatal.errmsg());
  }
}

// The same; the Error names the address of `object`, too.
template <class Call>
auto remote(const std::string& peer, CORBA::Object_ptr object, Call&& call)
    -> Result<decltype(call())> {
  auto result = remote(peer, std::forward<Call>(call));
  if (!result) {
    // The peer's name begins the text.
    Error& error = result.error();
    if (error.text.starts_with(peer)) {
      error.text.replace(0, peer.size(), with_address(peer, object));
    }
  }
  return result;
}

}  // namespace xbind::orb
