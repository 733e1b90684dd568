// How many octets a message of a session takes on the wire at the most. The octet credit of the
// session (core/session/session.hpp) counts them, to keep what is under way within the socket's
// send buffer: then a write does not block.
//
// Never less than what is marshalled (CDR, CORBA 3.3 part 2, chapter 9, with the headers of GIOP
// 1.2), and little more: an upper bound by the form of the contracts (idl/), so that a step needs
// neither a second marshalling nor the ORB. tests/integration/wire_octets_test.cpp holds it against
// the ORB's own count, message by message: a field that is added to the contracts and not here
// fails there.
//
// Pure; time in proportion to the message.
#pragma once

#include <cstddef>

#include "core/call.hpp"
#include "core/hop.hpp"

namespace xbind {

std::size_t wire_octets(const RequestBatch& batch);
std::size_t wire_octets(const OutcomeBatch& batch);
std::size_t wire_octets(const HopBatch& batch);
std::size_t wire_octets(const HopResultBatch& batch);

// Of one outcome, and of one notice, in a batch.
std::size_t wire_octets(const Outcome& outcome);
std::size_t wire_octets(const Notice& notice);
// Of a batch without anything in it.
inline constexpr std::size_t kEmptyBatchOctets = 256;

}  // namespace xbind
