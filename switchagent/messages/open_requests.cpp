#include "switchagent/messages/open_requests.hpp"

namespace xbind::switchagent {

OpenRequests::Progress OpenRequests::note(Ticket ticket, gsmp::FailureCode code,
                                          TableReading reading) {
  const bool asking = ticket.request == asking_ && asking_ != 0;
  const auto found = asking ? open_.end() : open_.find(ticket.request);
  if (!asking && found == open_.end()) return Progress::kUnknown;
  TableOutcome& outcome = asking ? asked_ : found->second.outcome;
  if (!outcome.note(ticket.part, code, std::move(reading))) return Progress::kUnknown;
  return !asking && outcome.complete() ? Progress::kComplete : Progress::kNoted;
}

void OpenRequests::abandon(ControllerId from) {
  for (auto& [id, request] : open_) {
    if (request.from != from) continue;
    request.from.reset();
    request.octets = {};
  }
}

}  // namespace xbind::switchagent
