// One request of a controller: its octets, the checks that all messages share, and the ways to
// answer it. Each request is answered once, at once or when the table has completed it.
//
// Lives for one call of the agent. Not thread-safe.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "gsmp/failure_response.hpp"
#include "gsmp/framing.hpp"
#include "gsmp/messages/header.hpp"
#include "switchagent/messages/context.hpp"
#include "switchagent/messages/controller.hpp"

namespace xbind::switchagent {

struct Request {
  Context& agent;
  std::span<const std::byte> octets;
  gsmp::HeaderAndBody decoded;
  Controller& controller;
  ControllerId from;
  TimePoint now;  // arrival time of the request; unset in a late answer

  SwitchTable& table = agent.table;
  wire::Buffer& output = controller.output;

  const gsmp::Header& header() const { return decoded.header; }
  // Whether the controller requests an answer to a success.
  bool wants_success() const { return header().result != gsmp::ResultField::kNoSuccessAck; }

  // ----- the first checks, in the order of RFC 3292 -----
  // kNone, or the code to refuse with. `session_port` is one of `ports`. The last check takes an
  // injected refusal, so a request is checked once.
  gsmp::FailureCode check(std::initializer_list<PortId> ports, PortId session_port,
                          std::uint32_t session);
  gsmp::FailureCode check(std::initializer_list<PortId> ports = {});
  // The same; false: the request has been answered with its failure.
  bool passes(std::initializer_list<PortId> ports, PortId session_port, std::uint32_t session) {
    return passes(check(ports, session_port, session));
  }
  bool passes(std::initializer_list<PortId> ports = {}) { return passes(check(ports)); }
  bool passes(gsmp::FailureCode code);

  // ----- answers -----
  // A failure with a copy of the request.
  void fail(gsmp::FailureCode code);
  // The failure of a request that cannot be decoded.
  void fail_undecodable();
  // A copy of the request, unless a success needs no answer; or its failure.
  void conclude(gsmp::FailureCode code);
  // A failure with the message's content, as the handler has changed it.
  template <class M>
  void fail_with(M& response, gsmp::FailureCode code) {
    agent.counters.count_failure(code, header().type);
    response.header.result = gsmp::ResultField::kFailure;
    response.header.code = code;
    gsmp::append_frame(output, response);
  }
  // A success with the message's content.
  template <class M>
  void succeed_with(M& response) {
    response.header.result = gsmp::ResultField::kSuccess;
    gsmp::append_frame(output, response);
  }

  // Calls `ask` with the ticket of part 0; `ask` calls the table once for each part. H::finish()
  // follows when the table has completed all parts, now or later. `reads`: the parts return
  // readings. If too many requests are open, refuses with 19 and does not call `ask`.
  template <class H, class M, class Ask>
  void ask_table(M& message, std::uint32_t parts, bool reads, Ask&& ask) {
    if (controller.open_requests >= agent.options.window || agent.open.full()) {
      ++agent.counters.refused_open;
      return fail(gsmp::FailureCode::kOutOfResources);
    }
    ask(Ticket{agent.open.begin(parts, reads), 0});
    if (TableOutcome* const outcome = agent.open.finished())
      return H::finish(*this, message, *outcome);
    ++controller.open_requests;
    agent.open.keep(from, wire::Buffer(octets.begin(), octets.end()));
  }
  // For `ask`: completes a part that needs no call of the table.
  void complete(Ticket ticket, gsmp::FailureCode code) { agent.open.note(ticket, code); }
};

}  // namespace xbind::switchagent
