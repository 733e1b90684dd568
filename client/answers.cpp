#include "client/answers.hpp"

#include <utility>

#include "core/cause_table.hpp"

namespace xbind::client {
Error refusal(const Outcome& outcome) { return {row_of(outcome.cause).code, explain(outcome)}; }

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
