// Completions of the table, and the answers to requests that it completes later.
#include <utility>

#include "core/check.hpp"
#include "gsmp/codec.hpp"
#include "switchagent/agent_request.hpp"

namespace xbind::switchagent {

void SwitchAgent::completed(Ticket ticket, gsmp::FailureCode code) {
  // The common case: the table completes during the call.
  if (ticket.request == asking_ && asking_ != 0) {
    if (!asked_.note(ticket.part, code)) ++counters_.answers_unknown;
    return;
  }
  completed(ticket, code, TableReading{});
}

void SwitchAgent::completed(Ticket ticket, gsmp::FailureCode code, TableReading reading) {
  const bool in_call = ticket.request == asking_ && asking_ != 0;
  OpenRequests::Request* const open = in_call ? nullptr : open_.find(ticket.request);
  TableOutcome* const outcome = in_call ? &asked_ : open == nullptr ? nullptr : &open->outcome;
  if (outcome == nullptr || !outcome->note(ticket.part, code, std::move(reading))) {
    ++counters_.answers_unknown;
    return;
  }
  if (!in_call && outcome->complete()) answer_late(ticket.request);
}

void SwitchAgent::answer_late(std::uint64_t id) {
  OpenRequests::Request open = open_.take(id);
  const auto found = open.from ? controllers_.find(*open.from) : controllers_.end();
  if (found == controllers_.end()) {
    ++counters_.answers_void;
    return;
  }
  Controller& controller = found->second;
  --controller.open_requests;
  // The request was decoded on arrival, so both must succeed again.
  const auto header = gsmp::decode_header(open.octets);
  XB_CHECK(header.has_value(), open.octets.size());
  auto message = gsmp::decode_body(*header);
  XB_CHECK(message.has_value(), open.octets.size());
  Request request{open.octets, *header, controller, found->first, TimePoint{}};
  std::visit(
      [&](auto& one) {
        if constexpr (requires { one.header; }) finish(request, one, open.outcome);
      },
      *message);
  bound_output(found->first, controller);
}

void SwitchAgent::abandon(ControllerId id, Controller& controller) {
  if (controller.open_requests == 0) return;
  open_.abandon(id);
  controller.open_requests = 0;
}

}  // namespace xbind::switchagent
