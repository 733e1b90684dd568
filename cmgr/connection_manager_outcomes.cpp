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
  outcome.reason = std::move(refusal.reason);
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
                 {},
                 0,
                 0,
                 fmt::format("request number {} is another request's", request)};
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
  if (outcome.kind == OutcomeKind::kBusy) outcome.retry_after_ms = retry_after_ms();
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
    case OutcomeKind::kBusy:
      outcome.retry_after_ms = retry_after_ms();
      ++counters_.busy;
      break;
    case OutcomeKind::kHeld: ++counters_.held; break;
    case OutcomeKind::kModified: ++counters_.modified; break;
    case OutcomeKind::kLeafAdded: ++counters_.leaves_added; break;
    case OutcomeKind::kLeafDropped: ++counters_.leaves_dropped; break;
  }
  gate_.ended();
  clients_.answer(asker.client, std::move(outcome), times);
}

void ConnectionManager::name_what_is_owed(const Connection& connection, Outcome& outcome) const {
  constexpr std::size_t kNamed = 3;
  std::vector<SwitchIndex> at;
  const auto note = [&](SwitchIndex where) {
    ++outcome.owed.removals;
    if (std::find(at.begin(), at.end(), where) == at.end()) at.push_back(where);
  };
  if (connection.extras) {
    for (const SwitchIndex where : connection.extras->owing) note(where);
  }
  for (const Hop& hop : connection.hops) {
    if (hop.owes_removal()) note(hop.at);
  }
  for (std::size_t i = 0; i < std::min(at.size(), kNamed); ++i) {
    outcome.owed.element += (i == 0 ? "" : ", ") + switches_.name(at[i]);
  }
  if (at.size() > kNamed) outcome.owed.element += fmt::format(" and {} more", at.size() - kNamed);
}

// (requests that wait) / (requests a second): how long the queue takes to empty itself if the manager begins as
// many a second as clients send.
std::uint32_t ConnectionManager::retry_after_ms() const {
  constexpr double kLeast = 10;  // less than a message takes on a loaded machine
  const double most =
      std::chrono::duration<double, std::milli>(std::max(config_.queue_timer, Duration{1})).count();
  const double rate = switches_.aggregation().operations_per_s();
  const double wait = rate > 0 ? 1'000.0 * static_cast<double>(gate_.waiting() + 1) / rate : most;
  return static_cast<std::uint32_t>(std::clamp(wait, std::min(kLeast, most), most));
}

void ConnectionManager::refuse_request(const Asker& asker, ConnectionId about, Refusal refusal) {
  tell(asker, outcome_of_refusal(asker.request, about, std::move(refusal)));
}

void ConnectionManager::turn_away(ClientIndex client, RequestId request, ConnectionId about,
                                  Refusal refusal) {
  ++counters_.busy;
  Outcome outcome = outcome_of_refusal(request, about, std::move(refusal));
  outcome.retry_after_ms = retry_after_ms();
  clients_.answer(client, std::move(outcome));
}

}  // namespace xbind::cmgr
