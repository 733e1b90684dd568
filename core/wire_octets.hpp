// Upper bound of the octets of a session's message on the wire. The octet credit of the session
// (core/session/session.hpp) counts them, to keep the unconfirmed octets within the socket's send
// buffer, so that a write does not block.
//
// Never less than the marshalled size (CDR, CORBA 3.3 part 2, chapter 9, with the headers of GIOP
// 1.2), and little more. The bound follows from the form of the contracts (idl/), so that a step
// needs neither a second marshalling nor the ORB. tests/integration/wire_octets_test.cpp compares
// it with the ORB's own count, message by message. It fails for a field that is added to the
// contracts and not here.
//
// Pure; the time is proportional to the message.
#pragma once

#include <cstddef>

#include "core/call.hpp"
#include "core/hop.hpp"

namespace xbind {

std::size_t wire_octets(const RequestBatch& batch);
std::size_t wire_octets(const OutcomeBatch& batch);
std::size_t wire_octets(const HopBatch& batch);
std::size_t wire_octets(const HopResultBatch& batch);

// Of one outcome, and of one notice, within a batch.
std::size_t wire_octets(const Outcome& outcome);
std::size_t wire_octets(const Notice& notice);
// Of an empty batch.
inline constexpr std::size_t kEmptyBatchOctets = 256;

}  // namespace xbind
