// The result of one request, for a program that made one request and needs its result. Pure.
#pragma once

#include "core/call.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "core/result.hpp"

namespace xbind::client {

// The outcome of a request, also a refusal, or the reason why there is none: kTimeout,
// kUnreachable, kFenced and the like. The text of an error states whether the request was ever
// sent.
using Answer = Result<Outcome>;

// A connection that is up.
struct Connected {
  ConnectionId connection;
  Label ingress;  // the label that the caller puts on its cells
  Label egress;   // the label on the cells that the callee receives
  // Reverse direction of a bidirectional connection: the label that the callee puts on its cells,
  // and the label on the cells that the caller receives. Else not present().
  Label reverse_ingress{};
  Label reverse_egress{};
};

// Converts a refusal to an Error: the outcome's sentence (explain()), and a code that shows what to
// do:
//   kBadInput     the request is wrong: change it
//   kNotFound     an endpoint, a connection, a service or a leaf does not exist
//   kExhausted    there is no room, or another change is under way: retry later or request less
//   kUnreachable  a part of the network or of the control plane is unavailable: retry later
//   kTimeout      a part of it did not answer in time: retry later
Error refusal(const Outcome& outcome);

// Returns the outcome if it is of that kind; else its refusal, or kProtocol for another kind.
Answer expect(OutcomeKind kind, Answer answer);
Result<Connected> connected(Answer answer);
// Returns the outcome's connection, which is held until it is committed.
Result<ConnectionId> held(Answer answer);
// For an outcome of that kind that carries no further value.
Result<void> done(OutcomeKind kind, Answer answer);

}  // namespace xbind::client
