#include "switchagent/messages/request.hpp"

#include <optional>

namespace xbind::switchagent {

using gsmp::FailureCode;

FailureCode Request::check(std::initializer_list<PortId> ports, PortId session_port,
                           std::uint32_t session) {
  for (const PortId port : ports) {
    if (port != session_port && !table.port_session(port)) return FailureCode::kNoSuchPort;
  }
  const std::optional<std::uint32_t> current = table.port_session(session_port);
  if (!current) return FailureCode::kNoSuchPort;
  if (*current != session) return FailureCode::kInvalidPortSession;
  return check();
}

FailureCode Request::check(std::initializer_list<PortId> ports) {
  for (const PortId port : ports) {
    if (!table.port_session(port)) return FailureCode::kNoSuchPort;
  }
  if (header().partition != controller.adjacency.partition()) return FailureCode::kInvalidPartition;
  if (agent.refusals.none()) [[likely]]
    return FailureCode::kNone;
  const std::optional<FailureCode> refusal = agent.refusals.take(header().type);
  if (!refusal) return FailureCode::kNone;
  ++agent.counters.refused;
  return *refusal;
}

bool Request::passes(FailureCode code) {
  if (code == FailureCode::kNone) return true;
  fail(code);
  return false;
}

void Request::fail(FailureCode code) {
  agent.counters.count_failure(code, header().type);
  gsmp::append_failure(output, octets, code);
}

void Request::fail_undecodable() {
  ++agent.counters.undecodable;
  fail(FailureCode::kInvalidMessage);
}

void Request::conclude(FailureCode code) {
  if (!passes(code) || !wants_success()) return;
  gsmp::append_copy(output, octets, gsmp::ResultField::kSuccess, FailureCode::kNone);
}

}  // namespace xbind::switchagent
