#include "client/answers.hpp"

#include <utility>

namespace xbind::client {
namespace {

ErrorCode code_of(Cause cause) {
  switch (cause) {
    case Cause::kInvalidRequest:
    case Cause::kLastLeaf:
    case Cause::kLeafExists: return ErrorCode::kBadInput;

    case Cause::kUnknownEndpoint:
    case Cause::kUnknownPort:
    case Cause::kUnknownConnection:
    case Cause::kUnknownService:
    case Cause::kBeingReleased:
    case Cause::kHoldExpired:
    case Cause::kNotConnected:
    case Cause::kUnknownLeaf: return ErrorCode::kNotFound;

    case Cause::kNoBandwidth:
    case Cause::kNoBuffer:
    case Cause::kNoLabel:
    case Cause::kBusy:
    case Cause::kChangeUnderWay:
    case Cause::kOverShare:
    case Cause::kPathBound:
    case Cause::kTooHard: return ErrorCode::kExhausted;

    case Cause::kNoRoute:
    case Cause::kSwitchUnreachable:
    case Cause::kNoRouteObject:
    case Cause::kNoQosMapper:
    case Cause::kLinkDown:
    case Cause::kIncomplete: return ErrorCode::kUnreachable;

    case Cause::kTimeout: return ErrorCode::kTimeout;

    // Failures between manager and switches: the request can be repeated, but the network is
    // faulty.
    case Cause::kNone:
    case Cause::kForeignInputLabel:
    case Cause::kLabelNotHeld:
    case Cause::kStale:
    case Cause::kSwitchRefused:
    case Cause::kWithdrawn: return ErrorCode::kProtocol;
  }
  return ErrorCode::kProtocol;
}

}  // namespace

Error refusal(const Outcome& outcome) { return {code_of(outcome.cause), explain(outcome)}; }

Answer expect(OutcomeKind kind, Answer answer) {
  if (!answer || answer->kind == kind) return answer;
  if (answer->kind == OutcomeKind::kRefused || answer->kind == OutcomeKind::kBusy) {
    return tl::make_unexpected(refusal(*answer));
  }
  return fail(ErrorCode::kProtocol, "request {} was to be answered with '{}', not with '{}'",
              answer->request, to_string(kind), to_string(answer->kind));
}

Result<Connected> connected(Answer answer) {
  const Answer it = expect(OutcomeKind::kConnected, std::move(answer));
  if (!it) return tl::make_unexpected(it.error());
  return Connected{it->connection, it->ingress, it->egress, it->reverse_ingress,
                   it->reverse_egress};
}

Result<ConnectionId> held(Answer answer) {
  const Answer it = expect(OutcomeKind::kHeld, std::move(answer));
  if (!it) return tl::make_unexpected(it.error());
  return it->connection;
}

Result<void> done(OutcomeKind kind, Answer answer) {
  const Answer it = expect(kind, std::move(answer));
  if (!it) return tl::make_unexpected(it.error());
  return {};
}

}  // namespace xbind::client
