// CORBA exceptions as values that say what to do: cause, peer, advice.
#pragma once

#include <omniORB4/CORBA.h>

#include <string>
#include <utility>

#include "core/result.hpp"

namespace xbind::orb {

// "switchserver host-a cannot be reached (TRANSIENT, ...): is it running?"
Error to_error(const CORBA::SystemException& exception, const std::string& peer);

// Runs a remote call; its system exceptions become an Error that names the peer. User exceptions of
// the contract pass through: who calls knows what they mean.
template <class Call>
auto remote(const std::string& peer, Call&& call) -> Result<decltype(call())> {
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return {};
    } else {
      return call();
    }
  } catch (const CORBA::SystemException& exception) {
    return tl::make_unexpected(to_error(exception, peer));
  }
}

}  // namespace xbind::orb
