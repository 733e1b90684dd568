// What became of one request, for a program that asked for one thing and wants to know whether it has
// it. Pure.
#pragma once

#include "core/call.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "core/result.hpp"

namespace xbind::client {

// The outcome of a request, refusals among them; or why there is none: kTimeout, kUnreachable, kFenced
// and the like. Then its text says whether the request was ever sent.
using Answer = Result<Outcome>;

// A connection that is up.
struct Connected {
  ConnectionId connection;
  Label ingress;  // what the caller puts on its cells
  Label egress;   // what the callee finds on them
  // The other direction, of a bidirectional connection: what the callee puts on its cells, and what the
  // caller finds on them. Else not present().
  Label reverse_ingress{};
  Label reverse_egress{};
};

// A refusal as an Error: the outcome's sentence (explain()), and a code that says what to do about it:
//   kBadInput     the request is at fault: another one is needed
//   kNotFound     an endpoint, a connection, a service or a leaf that is not there
//   kExhausted    there is no room, or another change is under way: later, or less
//   kUnreachable  a part of the network or of the control plane is away: later
//   kTimeout      a part of it did not answer in time: later
Error refusal(const Outcome& outcome);

// The outcome if it is of that kind; else its refusal, or kProtocol for an outcome of another kind.
Answer expect(OutcomeKind kind, Answer answer);
Result<Connected> connected(Answer answer);
// The outcome's connection, which is held until it is committed.
Result<ConnectionId> held(Answer answer);
// Done, and nothing to tell.
Result<void> done(OutcomeKind kind, Answer answer);

}  // namespace xbind::client
