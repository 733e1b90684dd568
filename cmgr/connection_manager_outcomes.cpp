// ConnectionManager: which requests are taken, and the one outcome of each.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cmgr/connection_manager.hpp"

namespace xbind::cmgr {
namespace {

Outcome outcome_of_refusal(RequestId request, ConnectionId about, Refusal refusal) {
  Outcome outcome;
  outcome.request = request;
  outcome.kind = refusal.cause == Cause::kBusy ? OutcomeKind::kBusy : OutcomeKind::kRefused;
  outcome.connection = about;
  outcome.cause = refusal.cause;
  outcome.element = std::move(refusal.element);
  outcome.asked = refusal.asked;
  outcome.free = refusal.free;
  return outcome;
}

}  // namespace

// `about`: the connection that the request names; 0 for a connect.
bool ConnectionManager::admit(ClientIndex client, RequestId request, std::uint64_t digest,
                              ConnectionId about) {
  Refusal refusal{Cause::kBusy, "manager", config_.requests_per_client + 1,
                  config_.requests_per_client};
  switch (clients_.admit(client, request, digest)) {
    case ClientDesk::Admission::kNew: return true;
    case ClientDesk::Admission::kRepeated:
      // Its outcome is on its way, or comes. That of a token in use is its first holder's.
      if (client != ClientDesk::kLocal) return false;
      break;
    case ClientDesk::Admission::kTooMany: break;
    case ClientDesk::Admission::kOther:
      refusal = {Cause::kInvalidRequest,
                 fmt::format("request number {}, which is another request's", request)};
      break;
    case ClientDesk::Admission::kOtherUnderWay:
      refusal = {
          Cause::kBusy,
          fmt::format("request number {}, which is under way for an earlier epoch", request)};
      break;
  }
  ++(refusal.cause == Cause::kBusy ? counters_.busy : counters_.refused);
  // Not admitted: there is no memory of it to answer from.
  Outcome outcome = outcome_of_refusal(request, about, std::move(refusal));
  if (client == ClientDesk::kLocal) {
    peers_.local_outcome(request, std::move(outcome));
  } else {
    clients_.answer_unremembered(client, std::move(outcome));
  }
  return false;
}

void ConnectionManager::tell(const Asker& asker, Outcome&& outcome, TimesIndex times) {
  outcome.request = asker.request;
  switch (outcome.kind) {
    case OutcomeKind::kConnected: ++counters_.connected; break;
    case OutcomeKind::kRefused: ++counters_.refused; break;
    case OutcomeKind::kReleased: ++counters_.released; break;
    case OutcomeKind::kBusy: ++counters_.busy; break;
    case OutcomeKind::kHeld: ++counters_.held; break;
    case OutcomeKind::kModified: ++counters_.modified; break;
    case OutcomeKind::kLeafAdded: ++counters_.leaves_added; break;
    case OutcomeKind::kLeafDropped: ++counters_.leaves_dropped; break;
  }
  gate_.ended();
  clients_.answer(asker.client, std::move(outcome), times);
}

// Protocol version 4 has no field for it: of what is done, `asked` counts the removals that are
// owed and `element` names the switches.
void ConnectionManager::name_what_is_owed(const Connection& connection, Outcome& outcome) const {
  constexpr std::size_t kNamed = 3;
  std::vector<SwitchIndex> at;
  for (const Hop& hop : connection.hops) {
    if (hop.state != HopState::kRemoving && hop.state != HopState::kNotRemoved) continue;
    ++outcome.asked;
    if (std::find(at.begin(), at.end(), hop.at) == at.end()) at.push_back(hop.at);
  }
  for (std::size_t i = 0; i < std::min(at.size(), kNamed); ++i) {
    outcome.element += (i == 0 ? "" : ", ") + switches_.name(at[i]);
  }
  if (at.size() > kNamed) outcome.element += fmt::format(" and {} more", at.size() - kNamed);
}

void ConnectionManager::refuse_request(const Asker& asker, ConnectionId about, Refusal refusal) {
  tell(asker, outcome_of_refusal(asker.request, about, std::move(refusal)));
}

void ConnectionManager::turn_away(ClientIndex client, RequestId request, ConnectionId about,
                                  Refusal refusal) {
  ++counters_.busy;
  clients_.answer(client, outcome_of_refusal(request, about, std::move(refusal)));
}

}  // namespace xbind::cmgr
