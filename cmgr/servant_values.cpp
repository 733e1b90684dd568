#include "cmgr/servant_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
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

// The description of so many hops fits into one reply (kHopsMax of call_requests.cpp).
constexpr std::size_t kHopsShown = 8'000;

void hop_into(const ConnectionManager& manager, const FoundHop& found, v2::HopState& out) {
  const CrossConnect& at = found.hop.cross_connect;
  out.leg = found.hop.key.leg;
  out.number = found.hop.key.hop;
  out.switch_name = manager.switches().name(found.at).c_str();
  out.input_port = at.input_port.value();
  out.input_label = orb::to_idl(at.input_label);
  out.output_port = at.output_port.value();
  out.output_label = orb::to_idl(at.output_label);
}

void incomplete_into(const ConnectionManager& manager, const IncompleteCall& call,
                     v2::ConnectionState& out) {
  out = v2::ConnectionState();  // numbers in a sequence's elements begin with anything
  out.connection = call.shown.value();
  out.phase = v2::phase_incomplete;
  const std::vector<const FoundHop*> hops = hops_in_order(call);
  std::vector<std::string> leaves;
  Resources demand[2];
  for (const FoundHop* const found : hops) {
    const LedgerHop& hop = found->hop;
    out.generation = std::max(out.generation, CORBA::ULong{hop.key.generation.value()});
    // A taken connection's client is known to some of its hops alone.
    if (out.request == 0 && hop.request != RequestId{}) {
      out.client = found->owner().client.c_str();
      out.request = hop.request.value();
    }
    if (*out.from_end.in() == '\0') out.from_end = found->owner().from.c_str();
    demand[hop.key.leg == 1 ? 1 : 0] = hop.demand;
    // Each hop names where its leg leads. While the last hop is not known, nor is whether this end
    // was dropped like a leaf.
    const std::string& to = found->owner().to;
    if (hop.key.leg < 2) {
      out.to_end = to.c_str();
    } else if (std::ranges::find(leaves, to) == leaves.end()) {
      leaves.push_back(to);
    }
  }
  if (out.request == 0) out.client = hops.front()->owner().client.c_str();
  out.resources = orb::to_idl(demand[0]);
  out.reverse_resources = orb::to_idl(demand[1]);
  out.condition = v2::path_unknown;
  out.element = call.element.c_str();
  std::string missing = call.words();
  if (hops.size() > kHopsShown) {
    missing += fmt::format("; {} more hops are known", hops.size() - kHopsShown);
  }
  out.missing = missing.c_str();
  out.leaves.length(static_cast<CORBA::ULong>(leaves.size()));
  for (CORBA::ULong i = 0; i < out.leaves.length(); ++i) out.leaves[i] = leaves[i].c_str();
  out.hops.length(static_cast<CORBA::ULong>(std::min(hops.size(), kHopsShown)));
  for (CORBA::ULong i = 0; i < out.hops.length(); ++i) hop_into(manager, *hops[i], out.hops[i]);
}

}  // namespace

bool describe_into(const ConnectionManager& manager, ConnectionId id, v2::ConnectionState& out) {
  const auto found = manager.describe(id);
  if (!found) {
    const auto call = manager.incomplete(id);
    if (call) incomplete_into(manager, *call, out);
    return call.has_value();
  }
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
    out.hops[i].switch_name = manager.switches().name(hop.at).c_str();
    out.hops[i].input_port = hop.input_port.value();
    out.hops[i].input_label = orb::to_idl(hop.input_label);
    out.hops[i].output_port = hop.output_port.value();
    out.hops[i].output_label = orb::to_idl(hop.output_label);
  }
  return true;
}

}  // namespace xbind::cmgr
