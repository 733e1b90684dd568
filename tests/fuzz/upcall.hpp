// An upcall without a connection: gives a servant the octets of a request's body, as the ORB would.
#pragma once

#include <omniORB4/CORBA.h>
#include <omniORB4/IOP_S.h>

#include <cstdint>
#include <span>

namespace xbind::fuzz {

enum class UpcallEnd : std::uint8_t {
  kAnswered,      // also a oneway that was taken
  kRefused,       // an exception of the contract
  kNotUnderstood  // the arguments cannot be unmarshalled
};

// Runs the operation with arguments in CDR, from an aligned first octet on and in this machine's
// order. Marshals the answer too, and checks that it fits into a reply (orb/reply.hpp). Ends the
// process if the servant has no such operation, or ends with an exception that means a defect.
UpcallEnd upcall(omniServant& servant, const char* operation,
                 std::span<const std::uint8_t> arguments);

}  // namespace xbind::fuzz
