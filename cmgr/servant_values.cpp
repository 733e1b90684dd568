#include "cmgr/servant_values.hpp"

#include <chrono>
#include <vector>

#include "core/steady_now.hpp"
#include "orb/convert.hpp"
#include "orb/process.hpp"

namespace xbind::cmgr {
namespace {

// `second`: of the steady clock, plus one; 0: none.
CORBA::ULongLong unix_second(std::uint32_t second) {
  if (second == 0) return 0;
  const std::chrono::nanoseconds ago =
      steady_now().time_since_epoch() - std::chrono::seconds(second - 1);
  return static_cast<CORBA::ULongLong>(
      std::chrono::floor<std::chrono::seconds>(orb::since_1970() - ago).count());
}

}  // namespace

void describe_into(const ConnectionManager& manager, ConnectionId id, v2::ConnectionState& out) {
  const auto found = manager.describe(id);
  if (!found) return;
  const Connection& connection = found->connection;
  out.connection = id.value();
  const State state = connection.state();
  const OptionalAsker& asker = connection.asker();
  const bool prepared = state == State::kConnected && !asker;
  out.phase = prepared ? v2::phase_prepared : static_cast<v2::PhaseCode>(state);
  out.generation = connection.generation();
  out.client = found->client.c_str();
  out.request = asker ? asker->request.value() : 0;
  out.from_end = connection.ends->from.c_str();
  out.to_end = connection.first_end_dropped() ? "" : connection.ends->to.c_str();
  out.resources = orb::to_idl(connection.demand_of_leg(0));
  out.reverse_resources = orb::to_idl(connection.demand_of_leg(1));
  out.reroutes = connection.reroutes();
  out.up_since_s = unix_second(connection.up_since_s);
  out.changed_s = unix_second(connection.changed_s());
  out.condition = v2::path_up;
  if (const auto& seen = connection.observed(); !seen.broken.empty()) {
    out.condition = seen.in_doubt ? v2::path_unknown : v2::path_down;
    out.element = seen.broken.c_str();
  }
  const auto& leaves = connection.leaves();
  out.leaves.length(static_cast<CORBA::ULong>(leaves.size()));
  for (CORBA::ULong i = 0; i < out.leaves.length(); ++i) out.leaves[i] = leaves[i].end.c_str();
  const std::vector<std::uint16_t> numbers = connection.hops().shown_numbers();
  out.hops.length(static_cast<CORBA::ULong>(numbers.size()));
  for (CORBA::ULong i = 0; i < out.hops.length(); ++i) {
    const Hop& hop = *connection.hops().nth(i);
    out.hops[i].leg = hop.leg;
    out.hops[i].number = numbers[i];
    out.hops[i].switch_name = manager.switch_name(hop.at).c_str();
    out.hops[i].input_port = hop.input_port.value();
    out.hops[i].input_label = orb::to_idl(hop.input_label);
    out.hops[i].output_port = hop.output_port.value();
    out.hops[i].output_label = orb::to_idl(hop.output_label);
  }
}

}  // namespace xbind::cmgr
